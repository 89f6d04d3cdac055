//! A coarse patch between two times.

use crate::fields::PatchLayout;
use riemann::real::Scalar;

/// A coarse patch at a time between two states: `old + α (new − old)`, which keeps the bits of values that do not change.
#[derive(Clone, Copy)]
pub(super) struct CoarseSource<'a, const D: usize, R> {
    pub layout: &'a PatchLayout<D>,
    pub old: &'a [R],
    pub new: &'a [R],
    pub alpha: R,
}

impl<const D: usize, R: Scalar> CoarseSource<'_, D, R> {
    #[inline(always)]
    pub fn value(&self, offset: usize) -> R {
        let one = R::constant(1.0);
        if self.alpha == one {
            self.new[offset]
        } else {
            self.old[offset] + self.alpha * (self.new[offset] - self.old[offset])
        }
    }
}
