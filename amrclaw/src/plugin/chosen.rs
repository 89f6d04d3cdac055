//! The solver that a case asks for, built in or from a file.

use super::functions::{AuxValues, Boundary, Flag, Initial};
use super::source::{Mesh, Wanted};
use super::{PluginError, built_in, load, load_for, load_with, log_compilation};
use crate::case::{Case, CaseErrors, NoSolver, SolverChoice, SolverFrom, SolverShape, find_built_in};
use crate::physics::{CellFunction, UserFunctions};
use riemann::catalogue;
use riemann::patch::SolverKernels;
use riemann::plugin::{DOUBLE, Hooks, Instance, SINGLE};
use riemann::real::Precision;
use riemann::solver::{Described, Solver};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The solver that a case asks for, built in or from a file; a finder for [`Case::load_with`].
///
/// # Errors
/// There is no such solver.
pub fn find_solver(choice: &SolverChoice) -> Result<SolverShape, NoSolver> {
    find_solver_with(choice, log_compilation)
}

/// As [`find_solver`]; `announce` is called with the name of a file before it is compiled.
///
/// # Errors
/// There is no such solver.
pub fn find_solver_with(choice: &SolverChoice, announce: impl FnOnce(&Path)) -> Result<SolverShape, NoSolver> {
    let SolverFrom::Path(path) = &choice.from else { return find_built_in(choice) };
    let plugin = load_with(path, || announce(path))?;
    // If the plugin has no form for the mesh's dimension, the one with most dimensions.
    Ok(SolverShape::from(plugin.form(choice.dimension.unwrap_or(2)).info()))
}

impl From<PluginError> for NoSolver {
    fn from(error: PluginError) -> Self {
        NoSolver { message: error.to_string(), help: error.help().to_owned() }
    }
}

/// Values of the parameters, in the solver's order.
pub(crate) fn values_of(case: &Case, shape: &SolverShape) -> Vec<f64> {
    let given = &case.solver.parameters;
    shape.parameters.iter().map(|p| given.get(&p.name).copied().or(p.default).unwrap_or(f64::NAN)).collect()
}

/// The kernels of a built-in solver: this build's, or those compiled from the sources that the program has with it.
fn built_in_kernels(case: &Case, shape: &SolverShape, wanted: Wanted) -> Result<SolverKernels, CaseErrors> {
    let (name, dim, given) = (&shape.name, case.dimension(), &case.solver.parameters);
    let kernels = match wanted.mesh {
        Mesh::Straight => catalogue::kernels(name, dim, given),
        Mesh::Mapped(_) => catalogue::mapped_kernels(name, dim, given),
    };
    let kernels = kernels.map_err(|e| case.error("solver", e.to_string(), "see the solver's parameters"))?;
    let has = |kernels: &SolverKernels| wanted.precision == Precision::F64 || kernels.single.is_some();
    if let Some(kernels) = kernels.filter(has) {
        return Ok(kernels);
    }
    let wrong = |error: PluginError| {
        let missing =
            format!("this program was built without these kernels of `{name}`, which cannot be compiled here");
        let help = "install Rust, or run `amrclaw solver prepare CASE.toml` where it is, with the same cache folder, or build \
                    with `--features all-kernels`";
        case.error("solver.name", format!("{missing}: {error}"), help)
    };
    let info = catalogue::find(name, dim).expect("checked: there is such a solver");
    let (mesh, precision) = (wanted.mesh.name(), wanted.precision.name());
    let announce = || tracing::info!(solver = name, mesh, precision, "compiling the solver's kernels");
    Ok(built_in::load(info, wanted, &values_of(case, shape), announce).map_err(wrong)?.kernels())
}

/// A case's solver, ready to compute.
#[derive(Clone)]
pub struct ChosenSolver {
    /// Names and counts.
    pub shape: SolverShape,
    /// The kernels in both precisions.
    pub kernels: SolverKernels,
    /// The plugin's solver, and which functions it has.
    pub(super) plugin: Option<(Instance, Hooks)>,
    /// The cached library that it comes from.
    pub(super) library: Option<PathBuf>,
}

impl ChosenSolver {
    /// The solver of a case.
    ///
    /// # Errors
    /// The solver has changed since the case was checked against it, or it cannot be created.
    pub fn of(case: &Case, precision: Precision) -> Result<Self, CaseErrors> {
        let checked = |key: &str, shape: SolverShape| match shape == *case.shape() {
            true => Ok(shape),
            false => Err(case.error(key, "has changed since the case was checked against it", "read the case again")),
        };
        let mesh = if case.solves_in_frames() { Mesh::Mapped(case.dimension()) } else { Mesh::Straight };
        match &case.solver.from {
            SolverFrom::Name(_) => {
                let shape = find_built_in(&case.solver).map_err(|p| case.error("solver.name", p.message, p.help))?;
                let shape = checked("solver.name", shape)?;
                let kernels = built_in_kernels(case, &shape, Wanted { mesh, precision })?;
                Ok(ChosenSolver { shape, kernels, plugin: None, library: None })
            }
            SolverFrom::Path(path) => {
                let wrong = |error: PluginError| case.error("solver.path", error.to_string(), error.help());
                let (plugin, library) = load(path).map_err(wrong)?;
                let plugin = plugin.form(case.dimension());
                let shape = checked("solver.path", SolverShape::from(plugin.info()))?;
                let values = values_of(case, &shape);
                let unfit = |source| wrong(PluginError::Unfit { path: path.clone(), source });
                let instance = plugin.create(&values).map_err(unfit)?;
                let wanted = Wanted { mesh, precision };
                let kernels = if wanted == Wanted::DEFAULT {
                    instance.kernels()
                } else {
                    let plugin = load_for(path, wanted).map_err(wrong)?.form(case.dimension());
                    plugin.create(&values).map_err(unfit)?.kernels()
                };
                Ok(ChosenSolver { shape, kernels, plugin: Some((instance, plugin.hooks())), library })
            }
        }
    }

    /// A solver defined in the program itself. Its parameters are fields of the solver, not of the case.
    pub fn own<S, const M: usize, const W: usize, const A: usize>(solver: S) -> Self
    where
        S: Solver<M, W, A> + Described,
    {
        Self::own_in::<S, M, W, A, { DOUBLE | SINGLE }>(solver)
    }

    /// The same for runs in `f64` alone: half as much to compile.
    pub fn own_in_double<S, const M: usize, const W: usize, const A: usize>(solver: S) -> Self
    where
        S: Solver<M, W, A> + Described,
    {
        Self::own_in::<S, M, W, A, DOUBLE>(solver)
    }

    fn own_in<S, const M: usize, const W: usize, const A: usize, const PRECISIONS: u8>(solver: S) -> Self
    where
        S: Solver<M, W, A> + Described,
    {
        let values = solver.device_source().map_or(Vec::new(), |source| source.parameters);
        let values: Vec<_> = values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let (instance, plugin) = Instance::own::<S, M, W, A, PRECISIONS>(solver);
        let described = SolverShape::from(plugin.info());
        let formulas = described.formulas.with_parameters(&values);
        let shape = SolverShape { parameters: Vec::new(), formulas, ..described };
        ChosenSolver { shape, kernels: instance.kernels(), plugin: Some((instance, plugin.hooks())), library: None }
    }

    /// Kernels of a solver without description, defined in the program itself.
    pub fn of_kernels(shape: SolverShape, kernels: SolverKernels) -> Self {
        ChosenSolver { shape, kernels, plugin: None, library: None }
    }

    /// Gives the solver's parameters other values, in its order, on the host; false if it cannot have others.
    ///
    /// # Safety
    /// Nobody uses the solver, its kernels or its functions meanwhile.
    pub unsafe fn set_parameters(&self, values: &[f64]) -> bool {
        let SolverKernels { double, single } = &self.kernels;
        // SAFETY: the caller's promise is handed on.
        unsafe {
            double.set_parameters(values)
                && single.as_ref().is_none_or(|single| single.set_parameters(values))
                && self.plugin.as_ref().is_none_or(|(instance, _)| instance.set_parameters(values))
        }
    }

    /// The solver's own functions, as formulas if possible. `aux`: auxiliary values that replace the solver's.
    pub fn functions<const D: usize>(&self, case: &Case, aux: Option<Arc<dyn CellFunction<D>>>) -> UserFunctions<D> {
        let Some((solver, hooks)) = &self.plugin else { return UserFunctions::default() };
        let (num_eqn, num_aux) = (self.shape.equations.len(), self.shape.aux.len());
        // Initial data and auxiliary values are those of the parameters' first values.
        let lasting = if case.reduce.is_empty() { solver.clone() } else { solver.again() };
        let own = || match case.cells_of_solver(|formulas| &formulas.aux) {
            Some(cells) => Some(Arc::new(cells) as _),
            None => hooks.aux.then(|| Arc::new(AuxValues { solver: lasting.clone(), num_aux }) as _),
        };
        let aux = aux.or_else(own);
        let initial = match case.cells_of_solver(|formulas| &formulas.initial) {
            Some(cells) => Some(Arc::new(cells) as _),
            None => hooks.initial.then(|| Arc::new(Initial { solver: lasting, num_eqn, aux: aux.clone() }) as _),
        };
        UserFunctions {
            initial,
            flag: hooks.flag.then(|| {
                let (solver, looks_around) = (solver.clone(), hooks.flag_looks_around);
                Arc::new(Flag { solver, num_aux, looks_around }) as _
            }),
            boundary: hooks.boundary.then(|| Arc::new(Boundary(solver.clone(), self.shape.of_time)) as _),
            aux,
            source: None,
        }
    }
}
