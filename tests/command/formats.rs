//! The main table as Markdown and as CSV: nothing else on standard output, the rows of the table.

use crate::{command, measured, records};
use std::fs;
use std::path::Path;

/// Standard output and standard error.
fn said(folder: &Path, arguments: &str) -> [String; 2] {
    let output = command(folder, arguments).assert().success().get_output().clone();
    [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
}

/// The values below a title.
fn column(csv: &str, title: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let place = reader.headers().unwrap().iter().position(|it| it == title).unwrap();
    reader.records().map(|line| line.unwrap()[place].to_owned()).collect()
}

/// First words of lines.
fn names(table: &str, skip: usize, count: usize) -> Vec<String> {
    let name = |line: &str| {
        line.trim_matches(['|', ' ']).split_whitespace().next().unwrap().replace('`', "")
    };
    table.lines().skip(skip).take(count).map(name).collect()
}

#[test]
fn the_same_rows_in_the_same_order() {
    let folder = measured("--backend gc,rc,stack,leak --n 4,5 --rounds 6 --sample-time 1ms");
    let path = folder.path();
    let report = "report results/records.jsonl --out o --format";
    let [table, _] = said(path, &format!("{report} table"));
    let [markdown, beside] = said(path, &format!("{report} markdown"));
    let [csv, beside_csv] = said(path, &format!("{report} csv"));
    assert_eq!([&beside, &beside_csv], ["report:  o/report/index.html\n"; 2]);
    let labels = column(&csv, "label");
    assert_eq!(labels.len(), 8);
    assert_eq!((names(&table, 1, 8), names(&markdown, 2, 8)), (labels.clone(), labels));
    assert!(markdown.starts_with("| memory manager | n | time of one search | per cell | "));
    assert!(markdown.contains("| `stack` (problem-specific) | 4 |"), "{markdown}");
    assert!(markdown.contains("\n\n- (parentheses): 95 % intervals"), "{markdown}");
    assert!(markdown.contains("\n- Noise floor at n = 5: "), "{markdown}");
}

#[test]
fn numbers_are_those_of_the_records() {
    let folder = measured("--backend gc,rc --n 5 --rounds 7 --sample-time 1ms");
    let records = records(&folder.path().join("results/records.jsonl"));
    let [csv, _] = said(folder.path(), "report results/records.jsonl --out o --quiet --format csv");
    for (place, backend) in column(&csv, "backend").iter().enumerate() {
        let one = |title| column(&csv, title)[place].clone();
        let number = |title| one(title).parse::<f64>().unwrap();
        let own =
            records.iter().filter(|it| it["backend"] == backend.as_str() && it["control"] == false);
        let mut times: Vec<f64> = own.clone().map(|it| it["wall_ns"].as_f64().unwrap()).collect();
        times.sort_by(f64::total_cmp);
        // The record's median is rounded to whole nanoseconds.
        assert!((number("time_ns") - times[3]).abs() <= 0.5, "{csv}");
        assert!(
            number("time_low_ns") <= number("time_ns")
                && number("time_ns") <= number("time_high_ns")
        );
        let first = own.clone().next().unwrap();
        for field in ["cells_allocated", "rc_increments", "solutions", "n"] {
            assert_eq!(one(field), first[field].to_string(), "{field}");
        }
        assert_eq!(
            (one("rounds"), one("interval"), one("family")),
            ("7".into(), "95 %".into(), first["family"].as_str().unwrap().into())
        );
        assert!(one("params").contains("heap-limit=8GiB") && one("origin").starts_with("nqueens "));
        assert_eq!(one("verdict").is_empty(), backend == "gc");
        // Not asked for.
        assert_eq!((one("instructions"), one("message")), (String::new(), String::new()));
    }
}

#[test]
fn measuring_runs_print_them_too() {
    let folder = tempfile::tempdir().unwrap();
    let run = "--backend gc,rc --n 4 --rounds 1 --sample-time 1ms";
    let [markdown, beside] = said(folder.path(), &format!("{run} --format markdown"));
    assert!(markdown.starts_with("| memory manager | time of one search at n = 4 |"), "{markdown}");
    assert!(!markdown.contains("results/") && beside.contains("report:"), "{markdown}{beside}");
    let [csv, _] = said(folder.path(), &format!("{run} --format csv --quiet"));
    assert_eq!(column(&csv, "n"), ["4", "4"]);
    let [again, _] =
        said(folder.path(), "report results/records.jsonl --out o --quiet --format csv");
    assert_eq!(csv, again);
    let [counted, _] = said(folder.path(), &format!("{run} --counted --format markdown --quiet"));
    assert!(counted.starts_with("| backend | n | solutions | allocated |"), "{counted}");
}

#[test]
fn failures_are_told_in_their_rows() {
    let folder = tempfile::tempdir().unwrap();
    let run = "--backend gc,leak --n 7 --rounds 1 --sample-time 1ms --heap-limit 384KiB --quiet";
    let output = |format: &str| {
        let output = command(folder.path(), &format!("{run} --format {format}")).assert().code(3);
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    let csv = output("csv");
    assert_eq!(column(&csv, "status"), ["ok", "out of memory"]);
    assert!(
        column(&csv, "time_ns")[1].is_empty() && column(&csv, "message")[1].contains("heap limit")
    );
    let markdown = output("markdown");
    assert!(
        markdown.contains("| `leak` | out of memory | ") && markdown.contains("\n- leak, n = 7: ")
    );
}

#[test]
fn hostile_names_stay_text() {
    let folder = measured("--backend gc --n 4 --rounds 1 --sample-time 1ms");
    let path = folder.path();
    let text = fs::read_to_string(path.join("results/records.jsonl")).unwrap();
    let text = text.replace("\"backend\":\"gc\"", r#""backend":"=a|b`<i>\n\"c\", d""#);
    fs::write(path.join("hostile"), text).unwrap();
    let [csv, _] = said(path, "report hostile --out o --quiet --format csv");
    assert_eq!(column(&csv, "backend"), ["'=a|b`<i>\u{fffd}\"c\", d"]);
    let [markdown, _] = said(path, "report hostile --out o --quiet --format markdown");
    let line = markdown.lines().nth(2).unwrap();
    assert!(line.contains("<code>&#61;a&#124;b&#96;&#60;i&#62;\u{fffd}"), "{markdown}");
    assert_eq!(line.matches('|').count(), markdown.lines().next().unwrap().matches('|').count());
}
