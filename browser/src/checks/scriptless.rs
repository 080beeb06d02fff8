//! The page of a reader without JavaScript.

use super::Findings;
use crate::page::Setup;
use crate::visit::Visit;
use anyhow::Result;

pub(super) fn check(visit: &Visit) -> Result<Findings> {
    visit.open(Setup::SCRIPTLESS)?.ask(include_str!("scriptless.js"))
}
