//! Values by axis as the device has them.

/// One value an axis, as the device has them: `missing` along axes beyond the last.
pub(in crate::exec) fn axes<const D: usize, T: Copy>(values: [T; D], missing: T) -> [T; 3] {
    std::array::from_fn(|d| values.get(d).copied().unwrap_or(missing))
}
