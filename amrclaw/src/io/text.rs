//! Numbers as text, the way Fortran and C++ programs write and read them.

/// Appends a number in 26 columns with 17 significant digits, which give the same `f64` when read back.
///
/// The column of the sign holds `-` or a leading zero, never a blank: VisIt's Clawpack reader takes the column where the
/// first number of a patch begins for all others, and would otherwise drop minus signs.
pub fn push_fixed(text: &mut String, value: f64) {
    use std::fmt::Write;
    let start = text.len();
    if value.is_finite() {
        let digits = format!("{:.16e}", value.abs());
        let (mantissa, exponent) = digits.split_once('e').unwrap_or((&digits, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let sign = if value.is_sign_negative() { '-' } else { '0' };
        let _ = write!(text, "   {sign}{mantissa}e{exponent:+03}");
    } else {
        let _ = write!(text, "{value:>26}");
    }
    debug_assert!(text.len() - start >= 26);
}

/// 17 significant digits without padding: the same `f64` when read back.
pub fn digits17(value: f64) -> String {
    format!("{value:.16e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number keeps its bits through text, and stays in its columns while its exponent has two digits.
    #[test]
    fn numbers_survive_text() {
        for value in [0.0, -0.0, 1.0 / 3.0, -2.5e-17, 1.0 + f64::EPSILON, 6.02e23, -9.87654321e-90, 1e99] {
            let mut text = String::new();
            push_fixed(&mut text, value);
            assert_eq!(text.len(), 26, "{text}");
            assert_eq!(text.trim().parse::<f64>().unwrap().to_bits(), value.to_bits());
            assert_eq!(digits17(value).parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
    }
}
