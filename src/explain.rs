//! Where the time goes, from finished records.

use crate::exit::{Exit, Stop};
use crate::options;
use anyhow::anyhow;

/// The sub-command `explain`.
pub fn run(_: &options::Explain) -> Result<Exit, Stop> {
    Err(anyhow!("not built yet").into())
}
