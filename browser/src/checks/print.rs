//! The page on paper, of a reader who prefers dark colours on the screen.

use super::Findings;
use crate::page::Setup;
use crate::visit::Visit;
use anyhow::Result;

pub(super) fn check(visit: &Visit) -> Result<Findings> {
    visit.open(Setup::PRINT)?.ask(include_str!("print.js"))
}
