//! Identifiers: each once, and all that are referred to.

use super::Findings;
use crate::page::Setup;
use crate::visit::Visit;
use anyhow::Result;

pub(super) fn check(visit: &Visit) -> Result<Findings> {
    visit.open(Setup::WIDE)?.ask(include_str!("ids.js"))
}
