//! Round numbers along an axis.

/// A tick: its value and what is written at it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The value.
    pub value: f64,
    /// The value as text, with as many digits as tell it from its neighbours.
    pub label: String,
}

/// Ticks at multiples of 1, 2 or 5 times a power of ten within `[low, high]`: at most `most` of them, but two at least. None where the
/// interval is so short that steps have no normal number.
pub fn ticks(low: f64, high: f64, most: usize) -> Vec<Tick> {
    let span = high - low;
    if !span.is_finite() || span <= 0.0 {
        return Vec::new();
    }
    let multiples = |step: f64| ((high / step).floor() - (low / step).ceil()) as i64 + 1;
    let mut steps = (most.max(2)..).map(|most| round_step(span, most)).take_while(|step| step.is_normal());
    let Some(step) = steps.find(|&step| multiples(step) >= 2) else { return Vec::new() };
    // Rounding may put an end of the axis slightly outside; it still gets its tick.
    let slack = 1e-9 * span;
    let first = ((low - slack) / step).ceil();
    let count = ((high + slack) / step).floor() - first;
    let values: Vec<f64> = (0..=count as usize).map(|i| (first + i as f64) * step).collect();
    let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    values.into_iter().map(|value| Tick { value, label: label(value, step, largest) }).collect()
}

/// Names of axes in degrees, with the letters of what lies above and below 0.
pub const DEGREES: [(&str, [&str; 2]); 2] = [("longitude", ["E", "W"]), ("latitude", ["N", "S"])];

/// The ticks of an axis of this name: in degrees of one in degrees, longitudes to 180 either way.
pub fn named(ticks: Vec<Tick>, name: &str) -> Vec<Tick> {
    let Some((_, letters)) = DEGREES.iter().find(|(known, _)| *known == name) else { return ticks };
    let labelled = |tick: Tick| {
        let digits = tick.label.split_once('.').map_or(0, |(_, digits)| digits.len());
        let within = (tick.value + 180.0).rem_euclid(360.0) - 180.0;
        let number = format!("{:.digits$}", within.abs());
        let has_letter = number.parse().is_ok_and(|number: f64| number != 0.0 && number != 180.0);
        let letter = if has_letter { letters[usize::from(within < 0.0)] } else { "" };
        Tick { label: format!("{number}°{letter}"), ..tick }
    };
    ticks.into_iter().map(labelled).collect()
}

/// Ticks of a logarithmic axis within `[low, high]`, both positive: powers of ten, or also their 2- and 5-fold where there
/// are few; at most `most`.
pub fn log_ticks(low: f64, high: f64, most: usize) -> Vec<Tick> {
    if !(low > 0.0 && high > low && high.is_finite()) {
        return Vec::new();
    }
    let slack = 1e-9;
    let powers = (low.log10() - 1.0).floor() as i32..=high.log10().ceil() as i32;
    let fits = |v: &f64| (low * (1.0 - slack)..=high * (1.0 + slack)).contains(v);
    let of = |factors: &[f64]| -> Vec<f64> {
        powers.clone().flat_map(|p| factors.iter().map(move |f| f * 10.0_f64.powi(p))).filter(fits).collect()
    };
    let (fine, coarse) = (of(&[1.0, 2.0, 5.0]), of(&[1.0]));
    let values = if coarse.len() < 3 && fine.len() <= most.max(4) { fine } else { coarse };
    if values.len() < 2 {
        return ticks(low, high, most);
    }
    let every = values.len().div_ceil(most.max(2));
    values.into_iter().step_by(every).map(|value| Tick { value, label: short(value) }).collect()
}

/// The smallest of 1, 2, 5, 10, ... times a power of ten that gives at most `most` ticks.
fn round_step(span: f64, most: usize) -> f64 {
    let rough = span / (most - 1) as f64;
    let power = 10.0_f64.powf(rough.log10().floor());
    let mantissa = [1.0, 2.0, 5.0].into_iter().find(|m| m * power >= rough * (1.0 - 1e-9)).unwrap_or(10.0);
    mantissa * power
}

/// A number with the digits that a step between ticks calls for; with an exponent if the largest tick is huge or tiny.
fn label(value: f64, step: f64, largest: f64) -> String {
    let digits_after = |unit: f64| (-(step / unit).log10().floor()).max(0.0) as usize;
    let value = if value.abs() < 1e-9 * step { 0.0 } else { value };
    let text = if largest > 0.0 && !(1e-3..1e5).contains(&largest) {
        let exponent = largest.log10().floor();
        let unit = 10.0_f64.powf(exponent);
        if value == 0.0 { "0".into() } else { format!("{:.*}e{exponent}", digits_after(unit), value / unit) }
    } else {
        format!("{value:.*}", digits_after(1.0))
    };
    text.replace('-', "\u{2212}")
}

/// A number with at most six significant digits and no trailing zeros, for titles.
pub fn short(value: f64) -> String {
    let exponent = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
    let text = if (-4.0..6.0).contains(&exponent) {
        let text = format!("{value:.*}", (5.0 - exponent).max(0.0) as usize);
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        let text = format!("{value:.5e}");
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{}e{power}", mantissa.trim_end_matches('0').trim_end_matches('.'))
    };
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64) -> Vec<String> {
        ticks(low, high, 6).into_iter().map(|t| t.label).collect()
    }

    /// Ticks are round, include the ends where those are round, and carry no digits that mean nothing.
    #[test]
    fn ticks_are_round() {
        for span in [1e-323, f64::MIN_POSITIVE, 1e-300] {
            assert!(ticks(0.0, span, 6).iter().all(|tick| (0.0..=1.1 * span).contains(&tick.value)), "{span:e}");
        }
        assert_eq!(labels(-1.0, 1.0), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(0.0, 0.3 - 1e-17), ["0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(labels(-3.0, 917.0), ["0", "200", "400", "600", "800"]);
        assert_eq!(labels(1e-7, 5e-7), ["1e−7", "2e−7", "3e−7", "4e−7", "5e−7"]);
        assert_eq!(labels(0.0, 1.1e6), ["0", "0.5e6", "1.0e6"]);
        assert_eq!(ticks(-3.0, 8.0, 2).len(), 2, "an axis needs two numbers to be read");
        assert!(labels(1.0, 1.0).is_empty() && labels(f64::NAN, 1.0).is_empty());
    }

    /// Longitudes go to 180 either way, and neither 0 nor 180 is east or west; other axes keep their numbers.
    #[test]
    fn degrees_have_letters() {
        let labels =
            |low, high, name| named(ticks(low, high, 6), name).into_iter().map(|t| t.label).collect::<Vec<_>>();
        assert_eq!(labels(160.0, 200.0, "longitude"), ["160°E", "170°E", "180°", "170°W", "160°W"]);
        assert_eq!(labels(-0.5, 0.5, "latitude"), ["0.4°S", "0.2°S", "0.0°", "0.2°N", "0.4°N"]);
        assert_eq!(labels(-1.0, 1.0, "y")[0], "−1.0");
    }

    /// Powers of ten over many decades; also 2 and 5 over few; round numbers within one.
    #[test]
    fn logarithmic_ticks_are_round() {
        let labels = |low, high| log_ticks(low, high, 6).into_iter().map(|t| t.label).collect::<Vec<_>>();
        assert_eq!(labels(1e-3, 10.0), ["0.001", "0.01", "0.1", "1", "10"]);
        assert_eq!(labels(0.9, 11.0), ["1", "2", "5", "10"]);
        assert_eq!(labels(1e-9, 1e3).len(), 5);
        assert_eq!(log_ticks(0.6, 0.9, 6), ticks(0.6, 0.9, 6));
        assert!(labels(0.0, 1.0).is_empty());
    }

    /// Titles show six digits at most.
    #[test]
    fn short_numbers_have_no_idle_zeros() {
        let texts: Vec<_> = [0.0, 0.1 + 0.2, -1.5, 12345678.0, 1.0 / 3.0, 2e-9].into_iter().map(short).collect();
        assert_eq!(texts, ["0", "0.3", "−1.5", "1.23457e7", "0.333333", "2e−9"]);
    }
}
