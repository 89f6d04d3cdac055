//! Work that the threads of a pool share.
//!
//! What the pool itself runs is called through a pointer, once a thread: rayon's machinery is compiled once, and not once for every loop, every
//! number of dimensions and every type of values.

use parking_lot::Mutex;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does the pieces `0 .. count` on all threads of the pool and combines what they answer, in any order.
///
/// Pieces begin in their order, each as soon as a thread is free: with the largest first, threads end together but for the
/// time of a smallest one. Nothing is allocated.
pub(crate) fn in_turns<T: Copy + Send + Sync>(
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

/// Does the pieces `0 .. count`, which answer nothing, on all threads of the pool: see [`in_turns`].
pub(crate) fn each_in_turn(count: usize, piece: impl Fn(usize) + Sync) {
    in_turns(count, piece, (), |(), ()| ());
}

/// As [`in_turns`]; what the pieces answer comes in their order.
pub(crate) fn map_in_turn<T: Send>(count: usize, piece: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let places: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    each_in_turn(count, |n| *places[n].lock() = Some(piece(n)));
    places.into_iter().map(|place| place.into_inner().expect("each piece is done")).collect()
}

/// Does one thing while another thread, if one is free, does the other.
pub(crate) fn join<A: Send, B: Send>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut one, mut other) = (Some(one), Some(other));
    let (mut first, mut second) = (None, None);
    both(&mut || first = one.take().map(|one| one()), &mut || second = other.take().map(|other| other()));
    first.zip(second).expect("both are done")
}

/// Does something on the threads of a pool.
pub(crate) fn in_pool<T: Send>(pool: &rayon::ThreadPool, work: impl FnOnce() -> T + Send) -> T {
    let (mut work, mut answer) = (Some(work), None);
    install(pool, &mut || answer = work.take().map(|work| work()));
    answer.expect("it is done")
}

/// Does something on threads of its own, as many as there are processors; on this one alone where the system has no more to give.
pub(crate) fn on_own_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let alone = |_| rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    match rayon::ThreadPoolBuilder::new().build().or_else(alone) {
        Ok(pool) => in_pool(&pool, work),
        // This thread has become a pool before.
        Err(_) => work(),
    }
}

/// Patches that a thread takes at least.
const PATCHES_AT_A_TIME: usize = 48;

/// Builds parts of something for runs of patches on all threads; the parts come in the order of patches, whatever the
/// number of threads.
pub(crate) fn in_parts<T: Send>(num_patches: usize, build: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let size = num_patches.div_ceil(4 * rayon::current_num_threads()).max(PATCHES_AT_A_TIME);
    if num_patches <= size {
        return vec![build(0..num_patches)];
    }
    map_in_turn(num_patches.div_ceil(size), |k| build(k * size..num_patches.min((k + 1) * size)))
}

/// Does something on so many threads, as far as there are.
fn on_threads(count: usize, work: &(dyn Fn() + Sync)) {
    let threads = rayon::current_num_threads().min(count);
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
                in_pool(&pool(), || (in_turns(count, piece, 0, |a, b| a + b), map_in_turn(count, piece)));
            assert_eq!((sum, answers), ((0..count).sum(), (0..count).collect()));
            assert!(done.iter().all(|n| n.load(Ordering::Relaxed) == 2), "of {count} pieces");
        }
    }

    /// Both sides of a join are done, and their answers are not mixed up.
    #[test]
    fn both_are_done() {
        assert_eq!(in_pool(&pool(), || join(|| 1, || join(|| "two", || 3.0))), (1, ("two", 3.0)));
    }

    /// Parts are in order and leave nothing out.
    #[test]
    fn parts_cover_all() {
        for count in [0, 1, 47, 48, 49, 1000] {
            let built: Vec<usize> = in_pool(&pool(), || in_parts(count, |range| range.collect::<Vec<_>>())).concat();
            assert_eq!(built, (0..count).collect::<Vec<_>>());
        }
    }
}
