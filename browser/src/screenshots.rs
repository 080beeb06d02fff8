//! Pictures of the page, to be looked at: what no check sees, a person does.

use crate::page::{Page, Setup};
use crate::visit::Visit;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Height of one picture in pixels: more cannot be made out at once.
const PIECE_HEIGHT_PX: u32 = 2000;

/// The looks that are pictured, by the names of their files.
const LOOKS: [(&str, Setup); 3] =
    [("light", Setup::WIDE), ("dark", Setup::DARK), ("narrow", Setup::NARROW)];

/// Writes the page in light, in dark and 360 px wide, each in pieces from top to bottom, and as it
/// would be printed; returns the files. The folder is made if need be.
///
/// # Errors
///
/// If a file cannot be written, or the browser does not answer.
pub fn write(visit: &Visit, folder: &Path) -> Result<Vec<PathBuf>> {
    let unwritable = |path: &Path| format!("{}: cannot be written", path.display());
    fs::create_dir_all(folder).with_context(|| unwritable(folder))?;
    let mut written = Vec::new();
    let mut save = |name: String, bytes: Vec<u8>| {
        let path = folder.join(name);
        fs::write(&path, bytes).with_context(|| unwritable(&path))?;
        written.push(path);
        anyhow::Ok(())
    };
    for (look, setup) in LOOKS {
        let page = visit.open(Setup { height_px: PIECE_HEIGHT_PX, ..setup })?;
        for (place, piece) in pieces(&page)?.into_iter().enumerate() {
            save(format!("{look}-{}.png", place + 1), piece)?;
        }
    }
    save("print.pdf".to_owned(), visit.open(Setup::WIDE)?.pdf()?)?;
    Ok(written)
}

/// The page from top to bottom; the last piece repeats some of the one before it.
fn pieces(page: &Page) -> Result<Vec<Vec<u8>>> {
    let height_px: u32 = page.ask("return document.documentElement.scrollHeight")?;
    let places = 0..height_px.div_ceil(PIECE_HEIGHT_PX);
    let piece = |place: u32| {
        page.ask::<()>(&format!(
            "window.scrollTo({{ top: {}, behavior: 'instant' }}); return null",
            place * PIECE_HEIGHT_PX
        ))?;
        page.png()
    };
    places.map(piece).collect()
}
