//! Ghost cells outside the domain.

use super::store::LevelStore;
use crate::fields::{PatchLayout, Shared};
use crate::index::CellBox;
use crate::mesh::{AxisEnds, Geometry};
use crate::physics::{
    Boundary, BoundaryBlockFunction, BoundaryCell, BoundaryFunction, CellBlock, MappedWall, Problem, SideSigns,
};
use crate::plan::{BoundaryRegion, GhostPlan};
use riemann::axis::Side;
use riemann::real::Scalar;

/// What boundary conditions read of a level.
#[derive(Clone, Copy)]
pub(super) struct BoundaryContext<'a, const D: usize> {
    sides: &'a [[Boundary<D>; 2]; D],
    ends: [AxisEnds; D],
    geometry: Geometry<D>,
    time: f64,
    num_eqn: usize,
    signs: &'a SideSigns,
}

impl<'a, const D: usize> BoundaryContext<'a, D> {
    pub fn new<R: Scalar>(problem: &'a Problem<D>, signs: &'a SideSigns, store: &LevelStore<D, R>) -> Self {
        let beyond = problem.boundary.each_ref().map(|sides| sides.each_ref().map(Boundary::beyond));
        BoundaryContext {
            sides: &problem.boundary,
            ends: store.mesh.ends(&beyond),
            geometry: store.geometry,
            time: store.states.time,
            num_eqn: store.num_eqn,
            signs,
        }
    }
}

/// Ghost cells outside the domain, and what fills them.
#[derive(Clone, Copy)]
pub(super) struct Outside<'a, const D: usize> {
    pub plan: &'a GhostPlan<D>,
    pub context: BoundaryContext<'a, D>,
}

impl<'a, const D: usize> Outside<'a, D> {
    /// Fills those of patch `k` from its own cells inside the domain.
    ///
    /// # Safety
    /// Nobody else touches the patch's ghost cells meanwhile.
    pub unsafe fn fill<R: Scalar>(&self, (q, aux): (Shared<'_, R>, &[R]), layout: &PatchLayout<D>, k: usize) {
        for region in self.plan.boundaries.of(k) {
            // SAFETY: the caller's promise.
            unsafe { OutsideRegion { q, aux, layout, region, context: &self.context }.fill() };
        }
    }

    /// Fills them again after sources have acted, beyond users' sides in ghost cells too. What a user's function gives as `before`, though
    /// sources have acted inside, is the side's own: it keeps what sources have made of it. `boundary_function.cu` does the same.
    ///
    /// # Safety
    /// As for [`Outside::fill`].
    pub unsafe fn fill_after_sources<R: Scalar>(
        &self,
        (q, aux): (Shared<'_, R>, &[R]),
        before: Shared<'_, R>,
        layout: &PatchLayout<D>,
        k: usize,
    ) {
        let mut advanced = Vec::new();
        for part in self.plan.boundaries.of(k) {
            let region = OutsideRegion { q, aux, layout, region: part, context: &self.context };
            let is_users = self.is_users(part);
            advanced.clear();
            if is_users {
                // SAFETY: the caller's promise, as below.
                region.row_starts().for_each(|row| advanced.extend_from_slice(unsafe { q.row(row, region.row_len()) }));
            }
            // SAFETY: likewise.
            unsafe { region.fill() };
            for (row, advanced) in region.row_starts().zip(advanced.chunks_exact(region.row_len())) {
                // SAFETY: likewise.
                let (out, before) = unsafe { (q.row_mut(row, region.row_len()), before.row(row, region.row_len())) };
                let own = out.iter_mut().zip(before.iter().zip(advanced)).filter(|(o, (b, _))| *o == *b);
                own.for_each(|(o, (_, advanced))| *o = *advanced);
            }
        }
    }

    /// The ghost cells of patch `k` beyond sides with a user's function.
    pub fn users_cells(&self, k: usize) -> impl Iterator<Item = CellBox<D>> + use<'a, D> {
        let outside = *self;
        outside.plan.boundaries.of(k).iter().filter(move |region| outside.is_users(region)).map(|region| region.cells)
    }

    fn is_users(&self, region: &BoundaryRegion<D>) -> bool {
        matches!(self.context.sides[region.axis.index()][region.side.index()], Boundary::User(_))
    }
}

/// Ghost cells of a patch beyond one side. Its functions fill them; nobody else touches the patch's ghost cells meanwhile.
#[derive(Clone, Copy)]
struct OutsideRegion<'a, const D: usize, R> {
    q: Shared<'a, R>,
    aux: &'a [R],
    layout: &'a PatchLayout<D>,
    region: &'a BoundaryRegion<D>,
    context: &'a BoundaryContext<'a, D>,
}

impl<const D: usize, R: Scalar> OutsideRegion<'_, D, R> {
    /// Where the rows of all components begin.
    fn row_starts(&self) -> impl Iterator<Item = usize> {
        let (OutsideRegion { layout, region, .. }, num_eqn) = (*self, self.context.num_eqn);
        let of_component =
            move |m| region.cells.rows().map(move |row| layout.offset(num_eqn, row) + m * layout.component());
        (0..num_eqn).flat_map(of_component)
    }

    fn row_len(&self) -> usize {
        self.region.cells.size()[0] as usize
    }

    /// Fills them from the patch's own cells inside the domain.
    unsafe fn fill(self) {
        let OutsideRegion { region, context, .. } = self;
        // The user's function sees the mirror image in the ghost cell's place.
        // SAFETY: the caller's promise, as below.
        unsafe { self.continue_inside() };
        match &context.sides[region.axis.index()][region.side.index()] {
            Boundary::User(function) => match function.by_block() {
                // SAFETY: likewise.
                Some(function) => unsafe { self.fill_by_block_function(function) },
                // SAFETY: likewise.
                None => unsafe { self.fill_by_function(function.as_ref()) },
            },
            // SAFETY: likewise.
            Boundary::MappedWall(wall) => unsafe { self.reflect(wall) },
            // A rule for indices alone: see [`Boundary::beyond`].
            _ => {}
        }
    }

    /// Reflects vectors and tensors about the normals of the side's faces. `boundary_function.cu` does the same.
    unsafe fn reflect(self, wall: &MappedWall) {
        let OutsideRegion { aux, layout, region, context, .. } = self;
        let axis = region.axis.index();
        let mut state = vec![0.0; context.num_eqn];
        for cell in region.cells.cells() {
            // The cell whose lower face lies on the side.
            let mut beside = cell;
            beside[axis] = if region.side == Side::Upper { region.cells.lo[axis] } else { 0 };
            let face = layout.offset(wall.num_aux::<D>(), beside) + wall.face::<D>(axis) * layout.component();
            let face = std::array::from_fn(|d| aux[face + d * layout.component()].to_f64());
            // SAFETY: the patch is ours.
            unsafe { self.read(cell, &mut state) };
            wall.reflect::<D>(axis, face, &mut state);
            // SAFETY: likewise.
            unsafe { self.write(cell, &state) };
        }
    }

    unsafe fn read(&self, cell: [i32; D], state: &mut [f64]) {
        let offset = self.layout.offset(state.len(), cell);
        for (m, value) in state.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            *value = unsafe { *self.q.at(offset + m * self.layout.component()) }.to_f64();
        }
    }

    unsafe fn write(&self, cell: [i32; D], state: &[f64]) {
        let offset = self.layout.offset(state.len(), cell);
        for (m, value) in state.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { *self.q.at(offset + m * self.layout.component()) = R::from_f64(*value) };
        }
    }

    /// Copies into each ghost cell the value of the interior cell that the boundary condition assigns to it, with its sign changed as walls
    /// require.
    unsafe fn continue_inside(self) {
        let OutsideRegion { q, layout, region, context, .. } = self;
        let d = region.axis.index();
        let count = |axis: usize| if axis == d { 1 } else { region.cells.size().get(axis).map_or(1, |&n| n as usize) };
        let strides = layout.strides();
        for i in region.cells.lo[d]..region.cells.hi[d] {
            let origin = context.ends[d].origin(i);
            let (mut target, mut source) = (region.cells.lo, region.cells.lo);
            (target[d], source[d]) = (i, origin.cell);
            let (to, from) = (layout.offset(context.num_eqn, target), layout.offset(context.num_eqn, source));
            for m in 0..context.num_eqn {
                let negate = context.signs.is_negated(m, region.axis, origin.walls);
                for z in 0..count(2) {
                    for y in 0..count(1) {
                        let shift = m * strides.component + z * strides.slab + y * strides.row;
                        // SAFETY: the source lies inside the domain along `axis`, the target outside; both are in this patch, ours.
                        let (values, out) = unsafe { (q.row(from + shift, count(0)), q.row_mut(to + shift, count(0))) };
                        match (&mut *out, values) {
                            ([o], [v]) => *o = if negate { -*v } else { *v },
                            _ if negate => out.iter_mut().zip(values).for_each(|(o, v)| *o = -*v),
                            _ => out.copy_from_slice(values),
                        }
                    }
                }
            }
        }
    }

    unsafe fn fill_by_function(self, function: &dyn BoundaryFunction<D>) {
        let OutsideRegion { region, context, .. } = self;
        let mut values = vec![0.0; 2 * context.num_eqn];
        let (mirror, ghost) = values.split_at_mut(context.num_eqn);
        for cell in region.cells.cells() {
            let (centre, time) = (context.geometry.centre(cell), context.time);
            // SAFETY: the patch is ours.
            unsafe { self.read(cell, mirror) };
            ghost.copy_from_slice(mirror);
            function.fill(&BoundaryCell { centre, time, axis: region.axis, side: region.side }, mirror, ghost);
            // SAFETY: likewise.
            unsafe { self.write(cell, ghost) };
        }
    }

    unsafe fn fill_by_block_function(self, function: &dyn BoundaryBlockFunction<D>) {
        let OutsideRegion { q, region, context, .. } = self;
        let block = CellBlock {
            geometry: context.geometry,
            first: region.cells.lo,
            size: region.cells.size().map(|n| n as usize),
            time: context.time,
        };
        let mut values = Vec::with_capacity(context.num_eqn * block.num_cells());
        for start in self.row_starts() {
            // SAFETY: the patch is ours.
            values.extend(unsafe { q.row(start, block.size[0]) }.iter().map(|v| v.to_f64()));
        }
        function.fill(&block, region.axis, region.side, &mut values);
        for (start, values) in self.row_starts().zip(values.chunks_exact(block.size[0])) {
            // SAFETY: likewise.
            let out = unsafe { q.row_mut(start, block.size[0]) };
            out.iter_mut().zip(values).for_each(|(o, v)| *o = R::from_f64(*v));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::LevelLayout;
    use crate::mesh::LevelMesh;
    use riemann::axis::Axis;
    use std::sync::Arc;

    /// Adds its number to each equation of the mirror image.
    struct Numbered;

    impl BoundaryFunction<2> for Numbered {
        fn fill(&self, _: &BoundaryCell<2>, mirror: &[f64], ghost: &mut [f64]) {
            ghost.iter_mut().zip(mirror).enumerate().for_each(|(m, (ghost, mirror))| *ghost = mirror + m as f64);
        }
    }

    /// A user's function sees and fills as many equations as there are.
    #[test]
    fn users_fill_any_number_of_equations() {
        const EQUATIONS: usize = 70;
        let cells = CellBox::new([0, 0], [4, 3]);
        let mesh = LevelMesh::new(cells, [false; 2], vec![cells]);
        let layout = LevelLayout::new(&mesh, 2);
        let patch = &layout.patches[0];
        let mut q: Vec<f64> = (0..layout.len(EQUATIONS)).map(|n| (n % 1013) as f64).collect();
        let at = |cell, m| patch.offset(EQUATIONS, cell) + m * patch.component();
        let inside: Vec<f64> = (0..EQUATIONS).map(|m| q[at([1, 2], m)]).collect();
        let sides = [[Boundary::User(Arc::new(Numbered)), Boundary::Extrapolate], [const { Boundary::Extrapolate }; 2]];
        let context = BoundaryContext {
            sides: &sides,
            ends: mesh.ends(&sides.each_ref().map(|sides| sides.each_ref().map(Boundary::beyond))),
            geometry: Geometry::new([0.0; 2], [1.0; 2], [4, 3]),
            time: 0.0,
            num_eqn: EQUATIONS,
            signs: &SideSigns::new(&sides, &[], EQUATIONS),
        };
        let region =
            BoundaryRegion { target: 0, axis: Axis::X, side: Side::Lower, cells: CellBox::new([-2, 0], [0, 3]) };
        // SAFETY: nobody else knows the array.
        unsafe {
            OutsideRegion { q: Shared::new(&mut q), aux: &[], layout: patch, region: &region, context: &context }
                .fill();
        }
        for (m, value) in inside.iter().enumerate() {
            assert_eq!(q[at([-2, 2], m)], value + m as f64, "equation {m}");
        }
    }
}
