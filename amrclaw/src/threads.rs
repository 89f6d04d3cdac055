//! Parallel loops on the threads of a pool.
//!
//! The pool calls the work through a pointer, once per thread: rayon's generic code is compiled once, and not for every loop, every number
//! of dimensions and every type of values.

use parking_lot::Mutex;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Executes the pieces `0 .. count` on all threads of the pool and combines their results, in any order.
///
/// Pieces begin in order, each as soon as a thread is free: with the largest first, threads finish within the time of one of
/// the smallest pieces. Nothing is allocated.
pub(crate) fn parallel_reduce<T: Copy + Send + Sync>(
    count: usize,
    piece: impl Fn(usize) -> T + Sync,
    none: T,
    combine: impl Fn(T, T) -> T + Sync,
) -> T {
    let (next, all) = (AtomicUsize::new(0), Mutex::new(none));
    on_threads(count, &|| {
        let pieces = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed)).take_while(|&n| n < count);
        let sum = pieces.fold(none, |sum, n| combine(sum, piece(n)));
        let mut all = all.lock();
        *all = combine(*all, sum);
    });
    all.into_inner()
}

/// As [`parallel_reduce`], for pieces without results.
pub(crate) fn parallel_for(count: usize, piece: impl Fn(usize) + Sync) {
    in_pieces(count, &piece);
}

/// As [`parallel_reduce`], but returns all results, in the order of the pieces.
pub(crate) fn parallel_map<T: Send>(count: usize, piece: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let places: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    parallel_for(count, |n| *places[n].lock() = Some(piece(n)));
    places.into_iter().map(|place| place.into_inner().expect("each piece is done")).collect()
}

/// As [`parallel_map`], for many small pieces, of which threads take runs.
pub(crate) fn parallel_table<T: Send + Clone>(count: usize, piece: impl Fn(usize) -> T + Sync) -> Vec<T> {
    parallel_chunks(count, |run| run.map(&piece).collect::<Vec<T>>()).concat()
}

/// Executes `one`, and `other` at the same time if a thread is free. Returns both results.
pub(crate) fn join<A: Send, B: Send>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut one, mut other) = (Some(one), Some(other));
    let (mut first, mut second) = (None, None);
    both(&mut || first = one.take().map(|one| one()), &mut || second = other.take().map(|other| other()));
    first.zip(second).expect("both are done")
}

/// Executes `work` on the threads of a pool.
pub(crate) fn in_pool<T: Send>(pool: &rayon::ThreadPool, work: impl FnOnce() -> T + Send) -> T {
    let (mut work, mut answer) = (Some(work), None);
    install(pool, &mut || answer = work.take().map(|work| work()));
    answer.expect("it is done")
}

/// Executes `work` on a new pool of threads, one per processor; on the current thread alone if the system cannot create threads.
pub(crate) fn on_own_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let alone = |_| rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    match rayon::ThreadPoolBuilder::new().build().or_else(alone) {
        Ok(pool) => in_pool(&pool, work),
        // The current thread already belongs to a pool.
        Err(_) => work(),
    }
}

/// Fewest patches, or small pieces, per part.
const PATCHES_AT_A_TIME: usize = 48;

/// Builds a result for each of several runs of consecutive patches on all threads. The results are in the order of patches,
/// whatever the number of threads.
pub(crate) fn parallel_chunks<T: Send>(num_patches: usize, build: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let size = num_patches.div_ceil(4 * rayon::current_num_threads()).max(PATCHES_AT_A_TIME);
    if num_patches <= size {
        return vec![build(0..num_patches)];
    }
    parallel_map(num_patches.div_ceil(size), |k| build(k * size..num_patches.min((k + 1) * size)))
}

/// Executes the pieces `0 .. count`.
fn in_pieces(count: usize, piece: &(dyn Fn(usize) + Sync)) {
    parallel_reduce(count, piece, (), |(), ()| ());
}

/// Executes `work` once on each of `count` threads, or on all if there are fewer.
fn on_threads(count: usize, work: &(dyn Fn() + Sync)) {
    let threads = rayon::current_num_threads().min(count);
    if threads == 1 {
        return work();
    }
    (0..threads).into_par_iter().with_max_len(1).for_each(|_| work());
}

fn both(one: &mut (dyn FnMut() + Send), other: &mut (dyn FnMut() + Send)) {
    rayon::join(one, other);
}

fn install(pool: &rayon::ThreadPool, work: &mut (dyn FnMut() + Send)) {
    pool.install(work);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool() -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool of threads")
    }

    /// Every piece is done once, with more pieces than threads, with fewer, and with none.
    #[test]
    fn every_piece_is_done_once() {
        for count in [0, 1, 2, 3, 100] {
            let done: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            let piece = |n: usize| {
                done[n].fetch_add(1, Ordering::Relaxed);
                n
            };
            let (sum, answers) =
                in_pool(&pool(), || (parallel_reduce(count, piece, 0, |a, b| a + b), parallel_map(count, piece)));
            assert_eq!((sum, answers), ((0..count).sum(), (0..count).collect()));
            assert!(done.iter().all(|n| n.load(Ordering::Relaxed) == 2), "of {count} pieces");
        }
    }

    /// Both sides of a join are executed, and their results are not exchanged.
    #[test]
    fn both_are_done() {
        assert_eq!(in_pool(&pool(), || join(|| 1, || join(|| "two", || 3.0))), (1, ("two", 3.0)));
    }

    /// Parts are in order and leave nothing out.
    #[test]
    fn parts_cover_all() {
        for count in [0, 1, 47, 48, 49, 1000] {
            let built: Vec<usize> =
                in_pool(&pool(), || parallel_chunks(count, |range| range.collect::<Vec<_>>())).concat();
            assert_eq!(built, (0..count).collect::<Vec<_>>());
        }
    }
}
