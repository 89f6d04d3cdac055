//! Parallel loops on rayon's threads. Loop bodies are passed by pointer, so that rayon's code is compiled once for each type.

use rayon::prelude::*;
use std::ops::Range;

/// Fewest items that are worth a task.
const ITEMS_AT_A_TIME: usize = 4096;

/// Executes `work` for ranges that together are `0 .. count`, each once.
pub(crate) fn in_ranges(count: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    parts(count, count.div_ceil(8 * rayon::current_num_threads()).max(ITEMS_AT_A_TIME)).for_each(work);
}

/// Ranges of `size` items, the last one of fewer, that together are `0 .. count`.
pub(crate) fn parts(count: usize, size: usize) -> impl IndexedParallelIterator<Item = Range<usize>> {
    (0..count.div_ceil(size)).into_par_iter().map(move |k| k * size..count.min((k + 1) * size))
}

/// `value(0)`, `value(1)`, … up to `count`.
pub(crate) fn table<T: Copy + Default + Send>(count: usize, value: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let mut all = vec![T::default(); count];
    all.par_chunks_mut(ITEMS_AT_A_TIME).enumerate().for_each(|(k, part)| {
        part.iter_mut().enumerate().for_each(|(i, item)| *item = value(k * ITEMS_AT_A_TIME + i));
    });
    all
}

/// The same of pairs, each in a list of its own.
pub(crate) fn tables<A: Copy + Default + Send, B: Copy + Default + Send>(
    count: usize,
    value: &(dyn Fn(usize) -> (A, B) + Sync),
) -> (Vec<A>, Vec<B>) {
    let (mut first, mut second) = (vec![A::default(); count], vec![B::default(); count]);
    let parts = first.par_chunks_mut(ITEMS_AT_A_TIME).zip(second.par_chunks_mut(ITEMS_AT_A_TIME));
    parts.enumerate().for_each(|(k, (first, second))| {
        for (i, (a, b)) in first.iter_mut().zip(second).enumerate() {
            (*a, *b) = value(k * ITEMS_AT_A_TIME + i);
        }
    });
    (first, second)
}

/// What `work` makes of ranges that together are `0 .. count`, in their order.
pub(crate) fn pieces<T: Send>(count: usize, work: &(dyn Fn(Range<usize>) -> T + Sync)) -> Vec<T> {
    parts(count, ITEMS_AT_A_TIME).map(work).collect()
}

/// Lists of pieces one after another.
pub(crate) fn joined<P, T: Copy>(pieces: &[P], list: impl Fn(&P) -> &[T]) -> Vec<T> {
    pieces.iter().map(list).collect::<Vec<_>>().concat()
}
