//! Record files joined into one.

use crate::exit::{Exit, Stop};
use crate::options;
use anyhow::anyhow;

/// The sub-command `merge`.
pub fn run(_: &options::Merge) -> Result<Exit, Stop> {
    Err(anyhow!("not built yet").into())
}
