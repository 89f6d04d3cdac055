//! `amrclaw solver list`.

use amrclaw::io::derived::quantities;
use riemann::catalogue;

/// The built-in solvers with what a case has to know of them, a few lines each.
pub fn text() -> String {
    let mut text = String::new();
    let named = |name: &&'static str| catalogue::find(name, 3);
    for solver in catalogue::names().iter().filter_map(named) {
        let dimensions: Vec<_> = catalogue::dimensions(solver.name).iter().map(|dim| format!("{dim}D")).collect();
        text += &format!("  {:<25} {:<9} {}\n", solver.name, dimensions.join(" "), solver.title);
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
    }
    text
}
