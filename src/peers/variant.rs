//! What a `peer.toml` says; `peers/README.md` explains its keys.

use crate::exit::Stop;
use anyhow::{Context, anyhow};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The words that a family may be.
const FAMILIES: [&str; 5] = ["none", "manual", "region", "reference counting", "tracing"];

/// Name of the folder of all that is built, beside those of the peers.
const BUILD: &str = "build";

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

    fn check(&self) -> Result<(), String> {
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

/// All peers of a folder, by folder, and in each in the order of its file.
///
/// # Errors
///
/// [`crate::exit::Exit::BadInput`]: the folder cannot be read, or a file in it is not right.
pub fn all(folder: &Path) -> Result<Vec<Variant>, Stop> {
    let read = || -> anyhow::Result<Vec<Variant>> {
        let none = || format!("no peers in {} (--peers-dir)", folder.display());
        let folder = folder.canonicalize().with_context(none)?;
        let entries = fs::read_dir(&folder).with_context(none)?;
        let mut folders: Vec<PathBuf> =
            entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        folders.retain(|folder| folder.join("peer.toml").is_file());
        folders.sort();
        let mut variants: Vec<Variant> = Vec::new();
        for source in folders {
            let file = source.join("peer.toml");
            let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            let read = of_text(&text, &source).map_err(|why| anyhow!("{}: {why}", file.display()));
            variants.extend(read?);
        }
        if variants.is_empty() {
            return Err(anyhow!(none()));
        }
        distinct(&variants)?;
        Ok(variants)
    };
    read().map_err(Stop::bad_input)
}

/// The variants of one file.
fn of_text(text: &str, source: &Path) -> Result<Vec<Variant>, String> {
    let said = |why: toml::de::Error| why.message().lines().collect::<Vec<_>>().join(" ");
    let mut common: Table = text.parse().map_err(|why: toml::de::Error| {
        let before = text.get(..why.span().map_or(0, |span| span.start)).unwrap_or_default();
        format!("line {}: {}", before.matches('\n').count() + 1, said(why))
    })?;
    let own = match common.remove("variant") {
        Some(Value::Array(own)) if !own.is_empty() => own,
        _ => return Err("has no [[variant]]".into()),
    };
    let folder = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if folder == BUILD {
        return Err("a peer's folder cannot have the name of what is built".into());
    }
    let mut variants: Vec<Variant> = Vec::new();
    for own in own {
        let Value::Table(own) = own else { return Err("[[variant]] is a table".into()) };
        let mut table = common.clone();
        let common_notes = table.remove("notes");
        table.extend(own);
        let name = table.get("name").and_then(Value::as_str).unwrap_or("without a name").to_owned();
        let wrong = |why: String| format!("variant {name}: {why}");
        let mut variant: Variant =
            Value::Table(table).try_into().map_err(|why| wrong(said(why)))?;
        if let Some(notes) = common_notes {
            let notes: Vec<String> = notes.try_into().map_err(|why| wrong(said(why)))?;
            variant.notes.splice(..0, notes);
        }
        variant.check().map_err(wrong)?;
        variant.folder.clone_from(&folder);
        variant.source = source.to_owned();
        // Who is built alike is built once.
        let parts = |of: &Variant| (of.build.clone(), of.flags.clone(), of.version.clone());
        let alike = |other: &&Variant| parts(other) == parts(&variant);
        let built = variants.iter().find(alike).map(|other| other.built.clone());
        let beside = source.parent().unwrap_or(source);
        variant.built = built.unwrap_or_else(|| beside.join(BUILD).join(&variant.name));
        variants.push(variant);
    }
    Ok(variants)
}

/// That a name means one thing: a backend, a folder or a variant, but for a
/// folder's own variant of its name.
fn distinct(variants: &[Variant]) -> anyhow::Result<()> {
    let mut seen = BTreeSet::from(["all"]);
    seen.extend(heap::BACKENDS.iter().map(|info| info.name));
    for variant in variants {
        let (name, folder) = (variant.name.as_str(), variant.folder.as_str());
        let of_other = variants.iter().any(|other| other.folder == name && folder != name);
        if of_other || !seen.insert(name) {
            return Err(anyhow!(
                "{}: another peer, a backend or a folder is called '{name}' too",
                variant.source.join("peer.toml").display()
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A file of two variants.
    const TEXT: &str = r#"
        title = "Text"
        language = "Lang"
        family = "tracing"
        manager = "A collector."
        needs = [{ package = "sh", command = "sh" }]
        version = [["sh", "-c", "echo 1"]]
        build = [["cc", "{flags}", "{source}/a.c", "-o", "{build}/a"]]
        run = ["{build}/a"]
        notes = ["Not compiled."]
        [[variant]]
        name = "text"
        [[variant]]
        name = "text-fast"
        title = "Text, fast"
        flags = ["-DFAST", "{source}/x"]
        generational = true
        notes = ["Faster."]
        [[variant]]
        name = "text-env"
        env = { WHERE = "{build}" }
    "#;

    fn read(text: &str) -> Result<Vec<Variant>, String> {
        of_text(text, Path::new("/peers/{build}"))
    }

    #[test]
    fn variants_say_what_differs() {
        let [plain, fast, env] = &read(TEXT).unwrap()[..] else { panic!("three variants") };
        assert_eq!((plain.warm_up, plain.cores, plain.generational), (1, Cores::One, false));
        assert_eq!((fast.title.as_str(), fast.generational), ("Text, fast", true));
        assert_eq!((&plain.notes[..], fast.notes.len()), (&["Not compiled.".to_owned()][..], 2));
        assert_eq!(plain.built, env.built);
        assert_ne!(plain.built, fast.built);
        let words = fast.words(&fast.build[0]);
        assert_eq!(words[..3], ["cc", "-DFAST", "/peers/{build}/x"]);
        assert_eq!(words[4..], ["-o", "/peers/build/text-fast/a"]);
        assert_eq!(plain.words(&plain.build[0])[1], "/peers/{build}/a.c");
    }

    /// Variants of a folder.
    pub fn variants(folder: &str, names: &[&str]) -> Vec<Variant> {
        let [plain, ..] = &read(TEXT).unwrap()[..] else { panic!("a variant") };
        let of = |name: &&str| Variant {
            name: (*name).to_owned(),
            folder: folder.to_owned(),
            ..plain.clone()
        };
        names.iter().map(of).collect()
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = [
            ("family = \"tracing\"", "family = \"magic\"", "family 'magic' is none of: none,"),
            ("\"text-env\"", "\"Text Env\"", "variant Text Env: a name is of"),
            ("run = [\"{build}/a\"]", "run = []", "a command line begins with a program"),
            ("needs", "wants", "wants"),
            ("command = \"sh\"", "command = \"sh\", probe = [\"sh\"]", "a command or a probe"),
            ("title = \"Text\"", "title = ", "line 2: "),
            ("[[variant]]", "[[varieties]]", "has no [[variant]]"),
            ("run = [\"{build}/a\"]", "run = [\"{flags}\"]", "begins with a program"),
            ("package = \"sh\"", "package = \"a b\"", "the name of a package"),
            ("generational = true", "warm_up = 10001", "warm_up is at most 10000"),
            ("generational = true", "cores = \"two\"", "two"),
        ];
        for (from, to, said) in wrong {
            let why = read(&TEXT.replace(from, to)).unwrap_err();
            assert!(why.contains(said) && !why.contains('\n'), "{to}: {why}");
        }
    }

    #[test]
    fn a_name_means_one_thing() {
        assert!(distinct(&read(TEXT).unwrap()).is_ok());
        assert!(distinct(&variants("a", &["a", "a-b"])).is_ok());
        for wrong in ["gc", "all", "a", "a-b"] {
            let both = [variants("a", &["a-b"]), variants("b", &[wrong])].concat();
            assert!(distinct(&both).is_err(), "{wrong}");
        }
    }
}
