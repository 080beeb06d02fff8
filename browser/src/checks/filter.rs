//! The controls that leave rows out, and what they say is left.

use super::Findings;
use crate::page::Setup;
use crate::visit::Visit;
use anyhow::Result;

pub(super) fn check(visit: &Visit) -> Result<Findings> {
    visit.open(Setup::WIDE)?.ask(include_str!("filter.js"))
}
