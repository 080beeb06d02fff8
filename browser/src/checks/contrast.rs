//! Whether texts stand out from what lies behind them (WCAG 2, success criterion 1.4.3), in dark and
//! in light colours. Drawings are left out: what a filter makes of their colours no style tells.

use super::Findings;
use crate::page::Setup;
use crate::visit::Visit;
use anyhow::Result;

pub(super) fn check(visit: &Visit) -> Result<Findings> {
    let mut findings = Findings::new();
    for setup in [Setup::DARK, Setup::WIDE] {
        findings.extend(visit.open(setup)?.ask::<Findings>(include_str!("contrast.js"))?);
    }
    Ok(findings)
}
