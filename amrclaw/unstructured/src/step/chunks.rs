//! Loops over faces and cells on rayon's threads.

use crate::threads::parts;
use rayon::prelude::*;
use std::marker::PhantomData;
use std::ops::Range;

/// Faces or cells that a thread takes at a time: whole packs, so that no two threads touch the numbers of one.
pub(super) const CHUNK: usize = 1024;

/// Executes `work` for parts of `0 .. count`.
pub(super) fn for_chunks(count: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    parts(count, CHUNK).for_each(work);
}

/// An array in which threads touch disjoint places.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    start: *mut f64,
    len: usize,
    borrow: PhantomData<&'a mut [f64]>,
}

// SAFETY: whoever reads or writes promises that no two threads touch the same place.
unsafe impl Send for Shared<'_> {}
// SAFETY: likewise.
unsafe impl Sync for Shared<'_> {}

impl<'a> Shared<'a> {
    pub fn new(values: &'a mut [f64]) -> Self {
        Shared { start: values.as_mut_ptr(), len: values.len(), borrow: PhantomData }
    }

    #[inline(always)]
    pub fn start(self) -> *mut f64 {
        self.start
    }

    /// The address of a number.
    #[inline(always)]
    pub fn at(self, place: usize) -> *mut f64 {
        debug_assert!(place < self.len);
        self.start.wrapping_add(place)
    }

    /// # Safety
    /// Nobody writes the place meanwhile.
    #[inline(always)]
    pub unsafe fn get(self, place: usize) -> f64 {
        // SAFETY: the caller's promise.
        unsafe { *self.at(place) }
    }

    /// # Safety
    /// Nobody else touches the place meanwhile.
    #[inline(always)]
    pub unsafe fn set(self, place: usize, value: f64) {
        // SAFETY: the caller's promise.
        unsafe { *self.at(place) = value };
    }
}
