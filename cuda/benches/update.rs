//! Speed of the update alone on a GPU: `cargo bench -p amrclaw-cuda --bench update`; with arguments, only the solvers named, and `plane` or
//! `space` alone, for instance `-- plane euler euler_hllc`.
//!
//! For each table of patches the median over repetitions, beside the time that reading and writing q takes at full bandwidth.

use cuda::abi::{Plain, Pointer};
use cuda::amr::tuning::rows_per_tile;
use cuda::amr::{Patch, PatchReport, Tile, TileShape, TileTable, UpdateArgs, UpdateOptions};
use cuda::compile::Target;
use cuda::{CudaError, Device, DeviceBuffer, Stream};
use riemann::limiter::Limiter;
use riemann::patch::PACK_OVERRUN;
use riemann::real::Precision;
use riemann::real::Scalar;

#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../tests/support/solvers.rs"]
mod solvers;
#[path = "../tests/support/update.rs"]
mod update;

use solvers::{Random, TestSolver};
use update::UpdateKernel;

const GHOSTS: i32 = 2;
const REPETITIONS: usize = 15;
/// Number of patches, and cells along their sides.
const SIZES: [[usize; 2]; 5] = [[1, 4096], [256, 256], [1024, 64], [16, 256], [4096, 32]];
/// Number of patches in three dimensions, and cells along their sides.
const SIZES_IN_SPACE: [[usize; 2]; 4] = [[64, 64], [8, 128], [512, 32], [4096, 16]];

struct Bench<'a> {
    device: &'a Device,
    stream: &'a Stream,
    /// Bytes per second that a copy on the device reads and writes.
    bandwidth: f64,
}

impl Bench<'_> {
    /// Seconds of each repetition, sorted.
    fn times(&self, mut work: impl FnMut(usize) -> Result<(), CudaError>) -> Result<Vec<f64>, CudaError> {
        (0..3).try_for_each(&mut work)?;
        let mut times = Vec::new();
        for n in 0..REPETITIONS {
            let (begin, end) = (self.device.event(true)?, self.device.event(true)?);
            self.stream.record(&begin)?;
            work(n + 3)?;
            self.stream.record(&end)?;
            end.synchronize()?;
            times.push(end.milliseconds_since(&begin)? * 1e-3);
        }
        times.sort_by(f64::total_cmp);
        Ok(times)
    }

    /// Sends numbers to the device.
    fn send<T: Plain>(&self, values: &[T]) -> Result<DeviceBuffer<T>, CudaError> {
        let buffer = self.device.buffer(values.len())?;
        self.stream.upload(values, &buffer, 0)?;
        Ok(buffer)
    }

    fn measure<R: Scalar + Plain>(
        &self,
        solver: &TestSolver,
        options: &UpdateOptions,
        fused: bool,
        [count, cells]: [usize; 2],
    ) -> Result<(), CudaError> {
        let target = Target { precision: Precision::of::<R>(), fused, solver: Some(solver.source.clone()) };
        let kernel = UpdateKernel::new(self.device, options, &target)?;
        let dim = solver.kernels.double.dim();
        let size = size_of_patch(dim, cells);
        let shape = options.tile_shape(&solver.source, target.precision);
        let rows = std::env::var("ROWS").ok().and_then(|rows| rows.parse().ok());
        let mut strips = TileTable::new(shape);
        (0..count).for_each(|k| strips.add_patch(k as u32, [[0; 3], size]));
        let rows = rows.unwrap_or_else(|| rows_per_tile(strips.strips(), kernel.resident_tiles()));
        let level = Level::<R>::new(self, solver, (options, shape, rows), (count, size))?;
        // SAFETY: the tables belong together, and all buffers live until the last event has passed.
        let times = self.times(|n| unsafe { kernel.launch(self.stream, &level.args(n)) })?;
        let median = times[times.len() / 2];
        let updates = (count * cells.pow(dim as u32)) as f64;
        let numbers = 2 * solver.source.equations + solver.source.aux;
        let floor = updates * (numbers * R::BYTES) as f64 / self.bandwidth;
        let [registers, local] = kernel.kernel().resources()?;
        println!(
            "{:15} {} {:9} {} {:5} x {:4}^{dim}  rows {rows:3}  {:7.3} ms  {:6.2}e9 updates/s  floor {:6.3} ms ({:2.0} %)  \
             {registers} registers, {local} bytes local, {} tiles at once",
            solver.name,
            R::NAME,
            if fused { "fused" } else { "not fused" },
            swept(options.sweep),
            count,
            cells,
            median * 1e3,
            updates / median * 1e-9,
            floor * 1e3,
            100.0 * floor / median,
            kernel.resident_tiles()
        );
        Ok(())
    }
}

/// The axes swept, by name.
fn swept(sweep: [bool; 3]) -> String {
    sweep.into_iter().zip("xyz".chars()).map(|(is, name)| if is { name } else { '-' }).collect()
}

fn size_of_patch(dim: usize, cells: usize) -> [i32; 3] {
    std::array::from_fn(|d| if d < dim { cells as i32 } else { 1 })
}

/// Patches of one size on the device, with all arrays that their update reads and writes.
struct Level<R: Plain> {
    patches: DeviceBuffer<Patch>,
    tiles: DeviceBuffer<Tile>,
    reports: DeviceBuffer<PatchReport>,
    /// Old and new states, swapped after each repetition.
    states: [DeviceBuffer<R>; 2],
    aux: DeviceBuffer<R>,
    kept: DeviceBuffer<R>,
    num_slots: usize,
    words: DeviceBuffer<u32>,
    bases: DeviceBuffer<u32>,
    slots: DeviceBuffer<u32>,
}

/// Patches of one size, one after another.
struct Patches {
    all: Vec<Patch>,
    /// Number of words in a map of faces.
    num_words: usize,
}

impl Patches {
    fn new(dim: usize, count: usize, size: [i32; 3]) -> Patches {
        let ghosts: [i32; 3] = std::array::from_fn(|d| if d < dim { GHOSTS } else { 0 });
        let [row, rows, slabs] = std::array::from_fn(|d| size[d] + 2 * ghosts[d]);
        let component = row * rows * slabs;
        let words = dim * (rows * slabs) as usize * (row as usize).div_ceil(32);
        let patch = |k: usize| Patch {
            first: k as u64 * component as u64,
            first_word: (k * words) as u32,
            inner: ghosts[0] + row * (ghosts[1] + rows * ghosts[2]),
            stride: [1, row, row * rows],
            component,
            lo: [0; 3],
            size,
        };
        Patches { all: (0..count).map(patch).collect(), num_words: count * words }
    }

    /// A map of the faces on some sides of all patches, as at the boundary of a level: bits, bases, and slots.
    fn edges(&self) -> [Vec<u32>; 3] {
        let mut words = vec![0_u32; self.num_words];
        for patch in &self.all {
            let (row, [columns, rows, planes]) = (patch.stride[1], patch.size);
            let mut mark = |axis: i32, [x, y, z]: [i32; 3]| {
                let cell = patch.inner + x + y * patch.stride[1] + z * patch.stride[2];
                let word = (axis * (patch.component / row) + cell / row) * ((row + 31) / 32) + cell % row / 32;
                words[patch.first_word as usize + word as usize] |= 1 << (cell % row % 32);
            };
            for z in 0..planes {
                (0..rows).for_each(|y| mark(0, [0, y, z]));
                (0..columns).for_each(|x| mark(1, [x, rows, z]));
            }
        }
        let mut count = 0;
        let base = |word: &u32| {
            count += word.count_ones();
            count - word.count_ones()
        };
        let bases = words.iter().map(base).collect();
        [words, bases, (0..count).collect()]
    }
}

impl<R: Scalar + Plain> Level<R> {
    fn new(
        bench: &Bench<'_>,
        solver: &TestSolver,
        (options, shape, rows): (&UpdateOptions, TileShape, i32),
        (count, size): (usize, [i32; 3]),
    ) -> Result<Self, CudaError> {
        let num_eqn = solver.source.equations;
        let mut table = TileTable::new(shape);
        let patches = Patches::new(solver.kernels.double.dim(), count, size);
        let component = patches.all[0].component as usize;
        (0..count).for_each(|k| table.add_patch(k as u32, [[0; 3], size]));
        table.cut(|_| rows);
        let [words, bases, slots] = if options.keeps_faces { patches.edges() } else { Default::default() };
        let [q_of_one, aux_of_one] = numbers_of_one(solver, component);
        let fill = |one: &[R]| -> Result<DeviceBuffer<R>, CudaError> {
            let buffer = bench.device.buffer(count * one.len() + 2 * PACK_OVERRUN)?;
            (0..count).try_for_each(|k| bench.stream.upload(one, &buffer, PACK_OVERRUN + k * one.len()))?;
            Ok(buffer)
        };
        let reports = bench.device.buffer::<PatchReport>(count)?;
        bench.stream.fill(&reports, 0, count, 0)?;
        Ok(Level {
            patches: bench.send(&patches.all)?,
            tiles: bench.send(&table.tiles())?,
            reports,
            states: [fill(&q_of_one)?, fill(&q_of_one)?],
            aux: fill(&aux_of_one)?,
            kept: bench.device.buffer(num_eqn * slots.len())?,
            num_slots: slots.len(),
            words: bench.send(&words)?,
            bases: bench.send(&bases)?,
            slots: bench.send(&slots)?,
        })
    }

    /// The kernel's argument in repetition `n`.
    fn args(&self, n: usize) -> UpdateArgs {
        let address = |buffer: &DeviceBuffer<R>| Pointer::new(buffer.at(0).address());
        UpdateArgs {
            patches: self.patches.at(0),
            tiles: self.tiles.at(0),
            reports: self.reports.at(0),
            q: address(&self.states[n % 2]),
            q_next: address(&self.states[(n + 1) % 2]),
            aux: address(&self.aux),
            kept: address(&self.kept),
            kept_stride: self.num_slots as u64,
            face_words: self.words.at(0),
            face_bases: self.bases.at(0),
            face_slots: self.slots.at(0),
            dt_over_dx: [0.1; 3],
            free: 0.0,
            num_tiles: self.tiles.len() as i32,
            num_ghost: GHOSTS,
            sharing_faces: 0,
        }
    }
}

/// States and auxiliary values of one patch, `[component, cell]`: random, but so close to one another that no wave is a transonic
/// rarefaction, since these are rare in real flows.
fn numbers_of_one<R: Scalar>(solver: &TestSolver, cells: usize) -> [Vec<R>; 2] {
    let mut random = Random::new(1);
    let all: Vec<_> = (0..cells).map(|_| solver.state_between(&mut random, [0.45, 0.55])).collect();
    let q = (0..solver.source.equations).flat_map(|m| all.iter().map(move |(q, _)| R::from_f64(q[m])));
    let aux = (0..solver.source.aux).flat_map(|a| all.iter().map(move |(_, aux)| R::from_f64(aux[a])));
    [q.collect(), aux.collect()]
}

/// Bytes per second that a large copy reads and writes.
fn copy_bandwidth(bench: &Bench<'_>) -> Result<f64, CudaError> {
    const LEN: usize = 1 << 28;
    let buffers = [bench.device.buffer::<f64>(LEN)?, bench.device.buffer::<f64>(LEN)?];
    bench.stream.fill(&buffers[0], 0, LEN, 1)?;
    let times = bench.times(|n| bench.stream.copy((&buffers[n % 2], 0), (&buffers[(n + 1) % 2], 0), LEN))?;
    Ok(16.0 * LEN as f64 / times[times.len() / 2])
}

fn run() -> Result<(), CudaError> {
    let device = Device::open(0, None)?;
    let stream = device.stream()?;
    let mut bench = Bench { device: &device, stream: &stream, bandwidth: 0.0 };
    bench.bandwidth = copy_bandwidth(&bench)?;
    println!("{}: copies move {:.2} TB/s", device.info().name, bench.bandwidth * 1e-12);
    let (places, names): (Vec<_>, Vec<_>) = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .partition(|arg| ["plane", "space"].contains(&&**arg));
    let asked = |of: &[String], word: &str| of.is_empty() || of.iter().any(|name| name == word);
    let wanted = |dim| solvers::all_in(dim).into_iter().filter(|solver| asked(&names, solver.name)).collect::<Vec<_>>();
    if asked(&places, "space") {
        run_in_space(&bench, &wanted(3))?;
    }
    if asked(&places, "plane") {
        run_in_plane(&bench, &wanted(2))?;
    }
    Ok(())
}

/// The two-dimensional update of both axes at once.
fn run_in_plane(bench: &Bench<'_>, solvers: &[TestSolver]) -> Result<(), CudaError> {
    for solver in solvers {
        let base = UpdateOptions {
            order: 2,
            transverse: 2,
            double_transverse: true,
            limiters: vec![Limiter::VanLeer; solver.source.waves],
            capacity: None,
            sweep: [true, true, false],
            keeps_faces: false,
        };
        let keeping = UpdateOptions { keeps_faces: true, ..base.clone() };
        let sizes = if solver.name == "acoustics" { &SIZES[..] } else { &SIZES[1..2] };
        for &size in sizes {
            bench.measure::<f64>(solver, &base, true, size)?;
            bench.measure::<f32>(solver, &base, true, size)?;
            bench.measure::<f64>(solver, &keeping, true, size)?;
        }
        bench.measure::<f64>(solver, &base, false, SIZES[1])?;
    }
    Ok(())
}

/// Three axes at once, and each by itself: the time of a split step is the sum of its three sweeps' times.
fn run_in_space(bench: &Bench<'_>, solvers: &[TestSolver]) -> Result<(), CudaError> {
    for solver in solvers {
        let everywhere = ["acoustics", "euler_hllc"].contains(&solver.name);
        let base = |sweep: [bool; 3], transverse| UpdateOptions {
            order: 2,
            transverse,
            double_transverse: true,
            limiters: vec![Limiter::VanLeer; solver.source.waves],
            capacity: None,
            sweep,
            keeps_faces: false,
        };
        let axes = (0..3).map(|axis| base(std::array::from_fn(|d| d == axis), 0));
        let unsplit = std::iter::once(base([true; 3], 2));
        let sizes = if everywhere { &SIZES_IN_SPACE[..] } else { &SIZES_IN_SPACE[..1] };
        let choices = unsplit.chain(axes).flat_map(|options| sizes.iter().map(move |size| (options.clone(), *size)));
        for (options, size) in choices {
            bench.measure::<f64>(solver, &options, true, size)?;
            if size == SIZES_IN_SPACE[0] {
                bench.measure::<f32>(solver, &options, true, size)?;
                bench.measure::<f64>(solver, &UpdateOptions { keeps_faces: true, ..options }, true, size)?;
            }
        }
    }
    Ok(())
}

fn main() {
    if let Err(error) = run() {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
