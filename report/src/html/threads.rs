//! Threads: of each mode what the numbers mean, its charts, its table, and its counts of work.

use super::view::{chip, unbroken};
use crate::summary::Group;
use crate::table::{Sheet, of_words, threads_counts, threads_sheet, threads_title};
use crate::threads::{Block, sentences};
use minijinja::{Value, context};

/// One for each mode, with its charts; the charts are those of each mode, in order.
pub(super) fn views(blocks: &[Block], charts: Vec<Vec<Value>>) -> Vec<Value> {
    let view = |(place, (block, charts)): (usize, (&Block, Vec<Value>))| {
        let counted = block.spots().any(|spot| spot.row.cells_allocated.is_some());
        context! {
            id => format!("threads-mode-{}", place + 1),
            title => block.title(blocks),
            about => block.about(),
            sentences => sentences(block).iter().map(|text| unbroken(text)).collect::<Vec<_>>(),
            charts,
            table => table(block, threads_title(block), threads_sheet(block)),
            counts => counted.then(|| {
                table(block, format!("{}: work of one search", threads_title(block)), threads_counts(block))
            }),
        }
    };
    blocks.iter().zip(charts).enumerate().map(view).collect()
}

/// The sheet's lines are those of the block, in order.
fn table(block: &Block, title: String, sheet: Sheet) -> Value {
    let Sheet { header, lines, notes, .. } = sheet;
    let (of_block, mut cells) = (block.lines(), lines.into_iter());
    let mut lines = Vec::new();
    for line in &of_block {
        let chip = chip(&line.group().backend);
        for (place, (_, cells)) in cells.by_ref().take(line.spots.len()).enumerate() {
            let first = place == 0 && !lines.is_empty();
            lines.push(context! { chip => &chip, cells, first });
        }
    }
    let column = |title: &String| context! { title, words => of_words(title) };
    context! {
        title,
        header => header.iter().map(column).collect::<Vec<_>>(),
        lines,
        notes,
    }
}

/// The configurations, for the legend and the colours.
pub(super) fn groups(blocks: &[Block]) -> impl Iterator<Item = &Group> {
    blocks.iter().flat_map(|block| &block.views).flat_map(|view| &view.summary.groups)
}
