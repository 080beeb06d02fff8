//! Makes files to look at, from data that resemble a full study.

mod common;

/// Run with `cargo test -p report -- --ignored`; the folder is named on standard output.
#[test]
#[ignore = "makes files for people to look at"]
fn a_report_to_look_at() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("looks");
    let records = common::study();
    let written = report::write_report(&records, None, &folder).unwrap();
    let summary = report::Summary::new(&records, None).unwrap();
    println!("{}", report::table::results_table(&summary, 120));
    println!("{}", report::table::counts_table(&summary, 120));
    println!("{}", written.index.display());
}
