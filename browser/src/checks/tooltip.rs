//! Tooltips of drawings: the mouse on a mark shows the mark's text, off it hides it.

use super::Findings;
use crate::page::Setup;
use crate::visit::Visit;
use anyhow::Result;
use serde::Deserialize;
use std::time::Duration;

/// A place in the window at which a mark lies uncovered, and what the mark says.
#[derive(Deserialize)]
struct Target {
    x: f64,
    y: f64,
    said: String,
}

/// How long a tooltip may take.
const PATIENCE: Duration = Duration::from_secs(3);

const SHOWN: &str = "const tip = document.getElementById('tooltip');
    return tip && visible(tip) ? tip.textContent.trim() : ''";

pub(super) fn check(visit: &Visit) -> Result<Findings> {
    let page = visit.open(Setup::WIDE)?;
    let mut findings = Findings::new();
    let charts: usize = page.ask(&script("return drawings.length"))?;
    if charts == 0 {
        findings.push("no drawing has marks with a text".to_owned());
    }
    for chart in 0..charts {
        let Some(target): Option<Target> = page.ask(&script(&format!("return target({chart})")))?
        else {
            findings.push(format!("drawing {}: no mark can be reached", chart + 1));
            continue;
        };
        page.move_mouse(target.x, target.y)?;
        let said = serde_json::Value::from(target.said.as_str());
        let shows = format!("return (() => {{ {SHOWN} }})() === {said}");
        if page.wait_for(&shows, PATIENCE).is_err() {
            let shown: String = page.ask(SHOWN)?;
            findings.push(format!("over '{}' it shows '{shown}'", target.said));
        }
        page.move_mouse(1.0, 1.0)?;
        if page.wait_for(&format!("return (() => {{ {SHOWN} }})() === ''"), PATIENCE).is_err() {
            findings.push(format!("'{}' stays when the mouse has left", target.said));
        }
    }
    Ok(findings)
}

fn script(last: &str) -> String {
    format!("{}\n{last}", include_str!("tooltip.js"))
}
