//! Texts of drawings, in the fonts of the browser, wide and narrow: no two overlap, none is cut off by
//! the edge, all can be read.

use super::Findings;
use crate::page::Setup;
use crate::visit::Visit;
use anyhow::Result;

pub(super) fn check(visit: &Visit) -> Result<Findings> {
    let mut findings = Findings::new();
    for setup in [Setup::WIDE, Setup::NARROW] {
        let page = visit.open(setup)?;
        let found: Findings = page.ask(include_str!("drawings.js"))?;
        findings.extend(found.iter().map(|what| format!("{} px: {what}", setup.width_px)));
    }
    Ok(findings)
}
