//! What must not compile, so that safe code cannot reach freed memory.
#![cfg(not(any(miri, heap_asan)))]

use std::process::Command;

/// The compiler whose messages the `.stderr` files hold; another one words them
/// differently, which says nothing about this crate.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn references_do_not_escape() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("a compiler");
    let version = String::from_utf8_lossy(&version.stdout);
    if !version.starts_with(COMPILER) {
        eprintln!("skipped: the messages are those of {COMPILER}*, this is {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
