//! Sweeps over the values of parameters.

use crate::{command, records};
use serde_json::Value;
use std::collections::BTreeSet;

fn swept(arguments: &str, code: i32) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let arguments = format!("sweep --quiet --rounds 1 --sample-time 1us {arguments}");
    command(folder.path(), &arguments).assert().code(code);
    records(&folder.path().join("results/records.jsonl"))
}

/// The values that a parameter of a backend took.
fn values(records: &[Value], backend: &str, param: &str) -> BTreeSet<String> {
    let of = records.iter().filter(|record| record["backend"] == backend);
    of.map(|record| record["params"][param].as_str().unwrap().to_owned()).collect()
}

#[test]
fn several_parameters_of_several_backends() {
    let records = swept("gc.nursery=8KiB..32KiB region-sweep.trigger=64KiB,128KiB --n 4", 0);
    let of = |backend, param| values(&records, backend, param).into_iter().collect::<Vec<_>>();
    // The defaults are always among them, and two heaps to compare with.
    assert_eq!(of("gc", "nursery"), ["16KiB", "256KiB", "32KiB", "8KiB"]);
    assert_eq!(of("region-sweep", "trigger"), ["128KiB", "1MiB", "64KiB"]);
    assert_eq!(records.len(), 4 + 1 + 3 + 2);
    let of_control = records.iter().find(|record| record["control"] == true).unwrap();
    assert_eq!(of_control["params"]["nursery"], "256KiB");
    let backends: BTreeSet<_> = records.iter().flat_map(|r| r["backend"].as_str()).collect();
    assert_eq!(backends, BTreeSet::from(["gc", "malloc", "rc", "region-sweep"]));
}

#[test]
fn heap_limits_follow_what_lives() {
    let records = swept("heap-limit=0.5x,4x --n 5,6 --backend rc,malloc", 3);
    let status = |backend: &str, multiple: &str, n: u32| {
        let of = |r: &&Value| {
            let params = &r["params"];
            r["backend"] == backend && params["heap-multiple"] == multiple && r["n"] == n
        };
        let record = records.iter().find(of).unwrap();
        (record["status"].clone(), record["params"]["heap-limit"].clone())
    };
    for backend in ["rc", "malloc"] {
        // Half of what lives is too little for anyone; four times that is enough for these two.
        assert_eq!(status(backend, "0.5x", 6).0, "out_of_memory");
        assert_eq!(status(backend, "4x", 6).0, "ok");
        // More lives on a larger board.
        assert_ne!(status(backend, "4x", 5).1, status(backend, "4x", 6).1);
    }
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    for (axis, part) in [
        ("gc.nursery", "the form is"),
        ("gc.nursery=8MiB..8KiB", "8MiB..8KiB"),
        ("gc.nursery=1..2", "a size from 1KiB to 1GiB"),
        ("gc.x=1", "it has: append, nursery, growth"),
        ("gd.nursery=1KiB", "did you mean gc"),
        ("heap-limit=1x..2", "1x..2"),
        ("gc.nursery=8KiB --set gc.nursery=16KiB", "--set"),
        ("gc.nursery=8KiB gc.nursery=16KiB", "another sweep"),
        ("", "PARAMETER=VALUES"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let output = command(folder.path(), &format!("sweep {axis}")).assert().code(2).stdout("");
        let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert_eq!(said.lines().count(), 1, "{axis}: {said}");
        assert!(said.contains(part), "{axis}: {said}");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "{axis}");
    }
}

/// A library of the platform that every process may load.
#[cfg(target_os = "linux")]
fn some_library() -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let libraries = maps.lines().flat_map(|line| line.split_whitespace().nth(5));
    let found = libraries.into_iter().find(|path| path.contains("/libc."));
    found.expect("the C library, linked dynamically").to_owned()
}

#[test]
#[cfg(target_os = "linux")]
fn another_allocator_is_put_in_malloc_s_place() {
    let library = some_library();
    let records = swept(&format!("allocator=system,{library} --backend rc,malloc --n 4"), 0);
    // Both with and without, and the control.
    assert_eq!(records.len(), 2 * 2 + 1);
    let of = |r: &&Value| r["params"]["allocator"] == library.as_str();
    assert_eq!(records.iter().filter(of).count(), 2);
    let folder = tempfile::tempdir().unwrap();
    let no_library = folder.path().join("no.so");
    std::fs::write(&no_library, "text").unwrap();
    let arguments = format!("allocator={} --backend rc --n 4", no_library.display());
    let records = swept(&arguments, 1);
    let failed: Vec<_> = records.iter().filter(|r| r["status"] == "crashed").collect();
    assert_eq!(failed.len(), 1);
    let message = failed[0]["message"].as_str().unwrap();
    assert!(message.contains("no.so: is not in this process"), "{message}");
}
