//! Record files joined into one, compressed where its name says so.

use crate::exit::{Exit, Stop};
use crate::records::Samples;
use crate::{options, terminal};
use anyhow::anyhow;
use flate2::Compression;
use flate2::write::GzEncoder;
use report::format::{clean, visible};
use report::{Record, read_lines};
use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// The sub-command `merge`.
///
/// # Errors
///
/// [`Exit::BadInput`]: a record file that is not right; a file to write that is
/// there already, or cannot be written.
pub fn run(options: &options::Merge) -> Result<Exit, Stop> {
    // Known before everything is read; what counts is asked when the file gets its name.
    if options.out.symlink_metadata().is_ok() {
        return Err(Stop::bad_input(taken(&options.out)));
    }
    let mut merged = Merged::default();
    for file in &options.files {
        read_lines(file, |line, record| merged.add(line, record)).map_err(Stop::bad_input)?;
    }
    write_new(&options.out, merged.text.as_bytes()).map_err(|error| {
        Stop::bad_input(match error.kind() {
            ErrorKind::AlreadyExists => taken(&options.out),
            // The error itself would name a file that is no more.
            kind => {
                let out = options.out.display();
                anyhow!("--out {out}: cannot be written ({kind}); give a file in a folder that can")
            }
        })
    })?;
    merged.remarks().iter().for_each(|remark| terminal::say(remark));
    let out = visible(&options.out.display().to_string());
    terminal::print(&format!("{out}: {}\n", merged.summary()))?;
    Ok(Exit::Done)
}

fn taken(out: &Path) -> anyhow::Error {
    anyhow!(
        "--out {}: is there already, and nothing is overwritten; give another name",
        out.display()
    )
}

/// What was read so far.
#[derive(Default)]
struct Merged {
    /// The lines as they were written: a newer version may have written more than is known here.
    text: String,
    samples: Samples,
    programs: BTreeSet<String>,
    machines: BTreeSet<String>,
}

impl Merged {
    /// Adds a line, unless the same sample is there already.
    fn add(&mut self, line: &str, record: Record) {
        let machine = record.machine.id.as_ref().unwrap_or(&record.machine.processor).clone();
        let program = clean(&record.program);
        if self.samples.add(record) {
            self.text.push_str(line);
            self.text.push('\n');
            self.programs.insert(program);
            self.machines.insert(machine);
        }
    }

    fn summary(&self) -> String {
        let counted = |count: usize, one: &str| match count {
            1 => format!("1 {one}"),
            many => format!("{many} {one}s"),
        };
        format!(
            "{} of {}",
            counted(self.samples.records.len(), "sample"),
            counted(self.machines.len(), "machine")
        )
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks: Vec<String> = self.samples.remark().into_iter().collect();
        // The studies of allocation are other programs on purpose; two versions of one are not.
        let names = self.programs.iter().map(|program| program.split(' ').next());
        if names.collect::<BTreeSet<_>>().len() < self.programs.len() {
            let programs: Vec<&str> = self.programs.iter().map(String::as_str).collect();
            remarks.push(format!("warning: samples of several programs: {}", programs.join(", ")));
        }
        remarks
    }
}

/// Writes a file that must not be there: whole, or not at all. One named `.gz` is gzip-compressed,
/// without name and time, so that the same records give the same bytes.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".merged-");
    // As other files, not for this user only.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz")) {
        let mut encoder = GzEncoder::new(&mut file, Compression::best());
        encoder.write_all(bytes)?;
        encoder.finish()?;
    } else {
        file.write_all(bytes)?;
    }
    file.as_file().sync_all()?;
    file.persist_noclobber(path)?;
    Ok(())
}
