//! Makes a table and a report to look at, from data that resemble a full study, or with `small` a
//! small one that also has pauses and events: `cargo run -p report --example looks -- FOLDER [small]`.

#[path = "../tests/common/mod.rs"]
mod common;

use report::table;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name a folder for the report")?;
    let small = std::env::args().nth(2).is_some_and(|word| word == "small");
    let records = if small { common::small_study() } else { common::study() };
    let written = report::write_report(&records, None, &folder)?;
    let summary = report::Summary::new(&records, None)?;
    for width_columns in [80, 120, 200] {
        println!("{}", table::results_table(&summary, width_columns));
        println!("{}", table::counts_table(&summary, width_columns));
        let more = [table::overall_table, table::pauses_table, table::counters_table];
        for text in more.iter().filter_map(|table| table(&summary, width_columns)) {
            println!("{text}");
        }
    }
    println!("{}", written.index.display());
    Ok(())
}
