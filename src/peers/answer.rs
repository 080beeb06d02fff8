//! What a peer prints: `solutions=` once, and `ns=` for each search.

use std::time::Duration;

/// Most characters of a wrong line that are shown.
const SHOWN_CHARS: usize = 60;

/// What a peer has answered.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// The solutions that it found.
    pub solutions: u64,
    /// The time of each search, in nanoseconds.
    pub times_ns: Vec<u64>,
}

impl Answer {
    /// Reads the output of a peer that was asked for so many searches and took
    /// so long.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words that follow the peer's name.
    pub fn read(output: &[u8], iterations: u32, elapsed: Duration) -> Result<Self, String> {
        let text = String::from_utf8_lossy(output);
        let (mut solutions, mut times_ns) = (None, Vec::new());
        for line in text.lines() {
            let digits = |text: &&str| text.starts_with(|c: char| c.is_ascii_digit());
            let number = |text: &str| Some(text).filter(digits)?.parse::<u64>().ok();
            if let Some(count) = line.strip_prefix("solutions=").and_then(number) {
                if solutions.replace(count).is_some() {
                    return Err("printed solutions= twice".into());
                }
            } else if let Some(ns) = line.strip_prefix("ns=").and_then(number) {
                times_ns.push(ns);
            } else {
                let shown: String = line.chars().take(SHOWN_CHARS).collect();
                return Err(format!("printed '{shown}', which is no line of the protocol"));
            }
        }
        if text.is_empty() {
            return Err("printed nothing".into());
        }
        let solutions = solutions.ok_or("printed no solutions=")?;
        if times_ns.len() != iterations as usize {
            let times = times_ns.len();
            return Err(format!("printed {times} times, not the {iterations} that were asked for"));
        }
        // In wider numbers, so that absurd ones do not overflow.
        let claimed_ns: u128 = times_ns.iter().map(|&ns| u128::from(ns)).sum();
        if claimed_ns > elapsed.as_nanos() {
            let (claimed_s, elapsed_s) = (claimed_ns as f64 / 1e9, elapsed.as_secs_f64());
            return Err(format!(
                "claims {claimed_s:.3} s of searches, but ran for {elapsed_s:.3} s in all"
            ));
        }
        Ok(Self { solutions, times_ns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Answer, String> {
        Answer::read(text.as_bytes(), 2, Duration::from_micros(10))
    }

    #[test]
    fn the_protocol() {
        let answer = Answer { solutions: 92, times_ns: vec![0, 7] };
        assert_eq!(read("solutions=92\nns=0\nns=7\n"), Ok(answer));
        assert!(read("ns=0\r\nns=7\r\nsolutions=92").is_ok());
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
