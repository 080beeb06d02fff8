//! What is made of finished records: the table and the report.

use crate::arguments::report_command;
use crate::exit::{Exit, Stop};
use crate::folder::report_in;
use crate::{options, records, terminal};
use anyhow::anyhow;
use report::format::visible;
use report::{Record, ReportError, ReportOptions, Status, Summary, table};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The sub-command `report`.
///
/// # Errors
///
/// [`Exit::BadInput`]: a record file that is not right, a baseline that is not
/// in it, a folder that cannot be written. [`Exit::Failed`]: records that
/// contradict each other.
pub fn run(options: &options::Report) -> Result<Exit, Stop> {
    let records = records::read(&options.files)?;
    agree(&records)?;
    let baseline = options.baseline.as_deref();
    let counted = records.iter().all(|record| record.counted);
    let index = write(&records, baseline, &options.files, &report_in(&options.out))?;
    terminal::print(&tables(&summary(&records, baseline)?, counted, options.pauses))?;
    if !options.quiet {
        let index = visible(&index.display().to_string());
        terminal::print(&format!("\nreport:  {index}\n"))?;
    }
    Ok(Exit::of_run(&records, false))
}

/// That records that call themselves right have the same answer at the same size.
fn agree(records: &[Record]) -> Result<(), Stop> {
    let mut answers = BTreeMap::new();
    for record in records.iter().filter(|record| record.status == Status::Ok) {
        let Some(found) = record.solutions else { continue };
        let (backend, n) = (&record.backend, record.n);
        let (first, answer) = answers.entry((&record.program, n)).or_insert((backend, found));
        if *answer != found {
            return Err(Stop::from(anyhow!(
                "n = {n}: {answer} solutions by {first} but {found} by {backend}; \
                 one of these records is wrong, measure again"
            )));
        }
    }
    Ok(())
}

/// Writes the report of records from some files into a folder and returns its page.
///
/// # Errors
///
/// [`Exit::BadInput`]: an unknown baseline, a folder that cannot be written.
pub fn write(
    records: &[Record],
    baseline: Option<&str>,
    files: &[PathBuf],
    folder: &Path,
) -> Result<PathBuf, Stop> {
    let command = report_command(files, baseline);
    let options = ReportOptions { baseline, record_files: files, command: Some(&command) };
    match options.write(records, folder) {
        Ok(written) => Ok(written.index),
        Err(why @ (ReportError::Summary(_) | ReportError::Unwritable { .. })) => {
            Err(Stop::bad_input(why))
        }
        Err(why) => Err(why.into()),
    }
}

/// The summary of records, with ratios to a backend, or to the one entered twice; a sweep in the
/// order of its values.
///
/// # Errors
///
/// [`Exit::BadInput`]: an unknown baseline.
pub fn summary(records: &[Record], baseline: Option<&str>) -> Result<Summary, Stop> {
    let mut summary = Summary::new(records, baseline).map_err(Stop::bad_input)?;
    if summary.is_sweep() {
        summary.sort_by_parameters();
    }
    Ok(summary)
}

/// The tables for a terminal: of times, or of work counts; then what else was measured, the pauses
/// only where they are asked for.
pub fn tables(summary: &Summary, counted: bool, pauses: bool) -> String {
    let columns = terminal::width_columns();
    let main = match counted {
        true => table::counts_table(summary, columns),
        false => table::results_table(summary, columns),
    };
    let others = [
        table::overall_table(summary, columns).filter(|_| !counted),
        table::counters_table(summary, columns),
        table::pauses_table(summary, columns).filter(|_| pauses),
    ];
    others.into_iter().flatten().fold(main, |text, table| text + "\n" + &table)
}
