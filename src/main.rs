//! The command; all of it is in the library.

fn main() -> std::process::ExitCode {
    rc_vs_gc::main()
}
