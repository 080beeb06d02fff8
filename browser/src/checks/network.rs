//! The page is one file: whatever is done with it, nothing else is asked for.

use super::Findings;
use crate::page::Setup;
use crate::visit::Visit;
use anyhow::Result;

pub(super) fn check(visit: &Visit) -> Result<Findings> {
    // Opened once more here, so that there is something to hear where no other check was made.
    visit.open(Setup::WIDE)?;
    let requests = visit.heard().requests;
    if !requests.iter().any(|url| url == visit.url()) {
        return Ok(vec![
            "the browser does not tell of requests, not even of the page's".to_owned(),
        ]);
    }
    let harmless = |url: &String| {
        let inline = ["about:", "data:", "blob:"].iter().any(|scheme| url.starts_with(scheme));
        inline || url.split('#').next() == Some(visit.url())
    };
    let mut findings: Findings = requests.into_iter().filter(|url| !harmless(url)).collect();
    findings.sort();
    findings.dedup();
    Ok(findings)
}
