//! Checks of the report's page as a reader's browser shows it: headless Chromium opens the file, and
//! each check asks one thing of it.
//!
//! | module | one idea |
//! |---|---|
//! | [`chromium`] | the browser, where one is installed |
//! | [`visit`] | one report, opened as often as the checks need it, and all that was heard meanwhile |
//! | [`page`] | one opened page: scripts ask it, the mouse touches it |
//! | [`checks`] | the list of checks, each in a file of its own |
//! | [`screenshots`] | pictures of the page, to be looked at |

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod checks;
pub mod chromium;
pub mod page;
pub mod screenshots;
pub mod visit;

pub use checks::{CHECKS, Check};
pub use page::{Page, Setup};
pub use visit::Visit;
