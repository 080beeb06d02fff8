//! The machine, the run, and the files that the records come from.

use super::ReportOptions;
use crate::format::{clean, distinct, exact_count, human_bytes};
use crate::record::{Machine, Record};
use crate::summary::Summary;
use jiff::Timestamp;
use minijinja::{Value, context};
use std::path::Path;

/// A title with its values.
type Entry = (&'static str, Vec<String>);

/// How the records were made: titles, each with its values.
pub(super) fn run(
    options: &ReportOptions,
    records: &[Record],
    summary: &Summary,
    out_dir: &Path,
) -> Value {
    let timed = records.iter().filter(|record| !record.counted && !record.control).count();
    let entries: [Entry; 5] = [
        ("Program", distinct(records.iter().map(|record| clean(&record.program)))),
        ("Commit", distinct(records.iter().map(commit))),
        ("Seed", distinct(records.iter().map(|record| record.seed.to_string()))),
        ("Threads", distinct(records.iter().map(|record| record.threads.to_string()))),
        ("Measured", when(records).into_iter().collect()),
    ];
    let origins = summary.origins.iter().filter(|(_, name)| !name.is_empty());
    context! {
        samples => exact_count(records.len() as u64),
        timed => exact_count(timed as u64),
        commands => distinct(records.iter().map(|record| clean(&record.command))),
        made_by => options.command.map(clean),
        files => options.record_files.iter().map(|file| link(file, out_dir)).collect::<Vec<_>>(),
        entries => views(entries),
        origins => origins.map(|(origin, name)| context! {
            name,
            what => [&origin.program, &origin.commit, &origin.machine].map(String::as_str).join(", "),
        }).collect::<Vec<_>>(),
    }
}

/// The machines, each once, with the loads that its samples started under.
pub(super) fn machines(records: &[Record]) -> Vec<Value> {
    let mut machines: Vec<(Vec<Entry>, Vec<f64>)> = Vec::new();
    for machine in records.iter().map(|record| &record.machine) {
        let entries = entries(machine);
        let place = machines.iter().position(|(known, _)| *known == entries);
        let place = place.unwrap_or_else(|| {
            machines.push((entries, Vec::new()));
            machines.len() - 1
        });
        machines[place].1.extend(machine.load_1min.filter(|load| load.is_finite()));
    }
    let view = |(mut entries, loads): (Vec<Entry>, Vec<f64>)| {
        entries.push(("Load at the start of samples", load(&loads).into_iter().collect()));
        views(entries)
    };
    machines.into_iter().map(view).collect()
}

/// A machine but for its load, which differs from sample to sample.
fn entries(machine: &Machine) -> Vec<Entry> {
    let cores = match machine.physical_cores {
        Some(physical) => format!("{} usable, {physical} physical", machine.cores),
        None => format!("{} usable", machine.cores),
    };
    let caches = [("L1d", machine.l1d_bytes), ("L2", machine.l2_bytes), ("L3", machine.l3_bytes)];
    let cache =
        |(name, bytes): (&str, Option<u64>)| Some(format!("{name} {}", human_bytes(bytes?)));
    let caches: Vec<String> = caches.into_iter().filter_map(cache).collect();
    let virtualised = match (machine.virtualised, &machine.hypervisor) {
        (Some(false), _) => Some("no virtual machine".to_owned()),
        (_, Some(hypervisor)) => Some(format!("virtual machine of {hypervisor}")),
        (Some(true), None) => Some("virtual machine".to_owned()),
        (None, None) => None,
    };
    let governor = |known: &str| format!("frequency governor {known}");
    let build =
        machine.debug_build.then(|| "without optimisation: its times say nothing".to_owned());
    let one = |text: &str| vec![clean(text)];
    let some = |text: Option<String>| text.iter().map(|text| clean(text)).collect();
    let mut entries: Vec<Entry> = vec![
        ("Processor", one(&machine.processor)),
        ("Cores", vec![cores]),
        ("Caches", one(&caches.join(", "))),
        ("Frequency", some(machine.governor.as_deref().map(governor))),
        ("Virtualisation", some(virtualised)),
        ("System", one(&machine.os)),
        ("Kernel", one(&machine.kernel)),
        ("Compiler", one(&machine.compiler)),
        ("Compiled for", some(machine.flags.clone())),
        ("Build", some(build)),
        ("Machine's id", some(machine.id.clone())),
    ];
    entries.iter_mut().for_each(|(_, values)| values.retain(|value| !value.is_empty()));
    entries
}

fn load(loads: &[f64]) -> Option<String> {
    let least = loads.iter().copied().reduce(f64::min)?;
    let most = loads.iter().copied().reduce(f64::max)?;
    Some(format!("{least:.2} to {most:.2} (average over a minute)"))
}

fn commit(record: &Record) -> String {
    let commit = clean(&record.commit);
    match record.dirty {
        Some(true) => format!("{commit}, with files changed since"),
        _ => commit,
    }
}

/// From the first sample to the last, in UTC; nothing where no record tells.
fn when(records: &[Record]) -> Option<String> {
    let starts = || records.iter().map(|record| record.started_unix_s).filter(|&start| start > 0);
    let minute = |unix_s: u64| {
        let time = Timestamp::from_second(unix_s.try_into().ok()?).ok()?;
        Some(time.strftime("%Y-%m-%d %H:%M").to_string())
    };
    let (first, last) = (minute(starts().min()?)?, minute(starts().max()?)?);
    Some(match first == last {
        true => format!("{first} UTC"),
        false => format!("{first} to {last} UTC"),
    })
}

/// A record file's name, and where the page may find it: beside itself, or in the folder above.
fn link(file: &Path, out_dir: &Path) -> Value {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = |path: &Path| std::path::absolute(path).ok()?.parent().map(Path::to_owned);
    let (of_file, of_page) = (folder(file), std::path::absolute(out_dir).ok());
    let above = of_page.as_deref().and_then(Path::parent);
    let prefix = match of_file.as_deref() {
        Some(folder) if Some(folder) == above => Some("../"),
        Some(folder) if Some(folder) == of_page.as_deref() => Some("./"),
        _ => None,
    };
    // A name that is no text cannot be linked to.
    let prefix = prefix.filter(|_| file.file_name().is_some_and(|name| name.to_str().is_some()));
    context! { prefix, name => clean(&name), raw => name }
}

/// Those that have a value.
fn views(entries: impl IntoIterator<Item = Entry>) -> Value {
    let told = entries.into_iter().filter(|(_, values)| !values.is_empty());
    told.map(|(title, values)| context! { title, values }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_linked_where_they_lie_beside_the_page() {
        let of = |file: &str| {
            let link = link(Path::new(file), Path::new("results/report"));
            let text = |name: &str| link.get_attr(name).unwrap();
            (text("prefix").as_str().map(str::to_owned), text("name").to_string())
        };
        let linked = |prefix: &str, name: &str| (Some(prefix.to_owned()), name.to_owned());
        assert_eq!(of("results/records.jsonl"), linked("../", "records.jsonl"));
        assert_eq!(of("results/report/a b.jsonl"), linked("./", "a b.jsonl"));
        assert_eq!(of("/elsewhere/private/records.jsonl"), (None, "records.jsonl".to_owned()));
        assert_eq!(of("records.jsonl"), (None, "records.jsonl".to_owned()));
    }

    #[test]
    fn machines_are_told_once_with_their_loads() {
        let machine = |cores, load| Machine {
            processor: "P".into(),
            cores,
            load_1min: load,
            ..Machine::default()
        };
        let machines = [(2, Some(0.5)), (2, Some(1.25)), (4, None)];
        let record = |(cores, load)| Record { machine: machine(cores, load), ..Record::new() };
        let told = super::machines(&machines.map(record));
        assert_eq!(told.len(), 2);
        assert!(told[0].to_string().contains("0.50 to 1.25"), "{}", told[0]);
        assert!(!told[1].to_string().contains("Load"), "{}", told[1]);
    }

    #[test]
    fn times_are_told_to_the_minute() {
        let at = |started_unix_s| Record { started_unix_s, ..Record::new() };
        assert_eq!(when(&[at(0)]), None);
        assert_eq!(when(&[at(86_400)]).unwrap(), "1970-01-02 00:00 UTC");
        let both = when(&[at(90_000), at(0), at(86_459)]).unwrap();
        assert_eq!(both, "1970-01-02 00:00 to 1970-01-02 01:00 UTC");
        assert_eq!(when(&[at(u64::MAX)]), None);
    }
}
