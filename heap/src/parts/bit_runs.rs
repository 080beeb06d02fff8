//! Runs of clear bits in a bitmap, found a word (64 bits) at a time, and ranges
//! of bits that are set and cleared as one.

use std::ops::Range;

/// Bits of a word.
pub const WORD_BITS: usize = u64::BITS as usize;

/// The first set bit at or after `from`, in the words as `look` shows them.
#[inline(always)]
fn first_set(words: &[u64], from: usize, look: impl Fn(u64) -> u64) -> Option<usize> {
    let mut index = from / WORD_BITS;
    let mut word = look(*words.get(index)?) & (u64::MAX << (from % WORD_BITS));
    while word == 0 {
        index += 1;
        word = look(*words.get(index)?);
    }
    Some(index * WORD_BITS + word.trailing_zeros() as usize)
}

/// The first set bit at or after `from`.
pub fn next_set(words: &[u64], from: usize) -> Option<usize> {
    first_set(words, from, |word| word)
}

/// The first run of clear bits at or after `from`, up to the next set bit or
/// the end of the bitmap.
pub fn next_clear_run(words: &[u64], from: usize) -> Option<Range<usize>> {
    let start = first_set(words, from, |word| !word)?;
    let end = next_set(words, start).unwrap_or(words.len() * WORD_BITS);
    Some(start..end)
}

/// `bits` set bits from `from` on, all in one word.
#[inline(always)]
pub fn mask(from: usize, bits: usize) -> u64 {
    debug_assert!(bits > 0 && from + bits <= WORD_BITS);
    (u64::MAX >> (WORD_BITS - bits)) << from
}

/// The words that a range of bits lies in, and which of their bits are its own.
fn masks(Range { start, end }: Range<usize>) -> impl Iterator<Item = (usize, u64)> {
    let words = if start < end { start / WORD_BITS..end.div_ceil(WORD_BITS) } else { 0..0 };
    words.map(move |index| {
        let first = index * WORD_BITS;
        let from = start.max(first) - first;
        let to = end.min(first + WORD_BITS) - first;
        (index, mask(from, to - from))
    })
}

/// Sets a range of bits.
pub fn set(words: &mut [u64], range: Range<usize>) {
    masks(range).for_each(|(index, mask)| words[index] |= mask);
}

/// Clears a range of bits.
pub fn clear(words: &mut [u64], range: Range<usize>) {
    masks(range).for_each(|(index, mask)| words[index] &= !mask);
}

/// How many bits of a range are set. For checks only.
pub fn count(words: &[u64], range: Range<usize>) -> usize {
    masks(range).map(|(index, mask)| (words[index] & mask).count_ones() as usize).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn is_set(words: &[u64], bit: usize) -> bool {
        words[bit / WORD_BITS] >> (bit % WORD_BITS) & 1 == 1
    }

    /// Bitmaps with runs of all lengths, within words and across them.
    fn bitmaps() -> impl Strategy<Value = Vec<u64>> {
        let word = prop_oneof![
            Just(0),
            Just(u64::MAX),
            any::<u64>(),
            (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a & b),
            (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a | b),
            (0..WORD_BITS).prop_map(|bits| u64::MAX << bits),
            (0..WORD_BITS).prop_map(|bits| u64::MAX >> bits),
        ];
        vec(word, 0..8)
    }

    /// A bitmap, and a range of its bits.
    fn ranges() -> impl Strategy<Value = (Vec<u64>, Range<usize>)> {
        (bitmaps(), any::<(u16, u16)>()).prop_map(|(words, (a, b))| {
            let bits = words.len() * WORD_BITS + 1;
            let (a, b) = (usize::from(a) % bits, usize::from(b) % bits);
            (words, a.min(b)..a.max(b))
        })
    }

    /// What one bit after the other says.
    fn runs_by_bit(words: &[u64], from: usize) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for bit in (from..words.len() * WORD_BITS).filter(|&bit| !is_set(words, bit)) {
            match runs.last_mut() {
                Some(run) if run.end == bit => run.end += 1,
                _ => runs.push(bit..bit + 1),
            }
        }
        runs
    }

    proptest! {
        /// In order, none missed, none longer or shorter than it can be.
        #[test]
        fn runs_are_those_that_single_bits_make((words, range) in ranges()) {
            let mut found = Vec::new();
            let mut from = range.start;
            while let Some(run) = next_clear_run(&words, from) {
                from = run.end;
                found.push(run);
            }
            prop_assert_eq!(found, runs_by_bit(&words, range.start));
        }

        #[test]
        fn the_next_set_bit_is_the_first((words, range) in ranges()) {
            let bits = words.len() * WORD_BITS;
            let right = (range.start..bits).find(|&bit| is_set(&words, bit));
            prop_assert_eq!(next_set(&words, range.start), right);
        }

        #[test]
        fn ranges_are_set_cleared_and_counted_bit_by_bit((words, range) in ranges()) {
            let bits = words.len() * WORD_BITS;
            let (mut set_words, mut clear_words) = (words.clone(), words.clone());
            set(&mut set_words, range.clone());
            clear(&mut clear_words, range.clone());
            for bit in 0..bits {
                let (inside, old) = (range.contains(&bit), is_set(&words, bit));
                prop_assert_eq!(is_set(&set_words, bit), inside || old);
                prop_assert_eq!(is_set(&clear_words, bit), !inside && old);
            }
            let right = range.clone().filter(|&bit| is_set(&words, bit)).count();
            prop_assert_eq!(count(&words, range), right);
        }
    }
}
