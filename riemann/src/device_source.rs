//! A solver's text for devices: the same formulas in CUDA C++.

/// The CUDA C++ of a solver, made from the same tokens as its Rust.
///
/// `body` goes between `struct Solver {` and `};`. It has one member of type `Real` per parameter, in order, then the
/// functions that [`crate::solver::Solver`] names, each `__device__ __forceinline__` and `const`. It relies on what is
/// defined before it: `Real`, `Array`, the constants `M`, `W`, `A`, the types `State`, `Aux`, `Normal`, `Transverse`,
/// `TransverseAux`, `Axis`, `Side`, and the functions `real_min`, `real_max`, `real_abs`, `real_sqrt` and `select`, with the
/// meaning of their namesakes in [`crate::real::Real`], `real_quotient` and `real_root` for what need not be rounded correctly; where it calls elementary functions, also on
/// [`crate::elementary::device_text`].
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceSource {
    /// Members and functions of `struct Solver`.
    pub body: String,
    /// Name and value of each parameter, in the order of the members.
    pub parameters: Vec<(&'static str, f64)>,
    /// Those of the parameters that change from step to step, whose values are not part of the text: it takes them from an array
    /// `reduced_parameters`, in this order.
    pub reduced: Vec<String>,
    /// Number of equations, `M`.
    pub equations: usize,
    /// Number of waves, `W`.
    pub waves: usize,
    /// Number of auxiliary values per cell, `A`.
    pub aux: usize,
    /// Waves decompose the flux difference instead of the jump in the state.
    pub fwaves: bool,
    /// There is a function `source`.
    pub has_source: bool,
    /// There is a function `boundary`.
    pub has_boundary: bool,
    /// There is a function `flag`.
    pub has_flag: bool,
    /// There is a function `least_positive`.
    pub has_positive: bool,
    /// There is a function `is_admissible`.
    pub has_admissible: bool,
    /// There are functions `to_transfer`, `from_transfer` and `transfer_weight`.
    pub has_transfer: bool,
    /// There are functions `steepness`, and `set_beside`, which tells the solver the steepest jump beside the face that `normal` solves next.
    pub looks_beside: bool,
}
