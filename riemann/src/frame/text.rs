//! The CUDA C++ of solvers in the frames of faces.

use super::{geometry, no_face};
use crate::axis::Axis;
use crate::device_source::DeviceSource;
use crate::group::{Group, GroupKind, Wall, walls};

/// Words before each function.
const QUALIFIERS: &str = "__device__ __forceinline__";

/// The text of a solver in the frames of faces, made from the inner solver's text: the operations of [`FaceFrame`] in its order.
pub(super) fn framed(inside: DeviceSource, dim: usize, [groups, aux_groups]: [&[Group]; 2]) -> DeviceSource {
    let DeviceSource { body, aux, .. } = &inside;
    let (behind, turned, frame) = (behind(groups, dim), enter_and_leave(groups, dim), frame_of_mapped(dim, *aux));
    let enter_own = enter_own(aux_groups, dim);
    let (mirrored, image) = (mirrored(groups, dim, inside.equations), image(groups, dim, inside.equations));
    let mut text = format!(
        r"    // In the frame of each face
    struct Inside {{
        static constexpr int A = {aux};
        typedef Array<Real, A> Aux;
        struct TransverseAux {{ Aux below, here, above; }};
{body}
    }};
    Inside inside;

    static constexpr bool SPLITS_SUMS = Inside::SPLITS_SUMS, SETTLES = Inside::SETTLES, FALLS_BACK = Inside::FALLS_BACK;
    static constexpr unsigned long long KEPT = Inside::KEPT;
    static constexpr bool IN_FRAMES = true;
    {QUALIFIERS} static Inside::Aux own(const Aux& aux) {{
        Inside::Aux values = Inside::Aux();
        for (int a = 0; a < Inside::A; ++a) values[a] = aux[a];
        return values;
    }}
{frame}{behind}{turned}        {QUALIFIERS} State mirrored(const Frame& beyond, State q) const {{
            const int wall = beyond.behind();
{mirrored}            return q;
        }}
        {QUALIFIERS} State image(int wall, State q, bool is_state) const {{
{image}            return q;
        }}
{enter_own}        {QUALIFIERS} State leave_scaled(const State& q) const {{
            State scaled = leave(q);
            for (int m = 0; m < M; ++m) scaled[m] = size * scaled[m];
            return scaled;
        }}
    }};

    {QUALIFIERS} Normal normal(Axis axis, State ql, State qr, Aux aux_l, Aux aux_r) const {{
        const Frame frame(axis, aux_r);
        Normal face = inside.normal(axis, frame.enter(ql), frame.enter(qr), frame.enter_own(aux_l), frame.enter_own(aux_r));
        for (int w = 0; w < W; ++w) {{
            face.speeds[w] = frame.size * face.speeds[w];
            face.waves[w] = FWAVES ? frame.leave_scaled(face.waves[w]) : frame.leave(face.waves[w]);
        }}
        face.amdq = frame.leave_scaled(face.amdq);
        face.apdq = frame.leave_scaled(face.apdq);
        return face;
    }}

    {QUALIFIERS} State mean_state(State ql, State qr) const {{ return inside.mean_state(ql, qr); }}

    {QUALIFIERS} Transverse split(const Frame& frame, Axis axis, Axis across, Side side, const State& ql, const State& qr, const State& mean, const TransverseAux& aux, const State& asdq) const {{
        const Inside::TransverseAux own = {{frame.enter_own(aux.below), frame.enter_own(aux.here), frame.enter_own(aux.above)}};
        return inside.transverse(axis, across, side, frame.enter(ql), frame.enter(qr), frame.enter(mean), own, frame.enter(asdq));
    }}

    {QUALIFIERS} Transverse transverse(Axis axis, Axis across, Side side, State ql, State qr, State mean, TransverseAux aux, State asdq) const {{
        const Frame lower(across, aux.here), upper(across, aux.above);
        const Frame below(axis, aux.below), above(axis, aux.above);
        return Transverse{{
            lower.leave_scaled(lower.mirrored(below, split(lower, axis, across, side, ql, qr, mean, aux, asdq).bmasdq)),
            upper.leave_scaled(upper.mirrored(above, split(upper, axis, across, side, ql, qr, mean, aux, asdq).bpasdq))}};
    }}
"
    );
    text += &of_updates(body);
    if dim == 3 {
        text += &transverse_twice();
    }
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
    if inside.has_admissible {
        text += &format!(
            "\n    {QUALIFIERS} bool is_admissible(State q, Aux aux, Real least) const {{\n        \
             return inside.is_admissible(q, own(aux), least);\n    }}\n"
        );
    }
    if inside.looks_beside {
        text += &format!(
            "\n    static constexpr int dim__ = {dim};\n    {QUALIFIERS} Real steepness(Axis axis, State ql, State qr, Aux aux_l, Aux aux_r) const {{\n        \
             const Frame frame(axis, aux_r);\n        \
             return inside.steepness(axis, frame.enter(ql), frame.enter(qr), frame.enter_own(aux_l), frame.enter_own(aux_r));\n    }}\n    \
             {QUALIFIERS} void set_beside(Real steepest) {{ inside.set_beside(steepest); }}\n"
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
            "\n    {QUALIFIERS} bool flag(Array<Real, 3> x, Real t, State q, Aux aux, Array<State, 3> below, Array<State, 3> above) const {{\n        \
             return inside.flag(x, t, q, own(aux), below, above);\n    }}\n"
        );
    }
    DeviceSource { body: text, aux: inside.aux + geometry(dim).len(), ..inside }
}

/// The functions of a solver whose quantities are kept nonnegative, whose states are settled, or which has transfer variables.
fn of_updates(body: &str) -> String {
    let mut text = String::new();
    if body.contains("State flux_below(") {
        text += &format!(
            "\n    {QUALIFIERS} State flux_below(Axis axis, State ql, Aux aux_l, Aux aux_r) const {{\n        \
             const Frame frame(axis, aux_r);\n        \
             return frame.leave_scaled(inside.flux_below(axis, frame.enter(ql), frame.enter_own(aux_l), frame.enter_own(aux_r)));\n    }}\n"
        );
    }
    if body.contains(" settle(") {
        text += &format!(
            "\n    {QUALIFIERS} State settle(State q, Aux aux, bool emptied) const {{ return inside.settle(q, own(aux), emptied); }}\n"
        );
    }
    for function in ["to_transfer", "from_transfer", "transfer_weight"] {
        if body.contains(&format!(" {function}(")) {
            text += &format!(
                "\n    {QUALIFIERS} State {function}(State q, Aux aux) const {{ return inside.{function}(q, own(aux)); }}\n"
            );
        }
    }
    text
}

/// Statements of CUDA C++ that turn the vectors and tensors among `values`, of the type `number`, by the function `turn` of a vector's
/// components. Of a tensor the rows are turned, then the columns.
pub fn turned_text(turn: &str, values: &str, number: &str, groups: &[Group], dim: usize) -> String {
    let mut text = String::new();
    for group in groups {
        let call = |vector: &dyn Fn(usize) -> String| {
            let vector: Vec<_> = (0..dim).map(vector).collect();
            format!("            {turn}({});\n", vector.join(", "))
        };
        match group.kind {
            GroupKind::PseudoScalar | GroupKind::OutOfPlane => {}
            GroupKind::Vector | GroupKind::PseudoVector => {
                text += &call(&|d| format!("{values}[{}]", group.first as usize + d));
            }
            GroupKind::Tensor => {
                let at = |i: usize, j: usize| format!("{values}[{}]", group.of_tensor(dim, i, j));
                let row = |i: usize| format!("{{{}}}", (0..dim).map(|j| at(i, j)).collect::<Vec<_>>().join(", "));
                let (t, rows) = (format!("t{}", group.first), (0..dim).map(row).collect::<Vec<_>>().join(", "));
                text += &format!("            {number} {t}[{dim}][{dim}] = {{{rows}}};\n");
                text.extend((0..dim).map(|i| call(&|j| format!("{t}[{i}][{j}]"))));
                text.extend((0..dim).map(|j| call(&|i| format!("{t}[{i}][{j}]"))));
                let upper = (0..dim).flat_map(|j| (0..=j).map(move |i| (i, j)));
                text.extend(upper.map(|(i, j)| format!("            {} = {t}[{i}][{j}];\n", at(i, j))));
            }
        }
    }
    text
}

/// The function that says behind which wall a cell is that has no such face: its number among [`walls`] from 1 on, or 0.
fn behind(groups: &[Group], dim: usize) -> String {
    let names = if dim == 3 { &["turn[0]", "turn[1]", "turn[2]"][..] } else { &["nx", "ny"] };
    let mut text = format!("        {QUALIFIERS} int behind() const {{\n");
    for (number, &wall) in walls(groups).iter().enumerate() {
        let values = no_face(wall).into_iter().chain([0.0]);
        let equal: Vec<String> =
            names.iter().zip(values).map(|(name, value)| format!("{name} == Real({value:?})")).collect();
        text += &format!("            if ({}) return {};\n", equal.join(" && "), number + 1);
    }
    text + "            return 0;\n        }\n"
}

/// The function that splits twice: see [`FaceFrame`](super::FaceFrame).
fn transverse_twice() -> String {
    format!(
        r"
    {QUALIFIERS} Array<Transverse, 2> transverse_twice(Axis axis, Axis through, Axis third, Side side, const State& ql, const State& qr, const State& mean, const Array<TransverseAux, 4>& aux, const State& asdq) const {{
        Array<Transverse, 2> sent;
        for (int k = 0; k < 2; ++k) {{
            const Frame face(third, k ? aux[0].above : aux[0].here), beyond(axis, k ? aux[0].above : aux[0].below);
            const Transverse parts = split(face, axis, third, side, ql, qr, mean, aux[0], asdq);
            const int wall = beyond.behind();
            State states[3] = {{ql, qr, mean}}, moved = k ? parts.bpasdq : parts.bmasdq;
            if (wall) {{
                for (int n = 0; n < 3; ++n) states[n] = face.leave(face.image(wall, face.enter(states[n]), true));
                moved = face.image(wall, moved, false);
            }}
            sent[k] = transverse(axis, through, side, states[0], states[1], states[2], wall ? aux[2] : aux[k ? 3 : 1], face.leave_scaled(moved));
            if (wall) {{
                sent[k].bmasdq = face.leave(face.mirrored(beyond, face.enter(sent[k].bmasdq)));
                sent[k].bpasdq = face.leave(face.mirrored(beyond, face.enter(sent[k].bpasdq)));
            }}
        }}
        return sent;
    }}
"
    )
}

/// For each wall its number and for each component a bit for each axis along whose faces it has a property.
fn bits_of_walls(groups: &[Group], dim: usize, equations: usize, is: super::face::Marked) -> Vec<(usize, Vec<u32>)> {
    let of_wall = |(number, &wall): (usize, &Wall)| {
        let mut bits = vec![0; equations];
        for group in groups {
            for (k, m) in group.components(dim).enumerate() {
                let bit = |axis: &Axis| u32::from(is(*group, dim, k, *axis, wall)) << axis.index();
                bits[m] = Axis::ALL[..dim].iter().map(bit).sum();
            }
        }
        (number + 1, bits)
    };
    walls(groups).iter().enumerate().map(of_wall).collect()
}

/// The statements that add to a state `q` its image where it has entered the face of a wall.
fn mirrored(groups: &[Group], dim: usize, equations: usize) -> String {
    let mut text = String::new();
    for (number, bits) in bits_of_walls(groups, dim, equations, Group::doubles) {
        for (m, bits) in bits.into_iter().enumerate() {
            let both = match bits {
                0 => "Real(0.0)".to_owned(),
                _ => format!("({bits} >> axis & 1 ? q[{m}] + q[{m}] : Real(0.0))"),
            };
            text += &format!("            q[{m}] = wall == {number} ? {both} : q[{m}];\n");
        }
    }
    text
}

/// The statements that replace a state or a fluctuation `q` by its image.
fn image(groups: &[Group], dim: usize, equations: usize) -> String {
    let mut text = String::new();
    let doubles = bits_of_walls(groups, dim, equations, Group::doubles);
    for ((number, negated), (_, doubles)) in
        bits_of_walls(groups, dim, equations, Group::is_negated).into_iter().zip(doubles)
    {
        for (m, (negated, doubles)) in negated.into_iter().zip(doubles).enumerate() {
            let changes = format!("wall == {number} && (is_state ? {negated} >> axis & 1 : !({doubles} >> axis & 1))");
            text += &format!("            q[{m}] = {changes} ? -q[{m}] : q[{m}];\n");
        }
    }
    text
}

/// The function that turns a solver's own auxiliary values into a frame.
fn enter_own(groups: &[Group], dim: usize) -> String {
    let turned = turned_text("enter", "q", "Real", groups, dim);
    format!(
        "        {QUALIFIERS} Inside::Aux enter_own(const Aux& aux) const {{\n            \
         Inside::Aux q = own(aux);\n{turned}            return q;\n        }}\n"
    )
}

/// The beginning of the struct of the frame of a mapped cell's lower face; `aux` auxiliary values come before those of the geometry.
fn frame_of_mapped(dim: usize, aux: usize) -> String {
    let head = "    struct Frame {\n";
    if dim == 3 {
        let turn = format!("for (int d = 0; d < 3; ++d) turn[d] = aux[{aux} + 4 * axis + d];");
        let size = format!("size = aux[{aux} + 4 * axis + 3];");
        return head.to_owned()
            + &frame_in_space(&format!("Frame(Axis axis, const Aux& aux) : axis(axis) {{ {turn} {size} }}"));
    }
    let [nx, ny, size] = [0, 1, 2].map(|k| format!("aux[{aux} + 3 * axis + {k}]"));
    let members = format!("axis(axis), nx({nx}), ny({ny}), size({size})");
    head.to_owned() + &frame_in_plane(&format!("Frame(Axis axis, const Aux& aux) : {members} {{}}"))
}

/// The functions that turn a state into a frame and out of it.
fn enter_and_leave(groups: &[Group], dim: usize) -> String {
    let function = |turn: &str| {
        let turned = turned_text(turn, "q", "Real", groups, dim);
        format!("        {QUALIFIERS} State {turn}(State q) const {{\n{turned}            return q;\n        }}\n")
    };
    function("enter") + &function("leave")
}

/// CUDA C++ of the frame of a face of any direction, `FaceFrame`, made of [`turn_of`](crate::cells::turn_of) its normal: `enter` and `leave`, and
/// `mirror`, a state's image in the wall with a number in [`walls`]. It relies on what a solver's text relies on.
pub fn text_of_face(groups: &[Group], dim: usize) -> String {
    let frame = if dim == 3 {
        frame_in_space("explicit FaceFrame(const Array<Real, 3>& turn) : axis(X), turn(turn), size(Real(0.0)) {}")
    } else {
        let members = "axis(X), nx(turn[0]), ny(turn[1]), size(Real(0.0))";
        frame_in_plane(&format!("explicit FaceFrame(const Array<Real, 3>& turn) : {members} {{}}"))
    };
    let mut signs = String::new();
    for (number, &wall) in walls(groups).iter().enumerate() {
        for group in groups {
            for (k, m) in group.components(dim).enumerate() {
                if group.is_negated(dim, k, Axis::X, wall) {
                    signs += &format!("            if (wall == {number}) q[{m}] = -q[{m}];\n");
                }
            }
        }
    }
    let turned = enter_and_leave(groups, dim);
    format!(
        "struct FaceFrame {{\n{frame}{turned}        {QUALIFIERS} State mirror(State q, int wall) const {{\n            \
         q = enter(q);\n{signs}            return leave(q);\n        }}\n}};\n"
    )
}

/// The beginning of the struct of a face's frame in the plane, after its name.
fn frame_in_plane(constructor: &str) -> String {
    format!(
        r"        Axis axis;
        Real nx, ny, size;
        {QUALIFIERS} {constructor}
        {QUALIFIERS} void enter(Real& u, Real& v) const {{
            const Real a = u, b = v, normal = (a * nx) + (b * ny);
            u = axis == X ? normal : (a * ny) - (b * nx);
            v = axis == X ? (b * nx) - (a * ny) : normal;
        }}
        {QUALIFIERS} void leave(Real& u, Real& v) const {{
            const Real a = u, b = v;
            u = axis == X ? (a * nx) - (b * ny) : (b * nx) + (a * ny);
            v = axis == X ? (a * ny) + (b * nx) : (b * ny) - (a * nx);
        }}
"
    )
}

/// The same in space.
fn frame_in_space(constructor: &str) -> String {
    format!(
        r"        Axis axis;
        Array<Real, 3> turn;
        Real size;
        {QUALIFIERS} {constructor}
        {QUALIFIERS} void enter(Real& u, Real& v, Real& w) const {{
            const Real part = ((u * turn[0]) + (v * turn[1])) + (w * turn[2]);
            const Real twice = part + part;
            u = (twice * turn[0]) - u;
            v = (twice * turn[1]) - v;
            w = (twice * turn[2]) - w;
        }}
        {QUALIFIERS} void leave(Real& u, Real& v, Real& w) const {{ enter(u, v, w); }}
"
    )
}
