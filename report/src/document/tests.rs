//! What a document gets from studies, sweeps and empty files.

use super::*;
use crate::record::LiveCells;

fn records(command: &str, backend: &str, nursery: &str, ns: u64) -> Vec<Record> {
    let record = |round| Record {
        command: command.into(),
        backend: backend.into(),
        params: [("nursery".to_owned(), nursery.to_owned())].into(),
        n: 9,
        round,
        iterations_ns: vec![ns + u64::from(round)],
        live_cells: vec![LiveCells::default()],
        machine: Machine { processor: "A|B".into(), cores: 2, ..Machine::default() },
        ..Record::new()
    };
    (0..6).map(record).collect()
}

fn document(records: &[Record], chart_path: Option<&str>) -> String {
    let mut summary = Summary::new(records, None).unwrap();
    if summary.is_sweep() {
        summary.sort_by_parameters();
    }
    section(records, &summary, chart_path)
}

#[test]
fn points_of_sweeps_are_left_out() {
    let mut all = records("study", "gc", "256KiB", 2000);
    all.extend(records("study", "rc", "", 3000));
    let alone = document(&all, None);
    all.extend(["8KiB", "1MiB"].iter().flat_map(|nursery| records("sweep", "gc", nursery, 1000)));
    all.extend(records("sweep", "gc", "256KiB", 2000));
    let table = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with("| `")).map(str::to_owned).collect()
    };
    let both = document(&all, None);
    assert_eq!(table(&both).len(), 2, "{both}");
    assert!(table(&both)[0].starts_with("| `gc` |") && table(&both)[1].starts_with("| `rc` |"));
    assert!(alone.contains("<sub>Made by `study`; on A\\|B, 2 cores; 6 rounds;"), "{alone}");
    assert!(both.contains("<sub>Made by `study` and `sweep`; "), "{both}");
}

#[test]
fn the_chart_comes_first_where_it_has_a_path() {
    let records = records("study", "gc", "", 2000);
    let text = document(&records, Some("a b/(c).png"));
    assert!(text.starts_with("![Bars"), "{text}");
    assert!(text.contains("](a%20b/%28c%29.png \"Time per backend at n = 9\")\n\n"), "{text}");
    assert!(document(&records, None).starts_with("gc is "));
    // There is nothing to draw, and nothing to tabulate.
    let text = document(&[], Some("a.png"));
    assert_eq!(text, "There are no measurements in these records.\n");
}

#[test]
fn of_many_commands_the_first_are_told() {
    let words = |count: usize| told((0..count).map(|i| i.to_string()), str::to_owned);
    assert_eq!(words(0), "what the records do not name");
    assert_eq!([words(1), words(2), words(4)], ["0", "0 and 1", "0, 1, 2 and 3"]);
    assert_eq!(words(7), "0, 1, 2, 3 and 3 more");
}
