//! Patches of random states, their update by the CPU's kernels, and the same as tables for the device.

use super::solvers::{Random, TestSolver};
use cuda::amr::{Patch, TileTable, UpdateOptions};
use riemann::axis::{Axis, Side};
use riemann::faces::FaceSolver;
use riemann::limiter::Limiter;
use riemann::patch::{MAX_WAVES, PACK_OVERRUN, PatchSolver, Scheme, Strides, TILE_COLUMNS, TILE_ROWS, Tap, TileArgs};
use riemann::real::Scalar;
use std::collections::HashSet;

pub const DT: f64 = 0.013;
pub const DX: [f64; 3] = [0.3, 0.7, 1.0];

/// Patches in one array, as a level has them.
pub struct TestLevel<R> {
    pub ghosts: i32,
    /// Cells updated beyond a patch's own, as the sweeps of a Strang-split step want.
    pub grow: [i32; 2],
    pub sizes: Vec<[i32; 2]>,
    pub q: Vec<R>,
    pub aux: Vec<R>,
    /// First interior cell of each patch, in `q` and in `aux`.
    starts: Vec<[usize; 2]>,
    taps: Vec<Vec<Tap>>,
    pub num_slots: usize,
    num_eqn: usize,
    num_aux: usize,
}

/// The tables that an update reads.
pub struct Tables {
    pub patches: Vec<Patch>,
    pub tiles: TileTable,
    /// The map of the faces kept: its bits, and the slots.
    pub words: Vec<u32>,
    pub slots: Vec<u32>,
    pub num_cells: usize,
}

/// What an update writes.
pub struct Outcome<R> {
    pub q: Vec<R>,
    /// What crosses the faces kept, as their cells see it: `[equation, slot]`.
    pub fluxes: Vec<R>,
    pub courant: Vec<f64>,
}

impl<R: Scalar> TestLevel<R> {
    pub fn new(solver: &TestSolver, sizes: &[[i32; 2]], grow: [i32; 2], sweep: [bool; 2], random: &mut Random) -> Self {
        let ghosts = 2 + grow[0].max(grow[1]);
        let (num_eqn, num_aux) = (solver.source.equations, solver.source.aux);
        let mut level = TestLevel {
            ghosts,
            grow,
            sizes: sizes.to_vec(),
            q: vec![R::default(); PACK_OVERRUN],
            aux: vec![R::default(); PACK_OVERRUN],
            starts: Vec::new(),
            taps: Vec::new(),
            num_slots: 0,
            num_eqn,
            num_aux,
        };
        for &size in sizes {
            let [row, component] = level.extent(size);
            let first = ghosts as usize * (row + 1);
            level.starts.push([level.q.len() + first, level.aux.len() + first]);
            let cells: Vec<_> = (0..component).map(|_| solver.state(random)).collect();
            for m in 0..num_eqn {
                level.q.extend(cells.iter().map(|(q, _)| R::from_f64(q[m])));
            }
            for a in 0..num_aux {
                level.aux.extend(cells.iter().map(|(_, aux)| R::from_f64(aux[a])));
            }
            let taps = level.random_taps(size, sweep, random);
            level.taps.push(taps);
        }
        level.q.extend([R::default(); PACK_OVERRUN]);
        level.aux.extend([R::default(); PACK_OVERRUN]);
        level
    }

    /// Place of a patch's first interior cell in the array of states.
    pub fn first_state(&self, patch: usize) -> usize {
        self.starts[patch][0]
    }

    /// Numbers of a row and of a component.
    fn extent(&self, size: [i32; 2]) -> [usize; 2] {
        let row = (size[0] + 2 * self.ghosts) as usize;
        [row, row * (size[1] + 2 * self.ghosts) as usize]
    }

    /// A whole edge, and faces here and there.
    fn random_taps(&mut self, size: [i32; 2], sweep: [bool; 2], random: &mut Random) -> Vec<Tap> {
        let mut faces = Vec::new();
        if sweep[0] {
            faces.extend((0..size[1]).map(|y| ([size[0], y, 0], Axis::X)));
            faces.extend(
                (0..7).map(|_| {
                    ([random.below(size[0] as usize) as i32, random.below(size[1] as usize) as i32, 0], Axis::X)
                }),
            );
        }
        if sweep[1] {
            faces.extend((0..size[0]).map(|x| ([x, size[1] / 2, 0], Axis::Y)));
            faces.extend((0..size[0]).map(|x| ([x, size[1], 0], Axis::Y)));
        }
        // A map has one slot for each face.
        let mut seen = HashSet::new();
        faces.retain(|(cell, axis)| seen.insert((*cell, axis.index())));
        let tap = |(cell, axis)| {
            let seen_from = if random.unit() < 0.5 { Side::Lower } else { Side::Upper };
            self.num_slots += 1;
            Tap { cell, axis, seen_from, slot: self.num_slots as u32 - 1 }
        };
        faces.into_iter().map(tap).collect()
    }

    /// The level's tables for the device.
    pub fn tables(&self, options: &UpdateOptions, rows: i32) -> Tables {
        let num_cells = self.sizes.iter().map(|&size| self.extent(size)[1]).sum();
        let (mut tiles, mut patches, mut words) = (TileTable::default(), Vec::new(), Vec::new());
        let (mut first, mut slots) = (0, vec![0; 2 * num_cells]);
        for (k, &size) in self.sizes.iter().enumerate() {
            let [row, component] = self.extent(size);
            let (num_rows, words_of_row) = (component / row, row.div_ceil(32));
            let patch = Patch {
                first: first as u64,
                first_word: words.len() as u32,
                inner: self.ghosts * (row as i32 + 1),
                stride: [1, row as i32, component as i32],
                component: component as i32,
                lo: [0; 3],
                size: [size[0], size[1], 1],
            };
            words.resize(words.len() + 2 * num_rows * words_of_row, 0);
            for tap in &self.taps[k] {
                let [x, y] = [tap.cell[0] + self.ghosts, tap.cell[1] + self.ghosts].map(|i| i as usize);
                let word = (tap.axis.index() * num_rows + y) * words_of_row + x / 32;
                words[patch.first_word as usize + word] |= 1 << (x % 32);
                slots[tap.axis.index() * num_cells + first + y * row + x] = tap.slot;
            }
            first += component;
            patches.push(patch);
            let lo = self.grow.map(|g| -g);
            let hi = std::array::from_fn(|d| size[d] + self.grow[d]);
            tiles.add_patch(options, rows, k as u32, [lo, hi]);
        }
        Tables { patches, tiles, words, slots, num_cells }
    }

    /// What crosses the faces kept, of the second-order corrections that an update keeps: the sum with the fluctuation that runs into
    /// the cell that sees the face.
    pub fn seen_fluxes(&self, faces: &dyn FaceSolver<R>, kept: &[R]) -> Vec<R> {
        let mut fluxes = kept.to_vec();
        for (k, taps) in self.taps.iter().enumerate() {
            let [row, component] = self.extent(self.sizes[k]);
            for tap in taps {
                let above = tap.cell[0] as isize + tap.cell[1] as isize * row as isize;
                let below = above - if tap.axis == Axis::X { 1 } else { row as isize };
                let values = |array: &[R], start: usize, count: usize, cell: isize| -> Vec<R> {
                    (0..count).map(|m| array[(start as isize + cell) as usize + m * component]).collect()
                };
                let q = [below, above].map(|cell| values(&self.q, self.starts[k][0], self.num_eqn, cell));
                let aux = [below, above].map(|cell| values(&self.aux, self.starts[k][1], self.num_aux, cell));
                let face = faces.normal(tap.axis, [&q[0], &q[1]], [&aux[0], &aux[1]]);
                for m in 0..self.num_eqn {
                    let flux = &mut fluxes[m * self.num_slots + tap.slot as usize];
                    *flux = match tap.seen_from {
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
            double_transverse: true,
            limiters,
            capacity,
        };
        let mut outcome = Outcome {
            q: vec![R::default(); self.q.len()],
            fluxes: vec![R::default(); self.num_eqn * self.num_slots],
            courant: vec![0.0; self.sizes.len()],
        };
        let mut scratch = vec![R::default(); solver.scratch_len()];
        for (k, &size) in self.sizes.iter().enumerate() {
            let [row, component] = self.extent(size);
            let [lo, hi] = [self.grow.map(|g| -g), std::array::from_fn(|d| size[d] + self.grow[d])];
            assert!(hi[0] - lo[0] <= TILE_COLUMNS as i32 && hi[1] - lo[1] <= TILE_ROWS as i32, "one tile");
            let mut taps = if options.keeps_faces { self.taps[k].clone() } else { Vec::new() };
            taps.sort_by_key(|tap| tap.complete_at(false));
            let args = TileArgs {
                q: self.q[self.starts[k][0]..].as_ptr(),
                q_next: outcome.q[self.starts[k][0]..].as_mut_ptr(),
                aux: if self.num_aux > 0 { self.aux[self.starts[k][1]..].as_ptr() } else { self.aux.as_ptr() },
                strides: Strides { row, slab: component, component },
                lo: [lo[0], lo[1], 0],
                hi: [hi[0], hi[1], 1],
                sweep: [options.sweep[0], options.sweep[1], false],
                dt: DT,
                dx: DX,
                scheme: &scheme,
                taps: &taps,
                tap_values: outcome.fluxes.as_mut_ptr(),
                tap_stride: self.num_slots,
            };
            // SAFETY: every patch has its ghost cells, the arrays the overrun, and every slot one tap.
            let report = unsafe { solver.update_tile(&args, &mut scratch) };
            assert!(report.admissible, "random states stay finite");
            outcome.courant[k] = report.courant;
        }
        outcome
    }
}

/// Options that between them use every part of the kernel.
pub fn option_table(solver: &TestSolver) -> Vec<(UpdateOptions, [i32; 2])> {
    let waves = solver.source.waves;
    let mut table = Vec::new();
    let base = |limiter| UpdateOptions {
        order: 2,
        transverse: 2,
        limiters: vec![limiter; waves],
        capacity: None,
        sweep: [true, true],
        keeps_faces: true,
    };
    for limiter in Limiter::ALL {
        table.push((base(limiter), [0, 0]));
    }
    let van_leer = base(Limiter::VanLeer);
    table.push((UpdateOptions { transverse: 1, keeps_faces: false, ..van_leer.clone() }, [0, 0]));
    table.push((UpdateOptions { transverse: 0, ..van_leer.clone() }, [0, 0]));
    table.push((UpdateOptions { order: 1, ..van_leer.clone() }, [0, 0]));
    table.push((UpdateOptions { order: 1, transverse: 0, ..van_leer.clone() }, [0, 0]));
    table.push((UpdateOptions { transverse: 0, sweep: [true, false], ..van_leer.clone() }, [2, 2]));
    table.push((UpdateOptions { transverse: 0, sweep: [false, true], ..van_leer.clone() }, [2, 0]));
    if solver.source.aux > 0 {
        table.push((UpdateOptions { capacity: Some(solver.source.aux - 1), ..van_leer.clone() }, [0, 0]));
        let capacity = Some(0);
        table.push((UpdateOptions { capacity, transverse: 0, sweep: [true, false], ..van_leer }, [0, 2]));
    }
    table
}

/// All of them for two solvers, without and with auxiliary values; for the others the fullest and the last.
pub fn fewer_options(solver: &TestSolver) -> Vec<(UpdateOptions, [i32; 2])> {
    let mut table = option_table(solver);
    if !["acoustics", "advection_edge"].contains(&solver.name) {
        table = vec![table.swap_remove(FULLEST), table.pop().expect("there are several")];
    }
    table
}

/// The place in the table of options of the one that uses most of the kernel.
pub const FULLEST: usize = 3;
