//! The sub-command `peers list`.

use super::{Tools, Variant, tools};
use crate::exit::{Exit, Stop};
use crate::list::table;
use crate::options::Format;
use crate::terminal;
use report::format::clean;
use serde_json::json;
use std::collections::BTreeSet;

/// Lists peers, whether they can run here, and what is missing.
///
/// # Errors
///
/// Standard output cannot be written.
pub fn run(variants: &[Variant], format: Format) -> Result<Exit, Stop> {
    let mut tools = Tools::default();
    let found: Vec<(&Variant, Vec<_>, Option<String>)> = variants
        .iter()
        .map(|variant| {
            let missing = tools.missing(variant);
            let version = missing.is_empty().then(|| tools.version(variant));
            (variant, missing, version)
        })
        .collect();
    let text = match format {
        Format::Table => {
            let rows = found.iter().map(|(variant, missing, version)| {
                let here = version.as_deref().map(short);
                let here = here.unwrap_or_else(|| tools::lacks(missing));
                let young = if variant.generational { ", generational" } else { "" };
                let star = if variant.problem_specific { " *" } else { "" };
                let family = format!("{}{young}{star}", variant.family);
                let program = variant.study.clone().unwrap_or_else(|| "n-queens".to_owned());
                let title = clean(&variant.title);
                [&variant.name, &program, &title, &family, &clean(&here)].map(String::clone)
            });
            let rows = rows.map(|row| row.to_vec()).collect();
            let header = ["peer", "program", "what it is", "memory", "here"];
            let mut text = table(&header, rows, terminal::width_columns());
            text += "\n\n* problem-specific: it serves only programs of this shape\n";
            let missing = found.iter().flat_map(|(_, missing, _)| missing);
            let packages: BTreeSet<&str> = missing.map(|need| need.package.as_str()).collect();
            if !packages.is_empty() {
                let packages: Vec<&str> = packages.into_iter().collect();
                text += &format!("on Debian: apt-get install {}\n", packages.join(" "));
            }
            text
        }
        Format::Json => {
            let peers: Vec<_> = found
                .iter()
                .map(|(variant, missing, version)| {
                    json!({
                        "name": variant.name,
                        "folder": variant.folder,
                        "study": variant.study,
                        "title": variant.title,
                        "language": variant.language,
                        "family": variant.family,
                        "generational": variant.generational,
                        "problem_specific": variant.problem_specific,
                        "manager": variant.manager,
                        "notes": variant.notes,
                        "version": version,
                        "missing": missing.iter().map(|need| &need.package).collect::<Vec<_>>(),
                    })
                })
                .collect();
            serde_json::to_string_pretty(&peers)? + "\n"
        }
    };
    terminal::print(&text)?;
    Ok(Exit::Done)
}

/// A version without what stands in parentheses, such as the distribution's own.
fn short(version: &str) -> String {
    let mut parts = version.split(" (");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once(')').map_or("", |(_, after)| after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_short() {
        assert_eq!(short("g++ (Debian 12.2.0-14) 12.2.0, Boost (x) 1"), "g++ 12.2.0, Boost 1");
        assert_eq!(short("4.13.1"), "4.13.1");
        assert_eq!(short("half (open"), "half");
    }
}
