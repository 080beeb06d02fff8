//! What threads do, in words.

/// What the threads of a sample do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Each solves the whole problem, on a heap of its own.
    Throughput,
    /// One search together; the lists that a task refers to are copied.
    Split,
    /// One search together; how tasks share lists is a parameter.
    Shared,
    /// One that this version does not know.
    Other(String),
    /// The records do not say it.
    Unnamed,
}

impl Mode {
    /// The modes that this version knows, by the names that records have for them.
    pub const NAMES: [&'static str; 3] = ["throughput", "split", "shared"];

    /// Of a record's parameter.
    pub fn new(name: Option<&str>) -> Self {
        match name {
            Some("throughput") => Self::Throughput,
            Some("split") => Self::Split,
            Some("shared") => Self::Shared,
            Some(other) => Self::Other(other.to_owned()),
            None => Self::Unnamed,
        }
    }

    /// The name that records have for it; empty where they have none.
    pub fn name(&self) -> &str {
        match self {
            Self::Throughput => "throughput",
            Self::Split => "split",
            Self::Shared => "shared",
            Self::Other(name) => name,
            Self::Unnamed => "",
        }
    }

    /// Whether each thread does the whole work, so that twice the threads do twice the work.
    pub fn side_by_side(&self) -> bool {
        *self == Self::Throughput
    }

    /// A heading: `Throughput`, `One search, split`.
    pub fn title(&self) -> String {
        match self {
            Self::Throughput => "Throughput".to_owned(),
            Self::Split => "One search, split".to_owned(),
            Self::Shared => "One search, shared lists".to_owned(),
            Self::Other(name) => format!("Mode {name}"),
            Self::Unnamed => "Several threads".to_owned(),
        }
    }

    /// Whether one search is split into tasks.
    pub fn has_tasks(&self) -> bool {
        matches!(self, Self::Split | Self::Shared)
    }

    /// What the processor times are, after a word for them.
    pub fn cpu_time(&self) -> String {
        let tasks = if self.has_tasks() { " and looking for tasks" } else { "" };
        format!(
            "that of the process from when the threads are woken to when all are done, so it includes \
             waking them{tasks}"
        )
    }

    /// What the threads do, split at a depth where it is known.
    pub fn about(&self, depth: Option<&str>) -> String {
        let levels = match depth {
            None => "first levels".to_owned(),
            Some("1") => "first level".to_owned(),
            Some(depth) => format!("first {depth} levels"),
        };
        match self {
            Self::Throughput => {
                "each thread solves the whole problem on a heap of its own; a time \
                is that of as many searches as there are threads"
                    .to_owned()
            }
            Self::Split => format!(
                "one search, whose {levels} are split into tasks that idle threads steal; the lists \
                 that a task refers to are copied into the heap of the thread that does it"
            ),
            Self::Shared => format!(
                "one search, whose {levels} are split into tasks that idle threads steal; the lists \
                 that tasks refer to are counted (shared, their counts atomic), copied for each task, \
                 or immortal (shared, neither counted nor collected)"
            ),
            Self::Other(_) | Self::Unnamed => "the threads share one search".to_owned(),
        }
    }
}
