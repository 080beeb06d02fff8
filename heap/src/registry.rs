//! The list of backends. Adding one: a file in `backends/`, its `mod` line
//! there, and a line here.

use crate::backends;
#[cfg(feature = "fakes")]
use crate::fakes;
use crate::heap::Backend;
use crate::info::Info;

/// Something to do with a backend, whatever it is.
pub trait Visit {
    /// What doing it gives.
    type Out;
    /// Does it.
    fn visit<B: Backend>(self) -> Self::Out;
}

/// Makes the list and the dispatch from one line per backend.
macro_rules! registry {
    ($($module:ident :: $backend:ident),+ $(,)?) => {
        /// Every backend's description, in the order of the registry.
        pub const BACKENDS: &[Info] =
            &[$(<backends::$module::$backend as Backend>::INFO),+];

        /// Does `visitor` with the backend of this name, one of the list or one
        /// that [`find`] finds besides; `None` if there is none.
        pub fn visit<V: Visit>(name: &str, visitor: V) -> Option<V::Out> {
            $(
                if name == <backends::$module::$backend as Backend>::INFO.name {
                    return Some(visitor.visit::<backends::$module::$backend>());
                }
            )+
            #[cfg(feature = "fakes")]
            return fakes::visit(name, visitor);
            #[cfg(not(feature = "fakes"))]
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
    region_local::RegionLocal,
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

/// The description of the backend of this name: one of [`BACKENDS`] or, where
/// the feature `fakes` is on, a backend made for tests of the harness.
pub fn find(name: &str) -> Option<&'static Info> {
    let all = BACKENDS.iter();
    #[cfg(feature = "fakes")]
    let all = all.chain(fakes::FAKES);
    all.into_iter().find(|info| info.name == name)
}
