//! From a case to its problem and to the settings of its run.

use super::step_limits::longest_in_time;
use super::{RunError, Settings};
use crate::case::{self, Case, CaseErrors, ClusterKind, CriterionField, MeshFile, ResolvedSettings};
use crate::formula::ExpressionBoundary;
use crate::frames::derived::{Formula, WholeFormula};
use crate::index::Ratio;
use crate::mesh::Mapping;
use crate::physics::{
    AtPositions, AuxOutside, Boundary, BoundaryFunction, CellFunction, Criterion, Formulas, MappedAux, MappedWall,
    MeshSides, OnMesh, Problem, ReducedParameters, SourceCentres, SourceSplit, Split, StateFunction, UserFunctions,
    centroids,
};
use crate::plan::nesting_width;
use crate::regrid::{ClusterParams, Clustering, RefinementRegion, RegionPlace, RegridOptions, Shape};
use riemann::frame::geometry;
use riemann::group::Wall;
use riemann::limiter::Limiter;
use riemann::patch::{MAX_WAVES, Scheme};
use std::sync::Arc;
use tracing::{info, warn};
use unstructured::motion::MeshInTime;
use unstructured::step::Boost;

/// `v` as an array over the axes; the case has been checked for its length.
pub(super) fn axes<const D: usize, T: Copy>(v: &[T]) -> [T; D] {
    std::array::from_fn(|d| v[d])
}

fn scheme(case: &Case) -> Scheme {
    let shape = case.shape();
    let mut limiters = [Limiter::default(); MAX_WAVES];
    for (w, limiter) in limiters.iter_mut().enumerate().take(shape.waves) {
        *limiter = case.scheme.limiter[w.min(case.scheme.limiter.len() - 1)];
    }
    let capacity = case.scheme.capacity.as_ref().and_then(|name| shape.aux.iter().position(|a| a == name));
    Scheme {
        order: case.scheme.order,
        transverse: case.settled().transverse,
        double_transverse: case.scheme.double_transverse,
        limiters,
        capacity: capacity.map_or(-1, |c| c as i32),
        sharing_faces: 0,
    }
}

/// The auxiliary values that must be positive: those that the solver names, and the capacity.
fn positive_aux(case: &Case) -> Vec<usize> {
    let shape = case.shape();
    let is = |name: &String| shape.positive.contains(name) || case.scheme.capacity.as_ref() == Some(name);
    (0..shape.aux.len()).filter(|&m| is(&shape.aux[m])).collect()
}

/// The user's functions on a mapped mesh, called with physical positions.
fn at_positions<const D: usize>(
    mapping: &Arc<Mapping<D>>,
    positions: &Formulas,
    user: UserFunctions<D>,
) -> UserFunctions<D> {
    let cells = |function| Arc::new(AtPositions::new(mapping, positions, function)) as Arc<dyn CellFunction<D>>;
    let rows = |function| Arc::new(AtPositions::new(mapping, positions, function)) as Arc<dyn StateFunction<D>>;
    UserFunctions {
        initial: user.initial.map(cells),
        aux: user.aux.map(cells),
        flag: user.flag.map(rows),
        boundary: user.boundary.map(|function| Arc::new(AtPositions::new(mapping, positions, function)) as _),
        source: user.source.map(rows),
    }
}

/// The problem with the geometry of a mapped mesh among its auxiliary values, and its walls along the mesh's sides.
fn mapped<const D: usize>(case: &Case, mapping: &Arc<Mapping<D>>, problem: Problem<D>) -> Problem<D> {
    let shape = case.shape();
    let own = problem.aux.map(|own| (own, shape.aux_groups.clone()));
    let aux = MappedAux::new(mapping.clone(), own, &problem.boundary, problem.aux_outside)
        .with_formulas(case.mapping_formulas())
        .with_faces_behind_walls(problem.split != Split::Unsplit);
    let side = |side: Boundary<D>| match side {
        Boundary::Wall(wall) => {
            Boundary::MappedWall(MappedWall { wall, groups: shape.groups.clone(), first: shape.aux.len() })
        }
        other => other,
    };
    let capacity = shape.aux.len() + geometry(D).len() - 1;
    Problem {
        boundary: problem.boundary.map(|sides| sides.map(side)),
        aux: Some(Arc::new(aux)),
        positive_aux: problem.positive_aux.iter().copied().chain([capacity]).collect(),
        aux_outside: AuxOutside::Position,
        scheme: Scheme { capacity: capacity as i32, ..problem.scheme },
        ..problem
    }
}

/// What a mesh from a file adds to the problem.
fn on_mesh<const D: usize>(
    case: &Case,
    (file, in_time): (&MeshFile, Arc<MeshInTime>),
    (reduced, own): (&Option<Arc<ReducedParameters>>, Option<Arc<dyn BoundaryFunction<D>>>),
) -> Result<OnMesh<D>, RunError> {
    let inflow = case.inflow_of_mesh::<D>(reduced);
    let rule = |((kind, name), inflow): ((&case::BoundaryKind, &String), Option<ExpressionBoundary<D>>)| {
        Ok::<_, RunError>(match (kind, inflow) {
            (_, Some(values)) => Boundary::User(Arc::new(values)),
            (case::BoundaryKind::User, _) => {
                let missing = || missing(case, &format!("mesh.boundary.{name}"), "boundary values");
                Boundary::User(own.clone().ok_or_else(missing)?)
            }
            (case::BoundaryKind::Wall, _) => Boundary::Wall(Wall::Slip),
            (case::BoundaryKind::Clamped, _) => Boundary::Wall(Wall::Clamped),
            (case::BoundaryKind::Free, _) => Boundary::Wall(Wall::Free),
            _ => Boundary::Extrapolate,
        })
    };
    let sides = file.sides.iter().zip(&file.mesh.boundary.names);
    let rules = sides.zip(inflow).map(rule).collect::<Result<_, _>>()?;
    let shape = case.shape();
    let boost = Boost::of(D, &shape.equations, &shape.groups);
    let sides = MeshSides::new(in_time, (shape.groups.clone(), boost), rules);
    let interpolates = file.scheme.order > 1 && file.gradients_of == case::Interpolated::Primitive;
    let variables = interpolates.then(|| Arc::new(case.primitive_variables()));
    let formula = |(field, _)| if let CriterionField::Formula(of) = field { Some(of.around()) } else { None };
    let marked_by = case.criterion_fields::<D>(reduced).into_iter().filter_map(formula).collect();
    let nodes = case.nodes_by_formulas().map(|(formulas, leaves)| (Arc::new(formulas), leaves));
    let (scheme, forest) = (file.scheme, file.forest.clone());
    Ok(OnMesh { scheme, variables, sides: Arc::new(sides), forest, marked_by, nodes })
}

/// The mistake of a case that wants what only a solver or a program could give.
fn missing(case: &Case, key: &str, what: &str) -> CaseErrors {
    case.error(
        key,
        format!("the solver `{}` provides no {what}", case.shape().name),
        "write an expression or a kind by name; \"user\" needs a solver or a program that provides it",
    )
}

/// What the largest values are asked for of in `[reduce]`, then in `time.stop_when`, if there is anything: as a function of a cell or a patch, or of a
/// mesh from a file, whose positions it knows.
fn extremes<const D: usize>(
    case: &Case,
    reduced: &Option<Arc<ReducedParameters>>,
    in_time: Option<Arc<MeshInTime>>,
) -> [Option<Arc<dyn StateFunction<D>>>; 2] {
    let all: Vec<WholeFormula<D>> = case.reductions().into_iter().chain(case.stop_condition(reduced)).collect();
    let formulas: Vec<Formula<D>> = all.iter().flat_map(WholeFormula::of_cells).cloned().collect();
    let mapping = case.mapping::<D>().filter(|_| case.mesh.file.is_none()).zip(case.mapping_formulas());
    if formulas.is_empty() {
        return [None, None];
    }
    let on_mesh = in_time.is_some();
    let function = Formula::within_patches(formulas, case.shape().equations.len(), mapping, in_time);
    if on_mesh && function.by_block().is_some() { [None, Some(function)] } else { [Some(function), None] }
}

/// The problem of a case. `reduced`: the solver's parameters that change from step to step, if there are any; `adjoint`: the criterion by the
/// adjoint problem, if there is one.
pub(super) fn problem<const D: usize>(
    case: &Case,
    user: UserFunctions<D>,
    (reduced, adjoint): (Option<Arc<ReducedParameters>>, Option<Criterion<D>>),
) -> Result<Problem<D>, RunError> {
    let in_time = case.mesh_in_time();
    let mapping = in_time.as_ref().map(|mesh| Arc::new(centroids(mesh))).or_else(|| case.mapping::<D>());
    // Sides of a mesh from a file are where they are.
    let own_sides = user.boundary.clone();
    let user = match mapping.as_ref().zip(case.mapping_formulas()) {
        Some((mapping, positions)) => at_positions(mapping, &positions, user),
        None => user,
    };
    let (shape, settled) = (case.shape(), case.settled());
    let missing = |key: &str, what: &str| missing(case, key, what);
    let boundary_of = |kind, d: usize, inflow: Option<ExpressionBoundary<D>>| {
        Ok::<_, RunError>(match kind {
            case::BoundaryKind::Extrapolate => Boundary::Extrapolate,
            case::BoundaryKind::Wall => Boundary::Wall(Wall::Slip),
            case::BoundaryKind::Clamped => Boundary::Wall(Wall::Clamped),
            case::BoundaryKind::Free => Boundary::Wall(Wall::Free),
            case::BoundaryKind::Periodic | case::BoundaryKind::Folded => Boundary::Periodic,
            case::BoundaryKind::Inflow => {
                let values = inflow.unwrap_or_else(|| unreachable!("checked: an inflow has values"));
                Boundary::User(Arc::new(values))
            }
            case::BoundaryKind::User => {
                let key = format!("mesh.boundary.{}", ["x", "y", "z"][d]);
                Boundary::User(user.boundary.clone().ok_or_else(|| missing(&key, "boundary values"))?)
            }
        })
    };
    let mut boundary = Vec::new();
    for (d, inflow) in case.inflow::<D>(&reduced).into_iter().enumerate() {
        let [lower, upper] = case.mesh.boundary[d];
        let [at_lower, at_upper] = inflow;
        boundary.push([boundary_of(lower, d, at_lower)?, boundary_of(upper, d, at_upper)?]);
    }
    let initial = case.initial_cells::<D>().map(|cells| Arc::new(cells) as Arc<dyn CellFunction<D>>);
    let aux = case.aux_cells::<D>().map(|cells| Arc::new(cells) as Arc<dyn CellFunction<D>>);
    let source = case.source_terms::<D>(&reduced).map(|rows| Arc::new(rows) as Arc<dyn StateFunction<D>>);
    // Formulas of a mapped mesh have been written in computational coordinates; those of a mesh from a file get the cells' centroids.
    let [flag, extremes] = extremes(case, &reduced, in_time.clone());
    let own = UserFunctions { initial, aux, source, flag, boundary: None };
    let UserFunctions { initial, aux, source, flag: of_cell, .. } =
        match mapping.as_ref().zip(case.mapping_formulas().filter(|_| case.mesh.file.is_some())) {
            Some((mapping, positions)) => at_positions(mapping, &positions, own),
            None => own,
        };
    let flag = case.criterion::<D>(&reduced);
    let tolerance = case.regrid.flag.tolerance;
    let aux = aux.or(user.aux);
    if aux.is_none() && !shape.aux.is_empty() {
        return Err(missing("aux", "auxiliary values").into());
    }
    let source = source.or(user.source);
    if source.is_none() && case.source.is_given() {
        return Err(missing("source", "source terms").into());
    }
    let source_split = match (case.scheme.source, &source) {
        (None, Some(_)) => SourceSplit::Godunov,
        _ => settled.source,
    };
    let problem = Problem {
        domain: case.mesh.domain(),
        boundary: boundary.try_into().unwrap_or_else(|_| unreachable!("one entry per axis")),
        initial: initial.or(user.initial).ok_or_else(|| missing("initial", "initial data"))?,
        aux,
        positive_aux: positive_aux(case),
        aux_outside: case.mesh.aux_outside,
        source,
        own_source_at: mapping
            .clone()
            .zip(case.mapping_formulas())
            .filter(|_| shape.has_source)
            .map(|(mapping, positions)| SourceCentres::new(mapping, positions)),
        criterion: match case.regrid.flag.criterion {
            // Leaves are flagged by `simulation::leaves`.
            _ if case.mesh.file.is_some() => Criterion::Difference { tolerance },
            case::Criterion::Curvature => Criterion::Difference { tolerance },
            case::Criterion::Difference => flag.map_or(Criterion::Difference { tolerance }, Criterion::User),
            case::Criterion::Richardson => Criterion::Richardson { tolerance, of_estimate: None },
            // Without further levels nothing is flagged.
            case::Criterion::Adjoint => adjoint.unwrap_or(Criterion::Difference { tolerance }),
            case::Criterion::User => Criterion::User(
                flag.or(user.flag).ok_or_else(|| missing("regrid.flag.criterion", "refinement criterion"))?,
            ),
        },
        extremes: of_cell.or(extremes),
        scheme: scheme(case),
        cfl_desired: settled.cfl_desired,
        split: settled.split,
        looks_beside: shape.looks_beside,
        source_split,
        conservation_fix: case.regrid.conservation_fix,
        reduced,
        on_mesh: None,
    };
    let problem = match case.mesh.file.as_ref().zip(in_time) {
        Some(mesh) => {
            let on_mesh = on_mesh(case, mesh, (&problem.reduced, own_sides))?;
            Problem { on_mesh: Some(on_mesh), ..problem }
        }
        None => problem,
    };
    Ok(match &mapping {
        Some(mapping) if case.solves_in_frames() => mapped(case, mapping, problem),
        _ => problem,
    })
}

/// Logs settings that the case does not choose and whose defaults are unusual with this solver.
pub(super) fn remark<const D: usize>(case: &Case, problem: &Problem<D>) {
    let has_source = case.shape().has_source || problem.source.is_some();
    let idle = has_source && problem.source_split == SourceSplit::None;
    let (solver, ResolvedSettings { split, cfl_desired, cfl_max, stable_courant, .. }) =
        (&case.shape().name, *case.settled());
    if case.scheme.split.is_none() && split != Split::Unsplit {
        info!(solver, split = split.name(), "the solver has no `transverse`: the scheme uses dimensional splitting");
    }
    match stable_courant {
        Some(bound) if bound < 1.0 && !case.scheme.allow_unstable => {
            info!(bound, cfl_desired, cfl_max, "the scheme is stable at small Courant numbers only");
        }
        Some(bound) if bound >= cfl_max => {}
        bound => warn!(bound, cfl_max, "scheme.allow_unstable: the scheme is not stable up to time.cfl_max"),
    }
    if idle {
        warn!(solver, "scheme.source is \"none\": the source term does not act");
    }
}

pub(super) fn settings<const D: usize>(case: &Case, num_ghost: i32) -> Settings<D> {
    let settled = case.settled();
    let ratios: Vec<Ratio<D>> = case.levels.ratio.iter().map(|r| Ratio(axes(r))).collect();
    let largest = || ratios.iter().map(|r| r.largest() as u32).collect();
    let mapping = case.mapping::<D>();
    let place = |place: &case::RegionPlace| match place {
        case::RegionPlace::Box { lower, upper } => RegionPlace::Box { lower: axes(lower), upper: axes(upper) },
        case::RegionPlace::Polygon { rings, along, extent } => {
            RegionPlace::Shape(Arc::new(Shape::new(rings, (*along, *extent), mapping.clone())))
        }
    };
    let region = |r: &case::Region| RefinementRegion {
        coarsest: r.coarsest,
        finest: r.finest,
        place: place(&r.place),
        time: r.time,
    };
    let cluster = match case.regrid.cluster {
        ClusterKind::BergerRigoutsos => {
            Clustering::BergerRigoutsos(ClusterParams { cutoff: case.regrid.cutoff, ..ClusterParams::default() })
        }
        ClusterKind::Tiles => Clustering::Tiles(case.regrid.tile_size),
    };
    let span = [case.time.start, case.time.end];
    let frames = case.output.frames.times(span[0], span[1]).unwrap_or_default();
    // The length of local steps is their Courant number.
    let longest_first = if case.mesh.file.as_ref().is_some_and(|file| file.steady.is_some()) {
        settled.cfl_desired
    } else {
        f64::INFINITY
    };
    Settings {
        time_ratios: case.levels.ratio_time.as_ref().map_or_else(largest, |r| r.iter().map(|&r| r as u32).collect()),
        regrid: RegridOptions {
            buffer: case.regrid.buffer,
            cluster,
            // A mesh from a file is one row.
            max_patch_size: if case.mesh.file.is_some() { i32::MAX } else { case.regrid.max_patch_size },
            nesting_width: nesting_width(num_ghost, &ratios),
            regions: case.regrid.region.iter().map(region).collect(),
        },
        ratios,
        regrid_interval: case.regrid.interval,
        start: case.time.start,
        dt_initial: case.time.dt.unwrap_or(case.time.dt_initial.min(longest_first)),
        dt_fixed: case.time.dt,
        dt_max: case.time.dt_max,
        dt_max_in_time: longest_in_time(span, &frames),
        reduced_in_time: case.reductions::<D>().iter().any(WholeFormula::depends_on_time),
        cfl_desired: settled.cfl_desired,
        cfl_max: settled.cfl_max,
        max_retries: case.time.max_retries,
        end: case.time.end,
        growth_limit: case.time.growth_limit,
        allow_unstable: case.scheme.allow_unstable,
    }
}
