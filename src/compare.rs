//! Two runs of the same work, row by row, with verdicts.

use crate::exit::{Exit, Stop};
use crate::options::{self, Page};
use crate::{records, terminal};
use anyhow::anyhow;
use report::Comparison;
use report::compare::Row;

/// The sub-command `compare`.
///
/// # Errors
///
/// [`Exit::BadInput`]: a record file that is not right, records of different work.
/// [`Exit::Failed`]: a row that is slower than allowed, or failed where it had not.
pub fn run(options: &options::Compare) -> Result<Exit, Stop> {
    let before = records::read(&[&options.before])?;
    let after = records::read(&[&options.after])?;
    let comparison = Comparison::new(&before, &after).map_err(Stop::bad_input)?;
    let text = match options.format {
        Page::Table => comparison.table(terminal::width_columns()),
        Page::Markdown => comparison.markdown(),
        Page::Json => serde_json::to_string_pretty(&comparison.json())? + "\n",
    };
    terminal::print(&text)?;
    match options.fail_if_slower {
        Some(tolerance) => gate(&comparison, tolerance),
        None => Ok(Exit::Done),
    }
}

/// That nothing became slower than allowed, and nothing failed that had not.
fn gate(comparison: &Comparison, tolerance: f64) -> Result<Exit, Stop> {
    let named = |rows: Vec<&Row>| {
        let names = rows.iter().map(|row| format!("{} ({})", row.name(), row.words()));
        names.collect::<Vec<_>>().join(", ")
    };
    let slower: Vec<&Row> = comparison.slower_than(tolerance).collect();
    let failed: Vec<&Row> = comparison.failed_after().collect();
    let mut reasons = Vec::new();
    if !slower.is_empty() {
        // 0.07 * 100 is not 7.
        let percent = (tolerance * 1e5).round() / 1e3;
        reasons.push(format!("slower by more than {percent} %: {}", named(slower)));
    }
    if !failed.is_empty() {
        reasons.push(format!("failed where it had not: {}", named(failed)));
    }
    match reasons.is_empty() {
        true => Ok(Exit::Done),
        false => Err(anyhow!(reasons.join("; ")).into()),
    }
}
