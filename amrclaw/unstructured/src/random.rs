//! Numbers as if by chance, always the same.

/// A number of 64 bits that depends on `n` as if by chance (splitmix64).
pub(crate) fn random(n: u64) -> u64 {
    let n = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ n >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ n >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ n >> 31
}

/// A number in [0, 1) that depends on `n` as if by chance.
pub(crate) fn unit_random(n: u64) -> f64 {
    (random(n) >> 11) as f64 / (1_u64 << 53) as f64
}
