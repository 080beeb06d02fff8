//! The command; all of it is in the library.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    rc_vs_gc::main()
}
