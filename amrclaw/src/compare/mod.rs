//! How far a solution is from another one, or from formulas.

mod finite;

pub use finite::check_finite;

use crate::formula::{ExpressionError, Names, RowExpressions, cell_names, compile_on_mesh};
use crate::frames::derived::{FormulaError, Vocabulary};
use crate::frames::error::InputError;
use crate::frames::frame::{FieldIndex, Frame};
use crate::frames::read::{self, FrameReader};
use crate::index::{CellBox, in_dimensions};
use crate::mesh::{Geometry, Mapping};
use crate::physics::CellRow;
use finite::{at_centroid, not_finite};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Norms of an error, as means over the volume of the domain, so that they do not depend on the unit of length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Norms {
    /// Mean of the absolute values.
    pub l1: f64,
    /// Root of the mean of the squares.
    pub l2: f64,
    /// The largest.
    pub max: f64,
    /// Largest minus smallest value of the reference.
    pub range: f64,
}

/// What the runs of a study are compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// Formulas of position and time by equation.
    Exact(Vec<(String, String)>),
    /// The finest of the runs.
    Finest,
}

/// The largest range of each equation over several solutions: on coarser cells the range is smaller.
pub fn ranges<'a>(errors: impl Iterator<Item = &'a Vec<(String, Norms)>>) -> BTreeMap<String, f64> {
    let mut widest = BTreeMap::new();
    for (name, norms) in errors.flatten() {
        let range = widest.entry(name.clone()).or_insert(0.0_f64);
        *range = range.max(norms.range);
    }
    widest
}

/// The error of a solution as one number: the L1 norm divided by the range of values, for the equation where this is
/// largest. Equations whose range is mere round-off compared with others do not count.
pub fn relative_error(errors: &[(String, Norms)], ranges: &BTreeMap<String, f64>) -> Option<f64> {
    let widest = ranges.values().copied().fold(0.0, f64::max);
    let relative = |(name, norms): &(String, Norms)| {
        ranges.get(name).filter(|range| **range > 1e-10 * widest).map(|range| norms.l1 / range)
    };
    // NaN must count as the largest error.
    errors.iter().filter_map(relative).reduce(|a, b| if a > b || a.is_nan() { a } else { b })
}

/// A comparison that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A frame cannot be read, or there is none.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A formula is wrong.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// The two solutions do not match.
    #[error("{0}")]
    Unlike(String),
    /// A formula has no value in a cell.
    #[error("{0}; write a formula that has a value in every cell at the end of the run")]
    NotFinite(String),
}

/// What a solution is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth<'a> {
    /// Formulas of position and time by equation.
    Exact(&'a [(String, String)]),
    /// The last frame in the folder of another run, whose mesh is finer by integer ratios.
    Run(&'a Path),
}

/// The error of each equation's quantity in the last frame of the run in `dir`, whose time must be `end`. With formulas, only equations
/// that have one are compared.
///
/// Formulas are compared with the finest cells at each place, as cell means by Gauss's rule with two points per axis; another run is compared
/// on the coarsest level, whose cells hold the means of all finer ones. On a mapped mesh formulas are functions of physical positions, and
/// cells are weighted by their physical volumes.
///
/// # Errors
/// See [`CompareError`].
pub fn errors(dir: &Path, truth: &Truth<'_>, end: f64) -> Result<Vec<(String, Norms)>, CompareError> {
    let path = last_frame(dir)?;
    in_dimensions!(read::peek_dimension(&path)?, D => errors_in::<D>(dir, &path, truth, end))
}

/// Whether two times are the same but for round-off.
fn same_time(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-9)
}

fn last_frame(dir: &Path) -> Result<std::path::PathBuf, InputError> {
    let missing = || InputError::Kind {
        path: dir.to_owned(),
        expected: "the folder of a run with frames",
        reason: "it holds no frame_*.vtkhdf".into(),
    };
    read::list_frames(dir)?.pop().map(|(_, path)| path).ok_or_else(missing)
}

fn errors_in<const D: usize>(
    dir: &Path,
    path: &Path,
    truth: &Truth<'_>,
    end: f64,
) -> Result<Vec<(String, Norms)>, CompareError> {
    let reader = FrameReader::<D>::open(path)?;
    let frame = &reader.outline;
    if !same_time(frame.time, end) {
        let message = format!("the last frame has t = {}, but the comparison is at t = {end}", frame.time);
        return Err(CompareError::Unlike(message));
    }
    match truth {
        Truth::Exact(formulas) => {
            let vocabulary = Vocabulary::of_folder(dir, &frame.equations, D);
            // Only equations with a formula are read; where a formula belongs to none, the message lists them all.
            let named = |name: &String| formulas.iter().any(|(equation, _)| equation == name);
            let all_known = formulas.iter().all(|(name, _)| frame.equations.contains(name));
            let is_read = |&m: &usize| !all_known || named(&frame.equations[m]);
            let fields: Vec<usize> = (0..frame.equations.len()).filter(is_read).collect();
            to_exact(&reader.frame_with(&fields)?, formulas, &vocabulary)
        }
        Truth::Run(other) => to_frame(&read::frame::<D>(path)?, &read::frame::<D>(&last_frame(other)?)?),
    }
}

/// Sums up the norms cell by cell.
#[derive(Default)]
struct Sum {
    volume: f64,
    absolute: f64,
    squares: f64,
    max: f64,
    truth: Option<(f64, f64)>,
}

impl Sum {
    fn add(&mut self, value: f64, truth: f64, volume: f64) {
        let error = (value - truth).abs();
        let (low, high) = self.truth.get_or_insert((truth, truth));
        (*low, *high) = (low.min(truth), high.max(truth));
        self.volume += volume;
        self.absolute += volume * error;
        self.squares += volume * error * error;
        // NaN must count as the largest error.
        if error > self.max || error.is_nan() {
            self.max = error;
        }
    }

    fn norms(&self) -> Norms {
        let range = self.truth.map_or(0.0, |(low, high)| high - low);
        Norms { l1: self.absolute / self.volume, l2: (self.squares / self.volume).sqrt(), max: self.max, range }
    }
}

/// The errors of a frame with respect to formulas.
///
/// # Errors
/// A formula is wrong or has no value in a cell, or its name is no equation's.
pub fn to_exact<const D: usize>(
    frame: &Frame<D>,
    formulas: &[(String, String)],
    vocabulary: &Vocabulary,
) -> Result<Vec<(String, Norms)>, CompareError> {
    let names = Names { variables: cell_names(D), constants: vocabulary.constants.clone(), ..Names::default() };
    let mapping = frame.mapped();
    let mut found = Vec::new();
    for (name, text) in formulas {
        let Some(equation) = frame.equations.iter().position(|equation| equation == name) else {
            let known = frame.equations.join(", ");
            return Err(CompareError::Unlike(format!("there is no equation \"{name}\": the equations are {known}")));
        };
        let mistake = |errors: Vec<ExpressionError>| FormulaError::first(text, errors);
        let exact = compile_on_mesh(text, &frame.mapping, &names).map_err(mistake)?;
        let exact = RowExpressions::<D>::new(vec![exact]);
        let mut sum = Sum::default();
        if let (Some(mesh), Some(mapping)) = (&frame.mesh, &mapping) {
            let patch = &frame.levels[0].patches[0];
            let cells = patch.cells.cells().zip(patch.values(FieldIndex::Equation(equation))).zip(&mesh.volume);
            for ((cell, value), volume) in cells {
                let centroid = mapping.position(frame.geometry(0).centre(cell));
                sum.add(*value, at_centroid((name, text), &exact, centroid, frame.time)?, *volume);
            }
            found.push((name.clone(), sum.norms()));
            continue;
        }
        for (l, level) in frame.levels.iter().enumerate() {
            let geometry = frame.geometry(l);
            let covering = frame.covering(l);
            for patch in &level.patches {
                let (cells, covered) = (patch.cells.volume(), covering.of(&patch.cells));
                let values = &patch.q[equation * cells..][..cells];
                let means = cell_means((geometry, mapping.as_ref()), &patch.cells, &exact, frame.time);
                let volumes = volumes((geometry, mapping.as_ref()), &patch.cells);
                for (k, cell) in patch.cells.cells().enumerate().filter(|(k, _)| !covered[*k]) {
                    if !means[k].is_finite() {
                        return Err(not_finite((name, text), means[k], geometry.centre(cell), frame.time));
                    }
                    sum.add(values[k], means[k], volumes[k]);
                }
            }
        }
        found.push((name.clone(), sum.norms()));
    }
    Ok(found)
}

/// Volumes of the cells of a box, x fastest: physical ones on a mapped mesh.
pub fn volumes<const D: usize>(
    (geometry, mapping): (Geometry<D>, Option<&Mapping<D>>),
    cells: &CellBox<D>,
) -> Vec<f64> {
    let Some(mapping) = mapping else { return vec![geometry.volume(); cells.volume()] };
    let size = cells.size().map(|n| n as usize);
    let mapped = mapping.cells(cells.lo, geometry.dx, size);
    mapped.iter().map(|cell| cell.capacity * geometry.volume()).collect()
}

/// Means of an expression over the cells of a box, x fastest.
fn cell_means<const D: usize>(
    (geometry, mapping): (Geometry<D>, Option<&Mapping<D>>),
    cells: &CellBox<D>,
    exact: &RowExpressions<D>,
    time: f64,
) -> Vec<f64> {
    let (dx, len) = (geometry.dx, cells.size()[0] as usize);
    let mut means = Vec::with_capacity(cells.volume());
    let mut point_values = vec![0.0; len];
    let reach = 0.5 / 3.0_f64.sqrt();
    for cell in cells.rows() {
        let (mut sums, mut weights) = (vec![0.0; len], vec![0.0; len]);
        for point in 0..1 << D {
            let side = |d: usize| if point >> d & 1 == 0 { -reach } else { reach };
            let row = CellRow { geometry: geometry.moved(std::array::from_fn(side)), first: cell, len, time };
            exact.evaluate(&row, &[], &mut point_values);
            let points: Vec<[f64; D]> = (0..len).map(|i| row.centre(i)).collect();
            let elements = mapping.map_or_else(|| vec![1.0; len], |mapping| mapping.volume_elements(&points, dx));
            for i in 0..len {
                sums[i] += elements[i] * point_values[i];
                weights[i] += elements[i];
            }
        }
        means.extend(sums.iter().zip(&weights).map(|(sum, weight)| sum / weight));
    }
    means
}

/// The coarsest level of a frame: `q[equation][cell]`, x fastest.
pub fn coarsest<const D: usize>(frame: &Frame<D>) -> Vec<Vec<f64>> {
    let cells: usize = frame.cells.iter().map(|&n| n as usize).product();
    let mut q = vec![vec![f64::NAN; cells]; frame.equations.len()];
    for patch in frame.levels.first().map_or(&[][..], |level| &level.patches) {
        let volume = patch.cells.volume();
        for (i, cell) in patch.cells.cells().enumerate() {
            let at = (0..D).rev().fold(0, |offset, d| offset * frame.cells[d] as usize + cell[d] as usize);
            q.iter_mut().enumerate().for_each(|(m, q)| q[at] = patch.q[m * volume + i]);
        }
    }
    q
}

/// Volumes of the cells of a frame's coarsest level, x fastest.
fn coarsest_volumes<const D: usize>(frame: &Frame<D>) -> Vec<f64> {
    if let Some(mesh) = &frame.mesh {
        return mesh.volume.clone();
    }
    volumes((frame.geometry(0), frame.mapped().as_ref()), &frame.domain(0))
}

/// The errors of a frame with respect to another one of the same problem, on the frame's coarsest level.
///
/// # Errors
/// Other equations, another domain or time, or cells that do not fit into each other.
pub fn to_frame<const D: usize>(frame: &Frame<D>, truth: &Frame<D>) -> Result<Vec<(String, Norms)>, CompareError> {
    let unlike = |what: &str| Err(CompareError::Unlike(format!("the two solutions have different {what}")));
    if frame.equations != truth.equations {
        return unlike("equations");
    }
    if frame.mesh.as_ref().map(|mesh| &mesh.centroid) != truth.mesh.as_ref().map(|mesh| &mesh.centroid) {
        return unlike("meshes: cells of files do not fill one another; compare with formulas");
    }
    if (frame.lower, frame.upper) != (truth.lower, truth.upper) {
        return unlike("domains");
    }
    if !same_time(frame.time, truth.time) {
        return unlike("times");
    }
    if (0..D).any(|d| truth.cells[d] % frame.cells[d] != 0) {
        return unlike("cells: those of the finer one must fill those of the other");
    }
    let ratio: [usize; D] = std::array::from_fn(|d| (truth.cells[d] / frame.cells[d]) as usize);
    let (own_volumes, fine_volumes) = (coarsest_volumes(frame), coarsest_volumes(truth));
    // The coarser cell that holds a finer one.
    let holder = |number: usize| {
        let (mut rest, mut at, mut stride) = (number, 0, 1);
        for d in 0..D {
            at += rest % truth.cells[d] as usize / ratio[d] * stride;
            rest /= truth.cells[d] as usize;
            stride *= frame.cells[d] as usize;
        }
        at
    };
    let mut whole = vec![0.0; own_volumes.len()];
    fine_volumes.iter().enumerate().for_each(|(number, volume)| whole[holder(number)] += volume);
    let mut found = Vec::new();
    for (name, (own, fine)) in frame.equations.iter().zip(coarsest(frame).iter().zip(&coarsest(truth))) {
        let mut means = vec![0.0; own.len()];
        for (number, (value, volume)) in fine.iter().zip(&fine_volumes).enumerate() {
            let at = holder(number);
            means[at] += volume / whole[at] * value;
        }
        let mut sum = Sum::default();
        own.iter().zip(&means).zip(&own_volumes).for_each(|((a, b), volume)| sum.add(*a, *b, *volume));
        found.push((name.clone(), sum.norms()));
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
