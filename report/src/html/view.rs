//! What the template is given: every value already text, every list already in order.

use crate::charts::{Figure, Rgb, backend_colour};
use crate::format::{
    NOTHING, clean, exact_count, human_bytes, human_time, or_nothing, significant, with_interval,
};
use crate::headline;
use crate::record::{Machine, Record, Status};
use crate::stats::MIN_SAMPLES;
use crate::summary::{Group, Row, Summary};
use crate::table;
use crate::verdict::percent;
use minijinja::{Value, context};

/// The template's variables.
pub(super) fn page(
    records: &[Record],
    summary: &Summary,
    figures: &[Box<dyn Figure + '_>],
    drawings: &[[String; 2]],
    style: &str,
) -> Value {
    let charts: Vec<Value> = figures
        .iter()
        .zip(drawings)
        .map(|(figure, drawing)| {
            context! {
                stem => figure.file_stem(),
                title => figure.title(),
                caption => figure.caption(),
                // Ours: plotters escapes the texts within it.
                svg => Value::from_safe_string(drawing[0].clone()),
                narrow => Value::from_safe_string(drawing[1].clone()),
            }
        })
        .collect();
    context! {
        style => Value::from_safe_string(style.to_owned()),
        sentences => headline::sentences(records, summary),
        charts,
        baseline => summary.baseline.clone().unwrap_or_default(),
        rows => largest_first(summary).map(|row| row_view(summary, row)).collect::<Vec<_>>(),
        sheets => sheets(summary),
        too_few => MIN_SAMPLES,
        noise => summary.noise.iter().map(|noise| context! {
            sentence => noise.sentence(),
            ratio => with_interval(&noise.ratio, 1.0),
        }).collect::<Vec<_>>(),
        backends => backends(summary),
        groups => summary.groups.iter().map(|group| context! {
            label => &group.label,
            params => group.params.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>(),
        }).collect::<Vec<_>>(),
        failed => failed(summary),
        machines => distinct(records.iter().map(|record| machine(&record.machine))),
        origins => summary.origins.iter().filter(|(_, name)| !name.is_empty()).map(|(origin, name)| context! {
            name,
            what => [&origin.program, &origin.commit, &origin.machine].map(String::as_str).join(", "),
        }).collect::<Vec<_>>(),
        programs => distinct(records.iter().map(|record| clean(&record.program))),
        commands => distinct(records.iter().map(|record| clean(&record.command))),
        commits => distinct(records.iter().map(|record| clean(&record.commit))),
        seeds => distinct(records.iter().map(|record| record.seed.to_string())),
        sample_count => records.len(),
        timed_count => records.iter().filter(|record| !record.counted && !record.control).count(),
    }
}

/// The rows, the largest n first, since it says most.
fn largest_first(summary: &Summary) -> impl Iterator<Item = &Row> + Clone {
    let mut rows: Vec<&Row> = summary.rows.iter().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.n));
    rows.into_iter()
}

/// Identifier, title and explanation of the tables that the terminal shows too.
const SHEETS: [(&str, &str, &str); 4] = [
    (
        "overall",
        "Over all n",
        "Geometric means of the ratios over the sizes, taken within each round; the median of the \
         rounds, with its 95 % interval. Rounds without some of the sizes are left out.",
    ),
    (
        "counts",
        "Work",
        "Counts of one search, taken in an instance of its own. All memory managers allocate and \
         visit the same cells; how often they count, collect and sweep is their own.",
    ),
    (
        "pauses",
        "Pauses",
        "How long the program stands still for its memory manager in one search, timed in an \
         instance of its own: a collection, a sweep, a closed scope, or a release that frees more \
         than one cell. It is wall time: what the system does to the process meanwhile is in it. \
         All are medians of the samples, so that what the system did to one of them is left out. MMU, \
         minimum mutator utilisation, is the least share of any window of that length, or of a \
         shorter search, that is the program's own.",
    ),
    (
        "counters",
        "Instructions, branches and caches",
        "Events of one search, start-up excluded. Callgrind simulates a processor, its caches and \
         its branch prediction; perf are the processor's own counts.",
    ),
];

/// The tables that have something to show.
fn sheets(summary: &Summary) -> Vec<Value> {
    let rows = || largest_first(summary);
    let sheets = [
        table::overall(summary),
        Some(table::counts(rows(), exact_count)).filter(|sheet| !sheet.lines.is_empty()),
        table::pauses(rows()),
        table::counters(rows()),
    ];
    SHEETS
        .into_iter()
        .zip(sheets)
        .filter_map(|((id, title, about), sheet)| {
            let sheet = sheet?;
            let lines = sheet.lines.into_iter().map(|(group, cells)| {
                context! { colour => css(backend_colour(&summary.groups[group].backend)), cells }
            });
            Some(context! {
                id, title, about,
                lines => lines.collect::<Vec<_>>(),
                header => sheet.header,
                notes => sheet.notes,
            })
        })
        .collect()
}

/// One line of the main table.
fn row_view(summary: &Summary, row: &Row) -> Value {
    let group = summary.group_of(row);
    let ratio = match summary.is_baseline(row) {
        true => "1 (baseline)".to_owned(),
        false => or_nothing(row.ratio, |ratio| with_interval(&ratio, 1.0)),
    };
    let interval = row.time_ns.and_then(|time| time.interval());
    context! {
        label => &row.label,
        colour => css(backend_colour(&group.backend)),
        n => row.n,
        ok => row.status == Status::Ok,
        status => row.status.words(),
        problem_specific => group.capabilities.problem_specific,
        time => or_nothing(row.time_ns, |time| human_time(time.value)),
        interval => or_nothing(interval, |(low, high)| {
            format!("{} to {}", human_time(low), human_time(high))
        }),
        range => row.time_ns.is_some_and(|time| interval.is_some() && !time.confident()),
        spread => or_nothing(row.spread, percent),
        ratio,
        verdict => or_nothing(summary.verdict(row), |verdict| verdict.words()),
        ns_per_cell => or_nothing(row.ns_per_cell, significant),
        collections => or_nothing(row.collections, exact_count),
        heap_peak => or_nothing(row.heap_peak_bytes, human_bytes),
        rss_peak => or_nothing(row.rss_peak_bytes, human_bytes),
        samples => match row.outliers {
            0 => row.samples_ns.len().to_string(),
            1 => format!("{} (1 outlier)", row.samples_ns.len()),
            many => format!("{} ({many} outliers)", row.samples_ns.len()),
        },
    }
}

/// The capability legend: each backend once, in the order of the groups.
fn backends(summary: &Summary) -> Vec<Value> {
    let mut seen: Vec<&Group> = Vec::new();
    for group in &summary.groups {
        if !seen.iter().any(|other| other.backend == group.backend) {
            seen.push(group);
        }
    }
    seen.iter()
        .map(|group| {
            let can = &group.capabilities;
            context! {
                name => &group.backend,
                colour => css(backend_colour(&group.backend)),
                family => &group.family,
                about => &group.about,
                returns => &can.returns,
                moves => yes_no(can.moves),
                cycles => yes_no(can.cycles),
                problem_specific => can.problem_specific,
                header_bytes => can.header_bytes,
                cell_bytes => can.cell_bytes,
            }
        })
        .collect()
}

fn failed(summary: &Summary) -> Vec<Value> {
    summary
        .rows
        .iter()
        .filter(|row| row.status != Status::Ok)
        .map(|row| {
            context! {
                label => &row.label,
                n => row.n,
                status => row.status.words(),
                message => row.message.clone().unwrap_or_else(|| NOTHING.to_owned()),
            }
        })
        .collect()
}

/// A machine in one line. The load differs from sample to sample and is left out.
fn machine(machine: &Machine) -> String {
    let mut parts = vec![machine.processor.clone(), format!("{} cores", machine.cores)];
    let caches = [("L1d", machine.l1d_bytes), ("L2", machine.l2_bytes), ("L3", machine.l3_bytes)];
    parts.extend(
        caches
            .iter()
            .filter_map(|(name, bytes)| Some(format!("{name} {}", human_bytes((*bytes)?)))),
    );
    parts.extend(machine.governor.as_ref().map(|governor| format!("governor {governor}")));
    parts.extend(
        machine
            .virtualised
            .map(|is| if is { "virtual machine" } else { "no virtual machine" }.to_owned()),
    );
    parts.extend([machine.os.clone(), machine.kernel.clone(), machine.compiler.clone()]);
    if machine.debug_build {
        parts.push("built without optimisation".to_owned());
    }
    parts.retain(|part| !part.is_empty());
    clean(&parts.join(", "))
}

/// Each text once, in the order of first appearance; empty ones left out.
fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for text in texts {
        if !text.is_empty() && !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen
}

fn yes_no(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}

fn css(Rgb(r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}
