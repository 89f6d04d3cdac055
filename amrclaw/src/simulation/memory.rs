//! Memory: what a mesh needs, what the machine has, and how the process treats freed memory.

use super::{Device, Precision, RunError, RunOptions};
use crate::index::CellBox;
use crate::physics::Problem;
use crate::ranks::{CommError, Ranks};
use std::collections::BTreeMap;

/// Allocations of at least this size, in bytes, are returned to the system when they are freed; smaller ones are kept for reuse.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const RETURNED_FROM: i32 = 4 << 20;

/// Lets the process keep freed allocations of moderate size for reuse. Programs call it once, before they start threads.
///
/// A regrid builds sets and plans of some hundred kilobytes and frees the previous ones. If the C library returns these to the
/// system each time, a quarter of a regrid's time goes into mapping pages again, which serializes all threads. Does nothing with
/// C libraries other than GNU's.
pub fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: changes two settings of the allocator, which it reads under its own locks.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, RETURNED_FROM);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 64 << 20);
    }
}

/// The host memory that a mesh's values may take. A system that overcommits memory kills the process without a message once the
/// memory is used, so that the need must be checked in advance.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostMemory {
    /// Bytes available; `None` if that is unknown, or if the values are not in host memory.
    limit: Option<f64>,
    /// Bytes of a cell's state.
    state: f64,
    /// Bytes of a cell's auxiliary values.
    aux: f64,
    /// Bytes of a cell's tables, on a mesh from a file.
    tables: f64,
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
            tables: problem.on_mesh.as_ref().map_or(0.0, |on_mesh| {
                let mesh = on_mesh.sides.mesh();
                (mesh.bytes() + on_mesh.scheme.bytes(&mesh, num_eqn)) as f64 / mesh.num_cells() as f64
            }),
            num_ghost: problem.num_ghost(),
        }
    }

    /// The limit of several ranks together, whose machines' memories add up. All ranks call it; there is no limit where one machine's is unknown.
    pub fn of_all(self, ranks: &Ranks) -> Result<Self, CommError> {
        if ranks.is_solo() {
            return Ok(self);
        }
        let limit = self.limit.unwrap_or(f64::INFINITY);
        let name = std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
        let told = ranks.gather(&[u64::from(crc32fast::hash(&name)), limit.to_bits()])?;
        let machines: BTreeMap<u64, f64> = told.iter().map(|words| (words[0], f64::from_bits(words[1]))).collect();
        let sum: f64 = machines.values().sum();
        Ok(HostMemory { limit: Some(sum).filter(|sum| sum.is_finite()), ..self })
    }

    /// Refuses levels, coarsest first, whose values do not fit in memory.
    ///
    /// Counts what is needed whatever the executor: each level's state and auxiliary values, the state before the
    /// step of every level that has finer ones, which interpolate between the two, and the tables of a mesh from a file.
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
                needed += volume(patch.grow(self.num_ghost)) * (states * self.state + self.aux + self.tables);
            }
        }
        if needed <= limit { Ok(()) } else { Err(RunError::Memory { levels: num_levels, cells, needed, limit }) }
    }
}

/// Bytes of memory of this machine, swap space included, or the smaller limit of the process or its container.
pub(super) fn machine_bytes() -> Option<f64> {
    let text = |path: &str| std::fs::read_to_string(path).ok();
    let info = text("/proc/meminfo")?;
    let kibibytes = |name: &str| -> Option<f64> {
        info.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
    };
    let machine = 1024.0 * (kibibytes("MemTotal:")? + kibibytes("SwapTotal:").unwrap_or(0.0));
    // A container's own limit, where there is one; without a limit the file says "max", or a number beyond all memory.
    let own = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let own = own.iter().filter_map(|path| text(path)?.trim().parse().ok());
    Some(own.chain(address_space_limit()).fold(machine, f64::min))
}

/// The limit of the process's address space, as `ulimit -v` sets it.
fn address_space_limit() -> Option<f64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: it is a place for the answer.
    let outcome = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    (outcome == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::{DEFAULT_TIMEOUT, Threads};
    use std::sync::Arc;

    /// Ghost cells count, and the state before the step of the coarser level; one byte less is too little.
    #[test]
    fn levels_that_do_not_fit_are_refused() {
        let coarse = [CellBox::new([0, 0], [10, 6])];
        let fine = [CellBox::new([2, 2], [6, 6]), CellBox::new([6, 2], [8, 4])];
        // 14 × 10 cells of two states, then 8 × 8 and 6 × 6 of one; each with one auxiliary value beside three equations.
        let needed = 8.0 * (140.0 * 7.0 + 100.0 * 4.0);
        let memory = HostMemory { limit: Some(needed), state: 24.0, aux: 8.0, tables: 0.0, num_ghost: 2 };
        let levels: [&[CellBox<2>]; 2] = [&coarse, &fine];
        assert!(memory.check(levels.into_iter()).is_ok());
        let less = HostMemory { limit: Some(needed - 1.0), ..memory };
        let message = less.check(levels.into_iter()).unwrap_err().to_string();
        assert!(message.contains("80 cells on 2 levels"), "{message}");
        assert!(HostMemory { limit: None, ..less }.check(levels.into_iter()).is_ok());
    }

    /// Ranks of one machine share its memory. One that does not know its memory takes part all the same, and leaves all without a limit.
    #[test]
    fn ranks_share_a_limit() {
        let on_ranks = |own: fn(usize) -> Option<f64>| {
            let limit_of = |ranks: Ranks| {
                let memory =
                    HostMemory { limit: own(ranks.rank().number), state: 24.0, aux: 8.0, tables: 0.0, num_ghost: 2 };
                memory.of_all(&ranks).map(|memory| memory.limit)
            };
            let of_other = |ranks| drop(limit_of(ranks));
            Threads::run(2, DEFAULT_TIMEOUT, &Arc::default(), limit_of, of_other).expect("threads")
        };
        assert_eq!(on_ranks(|_| Some(3e9)), Ok(Some(3e9)));
        assert_eq!(on_ranks(|number| Some(3e9).filter(|_| number == 0)), Ok(None));
    }

    /// What the system says is a number of bytes that a machine may have.
    #[test]
    #[cfg(target_os = "linux")]
    fn the_machine_has_memory() {
        let bytes = machine_bytes().unwrap();
        assert!((1e7..1e16).contains(&bytes), "{bytes}");
    }
}
