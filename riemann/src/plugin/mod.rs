//! Solvers that are loaded at run time.
//!
//! A plugin is a shared library with one entry, `riemann_plugin`, which [`crate::plugin!`] writes. The entry returns a
//! [`Table`]: for each number of dimensions that the solver has what it is, how to make one from the values of its
//! parameters, and its kernels in both precisions.
//! All of it is plain C: structs in `repr(C)`, functions that take pointers to whole tiles, lists of faces or rows of
//! cells and return a [`Status`]. A panic ends inside the plugin and is reported by the status.
//!
//! The table begins with a mark, [`ABI_VERSION`] and a sum over the layouts of all structs that are exchanged. A program
//! reads nothing more of a table where these are not its own. The same stands in a constant of the library, the
//! [`Statement`], which a program can read in the file before it lets the library run any code.

mod abi;
mod describe;
mod export;
#[cfg(feature = "catalogue")]
mod import;
mod panic;
mod statement;

pub use abi::{
    ABI_VERSION, Description, Entries, FaceCall, Form, GhostCall, Header, List, Object, Parameter, Row, Sink, Status,
    Table, Text,
};
pub use export::{DOUBLE, SINGLE, form, report_panics_by_status, table};
#[cfg(feature = "catalogue")]
pub use import::{Hooks, Instance, LoadError, Plugin, PluginForm, Running, running, running_here};

pub use statement::{STATEMENT, Statement};

/// Name of the function that a plugin exports.
pub const ENTRY: &str = "riemann_plugin";

/// Makes the crate a plugin: exports the entry for a solver, which implements [`crate::solver::Solver`] and
/// [`crate::solver::Described`]. A solver in several numbers of dimensions is named once for each:
/// `riemann::plugin!(Sound<1>, Sound<2>, Sound<3>)`.
///
/// Kernels are compiled in both precisions; `riemann::plugin!(f32: Sound<1>)` and `riemann::plugin!(f64: Sound<1>)` compile those of one.
///
/// The crate's type is `cdylib`. `RIEMANN_TOOLCHAIN` in the environment of the compiler says in messages what built it.
#[macro_export]
macro_rules! plugin {
    ($($solver:ty),+ $(,)?) => {
        $crate::plugin!({ $crate::plugin::DOUBLE | $crate::plugin::SINGLE }: $($solver),+);
    };
    (f64: $($solver:ty),+ $(,)?) => { $crate::plugin!({ $crate::plugin::DOUBLE }: $($solver),+); };
    (f32: $($solver:ty),+ $(,)?) => { $crate::plugin!({ $crate::plugin::SINGLE }: $($solver),+); };
    ($precisions:block: $($solver:ty),+) => {
        $crate::plugin_of_forms!($($crate::plugin::form::<$solver, _, _, _, $precisions>()),+);
    };
}

/// Makes the crate a plugin, as [`plugin!`] does, for a solver in two or three dimensions that knows no directions, in the frames of mapped
/// faces. The solver was made by [`macro@crate::solver`].
#[macro_export]
macro_rules! mapped_plugin {
    (f64: $solver:ty) => { $crate::mapped_plugin!({ $crate::plugin::DOUBLE }: $solver); };
    (f32: $solver:ty) => { $crate::mapped_plugin!({ $crate::plugin::SINGLE }: $solver); };
    ($precisions:block: $solver:ty) => {
        $crate::plugin_of_forms!($crate::plugin::form::<
            $crate::frame::FaceFrame<$solver, { <$solver>::SHAPE[2] }>,
            { <$solver>::SHAPE[0] },
            { <$solver>::SHAPE[1] },
            {
                <$solver>::SHAPE[2]
                    + $crate::frame::geometry(
                        <$solver as $crate::solver::Solver<
                            { <$solver>::SHAPE[0] },
                            { <$solver>::SHAPE[1] },
                            { <$solver>::SHAPE[2] },
                        >>::DIM,
                    )
                    .len()
            },
            $precisions,
        >());
    };
}

/// The static and the function that a plugin exports.
#[doc(hidden)]
#[macro_export]
macro_rules! plugin_of_forms {
    ($($form:expr),+) => {
        /// The library's statement, read in its file before it is loaded.
        #[unsafe(no_mangle)]
        pub static RIEMANN_PLUGIN: $crate::plugin::Statement =
            $crate::plugin::Statement::new(match option_env!("RIEMANN_TOOLCHAIN") {
                Some(toolchain) => toolchain,
                None => "an unnamed compiler",
            });

        /// The plugin's entry.
        #[unsafe(no_mangle)]
        pub extern "C" fn riemann_plugin() -> *const $crate::plugin::Table {
            static TABLE: ::std::sync::OnceLock<$crate::plugin::Table> = ::std::sync::OnceLock::new();
            TABLE.get_or_init(|| {
                $crate::plugin::report_panics_by_status();
                $crate::plugin::table(
                    option_env!("RIEMANN_TOOLCHAIN").unwrap_or("an unnamed compiler"),
                    ::std::vec![$($form),+],
                )
            })
        }
    };
}
