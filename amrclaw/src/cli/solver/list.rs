//! `amrclaw solver list`.

use super::load;
use crate::cli::Failure;
use crate::frames::derived::quantities;
use riemann::catalogue::{self, SolverInfo};
use std::path::PathBuf;

/// The built-in solvers with what a case needs to know about them, a few lines each.
pub fn text() -> String {
    let named = |name: &&'static str| catalogue::find(name, 3);
    let solvers: Vec<_> = catalogue::names().iter().filter_map(named).collect();
    solvers.iter().map(|solver| described(solver, &catalogue::dimensions(solver.name))).collect()
}

/// The solvers of these files, or the built-in ones without any file.
pub fn chosen(files: &[PathBuf]) -> Result<String, Failure> {
    if files.is_empty() {
        return Ok(text());
    }
    let of = |file: &PathBuf| {
        let plugin = load(file, false).map_err(|e| Failure::Input(format!("{e}\n{}", e.help())))?;
        let dimensions: Vec<_> = plugin.forms().iter().map(|form| form.info().dim).collect();
        Ok(described(plugin.form(3).info(), &dimensions))
    };
    files.iter().map(of).collect()
}

/// Describes a solver, in the largest number of dimensions that it supports.
fn described(solver: &SolverInfo, dimensions: &[usize]) -> String {
    let dimensions: Vec<_> = dimensions.iter().map(|dim| format!("{dim}D")).collect();
    let mut text = format!("  {:<25} {:<9} {}\n", solver.name, dimensions.join(" "), solver.title);
    let parameters = solver.parameters.iter().map(|p| match p.default {
        Some(default) => format!("{} ({}; {default} unless given)", p.name, p.about),
        None => format!("{} ({})", p.name, p.about),
    });
    let quantities = quantities(solver.name, solver.dim).into_iter();
    let lists = [
        ("equations", solver.equations.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()),
        ("aux", solver.aux.iter().map(|&name| name.to_owned()).collect()),
        ("parameters", parameters.collect()),
        ("quantities", quantities.map(|quantity| quantity.name.to_owned()).collect()),
    ];
    for (what, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
        text += &format!("      {what}: {}\n", list.join(", "));
    }
    text
}
