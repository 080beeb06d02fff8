//! Tells the command which compiler, flags and commit it was built from.
//!
//! Outside a checkout of this repository the commit is `unknown`.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let compiler = output(&rustc, &["--version"]).unwrap_or_else(|| "unknown".into());
    println!("cargo::rustc-env=RC_VS_GC_COMPILER={compiler}");
    println!("cargo::rustc-env=RC_VS_GC_FLAGS={}", flags());
    println!("cargo::rustc-env=RC_VS_GC_COMMIT={}", commit().unwrap_or_else(|| "unknown".into()));
}

/// How the command is compiled, as far as Cargo tells a build script.
fn flags() -> String {
    println!("cargo::rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    let get = |name: &str| std::env::var(name).unwrap_or_default();
    let mut flags =
        vec![format!("opt-level={}", get("OPT_LEVEL")), format!("target={}", get("TARGET"))];
    flags.push(format!("target-features={}", get("CARGO_CFG_TARGET_FEATURE")));
    let given = get("CARGO_ENCODED_RUSTFLAGS").replace('\u{1f}', " ");
    if !given.is_empty() {
        flags.push(format!("RUSTFLAGS={given}"));
    }
    // A line break would end the instruction to Cargo.
    flags.join("; ").replace(['\n', '\r'], " ")
}

/// The checked-out commit, with `-dirty` where tracked files differ from it.
fn commit() -> Option<String> {
    // An unpacked release may lie inside some other repository.
    let root = output("git", &["rev-parse", "--show-toplevel"])?;
    if Path::new(&root).canonicalize().ok()? != Path::new(".").canonicalize().ok()? {
        return None;
    }
    let branch = output("git", &["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD".into(), "packed-refs".into(), branch.unwrap_or_default()] {
        watch(&output("git", &["rev-parse", "--git-path", &name]).unwrap_or_default());
    }
    // Whether the tree is dirty changes with the sources.
    for folder in ["src", "heap/src", "nqueens/src", "report/src", "Cargo.toml", "Cargo.lock"] {
        watch(folder);
    }
    output("git", &["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"])
}

/// Runs the build script again when the file changes. One that does not exist
/// would count as changed every time.
fn watch(path: &str) {
    if !path.is_empty() && Path::new(path).exists() {
        println!("cargo::rerun-if-changed={path}");
    }
}

/// The first line that a program prints, if it ends well.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next().unwrap_or_default().trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_owned())
}
