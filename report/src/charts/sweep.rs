//! Time against a parameter: a figure for each that is swept, with backends that have no such
//! parameter as horizontal lines.

use super::levels::{Level, choose, provenance, studied};
use super::plot::{Kind, Plot, Plotted, Scale};
use super::swept::{self, Line, lines, number, variant, whiskers};
use super::time_per_backend::tick;
use crate::format::{human_bytes, human_time, shorten};
use crate::labels::THREADS;
use crate::record::Machine;
use crate::record::params::{ALLOCATOR, HEAP_LIMIT, HEAP_MULTIPLE};
use crate::summary::Summary;
use std::collections::{BTreeMap, BTreeSet};

/// Fewer values show no shape.
const LEAST_VALUES: usize = 3;

/// More lines are no chart to read: backends with several lines then have a chart each.
const MOST_LINES: usize = 8;

/// One figure for each parameter (and machine, and n) that is swept, or where these are many lines,
/// several.
pub(super) fn sweeps(summary: &Summary) -> Vec<Plotted> {
    let others = [ALLOCATOR, HEAP_LIMIT, HEAP_MULTIPLE, THREADS];
    let params = summary.groups.iter().flat_map(|group| group.params.keys());
    let params: BTreeSet<&str> = params.map(String::as_str).collect();
    let mut stems = BTreeSet::new();
    let mut sweeps = Vec::new();
    for param in params.into_iter().filter(|param| !others.contains(param)) {
        let mut blocks: BTreeMap<(usize, u32), Vec<Line>> = BTreeMap::new();
        for line in lines(summary, param, LEAST_VALUES) {
            blocks.entry((line.group.origin, line.n)).or_default().push(line);
        }
        for (whose, lines) in blocks.into_values().flat_map(charts) {
            let stem = stem("sweep", param, &mut stems);
            sweeps.push(sweep(summary, (param, &whose), &lines, stem));
        }
    }
    sweeps
}

/// The lines of each chart, with whose they are where there are several charts: backends with a
/// line for each value of another parameter have one to themselves.
fn charts(lines: Vec<Line>) -> Vec<(String, Vec<Line>)> {
    if lines.len() <= MOST_LINES {
        return vec![(String::new(), lines)];
    }
    let mut backends: BTreeMap<&str, Vec<Line>> = BTreeMap::new();
    let mut order = Vec::new();
    for line in lines {
        let name = line.group.backend.as_str();
        if !backends.contains_key(name) {
            order.push(name);
        }
        backends.entry(name).or_default().push(line);
    }
    let (mut charts, mut alone) = (Vec::new(), Vec::new());
    for name in order {
        let mut lines = backends.remove(name).unwrap_or_default();
        match lines.len() {
            1 => alone.append(&mut lines),
            _ => charts.push((format!(" of {}", shorten(name, 30)), lines)),
        }
    }
    let others = if charts.is_empty() { "" } else { " of the others" };
    charts.extend((!alone.is_empty()).then(|| (others.to_owned(), alone)));
    charts
}

/// A file name that no figure before has: `sweep-nursery`, `sweep-nursery-2`.
pub(super) fn stem(what: &str, param: &str, known: &mut BTreeSet<String>) -> String {
    const MOST_CHARS: usize = 40;
    let fit = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let param: String = param.chars().take(MOST_CHARS).map(fit).collect();
    let plain = match param.trim_matches('-') {
        "" => what.to_owned(),
        param => format!("{what}-{param}"),
    };
    let stems = (1_u32..).map(|i| if i == 1 { plain.clone() } else { format!("{plain}-{i}") });
    let stem = stems.into_iter().find(|stem| !known.contains(stem)).unwrap_or_default();
    known.insert(stem.clone());
    stem
}

fn sweep(summary: &Summary, (param, whose): (&str, &str), lines: &[Line], stem: String) -> Plotted {
    let (origin, n) = (lines[0].group.origin, lines[0].n);
    let swept = |level: &Level| lines.iter().any(|l| l.group.backend == level.group.backend);
    let mut levels = studied(summary, &lines[0]);
    levels.retain(|level| !swept(level));
    let levels = choose(levels);
    let bytes = lines.iter().flat_map(|line| &line.spots).all(|spot| spot.bytes);
    let value = if bytes { |v| human_bytes(v as u64) } else { number };
    let param = shorten(param, 20);
    let mut x = Scale::new(
        &format!("{param} (logarithmic scale)"),
        if bytes { Kind::Binary } else { Kind::Log },
        value,
        value,
    );
    x.ticks = Some(values(lines).into_iter().map(|at| (at, value(at))).collect());
    x.uprights = defaults(lines);
    if bytes {
        x.uprights.extend(caches(&summary.machines[origin]));
    }
    let series = lines.iter().enumerate();
    let series = series.map(|(i, line)| line.series(line.named(lines, value), variant(lines, i)));
    let times = lines.iter().flat_map(Line::times).chain(levels.iter().map(|l| l.time));
    let time = |ns: f64| if ns.is_finite() { human_time(ns) } else { "failed".to_owned() };
    Plotted {
        stem,
        caption: format!(
            "Median time of one search for each value of the parameter {param}, all others \
                 unchanged; the dashed lines across are backends that have no such parameter. \
                 Upright lines mark what the backend takes unasked{}.{}",
            if bytes { ", and the sizes of the processor's caches" } else { "" },
            provenance(&levels, lines)
        ),
        plot: Plot {
            title: format!(
                "Time against {param}{whose} at n = {n}{}",
                swept::origin(summary, &lines[0])
            ),
            subtitle: format!(
                "Median time of one search (logarithmic scale) by {param} of {}; whiskers: {}; lower \
                     is better",
                backends(lines),
                whiskers(times)
            ),
            series: series.chain(levels.iter().map(Level::series)).collect(),
            x,
            y: Scale::new("time of one search", Kind::Log, tick, time),
        },
    }
}

/// Whose parameter it is.
fn backends(lines: &[Line]) -> String {
    const MOST: usize = 3;
    let all: BTreeSet<&str> = lines.iter().map(|line| line.group.backend.as_str()).collect();
    let names: Vec<String> = all.iter().take(MOST).map(|name| shorten(name, 30)).collect();
    match all.len().saturating_sub(MOST) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// Every value of the lines once.
fn values(lines: &[Line]) -> Vec<f64> {
    let mut values: Vec<f64> =
        lines.iter().flat_map(|line| line.spots.iter().map(|spot| spot.value)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// The values that a study has, with the names of their backends where these differ.
fn defaults(lines: &[Line]) -> Vec<(f64, String)> {
    let mut backends: BTreeMap<u64, BTreeSet<&str>> = BTreeMap::new();
    for line in lines {
        if let Some(value) = line.default() {
            // Of positive numbers, bits are in their order.
            backends.entry(value.to_bits()).or_default().insert(&line.group.backend);
        }
    }
    let all: BTreeSet<&str> = lines.iter().map(|line| line.group.backend.as_str()).collect();
    let text = |some: &BTreeSet<&str>| match *some == all {
        true => "default".to_owned(),
        false => {
            let names: Vec<String> = some.iter().map(|name| shorten(name, 16)).collect();
            format!("default of {}", shorten(&names.join(", "), 36))
        }
    };
    backends.iter().map(|(&value, some)| (f64::from_bits(value), text(some))).collect()
}

/// Sizes of a machine's caches.
fn caches(machine: &Machine) -> Vec<(f64, String)> {
    let sizes = [("L1d", machine.l1d_bytes), ("L2", machine.l2_bytes), ("L3", machine.l3_bytes)];
    let known = sizes
        .into_iter()
        .filter_map(|(name, bytes)| Some((bytes? as f64, format!("{name} cache"))));
    known.collect()
}

#[cfg(test)]
mod tests {
    use super::super::Figure;
    use super::super::made_up::{exhausted, sample, study, summary};
    use super::*;
    use crate::record::Record;

    fn gc(nursery: &str, growth: &str, n: u32, ms: u64) -> Record {
        let params = [("nursery", nursery), ("growth", growth), ("heap-limit", "8GiB")];
        sample("sweep", "gc", &params, n, ms)
    }

    fn nurseries(n: u32) -> Vec<Record> {
        let values = [("8KiB", 50), ("64KiB", 20), ("256KiB", 10), ("4MiB", 15)];
        values.map(|(nursery, ms)| gc(nursery, "2.0", n, ms)).into()
    }

    #[test]
    fn a_sweep_beside_a_study_is_drawn_at_its_own_n() {
        let summary = summary(&[study(8), study(9), nurseries(8)]);
        let sweeps = sweeps(&summary);
        let [sweep] = &sweeps[..] else { panic!("{}", sweeps.len()) };
        assert_eq!(sweep.file_stem(), "sweep-nursery");
        assert_eq!(sweep.title(), "Time against nursery at n = 8");
        let series = &sweep.plot.series;
        let names: Vec<_> = series.iter().map(|series| series.name.as_str()).collect();
        // malloc is the fastest of its family already.
        assert_eq!(names, ["gc", "rc", "malloc", "arc", "stack (problem-specific)"]);
        let kib = |kib: f64| kib * 1024.0;
        let expected = [(8.0, 50e6), (64.0, 20e6), (256.0, 10e6), (4096.0, 15e6)];
        assert_eq!(series[0].points, expected.map(|(size, ns)| (kib(size), ns)));
        assert_eq!(series[2].points[0].1, 30e6);
        let uprights = [(kib(256.0), "default".to_owned()), (kib(1024.0), "L2 cache".to_owned())];
        assert_eq!(sweep.plot.x.uprights, uprights);
        let alt = sweep.alt();
        assert!(alt.contains("gc: 8 KiB 50.0 ms, 64 KiB 20.0 ms"), "{alt}");
        let caption = sweep.caption();
        assert!(caption.contains("another run") && caption.contains("malloc, arc"), "{caption}");
    }

    #[test]
    fn levels_of_the_same_run_are_comparable() {
        let mut records = nurseries(8);
        records.push(sample("sweep", "rc", &[], 8, 40));
        let summary = summary(&[records]);
        let sweep = &sweeps(&summary)[0];
        assert!(!sweep.caption().contains("another run"));
        // Nothing tells which value is the default.
        assert_eq!(sweep.plot.x.uprights.len(), 1);
    }

    #[test]
    fn what_is_no_sweep_is_not_drawn() {
        let two = vec![gc("8KiB", "2.0", 8, 5), gc("64KiB", "2.0", 8, 6)];
        assert!(sweeps(&summary(&[two])).is_empty());
        let both = vec![gc("8KiB", "2.0", 8, 5), gc("64KiB", "3.0", 8, 6), gc("1MiB", "4.0", 8, 7)];
        assert!(sweeps(&summary(&[both])).is_empty());
        let of = |name: &str, values: [&str; 3]| {
            let one = |value: &str| sample("sweep", "gc", &[(name, value)], 8, 5);
            sweeps(&summary(&[values.map(one).into()])).len()
        };
        assert_eq!(of("append", ["branch", "speculate", "other"]), 0);
        assert_eq!(of("allocator", ["1", "2", "3"]), 0);
        assert_eq!(of("heap-limit", ["1MiB", "2MiB", "3MiB"]), 0);
        assert_eq!(of("growth", ["0", "0.0", "2"]), 0);
        assert_eq!(of("growth", ["1.5", "2", "4"]), 1);
        assert!(sweeps(&Summary::default()).is_empty());
        // Of three sizes in different n, no n has three.
        let sizes = (7..=9).zip(["8KiB", "64KiB", "1MiB"]).map(|(n, size)| gc(size, "2.0", n, 5));
        assert!(sweeps(&summary(&[sizes.collect()])).is_empty());
    }

    #[test]
    fn several_parameters_and_backends() {
        let values = ["1.5", "2.0", "4.0"];
        let mut records = nurseries(8);
        records.extend(["1.5", "4.0"].map(|growth| gc("256KiB", growth, 8, 11)));
        let other = |&value: &&str| sample("sweep", "semispace", &[("growth", value)], 8, 20);
        records.extend(values.iter().map(other));
        let summary = summary(&[study(8), records]);
        let sweeps = sweeps(&summary);
        let stems: Vec<_> = sweeps.iter().map(|sweep| sweep.file_stem()).collect();
        assert_eq!(stems, ["sweep-growth", "sweep-nursery"]);
        let names: Vec<_> = sweeps[0].plot.series.iter().map(|s| s.name.as_str()).take(2).collect();
        assert_eq!(names, ["gc", "semispace"]);
        assert_eq!(sweeps[0].plot.x.uprights, [(2.0, "default of gc".to_owned())]);
        assert_eq!((sweeps[0].plot.x.value)(1.5), "1.5");
    }

    #[test]
    fn a_grid_gives_a_line_for_each_of_the_other_values() {
        let grid = ["2.0", "4.0"].map(|growth| {
            let sizes = ["8KiB", "64KiB", "256KiB"];
            sizes.map(|nursery| gc(nursery, growth, 8, 10)).to_vec()
        });
        let summary = summary(&grid);
        let sweeps = sweeps(&summary);
        assert_eq!(sweeps.len(), 1);
        let series = &sweeps[0].plot.series;
        let names: BTreeSet<_> = series.iter().map(|s| (s.name.as_str(), s.variant)).collect();
        assert_eq!(names.len(), 2);
        assert!(names.iter().any(|(name, _)| *name == "gc{growth=4.0}"), "{names:?}");
    }

    /// Of nine lines, two are of one backend.
    #[test]
    fn of_many_lines_a_grid_has_a_chart_of_its_own() {
        let sizes = ["8KiB", "64KiB", "256KiB"];
        let of = |backend: &str, growth: &str| {
            let params = |size| [("nursery", size), ("growth", growth), ("heap-limit", "8GiB")];
            sizes.map(|size| sample("sweep", backend, &params(size), 8, 10)).to_vec()
        };
        let many = |count: usize| {
            let names = ["a", "b", "c", "d", "e", "f", "g"];
            let mut parts: Vec<_> = names[..count].iter().map(|name| of(name, "2.0")).collect();
            parts.extend(["2.0", "4.0"].map(|growth| of("gc", growth)));
            let summary = summary(&parts);
            let told =
                |sweep: &Plotted| (sweep.file_stem(), sweep.title(), sweep.plot.series.len());
            sweeps(&summary).iter().map(told).collect::<Vec<_>>()
        };
        assert_eq!(many(6), [("sweep-nursery".into(), "Time against nursery at n = 8".into(), 8)]);
        let grid = "Time against nursery of gc at n = 8".to_owned();
        let others = "Time against nursery of the others at n = 8".to_owned();
        assert_eq!(
            many(7),
            [("sweep-nursery".to_owned(), grid, 2), ("sweep-nursery-2".to_owned(), others, 7)]
        );
    }

    #[test]
    fn failures_are_crosses() {
        let mut records = nurseries(8);
        records[0] = exhausted(
            "sweep",
            "gc",
            &[("nursery", "8KiB"), ("growth", "2.0"), ("heap-limit", "8GiB")],
            8,
        );
        let summary = summary(&[records]);
        let sweep = &sweeps(&summary)[0];
        assert_eq!(sweep.plot.series[0].name, "gc: out of memory below 64 KiB");
        assert_eq!(sweep.plot.series[0].points[0], (8192.0, f64::INFINITY));
        assert!(sweep.alt().contains("8 KiB failed, 64 KiB 20.0 ms"), "{}", sweep.alt());
    }

    #[test]
    fn hostile_names_stay_names() {
        let long = "ab ".repeat(100);
        let params = ["<script>\"&'", "../../x", "Ünï", "--", "", "X", "x", &long];
        let values = ["1", "2", "3", "-1", "NaN", "inf", "1e5", "9".repeat(400).leak()];
        let one = |param: &str, value: &str| sample("sweep", "<b>", &[(param, value)], 8, 5);
        let all = params.iter().flat_map(|param| values.iter().map(move |value| one(param, value)));
        let summary = summary(&[all.collect()]);
        let sweeps = sweeps(&summary);
        assert_eq!(sweeps.len(), params.len());
        let stems: BTreeSet<String> = sweeps.iter().map(Figure::file_stem).collect();
        assert_eq!(stems.len(), params.len(), "{stems:?}");
        let safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(stems.iter().all(|stem| stem.starts_with("sweep") && stem.chars().all(safe)));
        for sweep in &sweeps {
            assert!(sweep.title().chars().count() < 60);
            assert_eq!(sweep.plot.series[0].points.len(), 3);
        }
    }
}
