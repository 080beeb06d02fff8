//! A page for a document.

use super::pages::Block;

/// The page in Markdown, its tables in the form that GitHub reads.
pub fn markdown(blocks: &[Block]) -> String {
    blocks.iter().map(|block| part(block) + "\n\n").collect::<String>().trim_end().to_owned() + "\n"
}

fn part(block: &Block) -> String {
    match block {
        Block::Title(words) => format!("## {}", escaped(words)),
        Block::Heading(words) => format!("### {}", escaped(words)),
        Block::Text(words) => escaped(words),
        Block::Table { header, rows, words } => {
            let rule = (0..header.len()).map(|i| if i < *words { "---" } else { "---:" });
            let rule = format!("|{}|", rule.collect::<Vec<_>>().join("|"));
            let lines = [row(header), rule].into_iter().chain(rows.iter().map(|cells| row(cells)));
            lines.collect::<Vec<_>>().join("\n")
        }
    }
}

fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
    format!("| {} |", cells.join(" | "))
}

/// Names come from records: none of their characters may become markup.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '|' | '*' | '_' | '`' | '<' | '[' | '#' | '&' | '~') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_become_markup() {
        let table = Block::Table {
            header: vec!["step".into(), "ns".into()],
            rows: vec![vec!["a|b<i>*".into(), "1".into()]],
            words: 1,
        };
        let expected = "## a \\# b\n\n| step | ns |\n|---|---:|\n| a\\|b\\<i>\\* | 1 |\n";
        assert_eq!(markdown(&[Block::Title("a # b".into()), table]), expected);
    }
}
