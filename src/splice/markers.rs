//! The two lines between which results stand: `<!-- results -->` or
//! `<!-- results CHART.png -->`, and `<!-- /results -->`.

use anyhow::bail;
use std::ops::Range;

/// The place for results in a document.
#[derive(Debug, PartialEq)]
pub struct Place<'a> {
    /// The bytes between the markers' lines.
    between: Range<usize>,
    /// The path of the chart, if the marker has one.
    pub chart: Option<&'a str>,
}

/// A line that is a marker.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Marker<'a> {
    Start(Option<&'a str>),
    End,
}

impl Marker<'_> {
    fn text(self) -> &'static str {
        match self {
            Marker::Start(_) => "<!-- results -->",
            Marker::End => "<!-- /results -->",
        }
    }
}

impl<'a> Place<'a> {
    /// The one place in a document.
    ///
    /// # Errors
    ///
    /// A marker is missing, is there twice, or they are in the wrong order.
    pub fn find(text: &'a str) -> anyhow::Result<Self> {
        let (mut start, mut end) = (None, None);
        let mut place = Place { between: 0..0, chart: None };
        let mut bytes = 0;
        for (line, number) in text.split_inclusive('\n').zip(1..) {
            let after = bytes + line.len();
            let marker = marker(line);
            match marker {
                Some(Marker::Start(chart)) => {
                    once(&mut start, number, marker)?;
                    place = Place { between: after..after, chart };
                }
                Some(Marker::End) => {
                    once(&mut end, number, marker)?;
                    place.between.end = bytes;
                }
                None => {}
            }
            bytes = after;
        }
        let missing = match (start, end) {
            (None, _) => Marker::Start(None),
            (_, None) => Marker::End,
            (Some(start), Some(end)) if end < start => {
                bail!("<!-- /results --> in line {end} comes before <!-- results -->");
            }
            _ => return Ok(place),
        };
        bail!(
            "has no line {}; put <!-- results --> and <!-- /results --> where the results belong, \
             each on a line of its own",
            missing.text()
        )
    }

    /// The document with other text in its place.
    pub fn filled(&self, text: &str, section: &str) -> String {
        let (before, after) = (&text[..self.between.start], &text[self.between.end..]);
        format!("{before}\n{section}\n{after}")
    }
}

fn once(seen: &mut Option<u32>, number: u32, marker: Option<Marker>) -> anyhow::Result<()> {
    if let Some(first) = seen.replace(number) {
        let text = marker.map_or("", Marker::text);
        bail!("{text} is there twice, in lines {first} and {number}; keep one");
    }
    Ok(())
}

/// The marker that a line is; its text must be nothing else.
fn marker(line: &str) -> Option<Marker<'_>> {
    let inner = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    if inner.contains("-->") {
        return None;
    }
    let (word, rest) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
    match word {
        "results" => Some(Marker::Start(Some(rest.trim()).filter(|path| !path.is_empty()))),
        "/results" if rest.is_empty() => Some(Marker::End),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_text_between_changes() {
        let text = "a\n<!-- results -->\nold\n\n<!-- /results -->\nb";
        let place = Place::find(text).unwrap();
        let new = "a\n<!-- results -->\n\nnew\n\n<!-- /results -->\nb";
        assert_eq!((place.chart, place.filled(text, "new\n")), (None, new.to_owned()));
        // Again, and where nothing was.
        let again = Place::find(new).unwrap().filled(new, "new\n");
        let empty = new.replace("\nnew\n\n", "");
        assert_eq!(
            (again.as_str(), Place::find(&empty).unwrap().filled(&empty, "new\n").as_str()),
            (new, new)
        );
    }

    #[test]
    fn the_chart_has_a_path() {
        for (marker, path) in [
            ("<!-- results docs/a.png -->", Some("docs/a.png")),
            ("  <!--results  a b.png-->  ", Some("a b.png")),
            ("<!--\tresults\t-->", None),
        ] {
            let text = format!("{marker}\n<!-- /results -->\n");
            assert_eq!(Place::find(&text).unwrap().chart, path, "{marker}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let (start, end) = ("<!-- results -->\n", "<!-- /results -->\n");
        for (text, said) in [
            (String::new(), "has no line <!-- results -->; "),
            (format!("see {start}{end}"), "has no line <!-- results -->; "),
            (start.into(), "has no line <!-- /results -->; "),
            (
                format!("{start}{start}{end}{end}"),
                "<!-- results --> is there twice, in lines 1 and 2;",
            ),
            (
                format!("{start}{end}\n{start}"),
                "<!-- results --> is there twice, in lines 1 and 4;",
            ),
            (format!("{start}{end}{end}"), "<!-- /results --> is there twice, in lines 2 and 3;"),
            (format!("a\n{end}{start}"), "<!-- /results --> in line 2 comes before"),
            ("<!-- resultsx -->\n<!-- /results x -->".into(), "has no line <!-- results -->; "),
        ] {
            let error = Place::find(&text).unwrap_err().to_string();
            assert!(error.starts_with(said) && !error.contains('\n'), "{text}: {error}");
        }
    }
}
