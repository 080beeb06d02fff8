//! Checks a report's page in a headless browser, one line a check; fails if any finds something.

#![forbid(unsafe_code)]

use anyhow::Result;
use browser::{CHECKS, Visit, chromium, screenshots};
use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;

/// Findings that are told of each check; the rest is counted.
const TOLD: usize = 5;

/// Opens a report in headless Chromium and checks it.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The page, for instance results/report/index.html
    page: PathBuf,
    /// Folder for pictures of it: light, dark, narrow, and as printed
    #[arg(long, value_name = "DIR")]
    screenshots: Option<PathBuf>,
}

fn main() -> ExitCode {
    match checked(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether no check found anything.
fn checked(arguments: &Arguments) -> Result<bool> {
    let Some(program) = chromium::find()? else {
        println!("skipped: no Chromium");
        return Ok(true);
    };
    let visit = Visit::new(|| chromium::launch(&program), &arguments.page)?;
    let mut sound = true;
    for check in CHECKS {
        let findings = check.findings(&visit);
        sound &= findings.is_empty();
        match findings.is_empty() {
            true => println!("ok    {:<13} {}", check.name, check.promise),
            false => println!("FAIL  {:<13} {}", check.name, told(&findings)),
        }
    }
    if let Some(folder) = &arguments.screenshots {
        let written = screenshots::write(&visit, folder)?;
        println!("{} pictures in {}", written.len(), folder.display());
    }
    Ok(sound)
}

/// The first findings in one line, and how many more there are.
fn told(findings: &[String]) -> String {
    let lines = findings.iter().take(TOLD).map(|finding| finding.replace('\n', " "));
    let mut told = lines.collect::<Vec<_>>().join("; ");
    if let Some(more @ 1..) = findings.len().checked_sub(TOLD) {
        told.push_str(&format!("; and {more} more"));
    }
    told
}
