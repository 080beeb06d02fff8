//! The registry as the command shows it.

use crate::command;
use serde_json::Value;

#[test]
fn as_json() {
    let folder = tempfile::tempdir().unwrap();
    let output = command(folder.path(), "list --format json").assert().success().stderr("");
    let list: Vec<Value> = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let names: Vec<&str> = list.iter().map(|backend| backend["name"].as_str().unwrap()).collect();
    assert_eq!(names, heap::BACKENDS.iter().map(|info| info.name).collect::<Vec<_>>());
    let gc = list.iter().find(|backend| backend["name"] == "gc").unwrap();
    assert_eq!((&gc["family"], &gc["cell_bytes"]), (&"tracing".into(), &16.into()));
    let params = gc["params"].as_array().unwrap();
    let nursery = params.iter().find(|param| param["name"] == "nursery").unwrap();
    assert_eq!(nursery["values"]["kind"], "bytes");
    // Each default is a value that --set takes.
    let mut arguments = "--n 3 --counted".to_owned();
    for backend in &list {
        for param in backend["params"].as_array().unwrap() {
            let [name, param, value] = [&backend["name"], &param["name"], &param["default"]]
                .map(|text| text.as_str().unwrap());
            arguments.push_str(&format!(" --set {name}.{param}={value}"));
        }
    }
    command(folder.path(), &arguments).assert().success();
}

#[test]
fn as_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let output = command(folder.path(), "list").assert().success().stderr("");
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    for part in ["backend", "memory returns", "gc.nursery", "256KiB", "1KiB to 1GiB"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}
