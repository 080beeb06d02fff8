//! What is said above and below a chart of threads.

use super::{Cores, What};
use crate::threads::{Block, beyond};

/// Title, subtitle and caption.
pub(super) fn texts(
    block: &Block,
    what: What,
    whiskers: &str,
    cores: &Cores,
) -> (String, String, String) {
    let mode = block.mode.title();
    let (quantity, measured, better) = match what {
        What::SpeedUp if block.mode.side_by_side() => {
            ("speed-up", "Searches done over those that one thread does in the same time", "higher")
        }
        What::SpeedUp => ("speed-up", "Median time with one thread over that with more", "higher"),
        What::Cpu => (
            "CPU time",
            "Processor time of one search, of all threads together, over that with one thread",
            "lower",
        ),
    };
    let holes = match cores.oversubscribed {
        true => "; hollow: oversubscribed, more threads than cores",
        false => "",
    };
    let shared = cores.share_note().map_or(String::new(), |note| format!("; {note}"));
    let about = sentence(&block.about());
    let guide = guide(block, what, cores);
    let more = cores.more_than_there_are();
    (
        format!("{mode}: {quantity} by threads"),
        format!(
            "{measured} (logarithmic scale); whiskers: {whiskers}{holes}{shared}; {better} is better"
        ),
        format!("{about} {measured}, by the number of threads. {guide}{more}"),
    )
}

/// What the grey line is, and what lies above it.
fn guide(block: &Block, what: What, cores: &Cores) -> String {
    let physical = if cores.physical.is_some() { "physical " } else { "" };
    let causes = match cores.shared {
        true => {
            "for locks, for counts that other threads change, or for execution units of a core that \
             another thread uses"
        }
        false => "for locks, or for counts that other threads change",
    };
    match what {
        What::SpeedUp => format!(
            "The grey line is the ideal: as much more work as there are threads, up to the number of \
             {physical}cores."
        ),
        What::Cpu => format!(
            "Processor time is {}. What lies above the grey line is burnt: by waiting for memory, \
             {causes}.",
            block.mode.cpu_time()
        ),
    }
}

impl Cores {
    /// That some threads share physical cores, where it is so.
    fn share_note(&self) -> Option<String> {
        self.physical.filter(|_| self.shared).map(beyond)
    }

    /// What points of more threads than cores are, of either kind.
    fn more_than_there_are(&self) -> String {
        let shared = self.share_note();
        let shared = shared.map_or(String::new(), |note| format!(" {}", sentence(&note)));
        let cores = match self.all {
            1 => "the one core".to_owned(),
            cores => format!("the {cores} cores"),
        };
        match self.oversubscribed {
            true => format!(
                "{shared} Hollow points are oversubscribed: more threads than {cores}, which they \
                 take in turns."
            ),
            false => shared,
        }
    }
}

/// With a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut text = format!("{text}.");
    if let Some(first) = text.get(..1).map(str::to_uppercase) {
        text.replace_range(..1, &first);
    }
    text
}
