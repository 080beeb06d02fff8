use super::*;

fn machine() -> Machine {
    Machine { governor: Some("performance".into()), load_1min: Some(0.5), ..Machine::default() }
}

#[test]
fn a_quiet_machine_is_not_warned_of() {
    assert_eq!(warnings(&machine(), Some(false), &[]), [""; 0]);
    assert_eq!(warnings(&Machine::default(), None, &[]), [""; 0]);
}

#[test]
fn each_warning_comes_once() {
    let machine = Machine {
        governor: Some("powersave".into()),
        load_1min: Some(0.51),
        debug_build: true,
        ..machine()
    };
    let (name, core) = ("cc1".to_owned(), 3);
    let neighbour = Neighbour { name, process: 17, core, busy_percent: 60 };
    let warnings = warnings(&machine, Some(true), &[neighbour]);
    let parts =
        ["debug build", "changed files", "load is 0.51", "'powersave'", "'cc1' (process 17)"];
    assert_eq!(warnings.len(), parts.len(), "{warnings:?}");
    for part in parts {
        let found = warnings.iter().filter(|warning| warning.contains(part)).count();
        assert_eq!(found, 1, "{part} in {warnings:?}");
    }
}

#[test]
fn machines_are_told_apart() {
    let id = |machine_id, host| id(machine_id, host);
    let one = id(Some("0123456789abcdef"), Some("host")).unwrap();
    assert_eq!(one.len(), 12);
    assert!(one.chars().all(|c| c.is_ascii_hexdigit()));
    assert_eq!(Some(&one), id(Some("0123456789abcdef"), Some("host")).as_ref());
    for other in [
        id(Some("0123456789abcdee"), Some("host")),
        id(Some("0123456789abcdef"), Some("tsoh")),
        id(Some("0123456789abcdef"), None),
        id(None, Some("host")),
    ] {
        assert!(other.as_ref().is_some_and(|other| *other != one), "{other:?}");
    }
    assert_eq!(id(Some("uninitialized"), Some("host")), id(None, Some("host")));
    assert_eq!((id(None, None), id(Some("uninitialized"), None)), (None, None));
}

#[test]
fn caches_are_found_by_level_and_kind() {
    let folder = tempfile::tempdir().unwrap();
    for (index, level, kind, size) in
        [(0, "1", "Data", "48K"), (1, "1", "Instruction", "32K"), (2, "2", "Unified", "2M")]
    {
        let cache = folder.path().join(format!("index{index}"));
        fs::create_dir(&cache).unwrap();
        for (name, text) in [("level", level), ("type", kind), ("size", size)] {
            fs::write(cache.join(name), format!("{text}\n")).unwrap();
        }
    }
    let bytes = |level, kind| cache_bytes(folder.path(), level, kind);
    assert_eq!((bytes("1", "Data"), bytes("2", "Unified")), (Some(48 << 10), Some(2 << 20)));
    assert_eq!(bytes("3", "Unified"), None);
}

#[test]
#[cfg(target_os = "linux")]
fn this_machine_is_described() {
    let machine = describe();
    assert!(!machine.processor.is_empty() && !machine.kernel.is_empty() && machine.cores > 0);
    assert!(machine.compiler.starts_with("rustc "), "{}", machine.compiler);
    let flags = machine.flags.unwrap();
    assert!(flags.contains(std::env::consts::ARCH) && flags.contains("opt-level="), "{flags}");
    assert!(rss_peak_bytes().is_some_and(|bytes| bytes > 1 << 16));
    assert!(last_core().is_some());
    let host = line("/proc/sys/kernel/hostname").unwrap();
    assert!(machine.id.is_some_and(|id| id != host));
}
