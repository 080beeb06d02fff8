//! The machine and compiler, as far as the system tells, and what there spoils
//! measurements. What the system does not tell is left out, never guessed.

use report::Machine;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

mod neighbours;
mod process;
mod text;
pub use neighbours::{Neighbour, neighbours};
pub use process::{
    PARENT, cores, cpu_ns, end_with_parent, kill_group, kill_marked, last_core, maps, pin,
    rss_peak_bytes, rss_peak_bytes_of, rss_peak_bytes_of_children, terminate,
};

/// Compiler that built this command.
const COMPILER: &str = env!("RC_VS_GC_COMPILER");

/// Target, optimisation and compiler flags that this command was built with.
const FLAGS: &str = env!("RC_VS_GC_FLAGS");

/// Commit that this command was built from.
pub const COMMIT: &str = env!("RC_VS_GC_COMMIT");

/// Load, in cores, above which other programs disturb the measurements.
const MOST_LOAD: f64 = 0.5;

/// Describes the machine. Does not change while a run lasts, but for the load.
pub fn describe() -> Machine {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    // The core that is measured on: on some machines they differ.
    let core = format!("/sys/devices/system/cpu/cpu{}", last_core().unwrap_or(0));
    let cache_bytes = |level, kind| cache_bytes(&Path::new(&core).join("cache"), level, kind);
    let virtualised = text::virtualised(&cpu);
    Machine {
        processor: text::processor(&cpu).unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        cores: std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32),
        physical_cores: physical_cores(Path::new(CPUS)),
        kernel: kernel().unwrap_or_default(),
        os: os().unwrap_or_else(|| std::env::consts::OS.to_owned()),
        compiler: COMPILER.to_owned(),
        l1d_bytes: cache_bytes("1", "Data"),
        l2_bytes: cache_bytes("2", "Unified"),
        l3_bytes: cache_bytes("3", "Unified"),
        id: id(line("/etc/machine-id").as_deref(), line("/proc/sys/kernel/hostname").as_deref()),
        flags: Some(FLAGS.to_owned()),
        governor: line(&format!("{core}/cpufreq/scaling_governor")),
        load_1min: load_1min(),
        virtualised,
        hypervisor: virtualised.filter(|&is| is).and_then(|_| hypervisor(Path::new("/sys"))),
        debug_build: cfg!(debug_assertions),
    }
}

/// Whether tracked files differed from the commit that this command was built
/// from; not known without a commit.
pub fn dirty() -> Option<bool> {
    (COMMIT != "unknown").then(|| COMMIT.ends_with("-dirty"))
}

/// What spoils measurements, in one line each.
pub fn warnings(machine: &Machine, dirty: Option<bool>, neighbours: &[Neighbour]) -> Vec<String> {
    let mut warnings = Vec::new();
    if machine.debug_build {
        warnings.push("a debug build: its times say nothing; use cargo run --release".to_owned());
    }
    if dirty == Some(true) {
        let why = "built from changed files: no commit tells what is measured; commit, build again";
        warnings.push(why.to_owned());
    }
    if let Some(load) = machine.load_1min.filter(|&load| load > MOST_LOAD) {
        warnings.push(format!("the load is {load:.2}: other programs disturb the measurements"));
    }
    if let Some(governor) = machine.governor.as_deref().filter(|&name| name != "performance") {
        warnings.push(format!(
            "the frequency governor is '{governor}': the clock may change; use 'performance'"
        ));
    }
    warnings.extend(neighbours.iter().map(|Neighbour { name, process, core, busy_percent }| {
        format!(
            "'{name}' (process {process}) runs on core {core}, where samples run, \
             and keeps it {busy_percent} % busy"
        )
    }));
    warnings
}

/// Load average over the last minute.
pub fn load_1min() -> Option<f64> {
    line("/proc/loadavg")?.split_whitespace().next()?.parse().ok()
}

/// A short hash that tells machines apart, and from which neither of its
/// sources can be read; `None` where neither is known.
fn id(machine_id: Option<&str>, host: Option<&str>) -> Option<String> {
    // What an image has before its first start is the same on all machines.
    let machine_id = machine_id.filter(|&id| id != "uninitialized");
    if machine_id.is_none() && host.is_none() {
        return None;
    }
    let [machine_id, host] = [machine_id, host].map(Option::unwrap_or_default);
    let hash = Sha256::digest(format!("rc-vs-gc\n{machine_id}\n{host}"));
    Some(hash[..6].iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The first line of a file, if it says something.
fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

fn kernel() -> Option<String> {
    let name = line("/proc/sys/kernel/ostype")?;
    Some(format!("{name} {}", line("/proc/sys/kernel/osrelease")?))
}

fn os() -> Option<String> {
    text::os(&fs::read_to_string("/etc/os-release").ok()?)
}

/// Where the system tells of each logical core.
const CPUS: &str = "/sys/devices/system/cpu";

/// Number of physical cores.
fn physical_cores(cpus: &Path) -> Option<u32> {
    groups(fs::read_dir(cpus).ok()?.flatten().filter_map(|cpu| siblings(&cpu.path())).collect())
}

/// How many physical cores these logical ones are of; `None` where the system does not tell.
pub fn physical_cores_of(cores: &[usize]) -> Option<u32> {
    let cpu = |core| Path::new(CPUS).join(format!("cpu{core}"));
    groups(cores.iter().map(|core| siblings(&cpu(core))).collect::<Option<_>>()?)
}

/// The logical cores that share a physical one with the one of this folder, as the system lists
/// them.
fn siblings(cpu: &Path) -> Option<String> {
    line(cpu.join("topology/thread_siblings_list").to_str()?)
}

/// How many there are of such lists.
fn groups(siblings: BTreeSet<String>) -> Option<u32> {
    u32::try_from(siblings.len()).ok().filter(|&cores| cores > 0)
}

/// Name of the hypervisor, or of the machine that it pretends to be.
fn hypervisor(sys: &Path) -> Option<String> {
    let get = |name: &str| line(sys.join(name).to_str()?);
    get("hypervisor/type").or_else(|| {
        let product =
            ["sys_vendor", "product_name"].map(|name| get(&format!("class/dmi/id/{name}")));
        let product: Vec<String> = product.into_iter().flatten().collect();
        (!product.is_empty()).then(|| product.join(" "))
    })
}

/// Size of one cache of a core.
fn cache_bytes(caches: &Path, level: &str, kind: &str) -> Option<u64> {
    fs::read_dir(caches).ok()?.flatten().find_map(|cache| {
        let get = |name: &str| line(cache.path().join(name).to_str()?);
        if get("level")? != level || get("type")? != kind {
            return None;
        }
        heap::settings::parse_bytes(&get("size")?).map(|bytes| bytes as u64)
    })
}

#[cfg(test)]
mod tests;
