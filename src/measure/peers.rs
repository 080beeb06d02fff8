//! The peers of a run: built before the first sample, each sample as long as the backends' are.

use crate::child::Children;
use crate::config::{Subject, WORKLOAD};
use crate::exit::{Exit, Stop};
use crate::peers::{Call, Peer, Searches, build};
use crate::sample::Task;
use crate::study::Study;
use crate::terminal;
use anyhow::anyhow;
use report::{Record, Status};

/// Builds what is not built yet. What cannot be built is a failure of each of its samples.
///
/// # Errors
///
/// [`Exit::Interrupted`].
pub(super) fn prepare(study: &mut Study, children: &Children, quiet: bool) -> Result<(), Stop> {
    for config in &mut study.configs {
        let Subject::Peer(peer) = &mut config.subject else { continue };
        let built = build(&peer.variant, &peer.version, || children.interrupted());
        go_on(children)?;
        match built {
            Ok(true) if !quiet => terminal::say(&format!("built peer {}", peer.variant.name)),
            Ok(_) => {}
            Err(why) => peer.broken = Some(format!("cannot be built: {why}")),
        }
    }
    Ok(())
}

/// That nobody has pressed Ctrl-C before the first sample.
///
/// # Errors
///
/// [`Exit::Interrupted`].
pub(super) fn go_on(children: &Children) -> Result<(), Stop> {
    let why = || anyhow!("interrupted before anything was measured");
    match children.interrupted() {
        true => Err(Stop { exit: Exit::Interrupted, why: why() }),
        false => Ok(()),
    }
}

/// What precedes the failure of an earlier sample, which may have taken long.
const NOT_AGAIN: &str = "not run again: ";

/// How to run a peer for a sample.
///
/// # Errors
///
/// The record of a sample that is not to be run: the peer could not be built, or has failed at this
/// size in an earlier round, maybe after a long time. What failed in a run that is resumed is tried
/// again: it may have been mended, or have more time.
pub(super) fn call(
    peer: &Peer,
    study: &Study,
    (resumed, own): (&[Record], &[Record]),
    task: &Task,
) -> Result<Call, Box<Record>> {
    let record = &task.record;
    let failed = |status, message| Box::new(Record { status, message, ..record.clone() });
    if peer.broken.is_some() {
        return Err(failed(Status::Crashed, peer.broken.clone()));
    }
    let alike = |other: &&Record| {
        let of = |record: &Record| (record.n, record.params.get(WORKLOAD).cloned());
        other.backend == record.backend && of(other) == of(record)
    };
    let last = own.iter().rfind(alike);
    if let Some(last) = last.filter(|last| last.status != Status::Ok) {
        let message = last.message.as_deref().unwrap_or_default();
        let message = match message.starts_with(NOT_AGAIN) {
            true => message.to_owned(),
            false => format!("{NOT_AGAIN}{message}"),
        };
        return Err(failed(last.status, Some(message)));
    }
    let searches = last.or(resumed.iter().rfind(alike)).and_then(|last| {
        let mut searches = Searches::new(peer.variant.warm_up, task.search_ns, last.wall_ns?);
        // What was found out cold is not found out again, so that samples are alike.
        searches.warm_up = last.warm_up_ns.len().try_into().ok()?;
        Some(searches)
    });
    let workload = record.params.get(WORKLOAD).map(String::as_str);
    Ok(crate::peers::call(&peer.variant, workload, searches, study.peer_limits))
}
