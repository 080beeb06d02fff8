//! The page's numbers, recomputed from the record file by other means: the lines are read as plain
//! JSON, the page as HTML, and nothing of this crate is used but the function that writes the page.

#[path = "recompute/by_hand.rs"]
mod by_hand;
mod common;
#[path = "recompute/page.rs"]
mod page;

use by_hand::{Interval, Sample};
use common::{peers, sample, small_study, study};
use page::{Made, Page};
use report::{Record, Status};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

/// A study with everything that a row may tell, and a sweep of the nursery beside it.
fn study_and_sweep() -> Vec<Record> {
    let mut records = small_study();
    for (i, record) in records.iter_mut().enumerate() {
        record.live_peak_bytes = Some(2_000 + 160 * (i as u64 % 5));
    }
    let plain = |record: &&Record| record.backend == "gc" && record.n == 8;
    let swept: Vec<Record> = records.iter().filter(plain).cloned().collect();
    for (nursery, factor) in [("8KiB", 3), ("256KiB", 1)] {
        let mut swept = swept.clone();
        for record in &mut swept {
            record.command = "rc-vs-gc --nursery 8KiB,256KiB".into();
            record.params.insert("nursery".into(), nursery.into());
            record.iterations_ns.iter_mut().for_each(|ns| *ns = *ns * factor + 77);
        }
        records.extend(swept);
    }
    records
}

/// The fixed records as they lie in their file: counted samples, an A/A pair, few rounds.
fn fixed() -> Vec<Record> {
    report::read_records(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/records.jsonl")).unwrap()
}

/// A study with peers beside it.
fn study_and_peers() -> Vec<Record> {
    small_study().into_iter().chain(peers()).collect()
}

/// Four reports, written once.
fn all() -> [Page; 4] {
    static MADE: LazyLock<[Made; 4]> = LazyLock::new(|| {
        [fixed(), study(), study_and_sweep(), study_and_peers()].map(|records| Made::of(&records))
    });
    MADE.each_ref().map(Page::new)
}

#[test]
fn every_number_of_the_table_is_that_of_the_records() {
    for page in all() {
        let expected = by_hand::rows(&page.samples);
        let shown = page.rows();
        assert_eq!(shown.len(), expected.len());
        for row in &expected {
            let cells = &shown[&(row.label.clone(), row.n)];
            let wanted = row.cells(&expected);
            assert_eq!(cells.len(), wanted.len(), "{:?}", cells.keys());
            for (column, wanted) in wanted {
                let (value, text) = &cells[column];
                let place =
                    format!("{}, n = {}, {column}: \"{value}\" \"{text}\"", row.label, row.n);
                wanted.compare(value, text, &place);
            }
        }
    }
}

#[test]
fn a_number_that_is_a_little_wrong_is_found_out() {
    let [_, _, page, _] = all();
    let rows = by_hand::rows(&page.samples);
    let (row, shown) = (&rows[0], page.rows());
    let cells = &shown[&(row.label.clone(), row.n)];
    let mut looked = 0;
    for (column, wanted) in row.cells(&rows) {
        let (value, text) = &cells[column];
        let fails = |value: &str, text: &str| {
            let compared = || wanted.compare(value, text, column);
            catch_unwind(AssertUnwindSafe(compared)).is_err()
        };
        assert!(!fails(value, text), "{column}");
        let Ok(number) = value.parse::<f64>() else { continue };
        assert!(fails(&(number * 1.001).to_string(), text), "{column}: value");
        assert!(fails("", text), "{column}: no value");
        // A verdict's text is not a number.
        assert!(column == "verdict" || fails(value, &format!("1{text}")), "{column}: text");
        looked += 1;
    }
    assert!(looked > 11, "only {looked} cells have values");
}

#[test]
fn every_ratio_of_the_data_is_that_of_the_records() {
    for page in all() {
        let rows = by_hand::rows(&page.samples);
        let mut told = page.ratios();
        for (side, base) in rows.iter().flat_map(|a| rows.iter().map(move |b| (a, b))) {
            let other = side.n == base.n && side.label != base.label && base.is_offered();
            let Some(wanted) = side.ratio(base).filter(|_| other) else { continue };
            let key = (side.label.clone(), base.label.clone(), side.n);
            let ratio = told.remove(&key).unwrap_or_else(|| panic!("no {key:?}"));
            let place = format!("{key:?}: {ratio:?}, not {wanted:?}");
            wanted.compare(&ratio.ends, &place);
            page::rounded(&[wanted.value, ratio.ends[1], ratio.ends[2]], &ratio.text, &place);
            let floor = by_hand::floor(&rows, side.n);
            match ratio.verdict.as_str() {
                words if words.contains("times slower") => assert!(wanted.low > 1.0, "{place}"),
                words if words.contains("times faster") => assert!(wanted.high < 1.0, "{place}"),
                words if words.starts_with("no difference") => {
                    assert!(wanted.value.ln().abs() <= floor.unwrap().ln_1p(), "{place}");
                }
                words if words.starts_with("too few") => assert!(wanted.samples < 6, "{place}"),
                "not distinguishable" => {
                    assert!(wanted.low <= 1.0 && wanted.high >= 1.0, "{place}");
                }
                words => panic!("{words}"),
            }
        }
        assert!(told.is_empty(), "not in the records: {told:?}");
    }
}

#[test]
fn what_is_drawn_of_peers_is_that_of_the_records() {
    let [.., page] = all();
    let rows = by_hand::rows(&page.samples);
    let row = |label: &str| rows.iter().find(|row| row.n == 9 && row.label == label).unwrap();
    let drawn = page.bars("peers");
    let shown = rows.iter().filter(|row| row.n == 9).count();
    assert_eq!(drawn.len(), shown);
    for (label, value) in &drawn {
        match row(label).ratio(row("ocaml")) {
            _ if label == "ocaml" => assert_eq!(value, "1"),
            None => assert!(label == "java-zgc" && value == "timed out", "{label}: {value}"),
            Some(wanted) => page::rounded(&[wanted.value], value, label),
        }
    }
    // The searches of the one that warms up, in order.
    let points = page.points("warm-up");
    let wanted = row("java-serial").warm_up();
    assert_eq!((points.len(), wanted.len()), (4, 4));
    for (search, (text, wanted)) in (1..).zip(points.iter().zip(wanted)) {
        let told = text.strip_prefix(&format!("java-serial, search {search}: "));
        page::rounded(&[wanted], told.unwrap_or_else(|| panic!("{text}")), text);
    }
}

#[test]
fn the_noise_floor_is_that_of_the_records() {
    for page in all() {
        let rows = by_hand::rows(&page.samples);
        let mut sizes: Vec<u64> = rows.iter().map(|row| row.n).collect();
        sizes.dedup();
        let floors = sizes.iter().filter_map(|&n| Some((n, by_hand::floor(&rows, n)?)));
        let floors: Vec<_> = floors.collect();
        assert!(!floors.is_empty());
        let text = page.text();
        for (n, floor) in floors {
            let start = format!("Noise floor at n = {n}: ");
            let (_, rest) = text.split_once(&start).unwrap_or_else(|| panic!("no '{start}'"));
            let told: f64 = rest.split(' ').next().unwrap().parse().unwrap();
            assert!((told - 100.0 * floor).abs() < 0.06, "n = {n}: {told} %, not {floor}");
        }
    }
}

#[test]
fn the_page_asks_for_nothing_and_fits_into_a_mail() {
    for page in all() {
        assert!(page.size_bytes < 2 << 20, "{} bytes", page.size_bytes);
        assert_eq!(page.external(), [""; 0]);
    }
}

#[test]
fn a_page_that_asks_for_something_is_found_out() {
    for part in [
        "<img src=\"https://example.org/a.png\">",
        "<script src=\"a.js\"></script>",
        "<link rel=\"stylesheet\" href=\"a.css\">",
        "<style>p { background: url(a.png) }</style>",
        "<style>@import 'a.css';</style>",
        "<p style=\"background: url('http://example.org')\">",
        "<svg><use href=\"a.svg#b\"></use></svg>",
        "<svg><image href=\"http://example.org/a\"/></svg>",
        "<meta http-equiv=\"refresh\" content=\"0; url=http://example.org\">",
    ] {
        assert_eq!(Page::new(&Made::page(part)).external().len(), 1, "{part}");
    }
    let sound = "<a href=\"https://example.org\">a</a><svg><use href=\"#a\"></use></svg>\
                 <img src=\"data:image/gif;base64,AA\">";
    assert_eq!(Page::new(&Made::page(sound)).external(), [""; 0]);
}

#[test]
fn hostile_names_are_only_names() {
    let hostile = [
        "<script>alert(1)</script>",
        "</script><img src=x onerror=alert(1)>",
        "\"><img src=x onerror=\"alert(1)",
        "' onmouseover='alert(1)",
        "</style></title></textarea><!--",
        "{{ 7 * 7 }}{% raw %}",
    ];
    let made = |names: &[&str]| {
        let mut records = Vec::new();
        for (i, name) in names.iter().enumerate() {
            for round in 0..7 {
                for control in [false, true] {
                    let ns = 1_000_000 + 1_000 * i as u64 + u64::from(round);
                    let mut record = Record { control, ..sample(name, 8, round, ns) };
                    record.family = (*name).into();
                    record.about = (*name).into();
                    record.capabilities.returns = (*name).into();
                    record.params.insert("nursery".into(), (*name).into());
                    record.command = names[0].into();
                    record.commit = names[0].into();
                    record.machine.processor = names[0].into();
                    if i + 1 == names.len() {
                        record.status = Status::Crashed;
                        record.message = Some((*name).into());
                    }
                    records.push(record);
                }
            }
        }
        Page::new(&Made::of(&records))
    };
    let plain: Vec<String> = (0..hostile.len()).map(|i| format!("name {i}")).collect();
    let plain = made(&plain.iter().map(String::as_str).collect::<Vec<_>>());
    let page = made(&hostile);
    // The same elements as with harmless names, in the same order, and attributes of the same names.
    assert_eq!(page.skeleton(), plain.skeleton());
    let shown = page.rows();
    for name in hostile {
        assert!(shown.contains_key(&(name.to_owned(), 8)), "{name}");
        assert!(page.text().contains(name), "{name}");
    }
    assert_eq!(page.labels().len(), hostile.len());
}

#[test]
fn intervals_by_hand() {
    // Ten values: the second of each end covers 97.9 %, the third 89.1 %, so between the two.
    let values: Vec<f64> = (1..=10).map(f64::from).collect();
    let Interval { value, low, high, samples } = Interval::of(&values).unwrap();
    assert!(value == 5.5 && samples == 10 && (2.0..3.0).contains(&low), "{low}");
    assert!((low + high - 11.0).abs() < 1e-9);
    assert_eq!(Interval::of(&[3.0, 1.0]).unwrap().low, 1.0);
    assert_eq!(Interval::of(&[]), None);
    assert!(Sample::lines("{}").len() == 1);
}
