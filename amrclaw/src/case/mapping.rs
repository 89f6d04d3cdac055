//! Checks a mapping against the solver and the rest of the case.

use super::choice::BoundaryKind;
use super::define::formulas;
use super::names::{compile, parameters};
use super::reader::{Reader, brief};
use super::sections::AXES;
use super::settings::{CaseSettings, MappingSettings, MeshSettings, NamedExpression, SolverFrom};
use super::shape::SolverShape;
use crate::formula::{Expression, ExpressionMap, Names, Syntax, physical_names, straight_name};
use crate::index::Repeats;
use crate::mesh::{BadCell, Domain, Mapping};
use crate::physics::Split;
use riemann::frame::geometry;
use std::sync::Arc;

/// Most cells that are checked before a run, of all levels together, in equally spaced rows.
const MAX_CELLS: usize = 1 << 20;
/// Largest gap between the nodes of periodic sides, relative to the sides' extent.
const SEAM: f64 = 1e-9;
/// Largest difference of the vectors of a cell's opposite faces for split sweeps, relative to their size.
const PARALLEL: f64 = 1e-12;

/// Fills in the solver's formulas for a mapping `"user"`; if the solver has none, notes so and continues with a straight mesh. False if it
/// has filled in any.
pub(super) fn take_from_solver(reader: &mut Reader<'_>, case: &mut CaseSettings, shape: &SolverShape) -> bool {
    const KEY: &str = "mesh.mapping";
    let Some(mapping) = case.mesh.mapping.as_mut().filter(|mapping| mapping.formulas.is_empty()) else { return true };
    let values = parameters(&case.solver, shape);
    let mut texts = shape.formulas.with_parameters(&values).mapping;
    let straight = ["X", "Y", "Z"].into_iter().take(case.mesh.cells.len()).map(str::to_owned);
    if values.iter().any(|(_, value)| value.is_nan()) {
        // A parameter is missing, which is reported elsewhere.
        texts = straight.collect();
    } else if texts.len() != case.mesh.cells.len() {
        let message = format!("the solver `{}` provides no mapping", shape.name);
        let help = "write formulas under `[mesh.mapping]`; \"user\" needs a solver's file with `fn mapping`";
        reader.wrong(KEY, message, help);
        texts = straight.collect();
    }
    for (axis, text) in AXES.into_iter().zip(texts) {
        match Syntax::parse(&text) {
            Ok(syntax) => {
                mapping.formulas.push(NamedExpression { name: axis.to_owned(), text, syntax, key: KEY.to_owned() })
            }
            Err(error) => reader.wrong(KEY, format!("the solver's `fn mapping`: {}", error.message), error.help),
        }
    }
    false
}

/// Notes settings that a mapped mesh does not allow.
pub(super) fn check(reader: &mut Reader<'_>, case: &CaseSettings, shape: &SolverShape) {
    const KEY: &str = "mesh.mapping";
    if case.scheme.capacity.is_some() {
        // The solver's own auxiliary values describe the geometry, and its directions are the computational ones.
        let message = "mapped cells have a capacity of their own, their area";
        let fits = shape.directions && !shape.has_directed();
        reader.check(fits, "scheme.capacity", message, "remove the line, or the mapping");
        return;
    }
    if case.estimates_errors() && case.mesh.cells.iter().any(|n| n % 2 != 0) {
        let message =
            "on mapped cells Richardson's estimate needs even numbers of cells, for a step on cells twice as large";
        reader.wrong("regrid.flag.criterion", message, "write even numbers of `mesh.cells`, or \"difference\"");
    }
    if shape.directions || !shape.has_directed() {
        let message = format!("the solver `{}` cannot be rotated into the frame of a face", shape.name);
        let help = "remove the mapping, or use a solver whose components are scalars, `vector(...)` and `tensor(...)`, or one that \
                    takes computational velocities, with a `scheme.capacity`";
        reader.wrong(KEY, message, help);
    }
    if let SolverFrom::Path(path) = &case.solver.from
        && path.extension().is_none_or(|extension| extension != "rs")
    {
        let help = "give the solver's file, `.rs`, which is compiled for mapped meshes too, or remove the mapping";
        reader.wrong("solver.path", "a library has been compiled for straight meshes", help);
    }
    let of_cells = case.mesh.mapping.as_ref().map_or(&[][..], |mapping| geometry(mapping.formulas.len()));
    if let Some(name) = shape.aux.iter().find(|name| of_cells.iter().any(|(known, _)| known == name)) {
        let message = format!("the solver `{}` has an auxiliary value `{name}`, as mapped cells have", shape.name);
        reader.wrong(KEY, message, "give the value another name in the solver");
    }
}

impl MeshSettings {
    /// The domain, in `D` dimensions.
    pub(crate) fn domain<const D: usize>(&self) -> Domain<D> {
        Domain {
            lower: std::array::from_fn(|d| self.lower[d]),
            upper: std::array::from_fn(|d| self.upper[d]),
            cells: std::array::from_fn(|d| self.cells[d]),
            repeats: Repeats {
                axes: std::array::from_fn(|d| {
                    matches!(self.boundary[d][0], BoundaryKind::Periodic | BoundaryKind::Folded)
                }),
                folded: (0..D).find(|&d| self.boundary[d][0] == BoundaryKind::Folded),
            },
        }
    }
}

/// The mapping of compiled formulas. `finest`: the finest level's number of cells along each axis.
pub(super) fn mapping<const D: usize>(case: &CaseSettings, formulas: &[Expression], finest: [i32; D]) -> Mapping<D> {
    Mapping::new(Arc::new(ExpressionMap::new(formulas.to_vec())), case.mesh.domain(), finest)
}

/// The finest level's number of cells along each axis.
pub(super) fn finest<const D: usize>(case: &CaseSettings) -> [i32; D] {
    let along = |d: usize| case.levels.ratio.iter().fold(case.mesh.cells[d], |n, ratio| n.saturating_mul(ratio[d]));
    std::array::from_fn(along)
}

/// Notes split sweeps where opposite faces of a cell differ: a constant flux then does not balance along each axis alone.
fn check_sweeps<const D: usize>(
    reader: &mut Reader<'_>,
    case: &CaseSettings,
    shape: &SolverShape,
    mapping: &Mapping<D>,
) {
    let settled = case.resolved_for(shape);
    if settled.split == Split::Unsplit || !case.solves_in_frames() || !reader.fine(&["mesh"]) {
        return;
    }
    let dx = case.mesh.domain::<D>().dx(std::array::from_fn(|d| case.mesh.cells[d]));
    let message = "dimensional splitting does not conserve totals on mapped cells whose opposite faces differ";
    let key = if case.scheme.split.is_some() { "scheme.split" } else { "mesh.mapping" };
    let help = "write `split = \"unsplit\"` under `[scheme]`, with a solver that has `transverse`";
    let parallel = mapping.face_variation(dx, MAX_CELLS) <= PARALLEL;
    reader.check(parallel, key, message.to_owned(), help);
    let walls = case.mesh.boundary.iter().flatten().any(|side| *side == BoundaryKind::Wall);
    let upright = !walls || mapping.nonorthogonality(dx, MAX_CELLS) <= PARALLEL;
    let message = "faces are not perpendicular to the walls, as dimensional splitting requires";
    reader.check(upright, key, message.to_owned(), help);
}

/// Compiles the formulas and checks the mapping.
pub(super) fn compile_mapping(
    reader: &mut Reader<'_>,
    case: &CaseSettings,
    shape: &SolverShape,
    settings: &MappingSettings,
) -> Option<Vec<Expression>> {
    let names = ExpressionMap::names(settings.formulas.len());
    let compiled: Vec<_> = settings.formulas.iter().map(|formula| compile(reader, formula, &names)).collect();
    let formulas = compiled.into_iter().collect::<Option<Vec<_>>>()?;
    if !reader.fine(&["mesh", "levels"]) || case.mesh.cells.len() != formulas.len() {
        return None;
    }
    match formulas.len() {
        2 => check_mapping::<2>(reader, case, shape, settings, &formulas),
        _ => check_mapping::<3>(reader, case, shape, settings, &formulas),
    }
    Some(formulas)
}

/// Notes degenerate cells, periodic sides that do not match, and gauges outside the domain.
fn check_mapping<const D: usize>(
    reader: &mut Reader<'_>,
    case: &CaseSettings,
    shape: &SolverShape,
    settings: &MappingSettings,
    formulas: &[Expression],
) {
    let mapping = mapping::<D>(case, formulas, finest(case));
    check_cells(reader, case, settings, &mapping);
    check_sweeps(reader, case, shape, &mapping);
    for (d, sides) in case.mesh.boundary.iter().enumerate().filter(|(_, sides)| sides[0] == BoundaryKind::Periodic) {
        let [gap, extent] = mapping.periodic_mismatch(d);
        let key = format!("mesh.boundary.{}", AXES[d]);
        let message = format!(
            "the nodes on the two sides do not match: they are {gap:.3e} apart, the sides are {extent:.3e} long"
        );
        let help = "write a mapping whose two sides differ only by a shift, or choose other boundaries";
        debug_assert!(sides[1] == BoundaryKind::Periodic);
        // Nodes that are not finite have been reported by `check_cells`.
        let apart = gap > SEAM * extent;
        reader.check(!apart, &key, message, help);
    }
    if reader.fine(&["mesh"]) {
        for (i, gauge) in case.gauge.iter().enumerate().filter(|(_, gauge)| gauge.position.len() == D) {
            let path = format!("gauge.{i}.position");
            let position: [f64; D] = std::array::from_fn(|d| gauge.position[d]);
            let message = format!("the gauge is outside the mapped domain: {}", point(AXES, &position));
            let help = "write a physical position that the mapping reaches";
            reader.check(mapping.inverse(position).is_some(), &path, message, help);
        }
    }
}

/// A point's coordinates, `X = 0.5, Y = 0`.
fn point(names: [&str; 3], point: &[f64]) -> String {
    let coordinates: Vec<_> = names.iter().zip(point).map(|(name, x)| format!("{name} = {}", brief(*x))).collect();
    coordinates.join(", ")
}

/// Notes the first cell that is degenerate: not finite, or folded.
fn check_cells<const D: usize>(
    reader: &mut Reader<'_>,
    case: &CaseSettings,
    settings: &MappingSettings,
    mapping: &Mapping<D>,
) {
    const COMPUTATIONAL: [&str; 3] = ["X", "Y", "Z"];
    let mut dx = case.mesh.domain::<D>().dx(std::array::from_fn(|d| case.mesh.cells[d]));
    for level in 0..case.levels.max {
        if level > 0 {
            let ratio = &case.levels.ratio[level - 1];
            dx = std::array::from_fn(|d| dx[d] / f64::from(ratio[d]));
        }
        let (message, help) = match mapping.check(dx, MAX_CELLS / case.levels.max) {
            Ok(()) => continue,
            Err(BadCell::NotFinite { at, position }) => (
                format!("is {position:?} at {}", point(COMPUTATIONAL, &at)),
                "write formulas that are numbers everywhere in the domain",
            ),
            Err(BadCell::Folded { cell, volume, at }) => (
                format!(
                    "folds: the {} of cell {cell:?} of level {}, at {}, is {volume:.3e}",
                    if D == 2 { "area" } else { "volume" },
                    level + 1,
                    point(COMPUTATIONAL, &at)
                ),
                if D == 2 {
                    "write formulas that keep the order of the nodes, counter-clockwise, on every level"
                } else {
                    "write formulas that keep the order of the nodes, right-handed, on every level"
                },
            ),
        };
        reader.wrong(&settings.formulas[0].key, message, help);
        return;
    }
}

/// Rewrites the case's formulas of physical positions as formulas of computational ones. Notes names that a mapped mesh does not have.
pub(super) fn in_computational(
    reader: &mut Reader<'_>,
    case: &CaseSettings,
    settings: &MappingSettings,
) -> CaseSettings {
    let known = physical_names(&settings.formulas.iter().map(|formula| &formula.syntax).collect::<Vec<_>>());
    let mut case = case.clone();
    for (formula, _) in formulas(&mut case).into_iter().filter(|(_, of_mapping)| !of_mapping) {
        refuse(reader, formula);
        formula.syntax = formula.syntax.with_formulas(&known, &Names::default());
    }
    case
}

/// Notes the first name in a formula that only straight cells have.
fn refuse(reader: &mut Reader<'_>, field: &NamedExpression) {
    if let Some(error) = straight_name(&field.syntax) {
        reader.wrong_formula(&field.key, error);
    }
}
