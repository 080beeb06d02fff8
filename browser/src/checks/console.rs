//! What the browser complains of: errors, warnings, exceptions that nothing caught.

use super::Findings;
use crate::page::Setup;
use crate::visit::Visit;
use anyhow::Result;

/// Said by this check on a page of its own.
const PROBE: &str = "a probe of what is heard";

pub(super) fn check(visit: &Visit) -> Result<Findings> {
    // Opened once more here, so that there is something to hear where no other check was made.
    visit.open(Setup::WIDE)?;
    // A driver that no longer understands its browser hears nothing, which would look like a success.
    let blank = visit.open_url("about:blank", Setup::WIDE)?;
    let probe = serde_json::Value::from(PROBE);
    blank.ask::<()>(&format!("console.error({probe}); return null"))?;
    let heard = |complaint: &String| complaint.contains(PROBE);
    let complaints = wait(visit, |complaints| complaints.iter().any(heard));
    if !complaints.iter().any(heard) {
        return Ok(vec!["the browser does not tell of errors".to_owned()]);
    }
    let mut findings: Findings =
        complaints.into_iter().filter(|complaint| !heard(complaint)).collect();
    findings.sort();
    findings.dedup();
    Ok(findings)
}

/// What was heard once it suffices; messages arrive a little after what caused them.
fn wait(visit: &Visit, enough: impl Fn(&[String]) -> bool) -> Vec<String> {
    for _ in 0..250 {
        let complaints = visit.heard().complaints;
        if enough(&complaints) {
            return complaints;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    visit.heard().complaints
}
