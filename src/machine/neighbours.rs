//! Other processes that keep the measured core busy. The system is asked
//! twice, a moment apart, who used a processor in between; of these the ones
//! with a running thread on that core are named. Processes may come and go
//! meanwhile, and may call themselves anything.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Between the two readings.
const MOMENT: Duration = Duration::from_millis(50);

/// The kernel's clock ticks in a second, as `/proc` counts them; fixed on all
/// processors of today (`USER_HZ`).
const TICKS_PER_S: f64 = 100.0;

/// Ticks in which a process was seen at work, at least: one may be chance.
const LEAST_TICKS: u64 = 2;

/// Another process on the measured core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// What it calls itself.
    pub name: String,
    /// Its number.
    pub process: u32,
    /// The core.
    pub core: usize,
    /// Processor time that it used, as a share of the time that passed.
    pub busy_percent: u32,
}

/// The processes other than this one that now keep this core busy; none where
/// the system does not tell. Takes about 50 ms.
pub fn neighbours(core: Option<usize>) -> Vec<Neighbour> {
    let Some(core) = core.filter(|_| cfg!(target_os = "linux")) else { return Vec::new() };
    let before = processes();
    let start = Instant::now();
    thread::sleep(MOMENT);
    let ticks = start.elapsed().as_secs_f64() * TICKS_PER_S;
    let mut found: Vec<Neighbour> = processes()
        .into_iter()
        .filter(|(process, _)| *process != std::process::id())
        .filter_map(|(process, now)| {
            let used = now.used_since(before.get(&process)?)?;
            let runs = used >= LEAST_TICKS && threads(process).any(|thread| thread.runs_on(core));
            let busy_percent = (used as f64 / ticks * 100.0).round() as u32;
            runs.then_some(Neighbour { name: now.name, process, core, busy_percent })
        })
        .collect();
    found.sort_unstable_by_key(|neighbour| neighbour.process);
    found
}

/// What `/proc/.../stat` says of a process or thread.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    name: String,
    state: char,
    used_ticks: u64,
    started_ticks: u64,
    core: usize,
}

impl Stat {
    fn read(path: &Path) -> Option<Self> {
        // Names need not be text.
        Self::parse(&String::from_utf8_lossy(&fs::read(path).ok()?))
    }

    fn parse(text: &str) -> Option<Self> {
        // The name, in parentheses, may hold parentheses; nothing after it does.
        let (name, rest) = text.split_once('(')?.1.rsplit_once(')')?;
        // The first of these is the third of all fields.
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        Some(Stat {
            name: name.to_owned(),
            state: fields.first()?.chars().next()?,
            used_ticks: number(14)?.checked_add(number(15)?)?,
            started_ticks: number(22)?,
            core: usize::try_from(number(39)?).ok()?,
        })
    }

    /// Ticks used since an earlier look; `None` if that was at another process
    /// of the same number.
    fn used_since(&self, before: &Stat) -> Option<u64> {
        let same = self.started_ticks == before.started_ticks;
        self.used_ticks.checked_sub(before.used_ticks).filter(|_| same)
    }

    fn runs_on(&self, core: usize) -> bool {
        self.state == 'R' && self.core == core
    }
}

/// All processes that can be seen, by number.
fn processes() -> HashMap<u32, Stat> {
    stats(Path::new("/proc")).collect()
}

/// The threads of a process.
fn threads(process: u32) -> impl Iterator<Item = Stat> {
    stats(Path::new(&format!("/proc/{process}/task"))).map(|(_, stat)| stat)
}

/// Of each numbered folder in this one what its `stat` says.
fn stats(folder: &Path) -> impl Iterator<Item = (u32, Stat)> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| {
        let number = entry.file_name().to_str()?.parse().ok()?;
        Some((number, Stat::read(&entry.path().join("stat"))?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of `/proc/.../stat` with 52 fields.
    fn line(name: &str, state: char, utime: &str, started: u64, core: &str) -> String {
        format!(
            "17 ({name}) {state} 1 17 17 0 -1 4194304 100 0 0 0 {utime} 3 0 0 20 0 1 0 {started} \
             8192 100 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 {core} 0 0 0 0 0 \
             0 0 0 0 0 0 0 0\n"
        )
    }

    #[test]
    fn names_may_be_anything() {
        for name in ["cc1", "a b", "x) R 1 (", "", "\n) S 1 2 3\n", "((", "))"] {
            let stat = Stat::parse(&line(name, 'R', "40", 900, "5")).unwrap();
            let name = name.to_owned();
            let right = Stat { name, state: 'R', used_ticks: 43, started_ticks: 900, core: 5 };
            assert_eq!(stat, right);
            assert!(stat.runs_on(5) && !stat.runs_on(4));
        }
    }

    #[test]
    fn other_texts_are_no_processes() {
        let good = line("x", 'R', "1", 1, "0");
        let short = &good[..good.rfind(" 17 0 ").unwrap()];
        let (odd, large) = (line("x", 'R', "-1", 1, "0"), line("x", 'R', "1", 1, "-1"));
        for text in ["", "17", "17 (x", "17 x) R", "17 (x)", short, &odd, &large] {
            assert_eq!(Stat::parse(text), None, "{text}");
        }
    }

    #[test]
    fn only_the_same_process_has_used_time() {
        let stat = |used, started| Stat::parse(&line("x", 'S', used, started, "0")).unwrap();
        assert_eq!(stat("9", 5).used_since(&stat("2", 5)), Some(7));
        assert_eq!(stat("9", 6).used_since(&stat("2", 5)), None);
        assert_eq!(stat("1", 5).used_since(&stat("2", 5)), None);
        assert!(!stat("9", 5).runs_on(0));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_is_seen_but_no_neighbour() {
        assert!(processes().contains_key(&std::process::id()));
        assert!(threads(std::process::id()).count() > 0);
        let found = neighbours(super::super::last_core());
        assert!(found.iter().all(|neighbour| neighbour.process != std::process::id()));
        assert_eq!(neighbours(None), []);
    }
}
