//! Values of a patch in 16 bits each, for pages that hold their data.

/// The code of the largest value; the codes above it stand for what is not finite.
const LAST: u16 = 65_532;
const NEGATIVE_INFINITY: u16 = 65_533;
const INFINITY: u16 = 65_534;
const NAN: u16 = 65_535;
/// Positive values that span more than this factor are coded by their logarithms.
const WIDE: f64 = 1000.0;

/// Codes of a patch's values.
pub struct Coded {
    /// The values of the first and the last code.
    pub ends: [f64; 2],
    /// Whether equal steps of the code are equal factors, not differences.
    pub log: bool,
    /// No value differs by more from what its code says in 32 bits.
    pub error: f64,
    /// The codes, for each the difference from the one before it in its row, from the row before at a row's start: small ones, of either
    /// sign, as small numbers; first all low bytes, then all high ones. So they deflate well.
    pub bytes: Vec<u8>,
}

/// Codes values in rows of `columns`; positive ones that span many orders by their logarithms if they `may_be_logs`.
pub fn code(values: &[f64], columns: usize, may_be_logs: bool) -> Coded {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let ends = if low <= high { [low, high] } else { [0.0, 0.0] };
    let log = may_be_logs && ends[0] > 0.0 && ends[1] > WIDE * ends[0];
    let steps = f64::from(LAST);
    let part = |value: f64| match () {
        () if ends[0] == ends[1] => 0.0,
        () if log => (value.ln() - ends[0].ln()) / (ends[1].ln() - ends[0].ln()),
        // Halves, so that the difference of two huge values is finite.
        () => (0.5 * value - 0.5 * ends[0]) / (0.5 * ends[1] - 0.5 * ends[0]),
    };
    let between = |[first, last]: [f64; 2], part: f64| (1.0 - part) * first + part * last;
    let value_of = |part: f64| if log { between(ends.map(f64::ln), part).exp() } else { between(ends, part) };
    let mut error: f64 = 0.0;
    let mut codes = Vec::with_capacity(values.len());
    for &value in values {
        codes.push(match value {
            value if value.is_nan() => NAN,
            f64::INFINITY => INFINITY,
            f64::NEG_INFINITY => NEGATIVE_INFINITY,
            value => {
                let code = (part(value) * steps).round().clamp(0.0, steps);
                let told = value_of(code / steps);
                error = error.max((told - value).abs() + 0.5 * f64::from(f32::EPSILON) * told.abs());
                code as u16
            }
        });
    }
    let difference = |k: usize| {
        let at_start = k.is_multiple_of(columns);
        let before = if at_start { k.checked_sub(columns).map_or(0, |k| codes[k]) } else { codes[k - 1] };
        let signed = codes[k].wrapping_sub(before) as i16;
        ((signed << 1) ^ (signed >> 15)) as u16
    };
    let bytes_of = |shift: u32| (0..codes.len()).map(move |k| (difference(k) >> shift) as u8);
    Coded { ends, log, error, bytes: bytes_of(0).chain(bytes_of(8)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values that the codes say, as the page computes them.
    fn decode(coded: &Coded, columns: usize) -> Vec<f32> {
        let count = coded.bytes.len() / 2;
        let mut codes: Vec<u16> = Vec::new();
        for k in 0..count {
            let small = u16::from(coded.bytes[k]) | u16::from(coded.bytes[count + k]) << 8;
            let difference = (small >> 1) ^ (small & 1).wrapping_neg();
            let at_start = k.is_multiple_of(columns);
            let before = if at_start { k.checked_sub(columns).map_or(0, |k| codes[k]) } else { codes[k - 1] };
            codes.push(before.wrapping_add(difference));
        }
        let [first, last] = coded.ends;
        let value = |code: u16| match code {
            NAN => f64::NAN,
            INFINITY => f64::INFINITY,
            NEGATIVE_INFINITY => f64::NEG_INFINITY,
            code => {
                let part = f64::from(code) / f64::from(LAST);
                let between = |first: f64, last: f64| (1.0 - part) * first + part * last;
                if coded.log { between(first.ln(), last.ln()).exp() } else { between(first, last) }
            }
        };
        codes.into_iter().map(|code| value(code) as f32).collect()
    }

    /// No value is further from its code's than the error that is told, and that is half a step of the code besides rounding to 32 bits: of
    /// the range, or of each value where positive values span many orders. What is not finite stays.
    #[test]
    fn values_come_back_within_the_error() {
        let wave = |k: usize| (0.3 * k as f64).sin();
        let table: [(Vec<f64>, bool); 5] = [
            ((0..35).map(wave).collect(), false),
            ((0..35).map(|k| 10f64.powf(6.0 * wave(k))).collect(), true),
            (vec![1e-3; 14], false),
            ((0..14).map(|k| f64::MAX * wave(k)).collect(), false),
            (vec![f64::NAN, 1.0, f64::INFINITY, -2.0, f64::NEG_INFINITY, 0.0, 0.5], false),
        ];
        for (values, log) in table {
            let coded = code(&values, 7, true);
            assert_eq!(coded.log, log, "{values:?}");
            let range = coded.ends[1] * 0.5 - coded.ends[0] * 0.5;
            let largest = values.iter().filter(|v| v.is_finite()).fold(0.0, |a: f64, v| a.max(v.abs()));
            let step = if log { largest * (coded.ends[1] / coded.ends[0]).ln() } else { 2.0 * range };
            assert!(coded.error <= 0.51 * step / f64::from(LAST) + 1e-7 * largest, "{} of {step}", coded.error);
            for (told, value) in decode(&coded, 7).into_iter().zip(&values) {
                let overflows = coded.ends[1] > f64::from(f32::MAX);
                let differ = (f64::from(told) - value).abs();
                assert!(
                    differ <= coded.error || told.to_bits() == (*value as f32).to_bits() || overflows || value.is_nan(),
                    "{told} for {value}, within {}",
                    coded.error
                );
                assert_eq!(told.is_nan(), value.is_nan());
            }
        }
    }
}
