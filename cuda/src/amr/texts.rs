//! The texts that kernels are compiled from, and what these are specialised by.

use super::kernels::Group;
use super::tuning::{
    BLOCK_PLANES, CHUNK_WARPS, CLUSTER_THREADS, DIVIDE_THREADS, FLAG_THREADS, LEAVES_THREADS, PLAN_THREADS,
    SUM_THREADS, THREADS,
};
use super::{
    CellShape, Chunk, FaceRun, Lattice, LevelView, NO_ITEM, Patch, Region, RegionTable, RunTable, SHAPE_WORDS,
};
use crate::abi::DeviceStruct;
use crate::compile::{Source, Target, type_name};
use riemann::frame::FaceSums;
use riemann::patch::PACK_OVERRUN;
use riemann::real::Precision;

/// What the kernels are specialised by.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Dimensions: 1, 2 or 3.
    pub dim: usize,
    /// Ghost cells on every side of a patch.
    pub num_ghost: i32,
    /// Equations.
    pub equations: usize,
    /// Auxiliary values.
    pub aux: usize,
    /// Component of aux that holds the capacity, or −1.
    pub capacity: i32,
    /// For each auxiliary value the normal of the faces it lives on, or −1.
    pub aux_face: Vec<i32>,
    /// For each auxiliary value a bit for each side, `2 axis + side`, beyond whose walls its sign changes.
    pub aux_signs: Vec<u8>,
    /// Steps apply source terms.
    pub sourced: bool,
    /// The cells are those of a mesh from a file.
    pub cells: Option<CellShape>,
}

/// A function of the case that kernels call.
#[derive(Clone, Debug)]
pub struct CaseFunction {
    /// Its definition in CUDA C++: `__device__ void case_function(const Point& at, const Array<double, M>& q, const Array<double, A>&
    /// aux, double* values)`; for boundaries `__device__ void case_boundary(const Point& at, int axis, int side, const Array<double, M>& q,
    /// const Array<double, A>& beside, double* values)`, where `beside` are the auxiliary values of the cell whose lower face lies on the
    /// side. See `kernels/functions.cuh`.
    pub text: String,
    /// The function's text, or the kernel's, calls the solver.
    pub solves: bool,
    /// Number of values that it gives.
    pub num_values: usize,
    /// Which of them must be positive.
    pub positive: Vec<usize>,
}

/// The function that gives auxiliary values the geometry of a mapped mesh in `dim` dimensions, two or three. The definition of the mapping
/// must come before it: see `kernels/mapped_nodes.cuh`.
pub fn mapped_cells(dim: usize) -> String {
    let [plane, space] =
        [include_str!("../../kernels/mapped_plane.cuh"), include_str!("../../kernels/mapped_space.cuh")];
    let faces = if dim == 3 { face_sums() + space } else { plane.to_owned() };
    let [nodes, cells] =
        [include_str!("../../kernels/mapped_nodes.cuh"), include_str!("../../kernels/mapped_cells.cuh")];
    [OUTSIDE, nodes, &faces, cells].concat()
}

/// The struct of the arithmetic of faces in space, which the host shares.
fn face_sums() -> String {
    let product = "static __device__ __forceinline__ double separate_product(double a, double b) { return a * b; }";
    format!("struct FaceSums {{\n    typedef double Real;\n    {product}\n{}}};\n", FaceSums::CUDA)
}

/// Texts that several groups include.
const BOXES: &str = include_str!("../../kernels/boxes.cuh");
const FORMULAS: &str = include_str!("../../kernels/formulas.cuh");
const OUTSIDE: &str = include_str!("../../kernels/outside.cuh");
const IN_CELLS: &str = include_str!("../../kernels/in_cells.cuh");
const AROUND: &str = include_str!("../../kernels/around.cuh");
const SOURCE_PLACE: &str = include_str!("../../kernels/source_place.cuh");
const GEOMETRY: &str = include_str!("../../kernels/geometry.cuh");
const DIVISION: &str = include_str!("../../kernels/division.cuh");
const LEAVES: &str = include_str!("../../kernels/leaves.cuh");
const CELLS: &str = include_str!("../../kernels/cells.cuh");
const TRANSFER: &str = include_str!("../../kernels/transfer.cuh");
const MAXIMA: &str = include_str!("../../kernels/maxima.cuh");
const FLAG_TILES: &str = include_str!("../../kernels/flag_tiles.cuh");

impl Shape {
    /// The text of a group, and the target to compile it for: with the solver of `target` if the group calls it.
    pub fn text(&self, group: Group, target: &Target) -> (Source, Target) {
        let mut definitions = vec![Patch::cuda_text(), Region::cuda_text(), FaceRun::cuda_text(), Chunk::cuda_text()];
        definitions.extend([RegionTable::cuda_text(), RunTable::cuda_text(), LevelView::cuda_text()]);
        for definition in group.rows().flat_map(|row| (row.structs)()) {
            if !definitions.contains(&definition) {
                definitions.push(definition);
            }
        }
        if definitions.contains(&Lattice::cuda_text()) {
            definitions.push(include_str!("../../kernels/lattice.cuh").to_owned());
        }
        let (file, includes): (_, &[&str]) = match group {
            Group::Regions => ("regions.cu", &[FLAG_TILES, OUTSIDE, MAXIMA]),
            Group::Fill => ("fill.cu", &[TRANSFER, include_str!("../../kernels/settled.cuh")]),
            Group::Regrid => (
                "regrid.cu",
                &[BOXES, include_str!("../../kernels/tags.cuh"), include_str!("../../kernels/signature.cuh")],
            ),
            Group::Plan => (
                "plan.cu",
                &[
                    BOXES,
                    OUTSIDE,
                    include_str!("../../kernels/surroundings.cuh"),
                    include_str!("../../kernels/plan.cuh"),
                ],
            ),
            Group::Means => ("conserve.cu", &[TRANSFER]),
            Group::Registers => (
                "registers.cu",
                &[include_str!("../../kernels/beside.cuh"), include_str!("../../kernels/register.cuh")],
            ),
            Group::Source => ("source.cu", &[OUTSIDE, SOURCE_PLACE]),
            Group::FlagFunction => ("flag_function.cu", &[IN_CELLS, AROUND, FLAG_TILES]),
            Group::Extremes => ("extremes.cu", &[IN_CELLS, AROUND, MAXIMA]),
            Group::SourceFunction => (
                "source_function.cu",
                &[IN_CELLS, OUTSIDE, SOURCE_PLACE, include_str!("../../kernels/source_step.cuh")],
            ),
            Group::Evaluate => ("evaluate.cu", &[IN_CELLS]),
            Group::BoundaryFunction => ("boundary_function.cu", &[IN_CELLS]),
            Group::CellLoop => ("cell_loop.cu", &[CELLS]),
            Group::FaceLoop => ("face_loop.cu", &[CELLS]),
            Group::FaceStates => ("face_states.cu", &[CELLS]),
            Group::CellsBeyond => ("cells_beyond.cu", &[IN_CELLS]),
            Group::Springs => ("springs.cu", &[include_str!("../../kernels/springs.cuh")]),
            Group::Motion => ("motion.cu", &[GEOMETRY, DIVISION, include_str!("../../kernels/motion.cuh")]),
            Group::MotionNodes => ("motion_nodes.cu", &[]),
            Group::Leaves => ("leaves.cu", &[GEOMETRY, DIVISION, LEAVES]),
            Group::LeafValues => ("leaves_values.cu", &[IN_CELLS, GEOMETRY, DIVISION, LEAVES]),
        };
        let has_faces = matches!(group, Group::Leaves | Group::LeafValues | Group::Motion);
        definitions.extend((has_faces && self.dim == 3).then(face_sums));
        if let Some(cells) = &self.cells
            && group.is_of_cells()
        {
            definitions.extend(cells.definitions(self.dim));
            definitions.extend(
                cells
                    .variables
                    .iter()
                    .filter(|_| group == Group::FaceStates)
                    .flat_map(|text| [FORMULAS.to_owned(), text.clone()]),
            );
        }
        let mut texts = vec![include_str!("../../kernels/patch.cuh"), include_str!("../../kernels/faces.cuh")];
        texts.extend(includes);
        texts.extend(group.rows().map(|row| row.text));
        let mut defines = self.defines();
        if let Some(CellShape { order, limiter, is_local, from_before, predicts, variables, moves, .. }) =
            self.cells.as_ref().filter(|_| group.is_of_cells())
        {
            defines.extend([("ORDER", order.to_string()), ("LIMITER", (*limiter as u32).to_string())]);
            let of = |is: bool| u8::from(is).to_string();
            defines.extend([
                ("IS_LOCAL", of(*is_local)),
                ("FROM_BEFORE", of(*from_before)),
                ("PREDICTS", of(*predicts)),
                ("HAS_VARIABLES", of(variables.is_some() && group == Group::FaceStates)),
                ("MOVES", of(*moves)),
            ]);
        }
        let solver = target.solver.clone().filter(|_| group.solves());
        if group.knows_no_values() {
            defines.retain(|(name, _)| !["CAPACITY", "AUX_FACE_LIST", "AUX_SIGNS_LIST", "SOURCES"].contains(name));
            if group == Group::Motion {
                defines.push(("VALUE", type_name(target.precision).to_owned()));
            }
            let target = Target { precision: Precision::F64, fused: false, solver };
            return (Source { file, texts, definitions, defines }, target);
        }
        if group == Group::Leaves {
            return (Source { file, texts, definitions, defines }, Target { solver, fused: false, ..target.clone() });
        }
        if solver.is_none() {
            // The numbers of components, which a solver's text would say.
            defines.extend([("M", self.equations.to_string()), ("A", self.aux.to_string())]);
        }
        (Source { file, texts, definitions, defines }, Target { solver, ..target.clone() })
    }

    /// The text of a group whose kernels call a function of the case. The function is computed in double precision whatever the arrays
    /// hold. Initial and auxiliary values, which are kept, are computed without fused operations: the host computes some of them again
    /// when a run is continued. So are extremes, so that parameters and the end of a run do not depend on the device.
    pub fn text_of_case(&self, group: Group, function: &CaseFunction, target: &Target) -> (Source, Target) {
        let solver = target.solver.clone().filter(|_| function.solves);
        let has_solver = solver.is_some();
        let fused = target.fused
            && !matches!(group, Group::Evaluate | Group::Extremes | Group::LeafValues | Group::MotionNodes);
        let double = Target { precision: Precision::F64, solver: None, fused };
        let (mut source, double) = self.text(group, &double);
        if has_solver {
            source.defines.retain(|(name, _)| !["M", "A"].contains(name));
        }
        source.defines.extend([
            ("VALUE", type_name(target.precision).to_owned()),
            ("NUM_VALUES", function.num_values.to_string()),
            ("POSITIVE_VALUES", format!("{:#x}ull", function.positive.iter().fold(0_u64, |bits, n| bits | 1 << n))),
            ("ON_MESH", u32::from(self.cells.is_some()).to_string()),
        ]);
        source.definitions.extend([include_str!("../../kernels/functions.cuh"), FORMULAS].map(str::to_owned));
        source.definitions.push(function.text.clone());
        (source, Target { solver, ..double })
    }

    fn defines(&self) -> Vec<(&'static str, String)> {
        let list = |numbers: Vec<String>| if numbers.is_empty() { "-1".to_owned() } else { numbers.join(", ") };
        vec![
            ("DIM", self.dim.to_string()),
            ("NUM_GHOST", self.num_ghost.to_string()),
            ("PACK_OVERRUN", PACK_OVERRUN.to_string()),
            ("CAPACITY", self.capacity.to_string()),
            ("BLOCK_PLANES", BLOCK_PLANES.to_string()),
            ("CHUNK_WARPS", CHUNK_WARPS.to_string()),
            ("SOURCES", u32::from(self.sourced).to_string()),
            ("CLUSTER_THREADS", CLUSTER_THREADS.to_string()),
            ("DIVIDE_THREADS", DIVIDE_THREADS.to_string()),
            ("FLAG_THREADS", FLAG_THREADS.to_string()),
            ("LEAVES_THREADS", LEAVES_THREADS.to_string()),
            ("LARGEST_THREADS", THREADS.to_string()),
            ("NO_ITEM", format!("{NO_ITEM}u")),
            ("SHAPE_WORDS", SHAPE_WORDS.to_string()),
            ("PLAN_THREADS", PLAN_THREADS.to_string()),
            ("SUM_THREADS", SUM_THREADS.to_string()),
            ("TILE_ROWS", if self.dim > 1 { "64" } else { "1" }.to_string()),
            ("TILE_EXTENT", if self.dim > 2 { "8" } else { "64" }.to_string()),
            ("AUX_FACE_LIST", list(self.aux_face.iter().map(i32::to_string).collect())),
            ("AUX_SIGNS_LIST", list(self.aux_signs.iter().map(u8::to_string).collect())),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that know boxes alone are the same for all solvers, in either precision; those that move values are not.
    #[test]
    fn texts_of_boxes_are_compiled_once_for_all() {
        let few = Shape {
            dim: 2,
            num_ghost: 2,
            equations: 1,
            aux: 0,
            capacity: -1,
            aux_face: vec![],
            aux_signs: vec![],
            sourced: false,
            cells: None,
        };
        let many =
            Shape { equations: 4, aux: 2, capacity: 1, aux_face: vec![-1, -1], aux_signs: vec![0, 0], ..few.clone() };
        let text = |shape: &Shape, group, precision, fused| {
            let (source, target) = shape.text(group, &Target { precision, fused, solver: None });
            source.assemble(&target)
        };
        let are_equal = |group| text(&few, group, Precision::F64, true) == text(&many, group, Precision::F32, false);
        assert!(are_equal(Group::Regrid) && are_equal(Group::Plan) && !are_equal(Group::Regions));
    }

    /// Initial and auxiliary values have the host's bits in runs with fused operations too; functions that act in a step may use them.
    #[test]
    fn kept_values_are_computed_without_fused_operations() {
        let shape = Shape {
            dim: 2,
            num_ghost: 2,
            equations: 1,
            aux: 1,
            capacity: -1,
            aux_face: vec![-1],
            aux_signs: vec![0],
            sourced: false,
            cells: None,
        };
        let function = CaseFunction { text: String::new(), solves: false, num_values: 1, positive: Vec::new() };
        let target = Target { precision: Precision::F64, fused: true, solver: None };
        let fused = |group| shape.text_of_case(group, &function, &target).1.fused;
        assert!(!fused(Group::Evaluate) && fused(Group::SourceFunction));
    }
}
