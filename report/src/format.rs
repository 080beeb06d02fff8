//! Numbers with units, written the same way in tables, charts and the page.

use crate::stats::Estimate;

/// What stands where there is no value.
pub const NOTHING: &str = "-";

/// Bytes in binary units, three digits where the value is not whole: `512 B`, `1.50 KiB`, `64 MiB`.
pub fn human_bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    // 1023.5 would print as 1024.
    while value >= 1023.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if value.fract() == 0.0 {
        return format!("{value:.0} {}", UNITS[unit]);
    }
    format!("{} {}", significant(value), UNITS[unit])
}

/// A count in decimal units: `238 k` is 237,936. Counts below 10,000 are exact.
pub fn human_count(count: u64) -> String {
    if count < 10_000 {
        return count.to_string();
    }
    let mut value = count as f64 / 1000.0;
    let mut unit = 0;
    const UNITS: [&str; 6] = ["k", "M", "G", "T", "P", "E"];
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{} {}", significant(value), UNITS[unit])
}

/// A count with thousands separators: `237,936`.
pub fn exact_count(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeUnit {
    /// The unit in nanoseconds.
    pub ns: f64,
    /// Its sign.
    pub name: &'static str,
}

impl TimeUnit {
    /// The greatest unit in which a time is not below 1, nanoseconds at the least.
    pub fn of(ns: f64) -> Self {
        let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")].map(|(ns, name)| Self { ns, name });
        // 999.5 would print as 1000.
        let fits = |unit: &Self| ns >= 0.9995 * unit.ns;
        units.into_iter().find(fits).unwrap_or(Self { ns: 1.0, name: "ns" })
    }

    /// An estimate in this unit, as `1.32 ms (1.30-1.37)`; see [`with_interval`].
    pub fn with_interval(self, estimate: &Estimate) -> String {
        let text = with_interval(estimate, self.ns);
        match text.split_once(' ') {
            Some((value, interval)) => format!("{value} {} {interval}", self.name),
            None => format!("{text} {}", self.name),
        }
    }
}

/// A time with the unit that suits it: `12.3 ms`, `1.20 s`.
pub fn human_time(ns: f64) -> String {
    let unit = TimeUnit::of(ns);
    format!("{} {}", significant(ns / unit.ns), unit.name)
}

/// Three significant digits, more where the whole part has more.
pub fn significant(value: f64) -> String {
    let size = value.abs();
    let decimals = if size >= 99.95 {
        0
    } else if size >= 9.995 {
        1
    } else if size >= 0.9995 || size == 0.0 {
        2
    } else {
        // As many as it takes for three digits; beyond nine they mean nothing here.
        (2.0 - size.log10().floor()).clamp(3.0, 9.0) as usize
    };
    format!("{value:.decimals$}")
}

/// An estimate as `1.32 (1.30-1.37)`; as `1.32 [1.30-1.37]` where the samples are too few for a 95 %
/// interval and this is their range; as `1.32` where there is only one.
///
/// `scale` divides the values, and the number of decimals is the same in all three.
pub fn with_interval(estimate: &Estimate, scale: f64) -> String {
    let value = significant(estimate.value / scale);
    let decimals = value.split_once('.').map_or(0, |(_, digits)| digits.len());
    let ends = estimate
        .interval()
        .map(|(low, high)| format!("{:.decimals$}-{:.decimals$}", low / scale, high / scale));
    match ends {
        Some(ends) if estimate.confident() => format!("{value} ({ends})"),
        Some(ends) => format!("{value} [{ends}]"),
        None => value,
    }
}

/// The value's text, or [`NOTHING`].
pub fn or_nothing<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or_else(|| NOTHING.to_owned(), text)
}

/// A name from a record, fit to be shown: control characters would drive a terminal or break a page,
/// and bidirectional overrides would turn the text around them.
pub fn clean(name: &str) -> String {
    name.chars().map(|c| if unfit(c) { '\u{FFFD}' } else { c }).collect()
}

/// A text for a terminal, with what [`clean`] replaces written out instead: `a\u{1b}[31m`.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match unfit(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    out
}

/// Each text once, in the order of first appearance; empty ones left out.
pub(crate) fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for text in texts {
        if !text.is_empty() && !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen
}

fn unfit(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// At most `chars` characters, the last an ellipsis where something was cut off.
pub fn shorten(text: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    let mut out: String = text.chars().take(chars.saturating_sub(1)).collect();
    out.push('…');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_count_time() {
        let bytes: Vec<_> =
            [0, 1023, 1024, 1536, 1_048_500, 64 << 20, u64::MAX].map(human_bytes).into();
        assert_eq!(bytes, ["0 B", "1023 B", "1 KiB", "1.50 KiB", "1.00 MiB", "64 MiB", "16 EiB"]);
        let counts: Vec<_> = [9_999, 10_000, 237_936, 999_600, 5_000_000].map(human_count).into();
        assert_eq!(counts, ["9999", "10.0 k", "238 k", "1.00 M", "5.00 M"]);
        let exact: Vec<_> = [0, 999, 1000, 1_234_567].map(exact_count).into();
        assert_eq!(exact, ["0", "999", "1,000", "1,234,567"]);
        let times: Vec<_> = [1.0, 999.6, 1.2345e6, 1.2e9].map(human_time).into();
        assert_eq!(times, ["1.00 ns", "1.00 µs", "1.23 ms", "1.20 s"]);
        assert_eq!(significant(0.01234), "0.0123");
        assert_eq!(significant(1e-30), "0.000000000");
    }

    #[test]
    fn intervals_share_decimals() {
        let mut e = Estimate { value: 1.324, low: 1.3, high: 13.0, samples: 6 };
        let unit = TimeUnit::of(1e3);
        assert_eq!(with_interval(&e, 1.0), "1.32 (1.30-13.00)");
        assert_eq!(unit.with_interval(&e), "0.00132 µs (0.00130-0.01300)");
        e.samples = 5;
        assert_eq!(with_interval(&e, 1.0), "1.32 [1.30-13.00]");
        e.samples = 1;
        assert_eq!(with_interval(&e, 1.0), "1.32");
        assert_eq!(unit.with_interval(&e), "0.00132 µs");
    }

    #[test]
    fn names_are_made_fit() {
        assert_eq!(clean("a\u{1b}[31m\n"), "a\u{FFFD}[31m\u{FFFD}");
        assert_eq!(visible("ä\u{1b}[31m\n\\\u{202e}"), "ä\\u{1b}[31m\\n\\\\u{202e}");
        assert_eq!(shorten("abcdef", 4), "abc…");
        assert_eq!(shorten("äöüß", 4), "äöüß");
    }
}
