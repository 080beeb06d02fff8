//! A measuring run: from options to records, table, report and exit code.

use crate::arguments::{command_line, report_command};
use crate::child::Children;
use crate::config::Subject;
use crate::exit::{Exit, Stop};
use crate::folder::Folder;
use crate::options::{Measure, Output};
use crate::precision::{Ended, Watch};
use crate::sample::Task;
use crate::study::{Entry, Study, Work};
use crate::terminal::{self, Progress, Reader};
use crate::values::Rounds;
use crate::{counters, machine, render, resume};
use anyhow::Context;
use report::format::visible;
use report::studies::Both;
use report::{Record, Status};
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

mod live;
mod peers;

/// Measures, writes everything, and says how it went.
///
/// # Errors
///
/// [`Exit::BadInput`] before anything is measured; otherwise a failure of the
/// command itself. Failures of backends are results.
pub fn run(options: &Measure, work: Work) -> Result<Exit, Stop> {
    let mut run = Run::new(options, work)?;
    let ended = run.take_samples()?;
    run.finish(ended)
}

/// A run, from its first sample to its report.
struct Run<'a> {
    options: &'a Measure,
    study: Study,
    /// What the records have in common.
    template: Record,
    folder: Folder,
    children: Children,
    watch: Watch,
    /// Samples that an earlier run took.
    taken: HashSet<Entry>,
    /// All records, those of an earlier run first.
    records: Vec<Record>,
    /// Number of those of an earlier run.
    resumed: usize,
}

impl<'a> Run<'a> {
    fn new(options: &'a Measure, work: Work) -> Result<Self, Stop> {
        // First, so that a signal finds who ends what asks for the peers' tools.
        let children = Children::new()?;
        let mut template = template(options.counted);
        if let Some(study) = work.study() {
            of_study(study, &mut template);
        }
        let mut records = Vec::new();
        let mut taken = HashSet::new();
        let (mut study, folder) = match &options.resume {
            None => {
                // Short enough for programs whose only numbers are floating point.
                let study = Study::of(options, work, fastrand::u32(..).into())?;
                (study, Folder::open(&options.out).map_err(Stop::bad_input)?)
            }
            Some(file) => {
                resume::is_out(file, options)?;
                let (folder, kept) = Folder::resume(file).map_err(Stop::bad_input)?;
                let first = kept.first().context("no records")?;
                if work.study().is_none() {
                    resume::program(first, &mut template);
                }
                let study = resume::study(file, first, options, work, &template)?;
                taken = resume::taken(file, &study, &kept)?;
                folder.cut()?;
                template.command = first.command.clone();
                template.counted = first.counted;
                records = kept;
                if study.left(&taken) == Some(0) && !options.quiet {
                    terminal::say("every sample of this run is there already");
                }
                (study, folder)
            }
        };
        template.seed = study.seed;
        peers::go_on(&children)?;
        remark_before(options, &study, &folder, &template);
        peers::prepare(&mut study, &children, options.quiet)?;
        if study.configs.iter().any(|config| config.multiple.is_some()) {
            live::measure(&mut study, &template, &children)?;
        }
        let target = (study.rounds == Rounds::Auto).then_some(study.target);
        let watch = Watch::new(study.budget, target);
        let resumed = records.len();
        Ok(Run { options, study, template, folder, children, watch, taken, records, resumed })
    }

    /// Takes the samples one after the other, and keeps each record as soon as
    /// it is there, until there are enough.
    fn take_samples(&mut self) -> Result<Ended, Stop> {
        let cores = machine::cores();
        let left = self.study.left(&self.taken);
        let progress = match (left, self.study.budget) {
            (None, Some(budget)) => Progress::Time(budget),
            (samples, _) => Progress::Samples(samples.unwrap_or(0)),
        };
        let bar = terminal::progress(progress, self.options.quiet);
        let mut ended = Ended::Rounds;
        let mut in_block = 0;
        for entry in self.study.order() {
            if !self.taken.contains(&entry) {
                if self.watch.is_late(entry.round) {
                    ended = Ended::Budget;
                    break;
                }
                bar.set_message(self.message(entry));
                let Some(record) = self.sample(entry, &cores)? else {
                    ended = Ended::Interrupted;
                    break;
                };
                self.folder.append(&record)?;
                let reader = self.show(&record)?;
                self.records.push(record);
                match progress {
                    Progress::Samples(_) => bar.inc(1),
                    Progress::Time(_) => bar.set_position(self.watch.elapsed().as_secs()),
                }
                if reader == Reader::Gone || self.children.interrupted() {
                    ended = Ended::Interrupted;
                    break;
                }
            }
            in_block += 1;
            if in_block == self.study.block_len() {
                in_block = 0;
                let (records, baseline) = (&self.records, self.baseline());
                let summaries = || render::both(records, baseline).map(Both::into_summaries);
                if self.watch.is_precise(entry.round + 1, summaries)? {
                    ended = Ended::Precise;
                    break;
                }
            }
        }
        bar.finish_and_clear();
        Ok(ended)
    }

    fn baseline(&self) -> Option<&'a str> {
        self.options.baseline.as_deref()
    }

    /// The progress line of a sample.
    fn message(&self, entry: Entry) -> String {
        let config = &self.study.configs[entry.config];
        let name = match config.threads {
            1 => config.subject.name().to_owned(),
            threads => format!("{} on {threads} threads", config.subject.name()),
        };
        let (round, n) = (entry.round + 1, entry.n);
        match self.study.rounds {
            Rounds::Count(rounds) => format!("round {round} of {rounds}: {name}, n = {n}"),
            Rounds::Auto => {
                format!("round {round}: {name}, n = {n}  {}", self.watch.precision.widest())
            }
        }
    }

    /// Runs one sample; `None` when it was interrupted.
    fn sample(&self, entry: Entry, cores: &[usize]) -> anyhow::Result<Option<Record>> {
        let record = self.describe(entry);
        let config = &self.study.configs[entry.config];
        let search_ns = self.study.sample_ns;
        let cores = cores.to_vec();
        let task = Task { record, cores, search_ns, ..Task::default() };
        let task = match &config.subject {
            Subject::Peer(peer) => match peers::call(peer, &self.study, self.split(), &task) {
                Ok(call) => Task { peer: Some(call), ..task },
                Err(failed) => return Ok(Some(*failed)),
            },
            Subject::Backend(_) | Subject::Row(_) => {
                let counters =
                    counters::of_sample(&self.study.counters, entry.round, config.control);
                Task { counters, ..task }
            }
        };
        self.children.run(&task)
    }

    /// The records of an earlier run, and those of this one.
    fn split(&self) -> (&[Record], &[Record]) {
        self.records.split_at(self.resumed)
    }

    /// The record of a sample before it is run.
    fn describe(&self, entry: Entry) -> Record {
        let config = &self.study.configs[entry.config];
        let started = SystemTime::now().duration_since(UNIX_EPOCH);
        let mut record = Record {
            params: self.study.params(entry),
            threads: config.threads,
            n: entry.n,
            round: entry.round,
            control: config.control,
            started_unix_s: started.map_or(0, |since| since.as_secs()),
            ..self.template.clone()
        };
        config.subject.describe(&mut record);
        record.machine.load_1min = machine::load_1min();
        record
    }

    /// Prints a record as it comes, where records are what is wanted.
    fn show(&self, record: &Record) -> anyhow::Result<Reader> {
        if self.options.format != Output::Json {
            return Ok(Reader::There);
        }
        let mut line = Vec::new();
        report::write_record(&mut line, record)?;
        terminal::print(&String::from_utf8_lossy(&line))
    }

    /// Writes the report, shows the tables, and says how it ended.
    fn finish(&self, ended: Ended) -> Result<Exit, Stop> {
        let options = self.options;
        let records = &self.records;
        let exit = Exit::of_run(records, self.children.interrupted());
        if records.is_empty() {
            terminal::say("nothing was measured");
            return Ok(exit);
        }
        // Before the tables, so that a closed pipe does not keep it from being written;
        // and they are shown even if the report cannot be. Never into a folder
        // that is gone, or another run's by now.
        let kept = self.folder.check().map_err(Stop::bad_input);
        let files = [self.folder.records_path().to_owned()];
        // What was entered twice is the baseline again, whatever was asked for.
        let command = report_command(&files, None);
        let sources = (&files[..], command.as_str());
        let report = kept.and_then(|()| {
            render::write(records, self.baseline(), sources, self.folder.report_path())
        });
        let both = render::both(records, self.baseline())?;
        let (counted, pauses) = (self.template.counted, options.pauses);
        if let Some(sheet) = options.format.sheet() {
            terminal::print(&render::sheets(&both, sheet, counted, pauses))?;
        }
        // The other formats tell failures beside the rows.
        if options.format == Output::Json || counted {
            failures(records).iter().for_each(|line| terminal::say(line));
        }
        let rounds = records.iter().map(|record| record.round + 1).max().unwrap_or(0);
        if let Some(line) = self.watch.says(ended, rounds, &both.into_summaries()) {
            match options.format {
                Output::Table => terminal::print(&format!("{line}\n")).map(|_| ())?,
                _ if !options.quiet => terminal::say(&line),
                _ => {}
            }
        }
        let report = report?;
        if !options.quiet {
            self.say_where(&report)?;
        }
        if ended == Ended::Interrupted {
            let of = self.study.len().map_or(String::new(), |len| format!(" of {len}"));
            let file = visible(&self.folder.records_path().display().to_string());
            terminal::say(&format!(
                "interrupted: {}{of} samples were taken and kept; --resume {file} continues",
                records.len(),
            ));
        }
        Ok(exit)
    }

    /// Says where the records and the report are.
    fn say_where(&self, report: &Path) -> anyhow::Result<()> {
        let lines = [("records: ", self.folder.records_path()), ("report:  ", report)]
            .map(|(what, path)| visible(&format!("{what}{}", path.display())));
        match self.options.format {
            Output::Table => terminal::print(&format!("\n{}\n", lines.join("\n"))).map(|_| ())?,
            _ => lines.iter().for_each(|line| terminal::say(line)),
        }
        Ok(())
    }
}

/// What the records of a run have in common, but for the seed.
fn template(counted: bool) -> Record {
    Record {
        program: concat!("nqueens ", env!("CARGO_PKG_VERSION")).to_owned(),
        threads: 1,
        counted,
        machine: machine::describe(),
        commit: machine::COMMIT.to_owned(),
        dirty: machine::dirty(),
        command: command_line(),
        ..Record::new()
    }
}

/// Makes a record one of an allocation study.
pub fn of_study(study: &studies::Study, record: &mut Record) {
    study.program.clone_into(&mut record.program);
    record.study = Some(report::Study {
        name: study.name.to_owned(),
        size: study.size.to_owned(),
        ..report::Study::default()
    });
}

/// Remarks on what spoils measurements, on what is not measured, and on what was moved.
fn remark_before(options: &Measure, study: &Study, folder: &Folder, template: &Record) {
    if options.quiet {
        return;
    }
    if !template.counted {
        let neighbours = machine::neighbours(machine::last_core());
        for warning in machine::warnings(&template.machine, template.dirty, &neighbours) {
            terminal::say(&format!("warning: {warning}"));
        }
    }
    study.skipped.iter().for_each(|line| terminal::say(line));
    if let Some(path) = &folder.moved_to {
        terminal::say(&format!("earlier records are now in {}", path.display()));
    }
}

/// Each failure once, in a line.
fn failures(records: &[Record]) -> BTreeSet<String> {
    let failed = records.iter().filter(|record| record.status != Status::Ok);
    failed
        .map(|record| {
            let (name, n, status) = (&record.backend, record.n, record.status.words());
            let message = record.message.as_deref().unwrap_or(status);
            format!("{name}, n = {n}: {message}")
        })
        .collect()
}
