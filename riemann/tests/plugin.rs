//! The interface of plugins, without a library file: a solver's function table in this process, loaded as a program loads it.

// tidy: long because every function of the table is tried here

use riemann::cells::{CellFaces, Keep};
use riemann::device_source::DeviceSource;
use riemann::group::{Group, GroupKind};
use riemann::lattice::Lattice;
use riemann::limiter::Limiter;
use riemann::patch::{
    FaceList, KeptFace, Kernels, MAX_WAVES, PACK_OVERRUN, PatchSolver, Scheme, SourceRow, Strides, TileArgs,
};
use riemann::plugin::{
    ABI_VERSION, DOUBLE, Form, Instance, LoadError, Plugin, PluginForm, Row, SINGLE, Table, form, table,
};
use riemann::prelude::*;
use riemann::real::Scalar;
use riemann::solvers::Acoustics;
use std::ptr::NonNull;

/// Advection along x and decay, with every function that a solver can define. Panics on demand.
#[derive(Clone, Debug)]
struct Decay {
    speed: f64,
    rate: f64,
}

impl Described for Decay {
    const NAME: &'static str = "decay";
    const TITLE: &'static str = "Advection and decay";
    const PARAMETERS: &'static [ParameterInfo] = &[
        ParameterInfo { name: "speed", about: "speed along x", default: None, check: ParameterCheck::Any },
        ParameterInfo { name: "rate", about: "rate of decay", default: Some(0.5), check: ParameterCheck::Positive },
    ];

    fn from_parameters(values: &[f64]) -> Self {
        assert!(values[0] < 100.0, "too fast");
        Decay { speed: values[0], rate: values[1] }
    }
}

impl Solver<2, 1, 1> for Decay {
    const DIM: usize = 2;
    const EQUATIONS: [&'static str; 2] = ["a", "b"];
    const AUX: [&'static str; 1] = ["depth"];
    const AUX_FACE: [Option<Axis>; 1] = [Some(Axis::Y)];
    const GROUPS: &'static [Group] = &[Group { kind: GroupKind::PseudoScalar, first: 1 }];
    const HAS_SOURCE: bool = true;
    const HAS_INITIAL: bool = true;
    const HAS_AUX: bool = true;
    const HAS_BOUNDARY: bool = true;
    const HAS_FLAG: bool = true;
    const FLAG_LOOKS_AROUND: bool = true;

    #[inline(always)]
    fn normal<V: Real>(&self, axis: Axis, ql: [V; 2], qr: [V; 2], _l: [V; 1], r: [V; 1]) -> Normal<V, 2, 1> {
        assert!(self.speed > -100.0, "too slow");
        let s = if axis == Axis::X { V::constant(self.speed) * r[0] } else { V::zero() };
        let wave = [qr[0] - ql[0], qr[1] - ql[1]];
        let part = |s: V| [s * wave[0], s * wave[1]];
        Normal { waves: [wave], speeds: [s], amdq: part(s.min(V::zero())), apdq: part(s.max(V::zero())) }
    }

    #[inline(always)]
    fn transverse<V: Real>(
        &self,
        _axis: Axis,
        _across: Axis,
        side: Side,
        _ql: [V; 2],
        _qr: [V; 2],
        _mean: [V; 2],
        aux: &TransverseAux<V, 1>,
        asdq: [V; 2],
    ) -> Transverse<V, 2> {
        let s = V::constant(f64::from(side.sign())) * aux.above[0] + aux.below[0];
        Transverse { bmasdq: [s * asdq[0], asdq[1]], bpasdq: [asdq[0], s * asdq[1]] }
    }

    #[inline(always)]
    fn source<V: Real>(&self, x: [V; 3], _t: V, dt: V, q: [V; 2], aux: [V; 1]) -> [V; 2] {
        let factor = V::constant(1.0) - V::constant(self.rate) * dt * aux[0];
        [q[0] * factor, q[1] + x[0]]
    }

    fn initial(&self, cell: &Cell, aux: [f64; 1]) -> [f64; 2] {
        [cell.centre[0] + self.rate, aux[0]]
    }

    fn aux_values(&self, cell: &Cell) -> [f64; 1] {
        [cell.lower(Axis::Y) + cell.time]
    }

    fn boundary<V: Real>(&self, _axis: Axis, side: Side, x: [V; 3], t: V, mirror: [V; 2]) -> [V; 2] {
        [mirror[1] + x[1], V::constant(f64::from(side.sign())) * t]
    }

    fn flag<V: Real>(
        &self,
        x: [V; 3],
        _t: V,
        q: [V; 2],
        aux: [V; 1],
        below: [[V; 2]; 3],
        above: [[V; 2]; 3],
    ) -> V::Mask {
        let jump = above[1][0] - below[0][1] + (above[2][1] - q[1]);
        (x[0] + q[0] + aux[0] + jump).gt(V::constant(1.0))
    }

    fn with_parameters(&self, values: &[f64]) -> Option<Self> {
        Some(Self::from_parameters(values))
    }

    fn mirrored(&self, axis: Axis) -> Option<Self> {
        (self.speed > 0.0).then(|| Decay { rate: axis.index() as f64, speed: 2.0 * self.speed })
    }

    fn exchanged(&self, _axes: [Axis; 2]) -> Option<Self> {
        (self.speed > 0.0).then(|| Decay { speed: -self.speed, ..*self })
    }

    fn device_source(&self) -> Option<DeviceSource> {
        let body = "Real speed; Real rate;".to_owned();
        let parameters = vec![("speed", self.speed), ("rate", self.rate)];
        let (equations, waves, aux) = (2, 1, 1);
        let (has_source, has_boundary, has_flag) = (true, true, true);
        Some(DeviceSource {
            body,
            parameters,
            reduced: Vec::new(),
            equations,
            waves,
            aux,
            fwaves: false,
            has_source,
            has_boundary,
            has_flag,
            has_positive: false,
            has_admissible: false,
            has_transfer: false,
            looks_beside: false,
        })
    }
}

fn load(forms: Vec<Form>) -> Result<Plugin, LoadError> {
    let table: &'static Table = Box::leak(Box::new(table("a test", forms)));
    // SAFETY: the table is one of `table`, and never freed.
    unsafe { Plugin::from_entry(table) }
}

fn plugin() -> PluginForm {
    load(vec![form::<Decay, _, _, _, { DOUBLE | SINGLE }>()]).expect("the table is of this version").form(2)
}

fn decay(speed: f64) -> Instance {
    plugin().create(&[speed, 0.25]).expect("the solver can be made")
}

const CELLS: [usize; 2] = [37, 11];
const ROW: usize = CELLS[0] + 4;
const COMPONENT: usize = ROW * (CELLS[1] + 4);
const START: usize = PACK_OVERRUN + 2 * ROW + 2;

/// Irregular numbers.
fn values<R: Scalar>(len: usize) -> Vec<R> {
    (0..len).map(|k| R::from_f64(((k * 7919) % 1009) as f64 * 1e-3 - 0.4)).collect()
}

/// New state, kept fluxes, face sums, sources and Courant number of a patch.
fn everything<R: Scalar>(solver: &dyn PatchSolver<R>) -> (Vec<R>, f64, bool) {
    let mut q: Vec<R> = values(2 * COMPONENT + 2 * PACK_OVERRUN);
    let aux: Vec<R> = values(COMPONENT + 2 * PACK_OVERRUN);
    let mut q_next = q.clone();
    let scheme = Scheme {
        order: 2,
        transverse: 2,
        limiters: [Limiter::Mc; MAX_WAVES],
        double_transverse: true,
        capacity: -1,
        sharing_faces: 0,
    };
    let kept_faces = [KeptFace { cell: [3, 4, 0], axis: Axis::X, seen_from: Side::Upper, slot: 1 }];
    let (mut kept, mut scratch) = (vec![R::default(); 4], vec![R::default(); solver.scratch_len()]);
    let args = TileArgs {
        q: q[START..].as_ptr(),
        q_next: q_next[START..].as_mut_ptr(),
        aux: aux[START..].as_ptr(),
        strides: Strides { row: ROW, slab: COMPONENT, component: COMPONENT },
        lo: [0; 3],
        hi: [CELLS[0] as i32, CELLS[1] as i32, 1],
        sweep: [true, true, false],
        dt: 0.2,
        dx: [1.0, 0.7, 1.0],
        free: 0.0,
        scheme: &scheme,
        kept_faces: (&kept_faces[..]).into(),
        kept_values: kept.as_mut_ptr(),
        kept_stride: 2,
    };
    // SAFETY: the patch has two ghost cells on each side and the overrun at both ends.
    let report = unsafe { solver.update_tile(&args, &mut scratch) };
    let (faces, stride) = (values::<R>(5 * 32), 32);
    let mut sum = vec![R::default(); 2 * stride];
    let list = FaceList {
        len: 21,
        ql: faces.as_ptr(),
        qr: faces[stride..].as_ptr(),
        aux_l: faces[3 * stride..].as_ptr(),
        aux_r: faces[4 * stride..].as_ptr(),
        sum: sum.as_mut_ptr(),
        stride,
    };
    // SAFETY: each array has the stride's numbers per component.
    unsafe { solver.fluctuation_sums(Axis::X, &list) };
    let row = SourceRow {
        q: q[START..].as_mut_ptr(),
        aux: aux[START..].as_ptr(),
        len: CELLS[0],
        component: COMPONENT,
        lattice: Lattice { lower: [0.0; 3], upper: [1.0, 0.5, 0.0], cells: [10.0, 5.0, 1.0], dx: [0.1, 0.1, 0.0] },
        first: [3, 1, 0],
        t: 1.0,
        dt: 0.2,
    };
    // SAFETY: the row lies in the patch.
    unsafe { solver.apply_source(&row) };
    // Packs may write any value past the faces of the list.
    let sums = [&sum[..21], &sum[stride..stride + 21]].concat();
    ([q_next, q, kept, sums].concat(), report.courant, report.admissible)
}

/// Through the table the kernels give the bits that they give directly, in both precisions.
#[test]
fn kernels_give_the_same_bits() {
    let (direct, loaded) = (Kernels::new(Decay { speed: 0.8, rate: 0.25 }), decay(0.8));
    assert_eq!(everything::<f64>(&direct), everything::<f64>(&loaded));
    assert_eq!(everything::<f32>(&direct), everything::<f32>(&loaded));
    assert!(everything::<f64>(&loaded).2);
}

/// Faces of any direction are solved through the table as directly, 21 of them with packs of all widths, and no other place is written; a solver
/// whose auxiliary values are on faces refuses.
#[test]
fn faces_of_meshes_give_the_same_bits() {
    let acoustics = Acoustics::<2> { density: 1.5, bulk: 4.0 };
    let (direct, loaded) = (Kernels::new(acoustics), Instance::own::<_, _, _, _, { DOUBLE | SINGLE }>(acoustics).0);
    let (states, component): (Vec<f64>, usize) = (values(3 * 40), 40);
    let at: Vec<u32> = (0..48).map(|k| k * 7 % 40).collect();
    let turn: Vec<f64> = (0..2 * 48).map(|k| [0.6, 0.8][k / 48]).collect();
    let solved = |solver: &dyn PatchSolver<f64>| {
        assert!(solver.solves_faces());
        let (mut left, mut right, mut speed) = (vec![9.0; 3 * 48], vec![9.0; 3 * 48], vec![9.0; 48]);
        let faces = CellFaces {
            first: 5,
            end: 26,
            q: states.as_ptr(),
            q_component: component,
            q_at: [at.as_ptr(), at[11..].as_ptr()],
            own_at: [at[5..].as_ptr(), at.as_ptr()],
            aux: NonNull::dangling().as_ptr(),
            aux_component: 0,
            aux_at: [at.as_ptr(); 2],
            turn: turn.as_ptr(),
            moving: std::ptr::null(),
            face_component: 48,
            to_left: left.as_mut_ptr(),
            to_right: right.as_mut_ptr(),
            speed: speed.as_mut_ptr(),
            keep: Keep::All,
        };
        // SAFETY: lists and arrays hold a pack beyond the last face.
        unsafe { solver.solve_faces(&faces) };
        (left, right, speed)
    };
    let (left, right, speed) = solved(&direct);
    assert_eq!(solved(&loaded), (left.clone(), right.clone(), speed.clone()));
    for face in 0..48 {
        let own = (5..26).contains(&face);
        assert_eq!((left[face] != 9.0, right[face] != 9.0, speed[face] != 9.0), (own, own, own), "face {face}");
    }
    assert!(!PatchSolver::<f64>::solves_faces(&decay(0.8)));
}

/// Parameters that get other values change what the solver computes, directly and through the table, but not another solver.
#[test]
fn parameters_change() {
    let (direct, loaded) = (Kernels::new(Decay { speed: 0.3, rate: 0.5 }), decay(0.3));
    let (before, other) = (everything::<f64>(&loaded), loaded.again());
    // SAFETY: nothing else uses them.
    unsafe {
        assert!(PatchSolver::<f64>::set_parameters(&direct, &[0.8, 0.25]));
        assert!(PatchSolver::<f32>::set_parameters(&loaded, &[0.8, 0.25]));
    }
    assert_eq!(everything::<f64>(&direct), everything::<f64>(&decay(0.8)));
    assert_eq!(everything::<f64>(&direct), everything::<f64>(&loaded));
    assert!(everything::<f64>(&other) == before && everything::<f64>(&direct) != before);
}

/// The description says what the solver's constants say.
#[test]
fn the_description_survives() {
    let (plugin, solver) = (plugin(), decay(0.8));
    let info = plugin.info();
    assert_eq!((info.name, info.title, info.dim, info.waves), ("decay", "Advection and decay", 2, 1));
    assert_eq!((info.equations, info.aux), (&["a", "b"][..], &["depth"][..]));
    assert_eq!(info.parameters, Decay::PARAMETERS);
    assert_eq!((info.fwaves, info.groups), (false, Decay::GROUPS));
    assert_eq!((info.has_transverse, info.has_source), (Decay::HAS_TRANSVERSE, true));
    let hooks = plugin.hooks();
    assert!(hooks.initial && hooks.aux && hooks.boundary && hooks.flag);
    let solver: &dyn PatchSolver<f64> = &solver;
    assert_eq!(solver.aux_face(), [Some(Axis::Y)]);
    assert_eq!(solver.device_source(), Decay { speed: 0.8, rate: 0.25 }.device_source());
}

/// `form` returns the form with the requested number of dimensions, in whatever order the table has them; if there is none, the
/// form with the most. A table without forms, or with two of the same dimension, is refused.
#[test]
fn the_form_asked_for_is_taken() {
    let plugin = load(vec![
        form::<Acoustics<3>, _, _, _, { DOUBLE | SINGLE }>(),
        form::<Acoustics<1>, _, _, _, { DOUBLE | SINGLE }>(),
    ])
    .expect("two forms");
    let dimensions: Vec<_> = plugin.forms().iter().map(|form| form.info().dim).collect();
    assert_eq!(dimensions, [1, 3]);
    for (asked, found) in [(1, 1), (2, 3), (3, 3)] {
        let form = plugin.form(asked);
        let solver = form.create(&[1.0, 4.0]).expect("the solver can be made");
        assert_eq!((form.info().dim, PatchSolver::<f64>::dim(&solver)), (found, found));
        assert_eq!(PatchSolver::<f64>::equations(&solver).len(), found + 1);
    }
    let only = load(vec![form::<Acoustics<3>, _, _, _, { DOUBLE | SINGLE }>()]).expect("one form");
    assert_eq!([1, 2, 3].map(|asked| only.form(asked).info().dim), [3; 3]);
    let alike = || form::<Decay, _, _, _, { DOUBLE | SINGLE }>();
    for wrong in [vec![], vec![alike(), alike()]] {
        assert_eq!(load(wrong).err(), Some(LoadError::Damaged("its numbers of dimensions")));
    }
}

/// Initial data, auxiliary values, criterion and boundary values are written to the right cells.
#[test]
fn functions_of_position_fill_rows() {
    let solver = decay(0.8);
    let lattice = Lattice { lower: [0.0; 3], upper: [4.0, 4.0, 0.0], cells: [8.0, 16.0, 1.0], dx: [0.5, 0.25, 0.0] };
    let row = Row { lattice, first: [2, 8, 0], len: 3, time: 4.0 };
    let (mut aux, mut state, mut flag) = ([0.0; 3], [0.0; 6], [0.0; 3]);
    solver.aux_values(&row, &mut aux);
    assert_eq!(aux, [6.0; 3]);
    solver.initial(&row, &[7.0, 8.0, 9.0], &mut state);
    assert_eq!(state, [1.5, 2.0, 2.5, 7.0, 8.0, 9.0]);
    // The states of the row and of four neighbours, two values each: the second of the neighbour at lower x, the first of the one at upper y.
    let mut states = [0.0; 30];
    solver.flag(&row, &states, &[0.0, -1.0, 0.0], &mut flag);
    assert_eq!(flag, [1.0, 0.0, 1.0]);
    (states[9], states[25]) = (5.0, 5.0);
    solver.flag(&row, &states, &[0.0, -1.0, 0.0], &mut flag);
    assert_eq!(flag, [0.0, 1.0, 1.0]);
    let mut ghost = [0.0; 2];
    solver.boundary(Axis::X, Side::Lower, [0.0, 3.0, 0.0], 5.0, &[1.0, 2.0], &mut ghost);
    assert_eq!(ghost, [5.0, -5.0]);
}

/// Single faces give the solver's results; the exchanged and the mirrored solver are separate ones, or absent if the solver has none.
#[test]
fn single_faces_are_evaluated() {
    let (direct, faces) = (Decay { speed: 0.8, rate: 0.25 }, decay(0.8).faces());
    let (ql, qr, asdq) = ([0.1, 0.2], [0.5, -0.3], [1.0, 2.0]);
    let expected = direct.normal(Axis::X, ql, qr, [2.0], [3.0]);
    let face = faces.double.normal(Axis::X, [&ql, &qr], [&[2.0], &[3.0]]);
    assert_eq!(face.waves, expected.waves);
    assert_eq!(
        (face.speeds, face.amdq, face.apdq),
        (expected.speeds.into(), expected.amdq.into(), expected.apdq.into())
    );
    let aux = TransverseAux { below: [2.0], here: [3.0], above: [4.0] };
    let expected = direct.transverse(Axis::X, Axis::Y, Side::Upper, ql, qr, ql, &aux, asdq);
    let split = faces.double.transverse(Axis::X, Axis::Y, Side::Upper, [&ql, &qr], [&[2.0], &[3.0], &[4.0]], &asdq);
    assert_eq!(split, [expected.bmasdq, expected.bpasdq]);
    assert_eq!(faces.double.flux(Axis::X, &ql, &[1.0]), None);
    assert_eq!(faces.double.admissible(&[0.25, 1.0]), [-0.5, 1.0]);
    assert_eq!(faces.double.admissible_aux(&[0.25]), [0.75]);
    let exchanged = faces.exchanged.expect("there is one for positive speeds");
    let [exchanged] = &exchanged[..] else { panic!("the plane has one pair of axes") };
    assert_eq!(exchanged.normal(Axis::X, [&ql, &qr], [&[2.0], &[3.0]]).speeds, [-2.4000000000000004]);
    let mirrored = faces.mirrored.expect("there is one for positive speeds");
    assert_eq!(mirrored.len(), 2);
    assert_eq!(mirrored[1].normal(Axis::X, [&ql, &qr], [&[2.0], &[3.0]]).speeds, [4.800000000000001]);
    let without = decay(-0.8).faces();
    assert!(without.exchanged.is_none() && without.mirrored.is_none());
}

/// A panic becomes a message and NaN, and stays in the solver that panicked.
#[test]
fn panics_become_messages() {
    let panic = plugin().create(&[1e3, 0.5]).err();
    assert!(matches!(&panic, Some(LoadError::Panicked(text)) if text.contains("too fast")), "{panic:?}");
    let (broken, whole) = (decay(-200.0), decay(0.8));
    let broken: &dyn PatchSolver<f64> = &broken;
    assert_eq!(broken.failure(), None);
    let (values, _, finite) = everything(broken);
    assert!(!finite && values[START].is_nan() && values.last().is_some_and(|x| x.is_nan()));
    assert!(broken.failure().is_some_and(|text| text.contains("too slow")), "{:?}", broken.failure());
    assert_eq!(PatchSolver::<f64>::failure(&whole), None);
}

/// Tables of other versions, and memory that is no table, are recognised before anything but the header is read.
#[test]
fn other_tables_are_refused() {
    let mut bytes = vec![0_u64; size_of::<Table>().div_ceil(8)];
    // SAFETY: null, and memory without the mark, are never read past the header.
    let load = |table: *const Table| unsafe { Plugin::from_entry(table) }.err();
    assert_eq!(load(std::ptr::null()), Some(LoadError::NotAPlugin));
    assert_eq!(load(bytes.as_ptr().cast()), Some(LoadError::NotAPlugin));
    let table = table("another compiler", vec![form::<Decay, _, _, _, { DOUBLE | SINGLE }>()]);
    // SAFETY: `bytes` is at least as long as the table.
    unsafe {
        std::ptr::copy_nonoverlapping((&raw const table).cast::<u8>(), bytes.as_mut_ptr().cast(), size_of::<Table>())
    };
    assert_eq!(load(NonNull::from(&table).as_ptr()), None);
    // The version is the word behind the mark.
    bytes[1] += 1;
    let error = load(bytes.as_ptr().cast()).expect("the version is another");
    let versions = [ABI_VERSION + 1, ABI_VERSION].map(|version| format!("version {version}"));
    for part in versions.iter().map(String::as_str).chain(["another compiler"]) {
        assert!(error.to_string().contains(part), "{error}");
    }
}
