//! For tests: a check done with every backend, in every setting worth a test.
//!
//! A check is generic over [`Backend`], so a backend that is not in the
//! registry yet passes through the same ones by a call of `Check::check`.

use crate::heap::Backend;
use crate::info::{Info, Unit};
use crate::registry::{BACKENDS, Visit, visit};
use crate::settings::{Settings, Zeal, show_bytes};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What every backend must pass; it panics if this one does not.
pub trait Check: Copy {
    /// Checks one backend.
    fn check<B: Backend>(self);
}

struct One<C>(C);

impl<C: Check> Visit for One<C> {
    type Out = ();
    fn visit<B: Backend>(self) {
        self.0.check::<B>();
    }
}

/// Does a check with every backend of the registry (or with those that the
/// environment variable `HEAP_BACKENDS` names, separated by commas), then
/// panics if some failed: one broken backend hides no other.
pub fn every_backend(check: impl Check) {
    let only = std::env::var("HEAP_BACKENDS").ok();
    let wanted =
        |info: &&Info| only.as_ref().is_none_or(|names| names.split(',').any(|n| n == info.name));
    let mut failed = Vec::new();
    assert!(BACKENDS.iter().any(|info| wanted(&info)), "HEAP_BACKENDS names no backend");
    for info in BACKENDS.iter().filter(wanted) {
        // The check's state is a copy, and the heap it made is gone.
        let one = AssertUnwindSafe(|| visit(info.name, One(check)));
        if catch_unwind(one).is_err() {
            eprintln!("... that was backend '{}'", info.name);
            failed.push(info.name);
        }
    }
    assert!(failed.is_empty(), "backends that fail: {}", failed.join(", "));
}

/// Sizes and factors at their least: every rare path is near.
pub fn tiny(info: &Info) -> Settings {
    let mut settings = Settings::new(info);
    for param in info.params {
        let least = match param.unit {
            Unit::Bytes(least, _) => show_bytes(least),
            Unit::Factor(least, _) => least.to_string(),
            Unit::Choice(_) => continue,
        };
        settings.set(info, param.name, &least).expect("a bound is a right value");
    }
    settings
}

/// Settings with a name for messages.
pub type Named = (String, Settings);

/// The defaults and the tiny settings, each with every word of every choice.
pub fn settings(info: &Info) -> Vec<Named> {
    with_choices(info, "defaults", &Settings::new(info))
        .chain(with_choices(info, "tiny", &tiny(info)))
        .collect()
}

/// The tiny settings with every word of every choice, collecting at every safepoint.
pub fn zealous(info: &Info) -> Vec<Named> {
    let mut settings = tiny(info);
    settings.zeal = Zeal::EverySafepoint;
    with_choices(info, "zeal", &settings).collect()
}

/// The settings as they are, then with each word that is not the default.
fn with_choices(info: &Info, name: &str, base: &Settings) -> impl Iterator<Item = Named> {
    let mut all = vec![(name.to_string(), base.clone())];
    for param in info.params {
        let Unit::Choice(words) = param.unit else { continue };
        for word in words.iter().filter(|&&word| word != param.default) {
            let mut settings = base.clone();
            settings.set(info, param.name, word).expect("a word of the choice");
            all.push((format!("{name}, {}={word}", param.name), settings));
        }
    }
    all.into_iter()
}
