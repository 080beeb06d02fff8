//! Peers: shown beside the study, which stays what it is without them.

mod common;

use common::pages::{between, files, page, without_drawings};
use common::{peers, sample, small_study};
use report::claims::judge;
use report::explain::explain;
use report::table::{counts_table, results_csv, results_markdown, results_table};
use report::{Peer, Record, Status, Summary};

fn both() -> Vec<Record> {
    small_study().into_iter().chain(peers()).collect()
}

/// The part of a page from here to the end of its section's table, without drawings.
fn section(page: &str) -> String {
    without_drawings(between(page, "<section id=\"peers\">", "</table>"))
}

#[test]
fn the_study_is_the_same_beside_peers() {
    let (alone, beside) = (files(&small_study()), files(&both()));
    let added: Vec<&str> =
        beside.keys().filter(|name| !alone.contains_key(*name)).map(String::as_str).collect();
    assert_eq!(added, ["peers.png", "peers.svg", "warm-up.png", "warm-up.svg"]);
    for (name, bytes) in alone.iter().filter(|(name, _)| *name != "index.html") {
        assert!(*bytes == beside[name], "{name}");
    }
    assert_eq!(explain(&small_study(), &[]), explain(&both(), &[]));
    let [alone, beside] = [small_study(), both()].map(|records| page(&records));
    let sentences = |page: &str| -> Vec<String> {
        let texts = page.split("<p class=\"sentence\">").skip(1);
        texts.map(|text| text.split("</p>").next().unwrap().to_owned()).collect()
    };
    let (alone, beside) = (sentences(&alone), sentences(&beside));
    assert!(alone.iter().all(|sentence| beside.contains(sentence)), "{alone:?} {beside:?}");
    assert_eq!(beside.len(), alone.len() + 2, "{beside:?}");
    assert!(beside.iter().any(|text| text.starts_with("Of 4 general-purpose peers")), "{beside:?}");
    assert!(beside.iter().any(|text| text == "Failed: java-zgc (timed out at n\u{a0}=\u{a0}9)."));
}

#[test]
fn claims_of_backends_are_judged_alike_beside_peers() {
    let judged =
        |records: &[Record]| judge(records, &Summary::new(records, None).unwrap()).unwrap();
    let (alone, beside) = (judged(&small_study()), judged(&both()));
    let mut now = 0;
    for (alone, beside) in alone.iter().zip(&beside) {
        for (alone, beside) in alone.tests.iter().zip(&beside.tests) {
            // What says that it takes peers may say something else with them.
            let takes_peers =
                beside.expression.as_ref().is_some_and(|it| it.contains("peers=true"));
            match alone.findings[0].value.is_some() && !takes_peers {
                true => assert_eq!(alone.findings, beside.findings, "{}", alone.title),
                false => now += usize::from(beside.findings[0].value.is_some()),
            }
        }
    }
    assert!(now >= 3, "{now} are judged by peers");
}

#[test]
fn tables_and_page_of_peers() {
    let records = both();
    let summary = Summary::new(&records, None).unwrap();
    let tables = [
        results_table(&summary, 80),
        results_table(&summary, 160),
        results_markdown(&summary),
        counts_table(&summary, 80),
        section(&page(&records)),
    ];
    insta::assert_snapshot!("peers", tables.join("\n"));
    for width in [80, 100, 120, 160] {
        let table = results_table(&summary, width);
        assert!(table.lines().all(|line| line.chars().count() <= width.into()), "{table}");
        assert!(table.lines().any(|line| line.starts_with("ocaml ") && line.contains(" OCaml ")));
    }
    let csv = results_csv(&summary);
    let java = csv.lines().find(|line| line.starts_with("java-serial,")).unwrap();
    assert!(java.contains(",Java,\"Java, serial collector\",yes,no,"), "{java}");
    // Nothing is said of languages where there is one.
    let alone = Summary::new(&small_study(), None).unwrap();
    assert!(!results_table(&alone, 300).contains("language"));
    assert!(!results_markdown(&alone).contains("language"));
}

#[test]
fn the_texts_of_the_drawings() {
    let files = files(&both());
    let texts = ["peers.svg", "warm-up.svg"].map(|name| {
        let text = std::str::from_utf8(&files[name]).unwrap();
        let told = text.lines().filter(|line| !line.starts_with('<'));
        told.collect::<Vec<_>>().join("\n")
    });
    insta::assert_snapshot!("drawings_of_peers", texts.join("\n\n"));
}

#[test]
fn peers_alone_are_the_study() {
    let page = page(&peers());
    let said = page.replace('\u{a0}', " ");
    assert!(said.contains("Of 4 general-purpose programs in other languages the fastest at n = 9"));
    for part in ["id=\"time-per-backend\"", "id=\"peers\"", "id=\"warm-up\""] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("<p>There are none in these records.</p>"));
    let failed: Vec<Record> = peers().into_iter().filter(|r| r.status != Status::Ok).collect();
    let page = self::page(&failed);
    assert!(page.contains("No backend has a time") && page.contains("Java, ZGC"));
    assert!(!page.contains("id=\"warm-up\""));
}

#[test]
fn hostile_peers_stay_text() {
    let hostile = "</script><!--<script>alert('\"&{{ 7*7 }}{% x %}\u{1b}[31m\u{202e}";
    let texts = [hostile.to_owned(), hostile.repeat(60), String::new(), "'\"<b>".to_owned()];
    let mut records = vec![sample("gc", 8, 0, 1000), sample("gc", 8, 1, 1000)];
    for (place, text) in texts.iter().enumerate() {
        let mut record = sample(&format!("peer-{place}{text}"), 8, 0, 500 * place as u64);
        record.peer = Some(Peer {
            title: text.clone(),
            language: text.clone(),
            notes: vec![text.clone(), text.clone()],
        });
        record.params.insert("version".into(), text.clone());
        record.warm_up_ns = vec![0, u64::MAX, 7];
        record.live_peak_bytes = Some(1);
        records.push(record);
    }
    for (name, bytes) in files(&records) {
        let text = String::from_utf8_lossy(&bytes);
        let own = if name == "index.html" { 2 } else { 0 };
        let is_text = !name.ends_with("png");
        for tag in ["<script", "</script"] {
            assert!(!is_text || text.matches(tag).count() == own, "{name}: {tag}");
        }
        assert!(!is_text || !text.contains("<!--") && !text.contains('\u{1b}'), "{name}");
        assert!(!is_text || !text.contains("NaN") && !text.contains("<b>'"), "{name}");
    }
    let summary = Summary::new(&records, None).unwrap();
    let table = results_table(&summary, 120);
    assert!(!table.contains('\u{1b}') && !results_markdown(&summary).contains('\u{1b}'), "{table}");
}
