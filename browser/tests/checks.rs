//! The checks themselves: a page without faults passes all of them, and each fault that is put into
//! it fails the check that is meant for it.

use browser::{CHECKS, Visit, chromium};
use headless_chrome::Browser;
use std::fs;
use std::path::Path;

/// Columns of the main table of the page below, in order.
const COLUMNS: [&str; 15] = [
    "backend",
    "n",
    "time",
    "interval",
    "ratio",
    "verdict",
    "ns-per-cell",
    "instructions-per-cell",
    "heap-peak",
    "rss-peak",
    "space-overhead",
    "collections",
    "pause-max",
    "spread",
    "samples",
];

/// Name of the check that is to fail, and the fault: what is taken out of the page, and what is put
/// in its place.
type Fault = (&'static str, &'static str, &'static str);

const FAULTS: [Fault; 53] = [
    ("sections", "<section id=\"claims\"><h2>Claims</h2>", "<section id=\"claims\"><p>Claims</p>"),
    ("sections", "<a href=\"#machine\">Machine</a>", ""),
    ("sorting", "? a.localeCompare(b) : a - b", "? a.localeCompare(b) : a < b ? -1 : 1"),
    ("sorting", "(up ? 1 : -1)", "1"),
    (
        "sorting",
        "...known, ...rows.filter((row) => value(row) === \"\")",
        "...rows.filter((row) => value(row) === \"\"), ...known",
    ),
    ("sorting", "rows.filter((row) => value(row) === \"\"));", "[]);"),
    ("sorting", "up ? \"ascending\" : \"descending\"", "\"ascending\""),
    ("sorting", "other.setAttribute(\"aria-sort\", \"none\");", "other;"),
    ("sorting", "data-col=\"spread\" aria-sort=\"none\"", "aria-sort=\"none\""),
    ("filter", "words && n && family", "words && n"),
    ("filter", "words && n && family", "words || n && family"),
    ("filter", ".every((word) => row.t", ".some((word) => row.t"),
    ("filter", "!row.hidden).length} of", "row).length} of"),
    ("filter", "<option>8</option>", ""),
    (
        "baseline",
        "if (labels[over] === base) write(labels[side]",
        "if (labels[side] === \"rc\") write(labels[side]",
    ),
    ("baseline", "cell(row, \"verdict\").textContent = words;", ""),
    ("baseline", ".dataset.baseline = base", ".dataset.other = base"),
    ("baseline", "text`).textContent = ratio", "text`).textContent = \"1\""),
    ("baseline", "[0,1,0.5,0.4,0.6,", "[0,1,0.6,0.4,0.6,"),
    (
        "baseline",
        "number, ratio, words) => {",
        "number, ratio, words) => { if (base === \"gc\") return;",
    ),
    ("tooltip", "bar.querySelector(\"title\").textContent", "\"a bar\""),
    ("tooltip", "id(\"tooltip\").hidden = false;", ""),
    ("tooltip", "id(\"tooltip\").hidden = true;", ""),
    ("width", "<p>None.</p>", "<p style=\"width: 500px\">None.</p>"),
    ("width", ".box { overflow-x: auto; }", "#numbers { width: 800px }"),
    (
        "width",
        "body { margin: 1rem;",
        "section { width: 400px } body { margin: 1rem; overflow-x: clip;",
    ),
    ("drawings", "<text x=\"10\" y=\"80\">rc</text>", "<text x=\"10\" y=\"38\">rc</text>"),
    ("drawings", "<text x=\"10\" y=\"80\">rc</text>", "<text x=\"160\" y=\"80\">rc rc</text>"),
    ("drawings", "<text x=\"10\" y=\"80\">rc</text>", "<text x=\"10\" y=\"125\">rc</text>"),
    (
        "drawings",
        "<text x=\"10\" y=\"80\">rc</text>",
        "<text x=\"10\" y=\"80\" font-size=\"5\">rc</text>",
    ),
    (
        "drawings",
        "svg { width: 300px",
        "@media (width < 400px) { svg text { font-size: 7px } } svg { width: 300px",
    ),
    ("peers", "<th scope=\"row\">rc</th>", "<th scope=\"row\">arc</th>"),
    ("peers", "<th scope=\"row\">gc</th>", "<th scope=\"row\">rc</th>"),
    ("peers", "data-mark=\"bar:rc\"", "data-mark=\"bar:arc\""),
    ("links", "<p>Yes.</p>", "<p><a href=\"#nowhere\">Yes.</a></p>"),
    ("links", "href=\"beside.txt\"", "href=\"elsewhere.txt\""),
    ("ids", "<p>Yes.</p>", "<p id=\"tooltip\">Yes.</p>"),
    ("ids", "<p>Yes.</p>", "<p aria-describedby=\"nothing\">Yes.</p>"),
    ("alternatives", " aria-label=\"rc takes twice as long as gc\"", ""),
    (
        "alternatives",
        "<p>Yes.</p>",
        "<img src=\"data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=\">",
    ),
    ("alternatives", "<caption>All</caption>", ""),
    (
        "alternatives",
        "<label>Search <input type=\"search\" id=\"filter\"></label>",
        "<input type=\"search\" id=\"filter\">",
    ),
    ("scriptless", "<form class=\"scripted\" hidden>", "<form class=\"scripted\">"),
    ("scriptless", "th button { font: inherit; border: 0;", "th button { font: inherit;"),
    (
        "scriptless",
        "<p>Yes.</p>",
        "<p hidden id=\"late\">Yes.</p><script>id(\"late\").hidden = false;</script>",
    ),
    ("contrast", "--ink: #ddd; --paper: #111;", "--ink: #666; --paper: #111;"),
    ("contrast", "<p>Yes.</p>", "<p style=\"opacity: 0.4\">Yes.</p>"),
    ("print", "@media screen and (prefers", "@media (prefers"),
    ("print", "form { display: none; }", ""),
    ("console", "const id =", "console.warn(\"so so\"); const id ="),
    ("console", "const id =", "Promise.reject(new Error(\"unheard\")); const id ="),
    ("console", "const id =", "setTimeout(() => undefined.length); const id ="),
    ("network", "<p>Yes.</p>", "<p>Yes.</p><link rel=\"stylesheet\" href=\"beside.txt\">"),
];

/// The page without faults, its table filled in.
fn sound() -> String {
    let page = include_str!("sound.html");
    let heads = COLUMNS.map(|column| {
        format!("<th data-col=\"{column}\" aria-sort=\"none\"><button type=\"button\">{column}</button></th>")
    });
    let row = |(i, (config, family, n)): (usize, (&str, &str, u32))| {
        let cells = COLUMNS.map(|column| {
            // Unknown in one row; 9 and 10, which are in another order as texts.
            let value = match (column, i) {
                ("backend", _) => config.to_owned(),
                ("n", _) => n.to_string(),
                ("ratio", _) => if config == "gc" { "1" } else { "2" }.to_owned(),
                (_, 1) => String::new(),
                _ => (11 - i).to_string(),
            };
            let text = match (column, config) {
                ("ratio", "gc") => "1".to_owned(),
                ("ratio", _) => "2.00 (1.90-2.10)".to_owned(),
                ("verdict", "gc") => "-".to_owned(),
                ("verdict", _) => "slower".to_owned(),
                _ => value.clone(),
            };
            format!("<td data-col=\"{column}\" data-value=\"{value}\">{text}</td>")
        });
        format!(
            "<tr data-config=\"{config}\" data-backend=\"{config}\" data-family=\"{family}\" data-n=\"{n}\">{}</tr>",
            cells.concat()
        )
    };
    let rows =
        [("gc", "tracing", 9), ("rc", "counting", 9), ("gc", "tracing", 8), ("rc", "counting", 8)];
    let rows: String = rows.into_iter().enumerate().map(row).collect();
    replaced(
        &replaced(page, "<thead><tr></tr>", &format!("<thead><tr>{}</tr>", heads.concat())),
        "<tbody></tbody>",
        &format!("<tbody>{rows}</tbody>"),
    )
}

fn replaced(page: &str, from: &str, to: &str) -> String {
    assert!(page.contains(from), "the page has no {from}");
    page.replacen(from, to, 1)
}

/// A visit to a page in a folder of its own, with a file beside it.
fn visit(browser: &Browser, folder: &Path, page: &str) -> Visit {
    let file = folder.join("index.html");
    fs::write(&file, page).unwrap();
    fs::write(folder.join("beside.txt"), "").unwrap();
    Visit::new(|| Ok(browser.clone()), &file).unwrap()
}

#[test]
fn each_fault_fails_the_check_that_is_meant_for_it() {
    let Some(program) = chromium::find().unwrap() else {
        println!("skipped: no Chromium");
        return;
    };
    let browser = chromium::launch(&program).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let sound = sound();
    let without_faults = visit(&browser, folder.path(), &sound);
    for check in CHECKS {
        assert_eq!(check.findings(&without_faults), [""; 0], "{}", check.name);
        assert!(FAULTS.iter().any(|(name, ..)| *name == check.name), "{}: no fault", check.name);
    }
    let missed = FAULTS.iter().filter(|(name, from, to)| {
        let check = CHECKS.iter().find(|check| check.name == *name).unwrap();
        let faulty = visit(&browser, folder.path(), &replaced(&sound, from, to));
        check.findings(&faulty).is_empty()
    });
    let missed: Vec<&Fault> = missed.collect();
    assert!(missed.is_empty(), "not found: {missed:#?}");
}
