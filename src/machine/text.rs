//! What the system's own descriptions say.

/// The cores of a list such as `0-3,8`.
pub fn cores(list: &str) -> Vec<usize> {
    let ranges = list.trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.parse::<usize>().ok()?..=last.parse::<usize>().ok()?)
    });
    // More than any system has are none.
    ranges.filter(|range| range.end().saturating_sub(*range.start()) < 1 << 16).flatten().collect()
}

/// Peak resident set, in bytes, of a process with this `/proc/.../status`.
pub fn rss_peak_bytes(status: &str) -> Option<u64> {
    let kib = field(status, "VmHWM")?.strip_suffix(" kB")?.trim().parse::<u64>().ok()?;
    kib.checked_mul(1 << 10)
}

/// Name of the processor in `/proc/cpuinfo`.
pub fn processor(cpu: &str) -> Option<String> {
    let name = ["model name", "Model", "Hardware", "uarch"];
    name.iter().find_map(|name| field(cpu, name)).map(str::to_owned)
}

/// Whether the processor in `/proc/cpuinfo` is a virtual one.
pub fn virtualised(cpu: &str) -> Option<bool> {
    // Only x86 says so itself.
    field(cpu, "flags").map(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

/// Name of the operating system in `/etc/os-release`.
pub fn os(release: &str) -> Option<String> {
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim().trim_matches(['"', '\'']).to_owned())
}

/// The value of a `name : value` line.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then_some(value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found() {
        let cpu = "processor\t: 0\nmodel name\t: A Processor: fast\nflags\t\t: fpu hypervisor\n";
        assert_eq!(processor(cpu).as_deref(), Some("A Processor: fast"));
        assert_eq!((virtualised(cpu), virtualised("")), (Some(true), None));
        assert_eq!(virtualised("flags : fpu nohypervisor\n"), Some(false));
        assert_eq!(processor("Hardware : Board\n").as_deref(), Some("Board"));
        assert_eq!(processor("processor : 0\n"), None);
    }

    #[test]
    fn sizes_and_names() {
        assert_eq!(rss_peak_bytes("Name:\tx\nVmHWM:\t    4200 kB\n"), Some(4200 << 10));
        for status in ["", "VmHWM:\t4200\n", "VmHWM:\t-1 kB\n", "VmHWM: 18446744073709551615 kB"] {
            assert_eq!(rss_peak_bytes(status), None, "{status}");
        }
        let release = "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n";
        assert_eq!(os(release).as_deref(), Some("Debian GNU/Linux 12"));
        assert_eq!(os("PRETTY_NAME=Plain\n").as_deref(), Some("Plain"));
        assert_eq!(os("NAME=x\n"), None);
    }

    #[test]
    fn lists_of_cores() {
        assert_eq!(cores("0-2,8\n"), [0, 1, 2, 8]);
        for none in ["", "x", "3-1", "-", "0-99999999999"] {
            assert!(cores(none).is_empty(), "{none}");
        }
    }
}
