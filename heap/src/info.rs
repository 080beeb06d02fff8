//! What a backend says about itself: the source of the README table, of
//! `list`, of the report's legend and of the checks on settings.

/// The kind of memory management.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reclaims nothing.
    None,
    /// The program says when memory dies, object by object or scope by scope.
    Manual,
    /// The program says when memory dies; a region recycles it.
    Region,
    /// Each reference is counted.
    ReferenceCounting,
    /// Unreachable objects are found by tracing.
    Tracing,
}

impl Kind {
    /// The kind in words, as records and reports name it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::None => "none",
            Kind::Manual => "manual",
            Kind::Region => "region",
            Kind::ReferenceCounting => "reference counting",
            Kind::Tracing => "tracing",
        }
    }
}

/// A backend's description and capabilities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Info {
    /// Name on the command line and in records.
    pub name: &'static str,
    /// Kind of memory management.
    pub kind: Kind,
    /// One sentence: what it is.
    pub about: &'static str,
    /// When memory returns, in a few words.
    pub returns: &'static str,
    /// Whether objects move.
    pub moves: bool,
    /// Whether unreachable cycles are reclaimed before the heap ends.
    pub cycles: bool,
    /// Whether young objects are collected apart from old ones.
    pub generational: bool,
    /// Whether garbage is reclaimed at all before the heap ends.
    pub reclaims: bool,
    /// Whether allocation itself relies on last-in, first-out lifetimes, so that
    /// no program without them could use it. Heaps that free what the program
    /// names, in any order, are manual but not problem-specific.
    pub problem_specific: bool,
    /// Bytes per object beyond its fields (allocator's own excluded).
    pub header_bytes: u32,
    /// Bytes of one n-queens cell (two 32-bit coordinates and a reference),
    /// header included.
    pub cell_bytes: u32,
    /// Parameters besides the heap limit, which every backend has.
    pub params: &'static [Param],
}

/// A tunable parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param {
    /// Name, after the backend's name and a dot on the command line.
    pub name: &'static str,
    /// Which values are right.
    pub unit: Unit,
    /// Default, in the same notation as on the command line.
    pub default: &'static str,
    /// One sentence: what it does.
    pub about: &'static str,
}

/// The values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unit {
    /// A size such as `256KiB`, between the two bounds, in bytes.
    Bytes(usize, usize),
    /// A number such as `2.0`, between the two bounds.
    Factor(f64, f64),
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// The `append` parameter of heaps that can build a chain with and without a branch.
pub const APPEND: Param = Param {
    name: "append",
    unit: Unit::Choice(&["speculate", "branch"]),
    default: "speculate",
    about: "build filtered chains without a branch (write always, advance if kept), or with one",
};

/// The `growth` parameter of heaps whose collections follow what lives.
pub const GROWTH: Param = Param {
    name: "growth",
    unit: Unit::Factor(1.1, 16.0),
    default: "2.0",
    about: "a collection starts when the heap has grown by this factor",
};

/// What an allocator or a pointer of the allocation studies says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brief {
    /// Name on the command line and in records.
    pub name: &'static str,
    /// Kind of memory management.
    pub kind: Kind,
    /// One sentence: what it is.
    pub about: &'static str,
    /// When memory returns, in a few words.
    pub returns: &'static str,
}
