//! Where the time goes, from finished records.

use crate::exit::{Exit, Stop};
use crate::options::{self, Page};
use crate::{records, terminal};
use anyhow::anyhow;
use report::explain::{Block, ExplainError, Explanation, explain, json, markdown, pages, text};
use report::studies::split;
use std::collections::BTreeSet;

/// The sub-command `explain`. What cannot be explained, of several programs,
/// machines or sizes, is told on standard error beside what can.
///
/// # Errors
///
/// [`Exit::BadInput`]: a record file that is not right, or records without two
/// backends' times to compare. [`Exit::Failed`]: records that contradict each
/// other.
pub fn run(options: &options::Explain) -> Result<Exit, Stop> {
    let all = records::read(&options.files)?;
    let (records, of_studies) = split(&all);
    if records.is_empty() && !of_studies.is_empty() {
        let why = "these are samples of allocation studies alone, of which there is no ladder; \
                   rc-vs-gc report shows them";
        return Err(Stop::bad_input(anyhow!(why)));
    }
    let sizes: BTreeSet<u32> = options.n.iter().cloned().flatten().collect();
    let sizes: Vec<u32> = sizes.into_iter().collect();
    let (mut explained, mut not) = (Vec::new(), Vec::new());
    for result in explain(&records, &sizes) {
        match result {
            Ok(explanation) => explained.push(explanation),
            Err(why @ ExplainError::DifferentWork { .. }) => return Err(why.into()),
            Err(why) => not.push(why),
        }
    }
    if explained.is_empty()
        && let Some(why) = not.pop()
    {
        return Err(Stop::bad_input(why));
    }
    not.iter().for_each(|why| terminal::say(&why.to_string()));
    let columns = terminal::width_columns();
    terminal::print(&match options.format {
        Page::Table => shown(&explained, |blocks| text(blocks, columns)),
        Page::Markdown => shown(&explained, markdown),
        Page::Json => json(&explained)?,
    })?;
    Ok(Exit::Done)
}

/// The pages, an empty line between them.
fn shown(explained: &[Explanation], show: impl Fn(&[Block]) -> String) -> String {
    explained.iter().map(|of| show(&pages(of))).collect::<Vec<_>>().join("\n")
}
