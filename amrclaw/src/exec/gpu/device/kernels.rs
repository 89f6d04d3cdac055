//! The kernels of a run: which, and what they are compiled for.

use super::{CaseFunctions, case_functions};
use crate::exec::step::{sweeps, swept_scheme};
use crate::physics::{Problem, SideSigns};
use crate::threads::parallel_map;
use cuda::amr::kernels::{
    BOUNDARY_FUNCTION, CELLS_BEYOND, EVALUATE, EXTREMES, FLAG_FUNCTION, LEAVES_VALUES, MOTION_NODES, Row,
    SOURCE_FUNCTION,
};
use cuda::amr::{CaseFunction, CellLimiter, CellShape, Group, Shape, TileShape, UpdateOptions};
use cuda::compile::{MOST_REDUCED, REDUCED_PARAMETERS, Source, Target};
use cuda::{ConstantArray, CudaError, Device, Kernel};
use riemann::device_source::DeviceSource;
use riemann::patch::{PatchSolver, Scheme};
use riemann::real::Precision;
use riemann::real::Scalar;
use unstructured::step::{Limiter, SolvedBy, TimeStep};

/// What a run's kernels are compiled for.
#[derive(Clone, Debug)]
pub struct KernelOptions {
    /// Sizes that the kernels are specialised by.
    pub shape: Shape,
    /// The scheme of a sweep.
    pub scheme: Scheme,
    /// Axes of each kind of sweep; none on a mesh from a file.
    pub sweeps: Vec<[bool; 3]>,
    /// Who solves faces on a mesh from a file.
    pub solved_by: Option<SolvedBy>,
    /// Nodes of the mesh follow others by springs.
    pub springs: bool,
    /// Precision, fused operations, the solver.
    pub target: Target,
    /// Keep what the conservation fix needs.
    pub conservation_fix: bool,
    /// Functions of the problem that kernels compute.
    pub functions: CaseFunctions,
}

/// One kernel to compile, or several in one text.
#[derive(Clone, Debug)]
pub struct KernelText {
    /// The text.
    pub source: Source,
    /// What to compile it for.
    pub target: Target,
    /// Entry points, and the names that they are launched by.
    pub entries: Vec<[&'static str; 2]>,
}

/// Launch name of the kernel that computes auxiliary values.
pub(in crate::exec) const EVALUATE_AUX: &str = "evaluate_aux";
/// The same for physical positions of cells.
pub(in crate::exec) const EVALUATE_CENTRES: &str = "evaluate_centres";
/// The same for initial data.
pub(in crate::exec) const EVALUATE_INITIAL: &str = "evaluate_initial";

/// Launch name of the update along some axes. `keeps_faces`: it keeps corrections for the conservation fix.
pub fn update_name(axes: [bool; 3], keeps_faces: bool) -> &'static str {
    match (axes, keeps_faces) {
        ([true, true, true], true) => "update_xyz",
        ([true, true, true], false) => "update_xyz_alone",
        ([true, true, _], true) => "update_xy",
        ([true, true, _], false) => "update_xy_alone",
        ([true, ..], true) => "update_x",
        ([true, ..], false) => "update_x_alone",
        ([_, true, _], true) => "update_y",
        ([_, true, _], false) => "update_y_alone",
        (_, true) => "update_z",
        (_, false) => "update_z_alone",
    }
}

impl KernelOptions {
    /// The kernels of a problem in `D` dimensions. `fused`: allow fused multiply-adds.
    pub fn of<const D: usize, R: Scalar>(
        problem: &Problem<D>,
        solver: &dyn PatchSolver<R>,
        text: DeviceSource,
        fused: bool,
    ) -> Self {
        let mut sweeps: Vec<[bool; 3]> =
            sweeps::<D>(problem.split, problem.looks_beside).iter().map(|sweep| sweep.axes).collect();
        sweeps.sort_unstable();
        sweeps.dedup();
        if problem.on_mesh.is_some() {
            sweeps.clear();
        }
        let scheme = swept_scheme(problem);
        let shape = Shape {
            dim: D,
            num_ghost: problem.num_ghost(),
            equations: solver.equations().len(),
            aux: solver.aux().len(),
            capacity: scheme.capacity,
            sourced: problem.applies_sources(solver.has_source()),
            aux_face: solver.aux_face().iter().map(|axis| axis.map_or(-1, |axis| axis as i32)).collect(),
            aux_signs: SideSigns::of_aux::<D>(solver.aux_groups(), solver.aux().len()).bits().to_vec(),
            cells: problem.on_mesh.as_ref().map(|on_mesh| CellShape {
                order: on_mesh.scheme.order,
                limiter: match on_mesh.scheme.limiter {
                    Limiter::None => CellLimiter::None,
                    Limiter::BarthJespersen => CellLimiter::BarthJespersen,
                    Limiter::Venkatakrishnan => CellLimiter::Venkatakrishnan,
                },
                is_local: on_mesh.scheme.is_local,
                from_before: on_mesh.scheme.time.from_before(),
                predicts: on_mesh.scheme.time == TimeStep::Hancock,
                variables: on_mesh
                    .variables
                    .as_ref()
                    .map(|of| case_functions::of_variables(of, solver.equations().len())),
                moves: on_mesh.sides.in_time.moves(),
                refines: on_mesh.is_refined_by_kernels() && R::BYTES == f64::BYTES && solver.aux().is_empty(),
                groups: on_mesh.sides.groups().to_vec(),
            }),
        };
        let functions = CaseFunctions::of(problem, &text);
        let reduced: Vec<String> = problem.reduced.iter().flat_map(|reduced| reduced.names()).cloned().collect();
        assert!(reduced.len() <= MOST_REDUCED, "checked with the case");
        let text = DeviceSource { reduced, ..text };
        let target = Target { precision: Precision::of::<R>(), fused, solver: Some(text) };
        let solved_by = problem.on_mesh.as_ref().map(|on_mesh| on_mesh.scheme.solved_by);
        let springs = problem.on_mesh.as_ref().is_some_and(|on_mesh| on_mesh.sides.in_time.follows());
        let conservation_fix = problem.conservation_fix && solved_by.is_none();
        KernelOptions { shape, scheme, sweeps, solved_by, springs, target, conservation_fix, functions }
    }

    fn solver(&self) -> &DeviceSource {
        self.target.solver.as_ref().expect("the kernels of a run have a solver")
    }

    /// Threads of a block of the update that [`KernelOptions::updates`] names first.
    pub(in crate::exec) fn update_threads(&self) -> u32 {
        TileShape::new(self.sweeps[0], self.shape.equations, self.target.precision).threads()
    }

    /// All texts to compile: the groups of the registry that the run needs, and its updates.
    pub fn texts(&self) -> Vec<KernelText> {
        let needed = |group: &Group| match group {
            Group::Regions | Group::Fill | Group::Regrid | Group::Plan => true,
            Group::Means => self.shape.capacity >= 0 || self.solver().has_transfer,
            Group::Registers => self.conservation_fix,
            Group::Source => self.solver().has_source,
            _ => false,
        };
        let groups = Group::ALL.into_iter().filter(needed).chain(self.of_mesh()).map(|group| self.group(group));
        groups.chain(self.updates()).chain(self.of_case()).collect()
    }

    /// The groups of a stage on a mesh from a file.
    fn of_mesh(&self) -> impl Iterator<Item = Group> {
        let stage = self.solved_by.map(|by| match by {
            SolvedBy::Cells => Group::CellLoop,
            SolvedBy::Faces => Group::FaceLoop,
        });
        let is_second = self.shape.cells.as_ref().is_some_and(|cells| cells.order > 1);
        let [refines, moves] = [|cells: &CellShape| cells.refines, |cells: &CellShape| cells.moves]
            .map(|has| self.shape.cells.as_ref().is_some_and(has));
        let others = [(self.springs, Group::Springs), (refines, Group::Leaves), (moves, Group::Motion)];
        let others = others.into_iter().filter_map(|(is_needed, group)| is_needed.then_some(group));
        stage.into_iter().chain(is_second.then_some(Group::FaceStates)).chain(others)
    }

    /// The texts of the kernels that call functions of the case.
    pub fn of_case(&self) -> impl Iterator<Item = KernelText> {
        let CaseFunctions {
            flag, extremes, source, aux, centres, initial, boundary, leaf_values, beyond, nodes, ..
        } = &self.functions;
        let text = |row: &'static Row, name: &'static str, function: &Option<CaseFunction>| {
            let (source, target) = self.shape.text_of_case(row.group, function.as_ref()?, &self.target);
            let others = row.group.rows().map(|row| [row.name; 2]).filter(|[other, _]| *other != row.name);
            Some(KernelText { source, target, entries: others.chain([[row.name, name]]).collect() })
        };
        let all = [
            text(FLAG_FUNCTION.row, FLAG_FUNCTION.row.name, flag),
            text(EXTREMES.row, EXTREMES.row.name, extremes),
            text(SOURCE_FUNCTION.row, SOURCE_FUNCTION.row.name, source),
            text(EVALUATE.row, EVALUATE_AUX, aux),
            text(EVALUATE.row, EVALUATE_CENTRES, centres),
            text(EVALUATE.row, EVALUATE_INITIAL, initial),
            text(BOUNDARY_FUNCTION.row, BOUNDARY_FUNCTION.row.name, boundary),
            text(CELLS_BEYOND.row, CELLS_BEYOND.row.name, beyond),
            text(LEAVES_VALUES.row, LEAVES_VALUES.row.name, leaf_values),
            text(MOTION_NODES.row, MOTION_NODES.row.name, nodes),
        ];
        all.into_iter().flatten()
    }

    /// The text of a group.
    pub fn group(&self, group: Group) -> KernelText {
        let (source, target) = self.shape.text(group, &self.target);
        KernelText { source, target, entries: group.rows().map(|row| [row.name; 2]).collect() }
    }

    /// The texts of the updates.
    pub fn updates(&self) -> impl Iterator<Item = KernelText> {
        let kinds = [false, true].into_iter().filter(|&keeps| !keeps || self.conservation_fix);
        self.sweeps.iter().flat_map(move |&axes| kinds.clone().map(move |keeps_faces| self.update(axes, keeps_faces)))
    }

    fn update(&self, axes: [bool; 3], keeps_faces: bool) -> KernelText {
        let solver = self.solver();
        let options = UpdateOptions::of_scheme(&self.scheme, solver.waves, axes, keeps_faces);
        let source = options.source(solver, self.target.precision);
        let entry = [options.entry(), update_name(axes, keeps_faces)];
        KernelText { source, target: self.target.clone(), entries: vec![entry] }
    }
}

/// The compiled kernels of a run.
pub(in crate::exec) struct CompiledKernels {
    /// By launch name.
    pub kernels: Vec<(&'static str, Kernel)>,
    /// Where they read the solver's parameters that change from step to step.
    pub parameters: Vec<ConstantArray>,
}

/// Compiles all texts in parallel, or loads their machine code from disk.
pub(in crate::exec) fn compile(device: &Device, texts: &[KernelText]) -> Result<CompiledKernels, CudaError> {
    let compile = |n: usize| {
        let text = &texts[n];
        let module = device.compile(&text.source, &text.target)?;
        let parameters = module.constant_array(device, REDUCED_PARAMETERS)?;
        let entries = text.entries.iter().map(|[entry, name]| Ok((*name, module.kernel(entry)?)));
        Ok((entries.collect::<Result<Vec<_>, CudaError>>()?, parameters))
    };
    let compiled = parallel_map(texts.len(), compile).into_iter().collect::<Result<Vec<_>, CudaError>>()?;
    let (kernels, parameters): (Vec<_>, Vec<_>) = compiled.into_iter().unzip();
    Ok(CompiledKernels { kernels: kernels.concat(), parameters: parameters.into_iter().flatten().collect() })
}
