//! The answer: the fastest that serves any program, and how the other family compares.

use super::families::families;
use super::field::{Family, Field, LONGEST_NAME, Standing};
use super::list;
use crate::format::{human_time, shorten};
use crate::stats::MIN_SAMPLES;
use crate::summary::Row;
use crate::verdict::percent;
use std::collections::BTreeSet;
use std::iter;

/// The noise floor from which on no winner is named: half as long again is as much as most of the
/// differences between the families that others have published.
const MOST_NOISE: f64 = 0.5;

/// The answer, and of whom it speaks.
pub(super) struct Answer<'a> {
    pub text: String,
    /// The first, and the fastest of each family; none where there is no answer.
    pub named: Vec<&'a Row>,
    /// Whether noise allows no answer, nor any other comparison; the text tells the noise floor then.
    pub drowned: bool,
}

/// Those that nothing is ahead of.
struct Firsts<'a> {
    first: &'a Row,
    tied: Vec<&'a Row>,
    /// Of how many.
    count: usize,
}

impl<'a> Answer<'a> {
    pub fn new(field: &Field<'a>) -> Self {
        let answer = |text, named| Self { text, named, drowned: false };
        if let Some(noise) = field.noise.filter(|noise| noise.fraction() >= MOST_NOISE) {
            let text = format!(
                "No answer from this run. {}, too high to tell one memory manager from another.",
                noise.sentence()
            );
            return Self { drowned: true, ..answer(text, Vec::new()) };
        }
        let Some(firsts) = Firsts::new(field) else {
            let text = format!(
                "At n = {} only problem-specific backends, or such that reclaim nothing, have a time.",
                field.n
            );
            return answer(text, Vec::new());
        };
        let first = firsts.first;
        if firsts.count == 1 {
            return answer(only(field, first), vec![first]);
        }
        let head = firsts.head(field);
        let text = match families(field, first, &firsts.tied) {
            Some(families) => format!("{head}; {families}."),
            None => format!("{head}."),
        };
        let fastest = [Family::Tracing, Family::Counting].map(|family| field.fastest_of(family));
        let others = fastest.into_iter().flatten().filter(|row| row.group != first.group);
        answer(text, iter::once(first).chain(others).collect())
    }
}

/// Of the one that has nothing beside it.
fn only(field: &Field, row: &Row) -> String {
    let time = row.time_ns.map_or(String::new(), |time| {
        let interval = time.interval().map_or(String::new(), |(low, high)| {
            let what = if time.confident() { "95 %" } else { "range" };
            format!(" ({what}: {} to {})", human_time(low), human_time(high))
        });
        format!(": {}{interval}", human_time(time.value))
    });
    let (name, n) = (field.name(row), field.n);
    format!("{name} is the only general-purpose backend with a time at n = {n}{time}.")
}

impl<'a> Firsts<'a> {
    /// `None` where nothing that manages memory for any program has a time.
    fn new(field: &Field<'a>) -> Option<Self> {
        let general = field.general();
        let first = field.fastest(&general)?;
        let not_behind =
            |row: &&Row| row.group != first.group && field.standing(row, first) != Standing::Behind;
        let tied = general.iter().copied().filter(not_behind).collect();
        Some(Self { first, tied, count: general.len() })
    }

    /// Who came first of how many.
    fn head(&self, field: &Field) -> String {
        let n = field.n;
        let (managers, names) = (self.managers(field), self.names(field));
        let tie = self.tie(field);
        let comma = tie.as_ref().map_or(String::new(), |tie| format!(", {tie}"));
        match self.first.time_ns.map_or(0, |time| time.samples) {
            1 => format!(
                "In one round at n = {n}, which proves nothing, {names} came first of {managers}{comma}"
            ),
            few if few < MIN_SAMPLES => format!(
                "In {few} rounds at n = {n}, too few for a verdict, {names} came first of {managers}{comma}"
            ),
            _ => match tie {
                None => format!("Of {managers} the fastest at n = {n} is {names}"),
                Some(tie) if self.tied.len() + 1 == self.count => {
                    format!("No winner among {managers} at n = {n}: {names}, {tie}")
                }
                Some(tie) => format!("Of {managers} the fastest at n = {n} are {names}, {tie}"),
            },
        }
    }

    fn managers(&self, field: &Field) -> String {
        let general = field.general();
        let backends: BTreeSet<&str> =
            general.iter().map(|row| field.group(row).backend.as_str()).collect();
        let of = if backends.len() < self.count { "configurations of " } else { "" };
        // With nothing but peers, languages and programs differ too.
        let what = match general.iter().all(|row| field.group(row).peer.is_some()) {
            true => "programs in other languages",
            false => "memory managers",
        };
        format!("{} {of}general-purpose {what}", self.count)
    }

    /// In which way the firsts do not differ; `None` of one.
    fn tie(&self, field: &Field) -> Option<String> {
        let mut standings = self.tied.iter().map(|row| field.standing(row, self.first));
        let same = standings.all(|standing| standing == Standing::Same);
        match (self.tied.len(), field.floor()) {
            (0, _) => None,
            (_, Some(floor)) if same => {
                Some(format!("with no difference above the noise floor of {}", percent(floor)))
            }
            (1, _) => Some("not distinguishable from each other".to_owned()),
            _ => Some(format!("not distinguishable from {}", field.name(self.first))),
        }
    }

    /// Each family's together, followed by what it is: `gc and semispace (tracing)`.
    fn names(&self, field: &Field) -> String {
        const MOST: usize = 6;
        let rows: Vec<&Row> = iter::once(self.first).chain(self.tied.iter().copied()).collect();
        // "1 more" would take no less room than its name.
        let shown = if rows.len() > MOST + 1 { MOST } else { rows.len() };
        let mut families: Vec<(&str, Vec<String>)> = Vec::new();
        for row in &rows[..shown] {
            let family = field.group(row).family.as_str();
            match families.iter_mut().find(|(other, _)| *other == family) {
                Some((_, names)) => names.push(field.name(row)),
                None => families.push((family, vec![field.name(row)])),
            }
        }
        let told = families.into_iter().map(|(family, names)| match names.as_slice() {
            [name] if name == family => family.to_owned(),
            _ if family.is_empty() => list(&names),
            _ => format!("{} ({})", list(&names), shorten(family, LONGEST_NAME)),
        });
        let mut told: Vec<String> = told.collect();
        told.extend((shown < rows.len()).then(|| format!("{} more", rows.len() - shown)));
        list(&told)
    }
}
