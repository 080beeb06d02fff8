//! Records of threads: their tables, their part of the page and of documents, and that nothing else is changed
//! by them. The numbers are recomputed from the lines of the record file.

#[path = "recompute/by_hand.rs"]
#[allow(dead_code, reason = "intervals are all that is needed here")]
mod by_hand;
mod common;
#[path = "threads/notes.rs"]
mod notes;
#[path = "recompute/page.rs"]
#[allow(dead_code, reason = "numbers in texts are all that is needed here")]
mod page;

use by_hand::Interval;
use common::pages::{between, page, without_drawings};
use common::threads::{Setting, TWO_CORES, only, shared, split, throughput};
use report::studies::Both;
use report::{Comparison, Record, Status, document, table, write_record};
use scraper::{Html, Selector};
use serde_json::Value;
use std::collections::BTreeMap;

const FEW: [&str; 4] = ["gc", "stack", "malloc", "arc-value"];

/// The three modes, of four backends, one of which fails where threads share a core.
fn three_modes() -> Vec<Record> {
    let all = [throughput(TWO_CORES), split(TWO_CORES), shared(TWO_CORES)].concat();
    let mut records = only(all, &FEW);
    for record in &mut records {
        if record.backend == "malloc" && record.threads == 8 {
            record.status = Status::OutOfMemory;
            record.message = Some("heap limit 128 MiB reached, 128 MiB live".into());
            record.solutions = None;
            record.wall_ns = None;
            record.iterations_ns.clear();
            record.parallel = None;
        }
    }
    records
}

#[test]
fn tables_of_threads() {
    let records = three_modes();
    let both = Both::new(&records, None).unwrap();
    assert!(!both.has_queens());
    for width in [80, 120] {
        let text = table::threads_table(&both.threads, width);
        assert!(text.lines().all(|line| line.chars().count() <= width.into()), "{text}");
        // One line a row: nothing is wrapped.
        assert_eq!(text.lines().filter(|line| line.starts_with("arc-value")).count(), 8 + 12);
    }
    let wide = table::threads_table(&both.threads, 120);
    // A mode and a depth are told once, above.
    let repeated = ["mode=", "split-depth=", "threads="];
    assert!(!repeated.iter().any(|told| wide.contains(told)), "{wide}");
    insta::assert_snapshot!("tables", wide);
    insta::assert_snapshot!("counts", table::threads_counts_table(&both.threads, 200));
    insta::assert_snapshot!("markdown", table::threads_markdown(&both.threads));
    let csv = table::threads_csv(&both.summary, &both.threads);
    insta::assert_snapshot!("csv", csv.lines().take(12).collect::<Vec<_>>().join("\n"));
}

#[test]
fn two_sizes_have_a_column_and_a_noise_floor_each() {
    let smaller = Setting { n: 8, ..TWO_CORES };
    let records = only([split(smaller), split(TWO_CORES)].concat(), &["gc", "rc"]);
    let both = Both::new(&records, None).unwrap();
    let text = table::threads_table(&both.threads, 120);
    assert!(text.starts_with("split, split depth 2: one search"), "{text}");
    assert!(text.contains("backend  n  threads  "), "{text}");
    for n in [8, 9] {
        assert!(text.contains(&format!("\nNoise floor at n = {n}: ")), "{text}");
    }
}

#[test]
fn csv_has_the_rows_of_one_thread_before_those_of_threads() {
    let alone = common::small_study();
    let records = [alone.clone(), three_modes()].concat();
    let both = Both::new(&records, None).unwrap();
    let text = table::threads_csv(&both.summary, &both.threads);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let titles = reader.headers().unwrap().clone();
    let lines: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let plain = table::results_csv(&both.summary);
    let mut plain_reader = csv::Reader::from_reader(plain.as_bytes());
    let plain_titles = plain_reader.headers().unwrap().clone();
    assert!(titles.iter().zip(&plain_titles).all(|(a, b)| a == b));
    let plain: Vec<csv::StringRecord> = plain_reader.records().map(Result::unwrap).collect();
    for (line, plain) in lines.iter().zip(&plain) {
        assert!(line.iter().zip(plain).all(|(a, b)| a == b), "{line:?}");
    }
    let column = |title: &str| titles.iter().position(|it| it == title).unwrap();
    let of_threads = &lines[plain.len()..];
    assert_eq!(of_threads.len(), 16 + 16 + 4 * 9);
    assert!(lines[..plain.len()].iter().all(|line| &line[column("threads")] == "1"));
    let marked = of_threads.iter().filter(|line| &line[column("oversubscribed")] == "yes");
    assert_eq!(marked.count(), of_threads.len() / 2);
    let modes: Vec<&str> = of_threads.iter().map(|line| &line[column("mode")]).collect();
    assert!(modes.contains(&"throughput") && modes.contains(&"shared"), "{modes:?}");
}

#[test]
fn the_page_of_threads_alone() {
    let text = page(&three_modes());
    let text = without_drawings(&text);
    assert!(text.contains("<title>Threads: what they cost each memory manager</title>"));
    for id in ["answer", "results", "claims", "studies", "peers"] {
        assert!(!text.contains(&format!("<section id=\"{id}\"")), "{id}");
    }
    let section = between(&text, "<section id=\"threads\">", "<section id=\"backends\">");
    insta::assert_snapshot!("page", section);
}

/// The parts of a page that are of one thread, with their drawings.
fn sections(page: &str) -> Vec<String> {
    const OTHERS: [&str; 4] = ["threads", "backends", "method", "machine"];
    let document = Html::parse_document(page);
    let sections = Selector::parse("main > section, header > section").unwrap();
    let all = document.select(&sections);
    let told = all.filter(|section| !OTHERS.contains(&section.attr("id").unwrap()));
    told.map(|section| section.html()).collect()
}

/// All that is told of one thread is told in the same words, and drawn in the same lines, beside threads.
#[test]
fn nothing_of_one_thread_is_changed_by_threads() {
    let alone = [common::small_study(), common::peers()].concat();
    let few = Setting { threads: &[1, 2], ..TWO_CORES };
    let of_threads = only([throughput(few), shared(few)].concat(), &["gc", "stack"]);
    let (before, after) = (page(&alone), page(&[alone.clone(), of_threads].concat()));
    let start = "<section id=\"threads\">";
    assert!(after.contains(start) && !before.contains(start));
    let (told, same) = (sections(&before), sections(&after));
    assert!(told.len() > 10, "{}", told.len());
    // Not assert_eq, which would print the drawings.
    assert!(told == same, "a section is another one");
    let ratios = |page: &str| between(page, "id=\"ratios\">", "</script>").to_owned();
    assert_eq!(ratios(&before), ratios(&after));
    // Without a mode there is one more chart, and it is in the section too.
    let mut several: Vec<Record> = alone.clone();
    several.retain(|record| record.peer.is_none() && record.n == 9);
    let more = several.into_iter().map(|mut record| {
        record.iterations_ns.iter_mut().for_each(|ns| *ns /= 2);
        Record { threads: 2, ..record }
    });
    let after = page(&[alone, more.collect()].concat());
    assert!(told == sections(&after), "a section is another one, of records without a mode");
    let threads = between(&after, start, "<section id=\"peers\">");
    assert!(threads.contains("<section id=\"time-against-threads\">"));
}

#[test]
fn documents_have_a_place_for_each_mode() {
    let records = three_modes();
    let both = Both::new(&records, None).unwrap();
    insta::assert_snapshot!("headline", document::threads_headline(&both.threads));
    let blocks = document::mode(&both.threads, "split");
    insta::assert_snapshot!("section", document::mode_section(blocks, Some("docs/split.png")));
    let chart = |mode: &str| {
        let blocks = document::mode(&both.threads, mode);
        document::mode_chart(blocks).map(|chart| chart.file_stem())
    };
    for mode in ["throughput", "split", "shared"] {
        assert_eq!(chart(mode), Some(format!("threads-{mode}")));
    }
    assert_eq!(chart("other"), None);
    let none = document::mode_section(document::mode(&both.threads, "other"), Some("a.png"));
    assert_eq!(none, "There are no measurements of this mode in these records.\n");
    let none = document::threads_headline(&[]);
    assert_eq!(none, "There are no measurements of threads in these records.\n");
    // Of several depths each has its table, and each sentence its depth.
    let mut deeper = only(split(TWO_CORES), &["gc", "rc"]);
    deeper.iter_mut().for_each(|r| _ = r.params.insert("split-depth".into(), "3".into()));
    let records = [records, deeper].concat();
    let both = Both::new(&records, None).unwrap();
    let blocks = document::mode(&both.threads, "split");
    let text = document::mode_section(blocks, None);
    assert!(
        text.starts_with("At depth 2: With 2 threads") && text.contains("\n\nAt depth 3: With")
    );
    assert!(text.contains("**split, split depth 3, n = 9**"), "{text}");
    // Of both the one with more rows.
    let stem = document::mode_chart(blocks).map(|chart| chart.file_stem());
    assert_eq!(stem.as_deref(), Some("threads-split-depth-2"));
}

#[test]
fn two_runs_are_compared_row_by_row() {
    let before = only(shared(TWO_CORES), &["gc", "arc-value"]);
    let mut after = before.clone();
    for record in &mut after {
        let counted = record.params["lists"] == "counted" && record.threads == 8;
        let by = if counted { 2 } else { 1 };
        record.iterations_ns.iter_mut().for_each(|ns| *ns = *ns * by + 10);
    }
    let comparison = Comparison::new(&before, &after).unwrap();
    let labels: Vec<&str> = comparison.rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(comparison.rows.len(), 20);
    assert!(labels.iter().all(|label| !label.contains("mode=") && !label.contains("depth=")));
    let slower: Vec<&str> = comparison.slower_than(0.05).map(|row| row.label.as_str()).collect();
    assert_eq!(slower, ["arc-value{lists=counted,threads=8}"]);
    // Each number of threads has its own noise floor, which is told.
    let remarks = comparison.remarks.iter();
    let floors = remarks.filter(|remark| remark.contains("noise floor at n = 9 with "));
    assert_eq!(floors.count(), 4, "{:?}", comparison.remarks);
    let text = comparison.table(120);
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    // Threads come in their order, and rows of others are not theirs.
    let many = Setting { threads: &[2, 16, 128], cores: 128, ..TWO_CORES };
    let many = only(split(many), &["gc"]);
    let comparison = Comparison::new(&many, &many).unwrap();
    let labels: Vec<&str> = comparison.rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels, ["gc{threads=2}", "gc{threads=16}", "gc{threads=128}"]);
    assert!(Comparison::new(&many, &only(split(TWO_CORES), &["rc"])).is_err());
}

/// One configuration with one number of threads: its times and processor times by round.
type Samples = BTreeMap<(String, u64), BTreeMap<u64, (f64, f64)>>;

/// From plain JSON, by mode.
fn by_mode(records: &[Record]) -> BTreeMap<String, Samples> {
    let mut modes: BTreeMap<String, Samples> = BTreeMap::new();
    for record in records {
        let mut line = Vec::new();
        write_record(&mut line, record).unwrap();
        let json: Value = serde_json::from_slice(&line).unwrap();
        if json["control"] == true || json["status"] != "ok" {
            continue;
        }
        let params = &json["params"];
        let label = match params["lists"].as_str() {
            None => json["backend"].as_str().unwrap().to_owned(),
            Some(lists) => format!("{}{{lists={lists}}}", json["backend"].as_str().unwrap()),
        };
        let middle = |times: &Value| {
            let mut times: Vec<f64> =
                times.as_array().unwrap().iter().map(|ns| ns.as_f64().unwrap()).collect();
            times.sort_by(f64::total_cmp);
            assert_eq!(times.len(), 3);
            times[1]
        };
        let times = (middle(&json["iterations_ns"]), middle(&json["parallel"]["cpu_ns"]));
        let mode = modes.entry(params["mode"].as_str().unwrap().to_owned()).or_default();
        let threads = json["threads"].as_u64().unwrap();
        mode.entry((label, threads)).or_default().insert(json["round"].as_u64().unwrap(), times);
    }
    modes
}

#[test]
fn the_numbers_of_the_page_are_those_of_the_records() {
    let records = three_modes();
    let html = page(&records);
    let document = Html::parse_document(&html);
    let select = |selector: &str| Selector::parse(selector).unwrap();
    let text = |it: scraper::ElementRef| it.text().collect::<String>().trim().to_owned();
    let mut looked = 0;
    for (place, mode) in (1..).zip(["throughput", "split", "shared"]) {
        let samples = &by_mode(&records)[mode];
        let table = format!("#threads-mode-{place} > .box > table");
        let table = document.select(&select(&table)).next().unwrap();
        let titles: Vec<String> = table.select(&select("thead th")).map(text).collect();
        let column = |title: &str| titles.iter().position(|it| it == title).unwrap();
        for row in table.select(&select("tbody tr")) {
            let cells: Vec<String> = row.select(&select("th, td")).map(text).collect();
            let threads: u64 = cells[column("threads")].trim_end_matches('*').parse().unwrap();
            assert_eq!(cells[column("threads")].ends_with('*'), threads > 2, "{cells:?}");
            let label = &match mode {
                "shared" => format!("{}{{lists={}}}", cells[0], cells[column("lists")]),
                _ => cells[0].clone(),
            };
            let Some(own) = samples.get(&(label.clone(), threads)) else {
                assert!(label.starts_with("malloc") && threads == 8, "{label} {threads}");
                assert_eq!(cells[column("median time")], "out of memory");
                assert_eq!(cells[column("speed-up")], "-");
                continue;
            };
            let alone = &samples[&(label.clone(), 1)];
            let searches = if mode == "throughput" { threads as f64 } else { 1.0 };
            let logs = own.iter().map(|(round, (ns, _))| (searches * alone[round].0 / ns).ln());
            let logs = Interval::of(&logs.collect::<Vec<_>>()).unwrap();
            let place = format!("{mode}, {label}, {threads}");
            let speed_up = &cells[column("speed-up")];
            if threads == 1 {
                assert_eq!(speed_up, "1", "{place}");
            } else {
                // The bootstrap's ends differ a little from these.
                let told = page::numbers(speed_up);
                let ends = [(logs.value, 0.0), (logs.low, 0.02), (logs.high, 0.02)];
                for (told, (log, part)) in told.iter().zip(ends) {
                    let wanted = log.exp();
                    let width = (logs.high - logs.low).max(1e-9);
                    let margin = told.half_a_digit * 1.001 + part * width;
                    let off = (told.value - wanted).abs();
                    assert!(off <= margin, "{place}: {speed_up}, not {wanted}");
                }
            }
            let efficiency = &cells[column("efficiency")];
            page::rounded(&[logs.value.exp() / threads as f64], efficiency, &place);
            let middle = |values: Vec<f64>| Interval::of(&values).unwrap().value;
            let cpu_ns = middle(own.values().map(|(_, cpu)| cpu / searches).collect());
            page::rounded(&[cpu_ns], &cells[column("CPU time")], &place);
            let growth = own.iter().map(|(round, (_, cpu))| (cpu / searches / alone[round].1).ln());
            page::rounded(&[middle(growth.collect()).exp()], &cells[column("CPU growth")], &place);
            // Ratios are to the baseline with as many threads.
            let base = if mode == "shared" { "gc{lists=copied}" } else { "gc" };
            let ratio = &cells[column(if mode == "shared" { "ratio" } else { "time/gc" })];
            if label != base {
                let base = &samples[&(base.to_owned(), threads)];
                let logs = own.iter().map(|(round, (ns, _))| (ns / base[round].0).ln());
                page::rounded(&[middle(logs.collect()).exp()], ratio, &place);
            } else {
                assert_eq!(ratio, "1", "{place}");
            }
            looked += 1;
        }
    }
    assert_eq!(looked, 15 + 15 + 4 * 9 - 2);
}

#[test]
fn hostile_modes_stay_text() {
    let hostile = "</script><script>alert('\"&{{ 7*7 }}{% x %}\u{1b}[31m";
    let mut records = only(shared(TWO_CORES), &["gc", "rc"]);
    for record in &mut records {
        for name in ["mode", "split-depth", "lists"] {
            record.params.insert(name.into(), hostile.into());
        }
        record.backend = format!("{hostile}{}", record.backend);
        record.machine.processor = hostile.into();
    }
    let text = page(&records);
    // Two of its own.
    assert_eq!(text.matches("<script").count(), 2);
    assert!(!text.contains('\u{1b}'));
    let both = Both::new(&records, None).unwrap();
    let told = [
        table::threads_table(&both.threads, 120),
        table::threads_counts_table(&both.threads, 120),
        table::threads_markdown(&both.threads),
        table::threads_csv(&both.summary, &both.threads),
        document::mode_section(&both.threads, None),
    ];
    for text in told {
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
