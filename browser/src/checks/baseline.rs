//! Switching the baseline: the ratios of the table and of the drawing become those of the page's
//! data, and what they were when the first baseline is chosen again.

use super::Findings;
use crate::page::Setup;
use crate::visit::Visit;
use anyhow::Result;

pub(super) fn check(visit: &Visit) -> Result<Findings> {
    let script = [include_str!("ratios.js"), include_str!("baseline.js")].join("\n");
    visit.open(Setup::WIDE)?.ask(&script)
}
