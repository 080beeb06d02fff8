//! The peers of a run: built before the first sample, each sample as long as the backends' are.

use crate::child::Children;
use crate::config::Subject;
use crate::exit::{Exit, Stop};
use crate::peers::{Call, Peer, build, timed_searches};
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
    let stop = || {
        let why = anyhow!("interrupted before anything was measured");
        Stop { exit: Exit::Interrupted, why }
    };
    if children.interrupted() {
        return Err(stop());
    }
    for config in &mut study.configs {
        let Subject::Peer(peer) = &mut config.subject else { continue };
        let built = build(&peer.variant, &peer.version, || children.interrupted());
        if children.interrupted() {
            return Err(stop());
        }
        match built {
            Ok(true) if !quiet => terminal::say(&format!("built peer {}", peer.variant.name)),
            Ok(_) => {}
            Err(why) => peer.broken = Some(format!("cannot be built: {why}")),
        }
    }
    Ok(())
}

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
    let alike = |other: &&Record| other.backend == record.backend && other.n == record.n;
    let last = own.iter().rfind(alike);
    if let Some(last) = last.filter(|last| last.status != Status::Ok) {
        return Err(failed(last.status, last.message.clone()));
    }
    let timed = last.or(resumed.iter().rfind(alike)).and_then(|last| last.wall_ns);
    let timed = timed.map(|each_ns| timed_searches(task.search_ns, each_ns));
    Ok(crate::peers::call(&peer.variant, timed, study.peer_limits))
}
