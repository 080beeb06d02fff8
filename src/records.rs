//! Record files as they are read to be shown: each sample once.

use crate::exit::Stop;
use crate::terminal;
use report::{Record, read_lines};
use std::collections::HashMap;
use std::path::Path;

/// Records, each once.
#[derive(Default)]
pub struct Samples {
    /// Places of the records by what tells nearly all apart.
    places: HashMap<(u64, u64, u32, u32), Vec<usize>>,
    /// In the order in which they were added.
    pub records: Vec<Record>,
    /// How many were left out, being there already.
    pub duplicates: usize,
}

impl Samples {
    /// Adds a record, unless the same sample is there already; whether it was added.
    pub fn add(&mut self, record: Record) -> bool {
        let place = (record.started_unix_s, record.seed, record.round, record.n);
        let near = self.places.entry(place).or_default();
        if near.iter().any(|&place| self.records[place] == record) {
            self.duplicates += 1;
            return false;
        }
        near.push(self.records.len());
        self.records.push(record);
        true
    }

    /// What is to be said of those left out, if there are any.
    pub fn remark(&self) -> Option<String> {
        match self.duplicates {
            0 => None,
            1 => Some("1 sample was there already, and is kept once".to_owned()),
            many => Some(format!("{many} samples were there already, and are kept once")),
        }
    }
}

/// Reads files whose records are taken together. A file beside one that it was
/// merged into must not make more samples of the same ones, and so narrower
/// intervals: each counts once, which is said.
///
/// # Errors
///
/// [`crate::exit::Exit::BadInput`]: a file that is not right.
pub fn read(files: &[impl AsRef<Path>]) -> Result<Vec<Record>, Stop> {
    let mut samples = Samples::default();
    for file in files {
        let add = |_: &str, record| _ = samples.add(record);
        read_lines(file, add).map_err(Stop::bad_input)?;
    }
    if let Some(remark) = samples.remark() {
        terminal::say(&remark);
    }
    Ok(samples.records)
}
