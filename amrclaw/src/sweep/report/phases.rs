//! Time by phase: one stacked bar per setting, as SVG.

use super::text::{escape, significant};
use crate::diagnose::PhaseSeconds;
use crate::picture::ticks;
use std::fmt::Write;

/// Names of the phases, and colours on light and on dark pages (after Okabe and Ito, safe for colour-blind readers).
pub const PHASES: [(&str, &str, &str); 7] = [
    ("advance", "#0072b2", "#4aa8e0"),
    ("ghost", "#56b4e9", "#a5d8f5"),
    ("reflux", "#009e73", "#2fc79b"),
    ("average", "#e69f00", "#f0b840"),
    ("regrid", "#d55e00", "#ef7f33"),
    ("output", "#cc79a7", "#dd9cc0"),
    ("other", "#8a8f94", "#7d858c"),
];

/// Seconds of each phase, in the order of [`PHASES`].
pub fn seconds(phases: &PhaseSeconds) -> [f64; 7] {
    let PhaseSeconds { advance, ghost, reflux, average, regrid, output, other } = *phases;
    [advance, ghost, reflux, average, regrid, output, other]
}

/// The rules that colour the phases.
pub fn colours() -> String {
    let rules = |dark: bool| -> String {
        let colour = |(i, (_, light, in_dark)): (usize, &(_, &str, &str))| {
            format!(".p{i}{{fill:{}}}", if dark { in_dark } else { light })
        };
        PHASES.iter().enumerate().map(colour).collect()
    };
    format!("{}\n@media (prefers-color-scheme: dark) {{{}}}", rules(false), rules(true))
}

/// What the colours mean.
pub fn legend() -> String {
    let entry = |(i, (name, _, _)): (usize, &(&str, _, _))| {
        let swatch = "<svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect width=\"10\" height=\"10\"";
        format!("<li>{swatch} class=\"p{i}\"/></svg>{name}</li>")
    };
    format!("<ul class=\"legend\">{}</ul>", PHASES.iter().enumerate().map(entry).collect::<String>())
}

/// Bars of settings on one device: label and phases of each. `table`: id of the table with the same numbers.
pub fn svg(title: &str, rows: &[(String, PhaseSeconds)], table: &str) -> String {
    const WIDTH: f64 = 640.0;
    const ROW: f64 = 24.0;
    const TOP: f64 = 26.0;
    let longest_label = rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    let left = (6.9 * longest_label as f64 + 12.0).clamp(80.0, 420.0);
    let total = |phases: &PhaseSeconds| seconds(phases).iter().filter(|s| s.is_finite()).sum::<f64>();
    let longest = rows.iter().map(|(_, phases)| total(phases)).fold(0.0, f64::max);
    let top = if longest > 0.0 { 1.02 * longest } else { 1.0 };
    let foot = TOP + ROW * rows.len() as f64;
    let (width, height) = (left + WIDTH + 20.0, foot + 40.0);
    let x = |value: f64| left + value / top * WIDTH;
    let mut out = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-label=\"{}: seconds per phase of each setting; the numbers are in the table\" aria-describedby=\"{table}\">\
         <text class=\"title\" x=\"0\" y=\"13\">{}</text>",
        escape(title),
        escape(title)
    );
    // Writing to a string cannot fail, here and below.
    for tick in ticks(0.0, top, 9) {
        let at = x(tick.value);
        let _ = write!(
            out,
            "<path class=\"grid\" d=\"M{at:.1} {TOP}V{foot}\"/><text x=\"{at:.1}\" y=\"{}\" \
             text-anchor=\"middle\">{}</text>",
            foot + 16.0,
            tick.label
        );
    }
    for (row, (label, phases)) in rows.iter().enumerate() {
        let y = TOP + ROW * row as f64;
        let _ =
            write!(out, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", left - 8.0, y + 16.0, escape(label));
        let mut from = 0.0;
        for (i, value) in seconds(phases).into_iter().enumerate().filter(|(_, value)| *value > 0.0) {
            let (start, end) = (x(from), x(from + value));
            let _ = write!(
                out,
                "<rect x=\"{start:.1}\" y=\"{}\" width=\"{:.1}\" height=\"{}\" class=\"p{i}\"><title>{}, {}: {} s\
                 </title></rect>",
                y + 3.0,
                end - start,
                ROW - 6.0,
                escape(label),
                PHASES[i].0,
                significant(value)
            );
            from += value;
        }
    }
    let _ = write!(
        out,
        "<text class=\"muted\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">seconds</text></svg>",
        left + WIDTH / 2.0,
        foot + 34.0
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces follow one another without gaps, and add up to the bar of the whole.
    #[test]
    fn pieces_add_up() {
        let phases = PhaseSeconds { advance: 2.0, regrid: 1.0, other: 1.0, ..PhaseSeconds::default() };
        let svg = svg("cpu", &[("cutoff = 0.5".into(), phases)], "t");
        let number = |rect: &str, name: &str| -> f64 {
            rect.split(&format!("{name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        let pieces: Vec<[f64; 2]> =
            svg.split("<rect ").skip(1).map(|rect| [number(rect, "x"), number(rect, "width")]).collect();
        assert_eq!(pieces.len(), 3);
        // Positions are written with one digit.
        assert!(pieces.windows(2).all(|p| (p[0][0] + p[0][1] - p[1][0]).abs() < 0.11), "{pieces:?}");
        assert!((pieces[0][1] - 2.0 * pieces[1][1]).abs() < 0.2);
    }
}
