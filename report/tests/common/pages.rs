//! Reports as the files that they are.

use report::{Record, write_report};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The files of a report, in order, the page first.
pub fn written(records: &[Record]) -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let written = write_report(records, None, folder.path().join("new/report")).unwrap();
    assert_eq!(written.index, written.files[0]);
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    written.files.iter().map(|path| (name(path), fs::read(path).unwrap())).collect()
}

/// The same by name.
pub fn files(records: &[Record]) -> BTreeMap<String, Vec<u8>> {
    written(records).into_iter().collect()
}

/// The page.
pub fn page(records: &[Record]) -> String {
    String::from_utf8(written(records).remove(0).1).unwrap()
}

/// The text between two others.
pub fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let rest = text.split_once(from).unwrap_or_else(|| panic!("no {from}")).1;
    rest.split_once(to).unwrap_or_else(|| panic!("no {to} after {from}")).0
}

/// A page with a word in place of each drawing.
pub fn without_drawings(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(start) = text.find("<svg") {
        let end = start + text[start..].find("</svg>").unwrap() + "</svg>".len();
        text.replace_range(start..end, "(left out)");
    }
    text
}
