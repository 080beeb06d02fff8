//! A sample of a peer, as the child runs it: the child starts the peer, watches
//! it, and answers with a record as it does for a backend.

use super::answer::Answer;
use super::process::{self, End, Finished, Limits};
use super::variant::Cores;
use super::{Variant, end_running};
use crate::child::{PADDING, why};
use crate::exit::Exit;
use crate::sample::{Task, median_ns};
use crate::{expected, machine};
use report::format::human_bytes;
use report::{Record, Status};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Most searches that count: what they would last longer than the sample's
/// time is what a clock of microseconds cannot tell anyway.
const MOST_TIMED: u64 = 1_000;

/// How a peer is run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Call {
    /// The program and its arguments, but for N and ITERATIONS.
    words: Vec<String>,
    /// Environment variables beside this process's own.
    env: BTreeMap<String, String>,
    /// The folder that it is run in.
    folder: PathBuf,
    /// Whether it may use all cores.
    all_cores: bool,
    /// Searches before those that count.
    warm_up: u32,
    /// Searches that count; found out by a run before, where none are given.
    timed: Option<u32>,
    /// Beyond these it is ended.
    limits: Limits,
}

/// How to run a peer; so many searches shall count.
pub fn call(variant: &Variant, timed: Option<u32>, limits: Limits) -> Call {
    Call {
        words: variant.words(&variant.run),
        env: variant.env.iter().map(|(name, text)| (name.clone(), variant.word(text))).collect(),
        folder: variant.built.clone(),
        all_cores: variant.cores == Cores::All,
        warm_up: variant.warm_up,
        timed,
        limits,
    }
}

/// Searches that last so long together, of which each lasts so long.
pub fn timed_searches(together_ns: u64, each_ns: u64) -> u32 {
    together_ns.div_ceil(each_ns.max(1)).clamp(1, MOST_TIMED) as u32
}

/// Runs a task's peer and fills in the task's record.
pub fn sample(task: &Task, call: &Call) -> Record {
    // Who ends this process ends the peer.
    let handler = ctrlc::set_handler(|| {
        end_running();
        std::process::exit(Exit::Interrupted as i32);
    });
    let mut record = task.record.clone();
    let done = match handler {
        Ok(()) => measure(task, call, &mut record),
        Err(why) => Err((Status::Crashed, format!("signals cannot be caught: {why}"))),
    };
    if let Err((status, message)) = done {
        record.status = status;
        record.message = Some(message);
    }
    record
}

/// How a sample failed, and why.
type Failure = (Status, String);

fn measure(task: &Task, call: &Call, record: &mut Record) -> Result<(), Failure> {
    let core = task.core.filter(|_| !call.all_cores);
    let timed = match call.timed {
        Some(timed) => timed,
        None => {
            let (answer, _) = call.run(record.n, call.warm_up + 1, core)?;
            let last_ns = answer.times_ns.last().copied().unwrap_or(1);
            timed_searches(task.search_ns, last_ns)
        }
    };
    let (answer, finished) = call.run(record.n, call.warm_up + timed, core)?;
    record.solutions = Some(answer.solutions);
    record.rss_peak_bytes = finished.rss_peak_bytes;
    let (warm_up, timed) = answer.times_ns.split_at(call.warm_up as usize);
    record.warm_up_ns = warm_up.to_vec();
    record.iterations_ns = timed.to_vec();
    record.wall_ns = median_ns(timed);
    Ok(())
}

impl Call {
    /// Runs the peer, and checks its answer.
    ///
    /// # Errors
    ///
    /// How it failed: it cannot be started, died, took too long, does not keep
    /// to the protocol, or has another answer.
    pub fn run(
        &self,
        n: u32,
        iterations: u32,
        core: Option<usize>,
    ) -> Result<(Answer, Finished), Failure> {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).args([n.to_string(), iterations.to_string()]);
        // What a user has set for a runtime would make its defaults others.
        command.env_clear().envs(inherited()).envs(&self.env).current_dir(&self.folder);
        let finished = process::run(&mut command, core, self.limits)
            .map_err(|why| (Status::Crashed, format!("{} cannot be run: {why}", self.words[0])))?;
        if finished.output.len() as u64 == process::MOST_BYTES {
            return Err((Status::WrongAnswer, "printed a mebibyte, and more".to_owned()));
        }
        match finished.end {
            End::Exited(status) if !status.success() => {
                return Err((Status::Crashed, why(status, &finished.errors)));
            }
            End::TimedOut => {
                let time = humantime::format_duration(self.limits.time);
                return Err((Status::TimedOut, format!("not done after {time}, and ended")));
            }
            End::TooLarge => {
                let limit = human_bytes(self.limits.rss_bytes);
                let message = format!("more than {limit} of memory resident, and ended");
                return Err((Status::OutOfMemory, message));
            }
            End::Exited(_) => {}
        }
        let answer = Answer::read(&finished.output, iterations, finished.elapsed)
            .map_err(|why| (Status::WrongAnswer, why))?;
        let (found, right) = (answer.solutions, expected::solutions(n));
        match found == right {
            true => Ok((answer, finished)),
            false => {
                let message = format!("{found} solutions instead of {right}");
                Err((Status::WrongAnswer, message))
            }
        }
    }
}

/// What a peer has of the environment of this process: the means to find programs and files, the
/// language, and the padding that moves the stack.
fn inherited() -> impl Iterator<Item = (String, OsString)> {
    let names = ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", PADDING];
    names.into_iter().filter_map(|name| Some((name.to_owned(), std::env::var_os(name)?)))
}

/// The last core, where a peer is to have one.
pub fn core_of(variant: &Variant) -> Option<usize> {
    machine::last_core().filter(|_| variant.cores == Cores::One)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_lasts_as_long_as_asked() {
        assert_eq!(timed_searches(100, 30), 4);
        assert_eq!(timed_searches(100, 1_000), 1);
        assert_eq!(timed_searches(u64::MAX, 0), 1_000);
    }
}
