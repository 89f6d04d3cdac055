//! Patches of random states, their update by the CPU's kernels, and their tables for the device.

use super::solvers::{Random, TestSolver};
use cuda::amr::{Patch, Tile, TileShape, TileTable, UpdateOptions};
use riemann::axis::{Axis, Side};
use riemann::faces::FaceSolver;
use riemann::limiter::Limiter;
use riemann::patch::{
    KeptFace, MAX_WAVES, PACK_OVERRUN, PatchSolver, SPACE_TILE, Scheme, Strides, TILE_COLUMNS, TILE_ROWS, TileArgs,
};
use riemann::real::Precision;
use riemann::real::Scalar;
use std::collections::HashSet;

pub const DX: [f64; 3] = [0.3, 0.7, 0.45];
/// The speed up to which thin cells are not slowed down; many a cell is faster.
pub const FREE: f64 = 0.5;

/// Sizes of two-dimensional patches, with one cell along z.
pub fn in_plane<const N: usize>(sizes: [[i32; 2]; N]) -> [[i32; 3]; N] {
    sizes.map(|[x, y]| [x, y, 1])
}

/// Patches in one array, as in a level.
pub struct TestLevel<R> {
    pub ghosts: i32,
    dim: usize,
    pub dt: f64,
    /// Corrections that would make states inadmissible are left out.
    pub sharing_faces: u8,
    /// Number of cells beyond the patch that are updated too, as the sweeps of a Strang-split step need.
    pub grow: [i32; 3],
    pub sizes: Vec<[i32; 3]>,
    pub q: Vec<R>,
    pub aux: Vec<R>,
    /// Index of each patch's first interior cell, in `q` and in `aux`.
    starts: Vec<[usize; 2]>,
    kept_faces: Vec<Vec<KeptFace>>,
    pub num_slots: usize,
    num_eqn: usize,
    num_aux: usize,
}

/// The tables that an update reads.
pub struct Tables {
    pub patches: Vec<Patch>,
    pub tiles: Vec<Tile>,
    /// The map of the kept faces: its bits, the number of bits before each word, and the slots.
    pub words: Vec<u32>,
    pub bases: Vec<u32>,
    pub slots: Vec<u32>,
}

/// The results of an update.
pub struct Outcome<R> {
    pub q: Vec<R>,
    /// Fluxes through the kept faces, seen from their cells: `[equation, slot]`.
    pub fluxes: Vec<R>,
    pub courant: Vec<f64>,
}

impl<R: Scalar> TestLevel<R> {
    pub fn new(solver: &TestSolver, sizes: &[[i32; 3]], grow: [i32; 3], sweep: [bool; 3], random: &mut Random) -> Self {
        let ghosts = 2 + grow.into_iter().max().unwrap_or(0);
        let (num_eqn, num_aux) = (solver.source.equations, solver.source.aux);
        let mut level = TestLevel {
            ghosts,
            dim: solver.kernels.double.dim(),
            // Random states of a gas stay positive for a short time only, in three dimensions for a shorter one.
            dt: if solver.kernels.double.dim() == 3 { 0.004 } else { 0.008 },
            sharing_faces: 0,
            grow,
            sizes: sizes.to_vec(),
            q: vec![R::default(); PACK_OVERRUN],
            aux: vec![R::default(); PACK_OVERRUN],
            starts: Vec::new(),
            kept_faces: Vec::new(),
            num_slots: 0,
            num_eqn,
            num_aux,
        };
        for &size in sizes {
            let [.., component] = level.extent(size);
            let first = level.inner(size);
            level.starts.push([level.q.len() + first, level.aux.len() + first]);
            // Between states of a gas that differ by more a vacuum may form.
            let cells: Vec<_> = (0..component).map(|_| solver.state_between(random, [0.2, 0.8])).collect();
            for m in 0..num_eqn {
                level.q.extend(cells.iter().map(|(q, _)| R::from_f64(q[m])));
            }
            for a in 0..num_aux {
                level.aux.extend(cells.iter().map(|(_, aux)| R::from_f64(aux[a])));
            }
            let kept_faces = level.random_kept(size, sweep, random);
            level.kept_faces.push(kept_faces);
        }
        level.q.extend([R::default(); PACK_OVERRUN]);
        level.aux.extend([R::default(); PACK_OVERRUN]);
        level
    }

    /// Index of a patch's first interior cell in `q`.
    pub fn first_state(&self, patch: usize) -> usize {
        self.starts[patch][0]
    }

    /// Ghost cells along each axis.
    fn ghosts_along(&self) -> [i32; 3] {
        std::array::from_fn(|d| if d < self.dim { self.ghosts } else { 0 })
    }

    /// Length of a row, a slab and a component in numbers.
    fn extent(&self, size: [i32; 3]) -> [usize; 3] {
        let [x, y, z] = std::array::from_fn(|d| (size[d] + 2 * self.ghosts_along()[d]) as usize);
        [x, x * y, x * y * z]
    }

    /// Offset of a patch's first interior cell from its first cell.
    fn inner(&self, size: [i32; 3]) -> usize {
        let [row, slab, _] = self.extent(size);
        let [x, y, z] = self.ghosts_along().map(|ghosts| ghosts as usize);
        x + y * row + z * slab
    }

    /// The cells that an update writes.
    fn written(&self, size: [i32; 3]) -> [[i32; 3]; 2] {
        [self.grow.map(|g| -g), std::array::from_fn(|d| size[d] + self.grow[d])]
    }

    /// Random kept faces: along each swept axis a whole side of the patch, a layer inside, and scattered faces.
    fn random_kept(&mut self, size: [i32; 3], sweep: [bool; 3], random: &mut Random) -> Vec<KeptFace> {
        let mut faces = Vec::new();
        for axis in Axis::ALL.into_iter().filter(|axis| sweep[axis.index()]) {
            let normal = axis.index();
            for layer in [size[normal], size[normal] / 2, 0] {
                let mut layers = size;
                layers[normal] = 1;
                let [x, y, z] = layers;
                let cells = (0..z).flat_map(|k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])));
                faces.extend(cells.map(|mut cell| {
                    cell[normal] = layer;
                    (cell, axis)
                }));
            }
            faces.extend((0..7).map(|_| (size.map(|n| random.below(n as usize) as i32), axis)));
        }
        // A map has one slot for each face.
        let mut seen = HashSet::new();
        faces.retain(|(cell, axis)| seen.insert((*cell, axis.index())));
        let kept = |(cell, axis)| {
            let seen_from = if random.unit() < 0.5 { Side::Lower } else { Side::Upper };
            self.num_slots += 1;
            KeptFace { cell, axis, seen_from, slot: self.num_slots as u32 - 1 }
        };
        faces.into_iter().map(kept).collect()
    }

    /// The level's tables for the device.
    pub fn tables(&self, options: &UpdateOptions, rows: i32) -> Tables {
        let shape = TileShape::new(options.sweep, self.num_eqn, Precision::of::<R>());
        let (mut tiles, mut patches, mut words) = (TileTable::new(shape), Vec::new(), Vec::<u32>::new());
        let (mut first, mut places) = (0, Vec::new());
        for (k, &size) in self.sizes.iter().enumerate() {
            let [row, slab, component] = self.extent(size);
            let (num_rows, words_of_row) = (component / row, row.div_ceil(32));
            let patch = Patch {
                first: first as u64,
                first_word: words.len() as u32,
                inner: self.inner(size) as i32,
                stride: [1, row as i32, slab as i32],
                component: component as i32,
                lo: [0; 3],
                size,
            };
            words.resize(words.len() + self.dim * num_rows * words_of_row, 0);
            for kept in &self.kept_faces[k] {
                let [x, y, z] = std::array::from_fn(|d| (kept.cell[d] + self.ghosts_along()[d]) as usize);
                let word = (kept.axis.index() * num_rows + z * (slab / row) + y) * words_of_row + x / 32;
                let word = patch.first_word as usize + word;
                words[word] |= 1 << (x % 32);
                places.push((word, x % 32, kept.slot));
            }
            first += component;
            patches.push(patch);
            tiles.add_patch(k as u32, self.written(size));
        }
        tiles.cut(|_| rows);
        // Faces are ordered by their bits in the map, not by their slots.
        let mut bases = Vec::new();
        let mut count = 0;
        for word in &words {
            bases.push(count);
            count += word.count_ones();
        }
        let mut slots = vec![0; count as usize];
        for (word, bit, slot) in places {
            let before = words[word] & ((1_u32 << bit) - 1);
            slots[(bases[word] + before.count_ones()) as usize] = slot;
        }
        Tables { patches, tiles: tiles.tiles(), words, bases, slots }
    }

    /// The fluxes through the kept faces: the second-order corrections that an update keeps, plus the fluctuation into the cell from which
    /// the face is seen.
    pub fn seen_fluxes(&self, faces: &dyn FaceSolver<R>, kept: &[R]) -> Vec<R> {
        let mut fluxes = kept.to_vec();
        for (k, kept_faces) in self.kept_faces.iter().enumerate() {
            let [row, slab, component] = self.extent(self.sizes[k]);
            let strides = Strides { row, slab, component };
            for kept in kept_faces {
                let above = strides.offset(kept.cell);
                let below = above - strides.along(kept.axis) as isize;
                let values = |array: &[R], start: usize, count: usize, cell: isize| -> Vec<R> {
                    (0..count).map(|m| array[(start as isize + cell) as usize + m * component]).collect()
                };
                let q = [below, above].map(|cell| values(&self.q, self.starts[k][0], self.num_eqn, cell));
                let aux = [below, above].map(|cell| values(&self.aux, self.starts[k][1], self.num_aux, cell));
                // The steepest jump along the other axes between either cell and its neighbours.
                let mut beside = R::default();
                for across in Axis::ALL.into_iter().filter(|&across| across != kept.axis && across.index() < self.dim) {
                    let step = strides.along(across) as isize;
                    for lower in [below - step, below, above - step, above] {
                        let q =
                            [lower, lower + step].map(|cell| values(&self.q, self.starts[k][0], self.num_eqn, cell));
                        let aux =
                            [lower, lower + step].map(|cell| values(&self.aux, self.starts[k][1], self.num_aux, cell));
                        beside = beside.max(faces.steepness(across, [&q[0], &q[1]], [&aux[0], &aux[1]]));
                    }
                }
                let face = faces.normal_beside(kept.axis, [&q[0], &q[1]], [&aux[0], &aux[1]], beside);
                for m in 0..self.num_eqn {
                    let flux = &mut fluxes[m * self.num_slots + kept.slot as usize];
                    *flux = match kept.seen_from {
                        Side::Lower => face.amdq[m] + *flux,
                        Side::Upper => *flux - face.apdq[m],
                    };
                }
            }
        }
        fluxes
    }

    /// The update by the CPU's kernels.
    pub fn reference(&self, solver: &dyn PatchSolver<R>, options: &UpdateOptions) -> Outcome<R> {
        let mut limiters = [Limiter::None; MAX_WAVES];
        limiters[..options.limiters.len()].copy_from_slice(&options.limiters);
        let capacity = options.capacity.map_or(-1, |c| c as i32);
        let scheme = Scheme {
            order: options.order,
            transverse: options.transverse,
            double_transverse: options.double_transverse,
            limiters,
            capacity,
            sharing_faces: self.sharing_faces,
        };
        let in_space = options.sweep == [true; 3];
        let mut outcome = Outcome {
            q: vec![R::default(); self.q.len()],
            fluxes: vec![R::default(); self.num_eqn * self.num_slots],
            courant: vec![0.0; self.sizes.len()],
        };
        let mut scratch = vec![R::default(); solver.scratch_len()];
        for (k, &size) in self.sizes.iter().enumerate() {
            let [row, slab, component] = self.extent(size);
            let [lo, hi] = self.written(size);
            let [columns, rows] = if in_space { SPACE_TILE } else { [TILE_COLUMNS, TILE_ROWS] };
            assert!(hi[0] - lo[0] <= columns as i32 && hi[1] - lo[1] <= rows as i32, "one tile");
            let mut kept_faces = if options.keeps_faces { self.kept_faces[k].clone() } else { Vec::new() };
            kept_faces.sort_by_key(|kept| kept.complete_at(in_space));
            let args = TileArgs {
                q: self.q[self.starts[k][0]..].as_ptr(),
                q_next: outcome.q[self.starts[k][0]..].as_mut_ptr(),
                aux: if self.num_aux > 0 { self.aux[self.starts[k][1]..].as_ptr() } else { self.aux.as_ptr() },
                strides: Strides { row, slab, component },
                lo,
                hi,
                sweep: options.sweep,
                dt: self.dt,
                dx: DX,
                free: FREE,
                scheme: &scheme,
                kept_faces: (&kept_faces[..]).into(),
                kept_values: outcome.fluxes.as_mut_ptr(),
                kept_stride: self.num_slots,
            };
            // SAFETY: every patch has its ghost cells, the arrays have the overrun, and every slot has one kept face.
            let report = unsafe { solver.update_tile(&args, &mut scratch) };
            assert!(report.admissible, "{options:?}: random states stay finite");
            outcome.courant[k] = report.courant;
        }
        outcome
    }
}

/// The options of an update, and how many cells beyond the patch it updates along each axis.
pub type Choice = (UpdateOptions, [i32; 3]);

/// Options of the update that uses most of a kernel's code.
pub fn fullest(solver: &TestSolver, sweep: [bool; 3], limiter: Limiter) -> UpdateOptions {
    UpdateOptions {
        order: 2,
        transverse: if sweep.iter().filter(|swept| **swept).count() > 1 { 2 } else { 0 },
        double_transverse: true,
        limiters: vec![limiter; solver.source.waves],
        capacity: None,
        sweep,
        keeps_faces: true,
    }
}

/// Options that together use every part of the kernel.
pub fn option_table(solver: &TestSolver) -> Vec<Choice> {
    let base = |sweep| fullest(solver, sweep, Limiter::VanLeer);
    let plane = [true, true, false];
    let mut table: Vec<_> = Limiter::ALL.map(|limiter| (fullest(solver, plane, limiter), [0; 3])).into();
    table.push((UpdateOptions { transverse: 1, keeps_faces: false, ..base(plane) }, [0; 3]));
    table.push((UpdateOptions { transverse: 0, ..base(plane) }, [0; 3]));
    table.push((UpdateOptions { order: 1, ..base(plane) }, [0; 3]));
    table.push((UpdateOptions { order: 1, transverse: 0, ..base(plane) }, [0; 3]));
    table.push((base([true, false, false]), [2, 2, 0]));
    table.push((base([false, true, false]), [2, 0, 0]));
    if solver.source.aux > 0 {
        table.push((UpdateOptions { capacity: Some(solver.source.aux - 1), ..base(plane) }, [0; 3]));
        table.push((UpdateOptions { capacity: Some(0), ..base([true, false, false]) }, [0, 2, 0]));
    }
    table
}

/// All of [`option_table`] for two solvers, without and with auxiliary values; for the others the fullest and the last.
pub fn fewer_options(solver: &TestSolver) -> Vec<Choice> {
    let mut table = option_table(solver);
    if !["acoustics", "advection_edge"].contains(&solver.name) {
        table = vec![table.swap_remove(FULLEST), table.pop().expect("there are several")];
    }
    table
}

/// Index in [`option_table`] of the update that uses most of the kernel.
pub const FULLEST: usize = 3;

/// Options in three dimensions that together use every part of the kernels: sweeps along each axis, also beyond the patch as in a
/// Strang-split step, and all axes at once.
pub fn option_table_in_space(solver: &TestSolver) -> Vec<Choice> {
    let base = |sweep| fullest(solver, sweep, Limiter::VanLeer);
    let space = [true; 3];
    let mut table = vec![
        (base(space), [0; 3]),
        (base([false, false, true]), [0; 3]),
        (base([true, false, false]), [2, 4, 2]),
        (base([false, true, false]), [2, 2, 2]),
        (UpdateOptions { order: 1, keeps_faces: false, ..base([false, false, true]) }, [2, 0, 0]),
        (UpdateOptions { limiters: vec![Limiter::Mc; solver.source.waves], transverse: 1, ..base(space) }, [0; 3]),
        (UpdateOptions { double_transverse: false, ..base(space) }, [0; 3]),
        (UpdateOptions { transverse: 0, keeps_faces: false, ..base(space) }, [0; 3]),
        (UpdateOptions { order: 1, ..base(space) }, [0; 3]),
        (UpdateOptions { order: 1, transverse: 0, ..base(space) }, [0; 3]),
    ];
    if solver.source.aux > 0 {
        table.push((UpdateOptions { capacity: Some(solver.source.aux - 1), ..base(space) }, [0; 3]));
        table.push((UpdateOptions { capacity: Some(0), ..base([false, false, true]) }, [0; 3]));
    }
    table
}

/// All of [`option_table_in_space`] for acoustics, those with a capacity for acoustics in a varying medium; for other solvers the update of all axes
/// at once and one sweep.
pub fn fewer_options_in_space(solver: &TestSolver) -> Vec<Choice> {
    let mut table = option_table_in_space(solver);
    match solver.name {
        "acoustics" => table,
        "acoustics_variable" => table.into_iter().filter(|(options, _)| options.capacity.is_some()).collect(),
        _ => {
            table.truncate(2);
            table
        }
    }
}
