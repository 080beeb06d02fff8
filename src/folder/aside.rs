//! What an earlier run left is moved aside, and another run's is left alone.

use super::report_in;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Opens a new record file. Where there is one it is given the first free
/// number: also where another run starts in the same folder at the same time.
/// Returns where the last one found went, with its number.
pub(super) fn new_records(path: &Path) -> io::Result<(File, Option<(u32, PathBuf)>)> {
    let current = path.join("records.jsonl");
    let mut moved = None;
    loop {
        match File::create_new(&current) {
            Ok(file) => return Ok((file, moved)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        let (k, numbered) = reserve(path)?;
        match fs::rename(&current, &numbered) {
            Ok(()) => moved = Some((k, numbered)),
            Err(error) => {
                fs::remove_file(&numbered)?;
                // Not found: another run has moved it.
                if error.kind() != ErrorKind::NotFound {
                    return Err(error);
                }
            }
        }
    }
}

/// Makes an empty record file under the first free number, for a rename to replace.
fn reserve(path: &Path) -> io::Result<(u32, PathBuf)> {
    for k in (1..).filter(|&k| !numbered_report(path, k).exists()) {
        let numbered = path.join(format!("records.{k}.jsonl"));
        match File::create_new(&numbered) {
            Ok(_) => return Ok((k, numbered)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("every number is taken"))
}

fn numbered_report(path: &Path, k: u32) -> PathBuf {
    path.join(format!("report.{k}"))
}

/// Gives an earlier report its number, the first free one from `first` on.
pub(super) fn move_report(path: &Path, first: u32) -> io::Result<()> {
    let current = report_in(path);
    if !current.exists() {
        return Ok(());
    }
    for numbered in (first..).map(|k| numbered_report(path, k)).filter(|path| !path.exists()) {
        match fs::rename(&current, &numbered) {
            Err(error) => match error.kind() {
                ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty => {}
                // Another run has moved it.
                ErrorKind::NotFound => return Ok(()),
                _ => return Err(error),
            },
            Ok(()) => return Ok(()),
        }
    }
    Ok(())
}
