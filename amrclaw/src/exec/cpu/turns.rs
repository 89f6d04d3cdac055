//! Work that threads take piece by piece.

use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does the pieces `0 .. count` on all threads of the pool and combines what they answer, in any order.
///
/// Pieces begin in their order, each as soon as a thread is free: with the largest first, threads end together but for the
/// time of a smallest one. Nothing is allocated.
pub(super) fn in_turns<T: Copy + Send + Sync>(
    count: usize,
    piece: impl Fn(usize) -> T + Sync,
    none: T,
    combine: impl Fn(T, T) -> T + Sync,
) -> T {
    let next = AtomicUsize::new(0);
    let work = |_| {
        let mut sum = none;
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= count {
                return sum;
            }
            sum = combine(sum, piece(n));
        }
    };
    let threads = rayon::current_num_threads().min(count);
    (0..threads).into_par_iter().with_max_len(1).map(work).reduce(|| none, &combine)
}

/// Does the pieces `0 .. count`, which answer nothing, on all threads of the pool: see [`in_turns`].
pub(super) fn each_in_turn(count: usize, piece: impl Fn(usize) + Sync) {
    in_turns(count, piece, (), |(), ()| ());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every piece is done once, with more pieces than threads, with fewer, and with none.
    #[test]
    fn every_piece_is_done_once() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool of threads");
        for count in [0, 1, 2, 3, 100] {
            let done: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            let sum = pool.install(|| {
                let piece = |n: usize| {
                    done[n].fetch_add(1, Ordering::Relaxed);
                    n
                };
                in_turns(count, piece, 0, |a, b| a + b)
            });
            assert_eq!(sum, (0..count).sum::<usize>());
            assert!(done.iter().all(|n| n.load(Ordering::Relaxed) == 1), "of {count} pieces");
        }
    }
}
