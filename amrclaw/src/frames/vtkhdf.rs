//! VTKHDF *OverlappingAMR*: one HDF5 file per frame, for ParaView ≥ 5.11, VTK ≥ 9.2 and `amrclaw plot`.
//!
//! `/VTKHDF/Level{l}` holds a level's boxes (inclusive cell indices) and, per field, the values of all its boxes end to
//! end, x fastest. VTK has no AMR files of fewer than three dimensions: in 1D and 2D every level has the two
//! cells −1 and 0 along each missing axis, with the same values (see `LAYERS`). `vtkGhostType` marks cells that a finer
//! level covers, which VTK 9.2 and 9.3 need. A mapped mesh is an *UnstructuredGrid* of the finest cells at each place (`mapped`), and
//! its levels are in the group `/amrclaw`. The group `/amrclaw`, which VTK ignores, holds what is needed to read the
//! frame back. `frames.vtkhdf.series` lists the frames with their times.

mod mapped;

pub use mapped::read_mesh;

use super::atomic::{Durability, write_file, write_in_places};
use super::digests::{DIGEST, bytes_of, digest, header_bytes};
use super::error::OutputError;
use super::frame::{FieldIndex, Frame, FrameLevel, PatchSource};
use super::frame_header;
use super::sparse::{DataSetWriter, SparseFile, reserve};
use crate::index::CellBox;
use hdf5::{AttrValue, FileBuilder, GroupBuilder, make_f64_type, make_i64_type, make_u8_type};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Version of the group `/amrclaw`.
pub const FORMAT_VERSION: i64 = 1;
/// Attribute of `/amrclaw`: the data set of each field, in the order of [`Frame::fields`].
pub const DATASETS: &str = "datasets";
/// Data set of `/amrclaw`: by level and field, the CRC-32 of the field's values in the file.
pub const DIGESTS: &str = "digests";
/// Name of the list of frames.
pub const SERIES: &str = "frames.vtkhdf.series";

/// VTK's marker of cells that a finer level covers: `vtkDataSetAttributes::REFINEDCELL`.
const REFINED_CELL: u8 = 8;
/// Name of the data set of those markers.
const GHOST_TYPE: &str = "vtkGhostType";

/// First and last cell along a missing axis, on every level.
///
/// VTK (seen in 9.7) takes a patch for the parent of a finer one only if they share more than one cell of the finer level
/// along every axis, and then hides the parent's cells under the coarsened child. The cells −1 and 0 are the only range
/// that is its own coarsening and refinement enough for both, whatever the ratio; with one layer, or with cells 0 and 1,
/// coarse cells show through fine ones.
const LAYERS: [i32; 2] = [-1, 0];

/// Name of the file with the present state of a run.
pub const LIVE: &str = "live.vtkhdf";

/// Name of the file of frame `number`.
pub fn file_name(number: usize) -> String {
    format!("frame_{number:04}.vtkhdf")
}

/// Writes one frame, with values from `values` and the same ratio along all axes, and updates the list of frames; returns both files.
///
/// # Errors
/// Names the file and the cause.
pub fn write<const D: usize>(
    frame: &Frame<D>,
    values: &dyn PatchSource<D>,
    dir: &Path,
) -> Result<Vec<PathBuf>, OutputError> {
    let path = dir.join(file_name(frame.number));
    write_as(&path, frame, values)?;
    Ok(vec![path, write_series(frame, dir)?])
}

/// Writes one frame as a file of that name, which is replaced at once if it exists.
///
/// # Errors
/// As for [`write()`].
pub fn write_as<const D: usize>(path: &Path, frame: &Frame<D>, values: &dyn PatchSource<D>) -> Result<(), OutputError> {
    write_in_places(path, Durability::Program, |out, temporary| {
        fill(&SparseFile::new(out, temporary, build(frame))?, frame, values)
    })
}

/// The file without its values.
fn build<const D: usize>(frame: &Frame<D>) -> FileBuilder {
    let names = dataset_names(frame);
    let mut file = FileBuilder::new();
    let mut root = file.create_group("VTKHDF");
    let mut header = file.create_group("amrclaw");
    let kind = if frame.is_of_boxes() { "OverlappingAMR" } else { "UnstructuredGrid" };
    root.set_attr("Version", AttrValue::I64Array(vec![1, 0]));
    root.set_attr("Type", AttrValue::AsciiString(kind.into()));
    // The same thickness on all levels, so that fine cells fill the same slab as the coarse ones.
    let thickness = frame.levels.first().map_or(1.0, |l| 0.5 * l.dx.into_iter().fold(f64::INFINITY, f64::min));
    let levels = if frame.is_of_boxes() {
        root.set_attr("Origin", AttrValue::F64Array(pad(frame.lower, 0.0).to_vec()));
        &mut root
    } else {
        mapped::build(&mut root, frame, &names);
        if let Some(mesh) = &frame.mesh {
            mapped::build_mesh(&mut header, mesh);
        }
        &mut header
    };
    for l in 0..frame.levels.len() {
        let mut group = levels.create_group(&format!("Level{l}"));
        build_level(&mut group, frame, (l, thickness), &names);
        levels.add_group(group.finish());
    }
    file.add_group(root.finish());

    frame_header::write(&mut header, FORMAT_VERSION, frame);
    header.set_attr(DIGEST, digest(&outline_bytes(frame)));
    reserve(header.create_dataset(DIGESTS), make_i64_type(), frame.levels.len() * names.len());
    if !names.is_empty() {
        header.set_attr(DATASETS, AttrValue::StringArray(names));
    }
    file.add_group(header.finish());
    file
}

/// Writes the boxes of one level, and reserves space for its values.
fn build_level<const D: usize>(
    group: &mut GroupBuilder,
    frame: &Frame<D>,
    (level, thickness): (usize, f64),
    names: &[String],
) {
    let FrameLevel { dx, patches } = &frame.levels[level];
    group.set_attr("Spacing", AttrValue::F64Array(pad(*dx, thickness).to_vec()));
    let boxes: Vec<i32> = patches.iter().flat_map(|patch| vtk_box(&patch.cells)).collect();
    group.create_dataset("AMRBox").with_i32_data(&boxes).with_shape(&[patches.len() as u64, 6]);

    let cells = copies(frame) * patches.iter().map(|patch| patch.cells.volume()).sum::<usize>();
    let mut data = group.create_group("CellData");
    let values = names.iter().map(|name| (name.as_str(), make_f64_type()));
    for (name, kind) in values.chain([(GHOST_TYPE, make_u8_type())]) {
        reserve(data.create_dataset(name), kind, cells);
    }
    group.add_group(data.finish());
}

/// Writes the values patch by patch into the reserved space.
fn fill<const D: usize>(file: &SparseFile<'_>, frame: &Frame<D>, values: &dyn PatchSource<D>) -> io::Result<()> {
    let names = dataset_names(frame);
    let fields: Vec<FieldIndex> = frame.fields().map(|(_, field)| field).collect();
    let copies = copies(frame);
    let mut mapped = frame.mapped().map(|mapping| mapped::Cells::new(file, mapping, &names)).transpose()?;
    let mut digests = file.filler(&format!("amrclaw/{DIGESTS}"))?;
    for (l, level) in frame.levels.iter().enumerate() {
        let place = |name: &str| file.filler(&format!("{}/CellData/{name}", level_path(frame, l)));
        let mut fillers =
            names.iter().map(|name| Ok(place(name)?.with_crc())).collect::<io::Result<Vec<DataSetWriter<'_>>>>()?;
        let mut marks = place(GHOST_TYPE)?;
        let covering = frame.covering(l);
        for number in 0..level.patches.len() {
            let patch = values.patch(l, number)?;
            for (filler, &field) in fillers.iter_mut().zip(&fields) {
                (0..copies).try_for_each(|_| filler.put(patch.values(field), f64::to_le_bytes))?;
            }
            let covered = covering.of(&patch.cells);
            let marked: Vec<u8> = covered.iter().map(|&c| if c { REFINED_CELL } else { 0 }).collect();
            (0..copies).try_for_each(|_| marks.put(&marked, u8::to_le_bytes))?;
            if let (Some(mapped), Some(mesh)) = (&mut mapped, &frame.mesh) {
                mapped.put_mesh(mesh, &patch, &fields)?;
            } else if let Some(mapped) = &mut mapped {
                mapped.put(&patch, level.dx, &covered, &fields)?;
            }
        }
        for filler in fillers {
            digests.put(&[filler.finish()?.map_or(0, i64::from)], i64::to_le_bytes)?;
        }
        marks.finish()?;
    }
    digests.finish()?;
    mapped.map_or(Ok(()), mapped::Cells::finish)
}

/// What the digest of a frame's header covers: all but values.
pub fn outline_bytes<const D: usize>(frame: &Frame<D>) -> Vec<u8> {
    let cells =
        frame.levels.iter().flat_map(|level| &level.patches).flat_map(|p| p.cells.lo.into_iter().chain(p.cells.hi));
    [header_bytes(frame, &[]), bytes_of(&cells.collect::<Vec<_>>(), i32::to_le_bytes)].concat()
}

/// The group of a level: outside VTK's own on a mapped mesh, whose cells VTK reads as an unstructured grid.
pub fn level_path<const D: usize>(frame: &Frame<D>, level: usize) -> String {
    format!("{}/Level{level}", if frame.is_of_boxes() { "VTKHDF" } else { "amrclaw" })
}

/// How often the values of each patch are stored: once per layer of each missing axis, unless VTK ignores them.
pub fn copies<const D: usize>(frame: &Frame<D>) -> usize {
    if frame.is_of_boxes() { ((LAYERS[1] - LAYERS[0] + 1) as usize).pow(3 - D as u32) } else { 1 }
}

/// First and last cell along x, y, z: both belong to the box.
fn vtk_box<const D: usize>(cells: &CellBox<D>) -> [i32; 6] {
    let (lo, last) = (pad(cells.lo, LAYERS[0]), pad(cells.hi.map(|n| n - 1), LAYERS[1]));
    std::array::from_fn(|k| if k % 2 == 0 { lo[k / 2] } else { last[k / 2] })
}

/// Three entries: those of the frame's axes, then `filler`.
fn pad<T: Copy, const D: usize>(values: [T; D], filler: T) -> [T; 3] {
    std::array::from_fn(|d| values.get(d).copied().unwrap_or(filler))
}

/// Names of the data sets of all fields: HDF5 gives `/` and `.` a meaning, and no two may be equal.
fn dataset_names<const D: usize>(frame: &Frame<D>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in frame.fields() {
        let base = name.replace(['/', '.'], "_");
        let mut unique = base.clone();
        let mut copy = 2;
        while unique.is_empty() || unique == GHOST_TYPE || names.contains(&unique) {
            unique = format!("{base}_{copy}");
            copy += 1;
        }
        names.push(unique);
    }
    names
}

/// ParaView's list of the files of a time series.
#[derive(Serialize, Deserialize)]
struct Series {
    #[serde(rename = "file-series-version")]
    version: String,
    files: Vec<SeriesEntry>,
}

/// One file of a [`Series`].
#[derive(Serialize, Deserialize)]
struct SeriesEntry {
    name: String,
    time: f64,
}

/// The times of the frames in the list, by number; of none if there is no list.
pub fn times(dir: &Path) -> BTreeMap<usize, f64> {
    let series: Option<Series> =
        std::fs::read(dir.join(SERIES)).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let entries = series.into_iter().flat_map(|series| series.files);
    entries.filter_map(|entry| Some((number_of(&entry.name)?, entry.time))).collect()
}

/// The number of the frame in a file of this name.
pub fn number_of(name: &str) -> Option<usize> {
    let number = name.strip_prefix("frame_")?.strip_suffix(".vtkhdf")?.parse().ok();
    number.filter(|&number| file_name(number) == name)
}

/// Adds the frame to the list, and drops later ones: they are from an earlier run, or from steps that a restart repeats.
fn write_series<const D: usize>(frame: &Frame<D>, dir: &Path) -> Result<PathBuf, OutputError> {
    let path = dir.join(SERIES);
    let is_before = |name: &str| number_of(name).is_some_and(|number| number < frame.number);
    let earlier = |entry: &SeriesEntry| is_before(&entry.name) && dir.join(&entry.name).exists();
    // A missing or unreadable list is replaced by a new one: only the frames themselves matter.
    let old: Option<Series> = std::fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let mut files = old.map_or_else(Vec::new, |s| s.files);
    files.retain(earlier);
    files.push(SeriesEntry { name: file_name(frame.number), time: frame.time });
    let series = Series { version: "1.0".into(), files };
    write_file(&path, Durability::Program, |out| Ok(serde_json::to_writer_pretty(out, &series)?))?;
    Ok(path)
}
