//! Peers: the same program in other languages. All of these are made up, so
//! that the tests need none of the languages.
#![cfg(target_os = "linux")]

use crate::{command, records};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// What all of the made-up peers have in common: they are scripts.
const HEAD: &str = r#"
title = "Made up"
language = "sh"
family = "manual"
manager = "Nothing to manage."
needs = [{ package = "dash", command = "sh" }]
version = [["sh", "-c", "echo 1.2.3"]]
run = ["sh", "{source}/peer.sh"]
notes = ["It knows the answers."]
"#;

/// Answers as a peer does.
const RIGHT: &str = r#"
set -- $1 $2 1 0 0 2 10 4 40 92 352
iterations=$2; n=$1; shift $((n + 1)); echo "solutions=$1"
while [ $iterations -gt 0 ]; do echo "ns=1000"; iterations=$((iterations - 1)); done
"#;

/// A folder of peers, each with its script and its variants.
fn peers(all: &[(&str, &str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, script, variants) in all {
        let own = folder.path().join("peers").join(name);
        fs::create_dir_all(&own).unwrap();
        let plain = format!("[[variant]]\nname = \"{name}\"\n");
        let variants = if variants.is_empty() { plain.as_str() } else { variants };
        fs::write(own.join("peer.toml"), format!("{HEAD}{variants}")).unwrap();
        fs::write(own.join("peer.sh"), script).unwrap();
    }
    folder
}

fn of<'a>(records: &'a [Value], name: &str) -> Vec<&'a Value> {
    records.iter().filter(|record| record["backend"] == name).collect()
}

/// Standard output of a command that ends with this code.
fn output(folder: &Path, arguments: &str, code: i32) -> String {
    let output = command(folder, arguments).assert().code(code).get_output().clone();
    String::from_utf8(output.stdout).unwrap()
}

fn measure(folder: &Path, arguments: &str, code: i32) -> Vec<Value> {
    let arguments = format!("--backend gc --n 4 --quiet --peers-dir peers {arguments}");
    command(folder, &arguments).assert().code(code);
    records(&folder.join("results/records.jsonl"))
}

#[test]
fn a_peer_is_sampled_in_the_blocks_of_the_backends() {
    let variants = "warm_up = 3\n[[variant]]\nname = \"one\"\n";
    let folder = peers(&[("one", RIGHT, variants), ("two", RIGHT, "")]);
    let records = measure(folder.path(), "--peers one --rounds 6", 0);
    assert_eq!((of(&records, "one").len(), of(&records, "gc").len()), (6, 12));
    for (round, record) in of(&records, "one").into_iter().enumerate() {
        assert_eq!(record["round"], round);
        assert_eq!((&record["status"], &record["solutions"]), (&"ok".into(), &2.into()));
        assert_eq!(record["params"], serde_json::json!({ "version": "1.2.3" }));
        assert_eq!(record["peer"]["title"], "Made up");
        assert_eq!(record["peer"]["notes"][0], "It knows the answers.");
        assert_eq!(record["warm_up_ns"].as_array().unwrap().len(), 1000);
        // As many as last 100 ms, but no more than can be told apart.
        assert_eq!(record["iterations_ns"].as_array().unwrap().len(), 1000);
    }
    let page = fs::read_to_string(folder.path().join("results/report/index.html")).unwrap();
    assert!(page.contains("Made up") && page.contains("It knows the answers."));
}

#[test]
fn a_peer_can_be_what_others_are_compared_with() {
    let folder = peers(&[("one", RIGHT, "")]);
    let records = measure(folder.path(), "--peers one --baseline one --rounds 2", 0);
    let controls: Vec<&Value> = records.iter().filter(|record| record["control"] == true).collect();
    assert!(controls.len() == 2 && controls.iter().all(|record| record["backend"] == "one"));
    let refused = "--backend gc --peers one --peers-dir peers --baseline two";
    let refused = command(folder.path(), refused).assert().code(2);
    let errors = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(errors.contains("'two': no backend is called that, and no peer"), "{errors}");
}

#[test]
fn what_fails_is_shown_as_failed_and_why() {
    let wrong = RIGHT.replace("solutions=$1", "solutions=$(($1 + 1))");
    let many = RIGHT.replace("[ $iterations -gt 0 ]", "[ $iterations -ge 0 ]");
    let cases = [
        ("wrong", wrong.as_str(), "wrong_answer", "3 solutions instead of 2"),
        ("mute", "", "wrong_answer", "printed nothing"),
        (
            "garbage",
            "echo '<b>hello</b>'",
            "wrong_answer",
            "printed '<b>hello</b>', which is no line",
        ),
        ("many", &many, "wrong_answer", "printed 3 times, not the 2 that were asked for"),
        ("hangs", "sleep 1000 & sleep 1000", "timed_out", "not done after 2s, and ended"),
        ("dies", "echo solutions=2; kill -SEGV $$", "crashed", "killed by signal 11 (SIGSEGV)"),
        ("fails", "echo no licence >&2; exit 3", "crashed", "exit code 3: no licence"),
        (
            "boasts",
            "echo solutions=2; echo ns=1; echo ns=99000000000",
            "wrong_answer",
            "claims 99.000 s",
        ),
        ("floods", "while echo ns=1; do :; done", "wrong_answer", "printed a mebibyte, and more"),
    ];
    let scripts: Vec<_> = cases.iter().map(|(name, script, ..)| (*name, *script, "")).collect();
    let folder = peers(&scripts);
    let start = Instant::now();
    let records = measure(folder.path(), "--peers all --rounds 3 --peer-limit 2s", 1);
    for (name, _, status, message) in &cases {
        let samples = of(&records, name);
        assert_eq!(samples.len(), 3, "{name}");
        for sample in samples {
            let said = sample["message"].as_str().unwrap();
            let again = said.strip_prefix("not run again: ");
            assert_eq!(again.is_some(), sample["round"] != 0, "{name}: {sample}");
            let said = again.unwrap_or(said);
            assert!(sample["status"] == *status && said.starts_with(message), "{name}: {sample}");
            assert!(sample["wall_ns"].is_null(), "{name}: {sample}");
        }
    }
    assert_eq!(of(&records, "gc").len(), 6);
    // One that has failed is not waited for in each round again.
    assert!(start.elapsed() < Duration::from_secs(40), "{:?}", start.elapsed());

    let lines = output(folder.path(), "peers check --peers-dir peers --peer-limit 2s", 1);
    for (name, _, _, message) in &cases {
        let line = lines.lines().find(|line| line.split(' ').next() == Some(name)).unwrap();
        let message = message.replace("3 solutions instead of 2", "2 solutions instead of 1");
        assert!(line.contains("FAILED: n = ") && line.contains(&message), "{line}");
    }
    assert!(lines.ends_with("0 right, 9 failed, 0 skipped\n"), "{lines}");
}

#[test]
fn no_shell_reads_what_a_file_says() {
    let variants = "flags = [\"$(touch made)\", \"; touch made\", \"a b\"]\n\
                    build = [[\"sh\", \"-c\", \"printf '%s|' \\\"$@\\\" > said\", \"{flags}\", \"{flags}\"]]\n\
                    [[variant]]\nname = \"quotes\"\n";
    let folder = peers(&[("quotes", RIGHT, variants)]);
    output(folder.path(), "peers check --peers-dir peers", 0);
    let built = folder.path().join("peers/build/quotes");
    let said = fs::read_to_string(built.join("said")).unwrap();
    assert_eq!(said, "; touch made|a b|$(touch made)|; touch made|a b|");
    assert!(!built.join("made").exists() && !folder.path().join("made").exists());
}

#[test]
fn what_is_built_is_built_again_only_when_it_must() {
    let variants = "build = [[\"sh\", \"-c\", \"echo >> ../count\"]]\n\
                    [[variant]]\nname = \"built\"\n[[variant]]\nname = \"built-too\"\n";
    let folder = peers(&[("built", RIGHT, variants)]);
    let builds = || {
        output(folder.path(), "peers build --peers-dir peers", 0);
        fs::read_to_string(folder.path().join("peers/build/count")).unwrap().lines().count()
    };
    // Both variants are one program.
    assert_eq!((builds(), builds()), (1, 1));
    let script = folder.path().join("peers/built/peer.sh");
    fs::write(&script, format!("{RIGHT}\n# changed\n")).unwrap();
    assert_eq!((builds(), builds()), (2, 2));
    let file = folder.path().join("peers/built/peer.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("1.2.3", "1.2.4")).unwrap();
    assert_eq!((builds(), builds()), (3, 3));
}

#[test]
fn what_cannot_be_built_fails_and_what_is_missing_is_skipped() {
    let broken = "build = [[\"sh\", \"-c\", \"echo 'x: error: no such thing'; echo later; exit 1\"]]\n\
                  [[variant]]\nname = \"broken\"\n";
    let missing = "needs = [{ package = \"unheard-of\", command = \"no-such-command\" }]\n";
    let head = HEAD.lines().filter(|line| !line.starts_with("needs")).collect::<Vec<_>>();
    let folder = peers(&[("broken", RIGHT, broken), ("missing", RIGHT, "")]);
    let text = format!("{}\n{missing}[[variant]]\nname = \"missing\"\n", head.join("\n"));
    fs::write(folder.path().join("peers/missing/peer.toml"), text).unwrap();

    let lines = output(folder.path(), "peers check --peers-dir peers", 1);
    assert!(
        lines.contains("cannot be built: sh failed: exit code 1: x: error: no such thing"),
        "{lines}"
    );
    assert!(lines.contains("skipped: no no-such-command (apt-get install unheard-of)"), "{lines}");
    let lines = output(folder.path(), "peers list --peers-dir peers", 0);
    assert!(lines.contains("on Debian: apt-get install unheard-of"), "{lines}");
    let listed = output(folder.path(), "peers list --peers-dir peers --format json", 0);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed[1]["missing"], serde_json::json!(["unheard-of"]));

    let arguments = "--backend gc --n 4 --rounds 2 --peers-dir peers --peers all";
    let run = command(folder.path(), arguments).assert().code(1).get_output().clone();
    let said = String::from_utf8(run.stderr).unwrap();
    assert_eq!(said.matches("peer missing is skipped: no no-such-command").count(), 1, "{said}");
    let records = records(&folder.path().join("results/records.jsonl"));
    assert_eq!((of(&records, "broken").len(), of(&records, "missing").len()), (2, 0));
    assert!(of(&records, "broken").iter().all(|record| record["status"] == "crashed"));
}

#[test]
fn what_failed_is_tried_again_when_it_is_resumed() {
    let slow = format!("sleep 0.7\n{RIGHT}");
    let folder = peers(&[("slow", &slow, "")]);
    let samples = measure(folder.path(), "--peers slow --rounds 2 --peer-limit 500ms", 1);
    assert!(of(&samples, "slow").iter().all(|record| record["status"] == "timed_out"));
    // The folder may have been moved, too.
    fs::rename(folder.path().join("peers"), folder.path().join("moved")).unwrap();
    let resume = "--quiet --resume results/records.jsonl --rounds 3 --peer-limit 60s";
    command(folder.path(), &format!("{resume} --peers-dir moved")).assert().code(1);
    let samples = records(&folder.path().join("results/records.jsonl"));
    assert_eq!(of(&samples, "slow")[2]["status"], "ok");
}

#[test]
fn what_a_peer_leaves_running_is_ended_and_what_it_printed_is_kept() {
    let leaves = format!(
        "{RIGHT}\nsetsid sh -c 'echo $$ > ../../../process; exec sleep 1000' &\n\
                          while ! [ -s ../../../process ]; do sleep 0.01; done"
    );
    let folder = peers(&[("leaves", &leaves, "")]);
    let samples = measure(folder.path(), "--peers leaves --rounds 1", 0);
    assert_eq!(of(&samples, "leaves")[0]["status"], "ok");
    ends(fs::read_to_string(folder.path().join("process")).unwrap().trim());
}

#[test]
fn a_peer_that_takes_too_much_memory_is_out_of_it() {
    // In a process of its own, so that its end alone tells.
    let large = format!("dd if=/dev/zero of=/dev/null bs=200M count=1 2>/dev/null\n{RIGHT}");
    let folder = peers(&[("large", &large, "")]);
    let samples = measure(folder.path(), "--peers large --rounds 1 --heap-limit 100MiB", 3);
    let sample = of(&samples, "large")[0];
    assert_eq!(sample["status"], "out_of_memory");
    assert_eq!(sample["message"], "more than 100 MiB of memory resident, and ended");
}

#[test]
fn a_run_with_peers_is_resumed() {
    let folder = peers(&[("one", RIGHT, ""), ("two", RIGHT, "")]);
    measure(folder.path(), "--peers one --rounds 2", 0);
    let resume = "--quiet --resume results/records.jsonl --rounds 3";
    command(folder.path(), resume).assert().success();
    let records = records(&folder.path().join("results/records.jsonl"));
    assert_eq!((of(&records, "one").len(), of(&records, "gc").len()), (3, 6));
    // Neither other peers nor other versions are the same study.
    for (change, said) in [("--peers two", "backends: one there, two here"), ("", "of another run")]
    {
        if change.is_empty() {
            let file = folder.path().join("peers/one/peer.toml");
            let text = fs::read_to_string(&file).unwrap();
            fs::write(&file, text.replace("1.2.3", "1.2.4")).unwrap();
        }
        let refused = command(folder.path(), &format!("{resume} {change}")).assert().code(2);
        let errors = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(errors.contains(said) && errors.lines().count() == 1, "{errors}");
    }
}

#[test]
fn wrong_names_and_files_are_said_in_a_line() {
    let folder = peers(&[("ocaml-like", RIGHT, "")]);
    let cases = [
        ("--peers ocaml-lik --peers-dir peers", "did you mean ocaml-like?"),
        ("--peers all --peers-dir nowhere", "no peers in nowhere (--peers-dir)"),
        ("--peers ,", "--peers"),
        ("--peers all --peers-dir peers --counted", "--counted: peers do not count their work"),
        ("peers check nobody --peers-dir peers", "no peer is called 'nobody'"),
        ("peers", "peers"),
    ];
    for (arguments, said) in cases {
        let refused = command(folder.path(), arguments).assert().code(2);
        let errors = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(errors.contains(said) && errors.lines().count() == 1, "{arguments}: {errors}");
    }
    // What is no file cannot be part of a program.
    let pipe = format!("mkfifo {}", folder.path().join("peers/ocaml-like/pipe").display());
    assert!(std::process::Command::new("sh").args(["-c", &pipe]).status().unwrap().success());
    let lines = output(folder.path(), "peers build --peers-dir peers", 1);
    assert!(lines.contains("pipe: is no file of a program"), "{lines}");
    let file = folder.path().join("peers/ocaml-like/peer.toml");
    fs::write(&file, format!("{HEAD}[[variant]]\nname = \"gc\"\n")).unwrap();
    let refused = command(folder.path(), "peers list --peers-dir peers").assert().code(2);
    let errors = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(errors.contains("or a folder is called 'gc' too"), "{errors}");
}

/// That a process is gone, or will be soon.
fn ends(process: &str) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while Path::new("/proc").join(process).join("exe").exists() {
        assert!(Instant::now() < deadline, "process {process} still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_peer_ends_with_the_command() {
    for signal in ["INT", "KILL"] {
        let folder = peers(&[("slow", "echo $$ > ../../../process; exec sleep 1000", "")]);
        let mut run = std::process::Command::new(assert_cmd::cargo::cargo_bin!("rc-vs-gc"))
            .current_dir(folder.path())
            .args("--backend gc --n 4 --rounds 1 --quiet --peers slow --peers-dir peers".split(' '))
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let file = folder.path().join("process");
        let deadline = Instant::now() + Duration::from_secs(20);
        let process = loop {
            let text = fs::read_to_string(&file).unwrap_or_default();
            if text.ends_with('\n') {
                break text.trim().to_owned();
            }
            assert!(Instant::now() < deadline, "the peer does not start");
            std::thread::sleep(Duration::from_millis(5));
        };
        let kill = format!("kill -{signal} {}", run.id());
        assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        let ended = run.wait().unwrap();
        assert_eq!(ended.code(), (signal == "INT").then_some(130), "{signal}");
        ends(&process);
    }
}
