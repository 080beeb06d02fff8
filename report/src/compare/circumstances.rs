//! In what two runs differ that is not their work.

use crate::format::clean;
use crate::record::Record;
use std::collections::BTreeSet;

/// What the sides have of one aspect, if it differs: `commit: BEFORE 0123abc, AFTER 4567def`.
fn differs(
    name: &str,
    aspect: impl Fn(&Record) -> String,
    before: &[Record],
    after: &[Record],
) -> Option<String> {
    let values = |side: &[Record]| side.iter().map(&aspect).collect::<BTreeSet<_>>();
    let [before, after] = [values(before), values(after)];
    let listed = |values: BTreeSet<String>| {
        let values: Vec<String> = values.iter().map(|value| clean(value)).collect();
        values.join(" and ")
    };
    (before != after)
        .then(|| format!("{name} differs: {} before, {} after", listed(before), listed(after)))
}

/// What spoils a comparison: another machine, another kind of build.
pub(super) fn warnings(before: &[Record], after: &[Record]) -> Vec<String> {
    let machine = |record: &Record| {
        let id = record.machine.id.as_ref().map(|id| format!(" ({id})"));
        record.machine.processor.clone() + &id.unwrap_or_default()
    };
    let build =
        |record: &Record| if record.machine.debug_build { "debug" } else { "release" }.to_owned();
    let mut lines: Vec<String> =
        [differs("machine", machine, before, after), differs("build", build, before, after)]
            .into_iter()
            .flatten()
            .collect();
    if [before, after].iter().all(|side| side.iter().any(|record| record.machine.debug_build)) {
        lines.push("debug builds: their times say little".to_owned());
    }
    lines
}

/// What else differs, and is often what is compared: the commit, the compiler.
pub(super) fn remarks(before: &[Record], after: &[Record]) -> Vec<String> {
    let commit = |record: &Record| {
        let dirty = if record.dirty == Some(true) { " with changes" } else { "" };
        format!("{}{dirty}", record.commit)
    };
    let flags = |record: &Record| record.machine.flags.clone().unwrap_or("unknown".to_owned());
    let kernel = |record: &Record| record.machine.kernel.clone();
    let lines = [
        (before == after).then(|| "both files hold the same samples".to_owned()),
        differs("commit", commit, before, after),
        differs("compiler", |record| record.machine.compiler.clone(), before, after),
        differs("compiler flags", flags, before, after),
        differs("kernel", kernel, before, after),
    ];
    lines.into_iter().flatten().collect()
}
