//! Labels beside points, so that nothing lies on anything else: greedy, the next label goes to the
//! nearest place that is still free.

use super::canvas::Point;

/// Left, top, right and bottom.
pub(super) type Bounds = [f64; 4];

/// From a point to the nearest edge of its label, nearest first.
const DISTANCES_PX: [f64; 7] = [8.0, 16.0, 26.0, 38.0, 52.0, 68.0, 86.0];
/// A label nearer than this needs no line to its point.
const LEADER_FROM_PX: f64 = 18.0;
/// Half the extent of a marker, with air.
const MARKER_PX: f64 = 7.0;

/// Where a label lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// The label.
    pub bounds: Bounds,
    /// A line from the point to it, where it is not right beside it.
    pub leader: Option<[Point; 2]>,
}

/// A place for each point's label, given as width and height, within the bounds; none for those that
/// found no room.
///
/// Labels lie on no marker, on no other label, on no leader and on none of the lines; a leader crosses
/// no label. Points with many others around them choose first.
pub(super) fn beside(
    points: &[Point],
    sizes: &[(f64, f64)],
    lines: &[[Point; 2]],
    within: Bounds,
) -> Vec<Option<Place>> {
    let near = |&(x, y): &Point, (dx, dy): Point| {
        points.iter().filter(|(a, b)| (a - x).abs() < dx && (b - y).abs() < dy).count()
    };
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(near(&points[i], (80.0, 30.0))));
    // A label right beside one of several points in a heap bars the others' way: then those of a heap
    // begin farther out, like the labels of a pie.
    let mut best: Vec<Option<Place>> = Vec::new();
    for skipped in [0, 2, 4] {
        let mut places: Vec<Option<Place>> = vec![None; points.len()];
        for &i in &order {
            let heap = near(&points[i], (12.0, 12.0)) > 1;
            let distances = &DISTANCES_PX[if heap { skipped } else { 0 }..];
            let taken: Vec<&Place> = places.iter().flatten().collect();
            let clear = |place: &Place| {
                is_free(place, points, &taken, within)
                    && !lines.iter().any(|&line| crosses(line, place.bounds))
            };
            places[i] = candidates(points[i], sizes[i], distances).find(clear);
        }
        let count = |places: &[Option<Place>]| places.iter().flatten().count();
        if best.is_empty() || count(&places) > count(&best) {
            best = places;
        }
        if count(&best) == points.len() {
            break;
        }
    }
    best
}

/// Places around a point, nearest first, at each distance the right one first.
fn candidates(
    (x, y): Point,
    (width, height): (f64, f64),
    distances: &[f64],
) -> impl Iterator<Item = Place> {
    const DIRECTIONS: usize = 16;
    // Right, left, then the nearer to level the better: upright neighbours hide less.
    const ORDER: [usize; DIRECTIONS] = [0, 8, 1, 15, 7, 9, 2, 14, 6, 10, 4, 12, 3, 13, 5, 11];
    distances.iter().flat_map(move |&distance| {
        ORDER.into_iter().map(move |direction| {
            let angle = direction as f64 * std::f64::consts::TAU / DIRECTIONS as f64;
            // The label's point nearest to ours, and how the label lies around that.
            let (dx, dy) = (angle.cos(), angle.sin());
            let near = (x + distance * dx, y + distance * dy);
            let left = near.0 - width * (1.0 - dx) / 2.0;
            let top = near.1 - height * (1.0 - dy) / 2.0;
            let leader = [(x + 5.0 * dx, y + 5.0 * dy), near];
            Place {
                bounds: [left, top, left + width, top + height],
                leader: (distance > LEADER_FROM_PX).then_some(leader),
            }
        })
    })
}

fn is_free(place: &Place, points: &[Point], taken: &[&Place], within: Bounds) -> bool {
    let [left, top, right, bottom] = place.bounds;
    let inside = left >= within[0] && top >= within[1] && right <= within[2] && bottom <= within[3];
    let marker = |&(x, y): &Point| [x - MARKER_PX, y - MARKER_PX, x + MARKER_PX, y + MARKER_PX];
    let clear = |bounds: &Bounds, leader: &Option<[Point; 2]>| {
        leader.is_none_or(|leader| !crosses(leader, *bounds))
    };
    inside
        && !points.iter().any(|point| touch(place.bounds, marker(point)))
        && taken.iter().all(|other| {
            !touch(place.bounds, other.bounds)
                && clear(&other.bounds, &place.leader)
                && clear(&place.bounds, &other.leader)
        })
}

/// Whether two rectangles have a point in common.
fn touch(a: Bounds, b: Bounds) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Whether a part of a line lies within a rectangle (Liang & Barsky, ACM TOG 1984).
fn crosses([(x0, y0), (x1, y1)]: [Point; 2], [left, top, right, bottom]: Bounds) -> bool {
    let (dx, dy) = (x1 - x0, y1 - y0);
    let edges = [(-dx, x0 - left), (dx, right - x0), (-dy, y0 - top), (dy, bottom - y0)];
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (step, room) in edges {
        if step == 0.0 {
            if room <= 0.0 {
                return false;
            }
        } else if step < 0.0 {
            from = from.max(room / step);
        } else {
            to = to.min(room / step);
        }
    }
    from < to
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WITHIN: Bounds = [0.0, 0.0, 800.0, 400.0];

    /// Whether all lies as promised, checked without the code above.
    fn is_sound(points: &[Point], places: &[Place]) -> bool {
        let inner = |[l, t, r, b]: Bounds, (x, y): Point| l < x && x < r && t < y && y < b;
        let along = |[(x0, y0), (x1, y1)]: [Point; 2]| {
            (0..=50)
                .map(move |i| f64::from(i) / 50.0)
                .map(move |s| (x0 + (x1 - x0) * s, y0 + (y1 - y0) * s))
        };
        places.iter().enumerate().all(|(i, place)| {
            let [l, t, r, b] = place.bounds;
            let others = places.iter().enumerate().filter(|(j, _)| *j != i);
            l >= 0.0
                && t >= 0.0
                && r <= 800.0
                && b <= 400.0
                && points.iter().all(|&point| !inner(place.bounds, point))
                && others.clone().all(|(_, o)| {
                    r <= o.bounds[0] || o.bounds[2] <= l || b <= o.bounds[1] || o.bounds[3] <= t
                })
                && others
                    .filter_map(|(_, o)| o.leader)
                    .all(|leader| along(leader).all(|point| !inner(place.bounds, point)))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn labels_lie_on_nothing(
            points in proptest::collection::vec((0.0..800.0_f64, 0.0..400.0_f64), 0..40),
            width in 10.0..120.0_f64,
        ) {
            let sizes = vec![(width, 15.0); points.len()];
            let places = beside(&points, &sizes, &[], WITHIN);
            prop_assert_eq!(places.len(), points.len());
            let places: Vec<Place> = places.into_iter().flatten().collect();
            prop_assert!(is_sound(&points, &places));
        }
    }

    #[test]
    fn alone_a_label_is_right_beside_its_point() {
        let alone = |x, lines: &[_]| beside(&[(x, 100.0)], &[(50.0, 16.0)], lines, WITHIN)[0];
        let place = Place { bounds: [108.0, 92.0, 158.0, 108.0], leader: None };
        assert_eq!(alone(100.0, &[]), Some(place));
        assert_eq!(alone(790.0, &[]).unwrap().bounds, [732.0, 92.0, 782.0, 108.0]);
        // Not on a line that leads to the right.
        let place = alone(100.0, &[[(100.0, 100.0), (800.0, 100.0)]]).unwrap();
        assert_eq!(place.bounds, [42.0, 92.0, 92.0, 108.0]);
    }

    #[test]
    fn some_in_one_place_find_room_and_a_thousand_do_not() {
        let of = |count| {
            let (points, sizes) = (vec![(400.0, 200.0); count], vec![(60.0, 15.0); count]);
            let places = beside(&points, &sizes, &[], WITHIN);
            let placed: Vec<Place> = places.into_iter().flatten().collect();
            assert!(is_sound(&points, &placed));
            placed
        };
        assert_eq!(of(8).len(), 8);
        assert!(of(8).iter().any(|place| place.leader.is_some()));
        assert!((8..1000).contains(&of(1000).len()));
    }

    #[test]
    fn lines_through_rectangles() {
        let square = [0.0, 0.0, 10.0, 10.0];
        assert!(crosses([(-5.0, 5.0), (15.0, 6.0)], square));
        assert!(crosses([(5.0, -5.0), (5.0, 5.0)], square));
        assert!(!crosses([(-5.0, 0.0), (5.0, -5.0)], square));
        assert!(!crosses([(11.0, -5.0), (11.0, 50.0)], square));
    }
}
