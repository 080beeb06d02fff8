//! The command: what it says, and how it exits, where it cannot check.

use std::process::{Command, Output};

fn run(page: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_browser"));
    command.arg(page).env_remove("CHROMIUM").envs(variables.iter().copied()).output().unwrap()
}

#[test]
fn without_chromium_it_says_so_and_nothing_else() {
    let output = run("index.html", &[("PATH", "")]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "skipped: no Chromium\n");
    assert!(output.status.success() && output.stderr.is_empty());
}

#[test]
fn what_it_cannot_open_is_named_in_a_line() {
    let output = run("index.html", &[("CHROMIUM", "/no/such/chromium")]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(error, "CHROMIUM names '/no/such/chromium', which is no program\n");
    assert_eq!(output.status.code(), Some(2));

    // Any program will do: the page is looked for first.
    let output = run("no-such-page.html", &[("CHROMIUM", env!("CARGO_BIN_EXE_browser"))]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.starts_with("no-such-page.html: cannot be opened") && error.lines().count() == 1);
    assert_eq!(output.status.code(), Some(2));
}
