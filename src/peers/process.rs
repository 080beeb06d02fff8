//! A program that is not ours: started on a core, watched, ended in time with
//! all that it started, and its peak memory read.

use crate::child::{end_of, start_of};
use crate::machine;
use serde::{Deserialize, Serialize};
use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How often a running program is looked at. Each look takes some microseconds
/// on another core than its own.
const LOOK: Duration = Duration::from_millis(20);

/// How long after a program's end its output may stay open, in the hands of
/// something that it started.
const LINGER: Duration = Duration::from_secs(2);

/// Most bytes that are read of its output. Then the pipe is closed, which ends most programs.
pub const MOST_BYTES: u64 = 1 << 20;

/// The process group of the program that runs.
static RUNNING: Mutex<Option<u32>> = Mutex::new(None);

/// How a program ended.
#[derive(Debug)]
pub enum End {
    /// By itself, or by a signal of others.
    Exited(ExitStatus),
    /// It was ended, since it took too long.
    TimedOut,
    /// It was ended, since it took too much memory.
    TooLarge,
}

/// What a program may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Time, from its start to its end.
    pub time: Duration,
    /// Peak resident set, in bytes.
    pub rss_bytes: u64,
}

impl Limits {
    /// So much time, and memory without a limit.
    pub fn time(time: Duration) -> Self {
        Self { time, rss_bytes: u64::MAX }
    }
}

/// A program that has ended.
#[derive(Debug)]
pub struct Finished {
    /// How.
    pub end: End,
    /// What it wrote to standard output.
    pub output: Vec<u8>,
    /// The end of what it wrote to standard error.
    pub errors: Vec<u8>,
    /// From its start to its end.
    pub elapsed: Duration,
    /// Peak resident set in bytes, where it could be found out.
    pub rss_peak_bytes: Option<u64>,
}

/// Runs a program to its end, on one core if one is given.
///
/// # Errors
///
/// It cannot be started.
pub fn run(command: &mut Command, core: Option<usize>, limits: Limits) -> io::Result<Finished> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    own_group(command);
    let start = Instant::now();
    let mut child = {
        // Held meanwhile, so that a signal cannot come between its start and this note of it.
        let mut running = running();
        let child = start_on(command, core)?;
        *running = Some(child.id());
        child
    };
    let group = child.id();
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let output =
        in_thread(move || output.map(|pipe| start_of(pipe, MOST_BYTES)).unwrap_or_default());
    let errors = in_thread(move || errors.map(end_of).unwrap_or_default());
    let ended = in_thread(move || child.wait());

    let mut seen_bytes = None;
    let end = loop {
        let look = LOOK.min(limits.time.saturating_sub(start.elapsed()));
        match ended.recv_timeout(look) {
            Ok(status) => break End::Exited(status?),
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("lost a child")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        seen_bytes = machine::rss_peak_bytes_of(group).or(seen_bytes);
        let late = start.elapsed() >= limits.time;
        if late || seen_bytes.is_some_and(|bytes| bytes > limits.rss_bytes) {
            machine::kill_group(group);
            let _ = ended.recv();
            break if late { End::TimedOut } else { End::TooLarge };
        }
    };
    let elapsed = start.elapsed();
    // What it left running would take the core of what comes next.
    machine::kill_group(group);
    *running() = None;
    Ok(Finished {
        end,
        output: output.recv_timeout(LINGER).unwrap_or_default(),
        errors: errors.recv_timeout(LINGER).unwrap_or_default(),
        elapsed,
        rss_peak_bytes: rss_peak_bytes(seen_bytes),
    })
}

/// Ends the program that runs, and all that it started; for a process that is
/// about to end itself.
pub fn end_running() {
    if let Some(group) = running().take() {
        machine::kill_group(group);
    }
}

fn running() -> std::sync::MutexGuard<'static, Option<u32>> {
    RUNNING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A group of its own, so that all of it can be ended.
fn own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Starts a program from a thread that is on the core, which it inherits; this
/// thread, which watches it, stays off.
fn start_on(command: &mut Command, core: Option<usize>) -> io::Result<Child> {
    let start = || {
        core.into_iter().for_each(machine::pin);
        command.spawn()
    };
    let started = thread::scope(|scope| scope.spawn(start).join());
    started.unwrap_or_else(|_| Err(io::Error::other("a thread panicked")))
}

/// What a closure gives, once it does.
fn in_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (sender, receiver) = mpsc::channel();
    // Nobody may wait for it any more.
    thread::spawn(move || _ = sender.send(work()));
    receiver
}

/// The system's figure for ended children. It begins with what this process
/// had when it started the first, so up to that it tells nothing, and what was
/// seen of the child while it ran must do. In a process that runs one program
/// it is that program's.
fn rss_peak_bytes(seen_bytes: Option<u64>) -> Option<u64> {
    let own_bytes = machine::rss_peak_bytes()?;
    machine::rss_peak_bytes_of_children().filter(|&bytes| bytes > own_bytes).or(seen_bytes)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn sh(script: &str, time: Duration) -> Finished {
        let limits = Limits { time, rss_bytes: 256 << 20 };
        run(Command::new("sh").args(["-c", script]), machine::last_core(), limits).unwrap()
    }

    #[test]
    fn all_that_hangs_is_ended() {
        let start = Instant::now();
        let hung = sh("echo before; sleep 1000 & sleep 1000", Duration::from_millis(300));
        assert!(matches!(hung.end, End::TimedOut));
        assert_eq!(hung.output, b"before\n");
        // What a program leaves behind does not keep us waiting for its output.
        let left = sh("sleep 1000 & echo $!", Duration::from_secs(60));
        assert!(matches!(left.end, End::Exited(status) if status.success()));
        let process = String::from_utf8(left.output).unwrap();
        assert!(start.elapsed() < Duration::from_secs(30));
        let gone = || !std::path::Path::new("/proc").join(process.trim()).join("exe").exists();
        let deadline = Instant::now() + Duration::from_secs(10);
        while !gone() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
        assert!(gone(), "process {process} still runs");
    }

    #[test]
    fn what_takes_too_much_memory_is_ended() {
        // A block of a gigabyte, filled at once.
        let large = sh("exec dd if=/dev/zero of=/dev/null bs=1G count=50", Duration::from_secs(60));
        assert!(matches!(large.end, End::TooLarge), "{large:?}");
        assert!(large.rss_peak_bytes > Some(256 << 20));
    }

    #[test]
    fn it_runs_on_the_core() {
        let core = machine::last_core().unwrap();
        let shown = sh("grep Cpus_allowed_list /proc/self/status", Duration::from_secs(60));
        let shown = String::from_utf8(shown.output).unwrap();
        assert_eq!(shown.split_whitespace().last(), Some(core.to_string().as_str()));
    }
}
