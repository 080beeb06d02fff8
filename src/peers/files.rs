//! The peers of a folder: each `peer.toml` in it, read and checked.

use super::variant::Variant;
use crate::exit::Stop;
use anyhow::{Context, anyhow};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Name of the folder of all that is built, beside those of the peers.
const BUILD: &str = "build";

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

/// That a name means one thing: a backend, a row of a study, a folder or a variant, but for a
/// folder's own variant of its name.
fn distinct(variants: &[Variant]) -> anyhow::Result<()> {
    let mut seen = BTreeSet::from(["all"]);
    seen.extend(heap::BACKENDS.iter().map(|info| info.name));
    let rows = studies::STUDIES.iter().flat_map(|study| study.rows);
    seen.extend(rows.map(|row| row.brief.name));
    for variant in variants {
        let (name, folder) = (variant.name.as_str(), variant.folder.as_str());
        let of_other = variants.iter().any(|other| other.folder == name && folder != name);
        if of_other || !seen.insert(name) {
            return Err(anyhow!(
                "{}: another peer, a backend, a row of a study or a folder is called '{name}' too",
                variant.source.join("peer.toml").display()
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::peers::variant::Cores;

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
