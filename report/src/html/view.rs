//! What the templates are given: every value already text, every list already in order.

use super::ReportOptions;
use super::{backends, claims, machine, numbers, peers, ratios, sheets, studies, threads};
use crate::charts::{Rgb, backend_colour};
use crate::claims::Judged;
use crate::format::{NOTHING, exact_count, with_interval};
use crate::headline;
use crate::record::{Record, Status};
use crate::stats::{MAD_TO_SIGMA, MIN_SAMPLES, OUTLIER_Z, RESAMPLES};
use crate::studies::Both;
use crate::summary::{NoiseFloor, Row, Summary};
use crate::threads::headline as headline_of_threads;
use crate::verdict::percent;
use minijinja::{Value, context};
use std::collections::BTreeSet;
use std::path::Path;

/// The templates' variables, and the style that depends on the records.
pub(super) struct Page {
    pub parts: Value,
    pub chips: String,
}

/// The charts, each where it belongs.
pub(super) struct Charts {
    pub of_study: Vec<Value>,
    pub of_peers: Vec<Value>,
    pub of_studies: Vec<Value>,
    /// Those of each mode.
    pub of_threads: Vec<Vec<Value>>,
}

/// The variables for a page in a folder.
pub(super) fn page(
    options: &ReportOptions,
    records: &[Record],
    both: &Both,
    charts: Charts,
    judged: &[Judged],
    out_dir: &Path,
) -> Page {
    let (queens, summary) = (&both.queens[..], &both.summary);
    let parts = context! {
        queens => both.has_queens(),
        only_threads => !both.has_queens() && both.views.is_empty(),
        modes_say => headline_of_threads(&both.threads).iter().map(|text| unbroken(text)).collect::<Vec<_>>(),
        sentences => headline::sentences(queens, summary).iter().map(|text| unbroken(text)).collect::<Vec<_>>(),
        facts => facts(queens, summary),
        charts => charts.of_study,
        peers => peers::view(summary, charts.of_peers),
        studies => studies::views(&both.views, charts.of_studies, judged),
        threads => threads::views(&both.threads, charts.of_threads),
        claims => claims::views(judged),
        tally => claims::tally(judged),
        baseline => ratios::first_label(summary),
        choices => ratios::choices(summary),
        // Ours, and `<` is escaped in it.
        ratios => Value::from_safe_string(ratios::json(summary)),
        numbers => numbers::view(summary),
        sheets => sheets::views(summary),
        noise => summary.noise.iter().map(|noise| context! {
            sentence => noise.sentence(),
            ratio => with_interval(&noise.ratio, 1.0),
        }).collect::<Vec<_>>(),
        failed => failed(summary),
        backends => backends::view(both),
        configurations => backends::configurations(summary),
        too_few => MIN_SAMPLES,
        resamples => exact_count(RESAMPLES as u64),
        mad_to_sigma => MAD_TO_SIGMA,
        outlier_z => OUTLIER_Z,
        run => machine::run(options, records, summary, out_dir),
        machines => machine::machines(records),
    };
    Page { parts, chips: chips(both) }
}

/// What was measured, in a few short facts.
fn facts(records: &[Record], summary: &Summary) -> Vec<Value> {
    let Some(n) = summary.studied_n() else { return Vec::new() };
    let rows: Vec<&Row> = summary.studied_at(n).filter(|row| row.time_ns.is_some()).collect();
    let backends = |peers: bool| {
        let groups = summary.groups.iter().filter(|group| group.peer.is_some() == peers);
        groups.map(|group| &group.backend).collect::<BTreeSet<_>>().len()
    };
    let sizes: Vec<String> = records
        .iter()
        .map(|record| record.n)
        .collect::<BTreeSet<_>>()
        .iter()
        .map(u32::to_string)
        .collect();
    let rounds = |row: &&Row| row.time_ns.map(|time| time.samples);
    let least = rows.iter().filter_map(rounds).min().unwrap_or(0);
    let most = rows.iter().filter_map(rounds).max().unwrap_or(0);
    let rounds = if least == most { most.to_string() } else { format!("{least} to {most}") };
    let floor = summary.noise.iter().filter(|noise| noise.n == n).map(NoiseFloor::fraction);
    let floor =
        floor.fold(None, |most: Option<f64>, floor| Some(most.map_or(floor, |m| m.max(floor))));
    let managers = [("memory managers", backends(false)), ("peers", backends(true))];
    let managers = managers.into_iter().filter(|(_, count)| *count > 0);
    let mut facts: Vec<_> = managers.map(|(what, count)| (what, count.to_string())).collect();
    facts.extend([
        ("size of the board, n", sizes.join(", ")),
        ("rounds", rounds),
        ("samples", exact_count(records.len() as u64)),
    ]);
    facts.extend(floor.map(|floor| ("noise floor", percent(floor))));
    facts.into_iter().map(|(what, value)| context! { what, value }).collect()
}

fn failed(summary: &Summary) -> Vec<Value> {
    let failed = summary.rows.iter().filter(|row| row.status != Status::Ok);
    let view = |row: &Row| {
        context! {
            label => &row.label,
            n => row.n,
            status => row.status.words(),
            message => row.message.clone().unwrap_or_else(|| NOTHING.to_owned()),
        }
    };
    failed.map(view).collect()
}

/// Name of the style of a backend's chip: attributes may not hold styles of their own here.
pub(super) fn chip(backend: &str) -> String {
    chip_of(backend_colour(backend))
}

/// The same of any colour.
pub(super) fn chip_of(Rgb(r, g, b): Rgb) -> String {
    format!("c-{r:02x}{g:02x}{b:02x}")
}

/// The styles of all chips.
fn chips(both: &Both) -> String {
    let backends = both.summary.groups.iter().map(|group| chip(&group.backend));
    let of_threads = threads::groups(&both.threads).map(|group| chip(&group.backend));
    let names: BTreeSet<String> =
        backends.chain(of_threads).chain(studies::colours(&both.views)).collect();
    let style = |name: &String| format!(".{name} {{ background: #{}; }}\n", &name["c-".len()..]);
    names.iter().map(style).collect()
}

/// A sentence in which no line ends within `n = 9`.
pub(super) fn unbroken(sentence: &str) -> String {
    sentence.replace("n = ", "n\u{a0}=\u{a0}")
}
