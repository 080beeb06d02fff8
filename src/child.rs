//! A sample as its parent sees it: a process that is given a task and answers
//! with a record. One that dies without an answer is a crashed sample.

use crate::counters::callgrind;
use crate::exit::Exit;
use crate::sample::Task;
use crate::{machine, peers};
use anyhow::Context;
use report::record::params::ALLOCATOR;
use report::{CounterSource, Record, Status};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

mod end;
pub use end::why;

/// Name of the environment variable whose length varies from child to child,
/// since the length of the environment moves the stack.
pub const PADDING: &str = "RC_VS_GC_PADDING";

/// Most bytes of the padding: a page.
const PADDING_BYTES: usize = 4096;

/// Most bytes that are read of a child's answer; records are far smaller.
const ANSWER_BYTES: u64 = 64 << 20;

/// Bytes that are kept of what a child writes to standard error: the last ones.
const ERRORS_BYTES: usize = 16 << 10;

/// Starts children, one at a time, until it is interrupted.
#[derive(Clone)]
pub struct Children {
    program: PathBuf,
    running: Arc<Mutex<Option<Child>>>,
    interrupted: Arc<AtomicBool>,
}

/// A child that has ended.
pub struct Ended {
    /// How.
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub output: Vec<u8>,
    /// The end of what it wrote to standard error.
    pub errors: Vec<u8>,
}

impl Children {
    /// Children of this program, stopped by Ctrl-C; a second Ctrl-C ends this
    /// process at once.
    ///
    /// # Errors
    ///
    /// The program's own path is not known, or Ctrl-C cannot be caught.
    pub fn new() -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("the path of this program is not known")?;
        let children = Children { program, running: Arc::default(), interrupted: Arc::default() };
        let handler = children.clone();
        ctrlc::set_handler(move || handler.interrupt()).context("Ctrl-C cannot be caught")?;
        Ok(children)
    }

    /// The program that the children run: this one.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Whether Ctrl-C was pressed.
    pub fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }

    fn interrupt(&self) {
        if self.interrupted.swap(true, Ordering::SeqCst) {
            std::process::exit(Exit::Interrupted as i32);
        }
        // A peer may be being built in this process.
        peers::end_running();
        if let Some(child) = self.running().as_mut() {
            machine::terminate(child);
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<Child>> {
        self.running.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Runs a sample, and once more under callgrind if the task asks for that;
    /// `None` when it was interrupted.
    ///
    /// # Errors
    ///
    /// A child cannot be started, or not be talked to.
    pub fn run(&self, task: &Task) -> anyhow::Result<Option<Record>> {
        let mut command = Command::new(&self.program);
        command.arg("sample").env(PADDING, "x".repeat(fastrand::usize(..PADDING_BYTES)));
        let ended = self
            .finish(&mut command, task)
            .with_context(|| format!("{} cannot be run", self.program.display()))?;
        let Some(ended) = ended else { return Ok(None) };
        let answer = serde_json::from_slice(&ended.output).ok();
        let mut record: Record = answer.unwrap_or_else(|| crashed(&task.record, &ended));
        if task.counters.contains(&CounterSource::Callgrind) {
            let Some(counters) = callgrind::count(self, task, record.status) else {
                return Ok(None);
            };
            record.counters.push(counters);
        }
        Ok(Some(record))
    }

    /// Runs a child to its end; `None` when it was interrupted.
    ///
    /// # Errors
    ///
    /// It cannot be started or waited for.
    pub fn finish(&self, command: &mut Command, task: &Task) -> io::Result<Option<Ended>> {
        if let Some(library) = task.record.params.get(ALLOCATOR) {
            command.env("LD_PRELOAD", library);
        }
        let mut child = command
            .env(machine::PARENT, std::process::id().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (input, output, errors) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = child.id();
        *self.running() = Some(child);
        if self.interrupted() {
            // Ctrl-C came before the handler could see this child.
            if let Some(child) = self.running().as_mut() {
                machine::terminate(child);
            }
        }
        let errors = thread::spawn(move || errors.map(end_of).unwrap_or_default());
        if let Some(mut input) = input {
            // A child that died early is dealt with below.
            let _ = input.write_all(&serde_json::to_vec(task)?);
        }
        // Until its end, so that the lock below is not held while it runs.
        let output = output.map(|pipe| start_of(pipe, ANSWER_BYTES)).unwrap_or_default();
        let errors = errors.join().unwrap_or_default();
        let ended = self.running().take().map(|mut child| child.wait()).transpose()?;
        let status = ended.ok_or_else(|| io::Error::other("a child was lost"))?;
        let code = status.code();
        if code.is_none() && task.peer.is_some() {
            // It could not end the peer.
            peers::end_runs_of(process);
        }
        // One that runs a peer catches the signal, to end the peer.
        let interrupted = died_of_interrupt(status) || code == Some(Exit::Interrupted as i32);
        if self.interrupted() || interrupted {
            self.interrupted.store(true, Ordering::SeqCst);
            return Ok(None);
        }
        Ok(Some(Ended { status, output, errors }))
    }
}

/// What a child writes, as much as can be read and no more than so many bytes.
pub fn start_of(pipe: impl Read, most_bytes: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = pipe.take(most_bytes).read_to_end(&mut bytes);
    bytes
}

/// The last of what the child writes, however much it is.
pub fn end_of(mut pipe: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut chunk = [0; 4 << 10];
    loop {
        match pipe.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => kept.extend_from_slice(&chunk[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
        kept.drain(..kept.len().saturating_sub(ERRORS_BYTES));
    }
    kept
}

/// The record of a sample that gave none.
fn crashed(record: &Record, ended: &Ended) -> Record {
    let message = Some(why(ended.status, &ended.errors));
    Record { status: Status::Crashed, message, ..record.clone() }
}

#[cfg(unix)]
fn died_of_interrupt(ended: ExitStatus) -> bool {
    /// `SIGINT`, the same on every Unix.
    const INTERRUPT: i32 = 2;
    std::os::unix::process::ExitStatusExt::signal(&ended) == Some(INTERRUPT)
}

#[cfg(not(unix))]
fn died_of_interrupt(_: ExitStatus) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_the_errors_is_kept() {
        let long = io::repeat(b'x').take(10 << 20).chain(&b"the end"[..]);
        let kept = end_of(long);
        assert!(kept.ends_with(b"xthe end"));
        assert_eq!(kept.len(), ERRORS_BYTES);
        assert_eq!(end_of(&b"short"[..]), b"short");
    }
}
