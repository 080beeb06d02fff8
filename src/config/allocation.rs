//! The configurations of an allocation study.

use super::{Config, Subject};
use crate::exit::Stop;
use crate::options::Measure;
use crate::peers::{Peer, VERSION};
use crate::values::{ALL, did_you_mean, nearest};
use anyhow::anyhow;
use heap::settings::show_bytes;
use report::format::visible;
use report::record::params::HEAP_LIMIT;
use std::collections::BTreeMap;
use studies::{Row, Study, Term};

/// Name of what a row is put to, among the parameters of a record.
pub const WORKLOAD: &str = "workload";

/// What the options ask to be measured, each once: on each workload the rows, then the peers.
///
/// # Errors
///
/// [`crate::exit::Exit::BadInput`]: a row or workload that the study has not, a baseline that is not
/// selected, an option that is of n-queens only.
pub fn rows(
    options: &Measure,
    study: &'static Study,
    workloads: &[String],
    peers: &[Peer],
) -> Result<Vec<Config>, Stop> {
    for (given, option) in [
        (!options.set.is_empty(), "--set: rows of a study have no parameters"),
        (options.counted, "--counted: a study counts beside its times"),
        (options.pauses, "--pauses: a study has none"),
        (!options.threads.is_empty(), "--threads: a study runs on one"),
        (options.mode.is_some(), "--mode: a study runs on one thread"),
        (options.split_depth.is_some(), "--split-depth: a study runs on one thread"),
        (!options.lists.is_empty(), "--lists: a study runs on one thread"),
        (!options.order.is_empty(), "--order: a study runs on one thread"),
    ] {
        if given {
            return Err(Stop::bad_input(anyhow!("{option}; leave it away")));
        }
    }
    let rows = named("--backend", &options.backend, study.rows, |row| row.brief.name)?;
    let workloads = named("--workload", workloads, study.workloads, |term| term.name)?;
    let subjects = || {
        let limit = (HEAP_LIMIT, show_bytes(options.heap_limit));
        let rows = rows.iter().map(move |row| (Subject::Row(row), limit.clone()));
        let peer = |peer: &Peer| {
            let version = (VERSION, peer.version.clone());
            (Subject::Peer(Box::new(peer.clone())), version)
        };
        rows.chain(peers.iter().map(peer))
    };
    let known: Vec<String> = subjects().map(|(subject, _)| subject.name().to_owned()).collect();
    if let Some(name) = options.baseline.as_ref().filter(|name| !known.contains(name)) {
        let meant = did_you_mean(&nearest(name, known.iter().map(String::as_str)));
        let name = visible(name);
        let why = format!("--baseline '{name}': {meant}measured are {}", known.join(", "));
        return Err(Stop::bad_input(anyhow!(why)));
    }
    let of_workload = |workload: &&Term| {
        let workload = workload.name.to_owned();
        subjects().map(move |(subject, (name, value))| {
            let params: BTreeMap<String, String> =
                [(name.to_owned(), value), (WORKLOAD.to_owned(), workload.clone())].into();
            Config { subject, params, threads: 1, multiple: None, control: false }
        })
    };
    Ok(workloads.iter().flat_map(of_workload).collect())
}

/// Those of these names, each once and in the study's order; all where none is given.
fn named<T>(
    option: &str,
    names: &[String],
    all: &'static [T],
    name_of: fn(&T) -> &'static str,
) -> Result<Vec<&'static T>, Stop> {
    for name in names.iter().filter(|name| *name != ALL) {
        if !all.iter().any(|item| name_of(item) == name) {
            let known: Vec<&str> = all.iter().map(name_of).collect();
            let meant = did_you_mean(&nearest(name, known.iter().copied()));
            let (name, known) = (visible(name), known.join(", "));
            return Err(Stop::bad_input(anyhow!("{option} '{name}': {meant}there are {known}")));
        }
    }
    let every = names.is_empty() || names.iter().any(|name| name == ALL);
    let wanted = |item: &&T| every || names.iter().any(|name| name == name_of(item));
    Ok(all.iter().filter(wanted).collect())
}

/// A row of a study.
pub fn row(study: &'static Study, name: &str) -> Option<&'static Row> {
    study.rows.iter().find(|row| row.brief.name == name)
}
