//! `amrclaw validate`.

use crate::Failure;
use crate::arguments::{CaseArguments, ValidateArguments};
use crate::solver;
use amrclaw::io::config::{Case, CaseErrors, SolverFrom, find_built_in};
use amrclaw::{plugin, simulation};

pub fn validate(arguments: &ValidateArguments) -> Result<(), Failure> {
    let file = &arguments.case.case;
    let case = match arguments.no_code {
        false => Case::load_with(file, &arguments.case.overrides, |choice| solver::find(choice, false)),
        true => load_without_code(&arguments.case),
    };
    let case = case.map_err(|errors| Failure::Input(errors.to_string()))?;
    // What the data are at the start, and whether the solver brings all that the case leaves to it.
    if !(arguments.no_code && matches!(case.solver.from, SolverFrom::Path(_))) {
        simulation::check(&case).map_err(|error| Failure::Input(error.to_string()))?;
    }
    let solver = match &case.solver.from {
        SolverFrom::Name(name) => name.clone(),
        SolverFrom::Path(path) => path.display().to_string(),
    };
    let cells: Vec<_> = case.mesh.cells.iter().map(i32::to_string).collect();
    let levels = case.levels.max;
    let plural = if levels == 1 { "" } else { "s" };
    match &case.solver.from {
        SolverFrom::Path(_) if arguments.no_code => {
            say!("{}: fine, as far as can be told without the solver's code", file.display());
            say!("not checked: that it compiles, and that its equations, parameters and waves are those of the case");
        }
        _ => say!("{}: fine", file.display()),
    }
    case.remarks.iter().for_each(|remark| say!("remark: {remark}"));
    say!("{solver} in {}D, {} cells, {levels} level{plural}", case.dimension(), cells.join(" × "));
    say!("t from {} to {}", case.time.start, case.time.end);
    Ok(())
}

/// The case, checked as far as that goes without running a solver's file.
fn load_without_code(arguments: &CaseArguments) -> Result<Case, CaseErrors> {
    let CaseArguments { case: file, overrides } = arguments;
    let mut solver = None;
    let found = Case::load_with(file, overrides, |choice| {
        if let SolverFrom::Path(path) = &choice.from {
            solver = Some(path.clone());
        }
        find_built_in(choice)
    });
    let Some(solver) = solver else { return found };
    let case = Case::load(file, overrides)?;
    plugin::inspect(&solver).map_err(|e| case.error("solver.path", e.to_string(), e.help()))?;
    Ok(case)
}
