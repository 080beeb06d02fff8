//! A sample of a peer, as the child runs it: the child starts the peer, watches
//! it, and answers with a record as it does for a backend.

use super::answer::{Answer, Protocol};
use super::process::{self, End, Finished, Keep, Limits};
use super::variant::Cores;
use super::{Variant, end_running};
use crate::child::why;
use crate::exit::Exit;
use crate::sample::{Task, median_ns};
use crate::{expected, machine};
use report::format::human_bytes;
use report::{Phase, Record, Status};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Most searches that count, and most that come before them. More of the short ones, which are
/// limited by the clock, would tell nothing.
const MOST: u64 = 1_000;

/// How long peers that need a warm-up have at least, in nanoseconds: a compiler at run time counts
/// calls, so a number of searches that is right for large boards is too small for small ones.
const WARM_UP_NS: u64 = 200_000_000;

/// The exit code of a study's peer that finds no memory.
const OUT_OF_MEMORY: i32 = 3;

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
    /// Searches before those that count, at least.
    warm_up: u32,
    /// How many to do; found out by a run before, where it is not known yet.
    searches: Option<Searches>,
    /// Beyond these it is ended.
    limits: Limits,
    /// The allocation study that it is of, and the workload that it is put to.
    #[serde(default)]
    study: Option<(String, String)>,
}

/// Searches of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searches {
    /// Those before the ones that count.
    pub warm_up: u32,
    /// Those that count.
    pub timed: u32,
}

impl Searches {
    /// So many that those that count last so long together, of which each lasts so long.
    pub fn new(least_warm_up: u32, together_ns: u64, each_ns: u64) -> Self {
        let lasting = |ns: u64| ns.div_ceil(each_ns.max(1)).clamp(1, MOST) as u32;
        let warm_up = match least_warm_up {
            0 | 1 => least_warm_up,
            _ => least_warm_up.max(lasting(WARM_UP_NS)),
        };
        Self { warm_up, timed: lasting(together_ns) }
    }
}

/// How to run a peer, with so many searches; one of a study on a workload.
pub fn call(
    variant: &Variant,
    workload: Option<&str>,
    searches: Option<Searches>,
    limits: Limits,
) -> Call {
    Call {
        study: variant.study.clone().zip(workload.map(str::to_owned)),
        words: variant.words(&variant.run),
        env: variant.env.iter().map(|(name, text)| (name.clone(), variant.word(text))).collect(),
        folder: variant.built.clone(),
        all_cores: variant.cores == Cores::All,
        warm_up: variant.warm_up,
        searches,
        limits,
    }
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
    let core = task.cores.first().copied().filter(|_| !call.all_cores);
    let Searches { warm_up, timed } = match call.searches {
        Some(searches) => searches,
        None => {
            let (answer, _) = call.run(record.n, call.warm_up + 1, core)?;
            let last_ns = answer.times_ns.last().copied().unwrap_or(1);
            Searches::new(call.warm_up, task.search_ns, last_ns)
        }
    };
    let (answer, finished) = call.run(record.n, warm_up + timed, core)?;
    record.solutions = Some(answer.answer);
    record.rss_peak_bytes = finished.rss_peak_bytes;
    if let (Some(study), Some(of)) = (call.study(), &mut record.study) {
        let phase = |(term, times_ns): (&studies::Term, &Vec<u64>)| Phase {
            name: term.name.to_owned(),
            operations: (study.operations)(record.n),
            iterations_ns: times_ns[warm_up as usize..].to_vec(),
        };
        of.phases = study.phases.iter().zip(&answer.phases_ns).map(phase).collect();
        of.figures.clone_from(&answer.figures);
    }
    let (warm_up, timed) = answer.times_ns.split_at(warm_up as usize);
    if median_ns(timed) == Some(0) {
        let why = format!("its clock is too coarse for n = {}", record.n);
        return Err((Status::WrongAnswer, why));
    }
    record.warm_up_ns = warm_up.to_vec();
    record.iterations_ns = timed.to_vec();
    record.wall_ns = median_ns(timed);
    Ok(())
}

impl Call {
    /// The allocation study that the peer is of.
    fn study(&self) -> Option<&'static studies::Study> {
        self.study.as_ref().and_then(|(name, _)| studies::find(name))
    }

    /// What the peer has to print, and the right answer.
    fn expected(&self, n: u32) -> (Protocol, u64) {
        match (self.study(), &self.study) {
            (Some(study), Some((_, workload))) => {
                (Protocol::of(study), (study.answer)(workload, n))
            }
            _ => (Protocol::queens(), expected::solutions(n)),
        }
    }

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
        let mut command = process::command(&self.words, &self.folder);
        command.args(self.study.iter().map(|(_, workload)| workload));
        command.args([n.to_string(), iterations.to_string()]).envs(&self.env);
        let finished = process::run(&mut command, core, self.limits, Keep::Start)
            .map_err(|why| (Status::Crashed, format!("{} cannot be run: {why}", self.words[0])))?;
        if finished.output.len() as u64 == process::MOST_BYTES {
            return Err((Status::WrongAnswer, "printed a mebibyte, and more".to_owned()));
        }
        match finished.end {
            End::Exited(status) if self.study.is_some() && status.code() == Some(OUT_OF_MEMORY) => {
                return Err((Status::OutOfMemory, why(status, &finished.errors)));
            }
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
        let (protocol, right) = self.expected(n);
        let answer = Answer::read(&finished.output, &protocol, iterations, finished.elapsed)
            .map_err(|why| (Status::WrongAnswer, why))?;
        let found = answer.answer;
        match found == right {
            true => Ok((answer, finished)),
            false => {
                let what = if self.study.is_some() { "as the answer" } else { "solutions" };
                let message = format!("{found} {what} instead of {right}");
                Err((Status::WrongAnswer, message))
            }
        }
    }
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
        let of = |warm_up, together_ns, each_ns| {
            let Searches { warm_up, timed } = Searches::new(warm_up, together_ns, each_ns);
            (warm_up, timed)
        };
        assert_eq!(of(1, 100, 30), (1, 4));
        assert_eq!(of(0, 100, 1_000), (0, 1));
        assert_eq!(of(1, u64::MAX, 0), (1, 1_000));
        // A warm-up that is needed lasts long enough too.
        assert_eq!(of(40, 100_000_000, 20_000_000), (40, 5));
        assert_eq!(of(40, 100_000_000, 2_000_000), (100, 50));
        assert_eq!(of(40, 100_000_000, 10_000), (1_000, 1_000));
    }
}
