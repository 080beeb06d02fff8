//! Which peers are meant.

use super::Variant;
use crate::exit::Stop;
use crate::values::{did_you_mean, nearest};
use anyhow::anyhow;

/// What means every peer.
const ALL: &str = "all";

/// The peers of these names, of variants or of folders, each once and in the
/// order of the folder.
///
/// # Errors
///
/// [`crate::exit::Exit::BadInput`]: a name that none has.
pub fn chosen(variants: Vec<Variant>, names: &[String]) -> Result<Vec<Variant>, Stop> {
    let means = |variant: &Variant, name: &str| {
        name == ALL || name == variant.name || name == variant.folder
    };
    for name in names {
        if !variants.iter().any(|variant| means(variant, name)) {
            let known = variants.iter().flat_map(|v| [v.name.as_str(), v.folder.as_str()]);
            let meant = did_you_mean(&nearest(name, known));
            let why = format!("no peer is called '{name}'; {meant}'rc-vs-gc peers list' names all");
            return Err(Stop::bad_input(anyhow!(why)));
        }
    }
    let chosen = variants.into_iter().filter(|v| names.iter().any(|name| means(v, name)));
    Ok(chosen.collect())
}
