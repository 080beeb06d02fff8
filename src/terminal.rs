//! Standard output, standard error and progress; a closed pipe is no error.

use anyhow::Context;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use report::format::visible;
use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::time::Duration;

/// Columns of a line where there is no terminal: enough for grep to find rows whole.
const WIDE_COLUMNS: u16 = 1000;

/// Whether anyone still reads standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The text was taken.
    There,
    /// The pipe is closed.
    Gone,
}

/// Writes to standard output at once.
///
/// # Errors
///
/// Any but a closed pipe, such as a full disk.
pub fn print(text: &str) -> anyhow::Result<Reader> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(Reader::There),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(error) => Err(error).context("standard output cannot be written"),
    }
}

/// Writes a line to standard error, if anyone reads it. It stays one line, and
/// drives no terminal, whatever names and paths are in it.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{}", visible(line));
}

/// Columns of the terminal that standard output is on.
pub fn width_columns() -> u16 {
    console::Term::stdout().size_checked().map_or(WIDE_COLUMNS, |(_, columns)| columns)
}

/// What a progress bar runs over.
#[derive(Clone, Copy, Debug)]
pub enum Progress {
    /// So many samples.
    Samples(usize),
    /// At most so long.
    Time(Duration),
}

/// A progress bar; shown on a terminal only, and not when `quiet`.
pub fn progress(over: Progress, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let (len, template) = match over {
        Progress::Samples(samples) => (samples as u64, "{bar:24} {pos}/{len}  {msg}{left}"),
        Progress::Time(budget) => (budget.as_secs().max(1), "{bar:24} {pos} of {len} s  {msg}"),
    };
    let style = ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("left", |state: &ProgressState, text: &mut dyn fmt::Write| {
            // The first sample says how long the others may take.
            if state.pos() > 0 {
                let _ = write!(text, "  {:#} left", HumanDuration(state.eta()));
            }
        })
        .progress_chars("=> ");
    ProgressBar::with_draw_target(Some(len), target).with_style(style)
}
