//! Peers beside the study: the same program in other languages.

use super::{Group, Row, Summary, telling_n};
use crate::format::clean;
use crate::record::Peer;

/// The peer that others are held against, where the records have it: the collector of the claim that the
/// study tests.
pub(crate) const REFERENCE: &str = "ocaml";

impl Summary {
    /// The n that tells most of peers: that of the study if any of them is there, else as
    /// [`studied_n`](Self::studied_n) of peers alone. `None` where no peer has a row.
    pub fn peers_n(&self) -> Option<u32> {
        let rows = || self.rows.iter().filter(|row| self.group_of(row).peer.is_some());
        let studied = self.studied_n().filter(|n| rows().any(|row| row.n == *n));
        studied
            .or_else(|| telling_n(rows().filter(|row| row.time_ns.is_some())))
            .or(telling_n(rows()))
    }

    /// The rows of one n that peers are shown among: theirs and the study's.
    pub fn beside_peers(&self, n: u32) -> impl Iterator<Item = &Row> {
        let shown = |group: &Group| group.studied || group.peer.is_some();
        self.rows_at(n).filter(move |row| shown(self.group_of(row)))
    }

    /// What a row's time is shown over beside peers: that of [`REFERENCE`], else of the baseline, on the
    /// same machine and at the same n, if it has a time.
    pub(crate) fn reference_of(&self, row: &Row) -> Option<&Row> {
        let block = self.block(row);
        let here = || self.rows.iter().filter(move |other| self.block(other) == block);
        let named = |row: &&Row| self.group_of(row).is_reference() && row.time_ns.is_some();
        here().find(named).or_else(|| here().find(|row| self.is_baseline(row)))
    }
}

impl Group {
    /// Whether it is the peer that others are held against.
    pub(crate) fn is_reference(&self) -> bool {
        self.peer.is_some() && self.backend == REFERENCE
    }

    /// The language of a peer.
    pub fn language(&self) -> Option<&str> {
        self.peer
            .as_ref()
            .map(|peer| peer.language.as_str())
            .filter(|language| !language.is_empty())
    }
}

/// A peer whose texts are fit to be shown.
pub(super) fn fit(peer: &Peer) -> Peer {
    Peer {
        title: clean(&peer.title),
        language: clean(&peer.language),
        notes: peer.notes.iter().map(|note| clean(note)).collect(),
    }
}
