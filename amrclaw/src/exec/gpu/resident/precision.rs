//! An executor on a device is compiled once for both precisions.

use riemann::axis::Axis;
use riemann::patch::PatchSolver;
use riemann::real::Scalar;

/// Evaluates an expression with a type's name as `f64` or `f32`.
macro_rules! in_precision {
    ($precision:expr, $real:ident => $value:expr) => {
        match $precision {
            riemann::real::Precision::F64 => {
                type $real = f64;
                $value
            }
            riemann::real::Precision::F32 => {
                type $real = f32;
                $value
            }
        }
    };
}
pub(super) use in_precision;

/// What a solver says of itself, in whichever precision.
pub(super) struct SolverFacts {
    /// For each auxiliary value the axis whose lower face it lives on.
    pub aux_face: Vec<Option<Axis>>,
    pub has_source: bool,
    /// Some quantities must be positive.
    pub has_positive: bool,
    /// Some must not be negative in data.
    pub has_nonnegative: bool,
}

impl SolverFacts {
    pub fn of<R: Scalar>(solver: &dyn PatchSolver<R>) -> Self {
        SolverFacts {
            aux_face: solver.aux_face().to_vec(),
            has_source: solver.has_source(),
            has_positive: !solver.positive().is_empty(),
            has_nonnegative: !solver.nonnegative().is_empty(),
        }
    }
}
