//! What several conformance tests share.
#![allow(dead_code)] // each test file uses a part of it

pub mod fuzz;
pub mod grove;
pub mod heavy;
pub mod look;
pub mod model;
pub mod objects;
pub mod registers;
pub mod script;
pub mod tasks;

/// Does something on a thread whose stack has no room for a recursion along a chain.
pub fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(work);
    if let Err(panic) = thread.expect("a thread can be started").join() {
        std::panic::resume_unwind(panic);
    }
}
