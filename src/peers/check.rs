//! The sub-commands `peers build` and `peers check`.

use super::process::Limits;
use super::sample::{call, core_of};
use super::{Tools, Variant, build, tools};
use crate::exit::{Exit, Stop};
use crate::terminal::{self, Reader};
use report::format::visible;
use std::time::Duration;

/// The board sizes that are checked.
const SIZES: std::ops::RangeInclusive<u32> = 1..=9;

/// The sizes that are checked of an allocation study, each workload.
const SIZES_OF_STUDY: [u32; 3] = [1, 7, 1_000];

/// Searches of each size: two, so that a peer that keeps something from one to
/// the next is found.
const SEARCHES: u32 = 2;

/// Memory that a peer may take, as a heap may if nothing else is said.
const MOST_RSS_BYTES: u64 = 8 << 30;

/// Builds peers, and checks their answers if there is a time limit for each;
/// a line for each peer.
///
/// # Errors
///
/// Standard output cannot be written. Peers that fail are a result.
pub fn run(variants: &[Variant], limit: Option<Duration>) -> Result<Exit, Stop> {
    let width = variants.iter().map(|variant| variant.name.len()).max().unwrap_or(0);
    let mut tools = Tools::default();
    let (mut right, mut failed, mut skipped) = (0, 0, 0);
    for variant in variants {
        let missing = tools.missing(variant);
        let line = if !missing.is_empty() {
            skipped += 1;
            format!("skipped: {}", tools::lacks(&missing))
        } else {
            let version = tools.version(variant);
            let done =
                build(variant, &version, || false).map_err(|why| format!("cannot be built: {why}"));
            match done.and_then(|_| limit.map_or(Ok(()), |limit| check(variant, limit))) {
                Ok(()) => {
                    right += 1;
                    format!("{}  {version}", if limit.is_some() { "right" } else { "built" })
                }
                Err(why) => {
                    failed += 1;
                    format!("FAILED: {why}")
                }
            }
        };
        let name = &variant.name;
        if terminal::print(&format!("{}\n", visible(&format!("{name:width$}  {line}"))))?
            == Reader::Gone
        {
            break;
        }
    }
    let done = match limit {
        Some(_) => "right".to_owned(),
        None => "built".to_owned(),
    };
    terminal::print(&format!("\n{right} {done}, {failed} failed, {skipped} skipped\n"))?;
    Ok(if failed > 0 { Exit::Failed } else { Exit::Done })
}

/// Why a peer's answers are not right.
fn check(variant: &Variant, limit: Duration) -> Result<(), String> {
    let limits = Limits { time: limit, rss_bytes: MOST_RSS_BYTES };
    let core = core_of(variant);
    let check = |workload: Option<&str>, n: u32| {
        let said = workload.map_or(String::new(), |workload| format!("{workload}, "));
        let call = call(variant, workload, None, limits);
        let done = call.run(n, SEARCHES, core);
        done.map(|_| ()).map_err(|(_, why)| format!("{said}n = {n}: {why}"))
    };
    let Some(study) = variant.study() else {
        return SIZES.into_iter().try_for_each(|n| check(None, n));
    };
    let workloads = study.workloads.iter();
    let mut each = workloads.flat_map(|workload| SIZES_OF_STUDY.map(|n| (workload.name, n)));
    each.try_for_each(|(workload, n)| check(Some(workload), n))
}
