//! Any solver on a mapped mesh, in the frame of each face.
//!
//! The faces of a mapped cell may point in any direction. [`FaceFrame`] rotates the vectors and tensors among a state's components to a face's normal
//! and tangents, lets the inner solver solve the Riemann problem there, and rotates waves and fluctuations back. Speeds and fluctuations
//! are scaled by the face's size per unit of the computational coordinates along it; with the cell's size per unit of computational size as
//! capacity κ, the update solves `κ q_t + …`. A transverse split is made twice, in the frames of the lower and of the upper face that the
//! fluctuation moves through.
//!
//! In the plane a face's frame is its normal. In space the rotation of the axis `e` to the normal `n` is the half turn about the vector
//! half way between them, `h = (e + n)/|e + n|`: it maps `q` to `2 h (h·q) − q`, needs no division, is its own inverse, and exists for all
//! normals but `−e`, for which any `h` across `e` can be used.
//! Behind a wall there are no faces between cells: their normals are [`no_face`], next to nothing. What a transverse wave sends into the wall's face
//! is reflected there: with its image, some components are doubled, as the normal one of a vector, and others vanish ([`Group::doubles`]).
//! What is to be split once more comes back as its image.
//!
//! LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §23.2–23.9; Calhoun, Helzel,
//! LeVeque, *Logically rectangular grids and finite volume methods for PDEs in circular and spherical domains* (2008),
//! doi:10.1137/060664094, §4.

mod face;
mod geometry;
mod sums;
mod text;

pub(crate) use face::Frame;
pub use geometry::{geometry, half_way, is_no_face, no_face};
pub use sums::FaceSums;
pub use text::{text_of_face, turned_text};

use crate::axis::{Axis, Side};
use crate::device_source::DeviceSource;
use crate::group::Group;
use crate::parameters::ParameterInfo;
use crate::real::{Mask as _, Real};
use crate::solver::{Cell, Described, Normal, Solver, Transverse, TransverseAux};
use geometry::split_geometry;
use text::framed;

/// A solver that knows no directions, on a mapped mesh in the plane or in space. `A`: the number of its own auxiliary values; those of
/// [`geometry`] follow them.
#[derive(Clone, Copy, Debug)]
pub struct FaceFrame<S, const A: usize>(pub S);

impl<S, const A: usize> FaceFrame<S, A> {
    /// The solver's own auxiliary values.
    #[inline(always)]
    fn own<V: Real, const B: usize>(aux: &[V; B]) -> [V; A] {
        let mut own = [V::zero(); A];
        own.copy_from_slice(&aux[..A]);
        own
    }

    /// A transverse split in the frame of one of the faces. Not a closure: closures are not inlined into code for the processor's
    /// vectors, so that each operation would be a call.
    #[inline(always)]
    fn split<V: Real, const M: usize, const W: usize, const B: usize>(
        &self,
        frame: &Frame<V>,
        (axis, across, side): (Axis, Axis, Side),
        [ql, qr, mean, asdq]: [[V; M]; 4],
        aux: &TransverseAux<V, B>,
    ) -> Transverse<V, M>
    where
        S: Solver<M, W, A>,
    {
        let (ql, qr) = (frame.enter(S::GROUPS, ql), frame.enter(S::GROUPS, qr));
        let (mean, asdq) = (frame.enter(S::GROUPS, mean), frame.enter(S::GROUPS, asdq));
        let own = TransverseAux {
            below: frame.enter(S::AUX_GROUPS, Self::own(&aux.below)),
            here: frame.enter(S::AUX_GROUPS, Self::own(&aux.here)),
            above: frame.enter(S::AUX_GROUPS, Self::own(&aux.above)),
        };
        self.0.transverse(axis, across, side, ql, qr, mean, &own, asdq)
    }
}

/// Values chosen lane by lane.
#[inline(always)]
fn select<V: Real, const N: usize>(mask: V::Mask, if_set: [V; N], otherwise: [V; N]) -> [V; N] {
    let mut chosen = otherwise;
    for n in 0..N {
        chosen[n] = V::select(mask, if_set[n], otherwise[n]);
    }
    chosen
}

impl<S: Described, const A: usize> Described for FaceFrame<S, A> {
    const NAME: &'static str = S::NAME;
    const TITLE: &'static str = S::TITLE;
    const PARAMETERS: &'static [ParameterInfo] = S::PARAMETERS;

    fn from_parameters(values: &[f64]) -> Self {
        FaceFrame(S::from_parameters(values))
    }
}

/// `own`, then the values of a mapped cell.
const fn joined<T: Copy, const A: usize, const B: usize>(own: [T; A], further: &[T]) -> [T; B] {
    assert!(B == A + further.len(), "the geometry's auxiliary values follow the solver's own");
    let mut all = [further[0]; B];
    let mut a = 0;
    while a < B {
        all[a] = if a < A { own[a] } else { further[a - A] };
        a += 1;
    }
    all
}

impl<S, const M: usize, const W: usize, const A: usize, const B: usize> Solver<M, W, B> for FaceFrame<S, A>
where
    S: Solver<M, W, A>,
{
    const DIM: usize = S::DIM;
    const EQUATIONS: [&'static str; M] = S::EQUATIONS;
    const AUX: [&'static str; B] = joined(S::AUX, split_geometry(S::DIM).0.split_at(geometry(S::DIM).len()).0);
    const AUX_FACE: [Option<Axis>; B] =
        joined(S::AUX_FACE, split_geometry(S::DIM).1.split_at(geometry(S::DIM).len()).0);
    const FWAVES: bool = S::FWAVES;
    const HAS_TRANSVERSE: bool = S::HAS_TRANSVERSE;
    const HAS_MEAN_STATE: bool = S::HAS_MEAN_STATE;
    const HAS_SOURCE: bool = S::HAS_SOURCE;
    const HAS_INITIAL: bool = S::HAS_INITIAL;
    const HAS_AUX: bool = S::HAS_AUX;
    const HAS_BOUNDARY: bool = S::HAS_BOUNDARY;
    const OF_TIME: bool = S::OF_TIME;
    const HAS_FLAG: bool = S::HAS_FLAG;
    const FLAG_LOOKS_AROUND: bool = S::FLAG_LOOKS_AROUND;
    const SPLITS_SUMS: bool = S::SPLITS_SUMS;
    const SOLVE_AGAIN: bool = S::SOLVE_AGAIN;
    const POSITIVE: &'static [&'static str] = S::POSITIVE;
    const NONNEGATIVE: &'static [&'static str] = S::NONNEGATIVE;
    const KEPT_NONNEGATIVE: &'static [usize] = S::KEPT_NONNEGATIVE;
    const FALLS_BACK: bool = S::FALLS_BACK;
    const SETTLES: bool = S::SETTLES;
    const TRANSFERS: bool = S::TRANSFERS;
    const CHECKS_STEPS: bool = S::CHECKS_STEPS;
    const LIMITS: bool = S::LIMITS;
    const GROUPS: &'static [Group] = S::GROUPS;
    const AUX_GROUPS: &'static [Group] = S::AUX_GROUPS;
    const LOOKS_BESIDE: bool = S::LOOKS_BESIDE;

    #[inline(always)]
    fn outlined<V: Real, T>(f: impl FnOnce() -> T) -> T {
        S::outlined::<V, T>(f)
    }

    #[inline(always)]
    fn normal<V: Real>(&self, axis: Axis, ql: [V; M], qr: [V; M], aux_l: [V; B], aux_r: [V; B]) -> Normal<V, M, W> {
        self.normal_beside(axis, ql, qr, aux_l, aux_r, V::zero())
    }

    #[inline(always)]
    fn steepness<V: Real>(&self, axis: Axis, ql: [V; M], qr: [V; M], aux_l: [V; B], aux_r: [V; B]) -> V {
        let frame = Frame::new(S::DIM, axis, A, &aux_r);
        let (ql, qr) = (frame.enter(S::GROUPS, ql), frame.enter(S::GROUPS, qr));
        let aux_l = frame.enter(S::AUX_GROUPS, Self::own(&aux_l));
        let aux_r = frame.enter(S::AUX_GROUPS, Self::own(&aux_r));
        self.0.steepness(axis, ql, qr, aux_l, aux_r)
    }

    #[inline(always)]
    fn normal_beside<V: Real>(
        &self,
        axis: Axis,
        ql: [V; M],
        qr: [V; M],
        aux_l: [V; B],
        aux_r: [V; B],
        beside: V,
    ) -> Normal<V, M, W> {
        let frame = Frame::new(S::DIM, axis, A, &aux_r);
        let (ql, qr) = (frame.enter(S::GROUPS, ql), frame.enter(S::GROUPS, qr));
        let aux_l = frame.enter(S::AUX_GROUPS, Self::own(&aux_l));
        let aux_r = frame.enter(S::AUX_GROUPS, Self::own(&aux_r));
        let mut face = self.0.normal_beside(axis, ql, qr, aux_l, aux_r, beside);
        for w in 0..W {
            face.speeds[w] = frame.size * face.speeds[w];
            face.waves[w] = match S::FWAVES {
                true => frame.leave_scaled(S::GROUPS, face.waves[w]),
                false => frame.leave(S::GROUPS, face.waves[w]),
            };
        }
        face.amdq = frame.leave_scaled(S::GROUPS, face.amdq);
        face.apdq = frame.leave_scaled(S::GROUPS, face.apdq);
        face
    }

    #[inline(always)]
    fn transverse<V: Real>(
        &self,
        axis: Axis,
        across: Axis,
        side: Side,
        ql: [V; M],
        qr: [V; M],
        mean: [V; M],
        aux: &TransverseAux<V, B>,
        asdq: [V; M],
    ) -> Transverse<V, M> {
        let (lower, upper) = (Frame::new(S::DIM, across, A, &aux.here), Frame::new(S::DIM, across, A, &aux.above));
        let (below, above) = (Frame::new(S::DIM, axis, A, &aux.below), Frame::new(S::DIM, axis, A, &aux.above));
        let down = self.split(&lower, (axis, across, side), [ql, qr, mean, asdq], aux).bmasdq;
        let up = self.split(&upper, (axis, across, side), [ql, qr, mean, asdq], aux).bpasdq;
        let (down, up) = (lower.mirrored(&below, S::GROUPS, down), upper.mirrored(&above, S::GROUPS, up));
        Transverse { bmasdq: lower.leave_scaled(S::GROUPS, down), bpasdq: upper.leave_scaled(S::GROUPS, up) }
    }

    /// Behind a wall there are no faces to leave a cell by. What would move there comes back as its image, of states that are images too,
    /// and leaves the cell itself; and what it takes away behind the wall is missing in the cell: again the image of all that.
    #[inline(always)]
    fn transverse_twice<V: Real>(
        &self,
        [axis, through, third]: [Axis; 3],
        side: Side,
        states: [[V; M]; 3],
        aux: &[TransverseAux<V, B>; 4],
        asdq: [V; M],
    ) -> [Transverse<V, M>; 2] {
        let [ql, qr, mean] = states;
        let [cell, lower, here, upper] = aux;
        let faces = [Frame::new(S::DIM, third, A, &cell.here), Frame::new(S::DIM, third, A, &cell.above)];
        let beyond = [Frame::new(S::DIM, axis, A, &cell.below), Frame::new(S::DIM, axis, A, &cell.above)];
        let moved = [
            self.split(&faces[0], (axis, third, side), [ql, qr, mean, asdq], cell).bmasdq,
            self.split(&faces[1], (axis, third, side), [ql, qr, mean, asdq], cell).bpasdq,
        ];
        let mut sent = [Transverse { bmasdq: [V::zero(); M], bpasdq: [V::zero(); M] }; 2];
        for (k, neighbour) in [lower, upper].into_iter().enumerate() {
            let (face, beyond, behind) = (&faces[k], &beyond[k], beyond[k].is_behind_any(S::GROUPS));
            let (mut states, mut around, mut moved) = (states, *neighbour, moved[k]);
            if behind.any() {
                for q in &mut states {
                    let image = face.leave(S::GROUPS, face.image(beyond, S::GROUPS, face.enter(S::GROUPS, *q), true));
                    *q = select(behind, image, *q);
                }
                let TransverseAux { below, here, above } = *here;
                around.below = select(behind, below, around.below);
                around.here = select(behind, here, around.here);
                around.above = select(behind, above, around.above);
                moved = face.image(beyond, S::GROUPS, moved, false);
            }
            let [ql, qr, mean] = states;
            let moved = face.leave_scaled(S::GROUPS, moved);
            sent[k] = self.transverse(axis, through, side, ql, qr, mean, &around, moved);
            if behind.any() {
                for part in [&mut sent[k].bmasdq, &mut sent[k].bpasdq] {
                    let both = face.mirrored(beyond, S::GROUPS, face.enter(S::GROUPS, *part));
                    *part = select(behind, face.leave(S::GROUPS, both), *part);
                }
            }
        }
        sent
    }

    #[inline(always)]
    fn mean_state<V: Real>(&self, ql: [V; M], qr: [V; M]) -> [V; M] {
        self.0.mean_state(ql, qr)
    }

    #[inline(always)]
    fn flux<V: Real>(&self, axis: Axis, q: [V; M], aux: [V; B]) -> Option<[V; M]> {
        let frame = Frame::new(S::DIM, axis, A, &aux);
        let flux = self.0.flux(axis, frame.enter(S::GROUPS, q), frame.enter(S::AUX_GROUPS, Self::own(&aux)));
        flux.map(|flux| frame.leave_scaled(S::GROUPS, flux))
    }

    #[inline(always)]
    fn source<V: Real>(&self, x: [V; 3], t: V, dt: V, q: [V; M], aux: [V; B]) -> [V; M] {
        self.0.source(x, t, dt, q, Self::own(&aux))
    }

    fn source_acts(&self) -> bool {
        self.0.source_acts()
    }

    #[inline(always)]
    fn settle<V: Real>(&self, q: [V; M], aux: [V; B], emptied: V::Mask) -> [V; M] {
        self.0.settle(q, Self::own(&aux), emptied)
    }

    #[inline(always)]
    fn width<V: Real>(aux: &[V; B]) -> V {
        match S::DIM {
            2 => aux[A + 6] / aux[A + 2].max(aux[A + 5]),
            _ => V::constant(1.0),
        }
    }

    #[inline(always)]
    fn to_transfer<V: Real>(&self, q: [V; M], aux: [V; B]) -> [V; M] {
        self.0.to_transfer(q, Self::own(&aux))
    }

    #[inline(always)]
    fn from_transfer<V: Real>(&self, t: [V; M], aux: [V; B]) -> [V; M] {
        self.0.from_transfer(t, Self::own(&aux))
    }

    #[inline(always)]
    fn transfer_weight<V: Real>(&self, t: [V; M], aux: [V; B]) -> [V; M] {
        self.0.transfer_weight(t, Self::own(&aux))
    }

    fn initial(&self, cell: &Cell, aux: [f64; B]) -> [f64; M] {
        self.0.initial(cell, Self::own(&aux))
    }

    fn aux_values(&self, cell: &Cell) -> [f64; B] {
        joined(self.0.aux_values(cell), &[0.0; 13][..B - A])
    }

    #[inline(always)]
    fn boundary<V: Real>(&self, axis: Axis, side: Side, x: [V; 3], t: V, mirror: [V; M]) -> [V; M] {
        self.0.boundary(axis, side, x, t, mirror)
    }

    #[inline(always)]
    fn flag<V: Real>(
        &self,
        x: [V; 3],
        t: V,
        q: [V; M],
        aux: [V; B],
        below: [[V; M]; 3],
        above: [[V; M]; 3],
    ) -> V::Mask {
        self.0.flag(x, t, q, Self::own(&aux), below, above)
    }

    #[inline(always)]
    fn least_positive<V: Real>(&self, q: [V; M], aux: [V; B]) -> V {
        self.0.least_positive(q, Self::own(&aux))
    }

    #[inline(always)]
    fn is_admissible<V: Real>(&self, q: [V; M], aux: [V; B], least: V) -> V::Mask {
        self.0.is_admissible(q, Self::own(&aux), least)
    }

    #[inline(always)]
    fn quantities<V: Real>(&self, q: [V; M], aux: [V; B], values: &mut [V]) {
        self.0.quantities(q, Self::own(&aux), values);
    }

    fn admissible(&self, unit: [f64; M]) -> [f64; M] {
        self.0.admissible(unit)
    }

    /// Faces of any direction, between half as large and half as large again as those of a straight cell.
    fn admissible_aux(&self, unit: [f64; B]) -> [f64; B] {
        let (own, dim) = (self.0.admissible_aux(Self::own(&unit)), S::DIM);
        let mut values = unit.map(|u| 0.5 + u);
        for face in 0..dim {
            let first = A + (dim + 1) * face;
            let (sine, cosine) = (std::f64::consts::TAU * unit[first]).sin_cos();
            let up = if dim == 3 { 2.0 * unit[first + 1] - 1.0 } else { 0.0 };
            let across = (1.0 - up * up).sqrt();
            let turn = [across * cosine, across * sine, up];
            values[first..first + dim].copy_from_slice(&turn[..dim]);
        }
        values[..A].copy_from_slice(&own);
        values
    }

    fn exchanged(&self, _axes: [Axis; 2]) -> Option<Self> {
        None
    }

    fn mirrored(&self, _axis: Axis) -> Option<Self> {
        None
    }

    fn with_parameters(&self, values: &[f64]) -> Option<Self> {
        self.0.with_parameters(values).map(FaceFrame)
    }

    fn device_source(&self) -> Option<DeviceSource> {
        self.0.device_source().map(|inside| framed(inside, S::DIM, [S::GROUPS, S::AUX_GROUPS]))
    }
}
