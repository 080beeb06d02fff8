//! The parts that a report has, and the way to them.

use super::Findings;
use crate::page::Setup;
use crate::visit::Visit;
use anyhow::Result;

pub(super) fn check(visit: &Visit) -> Result<Findings> {
    visit.open(Setup::WIDE)?.ask(include_str!("sections.js"))
}
