//! Peers stand in the main table and in a section of their own, not among the backends.

use super::Findings;
use crate::page::Setup;
use crate::visit::Visit;
use anyhow::Result;

pub(super) fn check(visit: &Visit) -> Result<Findings> {
    visit.open(Setup::WIDE)?.ask(include_str!("peers.js"))
}
