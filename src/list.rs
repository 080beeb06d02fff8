//! The registry: a table for people, JSON for programs.

use crate::exit::{Exit, Stop};
use crate::options::{self, Format};
use crate::terminal;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};
use heap::settings::show_bytes;
use heap::{BACKENDS, Brief, Info, Param, Unit};
use serde_json::{Value, json};
use studies::{Row, Study, Term};

/// The sub-command `list`.
///
/// # Errors
///
/// Standard output cannot be written.
pub fn run(options: &options::List) -> Result<Exit, Stop> {
    let text = match (options.study, options.format) {
        (Some(study), Format::Table) => study_tables(study, terminal::width_columns()),
        (Some(study), Format::Json) => serde_json::to_string_pretty(&of_study(study))? + "\n",
        (None, Format::Table) => tables(BACKENDS, terminal::width_columns()),
        (None, Format::Json) => {
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
        "generational": info.generational,
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

fn of_study(study: &Study) -> Value {
    let term = |term: &Term| json!({ "name": term.name, "about": term.about });
    let row = |row: &Row| {
        let Brief { name, kind, about, returns } = row.brief;
        json!({ "name": name, "family": kind.name(), "about": about, "returns": returns })
    };
    json!({
        "name": study.name,
        "about": study.about,
        "n": study.size,
        "sizes": study.sizes,
        "largest_n": study.most_n,
        "baseline": study.baseline,
        "workloads": study.workloads.iter().map(term).collect::<Vec<_>>(),
        "phases": study.phases.iter().map(term).collect::<Vec<_>>(),
        "rows": study.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

/// The rows of a study, and below them its workloads and phases.
fn study_tables(study: &Study, width_columns: u16) -> String {
    let rows = study.rows.iter().map(|row| {
        let Brief { name, kind, about, returns } = row.brief;
        [name, kind.name(), about, returns].map(str::to_owned).to_vec()
    });
    let header = ["row", "family", "what it is", "memory returns"];
    let rows = table(&header, rows.collect(), width_columns);
    let terms = |header: &str, terms: &[Term]| {
        let rows = terms.iter().map(|term| vec![term.name.to_owned(), term.about.to_owned()]);
        table(&[header, "what is done"], rows.collect(), width_columns)
    };
    let (workloads, phases) = (terms("workload", study.workloads), terms("timed", study.phases));
    let sizes: Vec<String> = study.sizes.iter().map(u32::to_string).collect();
    format!(
        "{}\n\n{rows}\n\n{workloads}\n\n{phases}\n\nn: {}, {} if nothing else is given\n",
        study.about,
        study.size,
        sizes.join(" and ")
    )
}

/// Columns that the backends' facts and descriptions need beside each other.
const ONE_TABLE_COLUMNS: u16 = 140;

/// The backends, and below them their parameters.
fn tables(backends: &[Info], width_columns: u16) -> String {
    let facts = ["backend", "family", "moves", "cycles", "header", "cell"];
    let words = ["what it is", "memory returns"];
    let facts_of = |info: &Info| {
        let star = if info.problem_specific { " *" } else { "" };
        vec![
            format!("{}{star}", info.name),
            info.kind.name().to_owned(),
            yes_no(info.moves),
            yes_no(info.cycles),
            format!("{} B", info.header_bytes),
            format!("{} B", info.cell_bytes),
        ]
    };
    let words_of = |info: &Info| vec![info.about.to_owned(), info.returns.to_owned()];
    let of_all = |row: &dyn Fn(&Info) -> Vec<String>| backends.iter().map(row).collect();
    let backends_text = if width_columns >= ONE_TABLE_COLUMNS {
        let header = [&facts[..], &words].concat();
        let rows = of_all(&|info| [facts_of(info), words_of(info)].concat());
        table(&header, rows, width_columns)
    } else {
        let header = [&facts[..1], &words].concat();
        let rows = of_all(&|info| [vec![info.name.to_owned()], words_of(info)].concat());
        let described = table(&header, rows, width_columns);
        table(&facts, of_all(&facts_of), width_columns) + "\n\n" + &described
    };
    let params = backends.iter().flat_map(|info| {
        info.params.iter().map(|param| {
            vec![
                format!("{}.{}", info.name, param.name),
                param.default.to_owned(),
                values(param.unit),
                param.about.to_owned(),
            ]
        })
    });
    let header = ["parameter", "default", "values", "what it does"];
    let params = table(&header, params.collect(), width_columns);
    format!("{backends_text}\n\n{NOTES}\n{params}\n\n{SETTING}")
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

/// A table without lines, whose first column is never broken.
pub fn table(header: &[&str], rows: Vec<Vec<String>>, width_columns: u16) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width_columns)
        .set_header(header)
        .add_rows(rows);
    for (column, title) in table.column_iter_mut().zip(header) {
        column.set_padding((0, 2));
        if *title == header[0] {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
        if ["header", "cell"].contains(title) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
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
        let (wide, narrow) = (tables(BACKENDS, 1000), tables(BACKENDS, 80));
        assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
        for info in BACKENDS {
            assert!(wide.contains(info.about), "{}", info.name);
            let name = format!("{} ", info.name);
            assert_eq!(narrow.lines().filter(|line| line.starts_with(&name)).count(), 2);
            for param in info.params {
                assert!(narrow.contains(&format!("{}.{}", info.name, param.name)));
            }
        }
    }
}
