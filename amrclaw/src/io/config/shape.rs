//! What a case has to know of its solver.

/// Names and counts of a Riemann solver.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolverShape {
    /// Name, for messages.
    pub name: String,
    /// Number of space dimensions.
    pub dimension: usize,
    /// Name of each equation's quantity.
    pub equations: Vec<String>,
    /// Name of each auxiliary value.
    pub aux: Vec<String>,
    /// Number of waves.
    pub waves: usize,
    /// The solver's parameters.
    pub parameters: Vec<ParameterShape>,
    /// The solver has a source term of its own.
    pub has_source: bool,
    /// Per axis, whether the solver knows how to treat a solid wall.
    pub wall: [bool; 3],
}

/// A parameter of a solver.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterShape {
    /// Name.
    pub name: String,
    /// Value where the case file gives none; `None` if it has to.
    pub default: Option<f64>,
}

/// Why there is no solver for a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolverProblem {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}
