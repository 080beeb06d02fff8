//! One way to build and run a peer, as a `peer.toml` says it; `peers/README.md` explains its keys.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The words that a family may be.
const FAMILIES: [&str; 5] = ["none", "manual", "region", "reference counting", "tracing"];

/// Most searches that may come before those that count.
const MOST_WARM_UP: u32 = 10_000;

/// The word whose place flags take, however many there are.
const FLAGS: &str = "{flags}";

/// A program and its arguments.
pub type Words = Vec<String>;

/// One way to build and run a peer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Name on the command line and in records.
    pub name: String,
    /// The allocation study that it is of; n-queens where it is left out.
    pub study: Option<String>,
    /// What readers call it.
    pub title: String,
    /// The language.
    pub language: String,
    /// Family of its memory manager.
    pub family: String,
    /// Whether that collects young objects apart.
    #[serde(default)]
    pub generational: bool,
    /// Whether that only serves programs of this shape.
    #[serde(default)]
    pub problem_specific: bool,
    /// The memory manager in a sentence.
    pub manager: String,
    /// What must be there.
    pub needs: Vec<Need>,
    /// Command lines that print the versions of its tools.
    pub version: Vec<Words>,
    /// Command lines that build it.
    #[serde(default)]
    pub build: Vec<Words>,
    /// What takes the place of `{flags}`.
    #[serde(default)]
    pub flags: Words,
    /// The command line that runs it.
    pub run: Words,
    /// Environment variables of the run.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Searches before those that count.
    #[serde(default = "one")]
    pub warm_up: u32,
    /// The cores it may use.
    #[serde(default)]
    pub cores: Cores,
    /// What is to be said against the comparison.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Name of its folder, which selects all variants in it.
    #[serde(skip)]
    pub folder: String,
    /// Its folder.
    #[serde(skip)]
    pub source: PathBuf,
    /// Where it is built and run.
    #[serde(skip)]
    pub built: PathBuf,
}

fn one() -> u32 {
    1
}

/// Something that a peer needs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Need {
    /// The Debian package that brings it.
    pub package: String,
    /// A command in the path.
    pub command: Option<String>,
    /// A command line that ends well.
    pub probe: Option<Words>,
}

/// The cores that a peer may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cores {
    /// One, as the backends have it.
    #[default]
    One,
    /// All that there are.
    All,
}

impl Variant {
    /// The allocation study that it is of.
    pub fn study(&self) -> Option<&'static studies::Study> {
        self.study.as_deref().and_then(studies::find)
    }

    /// A command line with what stands for its placeholders.
    pub fn words(&self, line: &[String]) -> Words {
        let word = |word: &String| match word.as_str() {
            FLAGS => self.flags.iter().map(|flag| self.word(flag)).collect(),
            _ => vec![self.word(word)],
        };
        line.iter().flat_map(word).collect()
    }

    /// A word with what stands for its placeholders.
    pub fn word(&self, word: &str) -> String {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        // One after the other would replace what is in the folder's own name.
        let parts = word.split("{source}").map(|part| part.replace("{build}", &path(&self.built)));
        parts.collect::<Vec<_>>().join(&path(&self.source))
    }

    /// What is wrong with it, in a line.
    pub fn check(&self) -> Result<(), String> {
        let name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let package = |c: char| name(c) || c == '.' || c == '+';
        let no_program = |word: &String| word.is_empty() || word == FLAGS;
        let lines = self.build.iter().chain(&self.version).chain([&self.run]);
        let probes = self.needs.iter().filter_map(|need| need.probe.as_ref());
        let said = [&self.title, &self.language, &self.manager];
        if self.name.is_empty() || self.name.starts_with('-') || !self.name.chars().all(name) {
            Err("a name is of the letters a-z, digits and hyphens".into())
        } else if said.iter().any(|text| text.trim().is_empty()) {
            Err("title, language and manager must say something".into())
        } else if self.study.as_ref().is_some_and(|study| studies::find(study).is_none()) {
            Err(format!("study '{}' is none", self.study.as_deref().unwrap_or_default()))
        } else if !FAMILIES.contains(&self.family.as_str()) {
            Err(format!("family '{}' is none of: {}", self.family, FAMILIES.join(", ")))
        } else if lines.chain(probes).any(|line| line.first().is_none_or(no_program)) {
            Err("a command line begins with a program".into())
        } else if self.needs.iter().any(|need| !need.package.chars().all(package)) {
            Err("the name of a package is of the letters a-z, digits and .+-".into())
        } else if self.needs.iter().any(|need| need.command.is_some() == need.probe.is_some()) {
            Err("each of 'needs' has a command or a probe".into())
        } else if self.warm_up > MOST_WARM_UP {
            Err(format!("warm_up is at most {MOST_WARM_UP}"))
        } else {
            Ok(())
        }
    }
}
