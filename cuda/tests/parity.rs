//! On a GPU: solvers and the update do what the CPU does. `cargo test -p cuda --test parity -- --ignored`
//!
//! Without fused operations in f64 to the bit; with them to a few roundings (1e-13 of the largest value: a value is a sum of
//! some hundred products of that size); in f32 to 1e-5 likewise.

mod support;

use cuda::abi::{Plain, Pointer, Real};
use cuda::compile::{Precision, Source, Target};
use cuda::update::{PatchReport, UpdateArgs, UpdateKernel, UpdateOptions};
use cuda::{Device, DeviceBuffer, Grid, Stream};
use riemann::axis::Axis;
use riemann::patch::{FaceList, PACK_OVERRUN, PatchSolver};
use riemann::real::Scalar;
use support::level::{DT, DX, Outcome, TestLevel, option_table};
use support::solvers::{Random, TestSolver, all};

/// Faces on which each solver is compared.
const FACES: usize = 1_000_000;

cuda::device_struct! {
    /// Argument of the kernel below.
    pub struct FacesArgs {
        /// Left states, `[component, face]`.
        pub ql: Pointer<Real>,
        /// Right states.
        pub qr: Pointer<Real>,
        /// Left auxiliary values.
        pub aux_l: Pointer<Real>,
        /// Right auxiliary values.
        pub aux_r: Pointer<Real>,
        /// Sums of the fluctuations.
        pub sum: Pointer<Real>,
        /// Number of faces, and from a component to the next.
        pub len: u64,
    }
}

const FACES_TEXT: &str = r"
extern 'C' __global__ void faces(const FacesArgs args)
{
    const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i >= args.len) return;
    const Solver solver{SOLVER_PARAMETERS};
    State ql, qr;
    Aux aux_l, aux_r;
    for (int m = 0; m < M; m++) ql[m] = args.ql[m * args.len + i], qr[m] = args.qr[m * args.len + i];
    for (int a = 0; a < A; a++) aux_l[a] = args.aux_l[a * args.len + i], aux_r[a] = args.aux_r[a * args.len + i];
    const Normal face = solver.normal(AXIS, ql, qr, aux_l, aux_r);
    for (int m = 0; m < M; m++) args.sum[m * args.len + i] = face.amdq[m] + face.apdq[m];
}
";

struct Machine {
    device: Device,
    stream: Stream,
}

impl Machine {
    fn open() -> Machine {
        let device = Device::open(0, None).unwrap_or_else(|error| panic!("{error}"));
        let stream = device.stream().expect("a stream");
        Machine { device, stream }
    }

    fn send<T: Plain>(&self, values: &[T]) -> DeviceBuffer<T> {
        let buffer = self.device.buffer(values.len()).expect("memory");
        self.stream.upload(values, &buffer, 0).expect("a copy");
        buffer
    }

    fn fetch<T: Plain>(&self, buffer: &DeviceBuffer<T>, none: T) -> Vec<T> {
        let mut values = vec![none; buffer.len()];
        self.stream.download(buffer, 0, &mut values).expect("a copy");
        values
    }
}

/// How close two lists must be.
fn check<R: Scalar>(what: &str, fused: bool, found: &[R], expected: &[R]) {
    assert_eq!(found.len(), expected.len());
    if !fused && R::BYTES == 8 {
        let different =
            found.iter().zip(expected).filter(|(a, b)| a.to_f64().to_bits() != b.to_f64().to_bits()).count();
        assert_eq!(different, 0, "{what}: of {} numbers", found.len());
        return;
    }
    let tolerance = if R::BYTES == 8 { 1e-13 } else { 1e-5 };
    let largest = expected.iter().fold(0.0f64, |largest, v| largest.max(v.to_f64().abs()));
    let error = found.iter().zip(expected).map(|(a, b)| (a.to_f64() - b.to_f64()).abs()).fold(0.0, f64::max);
    assert!(error <= tolerance * largest, "{what}: {:e} of the largest", error / largest);
}

fn same_faces<R: Scalar + Plain>(machine: &Machine, solver: &TestSolver, kernels: &dyn PatchSolver<R>, fused: bool) {
    let mut random = Random::new(23);
    let sides: [Vec<_>; 2] = [(); 2].map(|()| (0..FACES).map(|_| solver.state(&mut random)).collect());
    let stride = FACES + PACK_OVERRUN;
    let arrays = |side: usize| {
        let (mut q, mut aux) = (Vec::new(), Vec::new());
        for m in 0..solver.source.equations {
            q.extend(
                sides[side]
                    .iter()
                    .map(|(q, _)| R::from_f64(q[m]))
                    .chain(std::iter::repeat_n(R::default(), PACK_OVERRUN)),
            );
        }
        for a in 0..solver.source.aux {
            aux.extend(
                sides[side]
                    .iter()
                    .map(|(_, aux)| R::from_f64(aux[a]))
                    .chain(std::iter::repeat_n(R::default(), PACK_OVERRUN)),
            );
        }
        (q, aux)
    };
    let [(ql, aux_l), (qr, aux_r)] = [arrays(0), arrays(1)];
    for axis in [Axis::X, Axis::Y] {
        let mut expected = vec![R::default(); ql.len()];
        let list = FaceList {
            len: FACES,
            ql: ql.as_ptr(),
            qr: qr.as_ptr(),
            aux_l: aux_l.as_ptr(),
            aux_r: aux_r.as_ptr(),
            sum: expected.as_mut_ptr(),
            stride,
        };
        // SAFETY: every component has `stride` numbers.
        unsafe { kernels.fluctuation_sums(axis, &list) };
        let text = FACES_TEXT.replace('\'', "\"").replace("AXIS", if axis == Axis::X { "X" } else { "Y" });
        let source = Source {
            file: "faces.cu",
            text: text.leak(),
            structs: vec![<FacesArgs as cuda::abi::DeviceStruct>::cuda_text()],
            defines: vec![],
        };
        let target = Target { precision: Precision::of::<R>(), fused, solver: Some(solver.source.clone()) };
        let kernel = machine.device.compile(&source, &target).unwrap_or_else(|error| panic!("{error}"));
        let kernel = kernel.kernel("faces").expect("it has this name");
        let (ql, qr, aux_l, aux_r) = (machine.send(&ql), machine.send(&qr), machine.send(&aux_l), machine.send(&aux_r));
        let sum = machine.device.buffer::<R>(expected.len()).expect("memory");
        machine.stream.fill(&sum, 0, sum.len(), 0).expect("a fill");
        let address = |buffer: &DeviceBuffer<R>| Pointer::new(buffer.at(0).address());
        let args = FacesArgs {
            ql: address(&ql),
            qr: address(&qr),
            aux_l: address(&aux_l),
            aux_r: address(&aux_r),
            sum: address(&sum),
            len: stride as u64,
        };
        // SAFETY: the buffers live until the results are fetched.
        unsafe { kernel.launch(&machine.stream, Grid::over(stride, 128), &args) }
            .unwrap_or_else(|error| panic!("{error}"));
        let found = machine.fetch(&sum, R::default());
        for m in 0..solver.source.equations {
            let range = m * stride..m * stride + FACES;
            let what = format!("{}, {}, fused {fused}, {axis:?}, component {m}", solver.name, R::NAME);
            check(&what, fused, &found[range.clone()], &expected[range]);
        }
    }
}

fn same_update<R: Scalar + Plain>(machine: &Machine, solver: &TestSolver, kernels: &dyn PatchSolver<R>, fused: bool) {
    for (options, grow) in option_table(solver) {
        let what = format!("{}, {}, fused {fused}, {options:?}", solver.name, R::NAME);
        let target = Target { precision: Precision::of::<R>(), fused, solver: Some(solver.source.clone()) };
        let kernel = UpdateKernel::new(&machine.device, &options, &target).unwrap_or_else(|error| panic!("{error}"));
        let sizes = [[61, 21], [5, 3], [28, 16], [130, 57], [1, 1]];
        let level = TestLevel::<R>::new(solver, &sizes, grow, options.sweep, &mut Random::new(7));
        let expected = level.reference(kernels, &options);
        let found = update_on_device(machine, &kernel, &level, &options, expected.taps.len());
        check(&format!("{what}: new states"), fused, &found.q, &expected.q);
        check(&format!("{what}: fluxes kept"), fused, &found.taps, &expected.taps);
        for (found, expected) in found.courant.iter().zip(&expected.courant) {
            assert!(
                (found - expected).abs() <= if fused || R::BYTES == 4 { 1e-5 } else { 0.0 },
                "{what}: {found} {expected}"
            );
        }
    }
}

fn update_on_device<R: Scalar + Plain>(
    machine: &Machine,
    kernel: &UpdateKernel,
    level: &TestLevel<R>,
    options: &UpdateOptions,
    num_taps: usize,
) -> Outcome<R> {
    let (patches, table) = level.tables(options, 16);
    let none = PatchReport { courant: 0, not_finite: 0, padding: 0 };
    let reports = machine.send(&vec![none; patches.len()]);
    let (num_patches, num_tiles) = (patches.len(), table.tiles.len());
    let patches = machine.send(&patches);
    let tiles = machine.send(&table.tiles);
    let tap_table = machine.send(&table.taps);
    let (q, aux) = (machine.send(&level.q), machine.send(&level.aux));
    let q_next = machine.send(&vec![R::default(); level.q.len()]);
    let taps = machine.send(&vec![R::default(); num_taps]);
    let address = |buffer: &DeviceBuffer<R>| Pointer::new(buffer.at(0).address());
    let args = UpdateArgs {
        patches: patches.at(0),
        tiles: tiles.at(0),
        taps: tap_table.at(0),
        reports: reports.at(0),
        q: address(&q),
        q_next: address(&q_next),
        aux: address(&aux),
        tap_values: address(&taps),
        tap_stride: level.num_slots as u64,
        map_words: Pointer::NULL,
        map_slots: Pointer::NULL,
        map_cells: 0,
        dt_over_dx: DT / DX[0],
        dt_over_dy: DT / DX[1],
        num_tiles: num_tiles as i32,
        num_ghost: level.ghosts,
    };
    // SAFETY: the tables are those of the level, and the buffers live until the results are fetched.
    unsafe { kernel.launch(&machine.stream, &args) }.unwrap_or_else(|error| panic!("{error}"));
    let reports = machine.fetch(&reports, none);
    assert!(reports.iter().all(|report| report.not_finite == 0) && reports.len() == num_patches);
    Outcome {
        q: machine.fetch(&q_next, R::default()),
        taps: machine.fetch(&taps, R::default()),
        courant: reports.iter().map(|report| f64::from_bits(report.courant)).collect(),
    }
}

#[test]
#[ignore = "needs a GPU"]
fn solvers_agree() {
    let machine = Machine::open();
    for solver in all() {
        for fused in [false, true] {
            same_faces::<f64>(&machine, &solver, &*solver.kernels.double, fused);
        }
        same_faces::<f32>(&machine, &solver, &*solver.kernels.single, true);
        println!("{}: {FACES} faces along each axis agree", solver.name);
    }
}

#[test]
#[ignore = "needs a GPU"]
fn updates_agree() {
    let machine = Machine::open();
    for solver in all() {
        for fused in [false, true] {
            same_update::<f64>(&machine, &solver, &*solver.kernels.double, fused);
        }
        same_update::<f32>(&machine, &solver, &*solver.kernels.single, true);
        println!("{}: updates agree in {} options", solver.name, option_table(&solver).len());
    }
}
