//! Sources of values in a dimension that only the caller knows.

use crate::frames::frame::{FramePatch, PatchSource};
use std::any::Any;
use std::borrow::Cow;
use std::io;

/// Presents a source of dimension `D` as one of dimension `E`: here they are equal, which the compiler cannot know.
pub struct Same<'a, const D: usize>(pub &'a dyn PatchSource<D>);

impl<const D: usize, const E: usize> PatchSource<E> for Same<'_, D> {
    fn patch(&self, level: usize, number: usize) -> io::Result<Cow<'_, FramePatch<E>>> {
        let same = "equal dimensions";
        Ok(match self.0.patch(level, number)? {
            Cow::Borrowed(patch) => Cow::Borrowed((patch as &dyn Any).downcast_ref().expect(same)),
            Cow::Owned(patch) => {
                let patch: Box<dyn Any> = Box::new(patch);
                Cow::Owned(*patch.downcast().expect(same))
            }
        })
    }
}
