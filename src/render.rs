//! What is made of finished records: the tables, the report, and the part of a document.

use crate::arguments::report_command;
use crate::exit::{Exit, Stop};
use crate::folder::report_in;
use crate::options::{self, Sheet};
use crate::splice::Splice;
use crate::{records, terminal};
use anyhow::anyhow;
use report::format::visible;
use report::studies::{Both, WORKLOAD};
use report::threads::Block;
use report::{Record, ReportError, ReportOptions, Status, Summary, table};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The sub-command `report`.
///
/// # Errors
///
/// [`Exit::BadInput`]: a record file that is not right, a baseline that is not
/// in it, a folder that cannot be written, a document without its place.
/// [`Exit::Failed`]: records that contradict each other; a document that is not
/// what the records give, where that is checked.
pub fn run(options: &options::Report) -> Result<Exit, Stop> {
    let records = records::read(&options.files)?;
    agree(&records)?;
    let baseline = options.baseline.as_deref();
    let both = both(&records, baseline)?;
    // All of them before anything is written.
    let splices = options.splice.iter().map(|file| Splice::new(file, &both));
    let splices: Vec<Splice> = splices.collect::<Result<_, _>>()?;
    if options.check {
        for splice in &splices {
            splice.check()?;
            say_where(options, &format!("checked: {}", splice.shown()))?;
        }
        // What the samples did is told by the document.
        return Ok(Exit::Done);
    }
    splices.iter().try_for_each(Splice::writable)?;
    let counted = records.iter().all(|record| record.counted);
    let command = report_command(&options.files, baseline);
    let sources = (&options.files[..], command.as_str());
    let index = write(&records, baseline, sources, &report_in(&options.out))?;
    terminal::print(&sheets(&both, options.format, counted, options.pauses))?;
    if options.format == Sheet::Csv && both.is_mixed() {
        terminal::say("samples of allocation studies are left out: give their files alone");
    }
    splices.iter().try_for_each(Splice::write)?;
    if options.format == Sheet::Table && !options.quiet {
        terminal::print("\n")?;
    }
    say_where(options, &format!("report:  {}", index.display()))?;
    for splice in &splices {
        say_where(options, &format!("spliced: {}", splice.shown()))?;
    }
    Ok(Exit::of_run(&records, false))
}

/// Says where something is: below the tables, or beside what other programs read.
fn say_where(options: &options::Report, line: &str) -> Result<(), Stop> {
    match options.format {
        _ if options.quiet => {}
        Sheet::Table => _ = terminal::print(&format!("{}\n", visible(line)))?,
        Sheet::Markdown | Sheet::Csv => terminal::say(line),
    }
    Ok(())
}

/// That records that call themselves right have the same answer at the same size.
fn agree(records: &[Record]) -> Result<(), Stop> {
    let mut answers = BTreeMap::new();
    for record in records.iter().filter(|record| record.status == Status::Ok) {
        let Some(found) = record.solutions else { continue };
        let (backend, n) = (&record.backend, record.n);
        let work = (&record.program, record.params.get(WORKLOAD), n);
        let (first, answer) = answers.entry(work).or_insert((backend, found));
        if *answer != found {
            return Err(Stop::from(anyhow!(
                "n = {n}: {answer} solutions by {first} but {found} by {backend}; \
                 one of these records is wrong, measure again"
            )));
        }
    }
    Ok(())
}

/// Writes the report into a folder and returns its page, which names the sources: the files that the
/// records come from, and the command line that makes it again of them.
///
/// # Errors
///
/// [`Exit::BadInput`]: an unknown baseline, a folder that cannot be written.
pub fn write(
    records: &[Record],
    baseline: Option<&str>,
    (record_files, command): (&[PathBuf], &str),
    folder: &Path,
) -> Result<PathBuf, Stop> {
    let options = ReportOptions { baseline, record_files, command: Some(command) };
    match options.write(records, folder) {
        Ok(written) => Ok(written.index),
        Err(why @ (ReportError::Summary(_) | ReportError::Unwritable { .. })) => {
            Err(Stop::bad_input(why))
        }
        Err(why) => Err(why.into()),
    }
}

/// What the records of n-queens, of threads and of the allocation studies come to, each by itself, with ratios to
/// a backend or row, or to the one entered twice; a sweep in the order of its values.
///
/// # Errors
///
/// [`Exit::BadInput`]: a baseline that neither has.
pub fn both<'a>(records: &'a [Record], baseline: Option<&str>) -> Result<Both<'a>, Stop> {
    let mut both = Both::new(records, baseline).map_err(Stop::bad_input)?;
    if both.summary.is_sweep() {
        both.summary.sort_by_parameters();
    }
    Ok(both)
}

/// The results of n-queens on one thread and on several, and then those of the studies.
pub fn sheets(both: &Both, sheet: Sheet, counted: bool, pauses: bool) -> String {
    let of_studies = match sheet {
        Sheet::Table => table::study_table(&both.views, terminal::width_columns()),
        Sheet::Markdown => table::study_markdown(&both.views),
        // One table has one header.
        Sheet::Csv if both.views.is_empty() || both.is_mixed() => String::new(),
        Sheet::Csv => table::study_csv(&both.views),
    };
    let queens = match sheet {
        Sheet::Csv if !both.threads.is_empty() => table::threads_csv(&both.summary, &both.threads),
        _ if both.has_queens() => self::sheet(&both.summary, sheet, counted, pauses),
        _ => String::new(),
    };
    let parts = [queens, of_threads(&both.threads, sheet, counted), of_studies];
    let told: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    told.join("\n")
}

/// The results of threads, mode by mode; of a spreadsheet they stand below those of one thread.
fn of_threads(blocks: &[Block], sheet: Sheet, counted: bool) -> String {
    let columns = terminal::width_columns();
    match (sheet, counted) {
        (Sheet::Table, false) => table::threads_table(blocks, columns),
        (Sheet::Table, true) => table::threads_counts_table(blocks, columns),
        (Sheet::Markdown, false) => table::threads_markdown(blocks),
        (Sheet::Markdown, true) => table::threads_counts_markdown(blocks),
        (Sheet::Csv, _) => String::new(),
    }
}

/// The results as they are asked for: tables for a terminal, or the main table for an issue or a
/// spreadsheet; the pauses' own table only where it is asked for.
pub fn sheet(summary: &Summary, sheet: Sheet, counted: bool, pauses: bool) -> String {
    match sheet {
        Sheet::Table => tables(summary, counted, pauses),
        Sheet::Csv => table::results_csv(summary),
        Sheet::Markdown => {
            let main = match counted {
                true => table::counts_markdown(summary),
                false => table::results_markdown(summary),
            };
            let pauses = table::pauses_markdown(summary).filter(|_| pauses);
            pauses.into_iter().fold(main, |text, table| text + "\n" + &table)
        }
    }
}

/// The tables for a terminal: of times, or of work counts; then what else was measured, the pauses
/// only where they are asked for.
fn tables(summary: &Summary, counted: bool, pauses: bool) -> String {
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
