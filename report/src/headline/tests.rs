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
