//! The checks: each asks one thing of a report, and lists what is wrong.

use crate::visit::Visit;
use anyhow::Result;

mod alternatives;
mod baseline;
mod console;
mod contrast;
mod drawings;
mod filter;
mod ids;
mod links;
mod network;
mod peers;
mod print;
mod scriptless;
mod sections;
mod sorting;
mod tooltip;
mod width;

/// What is wrong, each in a line; nothing where all is well.
pub type Findings = Vec<String>;

/// One check.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its name, one word.
    pub name: &'static str,
    /// What holds where it finds nothing.
    pub promise: &'static str,
    run: fn(&Visit) -> Result<Findings>,
}

impl Check {
    const fn new(
        name: &'static str,
        run: fn(&Visit) -> Result<Findings>,
        promise: &'static str,
    ) -> Self {
        Self { name, promise, run }
    }

    /// What is wrong. A check that could not be made is wrong too.
    pub fn findings(&self, visit: &Visit) -> Findings {
        (self.run)(visit).unwrap_or_else(|error| vec![format!("{error:#}")])
    }
}

/// All checks. The last two hear what the others made the page say, so they stay last.
pub const CHECKS: [Check; 16] = [
    Check::new("sections", sections::check, "every part is there, titled, and linked by <nav>"),
    Check::new("sorting", sorting::check, "each column sorts up and down, unknown values last"),
    Check::new("filter", filter::check, "the controls hide the right rows and count the rest"),
    Check::new("baseline", baseline::check, "another baseline changes every ratio, and back"),
    Check::new("peers", peers::check, "peers are in the main table, and not among the backends"),
    Check::new("tooltip", tooltip::check, "a mark under the mouse shows its text"),
    Check::new("width", width::check, "nothing is wider than a window of 360 px"),
    Check::new("drawings", drawings::check, "no two texts of a drawing overlap, none is cut off"),
    Check::new("links", links::check, "every link within the page and to files beside it leads on"),
    Check::new("ids", ids::check, "every id is unique, every reference to one has its target"),
    Check::new("alternatives", alternatives::check, "pictures, tables and controls have a name"),
    Check::new("scriptless", scriptless::check, "without JavaScript all is there, no dead control"),
    Check::new("contrast", contrast::check, "texts stand out 4.5:1 at least, dark and light"),
    Check::new("print", print::check, "paper is white, and has no controls"),
    Check::new("network", network::check, "nothing is asked for but the page itself"),
    Check::new("console", console::check, "no errors, no warnings, no exceptions"),
];
