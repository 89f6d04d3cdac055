//! Slabs of memory and the pieces that they are cut into; knows addresses only, and does not access memory.
//!
//! Small requests get best-fit pieces of shared slabs. A large one has a slab of its own, uncut: a small piece in it would keep the whole
//! slab from being freed once it is too small for its level.

use std::collections::{BTreeMap, BTreeSet};

/// Alignment and smallest size of a piece.
pub(super) const GRAIN: u64 = 512;
/// Sizes of slabs are multiples of this, the driver's page size.
pub(super) const PAGE: u64 = 2 << 20;
/// A slab has at least this size if there is enough memory.
const COMFORTABLE: u64 = 64 << 20;
/// Requests from this size on are large.
const LARGE: u64 = 256 << 20;
/// A slab that small requests share is at most this large.
const LARGEST_SHARED: u64 = 1 << 30;
/// Unused bytes that a pool may always hold.
const IDLE: u64 = 4 << 30;
/// When the driver is asked for more, unused bytes beyond that may be at most this fraction of those in use.
const IDLE_PART: u64 = 4;

/// How much a pool holds and uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStatistics {
    /// Bytes held from the driver.
    pub held: u64,
    /// Bytes handed out.
    pub used: u64,
    /// The most that was ever handed out at once.
    pub peak: u64,
    /// Number of allocations from the driver.
    pub driver_allocations: u64,
    /// Number of requests to the pool.
    pub requests: u64,
}

impl std::ops::Add for PoolStatistics {
    type Output = PoolStatistics;

    /// The sum of two pools' numbers; they need not have been at their peaks at the same time.
    fn add(self, other: Self) -> Self {
        PoolStatistics {
            held: self.held + other.held,
            used: self.used + other.used,
            peak: self.peak + other.peak,
            driver_allocations: self.driver_allocations + other.driver_allocations,
            requests: self.requests + other.requests,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    size: u64,
    slab: u64,
    free: bool,
}

/// All pieces of all slabs, side by side without gaps within a slab.
#[derive(Debug, Default)]
pub(super) struct Slabs {
    /// By address.
    pieces: BTreeMap<u64, Piece>,
    /// Size and address of the free pieces: of shared slabs, then of slabs for large requests.
    free: [BTreeSet<(u64, u64)>; 2],
    /// By address.
    slabs: BTreeMap<u64, Slab>,
    statistics: PoolStatistics,
}

#[derive(Clone, Copy, Debug)]
struct Slab {
    size: u64,
    /// The slab holds one large request at a time.
    large: bool,
}

fn rounded(bytes: u64) -> u64 {
    bytes.max(1).next_multiple_of(GRAIN)
}

impl Slabs {
    /// The smallest free piece that holds `bytes`: cut to size, or for a large request a slab that is not much larger.
    pub fn take(&mut self, bytes: u64) -> Option<u64> {
        let wanted = rounded(bytes);
        let large = wanted >= LARGE;
        let free = &mut self.free[usize::from(large)];
        let most = if large { wanted + wanted / 2 } else { u64::MAX };
        let &(size, address) = free.range((wanted, 0)..).next().filter(|(size, _)| *size <= most)?;
        free.remove(&(size, address));
        let slab = self.pieces[&address].slab;
        let taken = if large { size } else { wanted };
        self.pieces.insert(address, Piece { size: taken, slab, free: false });
        if size > taken {
            self.pieces.insert(address + taken, Piece { size: size - taken, slab, free: true });
            free.insert((size - taken, address + taken));
        }
        let statistics = &mut self.statistics;
        statistics.requests += 1;
        statistics.used += taken;
        statistics.peak = statistics.peak.max(statistics.used);
        Some(address)
    }

    /// Frees a piece and merges it with its free neighbours.
    pub fn give(&mut self, mut address: u64) {
        let mut piece = self.pieces.remove(&address).filter(|p| !p.free).expect("handed out and not yet given back");
        self.statistics.used -= piece.size;
        let free = &mut self.free[usize::from(self.slabs[&piece.slab].large)];
        let joins = |other: &Piece| other.free && other.slab == piece.slab;
        let before = self.pieces.range(..address).next_back().filter(|(_, p)| joins(p)).map(|(&a, p)| (a, p.size));
        let after = self.pieces.range(address..).next().filter(|(_, p)| joins(p)).map(|(&a, p)| (a, p.size));
        for (neighbour, size) in [before, after].into_iter().flatten() {
            self.pieces.remove(&neighbour);
            free.remove(&(size, neighbour));
            piece.size += size;
            address = address.min(neighbour);
        }
        piece.free = true;
        free.insert((piece.size, address));
        self.pieces.insert(address, piece);
    }

    /// Size of the smallest slab that holds `bytes`.
    pub fn least(&self, bytes: u64) -> u64 {
        rounded(bytes)
    }

    /// Size of a slab to allocate from the driver. `comfortable`: with room for later requests, as a level's next arrays may be a
    /// little larger.
    pub fn slab_size(&self, bytes: u64, comfortable: bool) -> u64 {
        let page = |bytes: u64| bytes.next_multiple_of(PAGE);
        let exact = page(rounded(bytes));
        if !comfortable {
            return exact;
        }
        if rounded(bytes) >= LARGE {
            return page(exact + exact / 8);
        }
        exact.max(COMFORTABLE).max(page((self.statistics.held / 4).min(LARGEST_SHARED)))
    }

    /// True if so many bytes are unused that empty slabs should be freed before new ones are allocated: levels that grow leave pieces
    /// behind that are too small for them.
    pub fn idles(&self) -> bool {
        let PoolStatistics { held, used, .. } = self.statistics;
        held - used > IDLE + used / IDLE_PART
    }

    /// Adds a slab that the driver has allocated for a request of `bytes`.
    pub fn add(&mut self, address: u64, size: u64, bytes: u64) {
        let large = rounded(bytes) >= LARGE;
        self.slabs.insert(address, Slab { size, large });
        self.pieces.insert(address, Piece { size, slab: address, free: true });
        self.free[usize::from(large)].insert((size, address));
        self.statistics.held += size;
        self.statistics.driver_allocations += 1;
    }

    /// Forgets the slabs of which nothing is used, and returns their addresses and sizes.
    pub fn remove_free(&mut self) -> Vec<(u64, u64)> {
        let unused = |(&address, slab): (&u64, &Slab)| {
            self.free[usize::from(slab.large)].contains(&(slab.size, address)).then_some((address, *slab))
        };
        let unused: Vec<(u64, Slab)> = self.slabs.iter().filter_map(unused).collect();
        for &(address, Slab { size, large }) in &unused {
            self.slabs.remove(&address);
            self.pieces.remove(&address);
            self.free[usize::from(large)].remove(&(size, address));
            self.statistics.held -= size;
        }
        unused.into_iter().map(|(address, slab)| (address, slab.size)).collect()
    }

    /// Addresses and sizes of all slabs.
    pub fn all(&self) -> Vec<(u64, u64)> {
        self.slabs.iter().map(|(&address, slab)| (address, slab.size)).collect()
    }

    pub fn statistics(&self) -> PoolStatistics {
        self.statistics
    }
}
