//! Points at which the functions are tested: random ones over their whole ranges, and those around every place where a formula changes.

use super::Function;
use super::breaks::{around_one, around_two, moved, places};
use riemann::elementary::rows::{Binary, Unary};

/// Random numbers, the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// splitmix64: Steele, Lea and Flood 2014, doi:10.1145/2660193.2660195.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// A number of either sign, all orders of magnitude equally likely.
    fn of_any_size(&mut self, smallest: f64, largest: f64) -> f64 {
        let size = 2f64.powf(self.between(smallest.log2(), largest.log2()));
        if self.bits() & 1 == 0 { size } else { -size }
    }

    /// Any finite number, all bit patterns equally likely.
    fn any(&mut self) -> f64 {
        loop {
            let x = f64::from_bits(self.bits());
            if x.is_finite() {
                return x;
            }
        }
    }

    /// A number within 1000 ulps of one of `places`.
    fn near(&mut self, places: &[f64]) -> f64 {
        let place = places[(self.bits() % places.len() as u64) as usize];
        moved(place, (self.bits() % 2001) as i64 - 1000)
    }
}

/// Point number `k` of a function.
pub fn point(function: Function, k: usize, random: &mut Random) -> [f64; 2] {
    let x = match (function, k % 4) {
        (Function::One(one), 0) => {
            let x = random.near(&places(one));
            if random.bits() & 1 == 0 { x } else { -x }
        }
        (Function::One(Unary::Exp | Unary::Sinh | Unary::Cosh), 1) => random.between(-746.0, 711.0),
        (Function::One(Unary::Exp | Unary::Sinh | Unary::Cosh), _) => random.between(-3.0, 3.0),
        (Function::One(Unary::Ln), 1) => random.any().abs(),
        (Function::One(Unary::Ln), 2) => random.between(0.5, 2.0),
        (Function::One(Unary::Ln), _) => random.of_any_size(1e-323, 1.0).abs(),
        (Function::One(Unary::Sin | Unary::Cos | Unary::Tan), 1) => random.any(),
        (Function::One(Unary::Sin | Unary::Cos | Unary::Tan), 2) => random.between(-10.0, 10.0),
        (Function::One(Unary::Sin | Unary::Cos | Unary::Tan), _) => random.of_any_size(1e-9, 1e9),
        (Function::One(Unary::Asin | Unary::Acos), 1) => random.of_any_size(1e-300, 1.0),
        (Function::One(Unary::Asin | Unary::Acos), _) => random.between(-1.0, 1.0),
        (Function::One(Unary::Atan), 1) => random.any(),
        (Function::One(Unary::Atan), _) => random.between(-5.0, 5.0),
        (Function::One(Unary::Asinh | Unary::Cbrt), 1) => random.any(),
        (Function::One(Unary::Asinh | Unary::Cbrt), 2) => random.between(-3.0, 3.0),
        (Function::One(Unary::Asinh), _) => random.of_any_size(1e-12, 1e12),
        (Function::One(Unary::Cbrt), _) => random.of_any_size(0.5, 4.0),
        (Function::One(Unary::Acosh), 1) => random.any().abs(),
        (Function::One(Unary::Acosh), 2) => random.between(1.0, 3.0),
        (Function::One(Unary::Acosh), _) => 1.0 + random.of_any_size(1e-15, 1e10).abs(),
        (Function::One(Unary::Atanh), 1) => random.of_any_size(1e-300, 1.0),
        (Function::One(Unary::Atanh), 2) => random.between(-1.0, 1.0),
        (Function::One(Unary::Atanh), _) => 1.0 - random.of_any_size(1e-16, 1.0).abs(),
        (Function::One(Unary::ExpM1), 1) => random.between(-746.0, 711.0),
        (Function::One(Unary::ExpM1), 2) => random.between(-3.0, 3.0),
        (Function::One(Unary::ExpM1), _) => random.of_any_size(1e-300, 10.0),
        (Function::One(Unary::Ln1p), 1) => random.of_any_size(1e-300, 1.0),
        (Function::One(Unary::Ln1p), 2) => random.between(-1.0, 3.0),
        (Function::One(Unary::Ln1p), _) => random.of_any_size(1e-12, 1e300).abs(),
        (Function::One(Unary::Tanh), 1) => random.of_any_size(1e-300, 30.0),
        (Function::One(Unary::Tanh), _) => random.between(-3.0, 3.0),
        (Function::One(Unary::Floor | Unary::Ceil), 1) => random.any(),
        (Function::One(Unary::Floor | Unary::Ceil), _) => random.between(-9.0, 9.0),
        (Function::Two(two), k) => return pair(two, k, random),
    };
    [x, 0.0]
}

fn pair(function: Binary, k: usize, random: &mut Random) -> [f64; 2] {
    match (function, k) {
        (Binary::Pow, 0) => [random.near(&[1.0, 0.5, 2.0]), random.of_any_size(1.0, 1e16)],
        // Finite powers: log₂ of the result is random.
        (Binary::Pow, 1 | 2) => {
            let x = if k == 1 { random.any().abs() } else { random.between(0.5, 2.0) };
            [x, random.between(-1080.0, 1024.0) / x.log2()]
        }
        (Binary::Pow, _) => [random.between(-30.0, 30.0), (random.bits() % 61) as f64 - 30.0],
        (_, 0) => [random.near(&[1.0, 0.5, 2.0, 4503599627370496.0, 1e-300]), random.between(-3.0, 3.0)],
        (Binary::Remainder, 1) => {
            let x = random.any();
            [x, x * random.of_any_size(1e-30, 1.0)]
        }
        (_, 1) => [random.any(), random.any()],
        (_, 2) => [random.between(-1.0, 1.0), random.of_any_size(1e-12, 1.0)],
        _ => [random.between(-1.0, 1.0), random.between(-1.0, 1.0)],
    }
}

/// Points of a function, in columns: `count` random ones, then those around its breaks.
pub fn points(function: Function, count: usize, seed: u64) -> [Vec<f64>; 2] {
    let mut random = Random::new(seed);
    let mut points: Vec<_> = (0..count).map(|k| point(function, k, &mut random)).collect();
    points.extend(match function {
        Function::One(one) => around_one(one),
        Function::Two(two) => around_two(two),
    });
    [0, 1].map(|c| points.iter().map(|point| point[c]).collect())
}
