//! Cells of a mesh from a file that are refined. After every `regrid.interval` steps leaves are flagged and get new levels; of the new leaves
//! the mesh is made, and with it the problem and its executor; or the executor makes them, and the mesh is made when the host asks for it.

use super::build::problem;
use super::gauge::middle_of;
use super::leaf_values::{Values, of_cell};
use super::{RunError, ScheduleState, Simulation};
use crate::case::{Case, Criterion as Word, CriterionField};
use crate::diagnose::Phase;
use crate::exec::{LeafMarks, LeavesMade, LevelState, MarkedBy, NewValues};
use crate::index::{CellBox, Level};
use crate::mesh::Hierarchy;
use crate::physics::{CellRow, MeshSides, ReducedParameters, UserFunctions};
use crate::regrid::RefinementRegion;
use crate::threads::parallel_table;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Instant;
use tracing::debug;
use unstructured::Mesh;
use unstructured::adapt::{
    Before, Forest, Leaves, Links, curvature, differences, differences_of_families, of_families, transfer,
};
use unstructured::step::{Gradient, stencil};

/// The leaves, and what the problem is made of again on each mesh.
pub(super) struct Refined<const D: usize> {
    case: Case,
    functions: UserFunctions<D>,
    reduced: Option<Arc<ReducedParameters>>,
    forest: Arc<Forest>,
    leaves: Leaves,
    links: Links,
    flags: Flags<D>,
    /// Those that the executor has made since.
    newer: Mutex<Newer>,
}

/// Leaves that the executor has made.
#[derive(Default)]
enum Newer {
    /// None.
    #[default]
    None,
    /// The host has not asked which.
    NotAsked,
    Known(Leaves, Links),
}

/// Which leaves to divide.
enum Flags<const D: usize> {
    Differences(Vec<(CriterionField<D>, f64)>),
    /// With the share of the tolerance above which leaves are not joined.
    Curvature(Vec<(CriterionField<D>, f64)>, f64),
    Where(CriterionField<D>),
}

impl<const D: usize> Refined<D> {
    /// The cells of the case as leaves, if they are refined.
    pub fn new(
        case: &Case,
        functions: UserFunctions<D>,
        reduced: Option<Arc<ReducedParameters>>,
    ) -> Result<Option<Self>, RunError> {
        let Some(forest) = case.mesh.file.as_ref().and_then(|file| file.forest.clone()) else { return Ok(None) };
        let fields = || case.criterion_fields::<D>(&reduced);
        let flags = match case.regrid.flag.criterion {
            Word::Curvature => Flags::Curvature(fields(), case.regrid.flag.keep),
            Word::User => {
                let of_program = || functions.flag.clone().map(CriterionField::Function);
                let flag = fields().pop().map(|(formula, _)| formula).or_else(of_program);
                let message = format!("the solver `{}` provides no refinement criterion", case.shape().name);
                let help = "write `expression = \"...\"` under `[regrid.flag]`";
                Flags::Where(flag.ok_or_else(|| case.error("regrid.flag.criterion", message, help))?)
            }
            _ => Flags::Differences(fields()),
        };
        let curves = case.mesh.file.as_ref().is_some_and(|file| !file.curves.is_empty() && file.mesh.dim == 3);
        if let Some(at) = curves.then(|| forest.torn(&|name, at| case.on_curve(name, at))).flatten() {
            let message = format!("moves the middle of an edge at {at:?} for some of its cells alone");
            return Err(case.error("mesh.curves", message, "write curves that agree where sides meet").into());
        }
        let leaves = forest.undivided();
        let links = forest.links(&leaves, None);
        Ok(Some(Refined {
            case: case.clone(),
            functions,
            reduced,
            forest,
            leaves,
            links,
            flags,
            newer: Mutex::default(),
        }))
    }

    /// The mesh of leaves, which have been made of those `before`; that of the file if none is divided.
    fn mesh(&self, (leaves, links): (&Leaves, &Links), before: Option<&Before<'_>>) -> Result<Arc<Mesh>, RunError> {
        let curve = |name: usize, at: [f64; 3]| self.case.on_curve(name, at);
        let file = self.case.mesh.file.as_ref().expect("a mesh from a file");
        if leaves.len() == file.mesh.num_cells() {
            return Ok(file.mesh.clone());
        }
        let curves = !file.curves.is_empty();
        let mut mesh = self.forest.mesh(leaves, links, before, curves.then_some(&curve));
        let asked = file.scheme.order > 1 && file.scheme.gradient == Gradient::LeastSquares;
        if asked && self.case.motion().is_none() && mesh.stencil.is_none() {
            // The criterion and the scheme ask for it.
            mesh.stencil = Some(stencil(&mesh, Gradient::LeastSquares));
        }
        if let Some(cell) = curves.then(|| mesh.first_folded()).flatten() {
            let message = format!("folds a cell at {:?}", mesh.centroid[cell]);
            return Err(self
                .case
                .error("mesh.curves", message, "write curves that lie nearer to the file's sides")
                .into());
        }
        Ok(Arc::new(mesh))
    }

    /// Levels that the case allows.
    pub fn levels(&self) -> usize {
        self.case.levels.max
    }

    /// The leaves as text, those of the executor if the host has asked for them.
    pub fn text(&self) -> String {
        match &*self.newer.lock() {
            Newer::Known(leaves, _) => self.forest.text(leaves),
            _ => self.forest.text(&self.leaves),
        }
    }

    /// By which quantities an executor marks leaves, with the tolerances of those that stay and of those that are not joined; `None` where only
    /// the host does.
    fn marked_by(&self) -> Option<Vec<(usize, [f64; 2])>> {
        let has_curves = self.case.mesh.file.as_ref().is_some_and(|file| !file.curves.is_empty());
        let mut formulas = self.case.shape().equations.len()..;
        let mut of = |field: &CriterionField<D>, tolerances: [f64; 2]| match field {
            CriterionField::Equation(m) => Some((*m, tolerances)),
            CriterionField::Formula(_) => formulas.next().map(|number| (number, tolerances)),
            CriterionField::Function(_) => None,
        };
        let (fields, keep) = match &self.flags {
            _ if has_curves => return None,
            Flags::Curvature(fields, keep) => (fields, *keep),
            Flags::Differences(fields) => (fields, 1.0),
            Flags::Where(field) => return of(field, [0.0; 2]).map(|field| vec![field]),
        };
        fields.iter().map(|(field, tolerance)| of(field, [*tolerance, keep * tolerance])).collect()
    }

    /// Whether each leaf is flagged, and whether it is not joined.
    fn flagged(&self, (sides, mesh): (&MeshSides<D>, &Mesh), time: f64, (q, aux): (&[f64], &[f64])) -> Vec<[bool; 2]> {
        let values = |values| Values::new((sides, mesh), time, values);
        let fine = values((q, aux));
        // The mean of brothers in all of them.
        let families = || self.forest.families(&self.leaves);
        let coarse = |families: &[u32]| [q, aux].map(|values| of_families(mesh, families, values));
        let mut flags = vec![[false; 2]; mesh.num_cells()];
        let mut add = |which: usize, values: &[f64], above: f64| {
            flags.iter_mut().zip(values).for_each(|(flags, value)| flags[which] |= *value > above);
        };
        match &self.flags {
            Flags::Differences(fields) => {
                let families = families();
                let [q, aux] = &coarse(&families);
                let coarse = values((q, aux));
                for (field, tolerance) in fields {
                    let (field, coarse) = (fine.field(field), coarse.field(field));
                    add(0, &differences(mesh, &field), *tolerance);
                    let (of, values) = ((&self.leaves.level[..], &families[..]), (&field[..], &coarse[..]));
                    add(1, &differences_of_families((mesh, &self.links), of, values), *tolerance);
                }
            }
            Flags::Curvature(fields, keep) => {
                for (field, tolerance) in fields {
                    let field = fine.field(field);
                    let values = curvature(mesh, &fine.gradients(&field), &field);
                    add(0, &values, *tolerance);
                    add(1, &values, keep * tolerance);
                }
            }
            Flags::Where(flag) => {
                let of = |values: &Values<'_>| values.field(flag).into_iter().map(f64::abs).collect::<Vec<_>>();
                add(0, &of(&fine), 0.0);
                let [q, aux] = &coarse(&families());
                add(1, &of(&values((q, aux))), 0.0);
            }
        }
        flags
    }

    /// The levels that leaves should have: of the flags, of those near them, and of regions.
    fn wanted(
        &self,
        (sides, mesh): (&MeshSides<D>, &Mesh),
        time: f64,
        values: (&[f64], &[f64]),
        (buffer, regions): (i32, &[RefinementRegion<D>]),
    ) -> Vec<u8> {
        let (levels, finest) = (&self.leaves.level, self.levels() as u8 - 1);
        let wish = |(level, flags): (&u8, [bool; 2])| match flags {
            [true, _] => (level + 1).min(finest),
            [_, true] => *level,
            _ => level.saturating_sub(1),
        };
        let mut wanted: Vec<u8> = levels.iter().zip(self.flagged((sides, mesh), time, values)).map(wish).collect();
        for _ in 0..buffer {
            let near = |leaf: usize| {
                let behind = self.links.row(leaf).iter().filter(|link| !link.is_boundary());
                let most = behind.map(|link| wanted[link.to as usize]).max().unwrap_or(0);
                wanted[leaf].max(most.min(levels[leaf] + 1))
            };
            let next = parallel_table(wanted.len(), near);
            if next == wanted {
                break;
            }
            wanted = next;
        }
        let active: Vec<_> = regions.iter().filter(|r| r.time[0] <= time && time <= r.time[1]).collect();
        if !active.is_empty() {
            for (leaf, wanted) in wanted.iter_mut().enumerate() {
                let nodes = mesh.cells.nodes.row(leaf).iter().map(|&node| mesh.points[node as usize]);
                let corners: Vec<[f64; D]> = nodes.map(|at| std::array::from_fn(|d| at[d])).collect();
                let mut here = active.iter().filter(|region| region.touches(&corners)).peekable();
                if here.peek().is_some() {
                    let [low, high] = here
                        .fold([0; 2], |[low, high], region| [region.coarsest.0.max(low), region.finest.0.max(high)]);
                    *wanted = (*wanted).clamp(low, high.max(low));
                }
            }
        }
        wanted.iter_mut().for_each(|level| *level = (*level).min(finest));
        wanted
    }
}

impl<const D: usize> Simulation<D> {
    /// Gives leaves the levels that they should have now; false if these are what they are. `starts`: initial data are taken anew, and no
    /// leaves are joined.
    pub(super) fn renew_leaves(&mut self, starts: bool) -> Result<bool, RunError> {
        if self.refined.is_none() {
            return Ok(false);
        }
        let clock = Instant::now();
        let renewed = match if starts { LeavesMade::ByHost } else { self.renew_by_executor()? } {
            LeavesMade::Same => Ok(false),
            LeavesMade::New(count) => self.take_leaves(count).map(|()| true),
            LeavesMade::ByHost => {
                self.learn_leaves()?;
                let mut refined = self.refined.take().expect("leaves");
                if let Newer::Known(leaves, links) = std::mem::take(refined.newer.get_mut()) {
                    (refined.leaves, refined.links) = (leaves, links);
                }
                let renewed = self.renew(&mut refined, starts);
                self.refined = Some(refined);
                renewed
            }
        };
        self.work.counts.regrids += u64::from(!starts);
        if !starts {
            // What a start takes is booked as a whole.
            self.work.stopwatch.book(Phase::Regrid, clock.elapsed());
        }
        renewed
    }

    fn renew_by_executor(&mut self) -> Result<LeavesMade, RunError> {
        let (refined, regrid) = (self.refined.as_ref().expect("leaves"), &self.settings.regrid);
        let fields = refined.marked_by().filter(|_| regrid.regions.is_empty() && self.gauges.is_empty());
        let by = match refined.flags {
            Flags::Differences(_) => MarkedBy::Differences,
            Flags::Curvature(..) => MarkedBy::Curvature,
            Flags::Where(_) => MarkedBy::Values,
        };
        let (finest, leaves) = (refined.levels() as u32 - 1, &refined.leaves);
        let marks = LeafMarks { fields: fields.as_deref(), by, buffer: regrid.buffer, finest, leaves };
        Ok(self.exec.renew_leaves(&marks)?)
    }

    /// Goes on with so many leaves that the executor has made. The host's mesh is the old one until [`Simulation::learn_leaves`].
    fn take_leaves(&mut self, count: usize) -> Result<(), RunError> {
        *self.refined.as_mut().expect("leaves").newer.get_mut() = Newer::NotAsked;
        let row = CellBox::new([0; D], std::array::from_fn(|d| if d == 0 { count as i32 } else { 1 }));
        self.memory.check([&[row][..]].into_iter())?;
        let domain = &mut self.problem.domain;
        (domain.cells, domain.upper) = (row.size(), row.size().map(f64::from));
        self.begin_row();
        self.adopt(None, NewValues::OfLeaves)?;
        debug!(leaves = count, "leaves renewed by the executor");
        Ok(())
    }

    /// Makes the mesh of the leaves that the executor has made, if it is not known yet.
    pub(super) fn learn_leaves(&self) -> Result<(), RunError> {
        let Some(refined) = &self.refined else { return Ok(()) };
        let mut newer = refined.newer.lock();
        if matches!(*newer, Newer::NotAsked) {
            let leaves = self.exec.leaves()?.expect("the executor has made them");
            let links = refined.forest.links(&leaves, None);
            let mesh = refined.mesh((&leaves, &links), None)?;
            self.problem.on_mesh.as_ref().expect("a problem on a mesh").sides.in_time.replace(mesh);
            *newer = Newer::Known(leaves, links);
        }
        Ok(())
    }

    fn renew(&mut self, refined: &mut Refined<D>, starts: bool) -> Result<bool, RunError> {
        let sides = self.problem.on_mesh.as_ref().expect("a problem on a mesh").sides.clone();
        let before = sides.in_time.now();
        let state = self.exec.snapshot(Level::COARSEST);
        let (q, aux) = (&state.q[0], &state.aux[0]);
        let options = (self.settings.regrid.buffer, &self.settings.regrid.regions[..]);
        let mut wanted = refined.wanted((&sides, &before), self.time, (q, aux), options);
        if starts {
            wanted.iter_mut().zip(&refined.leaves.level).for_each(|(wanted, own)| *wanted = (*wanted).max(*own));
        }
        let forest = refined.forest.clone();
        let levels = forest.settle(&refined.leaves, &refined.links, &wanted);
        if levels == refined.leaves.level {
            return Ok(false);
        }
        let renewed = forest.renewed(&refined.leaves, &levels);
        let row = CellBox::new([0; D], std::array::from_fn(|d| if d == 0 { renewed.leaves.len() as i32 } else { 1 }));
        self.memory.check([&[row][..]].into_iter())?;
        let links = forest.links(&renewed.leaves, Some((&refined.links, &renewed)));
        let known = Before { mesh: &sides.mesh(), links: &refined.links, renewed: &renewed };
        let mesh = refined.mesh((&renewed.leaves, &links), Some(&known))?;
        (refined.leaves, refined.links) = (renewed.leaves.clone(), links);
        self.put_on(refined, mesh)?;
        let after = self.problem.on_mesh.as_ref().expect("a problem on a mesh").sides.in_time.now();
        let quantities = self.kernels.double.positive().len() + self.kernels.double.nonnegative().len();
        let is_fine = |father: usize, state: &[f64]| {
            let mut values = vec![0.0; quantities];
            self.kernels.double.quantities(state, &of_cell(aux, before.num_cells(), father), &mut values);
            let (positive, nonnegative) = values.split_at(self.kernels.double.positive().len());
            positive.iter().all(|&value| value > 0.0) && nonnegative.iter().all(|&value| value >= 0.0)
        };
        let q = if starts { Vec::new() } else { transfer((&before, &after), &renewed, q, &is_fine) };
        if starts {
            self.adopt(None, NewValues::Initial(self.time))?;
            return Ok(true);
        }
        let cells = CellRow {
            geometry: self.hierarchy.geometry(Level::COARSEST),
            first: [0; D],
            len: refined.leaves.len(),
            time: self.time,
        };
        let mut aux = vec![0.0; self.names.aux.len() * cells.len];
        if let Some(function) = &self.problem.aux {
            function.fill_row(&cells, &mut aux);
        }
        let (q, aux, time) = (vec![q], vec![aux], self.time);
        let given = |_: Level, _: &dyn Fn(usize) -> bool| LevelState { time, q: q.clone(), aux: aux.clone() };
        self.adopt(None, NewValues::Given(&given))?;
        debug!(leaves = refined.leaves.len(), "leaves renewed");
        Ok(true)
    }

    /// Puts the problem on another mesh; there are no values yet.
    fn put_on(&mut self, refined: &mut Refined<D>, mesh: Arc<Mesh>) -> Result<(), RunError> {
        let case = refined.case.on_mesh(mesh, Arc::new(refined.leaves.clone()));
        self.problem = problem::<D>(&case, refined.functions.clone(), (refined.reduced.clone(), None))?;
        let in_time = &self.problem.on_mesh.as_ref().expect("a problem on a mesh").sides.in_time;
        in_time.set_time(self.time);
        let mesh = in_time.now();
        for gauge in &mut self.gauges {
            gauge.move_to(middle_of(mesh.cell_at(&gauge.position).unwrap_or(0)));
        }
        self.exec.prepare_steps(false, Some(&self.problem))?;
        self.begin_row();
        Ok(())
    }

    /// The hierarchy of the problem's row of cells, without plans.
    fn begin_row(&mut self) {
        let coarsest = vec![self.problem.domain.coarsest()];
        self.hierarchy = Hierarchy::new(self.problem.domain.clone(), self.settings.ratios.clone(), coarsest);
        (self.plans, self.saved, self.next.filled) = (Arc::new(Vec::new()), None, 0..0);
    }

    /// Takes the leaves of a checkpoint.
    pub(super) fn load_leaves(&mut self, case: &Case, state: &ScheduleState) -> Result<(), RunError> {
        let help = "restart with the case that wrote the checkpoint";
        let Some(text) = &state.leaves else { return Ok(()) };
        let Some(mut refined) = self.refined.take() else {
            return Err(case.error("levels.max", "is 1, but the checkpoint's cells are refined", help).into());
        };
        let other = || case.error("mesh.file", "is not the mesh whose cells the checkpoint has refined", help);
        refined.leaves = refined.forest.leaves_of(text).ok_or_else(other)?;
        refined.links = refined.forest.links(&refined.leaves, None);
        let mesh = refined.mesh((&refined.leaves, &refined.links), None)?;
        self.put_on(&mut refined, mesh)?;
        self.refined = Some(refined);
        Ok(())
    }
}
