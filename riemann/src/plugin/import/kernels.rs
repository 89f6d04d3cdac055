//! A plugin's solver behind the traits of solvers.

use super::Instance;
use super::calls::enter;
use crate::axis::{Axis, Side};
use crate::cells::CellFaces;
use crate::device_source::DeviceSource;
use crate::faces::{FaceSolution, FaceSolver};
use crate::group::Group;
use crate::patch::{FaceList, PatchSolver, SlopeRow, SourceRow, TileArgs, TileReport, Transfer, TransferRow};
use crate::plugin::abi::FaceCall;
use crate::plugin::{Entries, Form, Status};
use crate::real::Scalar;

/// A number type that plugins have kernels for.
trait Precision: Scalar {
    fn entries(form: &'static Form) -> &'static Entries<Self>;
}

impl Precision for f64 {
    fn entries(form: &'static Form) -> &'static Entries<f64> {
        &form.double
    }
}

impl Precision for f32 {
    fn entries(form: &'static Form) -> &'static Entries<f32> {
        &form.single
    }
}

impl<R: Precision> PatchSolver<R> for Instance {
    fn dim(&self) -> usize {
        self.plugin().info.dim
    }
    fn equations(&self) -> &[&'static str] {
        self.plugin().info.equations
    }
    fn aux(&self) -> &[&'static str] {
        self.plugin().info.aux
    }
    fn aux_face(&self) -> &[Option<Axis>] {
        self.plugin().aux_face
    }
    fn aux_groups(&self) -> &'static [Group] {
        self.plugin().info.aux_groups
    }
    fn num_waves(&self) -> usize {
        self.plugin().info.waves
    }
    fn has_source(&self) -> bool {
        self.plugin().info.has_source
    }
    fn positive(&self) -> &[&'static str] {
        self.plugin().info.positive
    }
    fn nonnegative(&self) -> &[&'static str] {
        self.plugin().info.nonnegative
    }
    fn quantities(&self, q: &[R], aux: &[R], values: &mut [R]) {
        assert_eq!((q.len(), aux.len()), (self.num_eqn(), self.num_aux()));
        let info = self.plugin().info;
        assert_eq!(values.len(), info.positive.len() + info.nonnegative.len());
        let entries = R::entries(self.form());
        let _inside = enter(&"admissible_state");
        // SAFETY: the values are there, and room for the quantities.
        let status = unsafe { (entries.quantities)(self.object(), q.as_ptr(), aux.as_ptr(), values.as_mut_ptr()) };
        self.done_or_nan(status, values);
    }
    fn groups(&self) -> &'static [Group] {
        self.plugin().info.groups
    }
    fn device_source(&self) -> Option<DeviceSource> {
        self.device_source()
    }
    fn scratch_len(&self) -> usize {
        let mut len = 0;
        // SAFETY: the object is alive, and there is a place for the length.
        let status = unsafe { (R::entries(self.form()).scratch_len)(self.object(), &mut len) };
        self.done(status);
        len
    }
    fn failure(&self) -> Option<String> {
        self.failure()
    }

    unsafe fn update_tile(&self, args: &TileArgs<'_, R>, scratch: &mut [R]) -> TileReport {
        let mut report = TileReport { courant: 0.0, admissible: false };
        let (buffer, len) = (scratch.as_mut_ptr(), scratch.len());
        let _inside = enter(&"normal` or `transverse");
        // SAFETY: the caller's promises are handed on.
        let status = unsafe { (R::entries(self.form()).update_tile)(self.object(), args, buffer, len, &mut report) };
        if !self.done(status) {
            for (k, j) in (args.lo[2]..args.hi[2]).flat_map(|k| (args.lo[1]..args.hi[1]).map(move |j| (k, j))) {
                let (row, len) = ([args.lo[0], j, k], (args.hi[0] - args.lo[0]) as usize);
                // SAFETY: the tile's cells are the caller's to write.
                unsafe {
                    let first = args.q_next.offset(args.strides.offset(row));
                    fill_with_nan(first, args.strides.component, [self.num_eqn(), len]);
                }
            }
        }
        report
    }

    unsafe fn fluctuation_sums(&self, axis: Axis, list: &FaceList<R>) {
        let _inside = enter(&"normal");
        // SAFETY: the caller's promises are handed on.
        let status = unsafe { (R::entries(self.form()).fluctuation_sums)(self.object(), axis, list) };
        if !self.done(status) {
            // SAFETY: the list has a stride of numbers for each component, of which the caller owns the sums.
            unsafe { fill_with_nan(list.sum, list.stride, [self.num_eqn(), list.len]) };
        }
    }

    fn solves_faces(&self) -> bool {
        // SAFETY: without faces nothing is done.
        unsafe { (R::entries(self.form()).solve_faces)(self.object(), std::ptr::null()) == Status::DONE }
    }

    unsafe fn solve_faces(&self, faces: &CellFaces<R>) {
        let _inside = enter(&"normal");
        // SAFETY: the caller's promises are handed on.
        let status = unsafe { (R::entries(self.form()).solve_faces)(self.object(), faces) };
        if !self.done(status) {
            for kept in [faces.to_left, faces.to_right] {
                let first = kept.wrapping_add(faces.first);
                // SAFETY: what is kept of these faces is the caller's to write.
                unsafe { fill_with_nan(first, faces.face_component, [self.num_eqn(), faces.end - faces.first]) };
            }
        }
    }

    unsafe fn apply_source(&self, row: &SourceRow<R>) {
        let _inside = enter(&"source");
        // SAFETY: the caller's promises are handed on.
        let status = unsafe { (R::entries(self.form()).apply_source)(self.object(), row) };
        if !self.done(status) {
            // SAFETY: the row's cells are the caller's to write.
            unsafe { fill_with_nan(row.q, row.component, [self.num_eqn(), row.len]) };
        }
    }

    fn limits(&self) -> bool {
        self.form().description.limits
    }

    fn looks_beside(&self) -> bool {
        self.plugin().info.looks_beside
    }

    unsafe fn limit_slopes(&self, row: &SlopeRow<R>) {
        let _inside = enter(&"admissible_state");
        // SAFETY: the caller's promises are handed on.
        let status = unsafe { (R::entries(self.form()).limit_slopes)(self.object(), row) };
        self.done(status);
    }

    fn transfers(&self) -> Option<&'static [usize]> {
        self.plugin().transfers()
    }

    unsafe fn transfer(&self, what: Transfer, row: &TransferRow<R>) {
        let _inside = enter(&"to_transfer` or `from_transfer");
        // SAFETY: the caller's promises are handed on.
        let status = unsafe { (R::entries(self.form()).transfer)(self.object(), what, row) };
        if !self.done(status) {
            // SAFETY: the row's values are the caller's to write.
            unsafe { fill_with_nan(row.values, row.component, [self.num_eqn(), row.len]) };
        }
    }

    unsafe fn first_inadmissible(&self, row: &SourceRow<R>, data: bool) -> Option<usize> {
        let mut cell = row.len;
        let _inside = enter(&"admissible_state");
        // SAFETY: the caller's promises are handed on, and there is a place for the cell.
        let status = unsafe { (R::entries(self.form()).first_inadmissible)(self.object(), row, data, &mut cell) };
        if !self.done(status) {
            return Some(0);
        }
        (cell < row.len).then_some(cell)
    }

    unsafe fn set_parameters(&self, values: &[f64]) -> bool {
        // SAFETY: the caller's promise is handed on.
        unsafe { Instance::set_parameters(self, values) }
    }
}

/// Fills `count` components of `len` numbers each with NaN, `stride` numbers apart: what a solver that failed leaves.
///
/// # Safety
/// The numbers are the caller's to write.
unsafe fn fill_with_nan<R: Scalar>(first: *mut R, stride: usize, [count, len]: [usize; 2]) {
    for m in 0..count {
        // SAFETY: by the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(first.add(m * stride), len) }.fill(R::constant(f64::NAN));
    }
}

/// A face between two states; what belongs to a transverse split is not read.
fn face_call<R: Copy>(axis: Axis, [ql, qr]: [&[R]; 2], [aux_l, aux_r]: [&[R]; 2], beside: R) -> FaceCall<R> {
    let (ql, qr) = (ql.as_ptr(), qr.as_ptr());
    let aux = [aux_l.as_ptr(), aux_r.as_ptr(), aux_r.as_ptr()];
    FaceCall { axis, across: axis, side: Side::Lower, ql, qr, aux, asdq: ql, beside }
}

impl<R: Precision> FaceSolver<R> for Instance {
    fn normal_beside(&self, axis: Axis, q: [&[R]; 2], aux: [&[R]; 2], beside: R) -> FaceSolution<R> {
        let (num_eqn, waves) = (self.num_eqn(), self.plugin().info.waves);
        assert!(q.iter().all(|q| q.len() == num_eqn) && aux.iter().all(|aux| aux.len() == self.num_aux()));
        let call = face_call(axis, q, aux, beside);
        let mut out = vec![R::zero(); (waves + 2) * num_eqn + waves];
        let _inside = enter(&"normal");
        // SAFETY: the values are there, and room for the solution.
        let status = unsafe { (R::entries(self.form()).normal)(self.object(), &call, out.as_mut_ptr()) };
        self.done_or_nan(status, &mut out);
        let (all_waves, rest) = out.split_at(waves * num_eqn);
        let (speeds, rest) = rest.split_at(waves);
        let (amdq, apdq) = rest.split_at(num_eqn);
        FaceSolution {
            waves: all_waves.chunks(num_eqn).map(<[R]>::to_vec).collect(),
            speeds: speeds.to_vec(),
            amdq: amdq.to_vec(),
            apdq: apdq.to_vec(),
        }
    }

    fn steepness(&self, axis: Axis, q: [&[R]; 2], aux: [&[R]; 2]) -> R {
        assert!(q.iter().all(|q| q.len() == self.num_eqn()) && aux.iter().all(|aux| aux.len() == self.num_aux()));
        let (call, mut out) = (face_call(axis, q, aux, R::zero()), [R::zero()]);
        let _inside = enter(&"steepness");
        // SAFETY: the values are there, and room for the number.
        let status = unsafe { (R::entries(self.form()).steepness)(self.object(), &call, out.as_mut_ptr()) };
        self.done_or_nan(status, &mut out);
        out[0]
    }

    fn transverse(
        &self,
        axis: Axis,
        across: Axis,
        side: Side,
        q: [&[R]; 2],
        aux: [&[R]; 3],
        asdq: &[R],
    ) -> [Vec<R>; 2] {
        let num_eqn = self.num_eqn();
        assert!(q.iter().all(|q| q.len() == num_eqn) && aux.iter().all(|aux| aux.len() == self.num_aux()));
        assert_eq!(asdq.len(), num_eqn);
        let [ql, qr] = q.map(<[R]>::as_ptr);
        let (aux, asdq) = (aux.map(<[R]>::as_ptr), asdq.as_ptr());
        let call = FaceCall { axis, across, side, ql, qr, aux, asdq, beside: R::zero() };
        let mut out = vec![R::zero(); 2 * num_eqn];
        let _inside = enter(&"transverse");
        // SAFETY: the values are there, and room for the parts.
        let status = unsafe { (R::entries(self.form()).transverse)(self.object(), &call, out.as_mut_ptr()) };
        self.done_or_nan(status, &mut out);
        let upper = out.split_off(num_eqn);
        [out, upper]
    }

    fn flux(&self, axis: Axis, q: &[R], aux: &[R]) -> Option<Vec<R>> {
        assert_eq!((q.len(), aux.len()), (self.num_eqn(), self.num_aux()));
        let mut out = vec![R::constant(f64::NAN); q.len()];
        let entries = R::entries(self.form());
        let _inside = enter(&"flux");
        // SAFETY: the values are there, and room for the flux.
        let status = unsafe { (entries.flux)(self.object(), axis, q.as_ptr(), aux.as_ptr(), out.as_mut_ptr()) };
        self.done(status);
        (status != Status::ABSENT).then_some(out)
    }

    fn transfer(&self, what: Transfer, values: &[R], aux: &[R]) -> Option<Vec<R>> {
        assert_eq!((values.len(), aux.len()), (self.num_eqn(), self.num_aux()));
        let mut values = values.to_vec();
        PatchSolver::<R>::transfers(self).map(|_| {
            let row = TransferRow {
                values: values.as_mut_ptr(),
                component: 1,
                aux: aux.as_ptr(),
                aux_component: 1,
                most: std::ptr::null(),
                most_strides: [0; 2],
                free: R::default(),
                len: 1,
            };
            // SAFETY: the cell has a number for each equation and each auxiliary value.
            unsafe { PatchSolver::transfer(self, what, &row) };
            values
        })
    }

    fn admissible(&self, unit: &[f64]) -> Vec<f64> {
        let mut both = Instance::admissible(self, unit, &vec![0.5; self.num_aux()]);
        both.truncate(unit.len());
        both
    }

    fn admissible_aux(&self, unit: &[f64]) -> Vec<f64> {
        Instance::admissible(self, &vec![0.5; self.num_eqn()], unit).split_off(self.num_eqn())
    }
}
