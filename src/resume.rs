//! What an interrupted run has left to do.
//!
//! The record file says it all: its first record has the command line, the
//! seed and the machine, so the same study is set up again, and the samples
//! that are there are not taken twice.

use crate::arguments::parse_line;
use crate::config::Config;
use crate::exit::Stop;
use crate::measure::of_study;
use crate::options::{Command, Measure, Options};
use crate::study::{Entry, Study, Work};
use crate::values::MAX_ROUNDS;
use anyhow::anyhow;
use report::Record;
use report::record::params::{HEAP_LIMIT, HEAP_MULTIPLE};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

/// That `--out`, if it is given, is the folder of the record file.
///
/// # Errors
///
/// [`crate::exit::Exit::BadInput`]: it is another one.
pub fn is_out(file: &Path, options: &Measure) -> Result<(), Stop> {
    let folder = file.parent().filter(|folder| *folder != "").unwrap_or(Path::new("."));
    let same = || Some(folder.canonicalize().ok()? == options.out.canonicalize().ok()?);
    if options.given.contains("out") && same() != Some(true) {
        return Err(Stop::bad_input(anyhow!(
            "--out {}: --resume continues a file where it is; leave --out away",
            options.out.display()
        )));
    }
    Ok(())
}

/// The study of a record file, as it would be set up now.
///
/// # Errors
///
/// [`crate::exit::Exit::BadInput`]: the file is of another study than the
/// options, of another program or machine; the message says what differs.
pub fn study(
    file: &Path,
    first: &Record,
    options: &Measure,
    work: Work,
    now: &Record,
) -> Result<Study, Stop> {
    let refused = |why: String| {
        Stop::bad_input(anyhow!("--resume {}: cannot be continued: {why}", file.display()))
    };
    let mut differences = machine_differences(first, now);
    let Some(then) = parse_line(&first.command) else {
        let command = &first.command;
        return Err(refused(format!("its command '{command}' is not one of this program")));
    };
    let (mut then, then_axes, then_study) = match then.command {
        None => (then.measure, Vec::new(), None),
        Some(Command::Sweep(sweep)) => (sweep.measure, sweep.axes, None),
        Some(Command::Study(given)) => {
            (given.measure, Vec::new(), Some((given.study, given.workload)))
        }
        Some(_) => return Err(refused("its command does not measure".to_owned())),
    };
    let then_work = match &then_study {
        None => Work::Queens(&then_axes),
        Some((study, workloads)) => Work::Study(study, workloads),
    };
    // They may have been moved; what they are is told by their names and versions.
    if options.given.contains("peers_dir") {
        then.peers_dir.clone_from(&options.peers_dir);
    }
    // The seed may have been a random one.
    let study = Study::of(&then, then_work, first.seed)?;
    let asked_work = match work {
        Work::Queens([]) | Work::Study(_, []) => then_work,
        _ => work,
    };
    let asked = Study::of(&asked(&then, options), asked_work, first.seed)?;
    differences.extend(study_differences(&study, &asked));
    if !differences.is_empty() {
        return Err(refused(differences.join("; ")));
    }
    // How long it goes on may change: what was taken is the start of it all the same.
    let Study { rounds, target, budget, peer_limits, .. } = asked;
    Ok(Study { rounds, target, budget, peer_limits, ..study })
}

/// The options of then, with those in place that are given now.
fn asked(then: &Measure, now: &Measure) -> Measure {
    let mut asked = then.clone();
    for name in &now.given {
        match name.as_str() {
            "backend" => asked.backend.clone_from(&now.backend),
            "peers" => asked.peers.clone_from(&now.peers),
            "peer_limit" => asked.peer_limit = now.peer_limit,
            "n" => asked.n.clone_from(&now.n),
            "rounds" => asked.rounds = now.rounds,
            "target" => asked.target = now.target,
            "budget" => asked.budget = now.budget,
            "sample_time" => asked.sample_time = now.sample_time,
            "seed" => asked.seed = now.seed,
            "threads" => asked.threads.clone_from(&now.threads),
            "mode" => asked.mode = now.mode,
            "split_depth" => asked.split_depth = now.split_depth,
            "lists" => asked.lists.clone_from(&now.lists),
            "order" => asked.order.clone_from(&now.order),
            "baseline" => asked.baseline.clone_from(&now.baseline),
            "heap_limit" => asked.heap_limit = now.heap_limit,
            "set" => asked.set.clone_from(&now.set),
            "counters" => asked.counters.clone_from(&now.counters),
            "counted" => asked.counted = now.counted,
            // Where results go and how they are shown is no part of a study.
            _ => {}
        }
    }
    asked
}

/// What differs, in words: there and here.
fn difference(what: &str, there: impl ToString, here: impl ToString) -> Option<String> {
    let (there, here) = (there.to_string(), here.to_string());
    let or_none = |text: String| if text.is_empty() { "none".to_owned() } else { text };
    (there != here).then(|| format!("{what}: {} there, {} here", or_none(there), or_none(here)))
}

/// The program whose records these are, with its version and study, where `now` tells of n-queens
/// only since nothing was said.
pub fn program(first: &Record, now: &mut Record) {
    let Some(Options { command: Some(Command::Study(given)), .. }) = parse_line(&first.command)
    else {
        return;
    };
    of_study(given.study, now);
}

fn machine_differences(first: &Record, now: &Record) -> Vec<String> {
    let (there, here) = (&first.machine, &now.machine);
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let differences = [
        difference("program", &first.program, &now.program),
        difference("commit", &first.commit, &now.commit),
        difference("processor", &there.processor, &here.processor),
        difference("cores", there.cores, here.cores),
        difference("kernel", &there.kernel, &here.kernel),
        difference("compiler", &there.compiler, &here.compiler),
        difference("debug build", there.debug_build, here.debug_build),
        difference("flags", text(&there.flags), text(&here.flags)),
        difference("machine", text(&there.id), text(&here.id)),
    ];
    differences.into_iter().flatten().collect()
}

fn study_differences(there: &Study, here: &Study) -> Vec<String> {
    let sources = |study: &Study| join(study.counters.iter().map(|s| format!("{s:?}")));
    let sizes = |study: &Study| join(study.sizes.iter().map(u32::to_string));
    let differences = [
        difference("seed", there.seed, here.seed),
        difference("n", sizes(there), sizes(here)),
        difference("counters", sources(there), sources(here)),
        difference("counted", there.counted, here.counted),
        difference("sample time in ns", there.sample_ns, here.sample_ns),
    ];
    let mut differences: Vec<String> = differences.into_iter().flatten().collect();
    let names = |study: &Study| -> BTreeSet<String> {
        study.configs.iter().map(|config| config.subject.name().to_owned()).collect()
    };
    let configs = |study: &Study| study.configs.iter().map(text).collect();
    // Parameters only where the names are the same.
    let differing = only(names(there), names(here));
    let (there, here) =
        differing.unwrap_or_else(|| only(configs(there), configs(here)).unwrap_or_default());
    differences.extend(difference("backends", there, here));
    differences
}

/// A configuration in words.
fn text(config: &Config) -> String {
    let multiple = config.multiple.map(|multiple| format!("{HEAP_LIMIT}={multiple}x"));
    let params = config.params.iter().map(|(name, value)| format!("{name}={value}"));
    let twice = if config.control { " twice" } else { "" };
    let threads = (config.threads > 1).then(|| format!("threads={}", config.threads));
    let settings = join(params.chain(multiple).chain(threads));
    format!("{}{twice} ({settings})", config.subject.name())
}

/// What only one side has; `None` where both have the same.
fn only(there: BTreeSet<String>, here: BTreeSet<String>) -> Option<(String, String)> {
    let of = |a: &BTreeSet<String>, b: &BTreeSet<String>| join(a.difference(b).cloned());
    (there != here).then(|| (of(&there, &here), of(&here, &there)))
}

fn join(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}

/// The samples of a study that the records already are.
///
/// # Errors
///
/// [`crate::exit::Exit::BadInput`]: a record is of another run, program or
/// machine than the first, or there twice.
pub fn taken(file: &Path, study: &Study, records: &[Record]) -> Result<HashSet<Entry>, Stop> {
    let mut taken = HashSet::new();
    for (i, record) in records.iter().enumerate() {
        // Files can be joined: the first record speaks for itself only.
        let differences = machine_differences(&records[0], record);
        let entry = entry(study, record).filter(|_| differences.is_empty());
        if !entry.is_some_and(|entry| taken.insert(entry)) {
            let why = match (entry, &differences[..]) {
                (Some(_), _) => "there twice".to_owned(),
                (None, []) => "of another run".to_owned(),
                (None, differences) => {
                    let differences = differences.join("; ");
                    let differences = differences.replace(" there, ", " in the first record, ");
                    format!("of another run ({differences})")
                }
            };
            return Err(Stop::bad_input(anyhow!(
                "--resume {}: cannot be continued: record {} ({}, n = {}, round {}) is {why}",
                file.display(),
                i + 1,
                record.backend,
                record.n,
                record.round,
            )));
        }
    }
    Ok(taken)
}

fn entry(study: &Study, record: &Record) -> Option<Entry> {
    let multiple = record.params.get(HEAP_MULTIPLE);
    let config = study.configs.iter().position(|config| {
        let limited = config.multiple.map(|multiple| format!("{multiple}x"));
        // The limit that a multiple comes to is another one at each size.
        let of_limit = |name: &str| limited.is_some() && name == HEAP_LIMIT;
        let told = |params: &BTreeMap<String, String>| -> BTreeMap<String, String> {
            let own = params.iter().filter(|(name, _)| *name != HEAP_MULTIPLE && !of_limit(name));
            own.map(|(name, value)| (name.clone(), value.clone())).collect()
        };
        config.subject.name() == record.backend
            && config.control == record.control
            && config.threads == record.threads
            && limited.as_ref() == multiple
            && told(&config.params) == told(&record.params)
    });
    let same_run = record.seed == study.seed
        && record.counted == study.counted
        && record.round < MAX_ROUNDS
        && study.sizes.contains(&record.n);
    let config = config.filter(|_| same_run)?;
    Some(Entry { round: record.round, n: record.n, config })
}
