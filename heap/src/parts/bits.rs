//! One bit per 8 bytes of a contiguous piece of memory.

/// A bitmap beside memory that starts at `base`.
pub struct Bits {
    base: usize,
    words: Vec<u64>,
}

impl Bits {
    /// No bit set, for `bytes` bytes from `base` on.
    pub fn new(base: *mut u8, bytes: usize) -> Self {
        Bits { base: base as usize, words: vec![0; bytes.div_ceil(8 * 64)] }
    }
    #[inline(always)]
    fn place(&self, address: *mut u8) -> (usize, u64) {
        let granule = (address as usize - self.base) / 8;
        (granule / 64, 1 << (granule % 64))
    }
    /// Whether the bit of an address is set.
    #[inline(always)]
    pub fn get(&self, address: *mut u8) -> bool {
        let (word, bit) = self.place(address);
        self.words[word] & bit != 0
    }
    /// Sets the bit of an address.
    #[inline(always)]
    pub fn set(&mut self, address: *mut u8) {
        let (word, bit) = self.place(address);
        self.words[word] |= bit;
    }
    /// Clears all bits of addresses below `end`.
    pub fn clear_below(&mut self, end: *mut u8) {
        let words = (end as usize - self.base).div_ceil(8 * 64);
        self.words[..words].fill(0);
    }
    /// Whether any bit is set. For checks only.
    pub fn any(&self) -> bool {
        self.words.iter().any(|&word| word != 0)
    }
    /// Bytes of the bitmap itself.
    pub fn held_bytes(&self) -> usize {
        self.words.len() * 8
    }
}
