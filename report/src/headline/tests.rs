use super::*;

/// Five rounds of backends, each so many times as slow as the first; `gc` twice, 2 % apart.
fn sentence(times: &[(&str, f64)], noise: bool) -> String {
    let sample = |round: u32, name: &str, times: f64| Record {
        backend: name.to_owned(),
        n: 7,
        round,
        iterations_ns: vec![(1e6 * f64::from(1 + round) * times) as u64],
        ..Record::new()
    };
    let mut records = Vec::new();
    for round in 0..5 {
        records.extend(times.iter().map(|&(name, times)| sample(round, name, times)));
        records.extend(noise.then(|| Record { control: true, ..sample(round, "gc", 1.02) }));
    }
    sentences(&records, &Summary::new(&records, None).unwrap()).remove(0)
}

#[test]
fn ties_have_no_winner() {
    let times = [("gc", 1.0), ("leak", 1.01), ("rc", 1.5)];
    let said = sentence(&times, true);
    let tie = "gc and leak are the fastest of 3 general-purpose backends at n = 7, \
               with no difference above the noise floor of 2.0 %: 3.00 ms to 3.03 ms.";
    assert_eq!(said, tie);
    assert!(sentence(&times, false).starts_with("gc is the fastest of 3 general"));
    let said = sentence(&[("gc", 1.0), ("leak", 1.0)], false);
    assert!(said.contains("n = 7, not distinguishable from each other: 3.00 ms"), "{said}");
    let said = sentence(&[("gc", 1.0), ("leak", 1.03)], true);
    assert!(said.starts_with("gc is the fastest of 2"), "{said}");
    let names = |n: usize| list((1..=n).map(|i| i.to_string()).collect());
    assert_eq!((names(1), names(3)), ("1".to_owned(), "1, 2 and 3".to_owned()));
    assert_eq!(names(9), "1, 2, 3, 4, 5, 6 and 3 more");
}

/// Seven rounds of three backends on one machine.
fn rounds(machine: &str, times: [u64; 3]) -> Vec<Record> {
    let mut records = Vec::new();
    for round in 0..7 {
        for (name, ns) in ["gc", "rc", "arc-split"].into_iter().zip(times) {
            let mut record = Record {
                backend: name.to_owned(),
                n: 8,
                round,
                iterations_ns: vec![ns * 1000 + u64::from(round) * 10],
                ..Record::new()
            };
            record.machine.processor = machine.to_owned();
            records.push(record);
        }
    }
    records
}

#[test]
fn each_machine_has_its_own_sentences() {
    let mut records = rounds("a", [10, 30, 80]);
    let said = |records: &[Record]| sentences(records, &Summary::new(records, None).unwrap());
    let one = said(&records);
    assert!(one[0].starts_with("gc is the fastest of 3 general-purpose"), "{one:?}");
    let counting = "Naive reference counting (arc-split) takes 7.98 times as long as gc (95 %: ";
    assert!(one[1].starts_with(counting), "{one:?}");

    records.extend(rounds("b", [10, 5, 4]));
    let two = said(&records);
    assert_eq!(two[..2], one[..2].iter().map(|s| format!("machine 1: {s}")).collect::<Vec<_>>());
    assert!(two[3].starts_with("machine 2: arc-split is the fastest of 3"), "{two:?}");
    assert!(two[4].contains("is 2.49 times as fast as gc (95 %: "), "{two:?}");
    for other in 'c'..='f' {
        records.extend(rounds(&other.to_string(), [1, 2, 3]));
    }
    assert!(said(&records).iter().any(|s| s.contains("from 2 more programs or machines")));
}
