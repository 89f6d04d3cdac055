//! Assigns the varied keys to the x axis, the series and the panels.

use super::bars::{Chart, Panel};
use super::table;
use crate::sweep::{Medians, Plan, Summary};

/// A figure of bars.
pub struct Figure {
    pub heading: &'static str,
    pub svg: String,
    pub caption: &'static str,
}

/// The layout of settings: the last key along the x axis, the one before as series, all earlier ones as panels. Settings
/// that are not a grid are placed side by side.
pub struct Layout {
    group_label: String,
    groups: Vec<String>,
    series_label: String,
    series: Vec<String>,
    /// Title and settings, `[series][group]`, of each panel.
    panels: Vec<(String, Vec<Vec<usize>>)>,
}

/// One number of each setting, shown in a figure.
struct Part {
    name: &'static str,
    /// `s` for seconds, empty for counts.
    unit: &'static str,
    /// Mark the device's fastest setting.
    mark: bool,
    figure: fn(&Medians) -> f64,
}

/// A figure, and the medians that it shows.
struct Quantity {
    heading: &'static str,
    caption: &'static str,
    parts: &'static [Part],
}

const QUANTITIES: [Quantity; 2] = [
    Quantity {
        heading: "Cells and patches",
        caption: "Cells advanced on all levels during the run, and the number of patches on all levels, averaged over the \
                  steps of each. After fig. 10 of the paper.",
        parts: &[
            Part { name: "cells advanced", unit: "", mark: false, figure: |m| m.cells_advanced_total },
            Part { name: "patches, mean", unit: "", mark: false, figure: |m| m.patches_mean },
        ],
    },
    Quantity {
        heading: "Advance time and total time",
        caption: "Seconds spent updating cells, with what the conservation fix keeps of that (fig. 11 of the paper), and \
                  wall seconds of the whole run (fig. 12). The star marks the fastest setting. On a GPU phases are the \
                  host's seconds; what it waits for the device is other.",
        parts: &[
            Part { name: "advance time", unit: "s", mark: false, figure: |m| m.phases.advance },
            Part { name: "total time", unit: "s", mark: true, figure: |m| m.wall_seconds },
        ],
    },
];

impl Layout {
    pub fn new(plan: &Plan) -> Self {
        let lengths: Vec<usize> = plan.vary.iter().map(|vary| vary.values.len()).collect();
        let is_grid = plan.settings.len() == lengths.iter().product::<usize>();
        let Some((x, before)) = plan.vary.split_last().filter(|_| is_grid) else {
            let values = |s: usize| plan.values(s).collect::<Vec<_>>().join(" / ");
            let labels: Vec<String> = plan.vary.iter().map(|vary| vary.short_label()).collect();
            let all: Vec<usize> = (0..plan.settings.len()).collect();
            return Layout {
                group_label: labels.join(" / "),
                groups: all.iter().map(|&s| values(s)).collect(),
                series_label: String::new(),
                series: vec![String::new()],
                panels: vec![(String::new(), vec![all])],
            };
        };
        let (series_label, series) = match before.last() {
            Some(vary) => (vary.short_label(), vary.values.clone()),
            None => (String::new(), vec![String::new()]),
        };
        let per_panel = x.values.len() * series.len();
        let facets = &before[..before.len().saturating_sub(1)];
        let panel = |first: usize| {
            let pairs = facets.iter().zip(plan.values(first));
            let title: Vec<String> = pairs.map(|(vary, value)| format!("{} = {value}", vary.short_label())).collect();
            let row = |s: usize| (0..x.values.len()).map(|g| first + s * x.values.len() + g).collect();
            (title.join(", "), (0..series.len()).map(row).collect())
        };
        Layout {
            group_label: x.short_label(),
            groups: x.values.clone(),
            panels: (0..plan.settings.len()).step_by(per_panel).map(panel).collect(),
            series_label,
            series,
        }
    }

    pub fn num_series(&self) -> usize {
        self.series.len()
    }

    /// The figures of bars.
    pub fn figures(&self, plan: &Plan, summary: &Summary) -> Vec<Figure> {
        let figure = |quantity: &Quantity| {
            let charts: Vec<Chart> = quantity.parts.iter().map(|part| self.chart(plan, summary, part)).collect();
            let panels: String = charts.iter().map(|chart| chart.panels(&table::results_id(0))).collect();
            let svg = format!("{}<div class=\"panels\">{panels}</div>", charts[0].legend());
            Figure { heading: quantity.heading, svg, caption: quantity.caption }
        };
        QUANTITIES.iter().map(figure).collect()
    }

    fn chart(&self, plan: &Plan, summary: &Summary, part: &Part) -> Chart {
        let mut panels = Vec::new();
        for (device, device_name) in plan.devices.iter().enumerate() {
            for (title, settings) in &self.panels {
                let value = |&s: &usize| summary.at(device, s).map_or(f64::NAN, part.figure);
                let fastest = summary.best(device).filter(|_| part.mark).map(|best| best.fastest.setting);
                let place = |series: usize| {
                    let group = settings[series].iter().position(|&s| Some(s) == fastest)?;
                    Some((series, group))
                };
                let titles: Vec<&str> =
                    [device_name.as_str(), title].into_iter().filter(|text| !text.is_empty()).collect();
                panels.push(Panel {
                    title: titles.join(", "),
                    groups: self.groups.clone(),
                    values: settings.iter().map(|row| row.iter().map(value).collect()).collect(),
                    mark: (0..settings.len()).find_map(place),
                });
            }
        }
        Chart {
            quantity: part.name.to_owned(),
            unit: part.unit,
            group_label: self.group_label.clone(),
            series_label: self.series_label.clone(),
            series: self.series.clone(),
            panels,
        }
    }
}
