//! Values where an executor has them, to look at without a copy.

use crate::fields::LevelLayout;
use std::any::Any;

/// Numbers of either precision.
#[derive(Clone, Copy, Debug)]
pub enum HostArray<'a> {
    /// 64 bits.
    F64(&'a [f64]),
    /// 32 bits.
    F32(&'a [f32]),
}

impl<'a> HostArray<'a> {
    /// The numbers of `array`; `None` if they are neither `f64` nor `f32`.
    #[allow(clippy::ptr_arg, reason = "only a sized type can be asked what it is")]
    pub(crate) fn new<R: 'static>(array: &'a Vec<R>) -> Option<Self> {
        let array: &dyn Any = array;
        let double = array.downcast_ref::<Vec<f64>>().map(|a| HostArray::F64(a));
        double.or_else(|| array.downcast_ref::<Vec<f32>>().map(|a| HostArray::F32(a)))
    }
}

/// The values of a level's patches, ghost cells included.
#[derive(Clone, Copy, Debug)]
pub struct HostValues<'a, const D: usize> {
    /// Where each patch lies in the arrays.
    pub layout: &'a LevelLayout<D>,
    /// The solution.
    pub q: HostArray<'a>,
    /// Auxiliary values; empty if there are none.
    pub aux: HostArray<'a>,
}

/// Memory of a level's values that an executor has given away.
pub struct HostMemory {
    _arrays: Box<dyn Any + Send>,
}

impl HostMemory {
    /// Keeps `arrays`.
    pub(crate) fn new(arrays: impl Any + Send) -> Self {
        HostMemory { _arrays: Box::new(arrays) }
    }
}
