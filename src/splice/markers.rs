//! The two lines between which results stand: `<!-- results -->` or
//! `<!-- results CHART.png -->`, and `<!-- /results -->`; of an allocation study
//! `<!-- study NAME -->` or `<!-- study NAME CHART.png -->`, and `<!-- /study -->`.

use anyhow::bail;
use std::ops::Range;

/// A place for results in a document.
#[derive(Debug, PartialEq)]
pub struct Place<'a> {
    /// The bytes between the markers' lines.
    between: Range<usize>,
    /// The allocation study that belongs there; `None` for the headline.
    pub study: Option<&'a str>,
    /// The path of the chart, if the marker has one.
    pub chart: Option<&'a str>,
}

/// A line that is a marker.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Marker<'a> {
    /// The study, and the chart.
    Start(Option<&'a str>, Option<&'a str>),
    /// Whether it ends that of a study.
    End(bool),
}

impl Marker<'_> {
    fn text(self) -> String {
        match self {
            Marker::Start(None, _) => "<!-- results -->".to_owned(),
            Marker::Start(Some(study), _) => format!("<!-- study {study} -->"),
            Marker::End(false) => "<!-- /results -->".to_owned(),
            Marker::End(true) => "<!-- /study -->".to_owned(),
        }
    }

    fn is_of_study(self) -> bool {
        matches!(self, Marker::Start(Some(_), _) | Marker::End(true))
    }
}

/// A marker with its line and the bytes that this takes.
type Found<'a> = (Marker<'a>, u32, Range<usize>);

impl<'a> Place<'a> {
    /// The places in a document, in order.
    ///
    /// # Errors
    ///
    /// There is none; a marker is missing, is there twice, or they are in the
    /// wrong order.
    pub fn all(text: &'a str) -> anyhow::Result<Vec<Self>> {
        let found = markers(text);
        let (of_studies, of_results): (Vec<Found>, Vec<Found>) =
            found.into_iter().partition(|(marker, ..)| marker.is_of_study());
        let mut places = studies(&of_studies)?;
        if places.is_empty() || !of_results.is_empty() {
            places.push(results(&of_results)?);
        }
        places.sort_by_key(|place| place.between.start);
        if places.windows(2).any(|pair| pair[1].between.start < pair[0].between.end) {
            bail!("has the place of a study within that of other results; put it before or after");
        }
        Ok(places)
    }

    /// A document with other texts in its places, which are all of them, in order.
    pub fn filled(places: &[Self], text: &str, sections: &[String]) -> String {
        let mut filled = String::new();
        let mut done = 0;
        for (place, section) in places.iter().zip(sections) {
            filled += &format!("{}\n{section}\n", &text[done..place.between.start]);
            done = place.between.end;
        }
        filled + &text[done..]
    }
}

/// The one place of the headline.
fn results<'a>(found: &[Found<'a>]) -> anyhow::Result<Place<'a>> {
    let (mut start, mut end) = (None, None);
    for (marker, line, bytes) in found {
        let (seen, place) = match marker {
            Marker::Start(_, chart) => (&mut start, (bytes.end, *chart)),
            Marker::End(_) => (&mut end, (bytes.start, None)),
        };
        if let Some((first, _)) = seen.replace((*line, place)) {
            bail!("{} is there twice, in lines {first} and {line}; keep one", marker.text());
        }
    }
    let missing = match (start, end) {
        (None, _) => Marker::Start(None, None),
        (_, None) => Marker::End(false),
        (Some((start, _)), Some((end, _))) if end < start => {
            bail!("<!-- /results --> in line {end} comes before <!-- results -->");
        }
        (Some((_, (start, chart))), Some((_, (end, _)))) => {
            return Ok(Place { between: start..end, study: None, chart });
        }
    };
    bail!(
        "has no line {}; put <!-- results --> and <!-- /results --> where the results belong, \
         each on a line of its own",
        missing.text()
    )
}

/// The places of studies, each of which is there once at most.
fn studies<'a>(found: &[Found<'a>]) -> anyhow::Result<Vec<Place<'a>>> {
    let mut places: Vec<Place> = Vec::new();
    for pair in found.chunks(2) {
        let (start, line, from) = &pair[0];
        let Marker::Start(study, chart) = *start else {
            bail!("{} in line {line} has no <!-- study NAME --> before it", start.text());
        };
        let Some((Marker::End(_), _, to)) = pair.get(1) else {
            bail!("{} in line {line} has no <!-- /study --> after it", start.text());
        };
        if places.iter().any(|place| place.study == study) {
            bail!("{} is there twice, again in line {line}; keep one", start.text());
        }
        places.push(Place { between: from.end..to.start, study, chart });
    }
    Ok(places)
}

/// The markers, each on a line of its own.
fn markers(text: &str) -> Vec<Found<'_>> {
    let mut bytes = 0;
    let mut found = Vec::new();
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let after = bytes + line.len();
        found.extend(marker(line).map(|marker| (marker, number, bytes..after)));
        bytes = after;
    }
    found
}

/// The marker that a line is; its text must be nothing else.
fn marker(line: &str) -> Option<Marker<'_>> {
    let inner = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    if inner.contains("-->") {
        return None;
    }
    let split = |text| match str::split_once(text, char::is_whitespace) {
        Some((word, rest)) => (word, Some(rest.trim()).filter(|rest| !rest.is_empty())),
        None => (text, None),
    };
    let (word, rest) = split(inner);
    match (word, rest) {
        ("results", chart) => Some(Marker::Start(None, chart)),
        ("study", Some(rest)) => {
            let (study, chart) = split(rest);
            Some(Marker::Start(Some(study), chart))
        }
        ("/results", None) => Some(Marker::End(false)),
        ("/study", None) => Some(Marker::End(true)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str, sections: &[&str]) -> String {
        let sections: Vec<String> = sections.iter().map(|&section| section.to_owned()).collect();
        Place::filled(&Place::all(text).unwrap(), text, &sections)
    }

    #[test]
    fn only_the_text_between_changes() {
        let text = "a\n<!-- results -->\nold\n\n<!-- /results -->\nb";
        let new = "a\n<!-- results -->\n\nnew\n\n<!-- /results -->\nb";
        assert_eq!(Place::all(text).unwrap()[0].chart, None);
        assert_eq!(filled(text, &["new\n"]), new);
        // Again, and where nothing was.
        let empty = new.replace("\nnew\n\n", "");
        assert_eq!((filled(new, &["new\n"]), filled(&empty, &["new\n"])), (new.into(), new.into()));
    }

    #[test]
    fn studies_stand_beside_the_headline() {
        let text = "<!-- study burst c.png -->\nold\n<!-- /study -->\n\n<!-- results -->\n\
                    <!-- /results -->\n<!-- study growth -->\n<!-- /study -->\n";
        let places = Place::all(text).unwrap();
        let told: Vec<_> = places.iter().map(|place| (place.study, place.chart)).collect();
        assert_eq!(told, [(Some("burst"), Some("c.png")), (None, None), (Some("growth"), None)]);
        let new = "<!-- study burst c.png -->\n\n1\n<!-- /study -->\n\n<!-- results -->\n\n2\n\
                   <!-- /results -->\n<!-- study growth -->\n\n3\n<!-- /study -->\n";
        assert_eq!(filled(text, &["1", "2", "3"]), new);
        assert_eq!(filled(new, &["1", "2", "3"]), new);
        // A document may have nothing but a study.
        assert_eq!(Place::all("<!-- study burst -->\n<!-- /study -->").unwrap().len(), 1);
    }

    #[test]
    fn the_chart_has_a_path() {
        for (marker, path) in [
            ("<!-- results docs/a.png -->", Some("docs/a.png")),
            ("  <!--results  a b.png-->  ", Some("a b.png")),
            ("<!--\tresults\t-->", None),
        ] {
            let text = format!("{marker}\n<!-- /results -->\n");
            assert_eq!(Place::all(&text).unwrap()[0].chart, path, "{marker}");
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
            (
                "<!-- study burst -->".into(),
                "<!-- study burst --> in line 1 has no <!-- /study -->",
            ),
            ("<!-- /study -->".into(), "<!-- /study --> in line 1 has no <!-- study NAME -->"),
            (
                "<!-- study a -->\n<!-- study a -->\n<!-- /study -->".into(),
                "<!-- study a --> in line 1 has no <!-- /study -->",
            ),
            (
                "<!-- study a -->\n<!-- /study -->\n".repeat(2),
                "<!-- study a --> is there twice, again in line 3;",
            ),
            (
                format!("{start}<!-- study a -->\n<!-- /study -->\n{end}"),
                "has the place of a study within that of other results;",
            ),
            ("<!-- study -->\n<!-- /studyx -->".into(), "has no line <!-- results -->; "),
            ("<!-- resultsx -->\n<!-- /results x -->".into(), "has no line <!-- results -->; "),
        ] {
            let error = Place::all(&text).unwrap_err().to_string();
            assert!(error.starts_with(said) && !error.contains('\n'), "{text}: {error}");
        }
    }
}
