//! The headline and its table as part of a Markdown document, such as a README.
//!
//! It depends on the records alone, so a document can be checked against them.

use crate::charts::{self, Figure};
use crate::format::{clean, distinct};
use crate::headline;
use crate::record::{Machine, Record};
use crate::studies::{View, by_study, sentences};
use crate::summary::{Row, Summary};
use crate::table::markdown::{code, escaped, paragraph, rows_markdown};
use crate::table::{study_markdown, threads_markdown};
use crate::threads::{self, Block};

/// Command lines and machines that are told; of more, the number.
const MOST_TOLD: usize = 4;

/// The chart that goes with the headline; `None` where there is nothing to draw.
pub fn chart(summary: &Summary) -> Option<Box<dyn Figure + '_>> {
    charts::time_per_backend(summary)
}

/// The headline in Markdown: the chart, if there is one and it has a path; the sentences; the table
/// of what was studied at the largest n, without the points of sweeps; and what made the records.
///
/// The path is relative to the document's folder. Names from records stay text.
pub fn section(records: &[Record], summary: &Summary, chart_path: Option<&str>) -> String {
    let mut parts = Vec::new();
    if let Some((path, chart)) = chart_path.zip(chart(summary)) {
        parts.push(image(path, chart.as_ref()));
    }
    parts.extend(headline::sentences(records, summary).iter().map(|sentence| paragraph(sentence)));
    let rows = studied(summary);
    if !rows.is_empty() {
        parts.push(rows_markdown(summary, &rows).trim_end().to_owned());
    }
    if !records.is_empty() {
        parts.push(small_print(records, summary, &rows));
    }
    parts.join("\n\n") + "\n"
}

/// The views of one allocation study; none where there are no records of it.
pub fn study<'a>(views: &'a [View], name: &str) -> &'a [View] {
    by_study(views).find(|views| views[0].study == name).unwrap_or_default()
}

/// The chart of one allocation study; `None` where there is nothing to draw.
pub fn study_chart(views: &[View]) -> Option<Box<dyn Figure + '_>> {
    charts::figures_of_studies(views).pop()
}

/// One allocation study in Markdown: the chart, if there is one and it has a path, the sentences, and the
/// tables; a line of its own where there are no views. For the path see [`section`].
pub fn study_section(views: &[View], chart_path: Option<&str>) -> String {
    if views.is_empty() {
        return "There are no measurements of this study in these records.\n".to_owned();
    }
    let drawn = chart_path.zip(study_chart(views));
    let mut parts: Vec<String> =
        drawn.map(|(path, chart)| image(path, chart.as_ref())).into_iter().collect();
    parts.extend(sentences(views).iter().map(|sentence| paragraph(sentence)));
    parts.push(study_markdown(views).trim_end().to_owned());
    let records = || views.iter().flat_map(|view| &view.records);
    parts.push(format!("<sub>{}.</sub>", made_by(records())));
    parts.join("\n\n") + "\n"
}

/// What the modes of threads come to, a sentence or two for each; a line of its own where there are none.
pub fn threads_headline(blocks: &[Block]) -> String {
    if blocks.is_empty() {
        return "There are no measurements of threads in these records.\n".to_owned();
    }
    let mut parts: Vec<String> =
        threads::headline(blocks).iter().map(|sentence| paragraph(sentence)).collect();
    let records = || blocks.iter().flat_map(|block| &block.records);
    parts.push(format!("<sub>{}.</sub>", made_by(records())));
    parts.join("\n\n") + "\n"
}

/// The blocks of one mode, by its name; none where there are no records of it.
pub fn mode<'a>(blocks: &'a [Block], name: &str) -> &'a [Block] {
    let found = blocks.chunk_by(|a, b| a.mode == b.mode);
    found.into_iter().find(|blocks| blocks[0].mode.name() == name).unwrap_or_default()
}

/// The chart of how one mode scales, of several depths the one with the most rows; `None` where there is
/// nothing to draw.
pub fn mode_chart(blocks: &[Block]) -> Option<Box<dyn Figure + '_>> {
    let charts = charts::figures_of_threads(blocks);
    let rows = |place: &usize| blocks[*place].spots().count();
    // Of several with as many the first.
    let most = (0..blocks.len()).rev().max_by_key(rows)?;
    charts.into_iter().nth(most)?.into_iter().next()
}

/// One mode in Markdown: the chart of how it scales, if there is one and it has a path, the sentences, and
/// the tables; a line of its own where there are no blocks. For the path see [`section`].
pub fn mode_section(blocks: &[Block], chart_path: Option<&str>) -> String {
    if blocks.is_empty() {
        return "There are no measurements of this mode in these records.\n".to_owned();
    }
    let drawn = chart_path.zip(mode_chart(blocks));
    let mut parts: Vec<String> =
        drawn.map(|(path, chart)| image(path, chart.as_ref())).into_iter().collect();
    for block in blocks {
        let depth = block.depth_among(blocks);
        parts.extend(threads::sentences(block).into_iter().map(|sentence| match depth {
            Some(depth) => paragraph(&format!("At depth {depth}: {sentence}")),
            None => paragraph(&sentence),
        }));
    }
    parts.push(threads_markdown(blocks).trim_end().to_owned());
    let records = || blocks.iter().flat_map(|block| &block.records);
    parts.push(format!("<sub>{}.</sub>", made_by(records())));
    parts.join("\n\n") + "\n"
}

/// The rows of the table, fastest first, failed ones last, whatever order the summary is in.
fn studied(summary: &Summary) -> Vec<&Row> {
    let n = summary.studied_n();
    let mut rows: Vec<&Row> = n.into_iter().flat_map(|n| summary.studied_at(n)).collect();
    let time = |row: &Row| row.time_ns.map_or(f64::INFINITY, |time| time.value);
    rows.sort_by(|a, b| {
        let origin = |row: &Row| summary.group_of(row).origin;
        origin(a).cmp(&origin(b)).then(time(a).total_cmp(&time(b))).then(a.group.cmp(&b.group))
    });
    rows
}

/// A chart, for those who see it and those who do not.
fn image(path: &str, chart: &dyn Figure) -> String {
    let (alt, title) = (escaped(&chart.alt()), title(&chart.title()));
    format!("![{alt}]({} \"{title}\")", encoded(path))
}

/// What made the records, and on what machines.
fn made_by<'a>(records: impl Iterator<Item = &'a Record> + Clone) -> String {
    let commands = told(records.clone().map(|record| clean(&record.command)), code);
    let machines = told(records.map(|record| machine(&record.machine)), escaped);
    format!("Made by {commands}; on {machines}")
}

/// What made the records, in one line.
fn small_print(records: &[Record], summary: &Summary, rows: &[&Row]) -> String {
    let mut parts = vec![made_by(records.iter())];
    let times = || rows.iter().filter_map(|row| row.time_ns);
    let rounds = || times().map(|time| time.samples);
    parts.extend(rounds().min().zip(rounds().max()).map(|(least, most)| match (least, most) {
        (1, 1) => "1 round".to_owned(),
        (least, most) if least == most => format!("{most} rounds"),
        (least, most) => format!("{least} to {most} rounds"),
    }));
    parts.extend(
        times()
            .any(|time| time.confident())
            .then(|| "in parentheses 95 % intervals of the medians".to_owned()),
    );
    parts.extend(
        times()
            .any(|time| time.interval().is_some() && !time.confident())
            .then(|| "in brackets the range of too few rounds for one".to_owned()),
    );
    let n = rows.first().map(|row| row.n);
    let noise = summary.noise.iter().filter(|noise| Some(noise.n) == n);
    let mut line = parts.join("; ");
    for noise in noise {
        line = format!("{line}. {}", escaped(&noise.sentence()));
    }
    format!("<sub>{line}.</sub>")
}

/// Each text once, in the order of first appearance, the first few of many.
fn told(texts: impl Iterator<Item = String>, written: impl Fn(&str) -> String) -> String {
    let seen = distinct(texts);
    let mut told: Vec<String> = seen.iter().take(MOST_TOLD).map(|text| written(text)).collect();
    if seen.len() > MOST_TOLD {
        told.push(format!("{} more", seen.len() - MOST_TOLD));
    }
    match told.pop() {
        None => "what the records do not name".to_owned(),
        Some(last) if told.is_empty() => last,
        Some(last) => format!("{} and {last}", told.join(", ")),
    }
}

/// What a reader knows a machine by; the records have the rest.
fn machine(machine: &Machine) -> String {
    let cores = match machine.cores {
        1 => "1 core".to_owned(),
        cores => format!("{cores} cores"),
    };
    let parts = [&machine.processor, &cores, &machine.os, &machine.kernel, &machine.compiler];
    let parts = parts.into_iter().map(String::as_str).filter(|part| !part.is_empty());
    clean(&parts.collect::<Vec<_>>().join(", "))
}

/// A title within double quotes.
fn title(text: &str) -> String {
    escaped(text).replace('"', "\\\"")
}

/// A path as a link's target.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte.into());
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests;
