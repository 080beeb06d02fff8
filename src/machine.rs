//! The machine and compiler, as far as the system tells. What it does not
//! tell is left out, never guessed.

use report::Machine;
use std::fs;

/// Compiler that built this command.
const COMPILER: &str = env!("RC_VS_GC_COMPILER");

/// Commit that this command was built from.
pub const COMMIT: &str = env!("RC_VS_GC_COMMIT");

/// Name of the environment variable that tells a child its parent's process number.
pub const PARENT: &str = "RC_VS_GC_PARENT";

/// Describes the machine. Does not change while a run lasts, but for the load.
pub fn describe() -> Machine {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    Machine {
        processor: processor(&cpu).unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        cores: std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32),
        kernel: kernel().unwrap_or_default(),
        os: os().unwrap_or_else(|| std::env::consts::OS.to_owned()),
        compiler: COMPILER.to_owned(),
        l1d_bytes: cache_bytes("1", "Data"),
        l2_bytes: cache_bytes("2", "Unified"),
        l3_bytes: cache_bytes("3", "Unified"),
        id: None,
        flags: None,
        governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        load_1min: load_1min(),
        virtualised: virtualised(&cpu),
        debug_build: cfg!(debug_assertions),
    }
}

/// What spoils measurements on this machine, in one line each.
pub fn warnings(machine: &Machine) -> Vec<String> {
    let mut warnings = Vec::new();
    if machine.debug_build {
        warnings.push("a debug build: its times say nothing; use cargo run --release".to_owned());
    }
    if let Some(load) = machine.load_1min.filter(|&load| load > 0.5) {
        warnings.push(format!("the load is {load:.2}: other programs disturb the measurements"));
    }
    warnings
}

/// Load average over the last minute.
pub fn load_1min() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// Peak resident set of this process, in bytes.
pub fn rss_peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let kib = field(&status, "VmHWM")?.strip_suffix(" kB")?.trim().parse::<u64>().ok()?;
    Some(kib << 10)
}

/// The last core that this process may run on: the first ones serve the
/// system's interrupts.
#[cfg(target_os = "linux")]
pub fn last_core() -> Option<usize> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let allowed = sched_getaffinity(None).ok()?;
    (0..CpuSet::MAX_CPU).rev().find(|&core| allowed.is_set(core))
}

/// Keeps this process on one core, where the system allows that.
#[cfg(target_os = "linux")]
pub fn pin(core: usize) {
    let mut only = rustix::thread::CpuSet::new();
    only.set(core);
    let _ = rustix::thread::sched_setaffinity(None, &only);
}

/// Ends this process when its parent does, where the system can.
#[cfg(target_os = "linux")]
pub fn end_with_parent() {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    // A parent that ended before this has no death to signal any more.
    let expected = std::env::var(PARENT).ok().and_then(|parent| parent.parse::<i32>().ok());
    let parent = getppid().map(|parent| parent.as_raw_nonzero().get());
    if expected.is_some_and(|expected| parent != Some(expected)) {
        std::process::exit(crate::exit::Exit::Interrupted as i32);
    }
}

/// No core: pinning is known for Linux only.
#[cfg(not(target_os = "linux"))]
pub fn last_core() -> Option<usize> {
    None
}

/// Does nothing: pinning is known for Linux only.
#[cfg(not(target_os = "linux"))]
pub fn pin(_: usize) {}

/// Does nothing: known for Linux only.
#[cfg(not(target_os = "linux"))]
pub fn end_with_parent() {}

/// The value of a `name : value` line.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then_some(value.trim())
    })
}

/// The first line of a file.
fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().next().map(|line| line.trim().to_owned())
}

fn processor(cpu: &str) -> Option<String> {
    let name = ["model name", "Model", "Hardware", "uarch"];
    name.iter().find_map(|name| field(cpu, name)).map(str::to_owned)
}

fn virtualised(cpu: &str) -> Option<bool> {
    // Only x86 says so itself.
    field(cpu, "flags").map(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

fn kernel() -> Option<String> {
    let name = line("/proc/sys/kernel/ostype")?;
    Some(format!("{name} {}", line("/proc/sys/kernel/osrelease")?))
}

fn os() -> Option<String> {
    let text = fs::read_to_string("/etc/os-release").ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"').to_owned())
}

/// Size of one cache of the first core.
fn cache_bytes(level: &str, kind: &str) -> Option<u64> {
    let caches = fs::read_dir("/sys/devices/system/cpu/cpu0/cache").ok()?;
    caches.flatten().find_map(|cache| {
        let get = |name: &str| line(cache.path().join(name).to_str()?);
        if get("level")? != level || get("type")? != kind {
            return None;
        }
        heap::settings::parse_bytes(&get("size")?).map(|bytes| bytes as u64)
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
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_is_described() {
        let machine = describe();
        assert!(!machine.processor.is_empty() && !machine.kernel.is_empty() && machine.cores > 0);
        assert!(machine.compiler.starts_with("rustc "), "{}", machine.compiler);
        assert!(rss_peak_bytes().is_some_and(|bytes| bytes > 1 << 16));
        assert!(last_core().is_some());
    }
}
