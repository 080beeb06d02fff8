//! Sorting of the main table, by every column and in both directions.

use super::Findings;
use crate::page::Setup;
use crate::visit::Visit;
use anyhow::Result;

pub(super) fn check(visit: &Visit) -> Result<Findings> {
    visit.open(Setup::WIDE)?.ask(include_str!("sorting.js"))
}
