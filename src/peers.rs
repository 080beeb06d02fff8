//! The same program in other languages: what `peers/` holds, whether it can
//! run here, and how it is built, checked and run.
//!
//! | module | one idea |
//! |---|---|
//! | `files` | each `peer.toml` of a folder |
//! | `variant` | what one says of a way to build and run a peer |
//! | `choose` | which of them are meant |
//! | `tools` | what each needs, and whether it is here |
//! | `build` | building what is not built yet |
//! | `process` | a program of others: on a core, in time, with its peak memory |
//! | `answer` | what a peer prints |
//! | `sample` | a sample of a peer, as the child runs it |
//! | `list`, `check` | the sub-commands |

use crate::exit::{Exit, Stop};
use crate::options::{Peers, PeersCommand, PeersOptions};
use std::path::Path;

mod answer;
mod build;
mod check;
mod choose;
mod files;
mod list;
mod process;
mod sample;
mod tools;
mod variant;

pub use build::build;
pub use choose::{chosen, of_program};
pub use process::{Limits, end_running, end_runs_of};
pub use sample::{Call, Searches, call, sample};
pub use tools::Tools;
pub use variant::Variant;

/// Name of the versions of a peer's tools, among the parameters of a record.
pub const VERSION: &str = "version";

/// The folder of the checkout that this program was built from.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers");

/// A peer whose tools are here.
#[derive(Clone, Debug, PartialEq)]
pub struct Peer {
    /// What its `peer.toml` says.
    pub variant: Variant,
    /// The versions of its tools.
    pub version: String,
    /// Why it cannot run all the same: it could not be built.
    pub broken: Option<String>,
}

/// Peers that can run here, and a line for each that cannot.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Those whose tools are here, not built yet.
    pub peers: Vec<Peer>,
    /// Who is missing what.
    pub missing: Vec<String>,
}

/// Finds the peers of these names, of n-queens or of an allocation study.
///
/// # Errors
///
/// [`Exit::BadInput`]: a name that no peer has; a folder or file that is not right.
pub fn find(names: &[String], folder: Option<&Path>, study: Option<&str>) -> Result<Found, Stop> {
    let mut found = Found::default();
    if names.is_empty() {
        return Ok(found);
    }
    let mut tools = Tools::default();
    for variant in of_program(&files::all(folder_or_own(folder))?, names, study)? {
        match tools.missing(&variant) {
            missing if missing.is_empty() => {
                let version = tools.version(&variant);
                found.peers.push(Peer { variant, version, broken: None });
            }
            missing => {
                let lacks = tools::lacks(&missing);
                found.missing.push(format!("peer {} is skipped: {lacks}", variant.name));
            }
        }
    }
    Ok(found)
}

fn folder_or_own(folder: Option<&Path>) -> &Path {
    folder.unwrap_or(Path::new(FOLDER))
}

/// The sub-command `peers`.
///
/// # Errors
///
/// [`Exit::BadInput`]: a name that no peer has; a folder or file that is not right.
pub fn run(options: &PeersOptions) -> Result<Exit, Stop> {
    let Peers { names, peers_dir } = options.command.peers();
    let all = files::all(folder_or_own(peers_dir.as_deref()))?;
    let variants = match names.is_empty() {
        true => all,
        false => chosen(&all, names)?,
    };
    // What it has started ends with this process, unless that is killed.
    ctrlc::set_handler(|| {
        end_running();
        std::process::exit(Exit::Interrupted as i32);
    })?;
    match &options.command {
        PeersCommand::List(options) => list::run(&variants, options.format),
        PeersCommand::Build(_) => check::run(&variants, None),
        PeersCommand::Check(options) => check::run(&variants, Some(options.peer_limit)),
    }
}
