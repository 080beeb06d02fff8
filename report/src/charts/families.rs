//! Rows by family, for charts that have a line for each.

use super::bars::label;
use crate::summary::{Row, Summary};

/// Rows by family.
pub(super) struct Families<'a> {
    summary: &'a Summary,
    /// Each family with its rows; families in the order of their first general one.
    families: Vec<(&'a str, Vec<&'a Row>)>,
}

/// One line of a chart of families.
#[derive(Clone, Copy)]
pub(super) enum Line<'a> {
    /// The name of those below it.
    Family(&'a str),
    /// One of a family.
    Backend(&'a Row),
}

impl<'a> Families<'a> {
    /// Those with the least value first, those without one last.
    pub fn new(
        summary: &'a Summary,
        rows: impl Iterator<Item = &'a Row>,
        value: impl Fn(&Row) -> Option<f64>,
    ) -> Self {
        let mut rows: Vec<&Row> = rows.collect();
        let key = |row: &Row| value(row).unwrap_or(f64::INFINITY);
        rows.sort_by(|a, b| key(a).total_cmp(&key(b)));
        let mut families: Vec<(&str, Vec<&Row>)> = Vec::new();
        for row in rows {
            let family = summary.group_of(row).family.as_str();
            match families.iter_mut().find(|(name, _)| *name == family) {
                Some((_, rows)) => rows.push(row),
                None => families.push((family, vec![row])),
            }
        }
        // A family comes first for what serves any program; what serves this one alone wins nothing.
        families.sort_by(|(_, a), (_, b)| {
            let general = |row: &&&Row| !summary.group_of(row).capabilities.problem_specific;
            let first =
                |rows: &[&Row]| rows.iter().find(general).map_or(f64::INFINITY, |row| key(row));
            first(a).total_cmp(&first(b))
        });
        Self { summary, families }
    }

    /// The rows, family by family.
    pub fn rows(&self) -> impl Iterator<Item = &'a Row> {
        self.families.iter().flat_map(|(_, rows)| rows.iter().copied())
    }

    /// A line for each family and for each row.
    pub fn lines(&self) -> Vec<Line<'a>> {
        let mut lines = Vec::new();
        for (name, rows) in &self.families {
            lines.push(Line::Family(name));
            lines.extend(rows.iter().map(|row| Line::Backend(row)));
        }
        lines
    }

    /// What stands left of each line's bar.
    pub fn names(&self) -> Vec<String> {
        let name = |line: &Line| match line {
            Line::Family(_) => String::new(),
            Line::Backend(row) => label(self.summary.group_of(row)),
        };
        self.lines().iter().map(name).collect()
    }

    /// The rows as text: each family with what is to be said of its rows.
    pub fn alt(&self, said: impl Fn(&Row) -> String) -> String {
        let families = self.families.iter().map(|(family, rows)| {
            let rows: Vec<String> = rows.iter().map(|row| said(row)).collect();
            format!("{family}: {}", rows.join("; "))
        });
        families.collect::<Vec<_>>().join(". ")
    }
}
