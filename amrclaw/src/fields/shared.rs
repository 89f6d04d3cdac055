//! A level's array, shared by several threads.

use std::marker::PhantomData;

/// An array in which several threads at the same time write disjoint places, or read places that no thread writes.
///
/// The borrow excludes all other access; the caller guarantees that no two threads access the same place, by plans that
/// write each place once.
#[derive(Debug)]
pub struct Shared<'a, R> {
    start: *mut R,
    len: usize,
    borrow: PhantomData<&'a mut [R]>,
}

impl<R> Clone for Shared<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<R> Copy for Shared<'_, R> {}

// SAFETY: threads touch disjoint places (see the type's comment), and numbers may move between threads.
unsafe impl<R: Send> Send for Shared<'_, R> {}
// SAFETY: likewise.
unsafe impl<R: Send> Sync for Shared<'_, R> {}

impl<'a, R: Copy> Shared<'a, R> {
    /// Shares an array.
    pub fn new(array: &'a mut [R]) -> Self {
        Shared { start: array.as_mut_ptr(), len: array.len(), borrow: PhantomData }
    }

    /// Address of number `offset`.
    #[inline]
    pub fn at(self, offset: usize) -> *mut R {
        debug_assert!(offset < self.len);
        self.start.wrapping_add(offset)
    }

    /// True if both are the same array.
    pub fn is_same(self, other: Self) -> bool {
        self.start == other.start
    }

    /// Reads numbers.
    ///
    /// # Safety
    /// `offset .. offset + len` lies in the array, and nothing writes there while the slice exists.
    #[inline]
    pub unsafe fn row(self, offset: usize, len: usize) -> &'a [R] {
        debug_assert!(offset + len <= self.len);
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(self.start.add(offset), len) }
    }

    /// Writes numbers.
    ///
    /// # Safety
    /// `offset .. offset + len` lies in the array, and nothing else accesses it while the slice exists.
    #[inline]
    pub unsafe fn row_mut(self, offset: usize, len: usize) -> &'a mut [R] {
        debug_assert!(offset + len <= self.len);
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(offset), len) }
    }
}
