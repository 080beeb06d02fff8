//! Reading a file of records, and saying what is wrong with it.
//!
//! A file may be gzip-compressed, whatever its name. It is decompressed as it is read, so one that
//! is far longer than its own bytes takes no more memory than the same records uncompressed.

use super::{Record, SCHEMA};
use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Longest line that is taken for a record: some hundred times what a full one takes. A file that
/// is something else must not fill the memory before it is refused.
const MAX_LINE_BYTES: u64 = 16 << 20;

/// What every gzip file starts with (RFC 1952). No JSON does.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

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
    /// The file is compressed, and cannot be decompressed.
    #[error("{}: the gzip data cannot be read ({source}); it is truncated or damaged, copy the file again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with the data.
        source: io::Error,
    },
    /// The file is compressed where records are to be appended.
    #[error("{}: is gzip-compressed, so no records can be appended; decompress it first, with gzip -d", path.display())]
    Compressed {
        /// The file.
        path: PathBuf,
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

/// Reads a file of records, one JSON object a line, gzip-compressed or not; blank lines are skipped.
///
/// # Errors
///
/// [`ReadError`], naming the file, the line, and what would be right.
pub fn read_records(path: impl AsRef<Path>) -> Result<Vec<Record>, ReadError> {
    let mut records = Vec::new();
    read_lines(path, |_, record| records.push(record))?;
    Ok(records)
}

/// Reads a file of records and hands on each with its line as it was written, which may have fields
/// that this version does not know. The line comes without its line break.
///
/// # Errors
///
/// As [`read_records`]; the records before the wrong line have been handed on.
pub fn read_lines(
    path: impl AsRef<Path>,
    mut each: impl FnMut(&str, Record),
) -> Result<(), ReadError> {
    let mut lines = Lines::open(path.as_ref())?;
    let mut empty = true;
    while lines.next()? {
        if !lines.is_blank() {
            let (text, record) = lines.parse()?;
            each(text, record);
            empty = false;
        }
    }
    if empty { Err(ReadError::Empty { path: path.as_ref().to_owned() }) } else { Ok(()) }
}

/// Reads the records of an interrupted run: all that were written whole, and how many bytes of the
/// file they take. What follows is a last line that was cut off while being written, even if only
/// its line break is missing; a file that is cut to these bytes can be appended to.
///
/// # Errors
///
/// As [`read_records`] but for a last line that is cut off. A file without one whole record is
/// [`ReadError::Empty`]; one that is compressed cannot be appended to, [`ReadError::Compressed`].
pub fn read_prefix(path: impl AsRef<Path>) -> Result<(Vec<Record>, u64), ReadError> {
    let mut lines = Lines::open(path.as_ref())?;
    if lines.compressed {
        return Err(ReadError::Compressed { path: path.as_ref().to_owned() });
    }
    let (mut records, mut intact_bytes) = (Vec::new(), 0);
    while lines.next()? {
        let whole = lines.is_whole();
        if !lines.is_blank() {
            match lines.parse() {
                Ok((_, record)) if whole => records.push(record),
                Ok(_) | Err(ReadError::Truncated { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        if whole {
            intact_bytes += lines.bytes.len() as u64;
        }
    }
    if records.is_empty() {
        return Err(ReadError::Empty { path: path.as_ref().to_owned() });
    }
    Ok((records, intact_bytes))
}

/// The lines of a file, one at a time.
struct Lines<'a> {
    path: &'a Path,
    reader: Box<dyn BufRead>,
    compressed: bool,
    /// The current line, its line break included.
    bytes: Vec<u8>,
    /// Its number, from 1.
    line: usize,
}

impl<'a> Lines<'a> {
    fn open(path: &'a Path) -> Result<Self, ReadError> {
        let unreadable = |source| ReadError::Unreadable { path: path.to_owned(), source };
        let mut file = File::open(path).map_err(unreadable)?;
        // A pipe cannot be read from its start again, so what was looked at is put before the rest.
        let mut start = Vec::new();
        file.by_ref().take(GZIP_MAGIC.len() as u64).read_to_end(&mut start).map_err(unreadable)?;
        let compressed = start == GZIP_MAGIC;
        let whole = Cursor::new(start).chain(file);
        let reader: Box<dyn BufRead> = match compressed {
            true => Box::new(BufReader::new(MultiGzDecoder::new(whole))),
            false => Box::new(BufReader::new(whole)),
        };
        Ok(Self { path, reader, compressed, bytes: Vec::new(), line: 0 })
    }

    /// Goes to the next line, if there is one.
    fn next(&mut self) -> Result<bool, ReadError> {
        self.bytes.clear();
        self.line += 1;
        let path = self.path.to_owned();
        let unreadable = |source| match self.compressed {
            true => ReadError::Damaged { path, source },
            false => ReadError::Unreadable { path, source },
        };
        let mut limited = self.reader.by_ref().take(MAX_LINE_BYTES + 1);
        let bytes = limited.read_until(b'\n', &mut self.bytes).map_err(unreadable)?;
        if bytes as u64 > MAX_LINE_BYTES {
            return Err(self.malformed(format!("longer than {} MiB", MAX_LINE_BYTES >> 20)));
        }
        Ok(bytes > 0)
    }

    fn is_blank(&self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }

    /// Whether the line has its line break.
    fn is_whole(&self) -> bool {
        self.bytes.ends_with(b"\n")
    }

    /// The line's text and record.
    fn parse(&self) -> Result<(&str, Record), ReadError> {
        let text = match str::from_utf8(&self.bytes) {
            Ok(text) => text,
            // Cut off within a character.
            Err(error) if error.error_len().is_none() && !self.is_whole() => {
                return Err(self.truncated());
            }
            Err(error) => {
                let column = error.valid_up_to() + 1;
                return Err(self.malformed(format!("not UTF-8 text at column {column}")));
            }
        };
        // Without its line break, which would be a second line to the reader.
        let text = text.trim_ascii_end();
        match serde_json::from_str::<Record>(text) {
            Ok(record) if record.schema > SCHEMA => Err(self.newer(record.schema)),
            Ok(record) => match contradiction(&record) {
                None => Ok((text.trim_ascii(), record)),
                Some(reason) => Err(self.malformed(reason)),
            },
            Err(error) => Err(self.explain(text, &error)),
        }
    }

    /// Why a line is not a record of a schema that is known here.
    fn explain(&self, text: &str, error: &serde_json::Error) -> ReadError {
        // A newer record may lack any field but this one.
        #[derive(Deserialize)]
        struct Probe {
            schema: u32,
        }
        match serde_json::from_str::<Probe>(text) {
            Ok(Probe { schema }) if schema > SCHEMA => self.newer(schema),
            // Only a file cut off while being written ends a line early and without a newline.
            _ if error.is_eof() && !self.is_whole() => self.truncated(),
            // The reader's own line number would contradict ours.
            _ => self.malformed(error.to_string().replace(" at line 1 column", " at column")),
        }
    }

    fn truncated(&self) -> ReadError {
        ReadError::Truncated { path: self.path.to_owned(), line: self.line }
    }

    fn malformed(&self, reason: String) -> ReadError {
        ReadError::Malformed { path: self.path.to_owned(), line: self.line, reason }
    }

    fn newer(&self, schema: u32) -> ReadError {
        ReadError::NewerSchema { path: self.path.to_owned(), line: self.line, schema }
    }
}

/// What of a record cannot be, though each of its fields can.
fn contradiction(record: &Record) -> Option<String> {
    if record.threads == 0 {
        return Some("threads is 0; there is at least one".to_owned());
    }
    let (cpu, timed) = (record.parallel.as_ref()?.cpu_ns.len(), record.iterations_ns.len());
    (cpu != timed)
        .then(|| format!("cpu_ns has {cpu} times, iterations_ns {timed}; each iteration has one"))
}
