//! What peers need, and whether it is here. Each thing is asked for once,
//! however many peers need it.

use super::process::{self, Finished, Keep, Limits};
use super::variant::{Need, Variant, Words};
use std::collections::HashMap;
use std::io;
use std::time::Duration;

/// Time that a probe may take: a slow virtual machine starts in a second.
const LIMIT: Duration = Duration::from_secs(60);

/// Most characters of a version.
const VERSION_CHARS: usize = 80;

/// The answers so far.
#[derive(Default)]
pub struct Tools {
    here: HashMap<Words, bool>,
    said: HashMap<Words, String>,
}

impl Tools {
    /// What a peer needs that is not here.
    pub fn missing<'a>(&mut self, variant: &'a Variant) -> Vec<&'a Need> {
        variant.needs.iter().filter(|need| !self.has(variant, need)).collect()
    }

    fn has(&mut self, variant: &Variant, need: &Need) -> bool {
        if let Some(command) = &need.command {
            return which::which(command).is_ok();
        }
        let Some(probe) = &need.probe else { return true };
        let words = variant.words(probe);
        let ends_well = |words: &Words| run(words).is_ok_and(|finished| finished.succeeded());
        *self.here.entry(words).or_insert_with_key(ends_well)
    }

    /// The versions of a peer's tools: of each the first line that it prints.
    pub fn version(&mut self, variant: &Variant) -> String {
        let lines = variant.version.iter().map(|line| {
            let words = variant.words(line);
            self.said.entry(words).or_insert_with_key(first_line).clone()
        });
        lines.collect::<Vec<_>>().join(", ")
    }
}

/// Runs a command line in a folder that is there.
fn run(words: &Words) -> io::Result<Finished> {
    let mut command = process::command(words, &std::env::temp_dir());
    process::run(&mut command, None, Limits::time(LIMIT), Keep::Start)
}

/// The first line of its output that is no preprocessor's; of its errors, where some print it.
fn first_line(words: &Words) -> String {
    let unknown = || "unknown".to_owned();
    let finished = match run(words) {
        Ok(finished) if finished.succeeded() => finished,
        _ => return unknown(),
    };
    let text =
        String::from_utf8_lossy(&[finished.output, finished.errors].join(&b'\n')).into_owned();
    let plain = |line: &str| -> String { line.chars().filter(|c| !c.is_control()).collect() };
    let mut lines = text.lines().map(|line| plain(line).trim().to_owned());
    let line =
        lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_else(unknown);
    line.chars().take(VERSION_CHARS).collect()
}

/// What is missing, and how to get it.
pub fn lacks(missing: &[&Need]) -> String {
    let what = |need: &&Need| match &need.command {
        Some(command) => format!("no {command}"),
        None => format!("nothing of {}", need.package),
    };
    let what: Vec<String> = missing.iter().map(what).collect();
    let mut packages: Vec<&str> = missing.iter().map(|need| need.package.as_str()).collect();
    packages.dedup();
    format!("{} (apt-get install {})", what.join(", "), packages.join(" "))
}
