//! Links: those within the page have their targets, those to files beside it their files.

use super::Findings;
use crate::page::Setup;
use crate::visit::Visit;
use anyhow::Result;
use url::Url;

pub(super) fn check(visit: &Visit) -> Result<Findings> {
    let page = visit.open(Setup::WIDE)?;
    let mut findings: Findings = page.ask(include_str!("links.js"))?;
    let addresses: Vec<String> = page.ask("return all('a[href]').map((link) => link.href)")?;
    let files = addresses.iter().filter_map(|address| {
        let url = Url::parse(address).ok().filter(|url| url.scheme() == "file")?;
        url.to_file_path().ok()
    });
    let missing = files.filter(|path| !path.exists());
    findings.extend(missing.map(|path| format!("no file {}", path.display())));
    Ok(findings)
}
