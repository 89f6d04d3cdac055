//! `amrclaw validate`.

use crate::case::{Case, CaseErrors, CaseSettings, SolverFrom, find_built_in};
use crate::cli::Failure;
use crate::cli::arguments::ValidateArguments;
use crate::cli::execution::CaseArguments;
use crate::cli::solver;
use crate::{plugin, simulation};

pub fn validate(arguments: &ValidateArguments) -> Result<(), Failure> {
    let file = &arguments.case.case;
    let loaded = if arguments.no_code { load_without_code(&arguments.case) } else { load(&arguments.case) };
    let loaded = loaded.map_err(|errors| Failure::Input(errors.to_string()))?;
    let settings: &CaseSettings = match &loaded {
        Loaded::Case(case) => {
            // Checks the initial data, and that the solver has every function that the case leaves to it.
            simulation::check(case).map_err(|error| Failure::Input(error.to_string()))?;
            say!("{}: fine", file.display());
            case
        }
        Loaded::Settings(settings) => {
            say!("{}: fine, as far as this can be checked without the solver's code", file.display());
            say!("not checked: that it compiles, and that its equations, parameters and waves are those of the case");
            settings
        }
    };
    settings.remarks.iter().for_each(|remark| say!("remark: {remark}"));
    // Those of a file are a row.
    let axes = if settings.mesh.file.is_some() { 1 } else { settings.dimension() };
    let cells: Vec<_> = settings.mesh.cells.iter().take(axes).map(i32::to_string).collect();
    let levels = settings.levels.max;
    let plural = if levels == 1 { "" } else { "s" };
    let (solver, dimension) = (&settings.solver.from, settings.dimension());
    say!("{solver} in {dimension}D, {} cells, {levels} level{plural}", cells.join(" × "));
    say!("t from {} to {}", settings.time.start, settings.time.end);
    Ok(())
}

/// A case, as far as it has been read.
enum Loaded {
    /// All of it.
    Case(Box<Case>),
    /// What can be checked without the code of its solver.
    Settings(Box<CaseSettings>),
}

fn load(arguments: &CaseArguments) -> Result<Loaded, CaseErrors> {
    let case = Case::load_with(&arguments.case, &arguments.overrides, |choice| solver::find(choice, false));
    case.map(|case| Loaded::Case(Box::new(case)))
}

/// Reads the case and checks it as far as possible without running a solver's file.
fn load_without_code(arguments: &CaseArguments) -> Result<Loaded, CaseErrors> {
    let CaseArguments { case: file, overrides } = arguments;
    let mut solver = None;
    let found = Case::load_with(file, overrides, |choice| {
        if let SolverFrom::Path(path) = &choice.from {
            solver = Some(path.clone());
        }
        find_built_in(choice)
    });
    let Some(solver) = solver else { return found.map(|case| Loaded::Case(Box::new(case))) };
    let settings = CaseSettings::load(file, overrides)?;
    plugin::inspect(&solver).map_err(|e| settings.error("solver.path", e.to_string(), e.help()))?;
    Ok(Loaded::Settings(Box::new(settings)))
}
