//! Pictures and films of the frames in a folder.

use super::range::{View, value_range, widen};
use super::same::Same;
use super::{
    ColourScale, Figure, PictureError, PictureOptions, check, draw_fields, find_field, mapped, or_first, panel,
    render_series, ticks,
};
use crate::frames::derived::{LazyFields, Vocabulary};
use crate::frames::frame::Frame;
use crate::frames::gauge::{self, GaugeSeries};
use crate::frames::read::{self, FrameReader};
use crate::index::in_dimensions;
use crate::threads::on_own_threads;
use std::any::Any;
use std::path::{Path, PathBuf};

/// The frames of a folder and what is drawn of them.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The folder.
    pub dir: &'a Path,
    /// Fields and formulas; none for the first field.
    pub fields: &'a [String],
}

/// Which frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameChoice {
    /// The last one.
    Last,
    /// Every one.
    All,
    /// These, in this order.
    Numbers(Vec<usize>),
}

impl Source<'_> {
    /// Numbers and files of the frames chosen.
    ///
    /// # Errors
    /// The folder cannot be read, or a frame is not there.
    pub fn frames(&self, choice: &FrameChoice) -> Result<Vec<(usize, PathBuf)>, PictureError> {
        let frames = read::list_frames(self.dir)?;
        let missing = |number| PictureError::NoFrame {
            dir: self.dir.to_owned(),
            number,
            known: frames.iter().map(|(n, _)| *n).collect(),
        };
        let asked = match choice {
            FrameChoice::Numbers(numbers) => numbers.first().copied(),
            FrameChoice::Last | FrameChoice::All => None,
        };
        let last = frames.last().ok_or_else(|| missing(asked))?;
        match choice {
            FrameChoice::Last => Ok(vec![last.clone()]),
            FrameChoice::All => Ok(frames.clone()),
            FrameChoice::Numbers(numbers) => {
                let find = |&n: &usize| frames.iter().find(|(m, _)| *m == n).cloned().ok_or_else(|| missing(Some(n)));
                numbers.iter().map(find).collect()
            }
        }
    }

    /// Draws one frame's file.
    ///
    /// # Errors
    /// As for [`draw_from_folder`].
    pub fn draw(&self, file: &Path, options: &PictureOptions) -> Result<Figure, PictureError> {
        on_own_threads(|| in_dimensions!(read::peek_dimension(file)?, D => self.draw_in::<D>(file, options)))
    }

    fn draw_in<const D: usize>(&self, file: &Path, options: &PictureOptions) -> Result<Figure, PictureError> {
        let reader = FrameReader::<D>::open(file)?;
        draw_fields(&reader, self.fields, &self.vocabulary(&reader.outline), options)
    }

    fn vocabulary<const D: usize>(&self, frame: &Frame<D>) -> Vocabulary {
        Vocabulary::of_folder(self.dir, &frame.equations, D)
    }

    /// Range of the colours for the first field that suits all of these frames.
    ///
    /// # Errors
    /// As for [`draw_from_folder`].
    fn range(&self, files: &[(usize, PathBuf)], options: &PictureOptions) -> Result<(f64, f64), PictureError> {
        let mut all: Option<(f64, f64)> = None;
        for (_, file) in files {
            let range =
                on_own_threads(|| in_dimensions!(read::peek_dimension(file)?, D => self.range_in::<D>(file, options)));
            let found = match range {
                // A field that is zero at the start has no logarithm there.
                Err(PictureError::NothingPositive) => continue,
                range => range?,
            };
            widen(&mut all, found);
        }
        let scale = ColourScale::showing(all.ok_or(PictureError::NothingPositive)?, options.log);
        Ok((scale.low, scale.high))
    }

    fn range_in<const D: usize>(&self, file: &Path, options: &PictureOptions) -> Result<(f64, f64), PictureError> {
        let reader = FrameReader::<D>::open(file)?;
        let names = or_first(&reader.outline, self.fields)?;
        let shown = LazyFields::new(&reader, &names[..1], options.land.as_deref(), &self.vocabulary(&reader.outline))?;
        let (frame, name) = (&shown.outline, &names[0]);
        check(frame, options)?;
        // The zoom of a cut refers to the cut's axes, not the frame's.
        let any: &dyn Any = frame;
        if let Some((frame, mapping)) = any.downcast_ref::<Frame<2>>().and_then(|frame| Some((frame, frame.mapped()?)))
        {
            let view = mapped::view(frame, &mapping, options)?;
            return value_range((frame, &Same(&shown)), find_field(frame, name)?, &view, Some(&mapping), options.log);
        }
        let view = if D == 3 || !options.cuts.is_empty() {
            View { lower: frame.lower, upper: frame.upper }
        } else {
            View::of(frame, options)?
        };
        value_range((frame, &shown), find_field(frame, name)?, &view, None, options.log)
    }
}

/// Most points of a curve of a gauge.
const MOST_ROWS: usize = 20_000;

/// Draws quantities of a gauge over time, by default the first one.
///
/// # Errors
/// There is no such gauge or quantity, or nothing to draw.
pub fn draw_gauge(source: &Source<'_>, name: &str, options: &PictureOptions) -> Result<Figure, PictureError> {
    let known = gauge::names_in(source.dir);
    if !known.iter().any(|gauge| gauge == name) {
        let there =
            if known.is_empty() { "there are none".to_owned() } else { format!("there are {}", known.join(", ")) };
        return Err(PictureError::Cut(format!("{} holds no gauge \"{name}\": {there}", source.dir.display())));
    }
    let series = GaugeSeries::read(source.dir, name, MOST_ROWS)?;
    let quantities = series.columns.get(2..).unwrap_or_default();
    let first: Vec<String> = quantities.iter().take(1).cloned().collect();
    let fields = if source.fields.is_empty() { &first[..] } else { source.fields };
    let options = PictureOptions { axes: ["t".to_owned(), String::new()], ..options.clone() };
    let draw = |field: &String| {
        let unknown = || PictureError::UnknownField { name: field.clone(), known: quantities.to_vec() };
        let column = quantities.iter().position(|known| known == field).ok_or_else(unknown)?;
        render_series(&format!("{field}    {}", rounded(&series.about)), series.of(column + 2), &options)
    };
    let images = fields.iter().map(draw).collect::<Result<Vec<_>, PictureError>>()?;
    Ok(panel::arrange(images, 1))
}

/// A text with at most six digits of each number.
fn rounded(text: &str) -> String {
    let word = |word: &str| {
        let (number, comma) = word.strip_suffix(',').map_or((word, ""), |number| (number, ","));
        number.parse().map_or_else(|_| word.to_owned(), |value: f64| format!("{}{comma}", ticks::short(value)))
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Draws a frame from a folder of VTKHDF files: frame `number`, or the last one.
///
/// # Errors
/// There is no such frame, a formula is wrong, the options do not fit, or the file cannot be read.
pub fn draw_from_folder(
    source: &Source<'_>,
    number: Option<usize>,
    options: &PictureOptions,
) -> Result<Figure, PictureError> {
    let choice = number.map_or(FrameChoice::Last, |number| FrameChoice::Numbers(vec![number]));
    let frames = source.frames(&choice)?;
    source.draw(&frames[0].1, options)
}

/// Draws frames in order, and passes each picture and its frame's number to `take`. With a single field all pictures have the
/// same colour scale.
///
/// # Errors
/// As for [`draw_from_folder`], and those of `take`.
pub fn draw_film(
    source: &Source<'_>,
    choice: &FrameChoice,
    options: &PictureOptions,
    take: &mut dyn FnMut(usize, Figure) -> Result<(), PictureError>,
) -> Result<(), PictureError> {
    let files = source.frames(choice)?;
    let mut options = options.clone();
    if options.range.is_none() && source.fields.len() <= 1 && files.len() > 1 {
        options.range = Some(source.range(&files, &options)?);
    }
    for (number, file) in files {
        take(number, source.draw(&file, &options)?)?;
    }
    Ok(())
}
