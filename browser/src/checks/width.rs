//! Nothing makes the page scroll sideways on a small telephone, nor is cut off by its edge.

use super::Findings;
use crate::page::Setup;
use crate::visit::Visit;
use anyhow::Result;

pub(super) fn check(visit: &Visit) -> Result<Findings> {
    visit.open(Setup::NARROW)?.ask(include_str!("width.js"))
}
