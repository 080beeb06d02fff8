//! A backend with its parameters, and their text as records keep it.

use crate::axis::Axis;
use crate::exit::Stop;
use crate::options::Measure;
use crate::parallel;
use crate::peers::{Peer, VERSION};
use crate::values::{self, ALL, Setting, did_you_mean, nearest};
use anyhow::anyhow;
use heap::settings::{parse_bytes, show_bytes};
use heap::{BACKENDS, Brief, Info, Param, SettingError, Settings, Unit};
use report::format::visible;
use report::record::params::{ALLOCATOR, HEAP_LIMIT, HEAP_MULTIPLE};
use report::{Capabilities, Record};
use std::collections::BTreeMap;

mod allocation;
mod sweep;
pub use allocation::{WORKLOAD, row, rows};

/// What is measured: a memory manager of this study, a row of an allocation study, or a program in
/// another language.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A backend.
    Backend(&'static Info),
    /// A row of an allocation study.
    Row(&'static studies::Row),
    /// A peer.
    Peer(Box<Peer>),
}

/// They are told apart by their names.
impl PartialEq for Subject {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Subject {
    /// Its name in records.
    pub fn name(&self) -> &str {
        match self {
            Subject::Backend(info) => info.name,
            Subject::Row(row) => row.brief.name,
            Subject::Peer(peer) => &peer.variant.name,
        }
    }

    /// Fills in what a record tells of it.
    pub fn describe(&self, record: &mut Record) {
        self.name().clone_into(&mut record.backend);
        match self {
            Subject::Backend(info) => {
                info.kind.name().clone_into(&mut record.family);
                info.about.clone_into(&mut record.about);
                record.capabilities = Capabilities {
                    returns: info.returns.to_owned(),
                    moves: info.moves,
                    cycles: info.cycles,
                    generational: info.generational,
                    problem_specific: info.problem_specific,
                    header_bytes: info.header_bytes,
                    cell_bytes: info.cell_bytes,
                };
            }
            Subject::Row(row) => {
                let Brief { name: _, kind, about, returns } = row.brief;
                kind.name().clone_into(&mut record.family);
                about.clone_into(&mut record.about);
                record.capabilities.returns = returns.to_owned();
            }
            Subject::Peer(peer) => {
                let variant = &peer.variant;
                record.family.clone_from(&variant.family);
                record.about.clone_from(&variant.manager);
                record.capabilities = Capabilities {
                    generational: variant.generational,
                    problem_specific: variant.problem_specific,
                    ..Capabilities::default()
                };
                record.peer = Some(report::Peer {
                    title: variant.title.clone(),
                    language: variant.language.clone(),
                    notes: variant.notes.clone(),
                });
            }
        }
    }
}

/// One thing to measure, and the values of all its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The backend or the peer.
    pub subject: Subject,
    /// Every parameter with its value, the heap limit included.
    pub params: BTreeMap<String, String>,
    /// Threads that run it.
    pub threads: u32,
    /// The heap limit as a multiple of what lives at most, in place of a size.
    pub multiple: Option<f64>,
    /// Whether it repeats another one, to show the noise.
    pub control: bool,
}

impl Config {
    /// The parameters at a board size where so many cells live at most.
    pub fn params_at(&self, live_cells: Option<u64>) -> BTreeMap<String, String> {
        let mut params = self.params.clone();
        if let (Subject::Backend(info), Some(multiple), Some(live_cells)) =
            (&self.subject, self.multiple, live_cells)
        {
            let live_bytes = live_cells as f64 * f64::from(info.cell_bytes);
            let limit_bytes = (live_bytes * multiple).ceil().max(1.0) as usize;
            params.insert(HEAP_LIMIT.to_owned(), show_bytes(limit_bytes));
            params.insert(HEAP_MULTIPLE.to_owned(), format!("{multiple}x"));
        }
        params
    }
}

/// What the options ask to be measured, each once: the backends as they are,
/// then with every combination of swept values; then the peers.
///
/// # Errors
///
/// [`crate::exit::Exit::BadInput`]: a setting that is wrong, given twice, or of
/// a backend that is not selected; a baseline that is not selected.
pub fn selected(options: &Measure, axes: &[Axis], peers: Vec<Peer>) -> Result<Vec<Config>, Stop> {
    let mut infos: Vec<&'static Info> = Vec::new();
    for info in wanted(options, axes)? {
        if !infos.iter().any(|other| other.name == info.name) {
            infos.push(info);
        }
    }
    let names: Vec<&str> = infos.iter().map(|info| info.name).collect();
    let not_selected = |option: &str, info: &Info| {
        let (name, names) = (info.name, names.join(", "));
        Stop::bad_input(anyhow!("{option}: backend '{name}' is not selected (selected: {names})"))
    };
    if let Some(set) = options.set.iter().find(|set| !names.contains(&set.backend.name)) {
        return Err(not_selected(&format!("--set {}.{}", set.backend.name, set.name), set.backend));
    }
    let baseline = options.baseline.as_deref();
    if let Some(info) = baseline.and_then(heap::find).filter(|info| !names.contains(&info.name)) {
        return Err(not_selected(&format!("--baseline {}", info.name), info));
    }
    let mut configs = Vec::new();
    for info in &infos {
        let params = params(info, options.heap_limit, &options.set)?;
        let subject = Subject::Backend(info);
        configs.push(Config { subject, params, threads: 1, multiple: None, control: false });
    }
    for plain in configs.clone() {
        for config in sweep::combinations(&plain, axes, &options.set)? {
            if !configs.contains(&config) {
                configs.push(config);
            }
        }
    }
    let mut configs = parallel::with_threads(options, configs)?;
    configs.extend(peers.into_iter().map(|peer| {
        let params = [(VERSION.to_owned(), peer.version.clone())].into();
        let subject = Subject::Peer(Box::new(peer));
        Config { subject, params, threads: 1, multiple: None, control: false }
    }));
    let known: Vec<&str> = configs.iter().map(|config| config.subject.name()).collect();
    match baseline.filter(|name| !known.contains(name)) {
        None => Ok(configs),
        Some(name) => {
            let meant = did_you_mean(&nearest(name, known.into_iter()));
            let why = format!(
                "--baseline '{name}': no backend is called that, and no peer that is measured; \
                 {meant}'rc-vs-gc list' and 'rc-vs-gc peers list' name all"
            );
            Err(Stop::bad_input(anyhow!(why)))
        }
    }
}

/// Backends that a sweep shows beside the swept ones, as levels to compare with.
const REFERENCES: [&str; 2] = ["malloc", "rc"];

/// The backends that are asked for, some perhaps twice.
fn wanted(options: &Measure, axes: &[Axis]) -> Result<Vec<&'static Info>, Stop> {
    let swept = axes.iter().filter_map(|axis| match axis {
        Axis::Param { backend, .. } => heap::find(backend),
        Axis::Limit(_) | Axis::Allocator(_) => None,
    });
    let mut wanted: Vec<&'static Info> = swept.collect();
    let all = || BACKENDS.iter();
    match &options.backend[..] {
        [] if wanted.is_empty() => wanted.extend(all()),
        [] => wanted.extend(all().filter(|info| REFERENCES.contains(&info.name))),
        given => {
            for name in given {
                match name.as_str() {
                    ALL => wanted.extend(all()),
                    name => wanted.push(values::backend(name).map_err(|why| {
                        Stop::bad_input(anyhow!("--backend '{}': {why}", visible(name)))
                    })?),
                }
            }
        }
    }
    Ok(wanted)
}

/// Every parameter of a backend with its value.
fn params(
    info: &Info,
    limit_bytes: usize,
    set: &[Setting],
) -> Result<BTreeMap<String, String>, Stop> {
    let mut settings = Settings::new(info);
    let mut seen: Vec<&str> = Vec::new();
    for set in set.iter().filter(|set| set.backend.name == info.name) {
        settings
            .set(info, &set.name, &set.value)
            .map_err(|why| anyhow!("--set: {why}"))
            .map_err(Stop::bad_input)?;
        if seen.contains(&set.name.as_str()) {
            let why = anyhow!("--set {}.{}: given twice; give it once", info.name, set.name);
            return Err(Stop::bad_input(why));
        }
        seen.push(&set.name);
    }
    let mut params = BTreeMap::new();
    for (name, value) in settings.values() {
        let param = info.params.iter().find(|param| param.name == name);
        let value = param.map_or_else(|| value.to_owned(), |param| uniform(param, value));
        params.insert(name.to_owned(), value);
    }
    params.insert(HEAP_LIMIT.to_owned(), show_bytes(limit_bytes));
    Ok(params)
}

/// The value written in one way, the default's where it is that, so that `1K`
/// and `1024` are the same configuration.
fn uniform(param: &Param, value: &str) -> String {
    let short = |text: &str| match param.unit {
        Unit::Bytes(..) => parse_bytes(text).map(show_bytes),
        Unit::Factor(..) => text.parse::<f64>().ok().map(|factor| factor.to_string()),
        Unit::Choice(_) => None,
    };
    match short(value) {
        Some(short_value) if short(param.default).as_ref() != Some(&short_value) => short_value,
        Some(_) => param.default.to_owned(),
        None => value.to_owned(),
    }
}

/// The settings that a record's parameters say.
///
/// # Errors
///
/// A parameter or value that the backend does not have.
pub fn settings(info: &Info, params: &BTreeMap<String, String>) -> Result<Settings, SettingError> {
    let mut settings = Settings::new(info);
    for (name, value) in params {
        if name == HEAP_LIMIT {
            settings.limit_bytes = parse_bytes(value)
                .ok_or_else(|| SettingError(format!("{name}: '{value}' is not a size")))?;
        } else if ![HEAP_MULTIPLE, ALLOCATOR].contains(&name.as_str())
            && !parallel::PARAMS.contains(&name.as_str())
        {
            settings.set(info, name, value)?;
        }
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_written_in_one_way() {
        let param = |unit, default| Param { name: "x", unit, default, about: "" };
        let bytes = param(Unit::Bytes(1, 1 << 30), "256KiB");
        assert_eq!(["1024", "1k", "1KiB"].map(|text| uniform(&bytes, text)), ["1KiB"; 3]);
        assert_eq!(["262144", "256k"].map(|text| uniform(&bytes, text)), ["256KiB"; 2]);
        let factor = param(Unit::Factor(1.0, 9.0), "2.0");
        assert_eq!(["2", "2.0", "2.00"].map(|text| uniform(&factor, text)), ["2.0"; 3]);
        assert_eq!(["3", "3.0"].map(|text| uniform(&factor, text)), ["3"; 2]);
    }
}
