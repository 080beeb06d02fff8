//! A program that is not ours: started on a core, watched, ended in time with
//! all that it started, and its peak memory read.

use crate::child::{PADDING, end_of, start_of};
use crate::machine;
use serde::{Deserialize, Serialize};
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

/// How often a running program is looked at. Each look takes some microseconds.
const LOOK: Duration = Duration::from_millis(20);

/// How long after a program's end its output may stay open, in the hands of
/// something that it started.
const LINGER: Duration = Duration::from_secs(2);

/// Most bytes that are read of the output of a program whose answer they are.
pub const MOST_BYTES: u64 = 1 << 20;

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
    /// Peak resident set of its largest process, in bytes.
    pub rss_bytes: u64,
}

impl Limits {
    /// So much time, and memory without a limit.
    pub fn time(time: Duration) -> Self {
        Self { time, rss_bytes: u64::MAX }
    }
}

/// Which part of a program's output is kept.
#[derive(Clone, Copy, Debug)]
pub enum Keep {
    /// The first mebibyte; then the pipe is closed, which ends most programs.
    Start,
    /// The last kibibytes.
    End,
}

impl Keep {
    fn read(self, pipe: impl Read) -> Vec<u8> {
        match self {
            Keep::Start => start_of(pipe, MOST_BYTES),
            Keep::End => end_of(pipe),
        }
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

impl Finished {
    /// Whether it ended by itself, and well.
    pub fn succeeded(&self) -> bool {
        matches!(self.end, End::Exited(status) if status.success())
    }
}

/// Runs a program to its end, on one core if one is given. All that it started ends with it.
///
/// # Errors
///
/// It cannot be started.
pub fn run(
    command: &mut Command,
    core: Option<usize>,
    limits: Limits,
    keep: Keep,
) -> io::Result<Finished> {
    let mark = Mark::new();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env(MARK, &mark.0);
    own_group(command);
    let before_bytes = rss_before();
    let start = Instant::now();
    let mut child = {
        let stopping = stopping();
        if *stopping {
            return Err(io::Error::other("interrupted"));
        }
        start_on(command, core)?
    };
    let process = child.id();
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let output = in_thread(move || output.map(|pipe| keep.read(pipe)).unwrap_or_default());
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
        seen_bytes = machine::rss_peak_bytes_of(process).or(seen_bytes);
        let late = start.elapsed() >= limits.time;
        if late || seen_bytes > Some(limits.rss_bytes) {
            machine::kill_group(process);
            mark.kill();
            // Only what has changed its environment is still there, and not waited for.
            let _ = ended.recv_timeout(LINGER);
            break if late { End::TimedOut } else { End::TooLarge };
        }
    };
    let elapsed = start.elapsed();
    // What it left running would take the core of what comes next, and keep its output open.
    mark.kill();
    // The system's own figure where it tells something; otherwise what was seen must do.
    let told_bytes = machine::rss_peak_bytes_of_children();
    let rss_peak_bytes = told_bytes.filter(|_| told_bytes > before_bytes).or(seen_bytes);
    let end = match end {
        End::Exited(_) if rss_peak_bytes > Some(limits.rss_bytes) => End::TooLarge,
        end => end,
    };
    Ok(Finished {
        end,
        output: output.recv_timeout(LINGER).unwrap_or_default(),
        errors: errors.recv_timeout(LINGER).unwrap_or_default(),
        elapsed,
        rss_peak_bytes,
    })
}

/// Ends all programs that run and all that they started; none is started any more.
pub fn end_running() {
    *stopping() = true;
    end_runs_of(std::process::id());
}

/// Ends what another process, which has ended before its time, ran by this module.
pub fn end_runs_of(process: u32) {
    machine::kill_marked(&format!("{MARK}={process}."));
}

/// Whether nothing is to be started any more. Held while a program is started, so that it carries
/// its mark when it is looked for.
fn stopping() -> MutexGuard<'static, bool> {
    static STOPPING: Mutex<bool> = Mutex::new(false);
    STOPPING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Name of the environment variable that tells what a program has started from other processes:
/// it may have left its process group, and its parent may have ended.
const MARK: &str = "RC_VS_GC_RUN";

/// The value of that variable: this process, and a number of the run.
struct Mark(String);

impl Mark {
    fn new() -> Self {
        static RUNS: AtomicU64 = AtomicU64::new(0);
        Self(format!("{}.{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed)))
    }

    /// Ends all that carries the mark.
    fn kill(&self) {
        machine::kill_marked(&format!("{MARK}={}\0", self.0));
    }
}

/// A command of these words, with what it needs of the environment of this process: the means to
/// find programs and files, the language, and the padding that moves the stack. What a user has set
/// for a compiler or a runtime would make its defaults others.
pub fn command(words: &[String], folder: &Path) -> Command {
    let names = ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", PADDING];
    let kept = names.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env_clear().envs(kept).current_dir(folder);
    command
}

/// A group of its own, so that all of it can be ended.
fn own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Starts a program from a thread that is on the core, which it inherits. This thread, which
/// watches it, is free to run on others.
fn start_on(command: &mut Command, core: Option<usize>) -> io::Result<Child> {
    let start = || {
        // Where it cannot be kept there it runs elsewhere.
        let _ = core.map(machine::pin);
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

/// Most bytes that this process, or a child of it that has ended, had resident. A child begins with
/// what its parent has, so only if it had more is this its own.
fn rss_before() -> Option<u64> {
    machine::rss_peak_bytes_of_children().max(machine::rss_peak_bytes())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn sh(script: &str, time: Duration) -> Finished {
        let limits = Limits::time(time);
        run(Command::new("sh").args(["-c", script]), machine::last_core(), limits, Keep::Start)
            .unwrap()
    }

    #[test]
    fn all_that_hangs_is_ended() {
        let start = Instant::now();
        let hung = sh("echo before; sleep 1000 & sleep 1000", Duration::from_millis(300));
        assert!(matches!(hung.end, End::TimedOut));
        assert_eq!(hung.output, b"before\n");
        // What a program leaves behind does not keep us waiting for its output.
        let left =
            sh("setsid sh -c 'echo $$; exec sleep 1000' & sleep 0.3", Duration::from_secs(60));
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
    fn it_runs_on_the_core() {
        let core = machine::last_core().unwrap();
        let shown = sh("grep Cpus_allowed_list /proc/self/status", Duration::from_secs(60));
        let shown = String::from_utf8(shown.output).unwrap();
        assert_eq!(shown.split_whitespace().last(), Some(core.to_string().as_str()));
    }
}
