//! Views of an executor's values, without a copy.

use crate::fields::LevelLayout;
use ndarray::{ArrayViewD, IxDyn, ShapeBuilder};
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

/// A patch's values where they lie, without ghost cells: shape `[component, (z,) (y,) x]`.
#[derive(Clone, Debug)]
pub enum PatchArray<'a> {
    /// 64 bits.
    F64(ArrayViewD<'a, f64>),
    /// 32 bits.
    F32(ArrayViewD<'a, f32>),
}

impl<'a> PatchArray<'a> {
    /// Cells along each axis, behind the number of components.
    pub fn shape(&self) -> &[usize] {
        match self {
            PatchArray::F64(view) => view.shape(),
            PatchArray::F32(view) => view.shape(),
        }
    }

    /// The values; `None` if they have 32 bits.
    pub fn f64(self) -> Option<ArrayViewD<'a, f64>> {
        if let PatchArray::F64(view) = self { Some(view) } else { None }
    }

    /// The values; `None` if they have 64 bits.
    pub fn f32(self) -> Option<ArrayViewD<'a, f32>> {
        if let PatchArray::F32(view) = self { Some(view) } else { None }
    }
}

impl<'a, const D: usize> HostValues<'a, D> {
    /// The solution on a patch of the level; `None` if there is no such patch.
    pub fn q_view(&self, patch: usize) -> Option<PatchArray<'a>> {
        self.view(self.q, patch)
    }

    /// The auxiliary values on a patch of the level; `None` if there is no such patch.
    pub fn aux_view(&self, patch: usize) -> Option<PatchArray<'a>> {
        self.view(self.aux, patch)
    }

    fn view(&self, values: HostArray<'a>, patch: usize) -> Option<PatchArray<'a>> {
        match values {
            HostArray::F64(values) => self.part(values, patch).map(PatchArray::F64),
            HostArray::F32(values) => self.part(values, patch).map(PatchArray::F32),
        }
    }

    /// The interior cells of a patch in an array of its level.
    fn part<T>(&self, values: &'a [T], patch: usize) -> Option<ArrayViewD<'a, T>> {
        let place = self.layout.patches.get(patch)?;
        let components = self.layout.num_components(values.len());
        let (size, strides) = (place.cells.size().map(|n| n as usize), place.strides());
        let along = [1, strides.row, strides.slab];
        let shape: Vec<usize> = std::iter::once(components).chain(size.into_iter().rev()).collect();
        let strides: Vec<usize> = std::iter::once(strides.component).chain(along[..D].iter().rev().copied()).collect();
        let values = if components == 0 { &[] } else { &values[place.offset(components, place.cells.lo)..] };
        let view = ArrayViewD::from_shape(IxDyn(&shape).strides(IxDyn(&strides)), values);
        Some(view.expect("patches lie inside the arrays of their level"))
    }
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
