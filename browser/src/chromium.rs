//! The browser: found where it is installed, never downloaded.

use anyhow::{Context, Result, bail};
use headless_chrome::{Browser, LaunchOptions};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Names under which distributions install it.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Variable of the environment that names another one.
const VARIABLE: &str = "CHROMIUM";

/// How long one answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The program that `CHROMIUM` names, else the first of the usual names that is installed.
///
/// # Errors
///
/// If `CHROMIUM` names no program.
pub fn find() -> Result<Option<PathBuf>> {
    match std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        Some(named) => match which::which(&named) {
            Ok(path) => Ok(Some(path)),
            Err(_) => bail!("{VARIABLE} names '{}', which is no program", named.display()),
        },
        None => Ok(NAMES.iter().find_map(|name| which::which(name).ok())),
    }
}

/// Starts it, without a window; it ends with the value that is returned.
///
/// # Errors
///
/// If it does not start or does not answer.
pub fn launch(program: &Path) -> Result<Browser> {
    let options = LaunchOptions {
        path: Some(program.to_owned()),
        sandbox: !is_root(),
        idle_browser_timeout: PATIENCE,
        ignore_certificate_errors: false,
        // Scroll bars take room from the page that they would not on a telephone.
        args: vec![OsStr::new("--hide-scrollbars")],
        ..LaunchOptions::default()
    };
    let browser = Browser::new(options);
    browser.with_context(|| format!("{}: cannot be started", program.display()))
}

/// Chromium refuses its sandbox to root, who in containers is the usual user.
fn is_root() -> bool {
    #[cfg(unix)]
    let root = rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    let root = false;
    root
}
