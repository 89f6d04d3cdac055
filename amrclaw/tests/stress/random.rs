//! Random numbers that are the same everywhere: SplitMix64, Steele, Lea & Flood 2014, doi:10.1145/2714064.2660195.

/// A sequence of random numbers.
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        // Successive seeds must give states far apart.
        Random(seed.wrapping_mul(0xd134_2543_de82_ef95))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number from `low` to `high`.
    pub fn whole(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }

    /// A number in [`low`, `high`), with three digits.
    pub fn number(&mut self, low: f64, high: f64) -> f64 {
        let share = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        ((low + share * (high - low)) * 1e3).floor() / 1e3
    }

    /// True with a probability of `share` per cent.
    pub fn percent(&mut self, share: u64) -> bool {
        self.next() % 100 < share
    }

    /// One of several.
    pub fn one_of<T: Copy>(&mut self, several: &[T]) -> T {
        several[self.next() as usize % several.len()]
    }
}
