//! A measuring run: from options to records, table, report and exit code.

use crate::child::Children;
use crate::config::{self, Config};
use crate::counters;
use crate::exit::{Exit, Stop};
use crate::folder::{Folder, report_in};
use crate::options::{Format, Measure, command_line};
use crate::sample::Task;
use crate::study::{Entry, Study};
use crate::terminal::{self, Reader};
use crate::{machine, render};
use report::format::visible;
use report::{Capabilities, Record, Status};
use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

/// Rounds of a timing run: with every backend, at n = 8 and 9, under a minute.
const ROUNDS: u32 = 8;

/// How long the searches of one sample last together, in nanoseconds.
const SEARCH_NS: u64 = 100_000_000;

/// Measures, writes everything, and says how it went.
///
/// # Errors
///
/// [`Exit::BadInput`] before anything is measured; otherwise a failure of the
/// command itself. Failures of backends are results.
pub fn run(options: Measure) -> Result<Exit, Stop> {
    let study = study(&options)?;
    let mut folder = Folder::open(&options.out).map_err(Stop::bad_input)?;
    let children = Children::new()?;
    let template = template(&study, options.counted);
    remark_before(&options, &folder, &template);

    let records = take_samples(&options, &study, &template, &mut folder, &children)?;
    let exit = Exit::of_run(&records, children.interrupted());
    if records.is_empty() {
        terminal::say("nothing was measured");
        return Ok(exit);
    }
    let baseline = options.baseline.map(|info| info.name);
    // Before the table, so that a closed pipe does not keep it from being written;
    // and the table is shown even if the report cannot be. Never into a folder
    // that is gone, or another run's by now.
    let kept = folder.check().map_err(Stop::bad_input);
    let report = kept.and_then(|()| render::write(&records, baseline, &report_in(&options.out)));
    if options.format == Format::Table {
        terminal::print(&render::table(&records, baseline, options.counted)?)?;
    }
    if options.format == Format::Json || options.counted {
        failures(&records).iter().for_each(|line| terminal::say(line));
    }
    let report = report?;
    if !options.quiet {
        let lines = [("records: ", folder.records_path()), ("report:  ", report)]
            .map(|(what, path)| visible(&format!("{what}{}", path.display())));
        match options.format {
            Format::Table => terminal::print(&format!("\n{}\n", lines.join("\n"))).map(|_| ())?,
            Format::Json => lines.iter().for_each(|line| terminal::say(line)),
        }
    }
    if children.interrupted() {
        terminal::say(&format!(
            "interrupted: {} of {} samples were taken and kept",
            records.len(),
            study.len()
        ));
    }
    Ok(exit)
}

/// What the options ask for.
fn study(options: &Measure) -> Result<Study, Stop> {
    let sizes: BTreeSet<u32> = options.n.iter().cloned().flatten().collect();
    let mut study = Study {
        configs: config::selected(options)?,
        sizes: sizes.into_iter().collect(),
        // Counts are the same each time.
        rounds: options.rounds.unwrap_or(if options.counted { 1 } else { ROUNDS }),
        // Short enough for programs whose only numbers are floating point.
        seed: options.seed.unwrap_or_else(|| fastrand::u32(..).into()),
    };
    if !options.counted {
        study.add_control(options.baseline.map(|info| info.name));
    }
    Ok(study)
}

/// What the records of a run have in common.
fn template(study: &Study, counted: bool) -> Record {
    Record {
        program: concat!("nqueens ", env!("CARGO_PKG_VERSION")).to_owned(),
        threads: 1,
        seed: study.seed,
        counted,
        machine: machine::describe(),
        commit: machine::COMMIT.to_owned(),
        dirty: machine::dirty(),
        command: command_line(),
        ..Record::new()
    }
}

/// Remarks on what spoils measurements, and on what was moved.
fn remark_before(options: &Measure, folder: &Folder, template: &Record) {
    if options.quiet {
        return;
    }
    if !options.counted {
        let neighbours = machine::neighbours(machine::last_core());
        for warning in machine::warnings(&template.machine, template.dirty, &neighbours) {
            terminal::say(&format!("warning: {warning}"));
        }
    }
    if let Some(path) = &folder.moved_to {
        terminal::say(&format!("earlier records are now in {}", path.display()));
    }
}

/// Takes the samples one after the other, and keeps each record as soon as it
/// is there, until all are taken, Ctrl-C, or nobody reads the JSON.
fn take_samples(
    options: &Measure,
    study: &Study,
    template: &Record,
    folder: &mut Folder,
    children: &Children,
) -> Result<Vec<Record>, Stop> {
    let core = machine::last_core();
    let progress = terminal::progress(study.len(), options.quiet);
    let mut records = Vec::with_capacity(study.len());
    for entry in study.order() {
        let config = &study.configs[entry.config];
        progress.set_message(format!(
            "round {} of {}: {}, n = {}",
            entry.round + 1,
            study.rounds,
            config.info.name,
            entry.n
        ));
        let record = describe(config, entry, template);
        let counters = counters::of_sample(&options.counters, entry.round, config.control);
        let task = Task { record, core, search_ns: SEARCH_NS, counters, ..Task::default() };
        let Some(record) = children.run(&task)? else { break };
        folder.append(&record)?;
        if options.format == Format::Json {
            let mut line = Vec::new();
            report::write_record(&mut line, &record)?;
            let reader = terminal::print(&String::from_utf8_lossy(&line))?;
            records.push(record);
            if reader == Reader::Gone {
                break;
            }
        } else {
            records.push(record);
        }
        progress.inc(1);
        if children.interrupted() {
            break;
        }
    }
    progress.finish_and_clear();
    Ok(records)
}

/// The record of a sample before it is run.
fn describe(config: &Config, entry: Entry, template: &Record) -> Record {
    let info = config.info;
    let started = SystemTime::now().duration_since(UNIX_EPOCH);
    let mut record = Record {
        backend: info.name.to_owned(),
        family: info.kind.name().to_owned(),
        about: info.about.to_owned(),
        capabilities: Capabilities {
            returns: info.returns.to_owned(),
            moves: info.moves,
            cycles: info.cycles,
            problem_specific: info.problem_specific,
            header_bytes: info.header_bytes,
            cell_bytes: info.cell_bytes,
        },
        params: config.params.clone(),
        n: entry.n,
        round: entry.round,
        control: config.control,
        started_unix_s: started.map_or(0, |since| since.as_secs()),
        ..template.clone()
    };
    record.machine.load_1min = machine::load_1min();
    record
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
