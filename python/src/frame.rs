//! Snapshots, read from files or taken from a simulation.

use crate::arrays::{PatchView, packed_strides};
use crate::errors;
use amrclaw::compare;
use amrclaw::frames::derived::Vocabulary;
use amrclaw::frames::slice::{Projection, project};
use amrclaw::frames::{self, AnyFrame, FrameFormat, frame};
use amrclaw::index::CellBox;
use amrclaw::mesh::Mapping;
use amrclaw::picture::{PictureOptions, draw};
use amrclaw::view;
use amrclaw::with_frame;
use numpy::ndarray::Array2;
use numpy::{PyArray1, PyArray2, PyReadonlyArray2, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

/// The solution at one time. Values never change.
#[pyclass(frozen, module = "amrclaw._amrclaw")]
pub struct Frame {
    frame: AnyFrame,
    /// Names that formulas may use besides its fields.
    vocabulary: Vocabulary,
}

impl Frame {
    pub fn new(frame: AnyFrame, vocabulary: Vocabulary) -> Self {
        Frame { frame, vocabulary }
    }
}

/// A box of cells as Python gets it: first cell, cell past the last.
pub type BoxTuple = (Vec<i32>, Vec<i32>);

/// A patch as Python gets it: first cell, cell past the last, q, aux.
pub type PatchTuple<'py> = (Vec<i32>, Vec<i32>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// A mesh as Python gets it.
type MeshArrays<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>);

#[pymethods]
impl Frame {
    #[getter]
    fn number(&self) -> usize {
        with_frame!(&self.frame, f => f.number)
    }

    #[getter]
    fn time(&self) -> f64 {
        with_frame!(&self.frame, f => f.time)
    }

    #[getter]
    fn steps(&self) -> Vec<u64> {
        with_frame!(&self.frame, f => f.steps.clone())
    }

    #[getter]
    fn equations(&self) -> Vec<String> {
        with_frame!(&self.frame, f => f.equations.clone())
    }

    #[getter]
    fn aux(&self) -> Vec<String> {
        with_frame!(&self.frame, f => f.aux.clone())
    }

    #[getter]
    fn lower(&self) -> Vec<f64> {
        with_frame!(&self.frame, f => f.lower.to_vec())
    }

    #[getter]
    fn upper(&self) -> Vec<f64> {
        with_frame!(&self.frame, f => f.upper.to_vec())
    }

    #[getter]
    fn cells(&self) -> Vec<i32> {
        with_frame!(&self.frame, f => f.cells.to_vec())
    }

    /// Refinement per axis from each level to the next.
    #[getter]
    fn ratios(&self) -> Vec<Vec<i32>> {
        with_frame!(&self.frame, f => f.ratios.iter().map(|r| r.0.to_vec()).collect())
    }

    #[getter]
    fn num_levels(&self) -> usize {
        with_frame!(&self.frame, f => f.levels.len())
    }

    /// Whether the mesh is mapped.
    #[getter]
    fn mapped(&self) -> bool {
        with_frame!(&self.frame, f => !f.mapping.is_empty())
    }

    /// The mesh of a case with one: positions of points, the points of all cells, and where those of each begin and end.
    #[getter]
    fn mesh<'py>(&self, py: Python<'py>) -> Option<MeshArrays<'py>> {
        let (mesh, dim) = with_frame!(&self.frame, f => (f.mesh.clone()?, f.cells.len()));
        let points = Array2::from_shape_fn((mesh.points.len(), dim), |(i, d)| mesh.points[i][d]);
        let nodes = &mesh.cells.nodes;
        Some((points.to_pyarray(py), nodes.items.to_pyarray(py), nodes.starts.to_pyarray(py)))
    }

    /// Centroids of the cells of a mesh from a file, one a row.
    #[getter]
    fn centroids<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<f64>>> {
        let (mesh, dim) = with_frame!(&self.frame, f => (f.mesh.clone()?, f.cells.len()));
        Some(Array2::from_shape_fn((mesh.num_cells(), dim), |(i, d)| mesh.centroid[i][d]).to_pyarray(py))
    }

    /// Values of all fields at points of a mesh from a file, one a row; `linear`: with gradients. NaN outside.
    fn at_points<'py>(
        &self,
        py: Python<'py>,
        points: PyReadonlyArray2<'py, f64>,
        linear: bool,
    ) -> Option<Bound<'py, PyArray2<f64>>> {
        let points = owned(&points);
        let values = py.detach(|| with_frame!(&self.frame, f => at_points(f, &points, linear)));
        values.map(|values| values.to_pyarray(py))
    }

    /// Physical positions of computational points, one a row.
    fn positions<'py>(
        &self,
        py: Python<'py>,
        points: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let points = owned(&points);
        Ok(with_frame!(&self.frame, f => positions(f, points)?).to_pyarray(py))
    }

    /// Computational points at physical positions, one a row; a row of NaN where there are no cells.
    fn computational<'py>(
        &self,
        py: Python<'py>,
        positions: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let positions = owned(&positions);
        Ok(py.detach(|| with_frame!(&self.frame, f => computational(f, positions)))?.to_pyarray(py))
    }

    /// Volumes of the cells of a box of a level, counted from 1, x fastest: physical ones on a mapped mesh.
    fn volumes<'py>(
        &self,
        py: Python<'py>,
        level: usize,
        lo: Vec<i32>,
        hi: Vec<i32>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(with_frame!(&self.frame, f => volumes(f, level, &lo, &hi)?).to_pyarray(py))
    }

    /// Patches of a level, counted from 1.
    fn patches<'py>(slf: &Bound<'py, Self>, level: usize) -> PyResult<Vec<PatchTuple<'py>>> {
        with_frame!(&slf.get().frame, f => patches(f, level, slf.as_any()))
    }

    /// First cell and cell past the last of each patch of a level, counted from 1.
    fn boxes(&self, level: usize) -> PyResult<Vec<BoxTuple>> {
        with_frame!(&self.frame, f => {
            let index = errors::level_index(level, f.levels.len())?;
            Ok(f.levels[index].patches.iter().map(|p| (p.cells.lo.to_vec(), p.cells.hi.to_vec())).collect())
        })
    }

    /// A frame of the same patches whose fields are these formulas, each with its name.
    fn derive(&self, py: Python<'_>, formulas: Vec<(String, String)>) -> PyResult<Self> {
        let derived = py.detach(|| self.frame.derive(&formulas, &self.vocabulary));
        Ok(Frame::new(derived.map_err(|e| errors::refused(e.to_string()))?, self.vocabulary.clone()))
    }

    /// Names of the quantities of the solver that `derive` knows.
    #[getter]
    fn quantities(&self) -> Vec<String> {
        self.vocabulary.formulas.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The cells at `position` along an axis, as a frame of the other axes.
    fn slice(&self, axis: usize, position: f64) -> PyResult<Self> {
        let cut = self.frame.slice(axis, position);
        let cut = cut.ok_or_else(|| errors::refused("a frame in 1D cannot be cut".to_owned()))?;
        Ok(Frame::new(cut, Vocabulary::default()))
    }

    /// Reduces one field of a 3D frame along an axis by "max", "min", "mean" or "integral".
    fn project(&self, py: Python<'_>, axis: usize, what: &str, field: &str) -> PyResult<Self> {
        let AnyFrame::Three(frame) = &self.frame else {
            return Err(errors::refused("only frames in 3D are projected".to_owned()));
        };
        let projection = match what {
            "max" => Projection::Max,
            "min" => Projection::Min,
            "mean" => Projection::Mean,
            "integral" => Projection::Integral,
            _ => return Err(errors::refused(format!("\"{what}\" is no projection: max, min, mean, integral"))),
        };
        let index = frame.field(field).ok_or_else(|| errors::refused(format!("there is no field \"{field}\"")))?;
        let seen = py.detach(|| project(frame, index, axis, projection));
        Ok(Frame::new(AnyFrame::Two(seen), Vocabulary::default()))
    }

    /// A small picture of the first field as PNG.
    fn picture<'py>(&self, py: Python<'py>, size: usize) -> PyResult<Bound<'py, PyBytes>> {
        let options = PictureOptions { size, ..PictureOptions::default() };
        let png = py.detach(|| {
            let image =
                with_frame!(&self.frame, f => draw(f, None, &options)).map_err(|e| errors::refused(e.to_string()))?;
            image.image().png().map_err(errors::broken)
        })?;
        Ok(PyBytes::new(py, &png))
    }

    /// Writes the frame into the folder `dir` under number `number`; returns the files.
    fn write(&self, py: Python<'_>, dir: PathBuf, format: &str, number: usize) -> PyResult<Vec<PathBuf>> {
        let format: FrameFormat = format.parse().map_err(|e| errors::refused(format!("format: {e}")))?;
        py.detach(|| {
            std::fs::create_dir_all(&dir).map_err(|e| errors::broken(format!("{}: {e}", dir.display())))?;
            with_frame!(&self.frame, f => {
                format.supports(&f.ratios.iter().map(|r| r.0).collect::<Vec<_>>()).map_err(errors::refused)
            })?;
            self.frame.write(format, &dir, number).map_err(errors::broken)
        })
    }
}

/// A copy of the rows of an array, which may have none.
fn owned(points: &PyReadonlyArray2<'_, f64>) -> Array2<f64> {
    let view = points.as_array();
    Array2::from_shape_fn(view.dim(), |place| view[place])
}

fn positions<const D: usize>(frame: &frame::Frame<D>, points: Array2<f64>) -> PyResult<Array2<f64>> {
    mapped(frame, points, |mapping, points| mapping.positions(points))
}

fn computational<const D: usize>(frame: &frame::Frame<D>, positions: Array2<f64>) -> PyResult<Array2<f64>> {
    let nowhere = [f64::NAN; D];
    mapped(frame, positions, |mapping, positions| {
        mapping.inverses(positions).into_iter().map(|point| point.unwrap_or(nowhere)).collect()
    })
}

fn at_points<const D: usize>(frame: &frame::Frame<D>, points: &Array2<f64>, linear: bool) -> Option<Array2<f64>> {
    let rows: Vec<[f64; D]> = points.rows().into_iter().map(|row| std::array::from_fn(|d| row[d])).collect();
    let values = frame.at_points(&rows, linear)?;
    Array2::from_shape_vec((values.len() / rows.len().max(1), rows.len()), values).ok()
}

fn volumes<const D: usize>(frame: &frame::Frame<D>, level: usize, lo: &[i32], hi: &[i32]) -> PyResult<Vec<f64>> {
    if let Some(mesh) = &frame.mesh {
        return Ok(mesh.volume.clone());
    }
    let geometry = frame.geometry(errors::level_index(level, frame.levels.len())?);
    let corner = |corner: &[i32]| corner.try_into().map_err(|_| errors::refused(format!("cells have {D} numbers")));
    Ok(compare::volumes((geometry, frame.mapped().as_ref()), &CellBox::new(corner(lo)?, corner(hi)?)))
}

/// Applies a function of the mapping to points, one a row; without a mapping returns them unchanged.
fn mapped<const D: usize>(
    frame: &frame::Frame<D>,
    mut points: Array2<f64>,
    function: impl Fn(&Mapping<D>, &[[f64; D]]) -> Vec<[f64; D]>,
) -> PyResult<Array2<f64>> {
    if points.ncols() != D {
        return Err(errors::refused(format!("points have {} coordinates, the solution has {D}", points.ncols())));
    }
    if let Some(mapping) = frame.mapped().filter(|_| points.nrows() > 0) {
        let rows: Vec<[f64; D]> = points.rows().into_iter().map(|row| std::array::from_fn(|d| row[d])).collect();
        for (mut row, point) in points.rows_mut().into_iter().zip(function(&mapping, &rows)) {
            point.into_iter().enumerate().for_each(|(d, x)| row[d] = x);
        }
    }
    Ok(points)
}

fn patches<'py, const D: usize>(
    frame: &frame::Frame<D>,
    level: usize,
    owner: &Bound<'py, PyAny>,
) -> PyResult<Vec<PatchTuple<'py>>> {
    let index = errors::level_index(level, frame.levels.len())?;
    let tuple = |patch: &frame::FramePatch<D>| {
        let size = patch.cells.size().map(|n| n as usize);
        let view =
            PatchView { lo: patch.cells.lo.to_vec(), hi: patch.cells.hi.to_vec(), strides: packed_strides(&size) };
        let num_aux = patch.aux.len() / patch.cells.volume().max(1);
        // SAFETY: `owner` keeps the frame alive, and it never changes.
        let (q, aux) = unsafe {
            (
                view.array(&patch.q, 0, frame.equations.len(), owner.clone())?,
                view.array(&patch.aux, 0, num_aux, owner.clone())?,
            )
        };
        Ok((view.lo, view.hi, q, aux))
    };
    frame.levels[index].patches.iter().map(tuple).collect()
}

/// Numbers and paths of the frames in a folder.
#[pyfunction]
pub fn list_frames(dir: PathBuf) -> PyResult<Vec<(usize, PathBuf)>> {
    frames::read::list_frames(&dir).map_err(errors::from_file)
}

/// Reads a frame from its file.
#[pyfunction]
pub fn read_frame(py: Python<'_>, path: PathBuf) -> PyResult<Frame> {
    let frame = py.detach(|| AnyFrame::read(&path)).map_err(errors::from_file)?;
    let vocabulary = with_frame!(&frame, f => {
        Vocabulary::of_folder(path.parent().unwrap_or(&path), &f.equations, f.cells.len())
    });
    Ok(Frame::new(frame, vocabulary))
}

/// The page of the runs in folders, and what it lacks to have at most `budget` bytes.
#[pyfunction]
pub fn saved_page(
    py: Python<'_>,
    dirs: Vec<PathBuf>,
    fields: Vec<String>,
    budget: usize,
) -> PyResult<(String, Option<String>)> {
    let page = py.detach(|| view::saved_page(&dirs, &fields, budget)).map_err(|e| errors::refused(e.to_string()))?;
    Ok((page.html, page.left_out))
}
