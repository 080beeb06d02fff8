//! What a peer prints: its answer once, a time for each phase of each iteration, and figures.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Most characters of a wrong line that are shown.
const SHOWN_CHARS: usize = 60;

/// The names of what a peer prints.
#[derive(Debug, PartialEq, Eq)]
pub struct Protocol {
    /// Of its answer.
    answer: &'static str,
    /// Of the times of an iteration, in order.
    times: Vec<String>,
    /// Whether it may print figures.
    figures: bool,
}

impl Protocol {
    /// That of n-queens: `solutions=`, and `ns=` for each search.
    pub fn queens() -> Self {
        Self { answer: "solutions", times: vec!["ns".to_owned()], figures: false }
    }

    /// That of an allocation study: `answer=`, for each iteration the time of each phase, such as
    /// `insert_ns=`, and figures of any other name.
    pub fn of(study: &studies::Study) -> Self {
        let times = study.phases.iter().map(|phase| format!("{}_ns", phase.name)).collect();
        Self { answer: "answer", times, figures: true }
    }
}

/// What a peer has answered.
#[derive(Debug, PartialEq)]
pub struct Answer {
    /// Its answer: the solutions that it found.
    pub answer: u64,
    /// The time of each iteration, in nanoseconds.
    pub times_ns: Vec<u64>,
    /// For each phase its time in each iteration, in nanoseconds.
    pub phases_ns: Vec<Vec<u64>>,
    /// Figures beside the times.
    pub figures: BTreeMap<String, f64>,
}

impl Answer {
    /// Reads the output of a peer that was asked for so many iterations and took
    /// so long.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words that follow the peer's name.
    pub fn read(
        output: &[u8],
        protocol: &Protocol,
        iterations: u32,
        elapsed: Duration,
    ) -> Result<Self, String> {
        let text = String::from_utf8_lossy(output);
        let Protocol { answer: name_of_answer, times, figures: has_figures } = protocol;
        let mut answer = None;
        let mut phases_ns = vec![Vec::new(); times.len()];
        let mut figures = BTreeMap::new();
        for line in text.lines() {
            let outside = || {
                let shown: String = line.chars().take(SHOWN_CHARS).collect();
                format!("printed '{shown}', which is no line of the protocol")
            };
            let (name, value) = line.split_once('=').ok_or_else(outside)?;
            let digits = value.starts_with(|c: char| c.is_ascii_digit());
            let whole = || value.parse::<u64>().ok().filter(|_| digits).ok_or_else(outside);
            if name == *name_of_answer {
                if answer.replace(whole()?).is_some() {
                    return Err(format!("printed {name}= twice"));
                }
            } else if let Some(phase) = times.iter().position(|time| time == name) {
                phases_ns[phase].push(whole()?);
            } else if *has_figures && is_name(name) {
                let figure = value.parse::<f64>().ok().filter(|figure| figure.is_finite());
                let figure = figure.filter(|_| digits).ok_or_else(outside)?;
                if figures.insert(name.to_owned(), figure).is_some() {
                    return Err(format!("printed {name}= twice"));
                }
            } else {
                return Err(outside());
            }
        }
        if text.is_empty() {
            return Err("printed nothing".into());
        }
        let answer = answer.ok_or_else(|| format!("printed no {name_of_answer}="))?;
        let counts: BTreeSet<usize> = phases_ns.iter().map(Vec::len).collect();
        if let Some(count) = counts.into_iter().find(|&count| count != iterations as usize) {
            return Err(format!("printed {count} times, not the {iterations} that were asked for"));
        }
        // In wider numbers, so that absurd ones do not overflow.
        let claimed_ns: u128 = phases_ns.iter().flatten().map(|&ns| u128::from(ns)).sum();
        if claimed_ns > elapsed.as_nanos() {
            let (claimed_s, elapsed_s) = (claimed_ns as f64 / 1e9, elapsed.as_secs_f64());
            return Err(format!(
                "claims {claimed_s:.3} s of searches, but ran for {elapsed_s:.3} s in all"
            ));
        }
        let sum = |i: usize| phases_ns.iter().map(|phase| phase[i]).sum();
        let times_ns = (0..iterations as usize).map(sum).collect();
        Ok(Self { answer, times_ns, phases_ns, figures })
    }
}

/// Whether a figure may have this name.
fn is_name(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Answer, String> {
        Answer::read(text.as_bytes(), &Protocol::queens(), 2, Duration::from_micros(10))
    }

    #[test]
    fn the_protocol() {
        let answer = Answer {
            answer: 92,
            times_ns: vec![0, 7],
            phases_ns: vec![vec![0, 7]],
            figures: BTreeMap::new(),
        };
        assert_eq!(read("solutions=92\nns=0\nns=7\n"), Ok(answer));
        assert!(read("ns=0\r\nns=7\r\nsolutions=92").is_ok());
    }

    #[test]
    fn the_protocol_of_a_study() {
        let read = |text: &str| {
            let protocol = Protocol::of(&studies::burst::STUDY);
            Answer::read(text.as_bytes(), &protocol, 2, Duration::from_micros(10))
        };
        let times = "insert_ns=1\nerase_ns=2\ndestroy_ns=3\n";
        let whole = format!("{times}{times}answer=7\nnode_bytes=24.5\n");
        let answer = read(&whole).unwrap();
        assert_eq!((answer.answer, &answer.times_ns[..]), (7, &[6, 6][..]));
        assert_eq!(answer.phases_ns, [[1, 1], [2, 2], [3, 3]]);
        assert_eq!(answer.figures, [("node_bytes".to_owned(), 24.5)].into());
        let wrong = [
            (format!("{times}answer=7"), "printed 1 times, not the 2"),
            (whole.replacen("erase", "x", 1), "printed 1 times, not the 2"),
            (format!("{whole}node_bytes=1"), "printed node_bytes= twice"),
            (format!("{whole}a=inf"), "printed 'a=inf', which is no line"),
            (format!("{whole}a=-1"), "printed 'a=-1', which is no line"),
            (format!("{whole}A=1"), "printed 'A=1', which is no line"),
            (format!("{whole}a=1e999"), "printed 'a=1e999', which is no line"),
        ];
        for (text, why) in wrong {
            let said = read(&text).unwrap_err();
            assert!(said.starts_with(why), "{text:?}: {said}");
        }
    }

    #[test]
    fn what_is_not_in_it() {
        let wrong = [
            ("", "printed nothing"),
            ("\n", "printed '', which is no line of the protocol"),
            ("ns=1\nns=2\n", "printed no solutions="),
            ("solutions=1\nsolutions=1\nns=1\nns=2\n", "printed solutions= twice"),
            ("solutions=1\nns=1\n", "printed 1 times, not the 2 that were asked for"),
            ("solutions=1\nns=1\nns=1.5\n", "printed 'ns=1.5', which is no line of the protocol"),
            ("solutions=-1\n", "printed 'solutions=-1', which is no line of the protocol"),
            ("solutions=1\nns=9000\nns=9000\n", "claims 0.000 s of searches, but ran for 0.000 s"),
            ("solutions=+1\n", "printed 'solutions=+1', which is no line of the protocol"),
            ("figure=1\n", "printed 'figure=1', which is no line of the protocol"),
            ("\u{fffd}", "printed '\u{fffd}', which is no line of the protocol"),
        ];
        for (text, why) in wrong {
            let said = read(text).unwrap_err();
            assert!(said.starts_with(why), "{text:?}: {said}");
        }
        let absurd = format!("solutions=1\nns={0}\nns={0}\n", u64::MAX);
        assert!(read(&absurd).is_err());
    }
}
