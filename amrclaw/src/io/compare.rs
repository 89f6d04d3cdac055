//! How far a solution is from another one, or from formulas.

use super::derived::{FormulaError, Vocabulary};
use super::error::InputError;
use super::expression::{ExpressionError, Names, RowExpressions, cell_names, compile_on_mesh};
use super::frame::Frame;
use super::read;
use crate::index::CellBox;
use crate::mesh::{Geometry, Mapping};
use crate::physics::CellRow;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The size of an error, in the norms of the domain: means over its volume, so that no unit of length is in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Norms {
    /// Mean of the absolute values.
    pub l1: f64,
    /// Root of the mean of the squares.
    pub l2: f64,
    /// The largest.
    pub max: f64,
    /// From the smallest to the largest value of what the solution is compared with.
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

/// The error of a solution as one number: the mean of the absolute error (L1) over the range of values, of the equation
/// where it is largest. Equations whose range is round-off beside that of others do not count.
pub fn relative_error(errors: &[(String, Norms)]) -> Option<f64> {
    let widest = errors.iter().map(|(_, norms)| norms.range).fold(0.0, f64::max);
    let counting = errors.iter().filter(|(_, norms)| norms.range > 1e-10 * widest);
    // A value that is no number must not pass for small.
    counting.map(|(_, norms)| norms.l1 / norms.range).reduce(|a, b| if a > b || a.is_nan() { a } else { b })
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
    /// The two solutions have nothing in common.
    #[error("{0}")]
    Unlike(String),
}

/// What a solution is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth<'a> {
    /// Formulas of position and time by equation.
    Exact(&'a [(String, String)]),
    /// The last frame in the folder of another run, on a mesh that is finer by whole numbers.
    Run(&'a Path),
}

/// The error of each equation's quantity in the last frame in the folder of a run: of those that have a formula, or of
/// all.
///
/// Formulas are compared with the finest cells at each place, as means over the cells by Gauss's rule with two points an
/// axis; another run on the cells of the coarsest level, which hold the means of all finer ones. On a mapped mesh formulas are of physical
/// positions, and cells count by their physical volumes.
///
/// # Errors
/// See [`CompareError`].
pub fn errors(dir: &Path, truth: &Truth<'_>) -> Result<Vec<(String, Norms)>, CompareError> {
    let path = last_frame(dir)?;
    match read::peek_dimension(&path)? {
        1 => errors_in::<1>(dir, &path, truth),
        2 => errors_in::<2>(dir, &path, truth),
        _ => errors_in::<3>(dir, &path, truth),
    }
}

fn last_frame(dir: &Path) -> Result<std::path::PathBuf, InputError> {
    let missing = || InputError::Kind {
        path: dir.to_owned(),
        expected: "the folder of a run with frames",
        reason: "it holds no frame_*.vtkhdf".into(),
    };
    read::list_frames(dir)?.pop().map(|(_, path)| path).ok_or_else(missing)
}

fn errors_in<const D: usize>(dir: &Path, path: &Path, truth: &Truth<'_>) -> Result<Vec<(String, Norms)>, CompareError> {
    let frame = read::frame::<D>(path)?;
    match truth {
        Truth::Exact(formulas) => {
            let vocabulary = Vocabulary::of_folder(dir, &frame.equations, D);
            to_exact(&frame, formulas, &vocabulary)
        }
        Truth::Run(other) => to_frame(&frame, &read::frame::<D>(&last_frame(other)?)?),
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
        // What is no number must not pass for small.
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
/// A formula is wrong, or its name is no equation's.
pub fn to_exact<const D: usize>(
    frame: &Frame<D>,
    formulas: &[(String, String)],
    vocabulary: &Vocabulary,
) -> Result<Vec<(String, Norms)>, CompareError> {
    let names = Names { variables: cell_names(D), constants: vocabulary.constants.clone() };
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
        for (l, level) in frame.levels.iter().enumerate() {
            let geometry = Geometry { lower: frame.lower, dx: level.dx };
            for patch in &level.patches {
                let (cells, covered) = (patch.cells.volume(), frame.covered(l, patch));
                let values = &patch.q[equation * cells..][..cells];
                let means = cell_means((geometry, mapping.as_ref()), &patch.cells, &exact, frame.time);
                let volumes = volumes((geometry, mapping.as_ref()), &patch.cells);
                for (k, _) in covered.iter().enumerate().filter(|(_, covered)| !**covered) {
                    sum.add(values[k], means[k], volumes[k]);
                }
            }
        }
        found.push((name.clone(), sum.norms()));
    }
    Ok(found)
}

/// Volumes of the cells of a box, x fastest: physical ones on a mapped mesh.
fn volumes<const D: usize>((geometry, mapping): (Geometry<D>, Option<&Mapping<D>>), cells: &CellBox<D>) -> Vec<f64> {
    let Some(mapping) = mapping else { return vec![geometry.volume(); cells.volume()] };
    let size = cells.size().map(|n| n as usize);
    let mapped = mapping.cells(geometry.corner(cells.lo), geometry.dx, size);
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
        let corner = geometry.corner(cell);
        let (mut sums, mut weights) = (vec![0.0; len], vec![0.0; len]);
        for point in 0..1 << D {
            let side = |d: usize| if point >> d & 1 == 0 { -reach } else { reach };
            let row = CellRow { lower: std::array::from_fn(|d| corner[d] + side(d) * dx[d]), dx, len, time };
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
    let dx = std::array::from_fn(|d| (frame.upper[d] - frame.lower[d]) / f64::from(frame.cells[d]));
    volumes((Geometry { lower: frame.lower, dx }, frame.mapped().as_ref()), &frame.domain(0))
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
    if (frame.lower, frame.upper) != (truth.lower, truth.upper) {
        return unlike("domains");
    }
    if (frame.time - truth.time).abs() > 1e-9 * truth.time.abs().max(1e-9) {
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
mod tests {
    use super::*;
    use crate::index::{CellBox, Ratio};
    use crate::io::frame::{FrameLevel, FramePatch};

    /// x² on [0, 2] × [0, 1] as means over 4 × 2 · n cells, the left half refined once; `shift` is added on the finer level.
    fn frame(n: i32, shift: f64) -> Frame<2> {
        let mean = |lower: f64, dx: f64| ((lower + dx).powi(3) - lower.powi(3)) / (3.0 * dx);
        let patch = |cells: CellBox<2>, dx: f64, shift: f64| FramePatch {
            cells,
            q: cells.cells().map(|c| mean(f64::from(c[0]) * dx, dx) + shift).collect(),
            aux: vec![],
        };
        let dx = 0.5 / f64::from(n);
        Frame {
            number: 1,
            time: 0.5,
            steps: vec![],
            equations: vec!["q".into()],
            aux: vec![],
            lower: [0.0; 2],
            upper: [2.0, 1.0],
            cells: [4 * n, 2 * n],
            ratios: vec![Ratio([2, 2])],
            mapping: vec![],
            levels: vec![
                FrameLevel { dx: [dx; 2], patches: vec![patch(CellBox::new([0; 2], [4 * n, 2 * n]), dx, 0.0)] },
                FrameLevel {
                    dx: [0.5 * dx; 2],
                    patches: vec![patch(CellBox::new([0; 2], [4 * n, 4 * n]), 0.5 * dx, shift)],
                },
            ],
        }
    }

    /// Gauss's rule is exact for x², so the error is what was added, on the half of the domain that is refined.
    #[test]
    fn errors_to_formulas_count_the_finest_cells() {
        let formulas = vec![("q".to_owned(), "x^2 + 0 * t".to_owned())];
        let found = to_exact(&frame(3, 0.25), &formulas, &Vocabulary::default()).unwrap();
        let Norms { l1, l2, max, .. } = found[0].1;
        assert!((relative_error(&found).unwrap() - l1 / found[0].1.range).abs() < 1e-15 && found[0].1.range > 3.5);
        for (value, expected) in [(l1, 0.125), (l2, (0.5_f64 * 0.0625).sqrt()), (max, 0.25)] {
            assert!((value - expected).abs() < 1e-14, "{value} instead of {expected}");
        }
        let wrong = |name: &str, text: &str| {
            to_exact(&frame(1, 0.0), &[(name.into(), text.into())], &Vocabulary::default()).unwrap_err().to_string()
        };
        assert!(wrong("p", "x").contains("the equations are q"));
        assert!(wrong("q", "2 * y_lowr").contains("did you mean `y_lower`?"));
    }

    /// Means of finer cells are those of the coarser ones; what does not fit together is refused.
    #[test]
    fn errors_to_a_finer_run_are_differences_of_means() {
        let Norms { l1, max, .. } = to_frame(&frame(2, 0.0), &frame(6, 0.0)).unwrap()[0].1;
        assert!(l1 < 1e-14 && max < 1e-14, "{l1} {max}");
        let mut shifted = frame(2, 0.0);
        shifted.levels[0].patches[0].q[3] += 0.5;
        let Norms { l1, l2, max, .. } = to_frame(&shifted, &frame(4, 0.0)).unwrap()[0].1;
        assert!(
            (l1 - 0.5 / 32.0).abs() < 1e-14 && (l2 - 0.5 / 32.0_f64.sqrt()).abs() < 1e-14 && (max - 0.5).abs() < 1e-14
        );
        assert!(to_frame(&frame(2, 0.0), &frame(3, 0.0)).unwrap_err().to_string().contains("cells"));
        let later = Frame { time: 0.6, ..frame(4, 0.0) };
        assert!(to_frame(&frame(2, 0.0), &later).unwrap_err().to_string().contains("times"));
    }

    /// r² on a quarter of a ring, 1 < r < 2, as means over 4n × 3n bent cells; `shift` is added where r > 3/2.
    fn ring(n: i32, shift: f64) -> Frame<2> {
        let (cells, dx) = (CellBox::new([0; 2], [4 * n, 3 * n]), [0.25 / f64::from(n), 1.0 / (3.0 * f64::from(n))]);
        let mean = |i: i32| {
            let [inner, outer] = [i, i + 1].map(|i| 1.0 + f64::from(i) * dx[0]);
            0.5 * (inner * inner + outer * outer) + if inner > 1.499 { shift } else { 0.0 }
        };
        Frame {
            upper: [1.0; 2],
            cells: [4 * n, 3 * n],
            ratios: vec![],
            mapping: vec!["(1 + X) * cos(pi/2 * Y)".into(), "(1 + X) * sin(pi/2 * Y)".into()],
            levels: vec![FrameLevel {
                dx,
                patches: vec![FramePatch { cells, q: cells.cells().map(|c| mean(c[0])).collect(), aux: vec![] }],
            }],
            ..frame(1, 0.0)
        }
    }

    /// On a mapped mesh formulas are of physical positions, and cells count by their areas: of the ring the outer half of X is 7/12. Gauss's
    /// rule is exact for r² times r; differences give the latter to 1e-9, which the mean's quotient leaves out.
    #[test]
    fn cells_of_a_mapped_mesh_count_by_their_areas() {
        let share = 1.75 / 3.0;
        let found = to_exact(&ring(2, 0.25), &[("q".into(), "x^2 + y^2".into())], &Vocabulary::default()).unwrap();
        let Norms { l1, max, .. } = found[0].1;
        assert!((l1 - 0.25 * share).abs() < 1e-9 && (max - 0.25).abs() < 1e-9, "{l1} {max}");
        let Norms { l1, max, .. } = to_frame(&ring(1, 0.25), &ring(3, 0.0)).unwrap()[0].1;
        assert!((l1 - 0.25 * share).abs() < 1e-14 && (max - 0.25).abs() < 1e-14, "{l1} {max}");
        let wrong = to_exact(&ring(1, 0.0), &[("q".into(), "x_lower".into())], &Vocabulary::default()).unwrap_err();
        assert!(wrong.to_string().contains("not known on a mapped mesh"), "{wrong}");
    }
}
