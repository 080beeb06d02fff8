//! A sample as its parent sees it: a process that is given a task and answers
//! with a record. One that dies without an answer is a crashed sample.

use crate::sample::Task;
use anyhow::Context;
use report::{Record, Status};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

/// Name of the environment variable whose length varies from child to child,
/// since the length of the environment moves the stack.
const PADDING: &str = "RC_VS_GC_PADDING";

/// Most bytes of the padding: a page.
const PADDING_BYTES: usize = 4096;

/// Starts children, one at a time, until it is interrupted.
#[derive(Clone)]
pub struct Children {
    program: PathBuf,
    running: Arc<Mutex<Option<Child>>>,
    interrupted: Arc<AtomicBool>,
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

    /// Whether Ctrl-C was pressed.
    pub fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }

    fn interrupt(&self) {
        if self.interrupted.swap(true, Ordering::SeqCst) {
            std::process::exit(crate::exit::Exit::Interrupted as i32);
        }
        if let Some(child) = self.running().as_mut() {
            // It may have ended by itself.
            let _ = child.kill();
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<Child>> {
        self.running.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Runs a sample; `None` when it was interrupted.
    ///
    /// # Errors
    ///
    /// A child cannot be started, or not be talked to.
    pub fn run(&self, task: &Task) -> anyhow::Result<Option<Record>> {
        let mut child = Command::new(&self.program)
            .arg("sample")
            .env(PADDING, "x".repeat(fastrand::usize(..PADDING_BYTES)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("{} cannot be started", self.program.display()))?;
        let (input, output, errors) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        *self.running() = Some(child);
        if self.interrupted() {
            // Ctrl-C came before the handler could see this child.
            if let Some(child) = self.running().as_mut() {
                let _ = child.kill();
            }
        }
        let errors = thread::spawn(move || read_all(errors));
        if let Some(mut input) = input {
            // A child that died early is dealt with below.
            let _ = input.write_all(&serde_json::to_vec(task)?);
        }
        // Until its end, so that the lock below is not held while it runs.
        let output = read_all(output);
        let errors = errors.join().unwrap_or_default();
        let ended = self.running().take().map(|mut child| child.wait()).transpose()?;
        let ended = ended.context("a child was lost")?;
        if self.interrupted() || died_of_interrupt(ended) {
            self.interrupted.store(true, Ordering::SeqCst);
            return Ok(None);
        }
        let answer = serde_json::from_slice(&output).ok();
        Ok(Some(answer.unwrap_or_else(|| crashed(&task.record, ended, &errors))))
    }
}

/// All that the child writes, or as much as can be read.
fn read_all(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
    bytes
}

/// The record of a sample that gave none.
fn crashed(record: &Record, ended: ExitStatus, errors: &[u8]) -> Record {
    let errors = String::from_utf8_lossy(errors);
    // A panic's first line says where, and the ones after it why.
    let said: Vec<&str> = errors
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("note:"))
        .collect();
    let said = said.join(" ");
    let message = if said.is_empty() { ended.to_string() } else { format!("{ended}: {said}") };
    Record { status: Status::Crashed, message: Some(message), ..record.clone() }
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
