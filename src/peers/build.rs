//! Building what is not built yet. A mark beside what was built says of what:
//! the files of the peer's folder, the command lines, the versions of its tools.

use super::Variant;
use super::process::{self, End, Keep, Limits};
use crate::child::why;
use crate::terminal;
use sha2::{Digest, Sha256};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Time that a command line may take.
const LIMIT: Duration = Duration::from_secs(600);

/// Name of the mark.
const MARK: &str = ".built";

/// Name of the file that is locked while something is built.
const LOCK: &str = ".lock";

/// Builds a peer where it is not built yet; whether that took something.
///
/// # Errors
///
/// Why it cannot be built, in a line.
pub fn build(
    variant: &Variant,
    version: &str,
    interrupted: impl Fn() -> bool,
) -> Result<bool, String> {
    let folder = &variant.built;
    let parent = folder.parent().unwrap_or(folder);
    let mark = folder.join(MARK);
    let digest = digest(variant, version)?;
    let is_built = || fs::read_to_string(&mark).is_ok_and(|built| built == digest);
    // Without the lock, which takes a folder that can be written.
    if is_built() {
        return Ok(false);
    }
    fs::create_dir_all(parent).map_err(|why| wrong(parent, why))?;
    let _lock = lock(&parent.join(LOCK), interrupted)?;
    if is_built() {
        return Ok(false);
    }
    // The mark first: what is half removed is not built.
    for gone in [fs::remove_file(&mark), fs::remove_dir_all(folder)] {
        gone.or_else(|why| match why.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(wrong(folder, why)),
        })?;
    }
    fs::create_dir_all(folder).map_err(|why| wrong(folder, why))?;
    for line in &variant.build {
        let words = variant.words(line);
        let mut command = process::command(&words, folder);
        let finished = process::run(&mut command, None, Limits::time(LIMIT), Keep::End)
            .map_err(|why| format!("{} cannot be run: {why}", words[0]))?;
        match finished.end {
            End::Exited(status) if status.success() => {}
            End::Exited(status) => {
                // Some compilers tell their errors on standard output.
                let said = match finished.errors.is_empty() {
                    true => finished.output,
                    false => finished.errors,
                };
                return Err(format!("{} failed: {}", words[0], why(status, &first_error(&said))));
            }
            End::TimedOut | End::TooLarge => return Err(format!("{} did not end", words[0])),
        }
    }
    fs::write(&mark, digest).map_err(|why| wrong(&mark, why))?;
    Ok(true)
}

fn wrong(path: &Path, why: io::Error) -> String {
    format!("{}: {why}", path.display())
}

/// Waits until no other run builds something there.
fn lock(path: &Path, interrupted: impl Fn() -> bool) -> Result<File, String> {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
    let file = file.map_err(|why| wrong(path, why))?;
    let mut said = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(why)) => return Err(wrong(path, why)),
            Err(TryLockError::WouldBlock) if interrupted() => return Err("interrupted".to_owned()),
            Err(TryLockError::WouldBlock) => {
                if !said {
                    terminal::say("another run is building peers; waiting for it");
                    said = true;
                }
                thread::sleep(Duration::from_millis(50));
            }
        }
    }
}

/// The line that tells what is wrong; those after it tell where.
fn first_error(said: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(said);
    let error = text.lines().find(|line| line.to_lowercase().contains("error"));
    error.unwrap_or(&text).as_bytes().to_vec()
}

/// Of all that decides what is built.
fn digest(variant: &Variant, version: &str) -> Result<String, String> {
    let mut hash = Sha256::new();
    let mut add = |part: &[u8]| {
        // With its length, so that parts cannot run into each other.
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    };
    add(version.as_bytes());
    for line in &variant.build {
        variant.words(line).iter().for_each(|word| add(word.as_bytes()));
        add(b"");
    }
    for file in files(&variant.source)? {
        // A new variant of the same folder is no reason to build the others again.
        if file.ends_with("peer.toml") {
            continue;
        }
        add(file.to_string_lossy().as_bytes());
        add(&fs::read(&file).map_err(|why| wrong(&file, why))?);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// All files of a folder, in order.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|why| wrong(&folder, why))? {
            let entry = entry.map_err(|why| wrong(&folder, why))?;
            let path = entry.path();
            // Links to files are followed; links to folders might lead round in a circle.
            let kind = entry.file_type().map_err(|why| wrong(&path, why))?;
            match fs::metadata(&path).map_err(|why| wrong(&path, why))? {
                _ if kind.is_dir() => folders.push(path),
                at if at.is_file() => files.push(path),
                _ => return Err(format!("{}: is no file of a program", path.display())),
            }
        }
    }
    files.sort();
    Ok(files)
}
