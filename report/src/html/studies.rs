//! The allocation studies: of each what it asks, what the numbers mean, its chart, its tables, its rows.

use super::view::{chip_of, unbroken};
use crate::charts::family_colour;
use crate::claims::Judged;
use crate::studies::{View, asked, blocks, by_study, sentences, title};
use crate::summary::Group;
use crate::table::{Sheet, of_words, study_sheet, study_title};
use minijinja::{Value, context};

/// One for each study, with its chart where it has one; the charts are in the order of the studies.
pub(super) fn views(views: &[View], charts: Vec<Value>, judged: &[Judged]) -> Vec<Value> {
    let mut charts = charts.into_iter();
    let of_study = |(place, views): (usize, &[View])| {
        let timed = views.iter().any(|view| view.timed().next().is_some());
        let name = &views[0].study;
        context! {
            id => format!("allocation-study-{}", place + 1),
            title => title(name),
            asked => asked(name),
            sentences => sentences(views).iter().map(|text| unbroken(text)).collect::<Vec<_>>(),
            chart => timed.then(|| charts.next()).flatten(),
            tables => blocks(views).map(table).collect::<Vec<_>>(),
            rows => rows(views).map(row).collect::<Vec<_>>(),
            claims => claims(name, judged),
        }
    };
    by_study(views).enumerate().map(of_study).collect()
}

fn table(block: &[View]) -> Value {
    let Sheet { header, lines, notes, .. } = study_sheet(block);
    let groups = &block[0].summary.groups;
    let line = |(group, cells): (usize, Vec<String>)| {
        let chip = chip_of(family_colour(&groups[group].family));
        context! { chip, cells }
    };
    let column = |title: &String| context! { title, words => of_words(title) };
    context! {
        title => study_title(&block[0]),
        header => header.iter().map(column).collect::<Vec<_>>(),
        lines => lines.into_iter().map(line).collect::<Vec<_>>(),
        notes,
    }
}

/// Each row of a study once, the study's own before peers, else in the order of the first table.
fn rows(views: &[View]) -> impl Iterator<Item = &Group> {
    let mut rows: Vec<&Group> = Vec::new();
    for group in views.iter().flat_map(|view| &view.summary.groups) {
        if !rows.iter().any(|other| other.backend == group.backend) {
            rows.push(group);
        }
    }
    rows.sort_by_key(|group| group.peer.is_some());
    rows.into_iter()
}

fn row(group: &Group) -> Value {
    let peer = group.peer.as_ref();
    let title = peer.map_or("", |peer| peer.title.as_str());
    let about = [title, group.about.as_str()].into_iter().filter(|text| !text.is_empty());
    let about = about.collect::<Vec<_>>().join(": ");
    let about = if about.is_empty() { None } else { Some(ended(&about)) };
    let notes = peer.map_or(&[][..], |peer| &peer.notes).iter().map(|note| ended(note));
    let text = about.into_iter().chain(notes).collect::<Vec<_>>().join(" ");
    context! {
        name => &group.backend,
        text => pieces(&text),
        version => peer.and_then(|_| group.params.get("version")),
    }
}

/// A text that ends as a sentence does.
fn ended(text: &str) -> String {
    match text.ends_with(['.', '!', '?']) {
        true => text.to_owned(),
        false => format!("{text}."),
    }
}

/// A text in pieces, what stands between backticks apart from the rest; whole where one has no other.
fn pieces(text: &str) -> Vec<Value> {
    if text.matches('`').count() % 2 == 1 {
        return vec![context! { text, code => false }];
    }
    let piece = |(place, text): (usize, &str)| context! { text, code => place % 2 == 1 };
    text.split('`').enumerate().map(piece).collect()
}

/// The claims with a test that is about the study, each with the verdicts of those tests.
fn claims(study: &str, judged: &[Judged]) -> Vec<Value> {
    let view = |claim: &Judged| {
        let tests = claim.tests.iter().filter(|test| test.study.as_deref() == Some(study));
        let verdicts = tests.flat_map(|test| &test.findings).map(|finding| finding.verdict.words());
        let mut counted: Vec<(&str, usize)> = Vec::new();
        for words in verdicts {
            match counted.iter_mut().find(|(known, _)| *known == words) {
                Some((_, count)) => *count += 1,
                None => counted.push((words, 1)),
            }
        }
        let told: Vec<String> =
            counted.iter().map(|(words, count)| format!("{count} {words}")).collect();
        (!told.is_empty()).then(|| context! { id => &claim.id, verdicts => told.join(", ") })
    };
    judged.iter().filter_map(view).collect()
}

/// The colours that the tables show.
pub(super) fn colours(views: &[View]) -> impl Iterator<Item = String> {
    let groups = views.iter().flat_map(|view| &view.summary.groups);
    groups.map(|group| chip_of(family_colour(&group.family)))
}
