//! Any solver on a mapped grid, in the frame of each face.
//!
//! A mapped cell has straight sides that point anywhere. [`FaceFrame`] turns the vectors among a state's components into a face's
//! normal and tangent, lets the solver inside solve the Riemann problem there, and turns waves and fluctuations back. Speeds and
//! fluctuations are scaled by the face's length per unit of the computational coordinate along it; with the cell's area per unit of
//! computational area as capacity κ, `κ q_t + …` is what the update solves. A transverse split is made twice, in the frames of the lower
//! and of the upper face that the fluctuation moves through.
//!
//! Behind a wall, cells have no faces between them: their normals there are zero. What a transverse wave sends into the wall's face
//! comes back as its mirror image from there: together that is twice what moves along the normal, and nothing else.
//!
//! LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §23.2–23.9; Calhoun, Helzel,
//! LeVeque, *Logically rectangular grids and finite volume methods for PDEs in circular and spherical domains* (2008),
//! doi:10.1137/060664094, §4.

use crate::axis::{Axis, Side};
use crate::device_source::DeviceSource;
use crate::parameters::ParameterInfo;
use crate::real::Real;
use crate::solver::{Cell, Described, Normal, Solver, Transverse, TransverseAux};

/// Auxiliary values of a mapped cell in the plane, which follow the solver's own: unit normal and length of the lower face along x, the
/// same along y, and the area. Lengths and area are per unit of the computational coordinates. A cell behind a wall has zeros as normals
/// and lengths of the faces along the wall's normal.
pub const GEOMETRY: [&str; 7] =
    ["xface_nx", "xface_ny", "xface_length", "yface_nx", "yface_ny", "yface_length", "capacity"];

/// The axes of the faces that these values live on.
const GEOMETRY_FACE: [Option<Axis>; 7] =
    [Some(Axis::X), Some(Axis::X), Some(Axis::X), Some(Axis::Y), Some(Axis::Y), Some(Axis::Y), None];

/// Which of these values is the area, the capacity of the scheme.
pub const CAPACITY: usize = 6;

/// A solver in the plane that knows no directions, on a mapped grid. `A`: the number of its own auxiliary values; those of
/// [`GEOMETRY`] follow them.
#[derive(Clone, Copy, Debug)]
pub struct FaceFrame<S, const A: usize>(pub S);

/// A face's unit normal and length.
struct Frame<V> {
    axis: Axis,
    normal: [V; 2],
    length: V,
}

impl<V: Real> Frame<V> {
    /// The frame of a cell's lower face along `axis`; `own` auxiliary values come before those of the geometry.
    #[inline(always)]
    fn new<const B: usize>(axis: Axis, own: usize, aux: &[V; B]) -> Self {
        let first = own + 3 * axis.index();
        Frame { axis, normal: [aux[first], aux[first + 1]], length: aux[first + 2] }
    }

    /// The state with its `vectors` turned so that the component along the axis is the one along the normal.
    #[inline(always)]
    fn enter<const M: usize>(&self, vectors: &[usize], mut q: [V; M]) -> [V; M] {
        let [nx, ny] = self.normal;
        for &v in vectors {
            let (a, b) = (q[v], q[v + 1]);
            let normal = a * nx + b * ny;
            (q[v], q[v + 1]) = match self.axis {
                Axis::X => (normal, b * nx - a * ny),
                _ => (a * ny - b * nx, normal),
            };
        }
        q
    }

    /// The state with its `vectors` turned back.
    #[inline(always)]
    fn leave<const M: usize>(&self, vectors: &[usize], mut q: [V; M]) -> [V; M] {
        let [nx, ny] = self.normal;
        for &v in vectors {
            let (a, b) = (q[v], q[v + 1]);
            (q[v], q[v + 1]) = match self.axis {
                Axis::X => (a * nx - b * ny, a * ny + b * nx),
                _ => (b * nx + a * ny, b * ny - a * nx),
            };
        }
        q
    }

    /// Whether the cell is one of those behind a wall, which have no such face.
    #[inline(always)]
    fn is_behind_wall(&self) -> V::Mask {
        self.normal[0].equal(V::zero()) & self.normal[1].equal(V::zero())
    }

    /// A fluctuation that enters the face, in its frame, with the mirror image that a wall, where there is one, sends back.
    #[inline(always)]
    fn mirrored<const M: usize>(&self, wall: V::Mask, vectors: &[usize], q: [V; M]) -> [V; M] {
        let mut both = [V::zero(); M];
        for &v in vectors {
            let normal = v + usize::from(self.axis != Axis::X);
            both[normal] = q[normal] + q[normal];
        }
        for (both, alone) in both.iter_mut().zip(q) {
            *both = V::select(wall, *both, alone);
        }
        both
    }

    /// A fluctuation turned back and scaled.
    #[inline(always)]
    fn leave_scaled<const M: usize>(&self, vectors: &[usize], q: [V; M]) -> [V; M] {
        let mut q = self.leave(vectors, q);
        for value in &mut q {
            *value = self.length * *value;
        }
        q
    }
}

impl<S, const A: usize> FaceFrame<S, A> {
    /// The solver's own auxiliary values.
    #[inline(always)]
    fn own<V: Real, const B: usize>(aux: &[V; B]) -> [V; A] {
        let mut own = [V::zero(); A];
        own.copy_from_slice(&aux[..A]);
        own
    }
}

impl<S, const A: usize> FaceFrame<S, A> {
    /// A transverse split in the frame of one of the faces. No closure: those are not inlined into code for the processor's vectors, and
    /// call each operation.
    #[inline(always)]
    fn split<V: Real, const M: usize, const W: usize>(
        &self,
        frame: &Frame<V>,
        (axis, across, side): (Axis, Axis, Side),
        [ql, qr, asdq]: [[V; M]; 3],
        own: &TransverseAux<V, A>,
    ) -> Transverse<V, M>
    where
        S: Solver<M, W, A>,
    {
        let (ql, qr) = (frame.enter(S::VECTORS, ql), frame.enter(S::VECTORS, qr));
        self.0.transverse(axis, across, side, ql, qr, own, frame.enter(S::VECTORS, asdq))
    }
}

impl<S: Described, const A: usize> Described for FaceFrame<S, A> {
    const NAME: &'static str = S::NAME;
    const TITLE: &'static str = S::TITLE;
    const PARAMETERS: &'static [ParameterInfo] = S::PARAMETERS;

    fn from_parameters(values: &[f64]) -> Self {
        FaceFrame(S::from_parameters(values))
    }
}

/// `own`, then `geometry`.
const fn joined<T: Copy, const A: usize, const B: usize>(own: [T; A], geometry: [T; 7]) -> [T; B] {
    assert!(B == A + 7, "the geometry's auxiliary values follow the solver's own");
    let mut all = [geometry[0]; B];
    let mut a = 0;
    while a < B {
        all[a] = if a < A { own[a] } else { geometry[a - A] };
        a += 1;
    }
    all
}

impl<S, const M: usize, const W: usize, const A: usize, const B: usize> Solver<M, W, B> for FaceFrame<S, A>
where
    S: Solver<M, W, A>,
{
    const DIM: usize = {
        assert!(S::DIM == 2, "mapped grids are in the plane");
        2
    };
    const EQUATIONS: [&'static str; M] = S::EQUATIONS;
    const AUX: [&'static str; B] = joined(S::AUX, GEOMETRY);
    const AUX_FACE: [Option<Axis>; B] = joined(S::AUX_FACE, GEOMETRY_FACE);
    const FWAVES: bool = S::FWAVES;
    const HAS_TRANSVERSE: bool = S::HAS_TRANSVERSE;
    const HAS_SOURCE: bool = S::HAS_SOURCE;
    const HAS_INITIAL: bool = S::HAS_INITIAL;
    const HAS_AUX: bool = S::HAS_AUX;
    const HAS_BOUNDARY: bool = S::HAS_BOUNDARY;
    const HAS_FLAG: bool = S::HAS_FLAG;
    const SOLVE_AGAIN: bool = S::SOLVE_AGAIN;
    const POSITIVE: &'static [&'static str] = S::POSITIVE;
    const NONNEGATIVE: &'static [&'static str] = S::NONNEGATIVE;
    const CHECKS_STEPS: bool = S::CHECKS_STEPS;
    const WALL_NORMAL: [Option<usize>; 3] = S::WALL_NORMAL;
    const VECTORS: &'static [usize] = S::VECTORS;

    #[inline(always)]
    fn normal<V: Real>(&self, axis: Axis, ql: [V; M], qr: [V; M], aux_l: [V; B], aux_r: [V; B]) -> Normal<V, M, W> {
        let frame = Frame::new(axis, A, &aux_r);
        let (ql, qr) = (frame.enter(S::VECTORS, ql), frame.enter(S::VECTORS, qr));
        let mut face = self.0.normal(axis, ql, qr, Self::own(&aux_l), Self::own(&aux_r));
        for w in 0..W {
            face.speeds[w] = frame.length * face.speeds[w];
            face.waves[w] = match S::FWAVES {
                true => frame.leave_scaled(S::VECTORS, face.waves[w]),
                false => frame.leave(S::VECTORS, face.waves[w]),
            };
        }
        face.amdq = frame.leave_scaled(S::VECTORS, face.amdq);
        face.apdq = frame.leave_scaled(S::VECTORS, face.apdq);
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
        aux: &TransverseAux<V, B>,
        asdq: [V; M],
    ) -> Transverse<V, M> {
        let own =
            TransverseAux { below: Self::own(&aux.below), here: Self::own(&aux.here), above: Self::own(&aux.above) };
        let (lower, upper) = (Frame::new(across, A, &aux.here), Frame::new(across, A, &aux.above));
        let (below, above) = (Frame::new(axis, A, &aux.below), Frame::new(axis, A, &aux.above));
        let down = self.split(&lower, (axis, across, side), [ql, qr, asdq], &own).bmasdq;
        let up = self.split(&upper, (axis, across, side), [ql, qr, asdq], &own).bpasdq;
        let bmasdq = lower.mirrored(below.is_behind_wall(), S::VECTORS, down);
        let bpasdq = upper.mirrored(above.is_behind_wall(), S::VECTORS, up);
        Transverse { bmasdq: lower.leave_scaled(S::VECTORS, bmasdq), bpasdq: upper.leave_scaled(S::VECTORS, bpasdq) }
    }

    #[inline(always)]
    fn flux<V: Real>(&self, axis: Axis, q: [V; M], aux: [V; B]) -> Option<[V; M]> {
        let frame = Frame::new(axis, A, &aux);
        let flux = self.0.flux(axis, frame.enter(S::VECTORS, q), Self::own(&aux));
        flux.map(|flux| frame.leave_scaled(S::VECTORS, flux))
    }

    #[inline(always)]
    fn source<V: Real>(&self, x: [V; 3], t: V, dt: V, q: [V; M], aux: [V; B]) -> [V; M] {
        self.0.source(x, t, dt, q, Self::own(&aux))
    }

    fn initial(&self, cell: &Cell, aux: [f64; B]) -> [f64; M] {
        self.0.initial(cell, Self::own(&aux))
    }

    fn aux_values(&self, cell: &Cell) -> [f64; B] {
        joined(self.0.aux_values(cell), [0.0; 7])
    }

    #[inline(always)]
    fn boundary<V: Real>(&self, axis: Axis, side: Side, x: [V; 3], t: V, mirror: [V; M]) -> [V; M] {
        self.0.boundary(axis, side, x, t, mirror)
    }

    #[inline(always)]
    fn flag<V: Real>(&self, x: [V; 3], t: V, q: [V; M], aux: [V; B]) -> V::Mask {
        self.0.flag(x, t, q, Self::own(&aux))
    }

    #[inline(always)]
    fn least_positive<V: Real>(&self, q: [V; M], aux: [V; B]) -> V {
        self.0.least_positive(q, Self::own(&aux))
    }

    #[inline(always)]
    fn quantities<V: Real>(&self, q: [V; M], aux: [V; B], values: &mut [V]) {
        self.0.quantities(q, Self::own(&aux), values);
    }

    fn admissible(&self, unit: [f64; M]) -> [f64; M] {
        self.0.admissible(unit)
    }

    /// Faces of any direction, between half as long and half as long again as those of a straight cell.
    fn admissible_aux(&self, unit: [f64; B]) -> [f64; B] {
        let own = self.0.admissible_aux(Self::own(&unit));
        let turn = |u: f64| (std::f64::consts::TAU * u).sin_cos();
        let ((sx, cx), (sy, cy)) = (turn(unit[A]), turn(unit[A + 3]));
        let length = |u: f64| 0.5 + u;
        joined(own, [cx, sx, length(unit[A + 2]), cy, sy, length(unit[A + 5]), length(unit[A + 6])])
    }

    fn exchanged(&self, _axes: [Axis; 2]) -> Option<Self> {
        None
    }

    fn device_source(&self) -> Option<DeviceSource> {
        self.0.device_source().map(|inside| framed(inside, S::VECTORS))
    }
}

/// Words before each function.
const QUALIFIERS: &str = "__device__ __forceinline__";

/// The text of a solver in the frames of faces, of that of the solver inside: the operations of [`FaceFrame`] in its order.
fn framed(inside: DeviceSource, vectors: &[usize]) -> DeviceSource {
    let DeviceSource { body, aux, .. } = &inside;
    let vectors_list: Vec<_> = vectors.iter().map(usize::to_string).collect();
    let (count, list) = (vectors.len(), vectors_list.join(", "));
    let mut text = format!(
        r"    // In the frame of each face
    struct Inside {{
        static constexpr int A = {aux};
        typedef Array<Real, A> Aux;
        struct TransverseAux {{ Aux below, here, above; }};
{body}
    }};
    Inside inside;

    {QUALIFIERS} static int vector(int k) {{ constexpr int first[] = {{{list}}}; return first[k]; }}
    static constexpr bool SPLITS_SUMS = false;
    {QUALIFIERS} static Inside::Aux own(const Aux& aux) {{
        Inside::Aux values = Inside::Aux();
        for (int a = 0; a < Inside::A; ++a) values[a] = aux[a];
        return values;
    }}
    struct Frame {{
        Axis axis;
        Real nx, ny, length;
        {QUALIFIERS} Frame(Axis axis, const Aux& aux)
            : axis(axis), nx(aux[{aux} + 3 * axis]), ny(aux[{aux} + 3 * axis + 1]), length(aux[{aux} + 3 * axis + 2]) {{}}
        {QUALIFIERS} State enter(State q) const {{
            for (int k = 0; k < {count}; ++k) {{
                const int v = vector(k);
                const Real a = q[v], b = q[v + 1], normal = (a * nx) + (b * ny);
                q[v] = axis == X ? normal : (a * ny) - (b * nx);
                q[v + 1] = axis == X ? (b * nx) - (a * ny) : normal;
            }}
            return q;
        }}
        {QUALIFIERS} State leave(State q) const {{
            for (int k = 0; k < {count}; ++k) {{
                const int v = vector(k);
                const Real a = q[v], b = q[v + 1];
                q[v] = axis == X ? (a * nx) - (b * ny) : (b * nx) + (a * ny);
                q[v + 1] = axis == X ? (a * ny) + (b * nx) : (b * ny) - (a * nx);
            }}
            return q;
        }}
        {QUALIFIERS} bool is_behind_wall() const {{ return nx == Real(0.0) && ny == Real(0.0); }}
        {QUALIFIERS} State mirrored(bool wall, const State& q) const {{
            State both = State();
            for (int k = 0; k < {count}; ++k) {{
                const int normal = vector(k) + (axis == X ? 0 : 1);
                both[normal] = q[normal] + q[normal];
            }}
            for (int m = 0; m < M; ++m) both[m] = wall ? both[m] : q[m];
            return both;
        }}
        {QUALIFIERS} State leave_scaled(const State& q) const {{
            State scaled = leave(q);
            for (int m = 0; m < M; ++m) scaled[m] = length * scaled[m];
            return scaled;
        }}
    }};

    {QUALIFIERS} Normal normal(Axis axis, State ql, State qr, Aux aux_l, Aux aux_r) const {{
        const Frame frame(axis, aux_r);
        Normal face = inside.normal(axis, frame.enter(ql), frame.enter(qr), own(aux_l), own(aux_r));
        for (int w = 0; w < W; ++w) {{
            face.speeds[w] = frame.length * face.speeds[w];
            face.waves[w] = FWAVES ? frame.leave_scaled(face.waves[w]) : frame.leave(face.waves[w]);
        }}
        face.amdq = frame.leave_scaled(face.amdq);
        face.apdq = frame.leave_scaled(face.apdq);
        return face;
    }}

    {QUALIFIERS} Transverse split(const Frame& frame, Axis axis, Axis across, Side side, const State& ql, const State& qr, const Inside::TransverseAux& aux, const State& asdq) const {{
        return inside.transverse(axis, across, side, frame.enter(ql), frame.enter(qr), aux, frame.enter(asdq));
    }}

    {QUALIFIERS} Transverse transverse(Axis axis, Axis across, Side side, State ql, State qr, TransverseAux aux, State asdq) const {{
        const Inside::TransverseAux around = {{own(aux.below), own(aux.here), own(aux.above)}};
        const Frame lower(across, aux.here), upper(across, aux.above);
        const bool below = Frame(axis, aux.below).is_behind_wall(), above = Frame(axis, aux.above).is_behind_wall();
        return Transverse{{
            lower.leave_scaled(lower.mirrored(below, split(lower, axis, across, side, ql, qr, around, asdq).bmasdq)),
            upper.leave_scaled(upper.mirrored(above, split(upper, axis, across, side, ql, qr, around, asdq).bpasdq))}};
    }}
"
    );
    if inside.has_source {
        text += &format!(
            "\n    {QUALIFIERS} State source(Array<Real, 3> x, Real t, Real dt, State q, Aux aux) const {{\n        \
             return inside.source(x, t, dt, q, own(aux));\n    }}\n"
        );
    }
    if inside.has_positive {
        text += &format!(
            "\n    {QUALIFIERS} Real least_positive(State q, Aux aux) const {{\n        \
             return inside.least_positive(q, own(aux));\n    }}\n"
        );
    }
    // Nobody asks a kernel for boundary values or flags of a solver's own.
    DeviceSource { body: text, aux: inside.aux + GEOMETRY.len(), has_boundary: false, has_flag: false, ..inside }
}
