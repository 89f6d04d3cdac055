//! Grouped bar charts over one or two varied keys, as SVG.

use super::text::{escape, significant, unit};
use crate::picture::ticks;
use std::fmt::Write;

/// One set of axes.
pub struct Panel {
    /// Title that distinguishes it from the other panels; may be empty.
    pub title: String,
    /// Labels along the x axis.
    pub groups: Vec<String>,
    /// `values[series][group]`, not finite where there is none.
    pub values: Vec<Vec<f64>>,
    /// Series and group of the bar to mark.
    pub mark: Option<(usize, usize)>,
}

/// Panels that belong together.
pub struct Chart {
    /// The quantity that the bars show, without unit.
    pub quantity: String,
    /// `s` for seconds, empty for counts.
    pub unit: &'static str,
    /// What the groups are.
    pub group_label: String,
    /// What the series are.
    pub series_label: String,
    /// Names of the series.
    pub series: Vec<String>,
    /// The panels.
    pub panels: Vec<Panel>,
}

const HEIGHT: f64 = 270.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 42.0;
const BOTTOM: f64 = 44.0;

impl Chart {
    /// What the colours mean; nothing if there is only one.
    pub fn legend(&self) -> String {
        if self.series.len() < 2 {
            return String::new();
        }
        let mut out = format!("<ul class=\"legend\"><li class=\"muted\">{}:</li>", escape(&self.series_label));
        for (s, name) in self.series.iter().enumerate() {
            let swatch = "<svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect width=\"10\" height=\"10\"";
            // Writing to a string cannot fail, here and below.
            let _ = write!(out, "<li>{swatch} class=\"c{s}\"/></svg>{}</li>", escape(name));
        }
        out.push_str("</ul>");
        out
    }

    /// The panels, one after the other. The page has their numbers in a table too: `table` is its id.
    pub fn panels(&self, table: &str) -> String {
        self.panels.iter().map(|panel| self.panel(panel, table)).collect()
    }

    fn panel(&self, panel: &Panel, table: &str) -> String {
        let finite = || panel.values.iter().flatten().copied().filter(|value| value.is_finite());
        let largest = finite().fold(0.0, f64::max);
        let (scale, scale_name) = if self.unit.is_empty() { unit(largest) } else { (1.0, "") };
        let top = if largest > 0.0 { 1.06 * largest / scale } else { 1.0 };
        let (groups, series) = (panel.groups.len(), self.series.len());
        let group_width = (series as f64 * 28.0 + 32.0).clamp(70.0, 260.0);
        let width = (groups as f64 * group_width).max(280.0);
        let group_width = width / groups as f64;
        let bottom = HEIGHT - BOTTOM;
        let y = |value: f64| bottom - value / top * (bottom - TOP);
        let total = LEFT + width + RIGHT;
        let name = [panel.title.as_str(), &self.quantity].join(" ");
        let mut out = format!(
            "<svg viewBox=\"0 0 {total:.0} {HEIGHT}\" width=\"{total:.0}\" height=\"{HEIGHT}\" role=\"img\" \
             aria-label=\"{}: bars over {}; the numbers are in the table\" aria-describedby=\"{table}\">",
            escape(name.trim()),
            escape(&self.group_label)
        );
        let _ = write!(out, "<text class=\"title\" x=\"0\" y=\"13\">{}</text>", escape(&panel.title));
        let size = [scale_name, self.unit].concat();
        let size = if size.is_empty() { String::new() } else { format!(" [{size}]") };
        let _ = write!(out, "<text class=\"muted\" x=\"0\" y=\"30\">{}{size}</text>", escape(&self.quantity));
        for tick in ticks(0.0, top, 6) {
            let (at, label) = (y(tick.value), tick.label);
            let _ = write!(
                out,
                "<path class=\"grid\" d=\"M{LEFT} {at:.1}h{width:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                LEFT - 6.0,
                at + 4.0
            );
        }
        let bar_width = (0.82 * group_width / series as f64).min(40.0);
        for (g, group) in panel.groups.iter().enumerate() {
            let centre = LEFT + (g as f64 + 0.5) * group_width;
            for s in 0..series {
                let x = centre + (s as f64 - 0.5 * series as f64) * bar_width;
                out.push_str(&self.bar(panel, (s, g), [x, bar_width, bottom], scale, &y));
            }
            let label = shortened(group, (group_width / 6.5) as usize);
            let at = bottom + 16.0;
            let _ = write!(out, "<text x=\"{centre:.1}\" y=\"{at}\" text-anchor=\"middle\">{}</text>", escape(&label));
        }
        let _ = write!(
            out,
            "<path class=\"axis\" d=\"M{LEFT} {bottom}h{width:.1}\"/>\
             <text class=\"muted\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text></svg>",
            LEFT + width / 2.0,
            bottom + 34.0,
            escape(&self.group_label)
        );
        out
    }

    /// One bar with its value as a tooltip; a cross where there is no value. `place`: left side, width and foot.
    fn bar(&self, panel: &Panel, at: (usize, usize), place: [f64; 3], scale: f64, y: &dyn Fn(f64) -> f64) -> String {
        let (s, g) = at;
        let [x, width, foot] = place;
        let value = panel.values[s][g];
        let middle = x + width / 2.0;
        if !value.is_finite() {
            return format!(
                "<text class=\"muted\" x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">×<title>no run reached its \
                 end</title></text>",
                foot - 3.0
            );
        }
        let top = y(value / scale);
        let series =
            if self.series.len() > 1 { format!(", {} {}", self.series_label, self.series[s]) } else { String::new() };
        let what = escape(&format!("{} {}{series}", self.group_label, panel.groups[g]));
        let mut out = format!(
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\" class=\"c{s}\"><title>{what}: {} {}\
             </title></rect>",
            foot - top,
            if self.unit.is_empty() { super::text::grouped(value) } else { significant(value) },
            self.unit,
        );
        if panel.mark == Some(at) {
            let _ = write!(
                out,
                "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">★<title>fastest</title></text>",
                top - 3.0
            );
        }
        out
    }
}

/// At most so many characters.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most.max(4) {
        return text.to_owned();
    }
    text.chars().take(most.max(4) - 1).chain(['…']).collect()
}

/// CSS colours of the series, for light and for dark pages. The colours are ordered like the values of the key, and their
/// contrast with the page is above 3:1.
pub fn colours(series: usize) -> String {
    const LIGHT: [[f64; 3]; 3] = [[31.0, 143.0, 127.0], [30.0, 96.0, 170.0], [62.0, 20.0, 92.0]];
    const DARK: [[f64; 3]; 3] = [[128.0, 226.0, 205.0], [82.0, 160.0, 240.0], [170.0, 110.0, 235.0]];
    let rules = |stops: &[[f64; 3]; 3]| -> String {
        (0..series.max(1))
            .map(|s| {
                let at = if series < 2 { 1.0 } else { 2.0 * s as f64 / (series - 1) as f64 };
                let from = (at as usize).min(1);
                let part = at - from as f64;
                let mix = |i: usize| stops[from][i] + part * (stops[from + 1][i] - stops[from][i]);
                format!(".c{s}{{fill:rgb({:.0},{:.0},{:.0})}}", mix(0), mix(1), mix(2))
            })
            .collect()
    };
    format!("{}\n@media (prefers-color-scheme: dark) {{{}}}", rules(&LIGHT), rules(&DARK))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each value has a bar with a tooltip, each missing one a cross, the marked one a star; the longest bar stays inside.
    #[test]
    fn every_value_has_its_mark() {
        let chart = Chart {
            quantity: "cells".into(),
            unit: "",
            group_label: "interval".into(),
            series_label: "cutoff".into(),
            series: vec!["0.5".into(), "<0.9>".into()],
            panels: vec![Panel {
                title: "cpu".into(),
                groups: vec!["2".into(), "8".into()],
                values: vec![vec![1e6, 2e6], vec![f64::NAN, 3e6]],
                mark: Some((0, 1)),
            }],
        };
        let svg = chart.panels("t");
        assert_eq!(svg.matches("<rect x=").count(), 3);
        assert_eq!((svg.matches('×').count(), svg.matches('★').count()), (1, 1));
        assert!(svg.contains("[millions]") && svg.contains("interval 8, cutoff 0.5: 2\u{202f}000\u{202f}000"), "{svg}");
        assert!(!svg.contains("<0.9>"));
        let tops = svg.split("<rect x=").skip(1).map(|rect| rect.split("y=\"").nth(1).unwrap());
        let tops: Vec<f64> = tops.map(|text| text.split('"').next().unwrap().parse().unwrap()).collect();
        assert!(tops.iter().all(|&top| (TOP..HEIGHT - BOTTOM).contains(&top)), "{tops:?}");
        assert!(tops[0] > tops[1] && tops[1] > tops[2]);
    }

    /// Every series has a colour on both kinds of page, and no two have the same.
    #[test]
    fn colours_differ() {
        for series in [1, 2, 3, 7] {
            let css = colours(series);
            let fills: std::collections::BTreeSet<_> =
                css.split("fill:").skip(1).map(|f| f.split('}').next()).collect();
            assert_eq!(fills.len(), 2 * series, "{css}");
        }
    }
}
