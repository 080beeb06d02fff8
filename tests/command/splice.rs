//! The results within a document: only the text between the markers, the same bytes each time.

use crate::{command, measured};
use std::fs;
use std::path::Path;

const RECORDS: &str = "results/records.jsonl";
const START: &str = "<!-- results docs/chart.png -->\n";
const END: &str = "<!-- /results -->\n";

/// A folder with records and a document.
fn prepared() -> tempfile::TempDir {
    let folder = measured("--backend gc,rc --n 4,5 --rounds 2 --sample-time 1ms");
    fs::create_dir(folder.path().join("docs")).unwrap();
    fs::write(folder.path().join("doc.md"), format!("# Ours\n\n{START}old\n{END}\nafter")).unwrap();
    folder
}

fn splice(folder: &Path, arguments: &str, code: i32) -> String {
    let arguments = format!("report {RECORDS} --out o --quiet {arguments}");
    let output = command(folder, &arguments).assert().code(code);
    String::from_utf8(output.get_output().stderr.clone()).unwrap()
}

/// The files of a folder, but for those of the report.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for within in [folder.to_owned(), folder.join("docs")] {
        let entries = fs::read_dir(within).unwrap().map(|entry| entry.unwrap().path());
        let mut paths: Vec<_> = entries.filter(|path| path.is_file()).collect();
        paths.sort();
        files
            .extend(paths.iter().map(|path| (path.display().to_string(), fs::read(path).unwrap())));
    }
    files
}

#[test]
fn only_the_text_between_the_markers_changes() {
    let folder = prepared();
    let path = folder.path();
    assert_eq!(splice(path, "--splice doc.md", 0), "");
    let text = fs::read_to_string(path.join("doc.md")).unwrap();
    let between = text.strip_prefix(&format!("# Ours\n\n{START}\n![Bars")).unwrap();
    let between = between.strip_suffix(&format!("</sub>\n\n{END}\nafter")).unwrap();
    for part in [
        "](docs/chart.png \"Time per backend at n = 5\")\n\n",
        "\n\n| memory manager | time of one search at n = 5 | ",
        "\n| `gc` | ",
        "\n\n<sub>Made by `rc-vs-gc --quiet --backend gc,rc ",
        "; 2 rounds; ",
    ] {
        assert!(between.contains(part), "{part} in {text}");
    }
    assert!(!between.contains("| `gc` | 4 |"), "{text}");
    let chart = fs::read(path.join("docs/chart.png")).unwrap();
    assert_eq!(chart, fs::read(path.join("o/report/time-per-backend.png")).unwrap());
    // Nothing else is left behind, and again nothing changes.
    let once = files(path);
    assert_eq!(once.len(), 2);
    splice(path, "--splice doc.md", 0);
    assert_eq!(files(path), once);
    let output = command(path, &format!("report {RECORDS} --splice doc.md --out o")).assert();
    let said = String::from_utf8(output.success().get_output().stdout.clone()).unwrap();
    assert!(said.ends_with("\nreport:  o/report/index.html\nspliced: doc.md\n"), "{said}");
}

#[test]
fn a_check_writes_nothing() {
    let folder = prepared();
    let path = folder.path();
    let before = files(path);
    let differs = |part: &str| {
        let said = splice(path, "--splice doc.md --check", 1);
        assert!(
            said.starts_with(&format!("error: {part}: is not what these records give")),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1);
    };
    differs("docs/chart.png");
    assert!(files(path) == before && !path.join("o").exists());
    splice(path, "--splice doc.md", 0);
    fs::remove_dir_all(path.join("o")).unwrap();
    let spliced = files(path);
    assert_eq!(splice(path, "--splice doc.md --check", 0), "");
    assert!(files(path) == spliced && !path.join("o").exists());
    // One letter, one byte of the chart, another run.
    let text = fs::read_to_string(path.join("doc.md")).unwrap();
    fs::write(path.join("doc.md"), text.replacen("`gc`", "`gd`", 1)).unwrap();
    differs("doc.md");
    fs::write(path.join("doc.md"), text.replace("\nafter", "\nelsewhere")).unwrap();
    splice(path, "--splice doc.md --check", 0);
    let chart = path.join("docs/chart.png");
    fs::write(&chart, [&fs::read(&chart).unwrap()[..], b"x"].concat()).unwrap();
    differs("docs/chart.png");
    splice(path, "--splice doc.md", 0);
    let records = fs::read_to_string(path.join(RECORDS)).unwrap();
    fs::write(path.join(RECORDS), records.replace("--quiet", "--loud")).unwrap();
    differs("doc.md");
}

#[test]
fn several_documents_and_none_with_a_chart() {
    let folder = prepared();
    let path = folder.path();
    let plain = format!("<!-- results -->\n{END}");
    for name in ["a.md", "docs/b.md"] {
        fs::write(path.join(name), &plain).unwrap();
    }
    splice(path, "--splice a.md --splice docs/b.md", 0);
    let text = fs::read_to_string(path.join("a.md")).unwrap();
    assert_eq!(text, fs::read_to_string(path.join("docs/b.md")).unwrap());
    assert!(text.contains("| `rc` |") && !text.contains("!["), "{text}");
    assert!(!path.join("docs/chart.png").exists());
    // One that is wrong keeps all from being written.
    fs::write(path.join("a.md"), &plain).unwrap();
    fs::write(path.join("docs/b.md"), "").unwrap();
    splice(path, "--splice a.md --splice docs/b.md", 2);
    assert_eq!(fs::read_to_string(path.join("a.md")).unwrap(), plain);
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_written() {
    let folder = prepared();
    let path = folder.path();
    fs::create_dir(path.join("docs/dir.png")).unwrap();
    let with = |chart: &str| format!("<!-- results {chart} -->\n{END}").into_bytes();
    for (text, part) in [
        (b"nothing".to_vec(), "has no line <!-- results -->"),
        (START.into(), "has no line <!-- /results -->"),
        (
            format!("{START}{START}{END}{END}").into(),
            "<!-- results --> is there twice, in lines 1 and 2",
        ),
        (format!("{START}{END}{START}{END}").into(), "is there twice, in lines 1 and 3"),
        (format!("{END}{START}").into(), "in line 1 comes before"),
        (with("../chart.png"), "'../chart.png' leads outside the document's folder"),
        (with("docs/../../chart.png"), "leads outside the document's folder"),
        (with("/charts/chart.png"), "'/charts/chart.png' leads outside the document's folder"),
        (with("docs/chart.svg"), "does not end in .png"),
        (with("docs/dir.png"), "is there, and no file"),
        (with("no/chart.png"), "the folder of the chart 'no/chart.png' is not there"),
        ([START.as_bytes(), b"\xff\n", END.as_bytes()].concat(), "is not UTF-8 text"),
        (format!("{START}{END}").replace('\n', "\r\n").into(), "has carriage returns"),
    ] {
        fs::write(path.join("doc.md"), &text).unwrap();
        for check in ["", " --check"] {
            let said = splice(path, &format!("--splice doc.md{check}"), 2);
            let start = "error: --splice doc.md: ";
            assert!(said.starts_with(start) && said.contains(part), "{part}: {said}");
            assert_eq!(said.lines().count(), 1, "{said}");
            assert_eq!(fs::read(path.join("doc.md")).unwrap(), text);
        }
    }
    for name in ["none.md", "docs"] {
        let said = splice(path, &format!("--splice {name}"), 2);
        assert!(said.starts_with(&format!("error: --splice {name}: ")), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    assert!(files(path).len() == 1 && !path.join("o").exists());
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = prepared();
    let path = folder.path();
    let doc = path.join("doc.md");
    let before = fs::read(&doc).unwrap();
    fs::set_permissions(&doc, Permissions::from_mode(0o444)).unwrap();
    let said = splice(path, "--splice doc.md", 2);
    let expected = "error: --splice: doc.md: cannot be written (permission denied); ";
    assert!(said.starts_with(expected) && said.lines().count() == 1, "{said}");
    assert!(
        fs::read(&doc).unwrap() == before && files(path).len() == 1 && !path.join("o").exists()
    );
    fs::set_permissions(&doc, Permissions::from_mode(0o640)).unwrap();
    symlink("doc.md", path.join("link.md")).unwrap();
    splice(path, "--splice link.md", 0);
    assert_eq!(fs::metadata(&doc).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(path.join("link.md").is_symlink() && fs::read(&doc).unwrap() != before);
    // A link that leads out of the folder is no way out of it.
    let outside = tempfile::tempdir().unwrap();
    symlink(outside.path(), path.join("out")).unwrap();
    fs::write(&doc, format!("<!-- results out/chart.png -->\n{END}")).unwrap();
    assert!(splice(path, "--splice doc.md", 2).contains("leads outside"));
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

/// Names in records must not become markers, which the next splice would stumble over.
#[test]
fn hostile_names_are_no_markers() {
    let folder = prepared();
    let path = folder.path();
    let records = fs::read_to_string(path.join(RECORDS)).unwrap();
    let hostile = records.replace("\"backend\":\"rc\"", r#""backend":"<!-- /results -->""#);
    let hostile = hostile.replace("rc-vs-gc --quiet", "<!-- results -->\\n<!-- results -->");
    assert_ne!(records, hostile);
    fs::write(path.join(RECORDS), hostile).unwrap();
    splice(path, "--splice doc.md", 0);
    splice(path, "--splice doc.md --check", 0);
}

/// The same samples as if they were of threads: one that takes as long as was measured, and two.
fn of_threads(folder: &Path) -> String {
    let mut lines = String::new();
    for record in crate::records(&folder.join(RECORDS)) {
        for threads in [1, 2] {
            let mut record = record.clone();
            record["threads"] = threads.into();
            record["params"]["mode"] = "split".into();
            record["params"]["split-depth"] = "2".into();
            record["parallel"] = serde_json::json!({
                "cpu_ns": record["iterations_ns"], "cores": 1, "pinned": true, "tasks": 12,
            });
            lines += &format!("{record}\n");
        }
    }
    lines
}

#[test]
fn modes_of_threads_have_places_of_their_own() {
    let folder = prepared();
    let path = folder.path();
    fs::write(path.join("threads.jsonl"), of_threads(path)).unwrap();
    let report = |more: &str| format!("report threads.jsonl --out o --quiet {more}");
    let said = |more: &str, code: i32| {
        let output = command(path, &report(more)).assert().code(code);
        String::from_utf8(output.get_output().stderr.clone()).unwrap()
    };
    let end = "<!-- /threads -->\n";
    fs::write(
        path.join("doc.md"),
        format!(
            "<!-- threads -->\n{end}\n<!-- threads split docs/split.png -->\nold\n{end}\n\
             <!-- threads shared -->\n{end}"
        ),
    )
    .unwrap();
    assert_eq!(said("--splice doc.md", 0), "");
    let text = fs::read_to_string(path.join("doc.md")).unwrap();
    for part in [
        "<!-- threads -->\n\nOne search, split: With 2 threads on 1 core (oversubscribed) at n = 5, ",
        "](docs/split.png \"One search, split: speed-up by threads at n = 5, split depth 2\")\n\n",
        "\n| backend | n | threads | median time | speed-up | ",
        "\n| `gc` | 5 | 2\\* | ",
        "<!-- threads shared -->\n\nThere are no measurements of this mode in these records.\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let chart = fs::read(path.join("docs/split.png")).unwrap();
    assert_eq!(chart, fs::read(path.join("o/report/threads-split.png")).unwrap());
    assert_eq!(said("--splice doc.md --check", 0), "");
    fs::write(path.join("doc.md"), format!("<!-- threads other -->\n{end}")).unwrap();
    let wrong = "error: --splice doc.md: there is no mode 'other'; give one of: throughput, split, shared\n";
    assert_eq!(said("--splice doc.md", 2), wrong);
    // The tables and the spreadsheet, without the one of one thread, and below it.
    let printed = |arguments: &str| {
        let output = command(path, arguments).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    let alone = printed(&report(""));
    assert!(
        alone.starts_with("split, split depth 2: one search, whose first 2 levels "),
        "{alone}"
    );
    let both = format!("report threads.jsonl {RECORDS} --out o --quiet");
    assert!(printed(&both).contains(&format!("\n\n{alone}")), "{}", printed(&both));
    let csv = printed(&format!("{both} --format csv"));
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].contains(",threads,cores,oversubscribed,"), "{csv}");
    assert_eq!(lines.len(), 1 + 4 + 8, "{csv}");
}
