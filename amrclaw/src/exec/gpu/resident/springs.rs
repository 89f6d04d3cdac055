//! Springs that draw the nodes of a mesh, solved on the device: the host's operations in the host's order.

use super::Machine;
use super::mesh_tables::SLICE;
use crate::exec::gpu::device::{bytes_of, bytes_of_mut, pointer};
use cuda::CudaError;
use cuda::abi::Pointer;
use cuda::amr::kernels::{SPRINGS_ADVANCE, SPRINGS_FORCES, SPRINGS_SUM, SPRINGS_TURN};
use cuda::amr::{NO_ITEM, SpringsArgs, SpringsState};
use std::time::Instant;
use tracing::debug;
use unstructured::motion::TOLERANCE;
use unstructured::motion::springs::Springs;

/// Iterations that are enqueued before the host asks whether they were enough; behind the last one kernels do nothing.
const AT_A_TIME: usize = 16;

/// Slices of nodes whose rows are sent at once.
const SENT_AT_ONCE: usize = 4096;

/// The springs' matrix and the vectors of a solution, in a device's memory.
pub(super) struct DeviceSprings<N: Machine> {
    args: SpringsArgs,
    dim: usize,
    displaced: N::Memory,
    /// Direction and residual, which begin as zeros.
    zeroed: [N::Memory; 2],
    state: N::Memory,
    _tables: Vec<N::Memory>,
}

impl<N: Machine> DeviceSprings<N> {
    /// Sends the matrix, slice by slice.
    fn new(machine: &N, springs: &Springs) -> Result<Self, CudaError> {
        let (dim, nodes) = (springs.dim(), springs.num_nodes());
        let num_slices = nodes.div_ceil(SLICE);
        let rows = |slice: usize| (slice * SLICE..nodes.min((slice + 1) * SLICE)).map(|node| springs.row(node));
        let mut slices = vec![0_u32];
        for slice in 0..num_slices {
            let width = rows(slice).map(|(columns, _)| columns.len()).max().unwrap_or(0);
            slices.push(slices[slice] + (SLICE * width) as u32);
        }
        let (entries, block) = (slices[num_slices] as usize, dim * dim);
        let room = |bytes: usize| machine.allocate(bytes.max(1));
        let tables = [
            room(4 * slices.len())?,
            room(4 * entries)?,
            room(8 * block * entries)?,
            room(8 * block * SLICE * num_slices)?,
            room(8 * dim * nodes)?,
            room(8 * dim * nodes)?,
            room(8 * num_slices)?,
        ];
        machine.upload(bytes_of(&slices), &tables[0], 0)?;
        for first in (0..num_slices).step_by(SENT_AT_ONCE) {
            let last = num_slices.min(first + SENT_AT_ONCE);
            let (start, count) = (slices[first] as usize, (slices[last] - slices[first]) as usize);
            let (mut columns, mut blocks) = (vec![NO_ITEM; count], vec![0.0; block * count]);
            let mut inverses = vec![0.0; block * SLICE * (last - first)];
            for slice in first..last {
                for (lane, (row, own)) in rows(slice).enumerate() {
                    for (k, (column, numbers)) in row.iter().zip(own.chunks_exact(block)).enumerate() {
                        let at = slices[slice] as usize - start + SLICE * k;
                        columns[at + lane] = *column;
                        numbers.iter().enumerate().for_each(|(n, x)| blocks[block * at + SLICE * n + lane] = *x);
                    }
                    let inverse = springs.inverse(slice * SLICE + lane);
                    let at = block * SLICE * (slice - first) + lane;
                    (0..block).for_each(|n| inverses[at + SLICE * n] = inverse[n / dim][n % dim]);
                }
            }
            machine.upload(bytes_of(&columns), &tables[1], 4 * start)?;
            machine.upload(bytes_of(&blocks), &tables[2], 8 * block * start)?;
            machine.upload(bytes_of(&inverses), &tables[3], 8 * block * SLICE * first)?;
        }
        let vector = || room(8 * dim * nodes);
        let (displaced, zeroed, state) = (vector()?, [vector()?, vector()?], room(size_of::<SpringsState>())?);
        let at = |memory: &N::Memory| pointer::<f64, N>(memory, 0);
        let args = SpringsArgs {
            slices: pointer::<_, N>(&tables[0], 0),
            columns: pointer::<_, N>(&tables[1], 0),
            blocks: at(&tables[2]),
            inverses: at(&tables[3]),
            from: Pointer::NULL,
            displaced: at(&displaced),
            along: at(&zeroed[0]),
            forces: at(&tables[4]),
            residual: at(&zeroed[1]),
            ahead: at(&tables[5]),
            parts: at(&tables[6]),
            state: pointer::<_, N>(&state, 0),
            num_nodes: nodes as u32,
            num_parts: num_slices as u32,
            is_along: 0,
        };
        Ok(DeviceSprings { args, dim, displaced, zeroed, state, _tables: tables.into() })
    }

    /// As [`Springs::solve`], to the bit. What has been sent is `known` to the next call.
    pub fn solve(
        machine: &N,
        known: &mut Option<Self>,
        (springs, displaced): (&Springs, &mut [f64]),
    ) -> Result<(), CudaError> {
        match known {
            Some(known) => known.displace(machine, displaced),
            None => known.insert(Self::new(machine, springs)?).displace(machine, displaced),
        }
    }

    fn displace(&self, machine: &N, displaced: &mut [f64]) -> Result<(), CudaError> {
        let clock = Instant::now();
        let begin =
            SpringsState { left: 0.0, enough: 0.0, factor: 1.0, tolerance: TOLERANCE, iterations: 0, is_done: 0 };
        machine.upload(bytes_of(&[begin]), &self.state, 0)?;
        machine.upload(bytes_of(displaced), &self.displaced, 0)?;
        self.zeroed.iter().try_for_each(|vector| machine.zero(vector, 0, size_of_val(displaced)))?;
        self.advance(machine, self.args.displaced)?;
        let state = loop {
            for _ in 0..AT_A_TIME {
                // SAFETY: the tables are those of the springs, and vectors have numbers for all nodes.
                unsafe { machine.run(&SPRINGS_TURN, self.dim, self.args.num_nodes as usize, &self.args)? };
                self.advance(machine, self.args.along)?;
            }
            let mut state = [begin];
            machine.download(&self.state, 0, bytes_of_mut(&mut state))?;
            if state[0].is_done != 0 {
                break state[0];
            }
        };
        machine.download(&self.displaced, 0, bytes_of_mut(displaced))?;
        debug!(iterations = state.iterations, elapsed = ?clock.elapsed(), "springs solved");
        Ok(())
    }

    /// A step along the direction whose forces are those of `from`.
    fn advance(&self, machine: &N, from: Pointer<f64>) -> Result<(), CudaError> {
        let (nodes, is_along) = (self.args.num_nodes as usize, u32::from(from.address() == self.args.along.address()));
        let args = SpringsArgs { from, is_along, ..self.args };
        // SAFETY: as above.
        unsafe {
            machine.run(&SPRINGS_FORCES, self.dim, nodes, &args)?;
            if is_along != 0 {
                machine.run(&SPRINGS_SUM, self.dim, 1, &args)?;
            }
            machine.run(&SPRINGS_ADVANCE, self.dim, nodes, &args)?;
            machine.run(&SPRINGS_SUM, self.dim, 1, &SpringsArgs { is_along: 0, ..args })
        }
    }
}
