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
    let caches =
        [(0, "1", "Data", "48K"), (1, "1", "Instruction", "32K"), (2, "2", "Unified", "2M")];
    let files: Vec<(String, &str)> = caches
        .into_iter()
        .flat_map(|(index, level, kind, size)| {
            [("level", level), ("type", kind), ("size", size)]
                .map(|(name, text)| (format!("index{index}/{name}"), text))
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, *text)).collect();
    let folder = folder(&files);
    let bytes = |level, kind| cache_bytes(folder.path(), level, kind);
    assert_eq!((bytes("1", "Data"), bytes("2", "Unified")), (Some(48 << 10), Some(2 << 20)));
    assert_eq!(bytes("3", "Unified"), None);
}

/// A folder with these files, each of one line.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{text}\n")).unwrap();
    }
    folder
}

#[test]
fn threads_of_a_core_are_one_core() {
    let list = "topology/thread_siblings_list";
    let names: Vec<String> = (0..4).map(|cpu| format!("cpu{cpu}/{list}")).collect();
    let groups = ["0,2", "1,3", "0,2", "1,3"];
    let mut files: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(groups).collect();
    files.push(("cpufreq/other", "x"));
    assert_eq!(physical_cores(folder(&files).path()), Some(2));
    assert_eq!(physical_cores(folder(&[]).path()), None);
}

#[test]
fn hypervisors_have_names() {
    let product = [("class/dmi/id/sys_vendor", "QEMU"), ("class/dmi/id/product_name", "PC")];
    assert_eq!(hypervisor(folder(&product).path()).as_deref(), Some("QEMU PC"));
    let both = [product[0], product[1], ("hypervisor/type", "xen")];
    assert_eq!(hypervisor(folder(&both).path()).as_deref(), Some("xen"));
    assert_eq!(hypervisor(folder(&[]).path()), None);
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
