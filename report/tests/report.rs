//! The page, the charts' files and the table, from a fixed record file and from degenerate ones.

mod common;

use common::pages::{between, page, written};
use common::sample;
use data_encoding::BASE64;
use report::document::section;
use report::table::{
    counters_table, counts_table, overall_table, pauses_table, results_csv, results_markdown,
    results_table,
};
use report::{Record, ReportOptions, Status, Summary, read_records, write_report};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// Four backends, two sizes, three rounds, an A/A pair, counted samples, one out of memory.
fn fixed() -> Vec<Record> {
    read_records(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records.jsonl")).unwrap()
}

#[test]
fn a_narrow_table_leaves_columns_out() {
    let summary = Summary::new(&fixed(), None).unwrap();
    let table = results_table(&summary, 80);
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert!(table.contains("1.38 ms [1.37-1.40]") && table.contains("left out"), "{table}");
    // What the ratio says stays longest, and every row keeps to its line.
    let titles = table.lines().next().unwrap();
    assert!(titles.ends_with("time/gc  verdict") && !titles.contains("solutions"), "{table}");
    assert!(table.contains("  too few rounds\n"), "{table}");
    assert!(results_table(&summary, 120).contains("heap peak"));
    assert!(!results_table(&summary, 150).contains("left out"));
    assert!(counts_table(&summary, 80).lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn a_long_name_of_the_baseline_is_told_below() {
    let mut records = Vec::new();
    for (round, nursery) in (0..6).flat_map(|round| [(round, "8KiB"), (round, "256KiB")]) {
        let mut record = sample("gc", 8, round, 1000 + u64::from(round));
        record.params.insert("nursery".into(), nursery.into());
        records.push(record);
    }
    let summary = Summary::new(&records, Some("gc{nursery=256KiB}")).unwrap();
    let table = results_table(&summary, 80);
    assert!(table.lines().next().unwrap().contains(" ratio  "), "{table}");
    assert!(table.contains("\nratio: time over that of gc{nursery=256KiB} at the same n\n"));
    let short = results_table(&Summary::new(&fixed(), None).unwrap(), 80);
    assert!(!short.contains("ratio:") && short.contains("time/gc"), "{short}");
}

#[test]
fn tables_of_the_fixed_records() {
    let summary = Summary::new(&fixed(), None).unwrap();
    insta::assert_snapshot!("results", results_table(&summary, 120));
    insta::assert_snapshot!("counts", counts_table(&summary, 120));
    insta::assert_snapshot!("results_markdown", results_markdown(&summary));
    insta::assert_snapshot!("results_csv", results_csv(&summary));
    insta::assert_snapshot!("document", section(&fixed(), &summary, Some("docs/chart.png")));
}

/// What few backends do is a column only where one did it.
#[test]
fn counts_of_sweeps_and_stores_are_in_every_table() {
    let names = [
        "region-sweep",
        "region-runs",
        "region-local",
        "mark-region",
        "mark-sweep",
        "shadow-stack",
        "rc",
    ];
    let mut records = common::study();
    records.retain(|record| record.n == 9 && names.contains(&record.backend.as_str()));
    let records = common::with_events(records);
    let summary = Summary::new(&records, None).unwrap();
    let line = |table: &str, name: &str| {
        let line = table.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let counts = counts_table(&summary, 300);
    assert!(counts.contains("runs found  words scanned  roots stored\n"), "{counts}");
    for (name, end) in [("mark-region", " 346 28.8 k -"), ("shadow-stack", " - - 15.6 M")] {
        assert!(line(&counts, name).ends_with(end), "{counts}");
    }
    let pauses = pauses_table(&summary, 300).unwrap();
    // 105 sweeps of 20.3 us, less 40 ns each, of 50 ms less the clock: the fourth of seven rounds.
    assert!(pauses.contains("max  in sweeps  MMU 1 ms"), "{pauses}");
    assert!(line(&pauses, "region-runs").contains(" 4.3 % "), "{pauses}");
    assert!(line(&pauses, "rc").contains(" - "), "{pauses}");
    let csv = results_csv(&summary);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let titles = reader.headers().unwrap().clone();
    let of = |line: &csv::StringRecord, title: &str| {
        line[titles.iter().position(|it| it == title).unwrap()].to_owned()
    };
    let lines: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let cells = |name: &str| {
        let line = lines.iter().find(|line| &line[0] == name).unwrap();
        ["runs_found", "words_scanned", "roots_stored", "sweeps"].map(|title| of(line, title))
    };
    assert_eq!(cells("mark-region"), ["346", "28833", "", "105"]);
    assert_eq!(cells("shadow-stack"), ["", "", "15570000", "105"]);
    assert_eq!(cells("rc"), ["", "", "", "0"]);
    let share = of(lines.iter().find(|line| &line[0] == "region-sweep").unwrap(), "sweep_share");
    let by_hand = 105.0 * (20_300.0 - 40.0) / (50_000_000.0 - 40.0 * 3.0 * 105.0);
    assert!((share.parse::<f64>().unwrap() - by_hand).abs() < 1e-12, "{share}");
    let page = page(&records);
    for part in ["<th scope=\"col\">runs found</th>", ">roots stored</th>", ">in sweeps</th>"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("region-runs freed 1,730,000 cells and gave memory back in 1,730 runs"));
    assert!(
        page.contains("shadow-stack stores 9.00 references in its shadow stack for each cell.")
    );
    // The same without: no columns of zeros.
    records_without(&records);
}

fn records_without(records: &[Record]) {
    let records: Vec<Record> = (records.iter().cloned())
        .map(|record| Record {
            runs_found: Some(0),
            words_scanned: Some(0),
            roots_stored: None,
            ..record
        })
        .collect();
    let counts = counts_table(&Summary::new(&records, None).unwrap(), 300);
    for title in ["runs found", "words scanned", "roots stored"] {
        assert!(!counts.contains(title), "{counts}");
    }
    let page = page(&records);
    assert!(page.contains("None had any of these: ") && page.contains("words scanned."), "no note");
}

#[test]
fn tables_that_have_nothing_to_show_are_none() {
    let summary = Summary::new(&[sample("gc", 8, 0, 1)], None).unwrap();
    let tables = [overall_table, pauses_table, counters_table];
    assert!(tables.iter().all(|table| table(&summary, 80).is_none()));
}

#[test]
fn csv_tells_events_pauses_and_space() {
    let records = common::small_study();
    let summary = Summary::new(&records, None).unwrap();
    let text = results_csv(&summary);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let titles = reader.headers().unwrap().clone();
    let lines: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(lines.len(), summary.rows.len());
    let mut told = 0;
    for (line, row) in lines.iter().zip(&summary.rows) {
        let cell = |title: &str| &line[titles.iter().position(|it| it == title).unwrap()];
        let written = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
        let counted = row.events.iter().find(|events| events.counters.instructions.is_some());
        let instructions = counted.and_then(|events| events.counters.instructions);
        let longest = row.pauses.as_ref().filter(|pauses| pauses.count > 0);
        assert_eq!(cell("instructions"), written(instructions));
        assert_eq!(cell("pause_max_ns"), written(longest.map(|pauses| pauses.max_ns)));
        assert_eq!(cell("heap_peak_bytes"), written(row.heap_peak_bytes));
        let space = summary.space_overhead(row).map_or(String::new(), |times| times.to_string());
        assert_eq!(cell("space_overhead"), space);
        told += usize::from(instructions.is_some() && longest.is_some());
    }
    assert!(told > 0, "{text}");
}

#[test]
fn tables_of_a_small_study() {
    let summary = Summary::new(&common::small_study(), None).unwrap();
    let tables = [
        results_table(&summary, 200),
        overall_table(&summary, 200).unwrap(),
        counts_table(&summary, 200),
        pauses_table(&summary, 200).unwrap(),
        counters_table(&summary, 200).unwrap(),
    ];
    insta::assert_snapshot!("study", tables.join("\n"));
    for width in [80, 100, 120, 150] {
        for table in [results_table, counts_table]
            .map(|table| table(&summary, width))
            .into_iter()
            .chain([pauses_table, counters_table].iter().filter_map(|table| table(&summary, width)))
        {
            let long = table.lines().find(|line| line.chars().count() > width.into());
            assert_eq!(long, None, "{width}");
            // Not wrapped either: each row is a line.
            assert!(table.lines().filter(|line| line.starts_with("arc-split ")).count() == 2);
        }
    }
}

#[test]
fn the_page_shows_what_the_records_have() {
    let page = page(&common::small_study());
    for part in [
        "id=\"pauses\"",
        "id=\"counters\"",
        "id=\"overall\"",
        "(1 outlier)",
        "times slower (95 %)",
        "no difference above the noise floor of ",
        "perf unavailable: the kernel does not allow it",
        "MMU 1 ms",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let fixed = self::page(&fixed());
    assert!(!fixed.contains("id=\"pauses\"") && !fixed.contains("id=\"counters\""));
}

#[test]
fn the_page_of_the_fixed_records() {
    // Without the drawings, the style and the script, whose bytes are no reader's concern.
    let mut text = page(&fixed());
    let parts = [("<svg", "</svg>"), ("<style>", "</style>"), ("<script>", "</script>")];
    for (from, to) in parts.into_iter().chain([("<meta http-equiv=", ">")]) {
        while let Some(start) = text.find(from) {
            let end = start + text[start..].find(to).unwrap() + to.len();
            text.replace_range(start..end, "(left out)");
        }
    }
    insta::assert_snapshot!("page", text);
}

#[test]
fn the_page_runs_its_own_script_and_nothing_else() {
    let page = page(&fixed());
    let policy = between(&page, "Content-Security-Policy\" content=\"", "\"");
    assert!(policy.starts_with("default-src &#x27;none&#x27;"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    for (element, text) in [
        ("script", between(&page, "<script>", "</script>")),
        ("style", between(&page, "<style>", "</style>")),
    ] {
        let hash = BASE64.encode(&Sha256::digest(text.as_bytes())).replace('/', "&#x2f;");
        assert!(policy.contains(&format!("{element}-src &#x27;sha256-{hash}")), "{policy}");
    }
    assert_eq!(page.matches("<script>").count(), 1);
    // A style in an attribute would be refused.
    assert!(!page.contains(" style=\""));
}

#[test]
fn the_page_leads_to_the_records_it_is_made_of() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results/report");
    let names = ["results/a record's #1.jsonl", "elsewhere/b.jsonl"];
    let files: Vec<PathBuf> = names.iter().map(|name| folder.path().join(name)).collect();
    let command = Some("rc-vs-gc report <files>");
    let options = ReportOptions { record_files: &files, command, baseline: Some("stack") };
    let written = options.write(&fixed(), &out).unwrap();
    let page = fs::read_to_string(written.index).unwrap();
    let page = page.replace("&#x27;", "'").replace("&#x2f;", "/");
    assert!(page.contains("<a href=\"../a%20record%27s%20%231.jsonl\">a record's #1.jsonl</a>"));
    assert!(page.contains("<dd>b.jsonl, one JSON object"));
    assert!(page.contains("<code>rc-vs-gc report &lt;files&gt;</code>"));
    assert!(page.contains("<option value=\"stack\" selected>"));
    let private = folder.path().to_str().unwrap();
    assert!(!page.contains(private), "the page tells where it was made");
}

#[test]
fn the_drawings_of_the_fixed_records() {
    let files = written(&fixed());
    let svgs = files.iter().filter(|(name, _)| name.ends_with(".svg"));
    let shapes = svgs.map(|(name, bytes)| {
        let text = std::str::from_utf8(bytes).unwrap();
        let mut lines = vec![name.clone()];
        for tag in ["<polyline", "<polygon", "<text"] {
            lines.push(format!("  {} {tag}", text.matches(tag).count()));
        }
        // What is written in the drawing, in order.
        let between = text.lines().filter(|line| !line.starts_with('<'));
        lines.extend(between.map(|line| format!("  {line}")));
        lines.join("\n")
    });
    insta::assert_snapshot!("drawings", shapes.collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_same_records_give_the_same_bytes() {
    let files = written(&fixed());
    let names: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "index.html",
            "time-per-backend.svg",
            "time-per-backend.png",
            "ladder.svg",
            "ladder.png",
            "time-against-n.svg",
            "time-against-n.png",
            "time-against-memory.svg",
            "time-against-memory.png",
            "memory-per-backend.svg",
            "memory-per-backend.png",
            "noise.svg",
            "noise.png",
        ]
    );
    assert!(files[2].1.starts_with(b"\x89PNG"));
    // Not assert_eq, which would print them.
    assert!(files == written(&fixed()));
}

#[test]
fn a_full_study_fits_its_limits() {
    let records = common::study();
    let size = page(&records).len();
    assert!(size < 2 << 20, "{size} bytes");
    let table = results_table(&Summary::new(&records, None).unwrap(), 120);
    // One line a row: nothing had to be wrapped.
    assert_eq!(table.lines().filter(|line| line.starts_with("arc-split ")).count(), 5);
    assert!(table.lines().all(|line| line.chars().count() <= 120), "{table}");
    assert!(!table.contains('\u{1b}'));
}

#[test]
fn little_or_no_data_gives_a_page_that_says_so() {
    let failed = Record {
        status: Status::Crashed,
        message: Some("signal 11".into()),
        ..sample("gc", 8, 0, 1)
    };
    let counted = Record { counted: true, ..sample("gc", 8, 0, 1) };
    let cases: [(&[Record], &str); 5] = [
        (&[], "There are no measurements in these records."),
        (
            &[sample("gc", 8, 0, 1000)],
            "gc is the only general-purpose backend with a time at n = 8",
        ),
        (&[failed.clone(), failed], "No backend has a time"),
        (&[counted], "No backend has a time"),
        (&[sample("gc", 0, 0, 0)], "gc is the only general-purpose backend with a time at n = 0"),
    ];
    for (records, sentence) in cases {
        let page = page(records);
        assert!(page.replace('\u{a0}', " ").contains(sentence), "{page}");
        assert_eq!(page.contains("There are no rows."), records.is_empty());
        assert_eq!(page.contains("There is nothing to draw."), !page.contains("<figure>"));
        let summary = Summary::new(records, None).unwrap();
        assert_eq!(results_table(&summary, 80).contains("no measurements"), records.is_empty());
        assert!(!counts_table(&summary, 10).is_empty());
    }
}

#[test]
fn hostile_names_stay_text() {
    let hostile = "</script><!--<script>alert('\"&{{ 7*7 }}{% x %}\u{1b}[31m\u{202e}";
    let mut records = Vec::new();
    for n in [8, 9] {
        let mut record = sample(hostile, n, 0, 1000);
        record.family = hostile.into();
        record.about = hostile.into();
        record.capabilities.returns = hostile.into();
        record.capabilities.problem_specific = true;
        record.program = hostile.into();
        record.command = hostile.into();
        record.commit = hostile.into();
        record.machine.processor = hostile.into();
        record.params.insert(hostile.into(), hostile.into());
        record.rss_peak_bytes = Some(u64::MAX);
        record.heap_peak_bytes = Some(0);
        records.push(record.clone());
        record.backend = "long ".repeat(500);
        record.status = Status::WrongAnswer;
        record.message = Some(hostile.into());
        records.push(record);
    }
    for (name, bytes) in written(&records) {
        let text = String::from_utf8_lossy(&bytes);
        // The page has two of its own: the ratios, and what works with them.
        let own = if name == "index.html" { 2 } else { 0 };
        let is_text = !name.ends_with("png");
        for tag in ["<script", "</script"] {
            assert!(!is_text || text.matches(tag).count() == own, "{name}: {tag}");
        }
        assert!(!is_text || !text.contains("<!--") && !text.contains('\u{1b}'), "{name}");
    }
    let page = page(&records);
    assert!(page.contains("&lt;script&gt;") && page.contains("{{ 7*7 }}"));
    // An attribute ends at a quotation mark, so none may come from a name.
    let values = page.split("data-config=\"").skip(1).chain(page.split("<option value=\"").skip(1));
    for value in values.map(|rest| rest.split('"').next().unwrap()) {
        assert!(!value.contains("alert") || value.contains("&quot;&amp;{{ 7*7 }}"), "{value}");
    }
    let json = between(&page, "id=\"ratios\">", "</script>");
    let ratios: serde_json::Value = serde_json::from_str(json).unwrap();
    let label = ratios["labels"][0].as_str().unwrap();
    assert!(label.starts_with("</script><!--<script>alert('\"&{{ 7*7 }}"), "{label}");
    let table = results_table(&Summary::new(&records, None).unwrap(), 120);
    assert!(!table.contains('\u{1b}') && table.lines().count() < 40, "{table}");
}

#[test]
fn what_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = write_report(&fixed(), None, file.join("out")).unwrap_err().to_string();
    assert!(
        error.contains("cannot be written") && error.contains("out") && !error.contains('\n'),
        "{error}"
    );
    let error = write_report(&fixed(), Some("cg"), folder.path()).unwrap_err().to_string();
    assert_eq!(
        error,
        "no backend 'cg' in these records to compare with; give one of: stack, gc, rc-value, leak"
    );
}
