//! Two runs compared: golden files for what is printed, and what ends with which code.
//! After a change: `UPDATE_GOLDEN=1 cargo test --test command compare`.

use crate::command;
use report::{Machine, Record, Status, write_record};
use std::fs;
use std::path::{Path, PathBuf};

/// Times of seven rounds, in thousandths of their median.
const ROUNDS: [u64; 7] = [1004, 997, 1000, 1011, 995, 999, 1001];

/// A backend of the golden runs: its name, and its microseconds before and after, if it is there.
type Made = (&'static str, Option<u64>, Option<u64>);

const BACKENDS: [Made; 8] = [
    ("arc", Some(7_000), Some(7_700)),
    ("fused", Some(2_300), Some(2_318)),
    ("gc", Some(1_400), Some(1_402)),
    ("leak", Some(2_200), Some(2_200)),
    ("malloc", Some(4_300), None),
    ("rc", Some(5_200), Some(3_900)),
    ("region", None, Some(2_100)),
    ("semispace", Some(1_500), Some(1_500)),
];

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// A right sample.
fn sample(backend: &str, n: u32, round: u32, time_us: u64) -> Record {
    let time_ns = time_us * ROUNDS[round as usize];
    Record {
        program: "nqueens 0.1.0".into(),
        backend: backend.into(),
        family: "a family".into(),
        about: "A backend.".into(),
        params: [("heap-limit".into(), "64MiB".into())].into(),
        n,
        threads: 1,
        round,
        seed: 42,
        solutions: Some(92),
        wall_ns: Some(time_ns),
        iterations_ns: vec![time_ns],
        cells_allocated: Some(237_936),
        machine: Machine { processor: "A Processor".into(), cores: 2, ..Machine::default() },
        commit: "0123abc".into(),
        command: "rc-vs-gc".into(),
        started_unix_s: 1_700_000_000 + u64::from(round),
        ..Record::new()
    }
}

/// One of the golden runs: each backend at n = 8, `gc` twice and once more at n = 9.
fn run(after: bool) -> Vec<Record> {
    let mut records = Vec::new();
    for round in 0..ROUNDS.len() as u32 {
        for (backend, before_us, after_us) in BACKENDS {
            let Some(time_us) = (if after { after_us } else { before_us }) else { continue };
            records.push(sample(backend, 8, round, time_us));
            if backend == "gc" {
                let control = sample(backend, 8, (round + 2) % 7, time_us);
                records.push(Record { round, control: true, ..control });
            }
        }
    }
    records.push(sample("gc", 9, 0, 10_000));
    if after {
        let leak = records.iter_mut().rfind(|record| record.backend == "leak").unwrap();
        leak.status = Status::OutOfMemory;
        leak.message = Some("heap limit 64 MiB reached".into());
        (leak.solutions, leak.wall_ns) = (None, None);
        leak.iterations_ns.clear();
        records.iter_mut().for_each(|record| record.commit = "4567def".into());
    }
    records
}

fn text(records: &[Record]) -> Vec<u8> {
    let mut text = Vec::new();
    for record in records {
        write_record(&mut text, record).unwrap();
    }
    text
}

/// That a golden file has this text; it gets it, if that is asked for.
fn is_golden(name: &str, text: &[u8]) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(golden("")).unwrap();
        fs::write(golden(name), text).unwrap();
    }
    let kept = fs::read(golden(name)).unwrap_or_default();
    assert!(
        kept == text,
        "{name} differs, see UPDATE_GOLDEN=1 cargo test --test command compare:\n{}",
        String::from_utf8_lossy(text)
    );
}

/// Compares two runs of these records: the exit code, standard output, standard error.
fn compared(before: &[Record], after: &[Record], options: &str) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("before"), text(before)).unwrap();
    fs::write(folder.path().join("after"), text(after)).unwrap();
    let output =
        command(folder.path(), &format!("compare before after {options}")).output().unwrap();
    let [said, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code().unwrap(), said, error)
}

/// The one line that is said of two runs that are not compared.
fn refused(before: &[Record], after: &[Record]) -> String {
    let (code, said, error) = compared(before, after, "--fail-if-slower 5%");
    assert_eq!((code, said.as_str(), error.lines().count()), (2, "", 1), "{error}");
    error.trim_end().strip_prefix("error: ").unwrap().to_owned()
}

#[test]
fn what_is_printed_is_golden() {
    is_golden("before.jsonl", &text(&run(false)));
    is_golden("after.jsonl", &text(&run(true)));
    for (format, name) in
        [("table", "compare.txt"), ("markdown", "compare.md"), ("json", "compare.json")]
    {
        let arguments = format!("compare before.jsonl after.jsonl --format {format}");
        let output = command(&golden(""), &arguments).output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
        is_golden(name, &output.stdout);
    }
}

#[test]
fn what_became_slower_or_failed_fails_a_build() {
    let (before, after) = (run(false), run(true));
    let failed = "failed where it had not: leak at n = 8 (failed after: out of memory)";
    let (code, _, error) = compared(&before, &after, "--fail-if-slower 5%");
    let slower = "slower by more than 5 %: arc at n = 8 (";
    assert_eq!(code, 1, "{error}");
    assert!(
        error.starts_with(&format!("error: {slower}"))
            && error.ends_with(&format!("); {failed}\n")),
        "{error}"
    );
    assert!(!error.contains("fused"), "{error}");
    let (code, said, error) = compared(&before, &after, "--fail-if-slower 20 --format json");
    assert_eq!((code, error), (1, format!("error: {failed}\n")));
    assert!(serde_json::from_str::<serde_json::Value>(&said).unwrap()["rows"].is_array());
    // The other way round rc is slower, and what failed before is no news.
    let (code, _, error) = compared(&after, &before, "--fail-if-slower 5%");
    assert!(code == 1 && error.contains("rc at n = 8") && !error.contains("leak"), "{error}");
}

#[test]
fn what_may_be_noise_fails_no_build() {
    let times = |factors: [u64; 7]| -> Vec<Record> {
        let rounds = (0..).zip(factors);
        rounds.map(|(round, percent)| sample("rc", 8, round, 10 * percent)).collect()
    };
    let even = times([100; 7]);
    // The median is 10 % more, but three of seven are not.
    let noisy = times([100, 100, 100, 110, 110, 110, 110]);
    let (code, said, error) = compared(&even, &noisy, "--fail-if-slower 5%");
    assert_eq!((code, error.as_str()), (0, ""), "{said}");
    let slow = times([110; 7]);
    assert_eq!(compared(&even, &slow, "--fail-if-slower 5%").0, 1);
    assert_eq!(compared(&even, &slow, "").0, 0);
    assert_eq!(compared(&even, &slow[..4], "--fail-if-slower 5%").0, 0);
    let said = compared(&even, &slow[..4], "").1;
    assert!(
        said.contains("too few rounds (4 of 6)") && said.contains("warning: too few"),
        "{said}"
    );
}

#[test]
fn a_run_does_not_differ_from_itself() {
    for records in [run(false), run(true)] {
        let (code, said, error) = compared(&records, &records, "--fail-if-slower 0%");
        assert_eq!((code, error.as_str()), (0, ""), "{said}");
        assert!(said.contains("0 faster, 0 slower, "), "{said}");
        assert!(said.contains("both files hold the same samples"), "{said}");
    }
}

#[test]
fn different_work_is_refused() {
    let base = || vec![sample("gc", 8, 0, 100), sample("gc", 9, 0, 1000)];
    let changed = |change: &dyn Fn(&mut Record)| {
        let mut records = base();
        records.iter_mut().for_each(change);
        refused(&base(), &records)
    };
    let nothing = "nothing in common";
    assert_eq!(
        changed(&|record| record.n += 2),
        format!("BEFORE has n = 8, 9, AFTER n = 10, 11: {nothing}")
    );
    assert_eq!(
        changed(&|record| record.program = "nqueens 0.2.0".into()),
        format!("BEFORE has nqueens 0.1.0, AFTER nqueens 0.2.0: {nothing}")
    );
    assert_eq!(
        changed(&|record| record.backend = "rc".into()),
        format!("BEFORE has gc, AFTER rc: {nothing}")
    );
    assert_eq!(
        changed(&|record| record.threads = 2),
        format!("BEFORE has threads = 1, AFTER threads = 2: {nothing}")
    );
    assert_eq!(
        changed(&|record| _ = record.params.insert("heap-limit".into(), "8GiB".into())),
        format!("BEFORE has heap-limit = 64MiB, AFTER heap-limit = 8GiB: {nothing}")
    );
    assert_eq!(
        refused(
            &[base(), vec![sample("rc", 9, 0, 5)]].concat()[1..],
            &[sample("rc", 8, 0, 5), sample("arc", 9, 0, 5)]
        ),
        format!("BEFORE has gc at n = 9; rc at n = 9, AFTER arc at n = 9; rc at n = 8: {nothing}")
    );
    assert_eq!(
        changed(&|record| record.solutions = Some(93)),
        "gc at n = 8: 92 solutions in BEFORE, 93 in AFTER; this is not the same work"
    );
    let mut several = base();
    several[1].commit = "4567def".into();
    assert_eq!(
        refused(&base(), &several),
        "AFTER has records of several machines or commits (0123abc; 4567def); give one run"
    );
    assert_eq!(
        changed(&|record| record.counted = true),
        "AFTER has no times, all its samples were made to count; measure without --counted"
    );
}

#[test]
fn other_circumstances_are_told() {
    let before = [sample("gc", 8, 0, 100)];
    let mut after = before.clone();
    let [record] = &mut after;
    record.machine.processor = "Another\u{1b}[31m".into();
    record.machine.debug_build = true;
    record.machine.compiler = "rustc 2".into();
    record.dirty = Some(true);
    record.cells_allocated = Some(7);
    let (code, said, _) = compared(&before, &after, "");
    assert_eq!(code, 0);
    for line in [
        "warning: machine differs: A Processor before, Another\u{fffd}[31m after",
        "warning: build differs: release before, debug after",
        "warning: another number of cells allocated: gc at n = 8",
        "commit differs: 0123abc before, 0123abc with changes after",
        "no noise floor at n = 8: neither run entered a backend twice there",
    ] {
        assert!(said.lines().any(|said| said == line), "{line}: {said}");
    }
}

#[test]
fn wrong_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let good = text(&[sample("gc", 8, 0, 100)]);
    fs::write(path.join("good"), &good).unwrap();
    fs::write(path.join("empty"), "").unwrap();
    fs::write(path.join("broken"), [&good[..], b"{\"schema\":1}\n"].concat()).unwrap();
    fs::write(path.join("bytes"), b"\xff\xfe\n").unwrap();
    for (file, part) in [
        (".", ".: cannot be read ("),
        ("none", "none: cannot be read ("),
        ("empty", "empty: holds no records"),
        ("broken", "broken:2: not a record (missing field `program`"),
        ("bytes", "bytes:1: not a record (not UTF-8 text at column 1)"),
    ] {
        for arguments in [format!("compare good {file}"), format!("compare {file} good")] {
            let output = command(path, &arguments).assert().code(2).stdout("").get_output().clone();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.starts_with(&format!("error: {part}")), "{said}");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }
}
