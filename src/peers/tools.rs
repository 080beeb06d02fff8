//! What peers need, and whether it is here. Each thing is asked for once,
//! however many peers need it.

use super::process::{self, End, Limits};
use super::variant::{Need, Variant, Words};
use std::collections::HashMap;
use std::process::Command;
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
        let ends_well = |words: &Words| {
            matches!(process::run(&mut command(words), None, Limits::time(LIMIT)),
                Ok(finished) if matches!(finished.end, End::Exited(status) if status.success()))
        };
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

/// A command of these words, in a folder that is there.
fn command(words: &Words) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(std::env::temp_dir());
    command
}

/// The first line of its output, or, as some print it there, of its errors.
fn first_line(words: &Words) -> String {
    let Ok(finished) = process::run(&mut command(words), None, Limits::time(LIMIT)) else {
        return "unknown".to_owned();
    };
    let text =
        String::from_utf8_lossy(&[finished.output, finished.errors].join(&b'\n')).into_owned();
    let plain = |line: &str| -> String { line.chars().filter(|c| !c.is_control()).collect() };
    let mut lines = text.lines().map(|line| plain(line).trim().to_owned());
    let line = lines.find(|line| !line.is_empty()).unwrap_or_else(|| "unknown".to_owned());
    line.chars().take(VERSION_CHARS).collect()
}

/// What is missing, and how to get it.
pub fn lacks(missing: &[&Need]) -> String {
    let what = |need: &&Need| match &need.command {
        Some(command) => format!("no {command}"),
        None => format!("not what {} brings", need.package),
    };
    let what: Vec<String> = missing.iter().map(what).collect();
    let mut packages: Vec<&str> = missing.iter().map(|need| need.package.as_str()).collect();
    packages.dedup();
    format!("{} (apt-get install {})", what.join(", "), packages.join(" "))
}
