//! Boundary values by formulas: which side takes which, and whether they fit the solver.

use super::choice::BoundaryKind;
use super::names::{check_names, compile};
use super::reader::Reader;
use super::sections::{AXES, SIDES};
use super::settings::{CaseSettings, InflowValues};
use super::shape::SolverShape;
use crate::formula::{Expression, Names};

/// Compiles the expressions of every inflow side, in the order of the equations. Notes tables that no side uses, sides
/// without values, and equations without a formula.
pub(super) fn check(
    reader: &mut Reader<'_>,
    case: &CaseSettings,
    shape: &SolverShape,
    names: &Names,
) -> Vec<[Option<Vec<Expression>>; 2]> {
    let is_inflow =
        |axis: usize, side: usize| case.mesh.boundary.get(axis).is_some_and(|b| b[side] == BoundaryKind::Inflow);
    if case.mesh.file.is_some() {
        return Vec::new();
    }
    let own = |axis, side| case.inflow.iter().find(|table| table.side == Some((axis, side)));
    let common = case.inflow.iter().find(|table| table.side.is_none());
    let mut common_is_used = false;
    let mut sides = Vec::new();
    for axis in 0..case.mesh.boundary.len() {
        let of_side = [0, 1].map(|side| {
            if !is_inflow(axis, side) {
                return None;
            }
            common_is_used |= own(axis, side).is_none();
            let Some(table) = own(axis, side).or(common) else {
                let name = SIDES[2 * axis + side];
                let key = format!("mesh.boundary.{}", AXES[axis]);
                let help = format!("write an expression for each equation under `[mesh.boundary.{name}]`");
                reader.wrong(&key, "the side is \"inflow\", but no inflow values are given", help);
                return None;
            };
            expressions(reader, table, shape, names)
        });
        sides.push(of_side);
    }
    for table in &case.inflow {
        let used = table.side.map_or(common_is_used, |(axis, side)| axis >= sides.len() || is_inflow(axis, side));
        let message = "no side of the domain uses these values";
        let help = "write \"inflow\" for the side, such as `x = [\"inflow\", \"extrapolate\"]`, or remove the table";
        reader.check(used, &path(table), message, help);
    }
    sides
}

impl CaseSettings {
    /// The key of the formula of a value beyond an inflow side.
    pub(crate) fn inflow_key(&self, axis: usize, side: usize, equation: &str) -> String {
        let mut tables = self.inflow.iter();
        let own = tables.find(|table| table.side == Some((axis, side))).map(path);
        format!("{}.{equation}", own.unwrap_or_else(|| "mesh.boundary.inflow".to_owned()))
    }
}

/// The path of a table.
fn path(table: &InflowValues) -> String {
    format!("mesh.boundary.{}", table.table)
}

/// As [`check`] for the sides of a mesh from a file, one for each name.
pub(super) fn check_of_mesh(
    reader: &mut Reader<'_>,
    case: &CaseSettings,
    shape: &SolverShape,
    names: &Names,
) -> Vec<Option<Vec<Expression>>> {
    let Some(file) = &case.mesh.file else { return Vec::new() };
    let mut used = vec![false; case.inflow.len()];
    let mut of_side = |side: usize, name: &String| {
        let find = |wanted| case.inflow.iter().position(|table| table.side == wanted);
        let Some(table) = find(Some((side, 0))).or(find(None)) else {
            let help = format!("write an expression for each equation under `[mesh.boundary.{name}_state]`");
            reader.wrong(&format!("mesh.boundary.{name}"), "is \"inflow\", but no inflow values are given", help);
            return None;
        };
        used[table] = true;
        expressions(reader, &case.inflow[table], shape, names)
    };
    let sides = file.mesh.boundary.names.iter().zip(&file.sides).enumerate();
    let all = sides.map(|(n, (name, kind))| if *kind == BoundaryKind::Inflow { of_side(n, name) } else { None });
    let all = all.collect();
    for (table, _) in case.inflow.iter().zip(used).filter(|(_, used)| !used) {
        reader.wrong(
            &path(table),
            "no side of the mesh uses these values",
            "write \"inflow\" for the side, or remove the table",
        );
    }
    all
}

fn expressions(
    reader: &mut Reader<'_>,
    table: &InflowValues,
    shape: &SolverShape,
    names: &Names,
) -> Option<Vec<Expression>> {
    check_names(reader, &table.values, &shape.equations, "equation", shape);
    let given = |name: &String| table.values.iter().find(|value| value.name == *name);
    for name in shape.equations.iter().filter(|name| given(name).is_none()) {
        let (section, value) = (path(table), shape.example_of(name));
        let help = format!(
            "write `{name} = \"{value}\"`, or a formula, under `[{section}]`; `{name} = \"{name}\"` takes what is inside"
        );
        reader.require(&format!("{section}.{name}"), &help);
    }
    let compiled: Vec<Option<Expression>> =
        shape.equations.iter().map(|name| given(name).and_then(|value| compile(reader, value, names))).collect();
    compiled.into_iter().collect()
}
