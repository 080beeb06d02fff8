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
mod tests;
