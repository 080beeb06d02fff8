//! Exit codes, and errors that know theirs.

use report::{Record, Status};
use std::fmt;
use std::process::ExitCode;

/// How the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All went well.
    Done = 0,
    /// A wrong answer, a leak or a crash; or the command itself failed.
    Failed = 1,
    /// Something that was given is not right.
    BadInput = 2,
    /// A backend reached its heap limit.
    OutOfMemory = 3,
    /// Ctrl-C; what was measured is kept.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

impl From<Status> for Exit {
    fn from(status: Status) -> Self {
        match status {
            Status::Ok => Exit::Done,
            Status::OutOfMemory => Exit::OutOfMemory,
            Status::Crashed | Status::Leaked | Status::WrongAnswer | Status::TimedOut => {
                Exit::Failed
            }
        }
    }
}

impl Exit {
    /// How a run with these samples ends: a failure says more than an
    /// interruption, and that more than a heap limit.
    pub fn of_run(records: &[Record], interrupted: bool) -> Self {
        let any = |exit| records.iter().any(|record| Exit::from(record.status) == exit);
        if any(Exit::Failed) {
            Exit::Failed
        } else if interrupted {
            Exit::Interrupted
        } else if any(Exit::OutOfMemory) {
            Exit::OutOfMemory
        } else {
            Exit::Done
        }
    }
}

/// Why the command stops, in one line, and its exit code.
#[derive(Debug)]
pub struct Stop {
    /// The exit code.
    pub exit: Exit,
    /// The reason.
    pub why: anyhow::Error,
}

impl Stop {
    /// Something that was given is not right.
    pub fn bad_input(why: impl Into<anyhow::Error>) -> Self {
        Stop { exit: Exit::BadInput, why: why.into() }
    }
}

/// The reason and its causes, but for those that it already tells.
impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for cause in self.why.chain().map(ToString::to_string) {
            if text.is_empty() {
                text = cause;
            } else if !text.contains(&cause) {
                text = format!("{text}: {cause}");
            }
        }
        f.write_str(&text)
    }
}

impl<E: Into<anyhow::Error>> From<E> for Stop {
    fn from(why: E) -> Self {
        Stop { exit: Exit::Failed, why: why.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_end_decides() {
        let ended = |status| Record { status, ..Record::new() };
        let [good, full, leaked] = [Status::Ok, Status::OutOfMemory, Status::Leaked].map(ended);
        let exit = |records: &[&Record], interrupted| {
            let records: Vec<Record> = records.iter().map(|&record| record.clone()).collect();
            Exit::of_run(&records, interrupted)
        };
        assert_eq!(exit(&[&good], false), Exit::Done);
        assert_eq!(exit(&[&good, &full], false), Exit::OutOfMemory);
        assert_eq!(exit(&[&good, &full], true), Exit::Interrupted);
        assert_eq!(exit(&[&leaked, &full], true), Exit::Failed);
    }
}
