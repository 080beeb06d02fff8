//! Claims that are judged by the records of a study.

use crate::{claim, common};
use report::claims::{Claims, Verdict};
use report::{Record, Summary};

/// A claim of one phase of a study, at one n.
fn of_study(expression: &str, part: &str) -> String {
    let text = claim(expression, "above = 0", "units");
    text.replace("unit = ", &format!("{part}\nunit = "))
}

/// By hand: a push takes 0.7 ns by vec and 1.31 by copy, each within 1 %, a tenth more of objects, and 8 %
/// more at 64.
#[test]
fn a_study_is_judged_by_its_own_phase() {
    let growth = |workload: &str, n: &str| {
        format!("study = 'growth'\nworkload = '{workload}'\nphase = 'push'\n{n}")
    };
    let queens = common::small_study();
    let records: Vec<Record> = common::studies().into_iter().chain(queens.clone()).collect();
    let summary = Summary::new(&queens, None).unwrap();
    let found = |expression: &str, part: &str| {
        let claims = Claims::read(&of_study(expression, part)).unwrap();
        let mut judged = claims.judge(&records, &summary).unwrap();
        judged.remove(0).tests.remove(0).findings.remove(0)
    };
    let value = |expression: &str, part: &str| found(expression, part).value.unwrap().value;
    let ratio = value("time('copy') / time('vec')", &growth("int", ""));
    assert!((1.84..1.91).contains(&ratio), "{ratio}");
    assert_eq!(found("time('copy')", &growth("int", "")).n, Some(64));
    assert_eq!(found("time('copy')", &growth("int", "n = 1")).n, Some(1));
    // A million pushes of an object.
    let ns = value("time('vec') / 1000000", &growth("class", "n = 1"));
    assert!((0.76..0.78).contains(&ns), "{ns}");
    assert_eq!(value("figure('expand', 'expansions')", &growth("class", "")), 0.09);
    let lacking = found("figure('expand', 'lost') + time('snmalloc')", &growth("class", ""));
    let why = "No sample that ended well has: figure lost of expand; time of snmalloc";
    assert_eq!(lacking.why.as_deref(), Some(why));
    let elsewhere = found("time('vec')", &growth("none", "n = 7"));
    let why = "There are no records of growth (none, push) at n = 7";
    assert_eq!(elsewhere.why.as_deref(), Some(why));
    // The same names of n-queens are others.
    let queens = |expression: &str| found(expression, "");
    assert_eq!(queens("time('gc')").n, Some(9));
    assert_eq!(queens("time('copy')").verdict, Verdict::NotMeasured);
    assert_eq!(queens("figure('gc', 'capacity')").verdict, Verdict::NotMeasured);
}

#[test]
fn a_part_of_a_study_is_whole_or_none() {
    let wrong = |part: &str| Claims::read(&of_study("time('vec')", part)).unwrap_err().to_string();
    for part in ["study = 'growth'", "workload = 'int'\nphase = 'push'", "phase = 'push'"] {
        assert!(wrong(part).contains("give its name, a workload and a phase"), "{}", wrong(part));
    }
    let n = of_study("time('vec')", "n = -1");
    assert!(Claims::read(&n).is_err());
}
