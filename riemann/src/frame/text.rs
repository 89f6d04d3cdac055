//! The CUDA C++ of solvers in the frames of faces.

use super::geometry;
use crate::device_source::DeviceSource;

/// Words before each function.
const QUALIFIERS: &str = "__device__ __forceinline__";

/// The text of a solver in the frames of faces, made from the inner solver's text: the operations of [`FaceFrame`] in its order.
pub(super) fn framed(inside: DeviceSource, dim: usize, vectors: &[usize]) -> DeviceSource {
    let DeviceSource { body, aux, .. } = &inside;
    let frame = if dim == 3 { frame_in_space(*aux) } else { frame_in_plane(*aux) };
    let vectors_list: Vec<_> = vectors.iter().map(usize::to_string).collect();
    let (count, list) = (vectors.len(), vectors_list.join(", "));
    let frame = frame.replace("COUNT", &count.to_string());
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
    static constexpr bool SPLITS_SUMS = Inside::SPLITS_SUMS;
    {QUALIFIERS} static Inside::Aux own(const Aux& aux) {{
        Inside::Aux values = Inside::Aux();
        for (int a = 0; a < Inside::A; ++a) values[a] = aux[a];
        return values;
    }}
{frame}        {QUALIFIERS} State mirrored(bool wall, const State& q) const {{
            State both = State();
            for (int k = 0; k < {count}; ++k) {{
                const int normal = vector(k) + axis;
                both[normal] = q[normal] + q[normal];
            }}
            for (int m = 0; m < M; ++m) both[m] = wall ? both[m] : q[m];
            return both;
        }}
        {QUALIFIERS} State leave_scaled(const State& q) const {{
            State scaled = leave(q);
            for (int m = 0; m < M; ++m) scaled[m] = size * scaled[m];
            return scaled;
        }}
    }};

    {QUALIFIERS} Normal normal(Axis axis, State ql, State qr, Aux aux_l, Aux aux_r) const {{
        const Frame frame(axis, aux_r);
        Normal face = inside.normal(axis, frame.enter(ql), frame.enter(qr), own(aux_l), own(aux_r));
        for (int w = 0; w < W; ++w) {{
            face.speeds[w] = frame.size * face.speeds[w];
            face.waves[w] = FWAVES ? frame.leave_scaled(face.waves[w]) : frame.leave(face.waves[w]);
        }}
        face.amdq = frame.leave_scaled(face.amdq);
        face.apdq = frame.leave_scaled(face.apdq);
        return face;
    }}

    {QUALIFIERS} State mean_state(State ql, State qr) const {{ return inside.mean_state(ql, qr); }}

    {QUALIFIERS} Transverse split(const Frame& frame, Axis axis, Axis across, Side side, const State& ql, const State& qr, const State& mean, const Inside::TransverseAux& aux, const State& asdq) const {{
        return inside.transverse(axis, across, side, frame.enter(ql), frame.enter(qr), frame.enter(mean), aux, frame.enter(asdq));
    }}

    {QUALIFIERS} Transverse transverse(Axis axis, Axis across, Side side, State ql, State qr, State mean, TransverseAux aux, State asdq) const {{
        const Inside::TransverseAux around = {{own(aux.below), own(aux.here), own(aux.above)}};
        const Frame lower(across, aux.here), upper(across, aux.above);
        const bool below = Frame(axis, aux.below).is_behind_wall(), above = Frame(axis, aux.above).is_behind_wall();
        return Transverse{{
            lower.leave_scaled(lower.mirrored(below, split(lower, axis, across, side, ql, qr, mean, around, asdq).bmasdq)),
            upper.leave_scaled(upper.mirrored(above, split(upper, axis, across, side, ql, qr, mean, around, asdq).bpasdq))}};
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
    if inside.has_boundary {
        text += &format!(
            "\n    {QUALIFIERS} State boundary(Axis axis, Side side, Array<Real, 3> x, Real t, State mirror) const {{\n        \
             return inside.boundary(axis, side, x, t, mirror);\n    }}\n"
        );
    }
    if inside.has_flag {
        text += &format!(
            "\n    {QUALIFIERS} bool flag(Array<Real, 3> x, Real t, State q, Aux aux) const {{\n        \
             return inside.flag(x, t, q, own(aux));\n    }}\n"
        );
    }
    DeviceSource { body: text, aux: inside.aux + geometry(dim).len(), ..inside }
}

/// The beginning of the struct of a face's frame in the plane, with the number of vectors still to be put in.
fn frame_in_plane(aux: usize) -> String {
    format!(
        r"    struct Frame {{
        Axis axis;
        Real nx, ny, size;
        {QUALIFIERS} Frame(Axis axis, const Aux& aux)
            : axis(axis), nx(aux[{aux} + 3 * axis]), ny(aux[{aux} + 3 * axis + 1]), size(aux[{aux} + 3 * axis + 2]) {{}}
        {QUALIFIERS} State enter(State q) const {{
            for (int k = 0; k < COUNT; ++k) {{
                const int v = vector(k);
                const Real a = q[v], b = q[v + 1], normal = (a * nx) + (b * ny);
                q[v] = axis == X ? normal : (a * ny) - (b * nx);
                q[v + 1] = axis == X ? (b * nx) - (a * ny) : normal;
            }}
            return q;
        }}
        {QUALIFIERS} State leave(State q) const {{
            for (int k = 0; k < COUNT; ++k) {{
                const int v = vector(k);
                const Real a = q[v], b = q[v + 1];
                q[v] = axis == X ? (a * nx) - (b * ny) : (b * nx) + (a * ny);
                q[v + 1] = axis == X ? (a * ny) + (b * nx) : (b * ny) - (a * nx);
            }}
            return q;
        }}
        {QUALIFIERS} bool is_behind_wall() const {{ return nx == Real(0.0) && ny == Real(0.0); }}
"
    )
}

/// The same in space.
fn frame_in_space(aux: usize) -> String {
    format!(
        r"    struct Frame {{
        Axis axis;
        Array<Real, 3> turn;
        Real size;
        {QUALIFIERS} Frame(Axis axis, const Aux& aux) : axis(axis) {{
            for (int d = 0; d < 3; ++d) turn[d] = aux[{aux} + 4 * axis + d];
            size = aux[{aux} + 4 * axis + 3];
        }}
        {QUALIFIERS} State enter(State q) const {{
            for (int k = 0; k < COUNT; ++k) {{
                const int v = vector(k);
                const Real part = ((q[v] * turn[0]) + (q[v + 1] * turn[1])) + (q[v + 2] * turn[2]);
                const Real twice = part + part;
                for (int d = 0; d < 3; ++d) q[v + d] = (twice * turn[d]) - q[v + d];
            }}
            return q;
        }}
        {QUALIFIERS} State leave(const State& q) const {{ return enter(q); }}
        {QUALIFIERS} bool is_behind_wall() const {{
            return turn[0] == Real(0.0) && turn[1] == Real(0.0) && turn[2] == Real(0.0);
        }}
"
    )
}
