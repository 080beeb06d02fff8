//! The settings of one heap: limit, zeal and parameter values, checked.

use crate::immortals::Immortals;
use crate::info::{Info, Unit};
use std::collections::BTreeMap;
use std::fmt;

/// How eagerly the heap looks for its own bugs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zeal {
    /// Collect when the heap finds it worthwhile.
    #[default]
    Off,
    /// Collect, validate and check every reachable reference at every safepoint.
    EverySafepoint,
}

/// Settings of one heap, valid for the backend they were made for.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Most bytes the heap may hold, by its own accounting.
    pub limit_bytes: usize,
    /// Self-checking.
    pub zeal: Zeal,
    /// The immortal objects that this heap's may refer to, in instances that can.
    pub immortals: Option<Immortals>,
    values: BTreeMap<&'static str, String>,
}

/// A setting that is not right for a backend; the message says what would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError(pub String);

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for SettingError {}

/// The heap limit when none is given: 8 GiB.
pub const DEFAULT_LIMIT_BYTES: usize = 8 << 30;

impl Settings {
    /// The defaults of a backend.
    pub fn new(info: &Info) -> Self {
        let values = info.params.iter().map(|p| (p.name, p.default.to_string())).collect();
        Settings { limit_bytes: DEFAULT_LIMIT_BYTES, zeal: Zeal::Off, immortals: None, values }
    }

    /// Sets a parameter of the backend from its text.
    pub fn set(&mut self, info: &Info, name: &str, text: &str) -> Result<(), SettingError> {
        let Some(param) = info.params.iter().find(|p| p.name == name) else {
            let known: Vec<_> = info.params.iter().map(|p| p.name).collect();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            return Err(SettingError(format!(
                "'{}' has no parameter '{name}' (it has: {known})",
                info.name
            )));
        };
        let wrong = |right: String| {
            Err(SettingError(format!("{}.{name}: '{text}' is not {right}", info.name)))
        };
        match param.unit {
            Unit::Bytes(min, max) => match parse_bytes(text) {
                Some(bytes) if (min..=max).contains(&bytes) => {}
                _ => {
                    return wrong(format!(
                        "a size from {} to {}, such as {}",
                        show_bytes(min),
                        show_bytes(max),
                        param.default
                    ));
                }
            },
            Unit::Factor(min, max) => match text.parse::<f64>() {
                Ok(x) if (min..=max).contains(&x) => {}
                _ => return wrong(format!("a number from {min} to {max}")),
            },
            Unit::Choice(words) => {
                if !words.contains(&text) {
                    return wrong(format!("one of {}", words.join(", ")));
                }
            }
        }
        self.values.insert(param.name, text.to_string());
        Ok(())
    }

    /// Every parameter with its value.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.values.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// A size parameter, in bytes. Panics if the backend does not declare it.
    pub(crate) fn bytes(&self, name: &str) -> usize {
        parse_bytes(&self.values[name]).expect("checked when set")
    }

    /// A factor parameter. Panics if the backend does not declare it.
    pub(crate) fn factor(&self, name: &str) -> f64 {
        self.values[name].parse().expect("checked when set")
    }

    /// Whether a choice parameter has this value.
    pub(crate) fn is(&self, name: &str, word: &str) -> bool {
        self.values[name] == word
    }

    /// Whether zeal is on.
    pub(crate) fn zealous(&self) -> bool {
        self.zeal == Zeal::EverySafepoint
    }
}

/// Reads a size: `4096`, `64KiB`, `64K`, `1.5MiB`, `2GiB` (units of 1,024).
pub fn parse_bytes(text: &str) -> Option<usize> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..digits].parse().ok()?;
    let shift = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kib" => 10,
        "m" | "mib" => 20,
        "g" | "gib" => 30,
        "t" | "tib" => 40,
        _ => return None,
    };
    let bytes = number * (1_u64 << shift) as f64;
    (bytes >= 1.0 && bytes <= (1_u64 << 50) as f64).then_some(bytes as usize)
}

/// Writes a size with the largest unit that keeps it whole.
pub fn show_bytes(bytes: usize) -> String {
    for (unit, shift) in [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)] {
        if bytes >= 1 << shift && bytes.is_multiple_of(1 << shift) {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    format!("{bytes}B")
}
