//! The functions of a problem that kernels compute, as CUDA C++.

use super::around_text::{self, Place};
use super::formula_text::{AROUND_HEAD, known, lines, number};
use super::{Machine, TableBuilder, adjoint_text};
use crate::physics::{
    Boundary, Criterion, DeviceForm, FaceVariables, Formulas, MappedFormulas, MappedWall, Problem, StateFunction,
};
use cuda::CudaError;
use cuda::amr::{CaseFunction, mapped_cells};
use riemann::device_source::DeviceSource;
use riemann::frame::{no_face, turned_text};
use riemann::group::{Group, GroupKind, Wall, walls};
use std::fmt::Write;
use std::sync::Arc;
use unstructured::step::Boost;

/// The functions of a problem that kernels compute; the host computes the others.
#[derive(Clone, Debug, Default)]
pub struct CaseFunctions {
    /// The refinement criterion.
    pub flag: Option<CaseFunction>,
    /// Numbers that it reads.
    pub flag_numbers: Option<Arc<[f64]>>,
    /// Values whose largest ones are asked for.
    pub extremes: Option<CaseFunction>,
    /// The source term.
    pub source: Option<CaseFunction>,
    /// Auxiliary values.
    pub aux: Option<CaseFunction>,
    /// Physical positions of mapped cells, for the solver's own source.
    pub centres: Option<CaseFunction>,
    /// Initial data.
    pub initial: Option<CaseFunction>,
    /// What lies beyond sides of the domain: all sides' functions in one text; nothing if there are none.
    pub boundary: Option<CaseFunction>,
    /// Formulas that flag leaves of a mesh from a file, if kernels refine it.
    pub leaf_values: Option<CaseFunction>,
    /// What lies beyond the sides of a mesh from a file; nothing if kernels cannot compute one of them.
    pub beyond: Option<CaseFunction>,
    /// Where the nodes of a mesh from a file are, if formulas alone say it.
    pub nodes: Option<CaseFunction>,
}

impl CaseFunctions {
    /// The functions of a problem. `solver`: the solver's text, which may contain some of them.
    pub fn of<const D: usize>(problem: &Problem<D>, solver: &DeviceSource) -> Self {
        let made = |device_form: Option<DeviceForm>, num_values: usize, checks: bool| {
            let (text, solves) = match device_form? {
                DeviceForm::Formulas(formulas) => (text(&formulas, solver.equations), false),
                DeviceForm::Mapped(formulas) => (geometry_text(&formulas), false),
                DeviceForm::Around(formulas) => {
                    (around_text::text(Place::Cell, &[formulas], D, solver.equations), false)
                }
                DeviceForm::Within(formulas) => (around_text::text(Place::Cell, &formulas, D, solver.equations), false),
                DeviceForm::Adjoint(form) => (adjoint_text::text(&form), false),
                DeviceForm::OfSolver if solver.has_flag => (flag_of_solver(CENTRE), true),
                DeviceForm::OfSolverAt(positions) if solver.has_flag => {
                    (function("map_position", &positions) + &flag_of_solver(POSITION), true)
                }
                DeviceForm::OfSolver | DeviceForm::OfSolverAt(_) => return None,
            };
            Some(CaseFunction { text, solves: solves || checks, num_values, positive: Vec::new() })
        };
        let flag = match &problem.criterion {
            Criterion::User(function) => function.device_form(),
            Criterion::Difference { .. } | Criterion::Richardson { .. } => None,
        };
        let extremes = problem.extremes.as_ref();
        let num_extremes = extremes.map_or(0, |of| of.num_values());
        let flag_numbers = match &flag {
            Some(DeviceForm::Adjoint(form)) => Some(form.values.clone()),
            _ => None,
        };
        let around = |form: Option<DeviceForm>, num_values: usize| {
            let of_cell = if let Some(DeviceForm::Formulas(_)) = form { OF_CELL } else { "" };
            made(form, num_values, false).map(|of| CaseFunction { text: of.text + of_cell, ..of })
        };
        let source = problem.source.as_ref();
        let gives_state = source.is_some_and(|function| function.implicit().is_some());
        let source = made(source.and_then(|function| function.device_form()), solver.equations, solver.has_positive);
        let aux = made(problem.aux.as_ref().and_then(|function| function.device_form()), solver.aux, false);
        let centres = problem.own_source_at.as_ref().map(|centres| text(&centres.positions, solver.equations));
        CaseFunctions {
            centres: centres.map(|text| CaseFunction { text, solves: false, num_values: D, positive: Vec::new() }),
            flag: around(flag, 1),
            extremes: around(extremes.and_then(|of| of.device_form()), num_extremes),
            flag_numbers,
            source: source.map(|source| CaseFunction { text: source_head(gives_state) + &source.text, ..source }),
            aux: aux.map(|aux| CaseFunction { positive: problem.positive_aux.clone(), ..aux }),
            initial: made(problem.initial.device_form(), solver.equations, solver.has_positive),
            boundary: boundaries(problem, solver),
            leaf_values: leaf_values(problem, solver.equations),
            beyond: beyond_mesh(problem, solver),
            nodes: nodes(problem),
        }
    }

    /// The numbers that the criterion reads, in a device's memory.
    pub(in crate::exec) fn send_flag_numbers<N: Machine>(&self, machine: &N) -> Result<N::Memory, CudaError> {
        let mut table = TableBuilder::default();
        table.append_all(self.flag_numbers.as_deref().unwrap_or_default());
        table.send(machine)
    }
}

/// The functions of all sides that have one; `None` if there are none, or if kernels cannot compute one of them.
fn boundaries<const D: usize>(problem: &Problem<D>, solver: &DeviceSource) -> Option<CaseFunction> {
    let (mut text, mut positions) = (String::from(BOUNDARY_HEAD), None);
    let (mut any, mut solves) = (false, solver.has_positive);
    for (axis, sides) in problem.boundary.iter().enumerate() {
        for (side, boundary) in sides.iter().enumerate() {
            let lines = match boundary {
                Boundary::MappedWall(wall) => reflection::<D>(wall, axis),
                Boundary::User(function) => match function.device_form()? {
                    DeviceForm::Formulas(formulas) => lines(&formulas, |quantity| known(quantity, solver.equations)),
                    DeviceForm::OfSolver if solver.has_boundary => {
                        solves = true;
                        boundary_of_solver(CENTRE, OF_BOX)
                    }
                    DeviceForm::OfSolverAt(mapping) if solver.has_boundary => {
                        (solves, positions) = (true, Some(mapping));
                        boundary_of_solver(POSITION, OF_BOX)
                    }
                    DeviceForm::OfSolver
                    | DeviceForm::OfSolverAt(_)
                    | DeviceForm::Mapped(_)
                    | DeviceForm::Around(_)
                    | DeviceForm::Within(_)
                    | DeviceForm::Adjoint(_) => return None,
                },
                // A rule for indices alone.
                _ => continue,
            };
            any = true;
            let _ = write!(text, "    if (axis == {axis} && side == {side}) {{\n{lines}    }}\n");
        }
    }
    let text = positions.map_or(String::new(), |positions| function("map_position", &positions)) + &text + "}\n";
    any.then_some(CaseFunction { text, solves, num_values: solver.equations, positive: Vec::new() })
}

/// The formulas that flag leaves, if kernels refine the mesh.
fn leaf_values<const D: usize>(problem: &Problem<D>, equations: usize) -> Option<CaseFunction> {
    let on_mesh = problem.on_mesh.as_ref().filter(|on_mesh| on_mesh.is_refined_by_kernels())?;
    let (formulas, num_values) = (&on_mesh.marked_by, on_mesh.marked_by.len());
    let text = || around_text::text(Place::Leaf, formulas, D, equations);
    (num_values > 0).then(|| CaseFunction { text: text(), solves: true, num_values, positive: Vec::new() })
}

/// Where the nodes of a mesh from a file are, if formulas alone say it.
fn nodes<const D: usize>(problem: &Problem<D>) -> Option<CaseFunction> {
    let (formulas, _) = problem.on_mesh.as_ref()?.nodes.as_ref()?;
    let lines = lines(formulas, |quantity| known(quantity, 0));
    let text =
        format!("__device__ __forceinline__ void case_nodes(const Spotted& at, double* values)\n{{\n{lines}}}\n");
    Some(CaseFunction { text, solves: false, num_values: D, positive: Vec::new() })
}

/// The rules of all sides of a mesh from a file, by the numbers of their names; `None` if kernels cannot compute one of them.
fn beyond_mesh<const D: usize>(problem: &Problem<D>, solver: &DeviceSource) -> Option<CaseFunction> {
    let sides = &problem.on_mesh.as_ref()?.sides;
    let boost = sides.boost().filter(|_| sides.in_time.moves());
    let mut text = boost.map_or(String::new(), added_velocity);
    text += "__device__ __forceinline__ void case_beyond(\n    unsigned rule, const Spotted& at, const FaceFrame& frame, \
             const Array<double, 3>& velocity, const State& q, double* values)\n{\n    for (int m = 0; m < M; m++) values[m] = q[m];\n";
    for (number, rule) in sides.rules().iter().enumerate() {
        let lines = match rule {
            Boundary::Wall(wall) => {
                let wall = walls(sides.groups()).iter().position(|known| known == wall)?;
                // Seen from a wall that moves, and back.
                let image = match boost {
                    Some(_) => {
                        format!("add_velocity(frame.mirror(add_velocity(q, velocity, -1.0), {wall}), velocity, 1.0)")
                    }
                    None => format!("frame.mirror(q, {wall})"),
                };
                format!("    const State image = {image};\n    for (int m = 0; m < M; m++) values[m] = image[m];\n")
            }
            Boundary::User(function) => match function.device_form()? {
                DeviceForm::Formulas(formulas) => lines(&formulas, |quantity| known(quantity, solver.equations)),
                DeviceForm::OfSolver if solver.has_boundary => boundary_of_solver(CENTRE, IN_FRAME),
                _ => return None,
            },
            _ => continue,
        };
        let _ = write!(text, "    if (rule == {number}) {{\n{lines}    }}\n");
    }
    let functions = (0..sides.rules().len()).filter(|&name| sides.is_function(name));
    let of_case: String = functions.map(|name| format!(" || rule == {name}")).collect();
    text += &format!("}}\n__device__ __forceinline__ bool is_function(unsigned rule) {{ return false{of_case}; }}\n");
    Some(CaseFunction { text, solves: true, num_values: solver.equations, positive: Vec::new() })
}

/// The variables that are interpolated to the faces of a mesh from a file, and the states with these.
pub(super) fn of_variables<const D: usize>(variables: &FaceVariables<D>, equations: usize) -> String {
    let both = [("case_variables", &variables.primitive), ("case_state", &variables.conserved)];
    let text = |(name, function): (&str, &Arc<dyn StateFunction<D>>)| {
        let Some(DeviceForm::Formulas(formulas)) = function.device_form() else { unreachable!("they are formulas") };
        let lines = lines(&formulas, |quantity| known(quantity, equations));
        format!("__device__ __forceinline__ void {name}({STATE_AND_AUX}, double* values)\n{{\n{lines}}}\n")
    };
    both.map(text).concat()
}

/// Arguments of functions of a cell's values alone.
const STATE_AND_AUX: &str = "const Array<double, M>& q, const Array<double, A>& aux";

/// The function that adds a velocity to a state, times a sign: [`Boost`].
fn added_velocity(boost: &Boost) -> String {
    let density = boost.density.map_or("1.0".to_owned(), |at| format!("q[{at}]"));
    let first = boost.vector;
    let energy =
        boost.energy.map_or(String::new(), |at| format!("q[{at}] += u * (q[{first} + d] + 0.5 * density * u); "));
    format!(
        "__device__ __forceinline__ State add_velocity(State q, const Array<double, 3>& velocity, double sign)\n{{\n    \
         if (velocity[0] == 0.0 && velocity[1] == 0.0 && velocity[2] == 0.0) return q;\n    const double density = {density};\n    \
         for (int d = 0; d < DIM; d++) {{\n        const double u = sign * velocity[d];\n        {energy}q[{first} + d] += density * u;\n    \
         }}\n    return q;\n}}\n"
    )
}

/// The beginning of the function for all sides.
const BOUNDARY_HEAD: &str = "__device__ __forceinline__ void case_boundary(\n    const Point& at, \
                             int axis, int side, const Array<double, M>& q, const Array<double, A>& beside, double* values)\n{\n";

/// The reflection at the wall of a mapped grid: [`MappedWall::reflect`].
fn reflection<const D: usize>(wall: &MappedWall, axis: usize) -> String {
    let first = wall.face::<D>(axis);
    let mut text = format!(
        "    for (int m = 0; m < M; m++) values[m] = q[m];\n    const double twice = beside[{0}] + beside[{0}];\n",
        first + axis
    );
    let component = |d: usize| match (D, d == axis) {
        (2, _) => format!("beside[{}]", first + d),
        (_, true) => format!("(twice * beside[{}]) - 1.0", first + d),
        (_, false) => format!("twice * beside[{}]", first + d),
    };
    let normal: Vec<String> = (0..D).map(component).collect();
    let _ = writeln!(text, "    const double normal[] = {{{}}};", normal.join(", "));
    let components: Vec<String> = (0..D).map(|d| format!("double& v{d}")).collect();
    let product = |d: usize| format!("(v{d} * normal[{d}])");
    let across = (1..D).fold(product(0), |sum, d| format!("({sum} + {})", product(d)));
    let is_free = |group: &Group| (group.kind, wall.wall) == (GroupKind::Tensor, Wall::Free);
    let stays = |group: &Group| {
        matches!(
            (group.kind, wall.wall),
            (GroupKind::Vector, Wall::Clamped | Wall::Free) | (GroupKind::Tensor, Wall::Clamped)
        )
    };
    let (along, others): (Vec<Group>, Vec<Group>) =
        wall.groups.iter().filter(|group| !stays(group)).partition(|group| is_free(group));
    for (name, share, groups) in [("along", "across", along), ("mirror", "(across + across)", others)] {
        let lines: Vec<String> = (0..D).map(|d| format!("v{d} = v{d} - {share} * normal[{d}];")).collect();
        let (components, lines) = (components.join(", "), lines.join(" "));
        let _ =
            writeln!(text, "    const auto {name} = [&]({components}) {{ const double across = {across}; {lines} }};");
        text += &turned_text(name, "values", "double", &groups, D);
    }
    for group in &wall.groups {
        let line = |m: usize| match (group.kind, wall.wall) {
            (GroupKind::Tensor, Wall::Free) => format!("    values[{m}] = (values[{m}] + values[{m}]) - q[{m}];\n"),
            (GroupKind::Vector | GroupKind::OutOfPlane, Wall::Clamped) => format!("    values[{m}] = -values[{m}];\n"),
            (kind, _) if kind.is_pseudo() => format!("    values[{m}] = -values[{m}];\n"),
            _ => String::new(),
        };
        text.extend(group.components(D).map(line));
    }
    text
}

/// Defines the centre of a cell, and its physical position.
const CENTRE: &str =
    "    Array<double, 3> x{{0.0, 0.0, 0.0}};\n    for (int d = 0; d < DIM; d++) x[d] = at.centre(d);\n";
const POSITION: &str = "    Array<double, 3> x{{0.0, 0.0, 0.0}};\n    map_position(at, &x[0]);\n";

/// The state beyond a side of a box, and in the frame of a face of a mesh from a file.
const OF_BOX: &str = "solver.boundary(Axis(axis), Side(side), x, at.t, q)";
const IN_FRAME: &str = "frame.leave(solver.boundary(Axis(0), Side(1), x, at.t, frame.enter(q)))";

/// Calls the solver's own boundary function. `centre`: [`CENTRE`] or [`POSITION`]; `ghost`: [`OF_BOX`] or [`IN_FRAME`].
fn boundary_of_solver(centre: &str, ghost: &str) -> String {
    format!(
        "{centre}    const Solver solver{{SOLVER_PARAMETERS}};\n    const State ghost = {ghost};\n    \
         for (int m = 0; m < M; m++) values[m] = ghost[m];\n"
    )
}

/// The beginning of a function of a case.
const HEAD: &str = "__device__ __forceinline__ void case_function(\n    const Point& at, const Array<double, M>& q, \
                    const Array<double, A>& aux, double* values)\n{\n";

/// Says whether the function of a source gives the state after a time, or rates of change.
fn source_head(gives_state: bool) -> String {
    format!("enum {{ GIVES_STATE = {} }};\n", u8::from(gives_state))
}

/// Makes one of a function of the cell alone.
const OF_CELL: &str = "template <class Around> __device__ __forceinline__ void case_around(const Around& here, double* values)\n{\n    \
     case_function(here.point(0, 0, 0), here.q(0, 0, 0), here.aux(0, 0, 0), values);\n}\n";

/// The solver's own criterion. `centre`: [`CENTRE`] or [`POSITION`].
fn flag_of_solver(centre: &str) -> String {
    format!(
        "{AROUND_HEAD}    const Point at = here.point(0, 0, 0);\n{centre}    const Solver solver{{SOLVER_PARAMETERS}};\n    \
         const auto q = here.q(0, 0, 0);\n    Array<State, 3> below{{{{q, q, q}}}}, above{{{{q, q, q}}}};\n    \
         for (int d = 0; d < DIM; d++) {{\n        below[d] = here.q(-(d == 0), -(d == 1), -(d == 2));\n        \
         above[d] = here.q(d == 0, d == 1, d == 2);\n    }}\n    \
         values[0] = solver.flag(x, at.t, q, here.aux(0, 0, 0), below, above) ? 1.0 : 0.0;\n}}\n"
    )
}

/// Formulas as a function of a cell, or of a position alone if they read nothing else.
fn function(name: &str, formulas: &Formulas) -> String {
    let head =
        format!("template <class Where> __device__ __forceinline__ void {name}(const Where& at, double* values)");
    format!("{head}\n{{\n{}}}\n", lines(formulas, |quantity| known(quantity, 0)))
}

/// Formulas of a cell with so many equations, as a function.
fn text(formulas: &Formulas, num_eqn: usize) -> String {
    format!("{HEAD}{}}}\n", lines(formulas, |quantity| known(quantity, num_eqn)))
}

/// The solver's own auxiliary values of a mapped grid's cells, and their geometry.
fn geometry_text(mapped: &MappedFormulas) -> String {
    let MappedFormulas { positions, lower, upper, finest, dx, periodic, beyond, walls, faces_behind_walls, own } =
        mapped;
    let numbers = |values: &[f64]| values.iter().map(|&value| number(value)).collect::<Vec<_>>().join(", ");
    let finest: Vec<String> = finest.iter().map(i32::to_string).collect();
    let periodic: Vec<String> = periodic.iter().map(bool::to_string).collect();
    let beyond: Vec<String> =
        beyond.iter().map(|[lower, upper]| format!("{{{}, {}}}", lower.number(), upper.number())).collect();
    let mark = |wall: &Wall| format!("{{{}}}", numbers(&no_face(*wall)));
    let marks: Vec<String> =
        walls.iter().map(|[lower, upper]| format!("{{{}, {}}}", mark(lower), mark(upper))).collect();
    format!(
        "__device__ const int MAP_FINEST[] = {{{}}}, NUM_OWN = {};\n__device__ const double MAP_DX[] = {{{}}}, \
         MAP_LOWER[] = {{{}}}, MAP_UPPER[] = {{{}}};\n__device__ const bool MAP_PERIODIC[] = {{{}}}, \
         MAP_FACES_BEHIND_WALLS = {faces_behind_walls};\n__device__ const int MAP_BEYOND[][2] = {{{}}};\n\
         __device__ const double MAP_NO_FACE[][2][2] = {{{}}};\n{}{}{}",
        finest.join(", "),
        own.results().len(),
        numbers(dx),
        numbers(lower),
        numbers(upper),
        periodic.join(", "),
        beyond.join(", "),
        marks.join(", "),
        function("map_position", positions),
        function("own_values", own),
        mapped_cells(lower.len()),
    )
}
