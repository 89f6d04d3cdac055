//! Numbers as bytes.

/// A slice of plain numbers as bytes.
pub(in crate::exec) fn bytes_of<T: Copy>(values: &[T]) -> &[u8] {
    // SAFETY: the callers' types are plain numbers and structs without padding that matters; any byte may be read.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// A slice of plain numbers as bytes that can be written.
pub(in crate::exec) fn bytes_of_mut<T: Copy>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: the callers' types are plain numbers and structs without padding that matters; every bit pattern is a value of the callers' types.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}
