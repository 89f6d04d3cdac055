//! Random numbers that are the same in every run.

/// Steele, Lea and Flood's SplitMix64 (2014), doi:10.1145/2660193.2660195.
pub struct Random(u64);

impl Random {
    /// A generator that gives the same numbers for the same `seed`.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// A number between `low` and `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let unit = ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
        low + (high - low) * unit
    }

    /// A positive number between `low` and `high`, whose logarithm is uniformly distributed.
    pub fn positive(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }
}
