//! The output folder: records are appended as samples end, and what an earlier
//! run left is moved aside.

use anyhow::{Context, anyhow};
use report::Record;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// An output folder with its open record file.
pub struct Folder {
    path: PathBuf,
    records: File,
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
        let moved_to = move_aside(path).with_context(unwritable)?;
        let records = File::create_new(path.join("records.jsonl")).with_context(unwritable)?;
        Ok(Folder { path: path.to_owned(), records, moved_to })
    }

    /// The record file.
    pub fn records_path(&self) -> PathBuf {
        self.path.join("records.jsonl")
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

/// Gives the records and report of an earlier run the first free number, the
/// same for both. Returns where the records went.
fn move_aside(path: &Path) -> anyhow::Result<Option<PathBuf>> {
    let (records, report) = (path.join("records.jsonl"), report_in(path));
    let numbered =
        |k: u32| (path.join(format!("records.{k}.jsonl")), path.join(format!("report.{k}")));
    let free = |k: &u32| {
        let (records, report) = numbered(*k);
        !records.exists() && !report.exists()
    };
    let k = (1..).find(free).ok_or_else(|| anyhow!("every number is taken"))?;
    let (old_records, old_report) = numbered(k);
    let is_there = records.exists();
    if is_there {
        fs::rename(&records, &old_records)?;
    }
    if report.exists() {
        fs::rename(&report, &old_report)?;
    }
    Ok(is_there.then_some(old_records))
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
}
