//! Numbers in double precision taken apart into their bits.

use crate::real::Real;

/// 2/π in pieces of 24 bits, the first worth 2⁻²⁴ each.
#[rustfmt::skip]
pub(super) const TWO_OVER_PI: [f64; 50] = [
    10680707.0, 7228996.0, 1387004.0, 2578385.0, 16069853.0, 12639074.0, 9804092.0, 4427841.0, 16666979.0, 11263675.0,
    12935607.0, 2387514.0, 4345298.0, 14681673.0, 3074569.0, 13734428.0, 16653803.0, 1880361.0, 10960616.0, 8533493.0,
    3062596.0, 8710556.0, 7349940.0, 6258241.0, 3772886.0, 3769171.0, 3798172.0, 8675211.0, 12450088.0, 3874808.0,
    9961438.0, 366607.0, 15675153.0, 9132554.0, 7151469.0, 3571407.0, 2607881.0, 12013382.0, 4155038.0, 6285869.0,
    7677882.0, 13102053.0, 15825725.0, 473591.0, 9065106.0, 15363067.0, 6271263.0, 9264392.0, 5636912.0, 4652155.0,
];

/// 1.5 · 2⁵²: numbers up to 2⁵¹ added to it are rounded to whole ones, which are the last bits of the sum.
const ROUNDER: f64 = 6755399441055744.0;
/// 2⁵² and its exponent's bits.
const ALL_WHOLE: f64 = 4503599627370496.0;
/// Bias of the exponent.
const BIAS: f64 = 1023.0;

/// Numbers in double precision with access to their bits. `bits.cuh` is the same for devices.
pub trait Double: Real<Scalar = f64> {
    /// The bits that both have.
    fn and(self, other: Self) -> Self;
    /// The bits that either has.
    fn or(self, other: Self) -> Self;
    /// The bits moved up by `count`, zeros behind them.
    fn shift_left(self, count: u32) -> Self;
    /// The bits moved down by `count`, zeros before them.
    fn shift_right(self, count: u32) -> Self;

    /// These bits in every lane.
    #[inline(always)]
    fn of_bits(bits: u64) -> Self {
        Self::splat(f64::from_bits(bits))
    }
    /// The number without its last 27 bits: products of two such are exact.
    #[inline(always)]
    fn head(self) -> Self {
        self.and(Self::of_bits(!0x7ff_ffff))
    }
    /// 2^k for whole k in −1022 … 1023.
    #[inline(always)]
    fn power_of_two(self) -> Self {
        (self + Self::constant(ROUNDER + BIAS)).shift_left(52)
    }
    /// The whole e with |x| in 2^e … 2^(e+1), for normal numbers; 1024 for infinities and NaN, −1023 below normal numbers.
    #[inline(always)]
    fn exponent(self) -> Self {
        self.shift_left(1).shift_right(53).or(Self::constant(ALL_WHOLE)) - Self::constant(ALL_WHOLE + BIAS)
    }
    /// |x| / 2^e, in 1 … 2, for normal numbers.
    #[inline(always)]
    fn significand(self) -> Self {
        self.and(Self::of_bits(0xf_ffff_ffff_ffff)).or(Self::constant(1.0))
    }
    /// |x| with the sign of another number.
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        self.abs().or(sign.and(Self::of_bits(1 << 63)))
    }
    /// Number `self`, a whole one in 0 … 49, of the pieces of 2/π that have 24 bits each.
    #[inline(always)]
    fn two_over_pi(self) -> Self {
        self.lane_by_lane(self, |index, _| TWO_OVER_PI.get(index as usize).copied().unwrap_or(f64::NAN))
    }
    /// `f` of the lanes of two numbers.
    #[inline(always)]
    fn lane_by_lane(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let (mut a, mut b) = ([0.0; 16], [0.0; 16]);
        const { assert!(Self::LANES <= 16) };
        // SAFETY: the arrays have room for every lane.
        unsafe {
            self.store(a.as_mut_ptr());
            other.store(b.as_mut_ptr());
            for lane in 0..Self::LANES {
                a[lane] = f(a[lane], b[lane]);
            }
            Self::load(a.as_ptr())
        }
    }
}

impl Double for f64 {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        f64::from_bits(self.to_bits() & other.to_bits())
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        f64::from_bits(self.to_bits() | other.to_bits())
    }
    #[inline(always)]
    fn shift_left(self, count: u32) -> Self {
        f64::from_bits(self.to_bits() << count)
    }
    #[inline(always)]
    fn shift_right(self, count: u32) -> Self {
        f64::from_bits(self.to_bits() >> count)
    }
}
