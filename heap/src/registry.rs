//! The list of backends. Adding one: a file in `backends/`, its `mod` line
//! there, and a line here.

use crate::backends;
use crate::heap::Backend;
use crate::info::Info;

/// Something to do with a backend, whatever it is.
pub trait Visit {
    /// What doing it gives.
    type Out;
    /// Does it.
    fn visit<B: Backend>(self) -> Self::Out;
}

/// The description of the backend of this name, if there is one.
pub fn find(name: &str) -> Option<&'static Info> {
    BACKENDS.iter().find(|info| info.name == name)
}

/// Makes the list and the dispatch from one line per backend.
macro_rules! registry {
    ($($module:ident :: $backend:ident),+ $(,)?) => {
        /// Every backend's description, in the order of the registry.
        pub const BACKENDS: &[Info] =
            &[$(<backends::$module::$backend as Backend>::INFO),+];

        /// Does `visitor` with the backend of this name; `None` if there is none.
        pub fn visit<V: Visit>(name: &str, visitor: V) -> Option<V::Out> {
            $(
                if name == <backends::$module::$backend as Backend>::INFO.name {
                    return Some(visitor.visit::<backends::$module::$backend>());
                }
            )+
            None
        }
    };
}

registry! {
    leak::Leak,
    stack::Stack,
    malloc::Malloc,
    region::Region,
    region_sweep::RegionSweep,
    rc::Rc,
    rc_value::RcValue,
    rc_split::RcSplit,
    arc::Arc,
    arc_value::ArcValue,
    arc_split::ArcSplit,
    fused::Fused,
    fused_value::FusedValue,
    gc::Gc,
    semispace::Semispace,
    mark_sweep::MarkSweep,
    gc_arena::GcArena,
}
