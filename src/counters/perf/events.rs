//! The events, and what the system says to them.

use crate::counters::none;
use perf_event::events::Hardware;
use perf_event::{Builder, Counter, Group};
use report::{CounterSource, Counters};
use std::fs;
use std::io::{self, ErrorKind};

type Place = fn(&mut Counters) -> &mut Option<u64>;

/// The events, and where their counts go.
const EVENTS: [(&str, Hardware, Place); 5] = [
    ("instructions", Hardware::INSTRUCTIONS, |counters| &mut counters.instructions),
    ("cycles", Hardware::CPU_CYCLES, |counters| &mut counters.cycles),
    ("branches", Hardware::BRANCH_INSTRUCTIONS, |counters| &mut counters.branches),
    ("branch misses", Hardware::BRANCH_MISSES, |counters| &mut counters.branch_misses),
    ("cache misses", Hardware::CACHE_MISSES, |counters| &mut counters.ll_misses),
];

/// Counters of this process in user mode, started and stopped together.
pub struct Events {
    group: Group,
    counters: Vec<(Counter, Place)>,
    /// Events that cannot be counted, each with the reason.
    missing: Vec<String>,
}

impl Events {
    /// Asks for the counters; the error says in one line why there are none.
    pub fn open() -> Result<Self, String> {
        let mut group = Group::new().map_err(refused)?;
        let (mut counters, mut missing) = (Vec::new(), Vec::new());
        let mut last = None;
        for (name, event, place) in EVENTS {
            match Builder::new().group(&mut group).kind(event).build() {
                Ok(counter) => counters.push((counter, place)),
                Err(error) => {
                    missing.push(format!("{name}: {error}"));
                    last = Some(error);
                }
            }
        }
        match last {
            Some(error) if counters.is_empty() => Err(refused(error)),
            _ => Ok(Events { group, counters, missing }),
        }
    }

    pub fn start(&mut self) -> Result<(), String> {
        self.group.enable().map_err(refused)
    }

    pub fn stop(&mut self) -> Result<(), String> {
        self.group.disable().map_err(refused)
    }

    /// What was counted.
    pub fn read(&mut self) -> Result<Counters, String> {
        let counts = self.group.read().map_err(refused)?;
        whole(counts.time_enabled(), counts.time_running())?;
        let mut read = none(CounterSource::Perf);
        for (counter, place) in &self.counters {
            *place(&mut read) = counts.get(counter).copied();
        }
        if !self.missing.is_empty() {
            read.unavailable = Some(self.missing.join("; "));
        }
        Ok(read)
    }
}

/// That the counters ran all the time that they were switched on.
fn whole(enabled_ns: u64, running_ns: u64) -> Result<(), String> {
    if 0 < running_ns && running_ns == enabled_ns {
        return Ok(());
    }
    Err(format!(
        "the processor's counters were shared: these ran for {running_ns} of {enabled_ns} ns"
    ))
}

/// Why the system refused.
fn refused(error: io::Error) -> String {
    let paranoid = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").ok();
    explained(&error, paranoid.and_then(|text| text.trim().parse().ok()))
}

/// The system's error, and what is behind it where that is known.
fn explained(error: &io::Error, paranoid: Option<i32>) -> String {
    /// The highest level at which a process may count itself in user mode.
    const OWN_EVENTS: i32 = 2;
    let why = match (error.kind(), paranoid) {
        (ErrorKind::PermissionDenied, Some(level)) if level > OWN_EVENTS => {
            format!("kernel.perf_event_paranoid is {level}, {OWN_EVENTS} or less is needed")
        }
        (ErrorKind::PermissionDenied, _) => "a container may forbid it".to_owned(),
        (ErrorKind::NotFound | ErrorKind::Unsupported, _) => {
            "the processor, or its virtual machine, has no such counters".to_owned()
        }
        _ => return format!("perf_event_open: {error}"),
    };
    format!("perf_event_open: {error}; {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_told() {
        let error = |number| io::Error::from_raw_os_error(number);
        // EACCES, EPERM, ENOENT, EOPNOTSUPP, EMFILE: the same on these processors.
        let text = explained(&error(13), Some(4));
        assert!(text.starts_with("perf_event_open: Permission denied"), "{text}");
        assert!(text.ends_with("perf_event_paranoid is 4, 2 or less is needed"), "{text}");
        let text = explained(&error(1), Some(2));
        assert!(text.contains("not permitted") && text.contains("container"), "{text}");
        for number in [2, 95] {
            assert!(explained(&error(number), Some(4)).contains("virtual machine"));
        }
        assert_eq!(explained(&error(24), None).matches(';').count(), 0);
    }

    #[test]
    fn shared_counters_are_refused() {
        assert_eq!(whole(5, 5), Ok(()));
        assert!(whole(1000, 999).unwrap_err().contains("999 of 1000 ns"));
        assert!(whole(5, 0).is_err() && whole(0, 0).is_err());
    }
}
