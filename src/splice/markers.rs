//! The two lines between which results stand: `<!-- results -->` or
//! `<!-- results CHART.png -->`, and `<!-- /results -->`; of an allocation study
//! `<!-- study NAME -->` or `<!-- study NAME CHART.png -->`, and `<!-- /study -->`; of
//! threads `<!-- threads -->` for what the modes come to, `<!-- threads MODE -->` or
//! `<!-- threads MODE CHART.png -->` for one of them, and `<!-- /threads -->`.

use anyhow::bail;
use std::ops::Range;

/// A place for results in a document.
#[derive(Debug, PartialEq)]
pub struct Place<'a> {
    /// The bytes between the markers' lines.
    between: Range<usize>,
    /// What belongs there.
    pub what: What<'a>,
    /// The path of the chart, if the marker has one.
    pub chart: Option<&'a str>,
}

/// What belongs to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What<'a> {
    /// The headline and its table.
    Results,
    /// The allocation study of this name.
    Study(&'a str),
    /// What the modes of threads come to.
    Threads,
    /// The mode of threads of this name.
    Mode(&'a str),
}

impl What<'_> {
    /// The first line of such a place.
    fn start(self) -> String {
        match self {
            What::Results => "<!-- results -->".to_owned(),
            What::Study(study) => format!("<!-- study {study} -->"),
            What::Threads => "<!-- threads -->".to_owned(),
            What::Mode(mode) => format!("<!-- threads {mode} -->"),
        }
    }

    fn kind(self) -> Kind {
        match self {
            What::Results => Kind::Results,
            What::Study(_) => Kind::Study,
            What::Threads | What::Mode(_) => Kind::Threads,
        }
    }
}

/// Places that end alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Results,
    Study,
    Threads,
}

impl Kind {
    /// The last line of such a place.
    fn end(self) -> &'static str {
        match self {
            Kind::Results => "<!-- /results -->",
            Kind::Study => "<!-- /study -->",
            Kind::Threads => "<!-- /threads -->",
        }
    }

    /// What its first line looks like.
    fn before(self) -> &'static str {
        match self {
            Kind::Results => "<!-- results -->",
            Kind::Study => "<!-- study NAME -->",
            Kind::Threads => "<!-- threads MODE -->",
        }
    }
}

/// A line that is a marker.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Marker<'a> {
    /// What belongs there, and the chart.
    Start(What<'a>, Option<&'a str>),
    End(Kind),
}

impl Marker<'_> {
    fn text(self) -> String {
        match self {
            Marker::Start(what, _) => what.start(),
            Marker::End(kind) => kind.end().to_owned(),
        }
    }

    fn kind(self) -> Kind {
        match self {
            Marker::Start(what, _) => what.kind(),
            Marker::End(kind) => kind,
        }
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
        let of = |kind: Kind| -> Vec<Found> {
            found.iter().filter(|(marker, ..)| marker.kind() == kind).cloned().collect()
        };
        let mut places = several(&of(Kind::Study))?;
        places.extend(several(&of(Kind::Threads))?);
        let of_results = of(Kind::Results);
        if places.is_empty() || !of_results.is_empty() {
            places.push(results(&of_results)?);
        }
        places.sort_by_key(|place| place.between.start);
        if let Some(pair) =
            places.windows(2).find(|pair| pair[1].between.start < pair[0].between.end)
        {
            let [outer, inner] = [&pair[0], &pair[1]].map(|place| place.what.start());
            bail!("has the place {inner} within {outer}; put it before or after");
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
        (None, _) => Marker::Start(What::Results, None),
        (_, None) => Marker::End(Kind::Results),
        (Some((start, _)), Some((end, _))) if end < start => {
            bail!("<!-- /results --> in line {end} comes before <!-- results -->");
        }
        (Some((_, (start, chart))), Some((_, (end, _)))) => {
            return Ok(Place { between: start..end, what: What::Results, chart });
        }
    };
    bail!(
        "has no line {}; put <!-- results --> and <!-- /results --> where the results belong, \
         each on a line of its own",
        missing.text()
    )
}

/// The places of studies, or of threads, each of which is there once at most.
fn several<'a>(found: &[Found<'a>]) -> anyhow::Result<Vec<Place<'a>>> {
    let mut places: Vec<Place> = Vec::new();
    for pair in found.chunks(2) {
        let (start, line, from) = &pair[0];
        let Marker::Start(what, chart) = *start else {
            let before = start.kind().before();
            bail!("{} in line {line} has no {before} before it", start.text());
        };
        let Some((Marker::End(_), _, to)) = pair.get(1) else {
            let after = start.kind().end();
            bail!("{} in line {line} has no {after} after it", start.text());
        };
        if places.iter().any(|place| place.what == what) {
            bail!("{} is there twice, again in line {line}; keep one", start.text());
        }
        places.push(Place { between: from.end..to.start, what, chart });
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
        ("results", chart) => Some(Marker::Start(What::Results, chart)),
        ("study", Some(rest)) => {
            let (study, chart) = split(rest);
            Some(Marker::Start(What::Study(study), chart))
        }
        ("threads", None) => Some(Marker::Start(What::Threads, None)),
        ("threads", Some(rest)) => {
            let (mode, chart) = split(rest);
            Some(Marker::Start(What::Mode(mode), chart))
        }
        ("/results", None) => Some(Marker::End(Kind::Results)),
        ("/study", None) => Some(Marker::End(Kind::Study)),
        ("/threads", None) => Some(Marker::End(Kind::Threads)),
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
        let told: Vec<_> = places.iter().map(|place| (place.what, place.chart)).collect();
        let [burst, growth] = ["burst", "growth"].map(What::Study);
        assert_eq!(told, [(burst, Some("c.png")), (What::Results, None), (growth, None)]);
        let new = "<!-- study burst c.png -->\n\n1\n<!-- /study -->\n\n<!-- results -->\n\n2\n\
                   <!-- /results -->\n<!-- study growth -->\n\n3\n<!-- /study -->\n";
        assert_eq!(filled(text, &["1", "2", "3"]), new);
        assert_eq!(filled(new, &["1", "2", "3"]), new);
        // A document may have nothing but a study.
        assert_eq!(Place::all("<!-- study burst -->\n<!-- /study -->").unwrap().len(), 1);
    }

    #[test]
    fn modes_of_threads_have_places_of_their_own() {
        let text = "<!-- threads -->\nold\n<!-- /threads -->\n<!-- threads split docs/s.png -->\n\
                    <!-- /threads -->\n<!-- study burst -->\n<!-- /study -->\n\
                    <!-- threads shared -->\n<!-- /threads -->\n";
        let places = Place::all(text).unwrap();
        let told: Vec<_> = places.iter().map(|place| (place.what, place.chart)).collect();
        let [split, shared] = ["split", "shared"].map(What::Mode);
        let study = What::Study("burst");
        let png = Some("docs/s.png");
        assert_eq!(told, [(What::Threads, None), (split, png), (study, None), (shared, None)]);
        let new = "<!-- threads -->\n\n1\n<!-- /threads -->\n<!-- threads split docs/s.png -->\n\n2\n\
                   <!-- /threads -->\n<!-- study burst -->\n\n3\n<!-- /study -->\n\
                   <!-- threads shared -->\n\n4\n<!-- /threads -->\n";
        assert_eq!(filled(text, &["1", "2", "3", "4"]), new);
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
                "has the place <!-- study a --> within <!-- results -->;",
            ),
            (
                "<!-- study a -->\n<!-- threads split -->\n<!-- /threads -->\n<!-- /study -->\n"
                    .into(),
                "has the place <!-- threads split --> within <!-- study a -->;",
            ),
            (
                "<!-- threads split -->".into(),
                "<!-- threads split --> in line 1 has no <!-- /threads -->",
            ),
            (
                "<!-- /threads -->".into(),
                "<!-- /threads --> in line 1 has no <!-- threads MODE -->",
            ),
            (
                "<!-- threads -->\n<!-- threads split -->\n<!-- /threads -->".into(),
                "<!-- threads --> in line 1 has no <!-- /threads -->",
            ),
            (
                "<!-- threads split a.png -->\n<!-- /threads -->\n<!-- threads split -->\n\
                 <!-- /threads -->"
                    .into(),
                "<!-- threads split --> is there twice, again in line 3;",
            ),
            ("<!-- study -->\n<!-- /studyx -->".into(), "has no line <!-- results -->; "),
            ("<!-- resultsx -->\n<!-- /results x -->".into(), "has no line <!-- results -->; "),
        ] {
            let error = Place::all(&text).unwrap_err().to_string();
            assert!(error.starts_with(said) && !error.contains('\n'), "{text}: {error}");
        }
    }
}
