//! The output folder: records are appended as samples end, and what an earlier
//! run left is moved aside.

use anyhow::{Context, bail};
use report::Record;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

mod aside;
use aside::{move_report, new_records};

/// An output folder with its open record file.
pub struct Folder {
    records_path: PathBuf,
    report_path: PathBuf,
    records: File,
    /// Bytes of whole records that were there already.
    intact_bytes: u64,
    /// Where earlier records were moved to.
    pub moved_to: Option<PathBuf>,
}

/// The folder of the report within an output folder.
pub fn report_in(out: &Path) -> PathBuf {
    out.join("report")
}

impl Folder {
    /// Makes the folder if need be, moves an earlier run aside, and opens a new record file.
    ///
    /// # Errors
    ///
    /// The folder, or a file in it, cannot be written.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let unwritable =
            || format!("--out {}: cannot be written; give a folder that can", path.display());
        fs::create_dir_all(path).with_context(unwritable)?;
        let (records, moved) = new_records(path).with_context(unwritable)?;
        // Where files cannot be locked, runs are not kept apart.
        let _ = records.try_lock();
        let (k, moved_to) = moved.map_or((1, None), |(k, to)| (k, Some(to)));
        move_report(path, k).with_context(unwritable)?;
        let (records_path, report_path) = (path.join("records.jsonl"), report_in(path));
        Ok(Folder { records_path, report_path, records, moved_to, intact_bytes: 0 })
    }

    /// Opens the record file of an earlier run, to append to it, and reads its
    /// whole records. Nothing is changed yet: see [`cut`](Folder::cut).
    ///
    /// # Errors
    ///
    /// It cannot be read or written, holds no records, or a run still writes it.
    pub fn resume(path: &Path) -> anyhow::Result<(Self, Vec<Record>)> {
        let unwritable =
            || format!("--resume {}: cannot be written; give a file that can", path.display());
        let Ok(there) = fs::metadata(path) else {
            bail!("--resume {}: is not there; give the record file of a run", path.display());
        };
        // To open a pipe would wait for its other end.
        if !there.is_file() {
            bail!("--resume {}: is no file; give the record file of a run", path.display());
        }
        let records = OpenOptions::new().append(true).open(path).with_context(unwritable)?;
        if let Err(TryLockError::WouldBlock) = records.try_lock() {
            bail!("--resume {}: another run is writing it; wait for its end", path.display());
        }
        let (kept, intact_bytes) = report::read_prefix(path)?;
        // A later run may have moved it aside, and its report with it.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let number = name.strip_prefix("records").and_then(|name| name.strip_suffix(".jsonl"));
        let report_path = path.with_file_name(format!("report{}", number.unwrap_or_default()));
        let records_path = path.to_owned();
        Ok((Folder { records_path, report_path, records, moved_to: None, intact_bytes }, kept))
    }

    /// Cuts away a last record that was cut off, so that others can follow.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn cut(&self) -> anyhow::Result<()> {
        let unwritable = || format!("{}: cannot be written", self.records_path.display());
        self.records.set_len(self.intact_bytes).with_context(unwritable)
    }

    /// The record file.
    pub fn records_path(&self) -> &Path {
        &self.records_path
    }

    /// The folder of the report.
    pub fn report_path(&self) -> &Path {
        &self.report_path
    }

    /// That the record file is still where it was made.
    ///
    /// # Errors
    ///
    /// It was removed, or moved by another run that writes here; what is there
    /// now is not of this run.
    pub fn check(&self) -> anyhow::Result<()> {
        let path = self.records_path();
        let is_there = fs::metadata(path).is_ok_and(|there| is_same(&there, &self.records));
        if !is_there {
            bail!(
                "{}: was removed, or moved by another run here, so no report is written; \
                 where it was moved, 'rc-vs-gc report' makes one",
                path.display()
            );
        }
        Ok(())
    }

    /// Appends a record.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn append(&mut self, record: &Record) -> anyhow::Result<()> {
        report::write_record(&mut self.records, record)
            .with_context(|| format!("{}: cannot be written", self.records_path().display()))
    }
}

/// Whether a path's file is the open one.
#[cfg(unix)]
fn is_same(there: &fs::Metadata, open: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    open.metadata().is_ok_and(|open| (open.dev(), open.ino()) == (there.dev(), there.ino()))
}

/// Whether a path's file is the open one; where files have no number, one that is there is it.
#[cfg(not(unix))]
fn is_same(_: &fs::Metadata, _: &File) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        for seed in 0..3 {
            let mut folder = Folder::open(&path).unwrap();
            folder.append(&Record { seed, ..Record::new() }).unwrap();
            fs::create_dir(report_in(&path)).unwrap();
        }
        for (seed, name) in
            ["records.1.jsonl", "records.2.jsonl", "records.jsonl"].iter().enumerate()
        {
            let records = report::read_records(path.join(name)).unwrap();
            assert_eq!((records.len(), records[0].seed), (1, seed as u64), "{name}");
        }
        assert!(path.join("report.2").exists() && !path.join("report.3").exists());
    }
    #[test]
    fn what_was_moved_or_removed_is_missed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let first = Folder::open(&path).unwrap();
        first.check().unwrap();
        let second = Folder::open(&path).unwrap();
        assert_eq!(first.check().is_err(), cfg!(unix));
        second.check().unwrap();
        fs::remove_dir_all(&path).unwrap();
        assert!(second.check().unwrap_err().to_string().contains("was removed, or moved"));
    }

    #[test]
    fn runs_that_start_at_once_keep_their_records() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::thread::scope(|scope| {
            for seed in 0..8 {
                scope.spawn(move || {
                    for round in 0..20 {
                        let mut folder = Folder::open(path).unwrap();
                        folder.append(&Record { seed, round, ..Record::new() }).unwrap();
                        // Another run may have made it.
                        let _ = fs::create_dir(report_in(path));
                    }
                });
            }
        });
        let mut kept = Vec::new();
        for entry in fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_file() {
                let records = report::read_records(&entry).unwrap();
                kept.extend(records.iter().map(|record| (record.seed, record.round)));
            }
        }
        kept.sort_unstable();
        let all: Vec<_> = (0..8).flat_map(|seed| (0..20).map(move |round| (seed, round))).collect();
        assert_eq!(kept, all);
    }
}
