//! What a case needs to know about its solver.

use riemann::axis::Axis;
use riemann::catalogue::{ParameterCheck, SolverInfo};
use riemann::group::{Group, GroupKind, reflects};

/// Names and counts of a Riemann solver.
#[derive(Clone, Debug, PartialEq)]
pub struct SolverShape {
    /// Name, for messages.
    pub name: String,
    /// Number of space dimensions.
    pub dimension: usize,
    /// Name of each equation's quantity.
    pub equations: Vec<String>,
    /// Name of each auxiliary value.
    pub aux: Vec<String>,
    /// The quantities that must be positive in every state.
    pub positive: Vec<String>,
    /// Number of waves.
    pub waves: usize,
    /// Waves are parts of the flux, not of the jump.
    pub fwaves: bool,
    /// The solver's parameters.
    pub parameters: Vec<ParameterShape>,
    /// The solver splits fluctuations transversely.
    pub has_transverse: bool,
    /// The solver has a source term of its own.
    pub has_source: bool,
    /// Its source or its boundary values change with time.
    pub of_time: bool,
    /// Vectors, tensors and pseudo-scalars among the equations' quantities.
    pub groups: Vec<Group>,
    /// The auxiliary values of cells that are not scalars.
    pub aux_groups: Vec<Group>,
    /// The equations depend on the direction.
    pub directions: bool,
    /// What happens at a face depends on the jumps beside it.
    pub looks_beside: bool,
    /// The solver's functions of position.
    pub formulas: SolverFormulas,
}

impl SolverShape {
    /// True if some quantities are of this kind.
    pub(super) fn has(&self, kind: GroupKind) -> bool {
        self.groups.iter().any(|group| group.kind == kind)
    }

    /// True if some quantities or auxiliary values have directions: vectors or tensors.
    pub(super) fn has_directed(&self) -> bool {
        self.groups.iter().chain(&self.aux_groups).any(|group| group.kind != GroupKind::PseudoScalar)
    }

    /// True if a mirror normal to `axis` changes something: else there can be no walls.
    pub(super) fn reflects(&self, axis: Axis) -> bool {
        [&self.groups, &self.aux_groups].iter().any(|groups| reflects(groups, self.dimension, axis))
    }

    /// A constant that suits an equation or auxiliary value: `"1"` for what must be positive, else `"0"`.
    pub(super) fn example_of(&self, name: &str) -> &'static str {
        let is_component = |name: &String| self.equations.contains(name) || self.aux.contains(name);
        let equation = self.equations.iter().position(|equation| equation == name);
        let in_group = |m| self.groups.iter().any(|group| group.components(self.dimension).contains(&m));
        let in_vector = equation.is_some_and(in_group);
        // A quantity such as the pressure of a gas is computed from several equations.
        let of_several = equation.is_some() && !in_vector && !self.positive.iter().all(is_component);
        if of_several || self.positive.iter().any(|positive| positive == name) { "1" } else { "0" }
    }
}

/// A solver's functions of position and quantities as formulas; empty if the solver lacks the function, or it cannot be a formula. In
/// them `{name}` stands for a parameter: see [`SolverFormulas::with_parameters`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolverFormulas {
    /// Initial data, one for each equation.
    pub initial: Vec<String>,
    /// Auxiliary values.
    pub aux: Vec<String>,
    /// Physical coordinates as functions of the computational ones.
    pub mapping: Vec<String>,
    /// Further quantities by name, over the names of equations and auxiliary values.
    pub quantities: Vec<(String, String)>,
    /// The names of the primitive variables.
    pub primitive: Vec<String>,
    /// The equations' quantities over these and the names of auxiliary values.
    pub conserved: Vec<String>,
}

impl SolverFormulas {
    /// The formulas with the values of parameters in place of their names.
    pub fn with_parameters(&self, values: &[(String, f64)]) -> SolverFormulas {
        let put = |formula: &String| {
            values.iter().fold(formula.clone(), |text, (name, value)| {
                text.replace(&format!("{{{name}}}"), &format!("({value:?})"))
            })
        };
        let all = |formulas: &[String]| formulas.iter().map(put).collect();
        SolverFormulas {
            initial: all(&self.initial),
            aux: all(&self.aux),
            mapping: all(&self.mapping),
            quantities: self.quantities.iter().map(|(name, formula)| (name.clone(), put(formula))).collect(),
            primitive: self.primitive.clone(),
            conserved: all(&self.conserved),
        }
    }
}

/// A parameter of a solver.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterShape {
    /// Name.
    pub name: String,
    /// Meaning, in a few words.
    pub about: String,
    /// Value if the case file gives none; `None` if the case file must give one.
    pub default: Option<f64>,
    /// Which values are possible.
    pub check: ParameterCheck,
}

impl From<&SolverInfo> for SolverShape {
    fn from(info: &SolverInfo) -> Self {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_string()).collect();
        let parameters = info.parameters.iter().map(|p| ParameterShape {
            name: p.name.to_string(),
            about: p.about.to_string(),
            default: p.default,
            check: p.check,
        });
        // Primitive variables are known by name too.
        let of_equations = |(name, _): &&(&str, &str)| info.equations.contains(name);
        let primitive = info.formulas.primitive.iter().filter(|pair| !of_equations(pair));
        let quantities = info.formulas.quantities.iter().chain(primitive);
        SolverShape {
            name: info.name.to_string(),
            dimension: info.dim,
            equations: owned(info.equations),
            aux: owned(info.aux),
            positive: owned(info.positive),
            waves: info.waves,
            fwaves: info.fwaves,
            parameters: parameters.collect(),
            has_transverse: info.has_transverse,
            has_source: info.has_source,
            of_time: info.of_time,
            groups: info.groups.to_vec(),
            aux_groups: info.aux_groups.to_vec(),
            directions: info.directions,
            looks_beside: info.looks_beside,
            formulas: SolverFormulas {
                initial: owned(info.formulas.initial),
                aux: owned(info.formulas.aux_values),
                mapping: owned(info.formulas.mapping),
                quantities: quantities.map(|&(name, text)| (name.into(), text.into())).collect(),
                primitive: info.formulas.primitive.iter().map(|&(name, _)| name.into()).collect(),
                conserved: owned(info.formulas.conserved),
            },
        }
    }
}

/// Why there is no solver for a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSolver {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}
