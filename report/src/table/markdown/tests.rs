//! Read again by a reader of Markdown: names and numbers come out as they went in.

use super::*;
use crate::record::Record;
use crate::table::results_table;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The cells of all tables, as a reader sees them; `None` where there is markup that is not ours.
fn cells(text: &str) -> Option<Vec<String>> {
    let (mut cells, mut cell) = (Vec::new(), None::<String>);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::TableCell) => cell = Some(String::new()),
            Event::End(TagEnd::TableCell) => cells.extend(cell.take()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(cell) = &mut cell {
                    cell.push_str(&text);
                }
            }
            Event::InlineHtml(tag) if matches!(&*tag, "<code>" | "</code>") => {}
            Event::Start(
                Tag::Table(_) | Tag::TableHead | Tag::TableRow | Tag::List(None) | Tag::Item,
            )
            | Event::End(_) => {}
            _ => return None,
        }
    }
    Some(cells)
}

fn records(name: &str) -> Vec<Record> {
    let record = |backend: &str, n| Record {
        backend: backend.into(),
        n,
        iterations_ns: vec![1000],
        ..Record::new()
    };
    [8, 9].into_iter().flat_map(|n| [record(name, n), record("gc", n)]).collect()
}

proptest! {
    #[test]
    fn names_stay_names(name in "[ -~]{1,12}|[`|\\\\<>&*_\\[\\]]{1,6}|[a-z]{1,4}[|`]\\PC{0,5}") {
        let summary = Summary::new(&records(&name), Some(&name)).unwrap();
        let text = results_markdown(&summary);
        let read = cells(&text);
        prop_assert!(read.is_some(), "{text}");
        let read = read.unwrap_or_default();
        let columns = read.iter().position(|cell| cell == "verdict").unwrap_or(0) + 1;
        prop_assert_eq!(columns, 5, "{}", text);
        prop_assert_eq!(read.len(), 5 * (1 + summary.rows.len()), "{}", text);
        prop_assert_eq!(&read[3], &format!("time relative to {name}"));
        for (row, line) in summary.rows.iter().zip(read.chunks(columns).skip(1)) {
            prop_assert_eq!(&line[0], &row.label, "{}", text);
        }
    }

    #[test]
    fn sentences_stay_paragraphs(text in "[ -~]{0,16}|[-+=#>0-9.) ]{1,4}[a-z]{0,3}") {
        let mut seen = String::new();
        for event in Parser::new_ext(&paragraph(&text), Options::ENABLE_TABLES) {
            match event {
                Event::Text(text) => seen.push_str(&text),
                Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => {}
                other => prop_assert!(false, "{text:?}: {other:?}"),
            }
        }
        prop_assert_eq!(seen, text.trim());
    }
}

#[test]
fn rows_and_their_order_are_those_of_the_table() {
    let mut records = records("rc");
    records[3].iterations_ns = vec![900];
    let summary = Summary::new(&records, None).unwrap();
    let first = |text: &str, skip| -> Vec<String> {
        let lines = text.lines().skip(skip).take(summary.rows.len());
        let word = |line: &str| line.trim_start_matches(['|', ' ', '`']).replace(['`', '|'], "");
        let words = |line| word(line).split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        lines.map(words).collect()
    };
    let table = first(&results_table(&summary, 100), 1);
    assert_eq!(first(&results_markdown(&summary), 2), table);
    assert_eq!(table, ["gc 8", "rc 8", "gc 9", "rc 9"]);
}

#[test]
fn one_size_is_told_in_the_title() {
    let records = &records("rc")[..2];
    let text = results_markdown(&Summary::new(records, None).unwrap());
    let title =
        "| memory manager | time of one search at n = 8 | time relative to `gc` | verdict |\n";
    assert!(text.starts_with(title), "{text}");
    assert_eq!(results_markdown(&Summary::default()), "no measurements\n");
    assert_eq!(counts_markdown(&Summary::default()), "no measurements\n");
}
