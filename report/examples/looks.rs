//! Makes a table and a report to look at, from data that resemble a full study:
//! `cargo run -p report --example looks -- FOLDER`.

#[path = "../tests/common/mod.rs"]
mod common;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name a folder for the report")?;
    let records = common::study();
    let written = report::write_report(&records, None, &folder)?;
    let summary = report::Summary::new(&records, None)?;
    println!("{}", report::table::results_table(&summary, 120));
    println!("{}", report::table::counts_table(&summary, 120));
    println!("{}", written.index.display());
    Ok(())
}
