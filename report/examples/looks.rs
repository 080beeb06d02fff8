//! Makes a table and a report to look at, from data that resemble a full study, or with `small` a
//! small one that also has pauses and events, with `studies` that one beside the allocation studies, with
//! `sweeps` all backends beside a sweep over several parameters, with `threads` several threads on two
//! cores beside one, with `many` up to 128 on as many, or from a record file:
//! `cargo run -p report --example looks -- FOLDER [small | studies | sweeps | threads | many | FILE]`.

#[path = "../tests/common/mod.rs"]
mod common;

use common::threads::Setting;
use report::{ReportOptions, table};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name a folder for the report")?;
    let source = std::env::args().nth(2);
    let records = match source.as_deref() {
        None => common::study(),
        Some("small") => common::small_study(),
        Some("studies") => [common::small_study(), common::studies()].concat(),
        Some("sweeps") => common::study_and_sweeps(),
        Some("threads") => {
            let of = common::threads::TWO_CORES;
            let modes =
                [common::threads::throughput, common::threads::split, common::threads::shared];
            modes.iter().flat_map(|mode| mode(of)).chain(common::small_study()).collect()
        }
        Some("many") => {
            let threads = &[1, 2, 4, 8, 16, 32, 64, 96, 128];
            let of = Setting { threads, cores: 128, ..common::threads::TWO_CORES };
            let modes =
                [common::threads::throughput, common::threads::split, common::threads::shared];
            modes.iter().flat_map(|mode| mode(of)).collect()
        }
        Some(file) => report::read_records(file)?,
    };
    let files: Vec<PathBuf> = source.iter().map(PathBuf::from).collect();
    let command = Some("rc-vs-gc report records.jsonl");
    let options = ReportOptions { record_files: &files, command, ..ReportOptions::default() };
    let written = options.write(&records, &folder)?;
    let both = report::studies::Both::new(&records, None)?;
    let summary = &both.summary;
    for width_columns in [80, 120, 200] {
        println!("{}", table::results_table(summary, width_columns));
        println!("{}", table::counts_table(summary, width_columns));
        let more = [table::overall_table, table::pauses_table, table::counters_table];
        for text in more.iter().filter_map(|table| table(summary, width_columns)) {
            println!("{text}");
        }
        println!("{}", table::study_table(&both.views, width_columns));
        println!("{}", table::threads_table(&both.threads, width_columns));
        println!("{}", table::threads_counts_table(&both.threads, width_columns));
    }
    println!("{}", written.index.display());
    Ok(())
}
