//! What the process has of the machine's memory.

/// Bytes of the process's own pages that are in memory, those that it gave back lazily excluded;
/// `None` where the platform does not tell (it is asked for on Linux alone).
pub fn resident_bytes() -> Option<u64> {
    // Of a whole process at once, and exact: the counters of `statm` lag behind.
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    let kib = |name| {
        let line = rollup.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    let lazy_kib = kib("LazyFree:").unwrap_or(0);
    Some(kib("Anonymous:")?.saturating_sub(lazy_kib) << 10)
}

/// Pages that the process touched and the system had to find memory for, since its start; `None` where
/// the platform does not tell (it is asked for on Linux alone).
pub fn page_faults() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name in parentheses, which may hold anything: state, five numbers, flags, faults.
    let (_, numbers) = stat.rsplit_once(')')?;
    numbers.split_whitespace().nth(7)?.parse().ok()
}

/// Held by tests that look at the memory of the process.
#[cfg(test)]
pub static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(heap_asan, ignore = "the sanitizer keeps what is freed")]
    fn touched_memory_is_resident_and_freed_memory_is_not() {
        let _alone = ALONE.lock();
        const BYTES: usize = 64 << 20;
        // Other tests may come and go, by far less.
        let near = |bytes: u64| bytes.abs_diff(BYTES as u64) < BYTES as u64 / 4;
        let before = resident_bytes().unwrap();
        let faults_before = page_faults().unwrap();
        let touched = std::hint::black_box(vec![1_u8; BYTES]);
        let faults = page_faults().unwrap() - faults_before;
        // Some pages are huge ones.
        assert!((BYTES >> 21..=(2 * BYTES) >> 12).contains(&(faults as usize)), "{faults} faults");
        let during = resident_bytes().unwrap();
        assert!(near(during - before), "{before} to {during}");
        drop(touched);
        let after = resident_bytes().unwrap();
        assert!(near(during - after), "{during} to {after}");
    }
}
