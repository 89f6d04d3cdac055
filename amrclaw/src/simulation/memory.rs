//! Memory: what a mesh needs and the machine has; how the process treats what has been freed.

use super::{Device, Precision, RunError, RunOptions};
use crate::exec::comm::{CommError, Ranks};
use crate::index::CellBox;
use crate::physics::Problem;
use std::collections::BTreeMap;

/// Arrays from this size on go back to the system when they are freed, bytes; smaller ones are kept for the next.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const RETURNED_FROM: i32 = 4 << 20;

/// Lets the process keep freed memory in small pieces for later use; for programs to call once, before threads begin.
///
/// A regrid builds sets and plans of some hundred kilobytes and frees those before. Where the C library gives such pieces
/// back to the system each time, a quarter of a regrid goes into having pages mapped again, on all threads in turn. Does
/// nothing with other C libraries than GNU's.
pub fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: changes two settings of the allocator, which it reads under its own locks.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, RETURNED_FROM);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 64 << 20);
    }
}

/// What the values of a mesh may take of the host's memory. Where a system hands out more than it has, it ends the process
/// without a word once the memory is used: that has to be seen before.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostMemory {
    /// Bytes that there are; `None` where that is unknown, or where the values lie elsewhere.
    limit: Option<f64>,
    /// Bytes of a cell's state.
    state: f64,
    /// Bytes of a cell's auxiliary values.
    aux: f64,
    num_ghost: i32,
}

impl HostMemory {
    pub fn new<const D: usize>(options: &RunOptions, num_eqn: usize, num_aux: usize, problem: &Problem<D>) -> Self {
        let number = match options.precision {
            Precision::F64 => 8.0,
            Precision::F32 => 4.0,
        };
        HostMemory {
            limit: if options.device == Device::Cuda { None } else { machine_bytes() },
            state: num_eqn as f64 * number,
            aux: num_aux as f64 * number,
            num_ghost: problem.num_ghost(),
        }
    }

    /// The same for several ranks together, whose machines' memories add up.
    pub fn of_all(self, ranks: &Ranks) -> Result<Self, CommError> {
        let Some(limit) = self.limit.filter(|_| !ranks.is_solo()) else { return Ok(self) };
        let name = std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
        let told = ranks.gather(&[u64::from(crc32fast::hash(&name)), limit.to_bits()])?;
        let machines: BTreeMap<u64, f64> = told.iter().map(|words| (words[0], f64::from_bits(words[1]))).collect();
        Ok(HostMemory { limit: Some(machines.values().sum()), ..self })
    }

    /// Refuses levels, coarsest first, whose values cannot all be in memory.
    ///
    /// Counts what is needed whatever the executor: each level's state and auxiliary values, and the state before the
    /// step of every level that has finer ones, which interpolate between the two.
    pub fn check<'a, const D: usize>(
        &self,
        levels: impl ExactSizeIterator<Item = &'a [CellBox<D>]>,
    ) -> Result<(), RunError> {
        let Some(limit) = self.limit else { return Ok(()) };
        let num_levels = levels.len();
        let (mut cells, mut needed) = (0.0, 0.0);
        for (l, patches) in levels.enumerate() {
            let states = if l + 1 < num_levels { 2.0 } else { 1.0 };
            for patch in patches {
                // In floating point: the number of cells may be larger than any integer.
                let volume = |cells: CellBox<D>| cells.size().iter().map(|&n| f64::from(n)).product::<f64>();
                cells += volume(*patch);
                needed += volume(patch.grow(self.num_ghost)) * (states * self.state + self.aux);
            }
        }
        if needed <= limit { Ok(()) } else { Err(RunError::Memory { levels: num_levels, cells, needed, limit }) }
    }
}

/// Bytes of memory, swap space included, that this machine has, or that the process may use of them.
fn machine_bytes() -> Option<f64> {
    let text = |path: &str| std::fs::read_to_string(path).ok();
    let info = text("/proc/meminfo")?;
    let kibibytes = |name: &str| -> Option<f64> {
        info.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
    };
    let machine = 1024.0 * (kibibytes("MemTotal:")? + kibibytes("SwapTotal:").unwrap_or(0.0));
    // A container's own limit, where there is one; without a limit the file says "max", or a number beyond all memory.
    let own = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    Some(own.iter().filter_map(|path| text(path)?.trim().parse().ok()).fold(machine, f64::min))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ghost cells count, and the state before the step of the coarser level; one byte less is too little.
    #[test]
    fn levels_that_do_not_fit_are_refused() {
        let coarse = [CellBox::new([0, 0], [10, 6])];
        let fine = [CellBox::new([2, 2], [6, 6]), CellBox::new([6, 2], [8, 4])];
        // 14 × 10 cells of two states, then 8 × 8 and 6 × 6 of one; each with one auxiliary value beside three equations.
        let needed = 8.0 * (140.0 * 7.0 + 100.0 * 4.0);
        let memory = HostMemory { limit: Some(needed), state: 24.0, aux: 8.0, num_ghost: 2 };
        let levels: [&[CellBox<2>]; 2] = [&coarse, &fine];
        assert!(memory.check(levels.into_iter()).is_ok());
        let less = HostMemory { limit: Some(needed - 1.0), ..memory };
        let message = less.check(levels.into_iter()).unwrap_err().to_string();
        assert!(message.contains("80 cells on 2 levels"), "{message}");
        assert!(HostMemory { limit: None, ..less }.check(levels.into_iter()).is_ok());
    }

    /// What the system says is a number of bytes that a machine may have.
    #[test]
    #[cfg(target_os = "linux")]
    fn the_machine_has_memory() {
        let bytes = machine_bytes().unwrap();
        assert!((1e7..1e16).contains(&bytes), "{bytes}");
    }
}
