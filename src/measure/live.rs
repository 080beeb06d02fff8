//! How much lives at most, for heap limits that are multiples of it.

use crate::child::Children;
use crate::exit::{Exit, Stop};
use crate::sample::Task;
use crate::study::Study;
use anyhow::{Context, anyhow};
use report::{Record, Status};

/// The heap that tells how many cells live at most: it frees each as soon as it is dead.
const EXACT: &str = "rc";

/// Finds out how many cells live at most at each board size. That is a property
/// of the program; a heap that frees each cell as soon as it is dead tells it.
pub(super) fn measure(
    study: &mut Study,
    template: &Record,
    children: &Children,
) -> Result<(), Stop> {
    let info = heap::find(EXACT).context("no heap tells what lives")?;
    for &n in &study.sizes {
        let backend = info.name.to_owned();
        let record = Record { backend, n, counted: true, ..template.clone() };
        let task = Task { record, search_ns: 1, ..Task::default() };
        let Some(record) = children.run(&task)? else {
            let why = anyhow!("interrupted before anything was measured");
            return Err(Stop { exit: Exit::Interrupted, why });
        };
        let live_bytes = record.live_peak_bytes.filter(|_| record.status == Status::Ok);
        let live_bytes = live_bytes.with_context(|| {
            format!("what lives at n = {n} is not known: {}", record.message.unwrap_or_default())
        })?;
        study.live_cells.insert(n, live_bytes / u64::from(info.cell_bytes));
    }
    Ok(())
}
