//! The README's table of memory managers is printed from the registry.
//! After a change: `UPDATE_README=1 cargo test --test readme`.
#![forbid(unsafe_code)]

use std::fmt::Write;

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
const START: &str = "<!-- backends -->\n";
const END: &str = "<!-- /backends -->";

fn table() -> String {
    let mut text = String::from(
        "| name | kind | what it is | memory returns | moves | cycles | header | cell |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for info in heap::BACKENDS {
        let word = |yes| if yes { "yes" } else { "no" };
        let name =
            format!("[`{0}`](heap/src/backends/{1}.rs)", info.name, info.name.replace('-', "_"));
        let star = if info.problem_specific { " (problem-specific)" } else { "" };
        writeln!(
            text,
            "| {name}{star} | {} | {} | {} | {} | {} | {} B | {} B |",
            info.kind.name(),
            info.about,
            info.returns,
            word(info.moves),
            word(info.cycles),
            info.header_bytes,
            info.cell_bytes
        )
        .expect("a string takes any text");
    }
    text
}

#[test]
fn the_table_of_memory_managers_is_the_registry() {
    let readme = std::fs::read_to_string(README).expect("README.md");
    let start = readme.find(START).expect("the start marker") + START.len();
    let end = readme[start..].find(END).expect("the end marker") + start;
    if std::env::var_os("UPDATE_README").is_some() {
        let updated = format!("{}{}{}", &readme[..start], table(), &readme[end..]);
        std::fs::write(README, updated).expect("README.md can be written");
        return;
    }
    assert_eq!(&readme[start..end], table(), "run: UPDATE_README=1 cargo test --test readme");
}

#[test]
fn each_memory_manager_has_its_file() {
    for info in heap::BACKENDS {
        let file = format!("heap/src/backends/{}.rs", info.name.replace('-', "_"));
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(&file);
        assert!(path.is_file(), "{file}");
    }
}
