//! The headline and its table, and those of allocation studies and of threads,
//! within a document, each between two markers, and their charts beside it.
//!
//! Everything is made in memory first, so that a document can be checked
//! against its records, and what is wrong is said before anything is written.

use crate::exit::{Exit, Stop};
use anyhow::{Context, anyhow, bail};
use report::charts::{Figure, write_png};
use report::document;
use report::studies::Both;
use report::threads::Mode;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use tempfile::NamedTempFile;

mod markers;
use markers::{Place, What};

/// A document as it is, and as the records want it.
pub struct Splice {
    /// The document as it was given.
    file: PathBuf,
    /// Its charts, if it has any, and the document itself, which comes last.
    parts: Vec<Part>,
}

/// A file as it is and as it should be.
struct Part {
    /// The file; no link.
    path: PathBuf,
    /// Its name for messages.
    shown: String,
    /// What is there; nothing where there is no file.
    old: Option<Vec<u8>>,
    new: Vec<u8>,
}

impl Splice {
    /// What the records make of a document; nothing is written.
    ///
    /// # Errors
    ///
    /// [`Exit::BadInput`]: no file that can be read, not text, or without one
    /// place for the results; a study or mode that there is not; a chart that
    /// would be outside its folder.
    pub fn new(file: &Path, both: &Both) -> Result<Self, Stop> {
        let named = || format!("--splice {}", file.display());
        let (path, old) = read(file).with_context(named).map_err(Stop::bad_input)?;
        let places = Place::all(&old).with_context(named).map_err(Stop::bad_input)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let (mut parts, mut sections): (Vec<Part>, _) = (Vec::new(), Vec::new());
        for place in &places {
            let (chart, section) =
                made(both, place).with_context(named).map_err(Stop::bad_input)?;
            sections.push(section);
            let Some(shown) = place.chart else { continue };
            let target = chart_path(folder, shown).with_context(named).map_err(Stop::bad_input)?;
            if parts.iter().any(|part| part.path == target) {
                let why = anyhow!("the chart's path '{shown}' is there twice; give each its own");
                return Err(Stop::bad_input(why.context(named())));
            }
            if let Some(new) = png(chart.as_deref())? {
                let old = fs::read(&target).ok();
                parts.push(Part { path: target, shown: shown.to_owned(), old, new });
            }
        }
        let new = Place::filled(&places, &old, &sections);
        let shown = file.display().to_string();
        parts.push(Part { path, shown, old: Some(old.into()), new: new.into() });
        Ok(Self { file: file.to_owned(), parts })
    }

    /// The document's name.
    pub fn shown(&self) -> String {
        self.file.display().to_string()
    }

    /// That the document and its chart are what the records give.
    ///
    /// # Errors
    ///
    /// [`Exit::Failed`]: they are not.
    pub fn check(&self) -> Result<(), Stop> {
        let Some(part) = self.changed().next() else { return Ok(()) };
        let why = anyhow!(
            "{}: is not what these records give; --splice {} without --check writes it",
            part.shown,
            self.file.display()
        );
        Err(Stop { exit: Exit::Failed, why })
    }

    /// That what is to be changed may be.
    ///
    /// # Errors
    ///
    /// [`Exit::BadInput`]: a file is read-only.
    pub fn writable(&self) -> Result<(), Stop> {
        for part in self.changed().filter(|part| part.old.is_some()) {
            // A file is replaced by another of its name, which its own permissions do not forbid.
            let read_only =
                fs::metadata(&part.path).is_ok_and(|data| data.permissions().readonly());
            let opened = match read_only {
                true => Err(ErrorKind::PermissionDenied.into()),
                false => File::options().write(true).open(&part.path).map(|_| ()),
            };
            opened.map_err(|error| unwritable(&part.shown, &error))?;
        }
        Ok(())
    }

    /// Writes what differs: each file whole or not at all, with the permissions that it had.
    ///
    /// # Errors
    ///
    /// [`Exit::BadInput`]: a folder that cannot be written.
    pub fn write(&self) -> Result<(), Stop> {
        let stage = |part: &Part| staged(part).map_err(|error| unwritable(&part.shown, &error));
        let staged: Vec<NamedTempFile> = self.changed().map(stage).collect::<Result<_, _>>()?;
        for (part, file) in self.changed().zip(staged) {
            file.persist(&part.path).map_err(|error| unwritable(&part.shown, &error.error))?;
        }
        Ok(())
    }

    fn changed(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(|part| part.old.as_ref() != Some(&part.new))
    }
}

fn unwritable(shown: &str, error: &io::Error) -> Stop {
    Stop::bad_input(anyhow!(
        "--splice: {shown}: cannot be written ({}); give a file that can",
        error.kind()
    ))
}

/// A document's path without links, and its text.
fn read(file: &Path) -> anyhow::Result<(PathBuf, String)> {
    let cannot = "cannot be read; give a Markdown file";
    let path = fs::canonicalize(file).context(cannot)?;
    // To read a pipe would wait for its other end.
    if !fs::metadata(&path).context(cannot)?.is_file() {
        bail!("is no file; give a Markdown file");
    }
    let text = String::from_utf8(fs::read(&path).context(cannot)?);
    let text = text.map_err(|_| anyhow!("is not UTF-8 text; give a Markdown file"))?;
    if text.contains('\r') {
        bail!("has carriage returns, as Windows ends lines; save it with plain line feeds");
    }
    Ok((path, text))
}

/// Where the chart goes: a PNG file within the document's folder.
fn chart_path(folder: &Path, chart: &str) -> anyhow::Result<PathBuf> {
    let wanted = "give one such as docs/chart.png, relative to the document";
    let path = Path::new(chart);
    if !path.components().all(|part| matches!(part, Component::Normal(_))) {
        bail!("the chart's path '{chart}' leads outside the document's folder; {wanted}");
    }
    if !path.extension().is_some_and(|end| end.eq_ignore_ascii_case("png")) {
        bail!("the chart's path '{chart}' does not end in .png; {wanted}");
    }
    let target = folder.join(path);
    let within = target.parent().unwrap_or(folder);
    let Ok(real) = fs::canonicalize(within) else {
        bail!("the folder of the chart '{chart}' is not there; make it first");
    };
    // Through a link.
    if !real.starts_with(folder) {
        bail!("the chart's path '{chart}' leads outside the document's folder; {wanted}");
    }
    // To read a pipe would wait for its other end.
    if target.exists() && !target.is_file() {
        bail!("the chart's path '{chart}' is there, and no file; {wanted}");
    }
    Ok(target)
}

/// A drawing, where there is something to draw.
type Chart<'a> = Option<Box<dyn Figure + 'a>>;

/// What the records make of a place: its chart, and its text.
fn made<'a>(both: &'a Both, place: &Place) -> anyhow::Result<(Chart<'a>, String)> {
    let known = |what: &str, name: &str, names: &[&str]| match names.contains(&name) {
        true => Ok(()),
        false => Err(anyhow!("there is no {what} '{name}'; give one of: {}", names.join(", "))),
    };
    let chart = place.chart;
    Ok(match place.what {
        What::Results => {
            (document::chart(&both.summary), document::section(&both.queens, &both.summary, chart))
        }
        What::Study(study) => {
            known("study", study, &studies::STUDIES.map(|study| study.name))?;
            let views = document::study(&both.views, study);
            (document::study_chart(views), document::study_section(views, chart))
        }
        What::Threads => (None, document::threads_headline(&both.threads)),
        What::Mode(mode) => {
            known("mode", mode, &Mode::NAMES)?;
            let blocks = document::mode(&both.threads, mode);
            (document::mode_chart(blocks), document::mode_section(blocks, chart))
        }
    })
}

/// The chart as a file's bytes; `None` where there is nothing to draw.
fn png(chart: Option<&dyn Figure>) -> Result<Option<Vec<u8>>, Stop> {
    let Some(chart) = chart else { return Ok(None) };
    let folder = tempfile::tempdir().context("no temporary folder can be made")?;
    let path = folder.path().join("chart.png");
    write_png(chart, &path)?;
    Ok(Some(fs::read(&path).context("a chart cannot be read again")?))
}

/// The new file, under a name of its own beside the old one.
fn staged(part: &Part) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".spliced-");
    // As other files, not for this user only.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(part.path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(&part.new)?;
    if let Ok(old) = fs::metadata(&part.path) {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    Ok(file)
}
