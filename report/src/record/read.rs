//! Reading a file of records, and saying what is wrong with it.

use super::{Record, SCHEMA};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a record file cannot be used. Each message is one line.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file cannot be opened or read.
    #[error("{}: cannot be read ({source}); give a record file, one JSON object a line", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file has no records.
    #[error("{}: holds no records; give a file with one JSON object a line", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The last line ends before its record does.
    #[error("{}:{line}: the line is truncated; remove it, or measure again", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
    },
    /// A line is not a record.
    #[error("{}:{line}: not a record ({reason}); each line must be one JSON object of schema {SCHEMA} or older", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// What the JSON reader did not expect.
        reason: String,
    },
    /// A record was written by a newer version.
    #[error("{}:{line}: schema {schema} is newer than this program's {SCHEMA}; use a newer rc-vs-gc", path.display())]
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Schema of the record.
        schema: u32,
    },
}

/// The one field that every schema has; read first, since a newer record may lack the others.
#[derive(Deserialize)]
struct Probe {
    schema: u32,
}

/// Reads a file of records, one JSON object a line; blank lines are skipped.
///
/// # Errors
///
/// [`ReadError`], naming the file, the line, and what would be right.
pub fn read_records(path: impl AsRef<Path>) -> Result<Vec<Record>, ReadError> {
    let path = path.as_ref();
    let unreadable = |source| ReadError::Unreadable { path: path.to_owned(), source };
    let mut reader = BufReader::new(File::open(path).map_err(unreadable)?);
    let mut records = Vec::new();
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(unreadable)? == 0 {
            break;
        }
        if !bytes.trim_ascii().is_empty() {
            records.push(parse_line(path, line, &bytes)?);
        }
    }
    if records.is_empty() {
        return Err(ReadError::Empty { path: path.to_owned() });
    }
    Ok(records)
}

/// One record from one line, its newline included.
fn parse_line(path: &Path, line: usize, bytes: &[u8]) -> Result<Record, ReadError> {
    let path = || path.to_owned();
    let explain = |error: serde_json::Error| {
        // Only a file cut off while being written ends a line early and without a newline.
        if error.is_eof() && !bytes.ends_with(b"\n") {
            return ReadError::Truncated { path: path(), line };
        }
        // The reader's own line number would contradict ours.
        let reason = error.to_string().replace(" at line 1 column", " at column");
        ReadError::Malformed { path: path(), line, reason }
    };
    let schema = serde_json::from_slice::<Probe>(bytes).map_err(explain)?.schema;
    if schema > SCHEMA {
        return Err(ReadError::NewerSchema { path: path(), line, schema });
    }
    serde_json::from_slice(bytes).map_err(explain)
}
