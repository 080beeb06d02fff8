//! The templates, the style and the script, and what a browser may do with them.

use data_encoding::BASE64;
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, Value, context};
use sha2::{Digest, Sha256};

use super::view::Page;

/// The page, and the parts that it includes.
const TEMPLATES: [(&str, &str); 13] = [
    ("report.html", include_str!("../../templates/report.html")),
    ("answer.html", include_str!("../../templates/answer.html")),
    ("charts.html", include_str!("../../templates/charts.html")),
    ("figure.html", include_str!("../../templates/figure.html")),
    ("table.html", include_str!("../../templates/table.html")),
    ("threads.html", include_str!("../../templates/threads.html")),
    ("peers.html", include_str!("../../templates/peers.html")),
    ("studies.html", include_str!("../../templates/studies.html")),
    ("claims.html", include_str!("../../templates/claims.html")),
    ("numbers.html", include_str!("../../templates/numbers.html")),
    ("backends.html", include_str!("../../templates/backends.html")),
    ("method.html", include_str!("../../templates/method.html")),
    ("machine.html", include_str!("../../templates/machine.html")),
];
const STYLE: &str = include_str!("../../templates/report.css");
const SCRIPT: &str = include_str!("../../templates/report.js");

/// The page as text.
pub(super) fn render(page: Page) -> Result<String, Error> {
    let mut environment = Environment::new();
    // By name is the default; said outright, because names in records may be hostile.
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let mut syntax = SyntaxConfig::builder();
    environment.set_syntax(syntax.trim_blocks(true).lstrip_blocks(true).build()?);
    for (name, template) in TEMPLATES {
        environment.add_template(name, template)?;
    }
    let style = format!("{STYLE}{}", page.chips);
    environment.get_template("report.html")?.render(context! {
        policy => policy(&style, SCRIPT),
        style => Value::from_safe_string(style),
        script => Value::from_safe_string(SCRIPT.to_owned()),
        ..page.parts
    })
}

/// What the page may do: nothing but this style and this script. Should a name of a record ever get
/// past the escaping, a browser would still not run it.
fn policy(style: &str, script: &str) -> String {
    let hash = |text: &str| BASE64.encode(&Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; \
         form-action 'none'",
        hash(style),
        hash(script)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_short_and_strict() {
        let lines = SCRIPT.lines().count();
        assert!(lines < 300, "{lines} lines");
        assert!(SCRIPT.contains("\"use strict\""));
        for wrong in ["eval(", "innerHTML", "document.write", "fetch(", "import ", "http"] {
            assert!(!SCRIPT.contains(wrong), "{wrong}");
        }
        // Neither may end the element that it stands in.
        assert!(!SCRIPT.contains("</") && !STYLE.contains("</") && !STYLE.contains("url("));
    }

    #[test]
    fn templates_run_nothing_inline() {
        for (name, template) in TEMPLATES {
            for wrong in [" style=\"", " onclick", " onload", "javascript:", "| safe"] {
                assert!(!template.contains(wrong), "{name}: {wrong}");
            }
        }
    }

    #[test]
    fn the_policy_names_the_hash_of_the_text() {
        // Of the empty text, as everyone knows it.
        let empty = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
        let policy = policy("", "x");
        assert!(policy.contains(&format!("style-src 'sha256-{empty}'")), "{policy}");
        assert!(!policy.contains(&format!("script-src 'sha256-{empty}'")));
    }
}
