//! This process: its core, its parent, its memory.

use std::fs;
#[cfg(target_os = "linux")]
use std::path::Path;

/// Name of the environment variable that tells a child its parent's process number.
pub const PARENT: &str = "RC_VS_GC_PARENT";

/// Whether a file is part of this process's memory, as far as the system tells.
pub fn maps(path: &str) -> bool {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.lines().any(|line| line.ends_with(path))
}

/// Peak resident set of this process, in bytes.
pub fn rss_peak_bytes() -> Option<u64> {
    super::text::rss_peak_bytes(&fs::read_to_string("/proc/self/status").ok()?)
}

/// Peak resident set of a process that still runs, in bytes.
pub fn rss_peak_bytes_of(process: u32) -> Option<u64> {
    super::text::rss_peak_bytes(&fs::read_to_string(format!("/proc/{process}/status")).ok()?)
}

/// Largest peak resident set of the children of this process that have ended, in bytes. A child
/// begins with what its parent had.
#[cfg(target_os = "linux")]
pub fn rss_peak_bytes_of_children() -> Option<u64> {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    u64::try_from(usage.max_rss()).ok().map(|kib| kib << 10)
}

/// Asks a child to end; it has no more to say.
#[cfg(target_os = "linux")]
pub fn terminate(child: &mut std::process::Child) {
    use rustix::process::{Pid, Signal, kill_process};
    // It may have ended by itself. It is not killed, since it may have to end a child of its own.
    let _ = kill_process(Pid::from_child(child), Signal::TERM);
}

/// Ends a process group at once.
#[cfg(target_os = "linux")]
pub fn kill_group(group: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = i32::try_from(group).ok().and_then(Pid::from_raw);
    // Nothing may be left of it.
    let _ = group.map(|group| kill_process_group(group, Signal::KILL));
}

/// The core on which a single thread runs: the last one that this process may run on, which is
/// the first of [`cores`].
pub fn last_core() -> Option<usize> {
    allowed().last().copied()
}

/// The cores that this process may run on, lowest first.
#[cfg(target_os = "linux")]
fn allowed() -> Vec<usize> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let allowed = sched_getaffinity(None).ok();
    let allowed = allowed.map(|set| (0..CpuSet::MAX_CPU).filter(move |&core| set.is_set(core)));
    allowed.into_iter().flatten().collect()
}

/// The cores that this process may run on, in the order in which threads are put on them: from
/// the last one, since the first ones serve the system's interrupts; of logical cores that share
/// a physical one, one each before the others. Always the same order, whoever is busy, since
/// cores may differ and runs are compared.
#[cfg(target_os = "linux")]
pub fn cores() -> Vec<usize> {
    let siblings = |core| {
        let told = super::siblings(&Path::new(super::CPUS).join(format!("cpu{core}")));
        super::text::cores(&told.unwrap_or_default())
    };
    in_order(&allowed(), siblings)
}

/// The allowed cores, those first that no later one of the same physical core is before.
fn in_order(allowed: &[usize], siblings: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut ranked: Vec<(usize, std::cmp::Reverse<usize>)> = allowed
        .iter()
        .map(|&core| {
            let later = |other: &&usize| **other > core && allowed.contains(other);
            (siblings(core).iter().filter(later).count(), std::cmp::Reverse(core))
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, core)| core.0).collect()
}

/// Processor time of all threads of this process so far, in nanoseconds.
#[cfg(target_os = "linux")]
pub fn cpu_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Keeps this thread on one core; whether the system allowed that.
#[cfg(target_os = "linux")]
pub fn pin(core: usize) -> bool {
    let mut only = rustix::thread::CpuSet::new();
    // A core beyond the set is none that the system has.
    if core >= rustix::thread::CpuSet::MAX_CPU {
        return false;
    }
    only.set(core);
    rustix::thread::sched_setaffinity(None, &only).is_ok()
}

/// Ends this process when its parent does, where the system can.
#[cfg(target_os = "linux")]
pub fn end_with_parent() {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    let _ = set_parent_process_death_signal(Some(Signal::TERM));
    // A parent that ended before this has no death to signal any more.
    let expected = std::env::var(PARENT).ok().and_then(|parent| parent.parse::<i32>().ok());
    let parent = getppid().map(|parent| parent.as_raw_nonzero().get());
    if expected.is_some_and(|expected| parent != Some(expected)) {
        std::process::exit(crate::exit::Exit::Interrupted as i32);
    }
}

/// Ends all processes whose environment, as they began, has this in it.
#[cfg(target_os = "linux")]
pub fn kill_marked(mark: &str) {
    use rustix::process::{Pid, Signal, kill_process};
    /// Most times that all processes are looked at: some start others meanwhile.
    const PASSES: u32 = 10;
    for _ in 0..PASSES {
        let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let mut killed = false;
        for number in numbers {
            let environment = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
            if environment.windows(mark.len()).any(|part| part == mark.as_bytes()) {
                let process = Pid::from_raw(number);
                killed |= process.is_some_and(|pid| kill_process(pid, Signal::KILL).is_ok());
            }
        }
        if !killed {
            break;
        }
    }
}

/// None: pinning is known for Linux only.
#[cfg(not(target_os = "linux"))]
fn allowed() -> Vec<usize> {
    Vec::new()
}

/// No cores, as above.
#[cfg(not(target_os = "linux"))]
pub fn cores() -> Vec<usize> {
    Vec::new()
}

/// Nothing: known for Linux only.
#[cfg(not(target_os = "linux"))]
pub fn cpu_ns() -> u64 {
    0
}

/// None: known for Linux only.
#[cfg(not(target_os = "linux"))]
pub fn rss_peak_bytes_of_children() -> Option<u64> {
    None
}

/// Kills a child.
#[cfg(not(target_os = "linux"))]
pub fn terminate(child: &mut std::process::Child) {
    let _ = child.kill();
}

/// Does nothing: known for Linux only.
#[cfg(not(target_os = "linux"))]
pub fn kill_group(_: u32) {}

/// Does nothing: known for Linux only.
#[cfg(not(target_os = "linux"))]
pub fn kill_marked(_: &str) {}

/// Does nothing: pinning is known for Linux only.
#[cfg(not(target_os = "linux"))]
pub fn pin(_: usize) -> bool {
    false
}

/// Does nothing: known for Linux only.
#[cfg(not(target_os = "linux"))]
pub fn end_with_parent() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn physical_cores_come_first() {
        // Two logical cores each: 0 and 4, 1 and 5, ...; one is not allowed.
        let siblings = |core: usize| vec![core % 4, core % 4 + 4];
        assert_eq!(in_order(&[0, 1, 2, 3, 4, 5, 7], siblings), [7, 5, 4, 2, 3, 1, 0]);
        assert_eq!(in_order(&[0, 1, 2], |_| Vec::new()), [2, 1, 0]);
        assert!(in_order(&[], |_| Vec::new()).is_empty());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_cores_and_uses_time() {
        assert!(!cores().is_empty());
        assert_eq!(cores().first().copied(), last_core());
        let (all, physical) = (cores(), super::super::physical_cores_of(&cores()));
        assert!(physical.is_none_or(|physical| (1..=all.len()).contains(&(physical as usize))));
        assert_eq!(super::super::physical_cores_of(&[]), None);
        let before = cpu_ns();
        while cpu_ns() == before {
            std::hint::black_box((0..10_000).sum::<u64>());
        }
    }
}
