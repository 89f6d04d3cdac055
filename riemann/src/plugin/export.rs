//! The plugin's side: a table made from a solver's forms.

// tidy: long because each function of the table is here

use super::abi::{FaceCall, GhostCall, LAYOUT, MARK, Sink};
use super::describe::describe;
use super::panic::{guard, keep_messages, take_panic};
use super::{ABI_VERSION, Entries, Form, Header, List, Object, Row, Status, Table, Text};
use crate::axis::Axis;
use crate::cells::CellFaces;
use crate::patch::{FaceList, Kernels, PatchSolver, SlopeRow, SourceRow, TileArgs, TileReport, Transfer, TransferRow};
use crate::real::Scalar;
use crate::solver::{Cell, Described, Solver, TransverseAux};
use std::ffi::c_void;
use std::marker::PhantomData;

/// From now on panics in this library are reported to its caller and not printed. For the plugin's entry.
pub fn report_panics_by_status() {
    keep_messages();
}

/// The table of a plugin whose solver has these forms.
pub fn table(toolchain: &'static str, forms: Vec<Form>) -> Table {
    Table {
        header: Header {
            mark: MARK,
            abi_version: ABI_VERSION,
            layout: LAYOUT,
            toolchain: Text::new(toolchain),
            riemann: Text::new(env!("CARGO_PKG_VERSION")),
        },
        take_panic,
        forms: List::leak(forms),
    }
}

/// Kernels in `f64`: a bit of what a form has.
pub const DOUBLE: u8 = 1;
/// Kernels in `f32`.
pub const SINGLE: u8 = 2;

/// A solver in one number of dimensions. `P`: the precisions that it has kernels for; what else it does it does in both.
pub fn form<S, const M: usize, const W: usize, const A: usize, const P: u8>() -> Form
where
    S: Solver<M, W, A> + Described,
{
    type E<S, const M: usize, const W: usize, const A: usize, const P: u8> = Export<S, M, W, A, P>;
    Form {
        description: describe::<S, M, W, A>(P & SINGLE != 0),
        create: E::<S, M, W, A, P>::create,
        set_parameters: E::<S, M, W, A, P>::set_parameters,
        exchanged: E::<S, M, W, A, P>::exchanged,
        mirrored: E::<S, M, W, A, P>::mirrored,
        destroy: E::<S, M, W, A, P>::destroy,
        double: E::<S, M, W, A, P>::entries(),
        single: E::<S, M, W, A, P>::entries(),
        initial: E::<S, M, W, A, P>::initial,
        aux_values: E::<S, M, W, A, P>::aux_values,
        flag: E::<S, M, W, A, P>::flag,
        boundary: E::<S, M, W, A, P>::boundary,
        device_body: E::<S, M, W, A, P>::device_body,
        admissible: E::<S, M, W, A, P>::admissible,
    }
}

/// The functions of a form. Each is given an object that `create`, `exchanged` or `mirrored` made, not yet destroyed.
struct Export<S, const M: usize, const W: usize, const A: usize, const P: u8>(PhantomData<S>);

/// `N` values.
///
/// # Safety
/// `p` must point at as many, if it is for more than none.
unsafe fn read<T: Copy, const N: usize>(p: *const T) -> [T; N] {
    // SAFETY: by the caller's promise. An array of none needs no more than the alignment, which a dangling pointer has.
    if N == 0 { std::array::from_fn(|_| unreachable!("there are none")) } else { unsafe { *p.cast() } }
}

/// Values of parameters.
///
/// # Safety
/// `p` must point at `len` values, if there are any.
unsafe fn slice<'a>(p: *const f64, len: usize) -> &'a [f64] {
    // SAFETY: by the caller's promise.
    if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(p, len) } }
}

impl<S, const M: usize, const W: usize, const A: usize, const P: u8> Export<S, M, W, A, P>
where
    S: Solver<M, W, A> + Described,
{
    /// True if there are kernels over these numbers.
    const fn compiled<R: Scalar>() -> bool {
        P & (if size_of::<R>() == size_of::<f64>() { DOUBLE } else { SINGLE }) != 0
    }

    fn entries<R: Scalar>() -> Entries<R> {
        Entries {
            scratch_len: Self::scratch_len::<R>,
            update_tile: Self::update_tile::<R>,
            fluctuation_sums: Self::fluctuation_sums::<R>,
            apply_source: Self::apply_source::<R>,
            solve_faces: Self::solve_faces::<R>,
            quantities: Self::quantities::<R>,
            first_inadmissible: Self::first_inadmissible::<R>,
            limit_slopes: Self::limit_slopes::<R>,
            transfer: Self::transfer::<R>,
            normal: Self::normal::<R>,
            steepness: Self::steepness::<R>,
            transverse: Self::transverse::<R>,
            flux: Self::flux::<R>,
        }
    }

    /// The kernels behind an object.
    ///
    /// # Safety
    /// The object must be one of `create`, and alive.
    unsafe fn kernels<'a>(object: Object) -> &'a Kernels<S, M, W, A> {
        // SAFETY: by the caller's promise.
        unsafe { &*object.cast() }
    }

    unsafe extern "C" fn create(values: *const f64, len: usize, object: *mut Object) -> Status {
        guard(|| {
            // SAFETY: the caller gives as many values, and a place for the object.
            unsafe { Self::put(Some(S::from_parameters(slice(values, len))), object) }
        })
    }

    unsafe extern "C" fn set_parameters(object: Object, values: *const f64, len: usize) -> Status {
        // SAFETY: the object is alive and nobody else uses it; there are as many values.
        guard(|| unsafe {
            let set = PatchSolver::<f64>::set_parameters(Self::kernels(object), slice(values, len));
            if set { Status::DONE } else { Status::ABSENT }
        })
    }

    unsafe extern "C" fn exchanged(object: Object, first: Axis, second: Axis, other: *mut Object) -> Status {
        // SAFETY: the object is alive, and there is a place for the other.
        guard(|| unsafe { Self::put(Self::kernels(object).solver().exchanged([first, second]), other) })
    }

    unsafe extern "C" fn mirrored(object: Object, axis: Axis, other: *mut Object) -> Status {
        // SAFETY: likewise.
        guard(|| unsafe { Self::put(Self::kernels(object).solver().mirrored(axis), other) })
    }

    /// Makes an object of a solver, if there is one.
    ///
    /// # Safety
    /// There must be a place for the object.
    unsafe fn put(solver: Option<S>, object: *mut Object) -> Status {
        let Some(solver) = solver else { return Status::ABSENT };
        // SAFETY: by the caller's promise.
        unsafe { *object = Box::into_raw(Box::new(Kernels::new(solver))).cast() };
        Status::DONE
    }

    unsafe extern "C" fn destroy(object: Object) {
        guard(|| {
            // SAFETY: `create`, `exchanged` or `mirrored` made the box, and nobody uses it any more.
            drop(unsafe { Box::from_raw(object.cast::<Kernels<S, M, W, A>>()) });
            Status::DONE
        });
    }

    unsafe extern "C" fn scratch_len<R: Scalar>(object: Object, len: *mut usize) -> Status {
        // SAFETY: the object is alive, and there is a place for the length.
        guard(|| unsafe {
            *len = PatchSolver::<R>::scratch_len(Self::kernels(object));
            Status::DONE
        })
    }

    unsafe extern "C" fn update_tile<R: Scalar>(
        object: Object,
        args: *const TileArgs<'_, R>,
        scratch: *mut R,
        len: usize,
        report: *mut TileReport,
    ) -> Status {
        if const { !Self::compiled::<R>() } {
            return Status::ABSENT;
        }
        // SAFETY: the caller keeps the promises of `PatchSolver::update_tile`.
        guard(|| unsafe {
            let scratch = std::slice::from_raw_parts_mut(scratch, len);
            *report = Self::kernels(object).update_tile(&*args, scratch);
            Status::DONE
        })
    }

    unsafe extern "C" fn fluctuation_sums<R: Scalar>(object: Object, axis: Axis, list: *const FaceList<R>) -> Status {
        if const { !Self::compiled::<R>() } {
            return Status::ABSENT;
        }
        // SAFETY: the caller keeps the promises of `PatchSolver::fluctuation_sums`.
        guard(|| unsafe {
            Self::kernels(object).fluctuation_sums(axis, &*list);
            Status::DONE
        })
    }

    unsafe extern "C" fn apply_source<R: Scalar>(object: Object, row: *const SourceRow<R>) -> Status {
        if const { !Self::compiled::<R>() } {
            return Status::ABSENT;
        }
        // SAFETY: the caller keeps the promises of `PatchSolver::apply_source`.
        guard(|| unsafe {
            Self::kernels(object).apply_source(&*row);
            Status::DONE
        })
    }

    unsafe extern "C" fn solve_faces<R: Scalar>(object: Object, faces: *const CellFaces<R>) -> Status {
        if const { !Self::compiled::<R>() } {
            return Status::ABSENT;
        }
        // SAFETY: the caller keeps the promises of `PatchSolver::solve_faces`.
        guard(|| unsafe {
            let kernels = Self::kernels(object);
            if !PatchSolver::<R>::solves_faces(kernels) {
                return Status::ABSENT;
            }
            if let Some(faces) = faces.as_ref() {
                kernels.solve_faces(faces);
            }
            Status::DONE
        })
    }

    unsafe extern "C" fn quantities<R: Scalar>(object: Object, q: *const R, aux: *const R, out: *mut R) -> Status {
        // SAFETY: the pointers are to as many values as the description says.
        guard(|| unsafe {
            let out = std::slice::from_raw_parts_mut(out, S::POSITIVE.len() + S::NONNEGATIVE.len());
            Self::kernels(object).solver().quantities(read::<R, M>(q), read(aux), out);
            Status::DONE
        })
    }

    unsafe extern "C" fn first_inadmissible<R: Scalar>(
        object: Object,
        row: *const SourceRow<R>,
        data: bool,
        cell: *mut usize,
    ) -> Status {
        // SAFETY: the caller keeps the promises of `PatchSolver::first_inadmissible`, and there is a place for the cell.
        guard(|| unsafe {
            let row = &*row;
            *cell = Self::kernels(object).first_inadmissible(row, data).unwrap_or(row.len);
            Status::DONE
        })
    }

    unsafe extern "C" fn limit_slopes<R: Scalar>(object: Object, row: *const SlopeRow<R>) -> Status {
        if const { !Self::compiled::<R>() } {
            return Status::ABSENT;
        }
        // SAFETY: the caller keeps the promises of `PatchSolver::limit_slopes`.
        guard(|| unsafe {
            Self::kernels(object).limit_slopes(&*row);
            Status::DONE
        })
    }

    unsafe extern "C" fn transfer<R: Scalar>(object: Object, what: Transfer, row: *const TransferRow<R>) -> Status {
        // SAFETY: the caller keeps the promises of `PatchSolver::transfer`.
        guard(|| unsafe {
            Self::kernels(object).transfer(what, &*row);
            Status::DONE
        })
    }

    unsafe extern "C" fn normal<R: Scalar>(object: Object, call: *const FaceCall<R>, out: *mut R) -> Status {
        // SAFETY: the pointers are to as many values as the description says.
        guard(|| unsafe {
            let call = &*call;
            let (ql, qr) = (read(call.ql), read(call.qr));
            let (solver, [left, right, _]) = (Self::kernels(object).solver(), call.aux);
            let face = solver.normal_beside(call.axis, ql, qr, read(left), read(right), call.beside);
            let out = std::slice::from_raw_parts_mut(out, (W + 2) * M + W);
            let values = face.waves.as_flattened().iter().chain(&face.speeds).chain(&face.amdq).chain(&face.apdq);
            out.iter_mut().zip(values).for_each(|(out, value)| *out = *value);
            Status::DONE
        })
    }

    unsafe extern "C" fn steepness<R: Scalar>(object: Object, call: *const FaceCall<R>, out: *mut R) -> Status {
        // SAFETY: the pointers are to as many values as the description says.
        guard(|| unsafe {
            let (call, solver) = (&*call, Self::kernels(object).solver());
            let [left, right, _] = call.aux;
            *out = solver.steepness(call.axis, read(call.ql), read(call.qr), read(left), read(right));
            Status::DONE
        })
    }

    unsafe extern "C" fn transverse<R: Scalar>(object: Object, call: *const FaceCall<R>, out: *mut R) -> Status {
        // SAFETY: the pointers are to as many values as the description says.
        guard(|| unsafe {
            let call = &*call;
            let (ql, qr) = (read(call.ql), read(call.qr));
            let [below, here, above] = [read(call.aux[0]), read(call.aux[1]), read(call.aux[2])];
            let aux = TransverseAux { below, here, above };
            let (solver, asdq) = (Self::kernels(object).solver(), read(call.asdq));
            let mean = solver.mean_state(ql, qr);
            let split = solver.transverse(call.axis, call.across, call.side, ql, qr, mean, &aux, asdq);
            let out = std::slice::from_raw_parts_mut(out, 2 * M);
            out.iter_mut().zip(split.bmasdq.iter().chain(&split.bpasdq)).for_each(|(out, value)| *out = *value);
            Status::DONE
        })
    }

    unsafe extern "C" fn flux<R: Scalar>(
        object: Object,
        axis: Axis,
        q: *const R,
        aux: *const R,
        out: *mut R,
    ) -> Status {
        // SAFETY: the pointers are to as many values as the description says.
        guard(|| unsafe {
            let Some(flux) = Self::kernels(object).solver().flux(axis, read::<R, M>(q), read(aux)) else {
                return Status::ABSENT;
            };
            std::slice::from_raw_parts_mut(out, M).copy_from_slice(&flux);
            Status::DONE
        })
    }

    unsafe extern "C" fn initial(object: Object, row: *const Row, aux: *const f64, out: *mut f64) -> Status {
        // SAFETY: `aux` and `out` have a row for each value.
        guard(|| unsafe {
            let (row, solver) = (&*row, Self::kernels(object).solver());
            for i in 0..row.len {
                let aux = std::array::from_fn(|a| *aux.add(a * row.len + i));
                let state = solver.initial(&row.cell(i), aux);
                (0..M).for_each(|m| *out.add(m * row.len + i) = state[m]);
            }
            Status::DONE
        })
    }

    unsafe extern "C" fn aux_values(object: Object, row: *const Row, out: *mut f64) -> Status {
        // SAFETY: `out` has a row for each value.
        guard(|| unsafe {
            let (row, solver) = (&*row, Self::kernels(object).solver());
            for i in 0..row.len {
                let aux = solver.aux_values(&row.cell(i));
                (0..A).for_each(|a| *out.add(a * row.len + i) = aux[a]);
            }
            Status::DONE
        })
    }

    unsafe extern "C" fn flag(
        object: Object,
        row: *const Row,
        q: *const f64,
        aux: *const f64,
        out: *mut f64,
    ) -> Status {
        // SAFETY: `q` has a row for each value of the states that the criterion looks at, `aux` one for each value, `out` has one.
        guard(|| unsafe {
            let (row, solver) = (&*row, Self::kernels(object).solver());
            for i in 0..row.len {
                let state = |k: usize| -> [f64; M] { std::array::from_fn(|m| *q.add((k * M + m) * row.len + i)) };
                let neighbours = if S::FLAG_LOOKS_AROUND { S::DIM } else { 0 };
                let [below, above] =
                    [1, 2].map(|k| [0, 1, 2].map(|d| state(if d < neighbours { 2 * d + k } else { 0 })));
                let aux = std::array::from_fn(|a| *aux.add(a * row.len + i));
                let Cell { centre, time, .. } = row.cell(i);
                *out.add(i) = f64::from(u8::from(solver.flag(centre, time, state(0), aux, below, above)));
            }
            Status::DONE
        })
    }

    unsafe extern "C" fn boundary(object: Object, call: *const GhostCall) -> Status {
        // SAFETY: both states have a value for each equation.
        guard(|| unsafe {
            let (call, solver) = (&*call, Self::kernels(object).solver());
            let ghost = solver.boundary(call.axis, call.side, call.centre, call.time, read::<f64, M>(call.mirror));
            std::slice::from_raw_parts_mut(call.ghost, M).copy_from_slice(&ghost);
            Status::DONE
        })
    }

    unsafe extern "C" fn device_body(object: Object, sink: Sink, context: *mut c_void) -> Status {
        // SAFETY: the object is alive; the text outlives the sink's call.
        guard(|| unsafe {
            let Some(source) = Self::kernels(object).solver().device_source() else { return Status::ABSENT };
            sink(context, source.body.as_ptr(), source.body.len());
            Status::DONE
        })
    }

    unsafe extern "C" fn admissible(object: Object, unit: *const f64, out: *mut f64) -> Status {
        // SAFETY: both have a number for each equation and each auxiliary value.
        guard(|| unsafe {
            let solver = Self::kernels(object).solver();
            let (state, aux) = (solver.admissible(read(unit)), solver.admissible_aux(read(unit.add(M))));
            let out = std::slice::from_raw_parts_mut(out, M + A);
            out.iter_mut().zip(state.iter().chain(&aux)).for_each(|(out, value)| *out = *value);
            Status::DONE
        })
    }
}

impl Row {
    /// Cell `i` of the row.
    fn cell(&self, i: usize) -> Cell {
        let [x, y, z] = self.first;
        Cell::new(&self.lattice, [x + i as i32, y, z], self.time)
    }
}
