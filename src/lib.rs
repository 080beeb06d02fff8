//! The command `rc-vs-gc`: measures one program under every memory manager.
//!
//! | module | one idea |
//! |---|---|
//! | `options` | what may be given on the command line |
//! | `arguments` | the arguments of this process, and those that a record tells |
//! | `axis` | what a sweep varies |
//! | `values` | how each value is written, and what is said of a wrong one |
//! | `config` | a backend with its parameters, checked |
//! | `study` | the order of a run: blocks, each shuffled, one backend entered twice |
//! | `precision` | when a run without a fixed number of rounds has enough of them |
//! | `resume` | what an interrupted run has left to do |
//! | `child` | a sample as its parent sees it: a process that answers with a record |
//! | `peers` | the same program in other languages |
//! | `counters` | instructions and other events of one search, from callgrind or the processor |
//! | [`sample`] | a sample as the child runs it: warm-up, timed runs, counted run |
//! | `times` | the times of a sample, in a bounded list |
//! | [`expected`] | answers and work counts that every backend must reach |
//! | `machine` | the machine and compiler, described |
//! | `folder` | the output folder, where nothing measured is overwritten |
//! | `measure` | a measuring run from options to exit code |
//! | `records` | record files as they are read to be shown: each sample once |
//! | `render` | tables and report of finished records |
//! | `splice` | the headline and its table within a document |
//! | `explain` | where the time goes, from records |
//! | `compare` | two runs of the same work, with verdicts |
//! | `merge` | record files joined into one |
//! | `list` | the registry, for people and for programs |
//! | `terminal` | standard output, standard error, progress |
//! | `exit` | exit codes |

#![forbid(unsafe_code)]

mod arguments;
mod axis;
mod child;
mod compare;
mod config;
mod counters;
mod exit;
pub mod expected;
mod explain;
mod folder;
mod list;
mod machine;
mod measure;
mod merge;
mod options;
mod parallel;
mod peers;
mod precision;
mod records;
mod render;
mod resume;
pub mod sample;
mod splice;
mod study;
mod terminal;
mod times;
mod values;

use arguments::Given;
use exit::{Exit, Stop};
use options::Command;
use std::process::ExitCode;
use study::Work;

/// Runs the command with the arguments of the process.
pub fn main() -> ExitCode {
    let done = match arguments::read() {
        Ok(Given::Text(text)) => terminal::print(&text).map(|_| Exit::Done).map_err(Stop::from),
        Ok(Given::Run(options)) => match options.command {
            None => measure::run(&options.measure, Work::Queens(&[])),
            Some(Command::Sweep(sweep)) => measure::run(&sweep.measure, Work::Queens(&sweep.axes)),
            Some(Command::Study(given)) => {
                measure::run(&given.measure, Work::Study(given.study, &given.workload))
            }
            Some(Command::List(options)) => list::run(&options),
            Some(Command::Report(options)) => render::run(&options),
            Some(Command::Explain(options)) => explain::run(&options),
            Some(Command::Compare(options)) => compare::run(&options),
            Some(Command::Merge(options)) => merge::run(&options),
            Some(Command::Peers(options)) => peers::run(&options),
            Some(Command::Sample) => sample::main(),
        },
        Err(stop) => Err(stop),
    };
    let exit = done.unwrap_or_else(|stop| {
        terminal::say(&format!("error: {stop}"));
        stop.exit
    });
    exit.into()
}
