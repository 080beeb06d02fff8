//! The registry: a table for people, JSON for programs.

use crate::exit::{Exit, Stop};
use crate::options::{self, Format};
use crate::terminal;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use heap::settings::show_bytes;
use heap::{BACKENDS, Info, Param, Unit};
use serde_json::{Value, json};

/// The sub-command `list`.
///
/// # Errors
///
/// Standard output cannot be written.
pub fn run(options: &options::List) -> Result<Exit, Stop> {
    let text = match options.format {
        Format::Table => tables(BACKENDS, terminal::width_columns()),
        Format::Json => {
            let backends: Vec<Value> = BACKENDS.iter().map(backend).collect();
            serde_json::to_string_pretty(&backends)? + "\n"
        }
    };
    terminal::print(&text)?;
    Ok(Exit::Done)
}

fn backend(info: &Info) -> Value {
    json!({
        "name": info.name,
        "family": info.kind.name(),
        "about": info.about,
        "returns": info.returns,
        "moves": info.moves,
        "cycles": info.cycles,
        "reclaims": info.reclaims,
        "problem_specific": info.problem_specific,
        "header_bytes": info.header_bytes,
        "cell_bytes": info.cell_bytes,
        "params": info.params.iter().map(param).collect::<Vec<_>>(),
    })
}

fn param(param: &Param) -> Value {
    let values = match param.unit {
        Unit::Bytes(min, max) => json!({ "kind": "bytes", "min": min, "max": max }),
        Unit::Factor(min, max) => json!({ "kind": "factor", "min": min, "max": max }),
        Unit::Choice(words) => json!({ "kind": "choice", "words": words }),
    };
    let Param { name, default, about, .. } = param;
    json!({ "name": name, "values": values, "default": default, "about": about })
}

/// The backends, and below them their parameters.
fn tables(backends: &[Info], width_columns: u16) -> String {
    let header =
        ["backend", "family", "moves", "cycles", "header", "cell", "what it is", "memory returns"];
    let mut table = new_table(&header, width_columns);
    for info in backends {
        let star = if info.problem_specific { " *" } else { "" };
        table.add_row([
            format!("{}{star}", info.name),
            info.kind.name().to_owned(),
            yes_no(info.moves),
            yes_no(info.cycles),
            format!("{} B", info.header_bytes),
            format!("{} B", info.cell_bytes),
            info.about.to_owned(),
            info.returns.to_owned(),
        ]);
    }
    for column in [4, 5] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut params = new_table(&["parameter", "default", "values", "what it does"], width_columns);
    for info in backends {
        for param in info.params {
            params.add_row([
                format!("{}.{}", info.name, param.name),
                param.default.to_owned(),
                values(param.unit),
                param.about.to_owned(),
            ]);
        }
    }
    format!("{}\n\n{NOTES}\n{}\n\n{SETTING}", table.trim_fmt(), params.trim_fmt())
}

/// What the backends' columns mean.
const NOTES: &str = "\
header: bytes of an object beyond its fields; cell: bytes of a list cell in all
cycles: whether unreachable cycles are reclaimed
*: relies on this program's last-in, first-out lifetimes
";

/// How the parameters are set.
const SETTING: &str = "\
Set a parameter with --set PARAMETER=VALUE, the heap limit of every backend
with --heap-limit SIZE.
";

fn new_table(header: &[&str], width_columns: u16) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width_columns)
        .set_header(header);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table
}

fn yes_no(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

/// The right values of a parameter.
fn values(unit: Unit) -> String {
    match unit {
        Unit::Bytes(min, max) => format!("{} to {}", show_bytes(min), show_bytes(max)),
        Unit::Factor(min, max) => format!("{min} to {max}"),
        Unit::Choice(words) => words.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_backend_and_parameter_is_there() {
        let text = tables(BACKENDS, 1000);
        for info in BACKENDS {
            assert!(text.contains(info.about), "{}", info.name);
            for param in info.params {
                assert!(text.contains(&format!("{}.{}", info.name, param.name)));
            }
        }
    }
}
