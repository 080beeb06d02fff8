//! The page as another program sees it.

use crate::by_hand::{Interval, Sample};
use report::{Record, write_record, write_report};
use scraper::{ElementRef, Html, Selector};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// What a cell must tell.
#[derive(Debug)]
pub enum Wanted {
    Unknown,
    Text(String),
    Number(f64),
    Interval(Option<Interval>),
    Ratio(Option<Interval>),
    Verdict(Option<Interval>),
}

/// A ratio of the page's data: value, low and high end, their text, and the verdict.
#[derive(Debug)]
pub struct Ratio {
    pub ends: [f64; 3],
    pub text: String,
    pub verdict: String,
}

/// A report's page, and the lines that it was made from.
pub struct Made {
    html: String,
    lines: String,
}

impl Made {
    /// Of records, through a file.
    pub fn of(records: &[Record]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut lines = Vec::new();
        records.iter().for_each(|record| write_record(&mut lines, record).unwrap());
        let file = folder.path().join("records.jsonl");
        fs::write(&file, &lines).unwrap();
        let read = report::read_records(&file).unwrap();
        let written = write_report(&read, None, folder.path().join("report")).unwrap();
        let html = fs::read_to_string(written.index).unwrap();
        Self { html, lines: String::from_utf8(lines).unwrap() }
    }

    /// Of nothing.
    pub fn page(html: &str) -> Self {
        Self { html: html.into(), lines: String::new() }
    }
}

/// The same, read.
pub struct Page {
    pub size_bytes: usize,
    pub samples: Vec<Sample>,
    document: Html,
}

/// Cells of a row: the value for scripts and the text for readers, by column.
pub type Cells = BTreeMap<String, (String, String)>;

impl Page {
    pub fn new(made: &Made) -> Self {
        Self {
            size_bytes: made.html.len(),
            samples: Sample::lines(&made.lines),
            document: Html::parse_document(&made.html),
        }
    }

    fn all(&self, selector: &str) -> Vec<ElementRef<'_>> {
        self.document.select(&Selector::parse(selector).unwrap()).collect()
    }

    /// The rows of the main table, by label and n; each only once.
    pub fn rows(&self) -> BTreeMap<(String, u64), Cells> {
        let mut rows = BTreeMap::new();
        let columns = Selector::parse("[data-col]").unwrap();
        for row in self.all("#numbers > tbody > tr") {
            let of = |name: &str| row.attr(name).unwrap_or_else(|| panic!("a row has no {name}"));
            let cells = row.select(&columns).map(|cell| {
                let value = cell.attr("data-value").unwrap_or("").to_owned();
                (cell.attr("data-col").unwrap().to_owned(), (value, text_of(cell)))
            });
            let swept = row.value().classes().any(|class| class == "swept");
            assert_eq!(swept, of("data-config").contains("nursery="), "{}", of("data-config"));
            assert!(of("data-config").starts_with(of("data-backend")));
            let key = (of("data-config").to_owned(), of("data-n").parse().unwrap());
            assert!(rows.insert(key, cells.collect()).is_none());
        }
        rows
    }

    fn data(&self) -> Value {
        let script = self.all("script#ratios")[0];
        serde_json::from_str(&script.text().collect::<String>()).unwrap()
    }

    /// Labels of the page's data.
    pub fn labels(&self) -> Vec<String> {
        serde_json::from_value(self.data()["labels"].clone()).unwrap()
    }

    /// Ratios of the page's data, by side, baseline and n; each only once.
    pub fn ratios(&self) -> BTreeMap<(String, String, u64), Ratio> {
        type Pair = (usize, usize, f64, f64, f64, String, String);
        let labels = self.labels();
        let mut ratios = BTreeMap::new();
        for block in self.data()["blocks"].as_array().unwrap() {
            let pairs: Vec<Pair> = serde_json::from_value(block["pairs"].clone()).unwrap();
            for (side, base, value, low, high, text, verdict) in pairs {
                let key =
                    (labels[side].clone(), labels[base].clone(), block["n"].as_u64().unwrap());
                let ratio = Ratio { ends: [value, low, high], text, verdict };
                assert!(ratios.insert(key, ratio).is_none());
            }
        }
        ratios
    }

    /// The label and the value of each bar of a drawing, in its wide layout.
    pub fn bars(&self, section: &str) -> Vec<(String, String)> {
        let text = Selector::parse("text").unwrap();
        let marks = self.all(&format!("#{section} > figure .roomy [data-mark^='bar:']"));
        let bar = |mark: &ElementRef| {
            let label = mark.attr("data-mark").unwrap().strip_prefix("bar:").unwrap();
            (label.to_owned(), text_of(mark.select(&text).last().unwrap()))
        };
        marks.iter().map(bar).collect()
    }

    /// What is told of each point of a drawing, in its wide layout.
    pub fn points(&self, section: &str) -> Vec<String> {
        let points = self.all(&format!("#{section} .roomy [data-mark='point'] > title"));
        points.into_iter().map(text_of).collect()
    }

    /// All that a reader can read.
    pub fn text(&self) -> String {
        text_of(self.document.root_element())
    }

    /// Names of all elements and of their attributes, in order.
    pub fn skeleton(&self) -> Vec<String> {
        let name = |element: &ElementRef| {
            let mut attributes: Vec<&str> = element.value().attrs().map(|(name, _)| name).collect();
            attributes.sort_unstable();
            format!("{} {}", element.value().name(), attributes.join(" "))
        };
        self.all("*").iter().map(name).collect()
    }

    /// What the page would ask other files or machines for; plain links lead there only when followed.
    pub fn external(&self) -> Vec<String> {
        const ASKING: [&str; 8] =
            ["src", "srcset", "href", "xlink:href", "data", "poster", "action", "background"];
        let inner = |address: &str| address.starts_with('#') || address.starts_with("data:");
        let mut found = Vec::new();
        for element in self.all("*") {
            let name = element.value().name();
            for (attribute, value) in element.value().attrs() {
                let asks = ASKING.contains(&attribute) && !(name == "a" && attribute == "href");
                let styles = attribute == "style" && asks_from_style(value);
                if asks && !inner(value) || styles || value == "refresh" {
                    found.push(format!("<{name} {attribute}=\"{value}\">"));
                }
            }
            if name == "style" && asks_from_style(&element.text().collect::<String>()) {
                found.push("<style>".to_owned());
            }
        }
        found
    }
}

fn asks_from_style(style: &str) -> bool {
    let addresses = style.split("url(").skip(1);
    let outer = |address: &str| {
        let address = address.trim_start_matches([' ', '"', '\'']);
        !address.starts_with('#') && !address.starts_with("data:")
    };
    style.contains("@import") || addresses.into_iter().any(outer)
}

fn text_of(element: ElementRef) -> String {
    element.text().collect::<String>().trim().to_owned()
}

/// A number of a text, with its unit, and what rounding may have taken from it.
#[derive(Debug)]
pub struct Number {
    pub value: f64,
    pub half_a_digit: f64,
    digits: usize,
}

/// The numbers of a text. A unit belongs to the number before it.
pub fn numbers(text: &str) -> Vec<Number> {
    let text = text.replace(',', "");
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let mut found = Vec::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let number = &rest[start..];
        let end = number.find(|c| !is_part(c)).unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        let unit = match after.trim_start().split([' ', ']', ')']).next() {
            Some("s") => 1e9,
            Some("ms") => 1e6,
            Some("µs") => 1e3,
            Some("%") => 0.01,
            Some("KiB") => 1024.0,
            Some("MiB") => 1024.0 * 1024.0,
            Some("GiB") => 1024.0 * 1024.0 * 1024.0,
            _ => 1.0,
        };
        let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let digits = number.replace('.', "");
        found.push(Number {
            value: number.parse::<f64>().unwrap() * unit,
            half_a_digit: 0.5 * 10_f64.powi(-(decimals as i32)) * unit,
            digits: digits.trim_start_matches('0').len(),
        });
        rest = after;
    }
    found
}

/// Whether the first numbers of a text are these values, rounded; the first one to three digits at
/// least, or to a tenth of a per cent, unless it is whole.
pub fn rounded(values: &[f64], text: &str, place: &str) {
    let told = numbers(text);
    for (value, told) in values.iter().zip(&told) {
        let margin = told.half_a_digit * 1.001 + value.abs() * 1e-9;
        assert!((told.value - value).abs() <= margin, "{place}: {value} told as '{text}'");
    }
    let first = told.first().unwrap_or_else(|| panic!("{place}: no number"));
    let exact = first.value == values[0] || text.ends_with('%');
    assert!(exact || first.digits >= 3, "{place}: too few digits");
    // A ratio of one round has no ends to tell.
    assert!(told.len() >= values.len() || told.len() == 1, "{place}: '{text}'");
}
