//! Riemann problems at the faces of any mesh, each solved in the face's own frame.
//!
//! A face has a left and a right state, found by index, and a unit normal from left to right. States are turned into the frame whose first
//! axis is the normal, the solver solves along x there, and its fluctuations are turned back. A cell then adds the fluctuations that enter
//! it, `q_t = −1/V Σ size · (𝒜⁻ΔQ or 𝒜⁺ΔQ)`, in the order of its own list of faces: the bits depend neither on threads nor on lanes.
//! Between equal states the fluctuations are zero, whatever the mesh. Where states at a face are not those of its cells, what lies between
//! them goes to each cell too: the difference of their fluxes, which every solver that has a flux makes equal to the sum of its
//! fluctuations, else that sum. A face may move: waves then pass it at their speeds less its own.

mod sums;

pub use crate::frame::text_of_face;
pub use sums::CellSums;

use crate::axis::Axis;
use crate::frame::{Frame, half_way};
use crate::group::{Group, Wall};
use crate::real::{Real, Scalar};
use crate::solver::{Normal, Solver};

/// What becomes of the fluctuations of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Keep {
    /// 𝒜⁻ΔQ goes to the left cell, 𝒜⁺ΔQ to the right one, with what lies between a cell's state and that at the face; the largest speed is
    /// written.
    All,
    /// Only what lies between a cell's state and that at the face.
    Within,
}

/// Faces to be solved. Arrays over faces hold [`PACK_OVERRUN`](crate::patch::PACK_OVERRUN) numbers beyond the last face, those of indices
/// valid ones.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CellFaces<R> {
    /// First face of those to be solved.
    pub first: usize,
    /// The face past the last.
    pub end: usize,
    /// States, `[component, state]`.
    pub q: *const R,
    /// Numbers between components of `q`.
    pub q_component: usize,
    /// For each face the left and the right state.
    pub q_at: [*const u32; 2],
    /// Likewise the states of the cells beside it, where `q_at` are those at the face; else null.
    pub own_at: [*const u32; 2],
    /// Auxiliary values, `[value, cell]`.
    pub aux: *const R,
    /// Numbers between values of `aux`.
    pub aux_component: usize,
    /// For each face the cells whose auxiliary values belong to the states.
    pub aux_at: [*const u32; 2],
    /// The faces' frames, `[coordinate, face]`: see [`turn_of`].
    pub turn: *const R,
    /// The faces' speeds along their normals; null where no face moves.
    pub moving: *const R,
    /// Numbers between components of what follows and between coordinates of `turn`.
    pub face_component: usize,
    /// What goes to the left cell, `[component, face]`, per unit of the face's size.
    pub to_left: *mut R,
    /// What goes to the right cell.
    pub to_right: *mut R,
    /// The largest speed of a wave, either way.
    pub speed: *mut R,
    /// What is written.
    pub keep: Keep,
}

/// The numbers that turn a state into the frame of a unit normal: in the plane the normal, in space the unit vector half way to it.
pub fn turn_of(dim: usize, normal: [f64; 3]) -> [f64; 3] {
    if dim == 3 { half_way(0, normal) } else { normal }
}

/// Turns a state into this frame, or back.
pub fn turn_state(dim: usize, groups: &[Group], turn: [f64; 3], into: bool, q: &mut [f64]) {
    Frame::along_x(dim, turn, 1.0).turn_values(into, groups, q);
}

/// A state's image in a wall with this frame.
pub fn mirror(dim: usize, groups: &[Group], turn: [f64; 3], wall: Wall, q: &[f64], image: &mut [f64]) {
    let frame = Frame::along_x(dim, turn, 1.0);
    image.copy_from_slice(q);
    frame.turn_values(true, groups, image);
    for group in groups {
        for k in (0..group.len(dim)).filter(|&k| group.is_negated(dim, k, Axis::X, wall)) {
            image[group.first as usize + k] = -image[group.first as usize + k];
        }
    }
    frame.turn_values(false, groups, image);
}

/// True if a solver can be used on any mesh: it can be rotated, which needs vectors or tensors, and its auxiliary values are scalars of cells.
pub const fn is_offered<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>() -> bool {
    let mut a = 0;
    while a < A {
        if S::AUX_FACE[a].is_some() {
            return false;
        }
        a += 1;
    }
    S::DIM > 1 && !S::DIRECTIONS && !S::GROUPS.is_empty() && S::AUX_GROUPS.is_empty()
}

/// Solves the faces of a list.
///
/// # Safety
/// The arrays must be as [`CellFaces`] says; nobody else may write what is kept of the faces meanwhile.
#[inline(always)]
pub(crate) unsafe fn solve_faces<S, V, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    faces: &CellFaces<V::Scalar>,
) where
    S: Solver<M, W, A>,
    V: Real,
{
    let mut face = faces.first;
    while face < faces.end {
        // SAFETY: by the caller's promise; what is written beyond the last face is room that nobody reads.
        unsafe {
            let inside = V::lanes_between(0, V::LANES.min(faces.end - face));
            let mut turn = [V::zero(); 3];
            for (d, turn) in turn.iter_mut().enumerate().take(S::DIM) {
                *turn = V::load(faces.turn.add(d * faces.face_component + face));
            }
            let frame = Frame::along_x(S::DIM, turn, V::zero());
            // No closures: these are compiled without the instructions of the pack.
            let ql = gather::<V, M>(faces.q, faces.q_component, faces.q_at[0].add(face));
            let qr = gather::<V, M>(faces.q, faces.q_component, faces.q_at[1].add(face));
            let aux_l = gather::<V, A>(faces.aux, faces.aux_component, faces.aux_at[0].add(face));
            let aux_r = gather::<V, A>(faces.aux, faces.aux_component, faces.aux_at[1].add(face));
            let (ql, qr) = (frame.enter(S::GROUPS, ql), frame.enter(S::GROUPS, qr));
            let moving = if faces.moving.is_null() { V::zero() } else { V::load(faces.moving.add(face)) };
            let (mut left, mut right) = ([V::zero(); M], [V::zero(); M]);
            if faces.keep == Keep::All {
                let mut solved = solver.normal::<V>(Axis::X, ql, qr, aux_l, aux_r);
                let mut speed = V::zero();
                if !faces.moving.is_null() {
                    see_from_face(&mut solved, ql, qr, moving);
                    speed = moving.abs();
                }
                for s in solved.speeds {
                    speed = speed.max(s.abs());
                }
                speed.store_where(inside, faces.speed.add(face));
                (left, right) = (solved.amdq, solved.apdq);
            }
            if !faces.own_at[0].is_null() {
                let own_l = gather::<V, M>(faces.q, faces.q_component, faces.own_at[0].add(face));
                let own_r = gather::<V, M>(faces.q, faces.q_component, faces.own_at[1].add(face));
                let moves = (!faces.moving.is_null()).then_some(moving);
                let within_l = between(solver, frame.enter(S::GROUPS, own_l), ql, aux_l, moves);
                let within_r = between(solver, qr, frame.enter(S::GROUPS, own_r), aux_r, moves);
                for m in 0..M {
                    left[m] += within_l[m];
                    right[m] += within_r[m];
                }
            }
            let (left, right) = (frame.leave(S::GROUPS, left), frame.leave(S::GROUPS, right));
            for m in 0..M {
                left[m].store_where(inside, faces.to_left.add(m * faces.face_component + face));
                right[m].store_where(inside, faces.to_right.add(m * faces.face_component + face));
            }
        }
        face += V::LANES;
    }
}

/// What lies between two states of a cell, in the face's frame.
#[inline(always)]
fn between<S, V, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    ql: [V; M],
    qr: [V; M],
    aux: [V; A],
    moving: Option<V>,
) -> [V; M]
where
    S: Solver<M, W, A>,
    V: Real,
{
    let mut sum = [V::zero(); M];
    match (solver.flux(Axis::X, ql, aux), solver.flux(Axis::X, qr, aux)) {
        (Some(left), Some(right)) => {
            for m in 0..M {
                sum[m] = right[m] - left[m];
            }
            if let Some(moving) = moving {
                for m in 0..M {
                    sum[m] -= moving * (qr[m] - ql[m]);
                }
            }
        }
        _ => {
            let mut solved = solver.normal::<V>(Axis::X, ql, qr, aux, aux);
            if let Some(moving) = moving {
                see_from_face(&mut solved, ql, qr, moving);
            }
            for m in 0..M {
                sum[m] = solved.amdq[m] + solved.apdq[m];
            }
        }
    }
    sum
}

/// Makes a solution that of a face that moves with the speed `moving`: waves pass it at their speeds less this, and so does the part of the jump
/// that no wave carries, which stands still.
#[inline(always)]
fn see_from_face<V: Real, const M: usize, const W: usize>(
    solved: &mut Normal<V, M, W>,
    ql: [V; M],
    qr: [V; M],
    moving: V,
) {
    let zero = V::zero();
    let mut still = [zero; M];
    for m in 0..M {
        still[m] = qr[m] - ql[m];
    }
    for (wave, speed) in solved.waves.iter().zip(&mut solved.speeds) {
        let seen = *speed - moving;
        let (left, right) = (seen.min(zero) - speed.min(zero), seen.max(zero) - speed.max(zero));
        for m in 0..M {
            solved.amdq[m] += left * wave[m];
            solved.apdq[m] += right * wave[m];
            still[m] -= wave[m];
        }
        *speed = seen;
    }
    for m in 0..M {
        solved.amdq[m] += (zero - moving).min(zero) * still[m];
        solved.apdq[m] += (zero - moving).max(zero) * still[m];
    }
}

/// The values of a pack of cells.
///
/// # Safety
/// A pack of indices must be readable at `at`, and the cells' values in `values`.
#[inline(always)]
unsafe fn gather<V: Real, const N: usize>(values: *const V::Scalar, component: usize, at: *const u32) -> [V; N] {
    let mut packs = [V::zero(); N];
    for (m, pack) in packs.iter_mut().enumerate() {
        let mut lanes = [V::Scalar::default(); crate::patch::PACK_OVERRUN];
        for (lane, value) in lanes[..V::LANES].iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            *value = unsafe { *values.add(m * component + *at.add(lane) as usize) };
        }
        // SAFETY: a pack has no more lanes than the array.
        *pack = unsafe { V::load(lanes.as_ptr()) };
    }
    packs
}

/// Numbers that a kernel is compiled for: those of `f32` are rare.
pub(crate) const fn is_compiled<R: Scalar>() -> bool {
    size_of::<R>() == size_of::<f64>()
}
