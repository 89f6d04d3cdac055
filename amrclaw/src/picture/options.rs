//! What a picture shows beside the field, and whether that fits a frame.

use super::ticks::DEGREES;
use super::{ColourMap, ColourScale, PictureError, mapped_cut};
use crate::frames::derived::Vocabulary;
use crate::frames::frame::Frame;
use crate::frames::plot::{Contours, Plot};
use crate::frames::slice::Projection;
use std::any::Any;

/// What a picture shows beside the field.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureOptions {
    /// Pixels along the longer side of the plot, labels not counted.
    pub size: usize,
    /// Which outlines of patches to draw.
    pub outlines: Outlines,
    /// Values of the first and the last colour (in 1D: at the bottom and at the top); by default the data's.
    pub range: Option<(f64, f64)>,
    /// The colours; by default those that suit the range.
    pub colours: Option<ColourMap>,
    /// Values are drawn on a logarithmic scale.
    pub log: bool,
    /// Lines of equal values, on maps of straight meshes.
    pub contours: Option<Contours>,
    /// A condition: formulas are infinite where it holds, and maps show what is infinite as land.
    pub land: Option<String>,
    /// Fields or formulas of a vector's components, drawn as arrows in maps: one for each axis of the frame.
    pub vectors: Vec<String>,
    /// Formulas by field, drawn beside its curve.
    pub exact: Vec<(String, String)>,
    /// The part of the domain to show, from and to along each axis; axes without an entry are shown whole. In 1D a second
    /// entry is the range of values.
    pub zoom: Vec<(f64, f64)>,
    /// Names of the axes.
    pub axes: [String; 2],
    /// Added to the title.
    pub remark: String,
    /// Cuts and projections; empty for the whole of a 2D frame, and for the three planes through the middle of a 3D one.
    pub cuts: Vec<Cut>,
}

impl Default for PictureOptions {
    fn default() -> Self {
        PictureOptions {
            size: 800,
            outlines: Outlines::All,
            range: None,
            colours: None,
            log: false,
            contours: None,
            land: None,
            vectors: Vec::new(),
            exact: Vec::new(),
            zoom: Vec::new(),
            axes: ["x".into(), "y".into()],
            remark: String::new(),
            cuts: Vec::new(),
        }
    }
}

impl PictureOptions {
    /// The same, with axes in degrees where positions are.
    pub fn on_axes_of(mut self, vocabulary: &Vocabulary) -> Self {
        if vocabulary.in_degrees {
            self.axes = DEGREES.map(|(name, _)| name.to_owned());
        }
        self
    }
}

impl From<&Plot> for PictureOptions {
    /// The options of a picture that a case asks for; colours of an unknown name are those that suit the range.
    fn from(plot: &Plot) -> Self {
        let coordinate = |end: &[f64], d: usize| end.get(d).copied().unwrap_or(0.0);
        let line = plot.line.as_ref().map(|ends| Cut::Line {
            ends: ends.each_ref().map(|end| std::array::from_fn(|d| coordinate(end, d))),
            dimensions: ends[0].len(),
        });
        let slices = plot.slices.iter().map(|&(axis, position)| Cut::At { axis, position });
        PictureOptions {
            outlines: if plot.no_outlines { Outlines::None } else { Outlines::All },
            range: plot.range,
            colours: plot.colours.as_ref().and_then(|name| name.parse().ok()),
            log: plot.log,
            contours: plot.contours.clone(),
            land: plot.land.clone(),
            vectors: plot.vectors.clone(),
            zoom: plot.zoom.clone(),
            cuts: slices.chain(line).collect(),
            ..PictureOptions::default()
        }
    }
}

impl Contours {
    /// The values, in ascending order.
    pub(super) fn values(&self, scale: &ColourScale) -> Vec<f64> {
        let mut values = match self {
            Contours::At(values) => values.clone(),
            Contours::Number(count) => (1..=*count).map(|k| scale.value(k as f64 / (*count + 1) as f64)).collect(),
        };
        values.sort_by(f64::total_cmp);
        values
    }
}

/// Which outlines of patches to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outlines {
    /// None.
    None,
    /// Those of all levels, where no finer data lie over them.
    All,
    /// Those of these levels (counted from 0) alone, whole, finer ones over coarser ones.
    Levels(Vec<usize>),
}

impl Outlines {
    /// True if this level's outlines are drawn.
    pub fn shows(&self, level: usize) -> bool {
        match self {
            Outlines::None => false,
            Outlines::All => true,
            Outlines::Levels(shown) => shown.contains(&level),
        }
    }

    /// True if this level's outlines are drawn over all data.
    pub(super) fn shows_whole(&self, level: usize) -> bool {
        matches!(self, Outlines::Levels(_)) && self.shows(level)
    }
}

/// A reduction of a frame by one axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    /// The cells at `position` along `axis`.
    At {
        /// The axis.
        axis: usize,
        /// Where along it.
        position: f64,
    },
    /// All cells along `axis`, of a 3D frame.
    Along {
        /// The axis.
        axis: usize,
        /// How their values are reduced.
        projection: Projection,
    },
    /// The values along a straight line, as a curve.
    Line {
        /// Its ends.
        ends: [[f64; 3]; 2],
        /// How many of their coordinates are meant.
        dimensions: usize,
    },
}

/// Checks the options as far as that is possible without values.
pub(super) fn check<const D: usize>(frame: &Frame<D>, options: &PictureOptions) -> Result<(), PictureError> {
    if let Some((low, high)) = options.range {
        let ordered = low < high && (high - low).is_finite();
        if !ordered {
            return Err(PictureError::Range(low, high, "are no range: write the smaller one first"));
        }
        if options.log && low <= 0.0 {
            return Err(PictureError::Range(low, high, "have no logarithms: write positive ones, or leave --log out"));
        }
    }
    if let Outlines::Levels(levels) = &options.outlines
        && let Some(level) = levels.iter().find(|&&level| level > frame.ratios.len())
    {
        return Err(PictureError::Level { level: level + 1, finest: frame.ratios.len() + 1 });
    }
    if options.contours.is_some() && (D == 1 || !frame.is_of_boxes()) {
        let message = "contours are drawn in maps of straight meshes alone: leave --contours out";
        return Err(PictureError::Cut(message.to_owned()));
    }
    let is_curve = D == 1 || options.cuts.iter().any(|cut| D == 2 || matches!(cut, Cut::Line { .. }));
    if options.land.is_some() && is_curve {
        return Err(PictureError::Cut("land is drawn in maps alone: leave --land out".to_owned()));
    }
    if !options.vectors.is_empty() {
        let message = if D == 1 || D == 2 && is_curve || D == 3 && !frame.is_of_boxes() {
            "arrows are drawn in maps alone, in 3D of straight meshes: leave --vectors out".to_owned()
        } else {
            format!(
                "a vector in {D}D has {D} components, not {}: write --vectors with {D} names",
                options.vectors.len()
            )
        };
        if options.vectors.len() != D || !message.starts_with("a vector") {
            return Err(PictureError::Cut(message));
        }
    }
    if !(options.exact.is_empty() || is_curve) {
        let message = "exact solutions are drawn beside curves: in 1D, or with --line, in 2D with --slice";
        return Err(PictureError::Cut(message.to_owned()));
    }
    for cut in &options.cuts {
        let axis = match *cut {
            Cut::At { axis, .. } | Cut::Along { axis, .. } => axis,
            Cut::Line { ends, dimensions } => {
                check_line(frame, ends, dimensions)?;
                continue;
            }
        };
        let name = ["x", "y", "z"][axis];
        if D == 1 || axis >= D {
            let message = format!("a frame in {D}D cannot be cut along {name}");
            return Err(PictureError::Cut(message));
        }
        if !frame.mapping.is_empty() && D == 2 {
            return Err(PictureError::Cut("a mapped mesh cannot be cut".to_owned()));
        }
        if !frame.is_of_boxes() && matches!(cut, Cut::Along { .. }) {
            let message = "a mapped mesh, or one from a file, cannot be projected: write --slice";
            return Err(PictureError::Cut(message.to_owned()));
        }
        if D == 2 && matches!(cut, Cut::Along { .. }) {
            return Err(PictureError::Cut("only frames in 3D are projected; write --slice x=... or y=...".to_owned()));
        }
        let [lower, upper] = extent(frame, axis);
        if let Cut::At { position, .. } = *cut
            && !(lower..=upper).contains(&position)
        {
            let message = format!("{name} = {position} is outside the domain, from {lower} to {upper}");
            return Err(PictureError::Cut(message));
        }
    }
    Ok(())
}

/// Lower and upper end of what a frame shows along an axis.
pub(super) fn extent<const D: usize>(frame: &Frame<D>, axis: usize) -> [f64; 2] {
    let any: &dyn Any = frame;
    let mapped = any.downcast_ref::<Frame<3>>().filter(|frame| !frame.mapping.is_empty());
    let mapped = mapped.and_then(|frame| Some(mapped_cut::extent(frame, &frame.mapped()?)));
    let whole = frame.mesh.as_ref().map(|mesh| mesh.bounds()).or(mapped);
    whole.map_or([frame.lower[axis], frame.upper[axis]], |extent| extent[axis])
}

/// Checks that a line fits the frame.
fn check_line<const D: usize>(frame: &Frame<D>, ends: [[f64; 3]; 2], dimensions: usize) -> Result<(), PictureError> {
    let outside = |d: usize| {
        let [lower, upper] = extent(frame, d);
        ends.iter().any(|p| !(lower..=upper).contains(&p[d]))
    };
    let message = if D == 1 || !frame.mapping.is_empty() {
        "lines are drawn through straight meshes and those from files in 2D and 3D alone".to_owned()
    } else if dimensions != D {
        format!("a line in {D}D has {} coordinates, {D} of each end, but {} are given", 2 * D, 2 * dimensions)
    } else if let Some(d) = (0..D).find(|&d| outside(d)) {
        let (axis, [lower, upper]) = (["x", "y", "z"][d], extent(frame, d));
        format!("an end of the line is outside the domain, where {axis} is from {lower} to {upper}")
    } else if ends[0][..D] == ends[1][..D] {
        "the ends of the line are the same point".to_owned()
    } else {
        return Ok(());
    };
    Err(PictureError::Cut(message))
}
