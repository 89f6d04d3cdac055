//! A level's array as several threads see it at once.

use std::marker::PhantomData;

/// An array in which threads write different places, or read places that nobody writes, at the same time.
///
/// The borrow keeps everybody else away; that no two threads meet at the same place is the caller's promise, given by
/// plans that write each place once.
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
    /// `offset .. offset + len` lies in the array and nobody writes there meanwhile.
    #[inline]
    pub unsafe fn row(self, offset: usize, len: usize) -> &'a [R] {
        debug_assert!(offset + len <= self.len);
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(self.start.add(offset), len) }
    }

    /// Writes numbers.
    ///
    /// # Safety
    /// `offset .. offset + len` lies in the array and nobody else touches it meanwhile.
    #[inline]
    pub unsafe fn row_mut(self, offset: usize, len: usize) -> &'a mut [R] {
        debug_assert!(offset + len <= self.len);
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(offset), len) }
    }
}
