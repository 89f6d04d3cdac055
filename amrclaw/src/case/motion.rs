//! `[mesh.motion]`: where the nodes of a mesh from a file are, by formulas of where the file has them and of time; `[mesh.curves]`: where new nodes of
//! its sides go, before the mesh moves.

use super::Case;
use super::choice::BoundaryKind;
use super::names::{check_names, compile, parameters};
use super::reader::Reader;
use super::sections::AXES;
use super::settings::{CaseSettings, MeshFile};
use super::shape::SolverShape;
use crate::formula::{Expression, Input, Names};
use crate::physics::{Formulas, Quantity};
use std::sync::Arc;
use unstructured::adapt::{Forest, Leaves};
use unstructured::motion::{Around, MeshInTime, Solve, SpringsAt};
use unstructured::step::Boost;

/// Part of a run's time in which a mesh moves little, for its speed at a time.
const MOMENT: f64 = 1e-6;

/// Compiles the formulas, one for each axis, and notes what does not move with a mesh.
pub(super) fn check(reader: &mut Reader<'_>, case: &CaseSettings, shape: &SolverShape) -> Option<Vec<Expression>> {
    const KEY: &str = "mesh.motion";
    let file = case.mesh.file.as_ref().filter(|file| !file.motion.is_empty())?;
    let axes = AXES[..shape.dimension].iter().map(|&axis| axis.to_owned());
    let axes: Vec<String> = axes.collect();
    check_names(reader, &file.motion, &axes, "axis", shape);
    let message =
        format!("the waves of the solver `{}` are parts of the flux, which no face that moves can share", shape.name);
    reader.check(!shape.fwaves, KEY, message, "use a solver whose waves are parts of the jump, or remove the motion");
    reader.check(file.steady.is_none(), KEY, "a mesh that moves has no steady state", "remove `scheme.steady`");
    for (name, kind) in file.mesh.boundary.names.iter().zip(&file.sides) {
        let reflects = matches!(kind, BoundaryKind::Wall);
        let known = Boost::of(shape.dimension, &shape.equations, &shape.groups).is_some();
        let message = match kind {
            BoundaryKind::Clamped | BoundaryKind::Free => {
                "a side of a solid cannot be followed by a mesh that moves".to_owned()
            }
            _ if reflects && !known => {
                format!(
                    "the solver `{}` has neither one velocity nor a momentum beside `density` or `depth`",
                    shape.name
                )
            }
            _ => continue,
        };
        let help = "write \"extrapolate\" or \"inflow\", or remove the motion";
        reader.wrong(&format!("mesh.boundary.{name}"), message, help);
    }
    let variables = axes.iter().cloned().chain(["t".to_owned()]);
    let names = Names { constants: parameters(&case.solver, shape), ..Names::variables(variables) };
    let given = |axis: &String| file.motion.iter().find(|formula| formula.name == *axis);
    let stays = |axis: &String| Expression::compile(axis, &names).expect("an axis is a name");
    let compiled =
        axes.iter().map(|axis| given(axis).map_or(Some(stays(axis)), |given| compile(reader, given, &names)));
    compiled.collect::<Vec<_>>().into_iter().collect()
}

/// Compiles the formulas of curves, one for each axis.
pub(super) fn check_curves(
    reader: &mut Reader<'_>,
    case: &CaseSettings,
    shape: &SolverShape,
) -> Vec<(usize, Vec<Expression>)> {
    let curves = case.mesh.file.iter().flat_map(|file| &file.curves);
    let axes: Vec<String> = AXES[..shape.dimension].iter().map(|&axis| axis.to_owned()).collect();
    let names = Names { constants: parameters(&case.solver, shape), ..Names::variables(axes.iter().cloned()) };
    let mut compiled = Vec::new();
    for (name, formulas) in curves {
        check_names(reader, formulas, &axes, "axis", shape);
        let of = |axis: &String| match formulas.iter().find(|formula| formula.name == *axis) {
            Some(formula) => compile(reader, formula, &names),
            None => Some(Expression::compile(axis, &names).expect("an axis is a name")),
        };
        compiled.extend(
            axes.iter().map(of).collect::<Vec<_>>().into_iter().collect::<Option<Vec<_>>>().map(|all| (*name, all)),
        );
    }
    compiled
}

impl Case {
    /// Where a new node of a side goes, by the number of the side's name.
    pub(crate) fn on_curve(&self, name: usize, at: [f64; 3]) -> [f64; 3] {
        on_curve(self.curves(), name, at)
    }

    /// Where the nodes of a mesh from a file are, by formulas of where the file has them, and the leaves that its cells are, if one is divided; nothing
    /// where curves move their nodes too.
    pub(crate) fn nodes_by_formulas(&self) -> Option<(Formulas, Option<Arc<Leaves>>)> {
        let (expressions, file) = (self.motion()?, self.mesh.file.as_ref()?);
        let leaves = divided(file).map(|(_, leaves)| leaves);
        if leaves.is_some() && !file.curves.is_empty() {
            return None;
        }
        let place = (0..file.mesh.dim).map(Quantity::Centre);
        Some((Expression::graph(expressions, place.chain([Quantity::Time])), leaves))
    }

    /// The mesh from a file and how it moves.
    pub(crate) fn mesh_in_time(&self) -> Option<Arc<MeshInTime>> {
        let file = self.mesh.file.as_ref()?;
        let mesh = match self.motion() {
            None => MeshInTime::new(file.mesh.clone(), None),
            Some(formulas) => {
                let moment = MOMENT * (self.time.end - self.time.start);
                moving(file, (formulas.to_vec(), self.curves().to_vec()), moment)
            }
        };
        mesh.set_time(self.time.start);
        Some(Arc::new(mesh))
    }
}

/// Where a new node of a side goes.
fn on_curve(curves: &[(usize, Vec<Expression>)], name: usize, at: [f64; 3]) -> [f64; 3] {
    let Some((_, formulas)) = curves.iter().find(|(own, _)| *own == name) else { return at };
    [0, 1, 2].map(|d| formulas.get(d).map_or(at[d], |formula| formula.eval(&at[..formulas.len()])))
}

/// The leaves that the cells of a mesh are; of one of which no cell is divided they are the file's.
fn divided(file: &MeshFile) -> Option<(Arc<Forest>, Arc<Leaves>)> {
    let is_divided = |(forest, leaves): &(Arc<Forest>, Arc<Leaves>)| leaves.len() > forest.roots().num_cells();
    file.forest.clone().zip(file.leaves.clone()).filter(is_divided)
}

/// A mesh that moves by formulas, and by springs where the file has these. `moment`: a time in which nothing changes much.
fn moving(
    file: &MeshFile,
    (formulas, curves): (Vec<Expression>, Vec<(usize, Vec<Expression>)>),
    moment: f64,
) -> MeshInTime {
    let refined = divided(file);
    let still = refined.as_ref().map_or(&file.mesh, |(forest, _)| forest.roots()).clone();
    let columns: Vec<Vec<f64>> =
        (0..formulas.len()).map(|d| still.points.iter().map(|point| point[d]).collect()).collect();
    let (roots, of_nodes) = (still.clone(), formulas.clone());
    let given = Arc::new(move |time: f64| {
        let row = columns.iter().map(|column| Input::Row(column)).chain([Input::Uniform(time)]);
        let inputs: Vec<Input<'_>> = row.collect();
        let (mut points, mut values) = (roots.points.clone(), vec![0.0; roots.points.len()]);
        for (d, formula) in formulas.iter().enumerate() {
            formula.eval_row(&inputs, &mut values);
            points.iter_mut().zip(&values).for_each(|(point, value)| point[d] = *value);
        }
        points
    });
    let (by_formulas, roots, follow) = (given.clone(), still.clone(), file.follow.clone());
    let nodes = move |time: f64| {
        let points =
            follow.as_ref().map_or_else(|| by_formulas(time), |follow| follow.points(&roots, time, &*by_formulas));
        match &refined {
            Some((forest, leaves)) => {
                let curve = |name: usize, at: [f64; 3]| on_curve(&curves, name, at);
                let now = |at: [f64; 3]| {
                    let inputs: Vec<f64> = at[..of_nodes.len()].iter().copied().chain([time]).collect();
                    [0, 1, 2].map(|d| of_nodes.get(d).map_or(at[d], |formula| formula.eval(&inputs)))
                };
                forest.points(leaves, &points, (!curves.is_empty()).then_some((&curve, &now)))
            }
            None => points,
        }
    };
    let springs = file.follow.clone().map(|follow| {
        let ahead = move |time: f64, solve: &Solve<'_>, look: &mut dyn FnMut(&Around<'_>)| {
            follow.look(&still, time, &*given, solve, look);
        };
        Arc::new(ahead) as Arc<SpringsAt>
    });
    MeshInTime::new(file.mesh.clone(), Some((Arc::new(nodes), moment))).following(springs)
}
