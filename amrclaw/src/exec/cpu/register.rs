//! The conservation fix of Berger & LeVeque 1998 (doi:10.1137/S0036142997315974) in wave-propagation form.
//!
//! At a face between a coarse cell and a fine patch the coarse step used its own flux, the fine steps used theirs:
//! ```text
//! Σ Δt_f (C1 + fine flux) − Δt_c coarse flux,   C1 = f(Q̂) − f(Q) = ±(𝒜⁻ΔQ + 𝒜⁺ΔQ)
//! ```
//! is what the coarse cell must still receive: Qin, LeVeque & Motley 2018, eqs 5–9. Fluxes are seen from the coarse
//! cell's side: 𝒜⁻ΔQ + F̃ or F̃ − 𝒜⁺ΔQ. C1 solves the user's own Riemann problem between the coarse cell's old state Q
//! and the fine ghost cell Q̂ over it, so that equations without a flux are served too.
//!
//! Source terms change the fluxes within the coarse step. The coarse flux is that of one state Q; at fine step k sources alone would have made
//! `S_k Q` of it, from the beginning of the coarse step to where the fine step solves its Riemann problems. For a quantity that has a source there,
//! C1 is `f(Q̂) − f(Q) − (f(S_k Q) − f(Q))`: solved from the coarse state as sources have advanced it, as `qad` of AMRClaw does. A quantity without
//! one keeps the exact balance.
//!
//! Sums are fluxes along the axes of the coarse patch. Across a folded side the fine patch's axes run the other way.

use super::CpuExecutor;
use super::allowance::Stepped;
use super::debt::Debts;
use super::exchange::exchange;
use super::faces::{FaceSlot, ListedFaces};
use super::failure::{LookedAt, Searched};
use super::scratch::Scratch;
use super::store::Register;
use super::tiles::TilePlan;
use crate::exec::ExecError;
use crate::exec::step::Sweep;
use crate::fields::{LevelLayout, Shared};
use crate::index::Level;
use crate::plan::{FaceRun, MessageItems, RefluxPlan};
use crate::ranks::{CommError, MessageHeader, MessageKind, Ranks};
use crate::threads::{parallel_for, parallel_reduce};
use riemann::axis::{Axis, Side};
use riemann::patch::{FaceList, PACK_OVERRUN, PatchSolver};
use riemann::real::Scalar;

/// Fine faces handled at a time.
const CHUNK: usize = 128;
/// Numbers between the components of a chunk.
pub(super) const STRIDE: usize = CHUNK + PACK_OVERRUN;

/// Numbers of scratch memory that [`Gather::as_fine`] needs.
pub(super) const fn scratch_len(num_eqn: usize, num_aux: usize) -> usize {
    STRIDE * (3 * num_eqn + 2 * num_aux)
}

/// A sweep of a level, with all that is added to the registers from it.
pub(super) struct Gather<'a, const D: usize, R: Scalar> {
    pub sweeps: &'a [Sweep],
    /// Number of the sweep.
    pub sweep: usize,
    pub dt: f64,
    /// Fluxes that the sweep keeps.
    pub kept: Shared<'a, R>,
    pub tiles: &'a TilePlan,
    pub layout: &'a LevelLayout<D>,
    /// The state that the sweep started from.
    pub q: Shared<'a, R>,
    pub aux: Shared<'a, R>,
    pub num_aux: usize,
    pub num_eqn: usize,
    pub solver: &'a dyn PatchSolver<R>,
    pub scratch: &'a Scratch<R>,
}

impl<const D: usize, R: Scalar> Gather<'_, D, R> {
    fn swept(&self, axis: Axis) -> bool {
        self.sweeps[self.sweep].axes[axis.index()]
    }

    /// Flux of equation `m` kept for a slot.
    fn flux(&self, m: usize, slot: usize) -> R {
        // SAFETY: nobody writes them once the sweep is done.
        unsafe { *self.kept.at(m * self.tiles.num_slots() + slot) }
    }

    /// The coarse side: starts the sums with −Δt times the coarse flux and keeps the coarse cells' states.
    pub fn as_coarse(&self, plan: &ListedFaces<D>, register: &mut Register<R>) {
        let slots = plan.slots().len();
        let values = self.num_eqn + self.num_aux;
        let (sums, cells) = (Shared::new(&mut register.sums), Shared::new(&mut register.coarse_cells));
        let dt = R::from_f64(self.dt);
        parallel_for(plan.plan.num_coarse_patches, |k| {
            let layout = &self.layout.patches[k];
            if !layout.is_local {
                return;
            }
            for &number in plan.of_coarse_patch(k) {
                let slot = number as usize;
                let face = &plan.slots()[slot];
                if !self.swept(face.axis) {
                    continue;
                }
                let first = self.sweeps[..self.sweep].iter().all(|s| !s.axes[face.axis.index()]);
                let q = layout.offset(self.num_eqn, face.coarse_cell);
                for m in 0..self.num_eqn {
                    // SAFETY: every slot lies beside one coarse patch, whose task alone writes it; q is only read.
                    unsafe {
                        let sum = sums.at(m * slots + slot);
                        let before = if first { R::default() } else { *sum };
                        *sum = before - dt * self.flux(m, self.tiles.num_fine + slot);
                        *cells.at(Register::<R>::coarse_cell(&plan.plan, values, self.sweep, m, slot)) =
                            *self.q.at(q + m * layout.component());
                    }
                }
                for m in 0..self.num_aux {
                    // SAFETY: nobody writes auxiliary values meanwhile.
                    let value =
                        unsafe { *self.aux.at(layout.offset(self.num_aux, face.coarse_cell) + m * layout.component()) };
                    let place = Register::<R>::coarse_cell(&plan.plan, values, self.sweep, self.num_eqn + m, slot);
                    // SAFETY: likewise.
                    unsafe { *cells.at(place) = value };
                }
            }
        });
    }

    /// Saves the ghost cells that the fine side will read, before a sweep that may overwrite them.
    pub fn save_ghosts(&self, plan: &ListedFaces<D>, register: &mut Register<R>) {
        let (ghosts, stride) = (Shared::new(&mut register.ghosts), plan.plan.num_fine);
        parallel_for(plan.plan.runs.num_patches(), |k| {
            let layout = &self.layout.patches[k];
            if !layout.is_local {
                return;
            }
            for face in plan.slots()[plan.fine_range(k)].iter().filter(|face| self.swept(face.axis)) {
                for (n, cell) in plan.fine_ghosts(face).cells().enumerate() {
                    let (q, place) = (layout.offset(self.num_eqn, cell), face.first_fine as usize + n);
                    for m in 0..self.num_eqn {
                        // SAFETY: every face belongs to one patch, whose task alone writes its place; q is only read.
                        unsafe { *ghosts.at(m * stride + place) = *self.q.at(q + m * layout.component()) };
                    }
                }
            }
        });
    }

    /// The fine side: adds Δt times the fine fluxes and C1. `aside`: the ghost cells have been saved.
    pub fn as_fine(&self, plan: &ListedFaces<D>, register: &mut Register<R>, aside: bool) {
        let Register { sums, coarse_cells: cells, ghosts, source_cells, .. } = register;
        let (sums, ghosts) = (Shared::new(sums), aside.then_some(ghosts.as_slice()));
        let (cells, source_cells) = (cells.as_slice(), source_cells.as_slice());
        parallel_for(plan.plan.runs.num_patches(), |k| {
            if !self.layout.patches[k].is_local {
                return;
            }
            let mut scratch = self.scratch.mine();
            let mut slots = plan.fine_range(k);
            while !slots.is_empty() {
                let first = &plan.slots()[slots.start];
                let faces = plan.plan.ratio.faces(first.axis.index()) as usize;
                let same = |face: &FaceSlot<D>| (face.axis, face.coarse_side) == (first.axis, first.coarse_side);
                let chunk = plan.slots()[slots.clone()].iter().take(CHUNK / faces).take_while(|f| same(f)).count();
                if self.swept(first.axis) {
                    let range = slots.start..slots.start + chunk;
                    self.add_chunk(plan, range.clone(), sums, (cells, ghosts), &mut scratch);
                    if !source_cells.is_empty() {
                        self.take_source_changes(plan, range, sums, source_cells, &mut scratch);
                    }
                }
                slots.start += chunk;
            }
        });
    }

    /// Adds a run of slots of one patch, axis and side.
    fn add_chunk(
        &self,
        plan: &ListedFaces<D>,
        slots: std::ops::Range<usize>,
        sums: Shared<'_, R>,
        (coarse_cells, ghosts): (&[R], Option<&[R]>),
        scratch: &mut [R],
    ) {
        let (m_count, a_count) = (self.num_eqn, self.num_aux);
        let first = plan.slots()[slots.start];
        let faces = plan.plan.ratio.faces(first.axis.index()) as usize;
        let layout = &self.layout.patches[first.fine_patch as usize];
        let (coarse, rest) = scratch.split_at_mut((m_count + a_count) * STRIDE);
        let (ghost, sum) = rest.split_at_mut((m_count + a_count) * STRIDE);
        for (n, slot) in slots.clone().enumerate() {
            let face = &plan.slots()[slot];
            for (k, cell) in plan.fine_ghosts(face).cells().enumerate() {
                let at = n * faces + k;
                let q = layout.offset(m_count, cell);
                for m in 0..m_count + a_count {
                    let place = Register::<R>::coarse_cell(&plan.plan, m_count + a_count, self.sweep, m, slot);
                    coarse[m * STRIDE + at] = coarse_cells[place];
                }
                for m in 0..m_count {
                    ghost[m * STRIDE + at] = match ghosts {
                        Some(ghosts) => ghosts[m * plan.plan.num_fine + face.first_fine as usize + k],
                        // SAFETY: nobody writes the state that the sweep started from.
                        None => unsafe { *self.q.at(q + m * layout.component()) },
                    };
                }
                self.face_aux(face, cell, at, coarse, ghost);
            }
        }
        let (ql, qr) = match first.coarse_side {
            Side::Lower => (&*coarse, &*ghost),
            Side::Upper => (&*ghost, &*coarse),
        };
        let aux_at = m_count * STRIDE;
        let list = FaceList {
            len: slots.len() * faces,
            ql: ql.as_ptr(),
            qr: qr.as_ptr(),
            aux_l: ql[aux_at..].as_ptr(),
            aux_r: qr[aux_at..].as_ptr(),
            sum: sum.as_mut_ptr(),
            stride: STRIDE,
        };
        // SAFETY: the scratch memory holds STRIDE numbers for each component of every array.
        unsafe { self.solver.fluctuation_sums(first.axis, &list) };
        // The coarse cell sees f(Q̂) − f(Q); the Riemann problem gives f(right) − f(left).
        let towards_coarse = R::constant(-f64::from(first.coarse_side.sign()));
        let dt = R::from_f64(self.dt / faces as f64);
        for (n, slot) in slots.enumerate() {
            let face = &plan.slots()[slot];
            for m in 0..m_count {
                let mut total = R::default();
                for k in 0..faces {
                    let c1 = towards_coarse * sum[m * STRIDE + n * faces + k];
                    total += c1 + self.flux(m, face.first_fine as usize + k);
                }
                // SAFETY: every slot belongs to one fine patch, whose task alone adds to it.
                unsafe { *sums.at(m * plan.slots().len() + slot) += along_coarse(face, dt) * total };
            }
        }
    }

    /// Auxiliary values of a fine ghost cell. Values that live on faces with this normal are taken from the face at the patch's edge,
    /// for both sides.
    fn face_aux(&self, face: &FaceSlot<D>, ghost_cell: [i32; D], at: usize, coarse: &mut [R], ghost: &mut [R]) {
        let layout = &self.layout.patches[face.fine_patch as usize];
        for a in 0..self.num_aux {
            let place = (self.num_eqn + a) * STRIDE + at;
            // SAFETY: nobody writes auxiliary values meanwhile.
            let value = |cell| unsafe { *self.aux.at(layout.offset(self.num_aux, cell) + a * layout.component()) };
            ghost[place] = value(ghost_cell);
            if self.solver.aux_face()[a] == Some(face.axis) {
                let mut above = ghost_cell;
                above[face.axis.index()] += i32::from(face.coarse_side == Side::Lower);
                (coarse[place], ghost[place]) = (value(above), value(above));
            }
        }
    }
}

/// A number with a sign along the fine patch's axes, along the coarse one's.
pub(super) fn along_coarse<const D: usize, R: Scalar>(face: &FaceSlot<D>, number: R) -> R {
    if face.turned { -number } else { number }
}

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// After a step of the level coarser than `fine`: sends the sums that the coarse side has started, and its coarse cells, to the
    /// ranks that own the fine patches.
    pub(super) fn send_coarse_faces(&mut self, fine: Level, plan: &RefluxPlan<D>) -> Result<(), ExecError> {
        let header = self.header(MessageKind::CoarseFaces, fine);
        let directions = plan.exchange.directions();
        let Register { sums, coarse_cells, source_cells, allowances, .. } = &mut self.levels[fine.index()].register;
        let sourced = source_cells.len().saturating_sub(PACK_OVERRUN);
        let engine = self.engine.as_ref().filter(|_| directions.iter().any(|messages| !messages.is_empty()));
        if let Some(engine) = engine {
            engine.fetch_register(fine.index(), [sums, coarse_cells])?;
        }
        let arrays = &mut [&mut sums[..], &mut coarse_cells[..], &mut allowances[..], &mut source_cells[..sourced]];
        send_faces((&self.ranks, header), plan, directions, arrays)?;
        match engine {
            Some(engine) => engine.put_register(fine.index(), [sums, coarse_cells]),
            None => Ok(()),
        }
    }

    /// Sends the completed sums to the ranks that own the coarse cells.
    fn send_sums(&mut self, fine: Level, plan: &RefluxPlan<D>) -> Result<(), CommError> {
        let header = self.header(MessageKind::FaceSums, fine);
        // The reverse of the exchange in `send_coarse_faces`.
        let [received, sent] = plan.exchange.directions();
        let sums = &mut self.levels[fine.index()].register.sums;
        send_faces((&self.ranks, header), plan, [sent, received], &mut [sums])
    }

    /// Applies the conservation fix to the coarse cells beside a fine level.
    ///
    /// # Errors
    /// If one of them is no longer finite, or a quantity that must be positive no longer is: no update would detect it before the next step,
    /// and a step that begins with it cannot be repeated with success.
    pub(super) fn reflux_level(&mut self, fine_level: Level, plan: &RefluxPlan<D>) -> Result<(), ExecError> {
        self.send_sums(fine_level, plan)?;
        let capacity = usize::try_from(self.problem.scheme.capacity).ok();
        let num_aux = self.solver.aux().len();
        let (coarser, finer) = self.levels.split_at_mut(fine_level.index());
        let (Some(coarse), fine) = (coarser.last_mut(), &mut finer[0]) else { return Ok(()) };
        let (layout, num_eqn, dx) = (coarse.layout.clone(), coarse.num_eqn, coarse.geometry.dx);
        let lattice = coarse.geometry.in_space();
        let free = R::from_f64(self.problem.free_speed_of_fix([coarse.states.time_old, coarse.states.time], dx));
        let mut aux = std::mem::take(&mut coarse.aux);
        let (num_values, shared_aux, q) = (aux.len(), Shared::new(&mut aux), Shared::new(coarse.q_mut()));
        // SAFETY: nobody writes auxiliary values meanwhile.
        let aux_values = unsafe { shared_aux.row(0, num_values) };
        let faces = fine.faces.as_ref().expect("listed with the plans");
        let (sums, asks) = (Shared::new(&mut fine.register.sums), Shared::new(&mut fine.register.allowances));
        let kept = self.solver.transfers().unwrap_or_default();
        let fixed = Stepped { kept, layout: &layout, q, aux: shared_aux, num_eqn, num_aux, capacity, dx };
        let cell_of = |slot: u32| faces.slots()[slot as usize].coarse_cell;
        let give = |k: usize| {
            let layout = &layout.patches[k];
            if !layout.is_local {
                return usize::MAX;
            }
            let mut finite = true;
            for of_cell in faces.of_coarse_patch(k).chunk_by(|&a, &b| cell_of(a) == cell_of(b)) {
                // SAFETY: each coarse patch, and the slots beside it, are its own task's alone.
                finite &= unsafe { fixed.receive(self.solver.as_ref(), faces, (k as u32, of_cell), sums, free) };
            }
            if !kept.is_empty() {
                Debts { faces, coarse: &fixed, patch: k as u32, gets: sums, asks }.settle();
            }
            let is_right = |&slot: &u32| {
                let cell = faces.slots()[slot as usize].coarse_cell;
                let state = q.at(layout.offset(num_eqn, cell));
                let row = LookedAt { layout, q: state, aux: aux_values, num_aux, lattice }.row(cell, 1);
                // SAFETY: this task alone writes the patch.
                unsafe { self.solver.first_inadmissible(&row, false) }.is_none()
            };
            if finite && faces.of_coarse_patch(k).iter().all(is_right) { usize::MAX } else { k }
        };
        let broken = parallel_reduce(plan.num_coarse_patches, give, usize::MAX, usize::min);
        coarse.aux = aux;
        if broken == usize::MAX {
            return Ok(());
        }
        let (level, time) = (Level(fine_level.0 - 1), coarse.states.time);
        let found = self.failure_in(level, broken, self.levels[level.index()].q(), Searched::interior(), time);
        Err(found.unwrap_or(ExecError::LostWithinStep { level, patch: broken, time }))
    }
}

/// Runs of faces that are exchanged between two ranks.
type FaceMessages<const D: usize> = [MessageItems<Vec<FaceRun<D>>>];

/// Sends the values of some arrays, `[component, slot]`, at the faces of the messages that are sent, and receives those of the others.
fn send_faces<const D: usize, R: Scalar>(
    to: (&Ranks, MessageHeader),
    plan: &RefluxPlan<D>,
    directions: [&FaceMessages<D>; 2],
    arrays: &mut [&mut [R]],
) -> Result<(), CommError> {
    if directions.iter().all(|messages| messages.is_empty()) {
        return Ok(());
    }
    let slots = plan.num_slots;
    let arrays: Vec<(usize, Shared<'_, R>)> =
        arrays.iter_mut().map(|array| (array.len().checked_div(slots).unwrap_or(0), Shared::new(array))).collect();
    let slots_of = |run: &FaceRun<D>| run.first_slot as usize..run.first_slot as usize + run.cells.volume();
    let len = |runs: &Vec<FaceRun<D>>| -> usize {
        let components: usize = arrays.iter().map(|&(components, _)| components).sum();
        components * runs.iter().map(|run| run.cells.volume()).sum::<usize>()
    };
    // Where the faces of a message lie in the arrays, in the message's order.
    let places = |runs: &Vec<FaceRun<D>>, visit: &mut dyn FnMut(usize, *mut R)| {
        let mut at = PACK_OVERRUN;
        for &(components, array) in &arrays {
            for slot in (0..components).flat_map(|m| runs.iter().flat_map(slots_of).map(move |slot| m * slots + slot)) {
                visit(at, array.at(slot));
                at += 1;
            }
        }
    };
    let pack = |runs: &Vec<FaceRun<D>>, message: Shared<'_, R>| {
        // SAFETY: nobody writes the arrays meanwhile; each message is one task's.
        places(runs, &mut |at, place| unsafe { *message.at(at) = *place });
    };
    let unpack = |runs: &Vec<FaceRun<D>>, message: Shared<'_, R>| {
        // SAFETY: the arrays are borrowed alone, and every face is in one message at most.
        places(runs, &mut |at, place| unsafe { *place = *message.at(at) });
    };
    exchange(to, directions, len, pack, || (), unpack)
}
