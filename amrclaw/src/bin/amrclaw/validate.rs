//! `amrclaw validate`.

use crate::Failure;
use crate::arguments::ValidateArguments;
use crate::solver;
use amrclaw::io::config::{Case, SolverFrom};
use amrclaw::simulation;

pub fn validate(arguments: &ValidateArguments) -> Result<(), Failure> {
    let file = &arguments.case.case;
    let case = Case::load_with(file, &arguments.case.overrides, |choice| solver::find(choice, false))
        .map_err(|errors| Failure::Input(errors.to_string()))?;
    simulation::check(&case).map_err(|error| Failure::Input(error.to_string()))?;
    let solver = match &case.solver.from {
        SolverFrom::Name(name) => name.clone(),
        SolverFrom::Path(path) => path.display().to_string(),
    };
    let cells: Vec<_> = case.mesh.cells.iter().map(i32::to_string).collect();
    let levels = case.levels.max;
    let plural = if levels == 1 { "" } else { "s" };
    say!("{}: fine", file.display());
    case.remarks.iter().for_each(|remark| say!("remark: {remark}"));
    say!("{solver} in {}D, {} cells, {levels} level{plural}", case.dimension(), cells.join(" × "));
    say!("t from {} to {}", case.time.start, case.time.end);
    Ok(())
}
