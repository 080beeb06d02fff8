//! The events, and what the system says to them.

use perf_event::events::{Event, Hardware};
use perf_event::{Builder, Counter, Group};
use report::{CounterSource, Counters};
use std::fs;
use std::io::{self, ErrorKind};

type Place = fn(&mut Counters) -> &mut Option<u64>;

type Members = Vec<(Counter, Place)>;

/// Place of the event that the system refused, if it was one, and its error.
type Refusal = (Option<usize>, io::Error);

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
    counters: Members,
    /// Events that cannot be counted, each with the reason.
    missing: Vec<String>,
}

impl Events {
    /// Asks for the counters; the error says in one line why there are none.
    pub fn open() -> Result<Self, String> {
        Self::of(&EVENTS.map(|(name, event, place)| (name, event.into(), place)))
    }

    /// Counters of as many of these events as can be counted together.
    fn of(events: &[(&'static str, Event, Place)]) -> Result<Self, String> {
        let mut events = events.to_vec();
        let mut missing = Vec::new();
        loop {
            let (place, error) = match Self::all_of(&events) {
                Ok((group, counters)) => return Ok(Events { group, counters, missing }),
                Err(refusal) => refusal,
            };
            match place {
                Some(place) if events.len() > 1 => {
                    missing.push(format!("{}: {error}", events.remove(place).0));
                }
                _ => return Err(refused(error)),
            }
        }
    }

    /// Counters of all these events, or which one was refused. A group is of no
    /// use after that: this crate takes the refused one for a member.
    fn all_of(events: &[(&str, Event, Place)]) -> Result<(Group, Members), Refusal> {
        let mut group = Group::new().map_err(|error| (None, error))?;
        let mut counters = Vec::new();
        for (index, (_, event, place)) in events.iter().enumerate() {
            let counter = Builder::new().group(&mut group).kind(event.clone()).build();
            counters.push((counter.map_err(|error| (Some(index), error))?, *place));
        }
        Ok((group, counters))
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
        let mut read = Counters::none(CounterSource::Perf);
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

    /// Events of the kernel, which are there without the processor's help.
    #[test]
    fn a_group_is_read_as_one() {
        use perf_event::events::{Cache, CacheOp, CacheResult, Software, WhichCache};
        // Nobody writes by way of the instructions' address cache.
        let (which, operation) = (WhichCache::ITLB, CacheOp::WRITE);
        let nothing = Cache { which, operation, result: CacheResult::MISS };
        let events: [(&str, Event, Place); 3] = [
            ("page faults", Software::PAGE_FAULTS.into(), |counters| &mut counters.instructions),
            ("time", Software::TASK_CLOCK.into(), |counters| &mut counters.cycles),
            ("nothing", nothing.into(), |counters| &mut counters.branches),
        ];
        let mut events = match Events::of(&events) {
            Ok(events) => events,
            // Not even these are allowed everywhere.
            Err(why) => return assert!(why.starts_with("perf_event_open: "), "{why}"),
        };
        let pages = std::hint::black_box(vec![1u8; 8 << 20]);
        events.start().unwrap();
        let touched = std::hint::black_box(pages.clone());
        events.stop().unwrap();
        drop(std::hint::black_box(vec![1u8; 8 << 20]));
        let counters = events.read().unwrap();
        // Pages of 4 KiB, or fewer and larger ones; and a few for the allocator.
        let most = (touched.len() as u64 >> 12) + 64;
        let faults = counters.instructions.unwrap();
        assert!(0 < faults && faults <= most, "{counters:?}");
        assert!(counters.cycles.is_some_and(|time_ns| time_ns > 0), "{counters:?}");
        let why = counters.unavailable.unwrap();
        assert!(why.starts_with("nothing: ") && counters.branches.is_none(), "{why}");
    }
}
