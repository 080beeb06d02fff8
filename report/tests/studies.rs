//! The allocation studies: summarised by themselves, and shown beside n-queens, which stays what it is.

mod common;

use common::pages::{between, files, page, without_drawings};
use common::{small_study, studies, study_named};
use report::document;
use report::studies::{Both, View, by_study, sentences, split, views};
use report::table::{study_csv, study_markdown, study_table};
use report::{CounterSource, Counters, Record, Status, Summary, Verdict};
use std::collections::BTreeSet;

fn seen(records: &[Record]) -> Vec<View> {
    views(records, None).unwrap()
}

#[test]
fn views_come_in_order_each_with_its_own_baseline() {
    let mut records = studies();
    records.reverse();
    let views = seen(&records);
    let names = views.iter().map(|view| {
        let baseline = view.summary.baseline.as_deref().unwrap();
        format!("{} {} {} {}: {baseline}", view.study, view.n, view.workload, view.phase)
    });
    assert_eq!(
        names.collect::<Vec<_>>(),
        [
            "pointers 1 window object: box",
            "pointers 1000 window object: box",
            "burst 10000 vector insert: malloc",
            "burst 10000 vector erase: malloc",
            "burst 10000 vector destroy: malloc",
            "burst 10000 list insert: malloc",
            "burst 10000 list erase: malloc",
            "burst 10000 list destroy: malloc",
            "growth 1 int push: vec",
            "growth 1 class push: vec",
            "growth 64 int push: vec",
            "growth 64 class push: vec",
        ]
    );
    assert!(views.iter().all(|view| view.floor().is_some_and(|floor| floor < 0.03)));
}

/// By hand: split takes 29.4 ns, box 14.1, each within 1 % of it.
#[test]
fn times_are_of_one_operation() {
    let views = seen(&study_named("pointers"));
    let view = &views[0];
    let (split, base) = (view.find("split").unwrap(), view.find("box").unwrap());
    let ns = view.ns(split).unwrap();
    assert!((29.1..29.7).contains(&ns.value) && ns.low < ns.value && ns.value < ns.high, "{ns:?}");
    let (ratio, verdict) = view.compare(split, base).unwrap();
    assert!((2.04..2.13).contains(&ratio.value), "{ratio:?}");
    assert!(matches!(verdict, Verdict::Slower { .. }));
    assert_eq!(view.figure(split, "allocations_per_object"), Some(2.0));
    assert_eq!(view.figure(split, "capacity"), None);
    assert!(view.is_peer(view.find("ptr-std-make").unwrap()) && !view.is_peer(split));
}

/// One sample of a row does half as many operations, in half the time: nothing changes.
#[test]
fn a_sample_of_fewer_operations_counts_as_if_it_had_as_many() {
    let mut records = study_named("growth");
    let before = seen(&records);
    let half = records.iter_mut().filter(|record| record.backend == "copy");
    for phase in half.flat_map(|record| &mut record.study.as_mut().unwrap().phases) {
        phase.operations /= 2;
        phase.iterations_ns.iter_mut().for_each(|ns| *ns /= 2);
    }
    for (before, after) in before.iter().zip(&seen(&records)) {
        let ns = |view: &View| view.ns(view.find("copy").unwrap()).unwrap().value;
        assert!((ns(before) - ns(after)).abs() < 1e-3, "{} {}", ns(before), ns(after));
    }
}

#[test]
fn what_failed_is_shown_as_failed() {
    let mut records = study_named("burst");
    for record in records.iter_mut().filter(|record| record.backend == "pool") {
        record.status = Status::Crashed;
        record.message = Some("signal 11".into());
        record.study.as_mut().unwrap().phases.clear();
        record.iterations_ns.clear();
    }
    let views = seen(&records);
    assert_eq!(views.len(), 6);
    for view in &views {
        let row = view.labelled("pool").unwrap();
        assert_eq!((row.status, row.time_ns), (Status::Crashed, None));
        assert_eq!(view.figure(row, "node_bytes"), None);
    }
    let table = study_table(&views, 120);
    assert!(sentences(&views).join("\n").contains("Failed: pool (crashed)."));
    assert!(table.contains("\npool: crashed: signal 11\n"), "{table}");
    // Nothing but failures has a view too.
    records.retain(|record| record.backend == "pool");
    assert!(study_table(&seen(&records), 80).contains("pool: crashed: signal 11"));
}

#[test]
fn kinds_are_summarised_apart() {
    let queens = small_study();
    let both: Vec<Record> = studies().into_iter().chain(queens.clone()).collect();
    let (of_queens, of_studies) = split(&both);
    assert_eq!((&of_queens[..], of_studies.len()), (&queens[..], studies().len()));
    let told = Both::new(&both, None).unwrap();
    assert_eq!(told.summary, Summary::new(&queens, None).unwrap());
    assert_eq!(told.views, seen(&studies()));
    assert!(!told.only_studies());
    // A baseline of one kind leaves the other its own; `gc` is of both.
    let of = |name| {
        let told = Both::new(&both, Some(name)).unwrap();
        [Some(&told.summary), told.views.first().map(|view| &view.summary)]
            .map(|summary| summary.unwrap().baseline.clone().unwrap())
    };
    assert_eq!(of("stack"), ["stack", "box"]);
    assert_eq!(of("split"), ["gc", "split"]);
    assert_eq!(of("gc"), ["gc", "gc"]);
    let wrong = Both::new(&both, Some("nothing")).unwrap_err().to_string();
    assert!(wrong.contains("give one of: stack, "), "{wrong}");
    let only = studies();
    assert!(Both::new(&only, None).unwrap().only_studies());
    let wrong = Both::new(&only, Some("nothing")).unwrap_err().to_string();
    assert!(wrong.contains("box"), "{wrong}");
}

#[test]
fn tables_of_the_studies() {
    let views = seen(&studies());
    insta::assert_snapshot!("tables", study_table(&views, 160));
    insta::assert_snapshot!("tables_narrow", study_table(&views, 80));
    insta::assert_snapshot!("markdown", study_markdown(&views));
    for width in [80, 100, 120, 160] {
        let table = study_table(&views, width);
        let long = table.lines().find(|line| line.chars().count() > width.into());
        assert_eq!(long, None, "{width}");
        let lines = table.lines().filter(|line| line.starts_with("mimalloc "));
        assert_eq!(lines.count(), 6, "{width}: nothing is wrapped");
    }
    let csv = study_csv(&views);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: usize = views.iter().map(|view| view.summary.rows.len()).sum();
    assert_eq!(reader.records().map(Result::unwrap).count(), rows);
    let line =
        csv.lines().find(|line| line.starts_with("growth,64,class,push,growth-v2,")).unwrap();
    assert!(line.contains(",C++,ok,640000,7,95 %,"), "{line}");
    assert!(line.contains("capacity=16384; expansions=12; new_blocks=1"), "{line}");
    assert_eq!(study_table(&[], 80) + &study_markdown(&[]), "");
}

/// The section of a page, without drawings.
fn section(page: &str) -> String {
    without_drawings(between(page, "<section id=\"studies\">", "<section id=\"claims\">"))
}

#[test]
fn n_queens_is_the_same_beside_studies() {
    let both: Vec<Record> = small_study().into_iter().chain(studies()).collect();
    let (alone, beside) = (files(&small_study()), files(&both));
    let added: Vec<&str> =
        beside.keys().filter(|name| !alone.contains_key(*name)).map(String::as_str).collect();
    let drawn = ["burst", "growth", "pointers"]
        .map(|study| ["png", "svg"].map(|end| format!("study-{study}.{end}")));
    assert_eq!(added, drawn.as_flattened());
    for (name, bytes) in alone.iter().filter(|(name, _)| *name != "index.html") {
        assert!(*bytes == beside[name], "{name}");
    }
    let [alone, beside] = [alone, beside]
        .map(|mut files| String::from_utf8(files.remove("index.html").unwrap()).unwrap());
    // All but the section, the claims, the style and the account of the run.
    for (from, to) in [
        ("<section id=\"answer\">", "</section>"),
        ("<section id=\"results\">", "<section id=\"machine\">"),
    ] {
        assert_eq!(between(&alone, from, to), between(&beside, from, to), "{from}");
    }
    assert!(!alone.contains("id=\"studies\"") && beside.contains("<a href=\"#studies\">"));
    assert!(beside.len() < 2 << 20, "{} bytes", beside.len());
}

#[test]
fn a_page_of_studies_alone_has_nothing_of_n_queens() {
    let page = page(&studies());
    for part in ["answer", "results", "backends"] {
        assert!(!page.contains(&format!("id=\"{part}\"")), "{part}");
    }
    for part in ["studies", "study-burst-900-title", "claims", "method", "machine"] {
        assert!(page.contains(&format!("id=\"{part}\"")), "{part}");
    }
    for wrong in ["no measurements", "nothing to draw", "queens", "Reference counting or"] {
        assert!(!page.contains(wrong), "{wrong}");
    }
    assert!(page.contains("<h1>Allocation studies</h1>"));
    assert_eq!(page.matches(">Allocation studies</h").count(), 1);
    assert!(!page.contains("than that of the page"));
}

#[test]
fn the_section_of_the_studies() {
    insta::assert_snapshot!("section", section(&page(&studies())));
}

#[test]
fn what_the_numbers_mean() {
    let views = seen(&studies());
    let told = by_study(&views).map(|views| {
        let lines = [vec![format!("# {}", views[0].study)], sentences(views)].concat();
        lines.join("\n")
    });
    insta::assert_snapshot!("sentences", told.collect::<Vec<_>>().join("\n\n"));
}

/// Each row taken away leaves sentences that say nothing of it.
#[test]
fn sentences_are_there_where_their_rows_are() {
    let records = studies();
    let names: BTreeSet<&str> = records.iter().map(|record| record.backend.as_str()).collect();
    for name in names {
        let mut left = records.clone();
        left.retain(|record| record.backend != name);
        let views = seen(&left);
        for text in by_study(&views).flat_map(sentences) {
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '-');
            // What takes the place of malloc is called so where that row is not there.
            let own = name != "malloc";
            assert!(!own || words.into_iter().all(|word| word != name), "{name}: {text}");
            assert!(!text.contains("NaN") && !text.contains("  "), "{text}");
        }
    }
    assert!(sentences(&[]).is_empty());
}

/// Two rows that differ by less than the noise floor do not differ.
#[test]
fn within_the_noise_floor_nothing_is_said_to_be_slower() {
    let mut records = study_named("pointers");
    for record in records.iter_mut().filter(|record| record.control) {
        let study = record.study.as_mut().unwrap();
        study.phases[0].iterations_ns.iter_mut().for_each(|ns| *ns = *ns * 112 / 100);
    }
    let views = seen(&records);
    let told = sentences(&views).join("\n");
    assert!(
        told.contains(
            "made and given up, and shows no difference from a Box (16.0 ns) above the noise floor of 1"
        ),
        "{told}"
    );
    assert!(told.contains("The noise floor is 1"), "{told}");
}

fn told(records: &[Record]) -> String {
    sentences(&seen(records)).join("\n")
}

/// Only the counts say whether a block grew in place.
#[test]
fn growth_in_place_has_no_part_in_what_new_blocks_differ_by() {
    let mut records = study_named("growth");
    let sentence = |records: &[Record], start: &str| {
        let told = told(records);
        told.lines().find(|line| line.starts_with(start)).map(str::to_owned)
    };
    let pays = sentence(&records, "Growth in place pays, beside growth").unwrap();
    assert!(pays.contains("for one int vector, ") && !pays.contains("64 "), "{pays}");
    let moved =
        sentence(&records, "Where most growths took a new block all the same, beside growth")
            .unwrap();
    assert!(moved.contains("expand 0.160 and copy 1.33 for 64 int vectors in turn"), "{moved}");
    for record in &mut records {
        record.study.as_mut().unwrap().figures.clear();
    }
    assert_eq!(sentence(&records, "Growth in place"), None);
    assert!(sentence(&records, "What grew in place was not counted; ").is_some());
}

const ADVICE: [&str; 5] =
    ["does as well", "pays even where", "Whether an allocator", "is as good", "can save time"];

/// Where the noise is loud, no difference is told, and no advice follows from that.
#[test]
fn loud_or_few_rounds_give_no_advice() {
    for study in ["burst", "growth"] {
        let records = study_named(study);
        assert!(ADVICE.iter().any(|advice| told(&records).contains(advice)), "{study}");
        let mut loud = records.clone();
        let controls = loud.iter_mut().filter(|record| record.control);
        for phase in controls.flat_map(|record| &mut record.study.as_mut().unwrap().phases) {
            phase.iterations_ns.iter_mut().for_each(|ns| *ns *= 30);
        }
        let mut few = records.clone();
        few.retain(|record| record.round < 3);
        let mut one = records;
        one.retain(|record| record.round == 0);
        let [loud, few, one] = [loud, few, one].map(|records| told(&records));
        for text in [&loud, &few, &one] {
            assert!(!ADVICE.iter().any(|advice| text.contains(advice)), "{text}");
        }
        assert!(loud.contains(" shows no difference from ") && !loud.contains(" times as "));
        assert_eq!(few.matches(" times as ").count(), few.matches("range of 3 rounds: ").count());
        assert_eq!(one.matches(" times as ").count(), one.matches("one round)").count(), "{one}");
        assert!(!few.contains("95 %:") && few.contains("fewer than 6 rounds"), "{few}");
    }
}

#[test]
fn several_machines_are_not_compared() {
    let mut records = study_named("growth");
    let of_class = |record: &&mut Record| record.params["workload"] == "class";
    for record in records.iter_mut().filter(of_class) {
        record.machine.processor = "Another".into();
    }
    assert_eq!(
        told(&records),
        "The samples come from several programs or machines: see the table."
    );
}

#[test]
fn the_noise_floor_is_that_of_the_views_that_have_one() {
    let mut records = study_named("pointers");
    records.retain(|record| !(record.control && record.n == 1));
    let text = told(&records);
    assert!(text.contains("The noise floor is 1.2 % (box against itself)"), "{text}");
    assert!(text.contains(" Where no row was entered twice, it is unknown."), "{text}");
    records.retain(|record| !record.control);
    assert!(told(&records).contains("No row was entered twice, so"));
}

#[test]
fn a_row_that_failed_in_two_ways_is_told_where() {
    let mut records = study_named("burst");
    for record in records.iter_mut().filter(|record| record.backend == "pool") {
        let list = record.params["workload"] == "list";
        record.status = if list { Status::OutOfMemory } else { Status::Crashed };
    }
    let text = told(&records);
    assert!(text.contains("Failed: pool (out of memory: list; crashed: vector)."), "{text}");
}

/// By hand: 37 instructions of each of 999,999 operations. An iteration of several phases has more in it.
#[test]
fn instructions_are_of_one_operation_of_the_only_phase() {
    let mut records = studies();
    for record in records.iter_mut().filter(|record| record.round == 0) {
        let operations = record.study.as_ref().unwrap().phases[0].operations;
        record.counters = vec![Counters {
            instructions: Some(37 * operations),
            ..Counters::none(CounterSource::Callgrind)
        }];
    }
    let views = seen(&records);
    let base = views[0].find("box").unwrap();
    assert_eq!(views[0].instructions(base), Some((37.0, CounterSource::Callgrind)));
    assert_eq!(views[0].instructions(views[0].find("ptr-std-make").unwrap()), None);
    let of = |study: &str| study_table(document::study(&views, study), 160);
    assert!(of("pointers").contains(" instr/op ") && of("growth").contains(" 37.0 "));
    assert!(of("growth").contains("\ninstr/op: of one whole iteration, counted by callgrind\n"));
    assert!(!of("burst").contains("instr/op"));
    assert_eq!(of("burst").matches("insert verdict").count(), 2);
    assert!(study_csv(&views).contains(",37,"));
}

#[test]
fn hostile_studies_stay_text() {
    let hostile = "</script><!--<script>alert('\"&{{ 7*7 }}{% x %}\u{1b}[31m\u{202e}../../x";
    let mut records = study_named("burst");
    for (i, record) in records.iter_mut().enumerate() {
        let study = record.study.as_mut().unwrap();
        study.name = hostile.into();
        study.size = hostile.into();
        study.figures = [(hostile.to_owned(), f64::INFINITY), (String::new(), -0.0)].into();
        study.phases.iter_mut().for_each(|phase| phase.name.push_str(hostile));
        record.params.insert("workload".into(), hostile.into());
        record.backend.push_str(hostile);
        if i % 7 == 0 {
            study.phases.iter_mut().for_each(|phase| phase.operations = 0);
        }
        if i % 11 == 0 {
            record.message = Some(hostile.into());
            record.status = Status::WrongAnswer;
        }
    }
    let mut other = records.clone();
    other.iter_mut().for_each(|record| record.study.as_mut().unwrap().name += "2");
    records.extend(other);
    for (name, bytes) in files(&records) {
        let text = String::from_utf8_lossy(&bytes);
        let own = if name == "index.html" { 2 } else { 0 };
        let is_text = !name.ends_with("png");
        for tag in ["<script", "</script"] {
            assert!(!is_text || text.matches(tag).count() == own, "{name}: {tag}");
        }
        assert!(!is_text || !text.contains("<!--") && !text.contains('\u{1b}'), "{name}");
    }
    let views = seen(&records);
    assert!(!(study_table(&views, 80) + &study_markdown(&views)).contains('\u{1b}'));
}

#[test]
fn a_study_within_a_document() {
    let views = seen(&studies());
    let growth = document::study(&views, "growth");
    let text = document::study_section(growth, Some("docs/growth chart.png"));
    assert!(text.starts_with("![Bars in panels, nanoseconds of one operation, fastest first. "));
    assert!(
        text.contains("](docs/growth%20chart.png \"Growth: a vector that grows in place\")\n\n")
    );
    assert!(text.contains("\n\nGrowth in place pays, beside growth that copies, "), "{text}");
    assert_eq!(text.matches("| `growth-v2` | C++ | ").count(), 4, "{text}");
    assert!(text.contains("<sub>Made by `rc-vs-gc study growth --peers all`; on A Processor 3000"));
    assert!(document::study_chart(growth).is_some());
    let none = document::study(&views, "pointer");
    assert!(none.is_empty() && document::study_chart(none).is_none());
    assert!(document::study_section(none, Some("a.png")).starts_with("There are no measurements"));
}
