// tidy: long because all formulas of a case are listed here
//! Checks a case against its solver.

use super::choice::{BoundaryKind, Interpolated};
use super::data;
use super::define::{conserved, depth_in, primitives, wrong_in};
use super::ground::Ground;
use super::names::{check_names, choose_from, compile, parameters, reduced_parameters, vocabulary_of_steps};
use super::reader::{Reader, plural};
use super::sections::fields::PRIMITIVE;
use super::settings::{AdjointSettings, CaseSettings, CellData, MeshSettings, NamedExpression, SolverChoice};
use super::settle::check_stability;
use super::shape::SolverShape;
use super::shown::check_shown;
use crate::formula::{Expression, Names, Samples, Syntax, cell_names, nearest};
use crate::physics::{ReducedParameters, SourceSplit};
use riemann::axis::Axis;
use riemann::frame::geometry;
use riemann::group::GroupKind;
use std::sync::Arc;

/// Most derivatives within each other in a criterion: ghost cells are two cells wide.
const MOST_DERIVATIVES: i32 = 2;

/// Compiled expressions, in the order of the solver's values.
#[derive(Clone, Debug)]
pub(super) struct Formulas {
    /// Numbers from files, which initial data, auxiliary values and inflow use.
    pub samples: Vec<Arc<Samples>>,
    /// Heights of ground, which they may use after these.
    pub ground: Option<Ground>,
    /// One per equation; `None` for the solver's or program's own function.
    pub initial: Option<Vec<Expression>>,
    /// One per auxiliary value; `None` for the solver's or program's own function.
    pub aux: Option<Vec<Expression>>,
    /// One per equation; `None` without `[source]`.
    pub source: Option<Vec<Expression>>,
    /// The refinement criterion, if it is an expression.
    pub flag: Option<Syntax>,
    /// Fields, and above which differences to refine.
    pub jumps: Vec<(Syntax, f64)>,
    /// One per equation with the criterion "adjoint": the functional.
    pub functional: Option<Vec<Expression>>,
    /// One per equation where the adjoint is that of small waves on a state at rest: that state.
    pub about: Option<Vec<Syntax>>,
    /// The names of the fields that a criterion may use.
    pub criterion_fields: Vec<String>,
    /// Per axis and side, one per equation where the side is an inflow.
    pub inflow: Vec<[Option<Vec<Expression>>; 2]>,
    /// Of each name of the sides of a mesh from a file, one per equation where the side is an inflow.
    pub inflow_of_mesh: Vec<Option<Vec<Expression>>>,
    /// Where the nodes of a mesh from a file are: formulas of where the file has them and of time, one for each axis.
    pub motion: Option<Vec<Expression>>,
    /// Curves of sides of a mesh from a file, by the number of the name: one formula for each axis.
    pub curves: Vec<(usize, Vec<Expression>)>,
    /// Physical coordinates, one for each axis, of a mapped mesh.
    pub mapping: Option<Vec<Expression>>,
    /// The condition for an early end, over the solver's fields.
    pub stop: Option<Syntax>,
    /// Formulas of the whole solution for parameters that change from step to step, in the order of `reduce`.
    pub reduced: Vec<Syntax>,
}

/// Notes everything about the case that does not fit the solver; compiles the expressions on the way.
///
/// `dimension`: that of the case, if it is known.
pub(super) fn check(
    reader: &mut Reader<'_>,
    case: &CaseSettings,
    dimension: Option<usize>,
    shape: &SolverShape,
) -> Formulas {
    if let Some(axes) = dimension.filter(|axes| *axes != shape.dimension) {
        let numbers = |count: usize| format!("{count} number{}", plural(count));
        let (given, wanted) = (numbers(axes), numbers(shape.dimension));
        let message = format!("has {given}, but the solver `{}` is for {}D", shape.name, shape.dimension);
        let key = if case.mesh.file.is_some() { "mesh.file" } else { "mesh.cells" };
        reader.wrong(key, message, format!("write {wanted}, or choose another solver"));
    }
    check_parameters(reader, &case.solver, shape);
    check_scheme(reader, case, shape);
    if case.mesh.file.is_none() {
        check_stability(reader, case, shape);
    }
    check_walls(reader, &case.mesh, shape);
    let (mapped, mapping);
    let case = match &case.mesh.mapping {
        Some(settings) => {
            super::mapping::check(reader, case, shape);
            mapping = super::mapping::compile_mapping(reader, case, shape, settings);
            mapped = super::mapping::in_computational(reader, case, settings);
            &mapped
        }
        None => {
            mapping = None;
            case
        }
    };
    check_shown(reader, case, dimension.unwrap_or(shape.dimension), shape);
    let position = cell_names(dimension.unwrap_or(shape.dimension));
    let mapping_in_frames = case.mesh.mapping.as_ref().filter(|_| case.solves_in_frames());
    let mapped_cells = mapping_in_frames.map_or(&[][..], |mapping| geometry(mapping.formulas.len()));
    let geometry = mapped_cells.iter().map(|(name, _)| (*name).to_owned()).collect();
    let scope = Scope { position, constants: parameters(&case.solver, shape), shape, geometry };
    let reduced = reduced_parameters(case, shape);
    let mut in_files: Vec<String> = case.data.iter().map(|file| file.name.clone()).collect();
    let beyond = scope.names(&[&shape.equations[..], &in_files].concat());
    let names_beyond = Names { reduced: reduced.clone(), ..beyond };
    let ground = super::ground::take(reader, case, shape, &mut in_files, |names| scope.names(names));
    let (case, ground) = ground.as_ref().map_or((case, None), |(case, ground)| (case, Some(ground.clone())));
    let aux_names = match case.aux {
        CellData::Expressions(_) => shape.aux.as_slice(),
        CellData::User => &[],
    };
    let names = scope.names(&[&in_files, aux_names].concat());
    let of_primitives = check_primitives(reader, case, &names, shape);
    let case = of_primitives.as_ref().unwrap_or(case);
    Formulas {
        samples: data::read_all(reader, case).into_iter().map(Arc::new).collect(),
        ground,
        initial: fields(reader, "initial", case, &shape.equations, &names, shape),
        aux: fields(reader, "aux", case, &shape.aux, &scope.names(&in_files), shape),
        source: match &case.source {
            CellData::Expressions(terms) if !terms.is_empty() => {
                let names = Names { reduced: reduced.clone(), ..scope.names(&scope.fields()) };
                Some(fields_or_zero(reader, terms, &names, shape))
            }
            _ => None,
        },
        flag: case.regrid.flag.expression.as_ref().map(|flag| criterion(reader, case, (flag, 0), (&scope, &reduced))),
        jumps: (case.regrid.flag.tolerances.iter())
            .map(|(field, tolerance)| (criterion(reader, case, (field, 1), (&scope, &reduced)), *tolerance))
            .collect(),
        functional: case.regrid.flag.adjoint.as_ref().map(|adjoint| functional(reader, case, adjoint, &names, shape)),
        about: (case.regrid.flag.adjoint.as_ref())
            .filter(|adjoint| !adjoint.about.is_empty())
            .map(|adjoint| state_at_rest(reader, case, &adjoint.about, &scope)),
        criterion_fields: scope.fields(),
        inflow: super::inflow::check(reader, case, shape, &names_beyond),
        inflow_of_mesh: super::inflow::check_of_mesh(reader, case, shape, &names_beyond),
        motion: super::motion::check(reader, case, shape),
        curves: super::motion::check_curves(reader, case, shape),
        mapping,
        stop: (case.time.stop_when.as_ref()).map(|stop| {
            super::reduce::of_whole(reader, stop, shape, &vocabulary_of_steps(case, shape, reduced.clone()))
        }),
        reduced: super::reduce::check(reader, case, shape),
    }
}

/// Checks `[initial.primitive]`; returns the case with initial data made of it, if it has any.
fn check_primitives(
    reader: &mut Reader<'_>,
    case: &CaseSettings,
    names: &Names,
    shape: &SolverShape,
) -> Option<CaseSettings> {
    if case.primitive.is_empty() {
        return None;
    }
    let Some(known) = primitives(case, shape) else {
        let message =
            format!("the solver `{}` has no primitive variables besides its equations' quantities", shape.name);
        reader.wrong(PRIMITIVE, message, format!("write {} under `[initial]`", shape.equations.join(", ")));
        return Some(CaseSettings { initial: CellData::User, ..case.clone() });
    };
    let variables = &known.names;
    check_names(reader, &case.primitive, variables, "primitive variable", shape);
    for name in variables.iter().filter(|name| case.primitive.iter().all(|field| field.name != **name)) {
        let help = format!("write `{name} = \"{}\"`, or a formula, under `[{PRIMITIVE}]`", shape.example_of(name));
        reader.require(&format!("{PRIMITIVE}.{name}"), &help);
    }
    case.primitive.iter().for_each(|field| drop(compile(reader, field, names)));
    // Mistakes in formulas have been noted.
    let initial = match reader.fine(&[PRIMITIVE]) {
        true => CellData::Expressions(conserved(case, &known, shape)),
        false => CellData::User,
    };
    Some(CaseSettings { initial, ..case.clone() })
}

/// Checks a formula of a criterion, of which so many `further` derivatives are taken.
fn criterion(
    reader: &mut Reader<'_>,
    case: &CaseSettings,
    (formula, further): (&NamedExpression, i32),
    (scope, reduced): (&Scope<'_>, &Option<Arc<ReducedParameters>>),
) -> Syntax {
    let vocabulary = vocabulary_of_steps(case, scope.shape, reduced.clone());
    let dimension = scope.shape.dimension;
    match wrong_in(dimension, &formula.syntax, &scope.fields(), &vocabulary) {
        Some(error) => reader.wrong_formula(&formula.key, error),
        None => {
            let message = "needs values of cells too far away: its derivatives are nested more than twice";
            let depth = depth_in(dimension, &formula.syntax, &scope.fields(), &vocabulary);
            let near = depth + further <= MOST_DERIVATIVES;
            reader.check(near, &formula.key, message, "write a formula with fewer derivatives of derivatives");
        }
    }
    formula.syntax.clone()
}

fn check_parameters(reader: &mut Reader<'_>, solver: &SolverChoice, shape: &SolverShape) {
    let known: Vec<&str> = shape.parameters.iter().map(|p| p.name.as_str()).collect();
    for name in solver.parameters.keys() {
        if known.contains(&name.as_str()) {
            continue;
        }
        let help = match (nearest(name, known.iter().copied()), known.is_empty()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, false) => format!("its parameters are {}", known.join(", ")),
            (None, true) => "it has no parameters: remove the line".to_string(),
        };
        let place = reader.place_of_name("solver", name);
        let message = format!("the solver `{}` has no parameter `{name}`", shape.name);
        reader.wrong_at(place, &format!("solver.{name}"), message, help);
    }
    for p in &shape.parameters {
        let key = format!("solver.{}", p.name);
        match solver.parameters.get(&p.name).copied().or(p.default) {
            Some(value) => {
                let message = format!("the {} must be {}, but is {value}", p.about, p.check);
                reader.check(p.check.allows(value), &key, message, format!("write {}", p.check));
            }
            None => {
                // A value of the wrong type is there, and reported.
                let help = format!("write the {}, {}, as `{} = ...` under `[solver]`", p.about, p.check, p.name);
                reader.require(&key, &help);
            }
        }
    }
}

fn check_scheme(reader: &mut Reader<'_>, case: &CaseSettings, shape: &SolverShape) {
    let scheme = &case.scheme;
    let (given, waves) = (scheme.limiter.len(), shape.waves);
    let message = format!("lists {given} limiters, but the solver `{}` has {waves} wave{}", shape.name, plural(waves));
    let help = format!("write one limiter for all waves, or {waves}");
    reader.check(given <= 1 || given == waves, "scheme.limiter", message, help);
    let has_terms = shape.has_source || case.source.is_given() || !reader.names("source").is_empty();
    let message = format!("the solver `{}` has no source term", shape.name);
    let help = "write \"none\", or give the terms under `[source]`";
    let wanted = scheme.source.is_some_and(|splitting| splitting != SourceSplit::None);
    reader.check(has_terms || !wanted, "scheme.source", message, help);
    let is_steady = case.mesh.file.as_ref().is_some_and(|file| file.steady.is_some());
    let message = "cells have steps of their own, and a source acts over steps of one length";
    let help = "remove the line, or write `source = \"none\"`";
    let acts = has_terms && scheme.source != Some(SourceSplit::None);
    reader.check(!is_steady || !acts, "scheme.steady", message, help);
    check_interpolated(reader, case, shape);
    if let Some(capacity) = scheme.capacity.as_ref().filter(|name| !shape.aux.contains(name)) {
        let message = format!("the solver `{}` has no auxiliary value `{capacity}`", shape.name);
        reader.wrong("scheme.capacity", message, choose_from(capacity, &shape.aux, "auxiliary value"));
    }
}

/// Primitive variables can be interpolated where there are as many as equations, all the time the same functions of the state.
fn check_interpolated(reader: &mut Reader<'_>, case: &CaseSettings, shape: &SolverShape) {
    if case.mesh.file.as_ref().is_none_or(|file| file.gradients_of == Interpolated::Conserved) {
        return;
    }
    let (key, help) = ("scheme.gradients_of", "write \"conserved\", or remove the line");
    let known = primitives(case, shape).is_some_and(|known| known.names.len() == shape.equations.len());
    let message = format!("the solver `{}` has no primitive variables besides its equations' quantities", shape.name);
    reader.check(known, key, message, help);
    reader.check(case.reduce.is_empty(), key, "primitive variables are not known while parameters change", help);
}

fn check_walls(reader: &mut Reader<'_>, mesh: &MeshSettings, shape: &SolverShape) {
    if let Some(file) = &mesh.file {
        for (name, kind) in file.mesh.boundary.names.iter().zip(&file.sides) {
            check_wall(reader, &format!("mesh.boundary.{name}"), (&[*kind], 0), shape);
        }
        let message = format!("the solver `{}` cannot be rotated into the frame of a face", shape.name);
        let help =
            "use a solver whose components are scalars, `vector(...)` and `tensor(...)` and that has no `directions`";
        reader.check(!shape.directions && shape.has_directed(), "mesh.file", message, help);
    }
    for (d, sides) in mesh.boundary.iter().enumerate() {
        let key = format!("mesh.boundary.{}", super::sections::AXES[d]);
        check_wall(reader, &key, (sides, d), shape);
        if sides[0] == BoundaryKind::Folded {
            check_folded(reader, &key, (mesh, d), shape);
        }
    }
}

/// Notes what folded sides do not allow.
fn check_folded(reader: &mut Reader<'_>, key: &str, (mesh, d): (&MeshSettings, usize), shape: &SolverShape) {
    let message = "only the sides along one of two axes can be folded";
    let (other, plane) = (1 - d.min(1), mesh.boundary.len() == 2);
    reader.check(plane, key, message, "write `wall` or `extrapolate`");
    if !plane {
        return;
    }
    let along = super::sections::AXES[other];
    let message = format!("folded sides meet themselves turned about their middle, but {along} is not periodic");
    let help = format!("write `{along} = \"periodic\"` beside it");
    reader.check(mesh.boundary[other][0] == BoundaryKind::Periodic, key, message, help);
    let message = format!("is folded in the middle of a cell: `mesh.cells` has {} along {along}", mesh.cells[other]);
    reader.check(mesh.cells[other] % 2 == 0, key, message, "write an even number of cells along that axis");
    let message = format!("the solver `{}` has quantities with directions, which turn beyond folded sides", shape.name);
    let help = "use a solver of scalars, such as components along axes in space";
    reader.check(!shape.has_directed(), key, message, help);
    reader.check(
        mesh.mapping.is_none(),
        key,
        "a mapped mesh has no folded sides",
        "remove the mapping, or write `wall` or `extrapolate`",
    );
}

/// Notes walls that the solver does not allow at a side.
fn check_wall(reader: &mut Reader<'_>, key: &str, (sides, d): (&[BoundaryKind], usize), shape: &SolverShape) {
    if sides.contains(&BoundaryKind::Wall) && !shape.reflects(Axis::ALL[d]) {
        let message = format!("the solver `{}` has no velocity for a wall to reflect", shape.name);
        reader.wrong(key, message, "write \"extrapolate\", \"periodic\" or \"user\"");
    }
    let is_solid = shape.has(GroupKind::Vector) && shape.has(GroupKind::Tensor);
    let of_solid = |side: &&BoundaryKind| matches!(side, BoundaryKind::Clamped | BoundaryKind::Free);
    if let Some(side) = sides.iter().find(of_solid).filter(|_| !is_solid) {
        let message =
            format!("\"{side}\" is for solids: the solver `{}` has not both a vector and a tensor", shape.name);
        reader.wrong(key, message, "write \"wall\", \"extrapolate\", \"periodic\" or \"user\"");
    }
}

/// The names that expressions may use.
struct Scope<'a> {
    position: Vec<String>,
    constants: Vec<(String, f64)>,
    shape: &'a SolverShape,
    /// Auxiliary values of mapped cells.
    geometry: Vec<String>,
}

impl Scope<'_> {
    /// Position, time, `further` values per cell, and the solver's parameters.
    fn names(&self, further: &[String]) -> Names {
        Names { variables: [&self.position, further].concat(), constants: self.constants.clone(), ..Names::default() }
    }

    /// The solution and the auxiliary values.
    fn fields(&self) -> Vec<String> {
        [self.shape.equations.as_slice(), &self.shape.aux, &self.geometry].concat()
    }
}

/// One expression per wanted name, in that order; notes names that are missing or not wanted.
fn fields(
    reader: &mut Reader<'_>,
    section: &str,
    case: &CaseSettings,
    wanted: &[String],
    names: &Names,
    shape: &SolverShape,
) -> Option<Vec<Expression>> {
    let (data, what) = match section {
        "aux" => (&case.aux, "auxiliary value"),
        _ => (&case.initial, "equation"),
    };
    let CellData::Expressions(given) = data else { return None };
    if section == "initial" && !reader.is_present(section) {
        return None; // reported as a whole
    }
    check_names(reader, given, wanted, what, shape);
    for name in wanted.iter().filter(|name| given.iter().all(|field| field.name != **name)) {
        let is_capacity = case.scheme.capacity.as_ref() == Some(name);
        let value = if is_capacity { "1" } else { shape.example_of(name) };
        let help = format!("write `{name} = \"{value}\"`, or a formula, under `[{section}]`");
        reader.require(&format!("{section}.{name}"), &help);
    }
    let compiled: Vec<Option<Expression>> = given.iter().map(|field| compile(reader, field, names)).collect();
    let of = |name: &String| given.iter().position(|f| f.name == *name).and_then(|i| compiled[i].clone());
    wanted.iter().map(of).collect()
}

/// One expression per equation; zero where the file has none.
fn fields_or_zero(
    reader: &mut Reader<'_>,
    given: &[NamedExpression],
    names: &Names,
    shape: &SolverShape,
) -> Vec<Expression> {
    check_names(reader, given, &shape.equations, "equation", shape);
    let compiled: Vec<Option<Expression>> = given.iter().map(|field| compile(reader, field, names)).collect();
    let of = |name: &String| given.iter().position(|f| f.name == *name).and_then(|i| compiled[i].clone());
    shape.equations.iter().map(|name| of(name).unwrap_or_else(|| Expression::number(0.0, names))).collect()
}

/// The state about which the adjoint problem's equations are taken as linear; zero where the file has none.
fn state_at_rest(
    reader: &mut Reader<'_>,
    case: &CaseSettings,
    about: &[NamedExpression],
    scope: &Scope<'_>,
) -> Vec<Syntax> {
    check_names(reader, about, &scope.shape.equations, "equation", scope.shape);
    for formula in about {
        criterion(reader, case, (formula, MOST_DERIVATIVES), (scope, &None));
    }
    let zero = || Syntax::parse("0").expect("a number");
    let of = |name: &String| about.iter().find(|one| one.name == *name).map_or_else(zero, |one| one.syntax.clone());
    scope.shape.equations.iter().map(of).collect()
}

/// The functional of the adjoint problem, for equations of which the adjoint can be made.
fn functional(
    reader: &mut Reader<'_>,
    case: &CaseSettings,
    adjoint: &AdjointSettings,
    names: &Names,
    shape: &SolverShape,
) -> Vec<Expression> {
    if adjoint.case.is_none() {
        let help = "give the adjoint problem as a case of its own: `case` under `[regrid.flag.adjoint]`";
        let mut refuse = |found: bool, what: &str| {
            reader.check(!found, "regrid.flag.criterion", format!("no adjoint is known {what}"), help);
        };
        let own_source = shape.has_source && adjoint.about.is_empty();
        refuse(own_source || case.source.is_given(), "of a source term");
        refuse(!case.reduce.is_empty(), "of parameters that change");
    }
    fields_or_zero(reader, &adjoint.functional, names, shape)
}
