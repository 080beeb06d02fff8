//! How a child ended, and what it said last, in one line.

use std::process::ExitStatus;

/// Most characters of what the child said.
const SAID_CHARS: usize = 300;

/// Most lines of a panic's message: `assert_eq` has three.
const PANIC_LINES: usize = 3;

/// What precedes a list of functions, after the reason.
const BACKTRACE: &str = "stack backtrace:";

/// The exit code or signal, and the reason that the child gave: the message of
/// its panic, or else its last line.
pub fn why(ended: ExitStatus, errors: &[u8]) -> String {
    // The system writes "signal: 9 (SIGKILL)".
    let end = match ended.code() {
        Some(code) => format!("exit code {code}"),
        None => ended.to_string().replacen("signal: ", "killed by signal ", 1),
    };
    match said(errors) {
        said if said.is_empty() => end,
        said => format!("{end}: {said}"),
    }
}

/// The child's reason; empty if it gave none.
fn said(errors: &[u8]) -> String {
    let errors = String::from_utf8_lossy(errors);
    let mut lines: Vec<String> =
        errors.split(['\n', '\r']).map(plain).filter(|line| !line.is_empty()).collect();
    if let Some(end @ 1..) = lines.iter().position(|line| line == BACKTRACE) {
        lines.truncate(end);
    }
    // The first panic is the cause of any that follow.
    let panic = lines.iter().enumerate().find_map(|(place, line)| {
        let (_, at) = line.split_once(" panicked at ")?;
        let message = lines[place + 1..].iter().take_while(|line| !after_panic(line));
        let message: Vec<&str> = message.take(PANIC_LINES).map(String::as_str).collect();
        Some(format!("panicked at {at} {}", message.join(" ")))
    });
    let said = panic.or_else(|| lines.into_iter().rfind(|line| !line.starts_with("note:")));
    let mut said = said.unwrap_or_default().trim_end().to_owned();
    if let Some((end, _)) = said.char_indices().nth(SAID_CHARS) {
        said.truncate(end);
        said.push('…');
    }
    said
}

/// Whether this line follows a panic's message.
fn after_panic(line: &str) -> bool {
    ["note:", "thread "].iter().any(|start| line.starts_with(start))
}

/// A line without colours and other controls.
fn plain(line: &str) -> String {
    let line = console::strip_ansi_codes(line);
    let text: String = line.chars().map(|c| if c == '\t' { ' ' } else { c }).collect();
    text.chars().filter(|c| !c.is_control()).collect::<String>().trim().to_owned()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    fn killed(signal: i32, errors: &str) -> String {
        why(ExitStatus::from_raw(signal), errors.as_bytes())
    }

    fn exited(code: i32, errors: &str) -> String {
        why(ExitStatus::from_raw(code << 8), errors.as_bytes())
    }

    #[test]
    fn signals_have_their_names() {
        assert_eq!(killed(9, ""), "killed by signal 9 (SIGKILL)");
        let errors = "warning: x\n\nmemory allocation of 99 bytes failed\n";
        let text = "killed by signal 6 (SIGABRT): memory allocation of 99 bytes failed";
        assert_eq!(killed(6, errors), text);
        let traced = format!("{errors}stack backtrace:\n   0: main\nnote: more\n");
        assert_eq!(killed(6, &traced), text);
        assert!(killed(11 | 0x80, "").starts_with("killed by signal 11 (SIGSEGV)"));
    }

    #[test]
    fn a_panic_is_told_by_its_message() {
        let panic = "before\n\nthread 'main' (7) panicked at src/a.rs:1:2:\nno such cell\n\
                     note: run with `RUST_BACKTRACE=1` environment variable\n";
        assert_eq!(exited(101, panic), "exit code 101: panicked at src/a.rs:1:2: no such cell");
        let traced = "thread 'main' panicked at a.rs:1:2:\nassertion `left == right` failed\n  \
                      left: 1\n right: 2\nstack backtrace:\n   0: main\n\
                      thread 'main' panicked at b.rs:3:4:\nin a destructor\n";
        let text = "exit code 101: panicked at a.rs:1:2: \
                    assertion `left == right` failed left: 1 right: 2";
        assert_eq!(exited(101, traced), text);
        assert_eq!(
            exited(101, "thread 'main' panicked at a.rs:1:2:"),
            "exit code 101: panicked at a.rs:1:2:"
        );
    }

    #[test]
    fn otherwise_by_the_last_line() {
        assert_eq!(exited(3, ""), "exit code 3");
        assert_eq!(exited(1, "stack backtrace:\n 0: main\n"), "exit code 1: 0: main");
        assert_eq!(exited(1, "first\nlast\n \nnote: hint\n"), "exit code 1: last");
        assert_eq!(exited(1, "\u{1b}[31mred\u{1b}[0m\u{7}\tthing\r\n"), "exit code 1: red thing");
        let long = exited(1, &"é".repeat(1000));
        assert_eq!(long.chars().count(), "exit code 1: ".len() + SAID_CHARS + 1);
        assert!(long.ends_with('…'));
        assert_eq!(why(ExitStatus::from_raw(256), b"\xff\xfe"), "exit code 1: \u{fffd}\u{fffd}");
    }
}
