//! Checkpoints: everything a run needs to continue, bit for bit as if it had never stopped, in one HDF5 file.
//!
//! `/amrclaw_checkpoint` carries the frame's header as attributes, the schedule's state and the case's text as bytes, and
//! per level the boxes and all values. Each data set has a digest, the CRC-32 of its values; that of the group covers the header and
//! both texts. Nothing is compressed, so that the file's size bounds what is read. The file is renamed only after it is synchronised to
//! disk.

use super::atomic::{Durability, write_in_places};
use super::digests::{DIGEST, bytes_of, check_digest, digest, header_bytes};
use super::error::{InputError, OutputError};
use super::frame::{Frame, FrameLevel, FramePatch, PatchSource};
use super::frame_header::{self, Attributes, check_patches, damaged, open};
use super::sparse::{DataSetWriter, SparseFile, reserve};
use crate::index::CellBox;
use hdf5::{AttrValue, Dataset, FileBuilder, Group, make_f64_type};
use std::io;
use std::path::Path;

/// Version of the layout; files of other versions are refused.
pub const FORMAT_VERSION: i64 = 3;

/// What the messages call these files.
pub(super) const KIND: &str = "a checkpoint";
/// The group that makes a file a checkpoint.
const ROOT: &str = "amrclaw_checkpoint";
const SCHEDULE: &str = "schedule";
const CASE: &str = "case";

/// The state of a run between two steps of the coarsest level.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint<const D: usize> {
    /// The solution on all levels, with auxiliary values. Its number is that of the next frame to be written.
    pub frame: Frame<D>,
    /// The schedule's state, serialised by the schedule itself.
    pub schedule: String,
    /// The case as it was run: the file's text with all overrides.
    pub case: String,
}

/// Name of the checkpoint after so many steps of the coarsest level.
pub fn file_name(steps: u64) -> String {
    format!("checkpoint_{steps:06}.h5")
}

/// The steps in the name of a checkpoint; `None` for other names.
pub fn steps_of(name: &str) -> Option<u64> {
    let steps = name.strip_prefix("checkpoint_")?.strip_suffix(".h5")?.parse().ok()?;
    (file_name(steps) == name).then_some(steps)
}

/// Writes a checkpoint: see [`Checkpoint`] for its parts. `values`: the source of the frame's values.
///
/// # Errors
/// Names the file and the cause; an older checkpoint of that name is then untouched.
pub fn write<const D: usize>(
    path: &Path,
    (frame, values): (&Frame<D>, &dyn PatchSource<D>),
    schedule: &str,
    case: &str,
) -> Result<(), OutputError> {
    write_in_places(path, Durability::Machine, |out, temporary| {
        let mut digests = vec![[0; 2]; frame.levels.len()];
        let file = SparseFile::new(out, temporary, build(frame, &digests, schedule, case))?;
        let mut filled = Vec::new();
        for (l, digests) in digests.iter_mut().enumerate() {
            *digests = fill(&file, frame, values, l)?;
            filled.extend(arrays(frame).iter().filter(|(_, n)| *n > 0).map(|(name, _)| array_path(l, name)));
        }
        file.rewrite(build(frame, &digests, schedule, case), &filled)
    })
}

/// The arrays of a level: name and number of fields of each.
pub(super) fn arrays<const D: usize>(frame: &Frame<D>) -> [(&'static str, usize); 2] {
    [("q", frame.equations.len()), ("aux", frame.aux.len())]
}

/// The path of a level's array in the file.
fn array_path(l: usize, name: &str) -> String {
    format!("{ROOT}/{}/{name}", level_name(l))
}

/// Writes the values of a level into the reserved space; returns their digests.
fn fill<const D: usize>(
    file: &SparseFile<'_>,
    frame: &Frame<D>,
    values: &dyn PatchSource<D>,
    l: usize,
) -> io::Result<[u32; 2]> {
    let place = |(name, num_fields): (&str, usize)| {
        let filler = (num_fields > 0).then(|| file.filler(&array_path(l, name))).transpose();
        filler.map(|filler| filler.map(DataSetWriter::with_crc))
    };
    let [q, aux] = arrays(frame).map(place);
    let (mut q, mut aux) = (q?, aux?);
    for number in 0..frame.levels[l].patches.len() {
        let patch = values.patch(l, number)?;
        for (filler, values) in [(&mut q, &patch.q), (&mut aux, &patch.aux)] {
            filler.as_mut().map_or(Ok(()), |filler| filler.put(values, f64::to_le_bytes))?;
        }
    }
    let digest = |filler: Option<DataSetWriter<'_>>| filler.map_or(Ok(None), DataSetWriter::finish);
    Ok([digest(q)?, digest(aux)?].map(Option::unwrap_or_default))
}

/// The file without its values, whose digests are given.
fn build<const D: usize>(frame: &Frame<D>, digests: &[[u32; 2]], schedule: &str, case: &str) -> FileBuilder {
    let mut file = FileBuilder::new();
    let mut root = file.create_group(ROOT);
    frame_header::write(&mut root, FORMAT_VERSION, frame);
    root.set_attr(DIGEST, digest(&header_bytes(frame, &[schedule, case])));
    for (name, text) in [(SCHEDULE, schedule), (CASE, case)] {
        // HDF5 has no strings of length zero and ends others at a zero byte; bytes keep any text.
        if !text.is_empty() {
            let bytes = text.as_bytes();
            root.create_dataset(name).with_u8_data(bytes).set_attr(DIGEST, digest(bytes));
        }
    }
    for ((l, level), digests) in frame.levels.iter().enumerate().zip(digests) {
        let mut group = root.create_group(&level_name(l));
        group.set_attr("dx", AttrValue::F64Array(level.dx.to_vec()));
        let boxes: Vec<i32> = level.patches.iter().flat_map(|p| p.cells.lo.into_iter().chain(p.cells.hi)).collect();
        let shape = [level.patches.len() as u64, 2 * D as u64];
        let crc = digest(&bytes_of(&boxes, i32::to_le_bytes));
        group.create_dataset("boxes").with_i32_data(&boxes).with_shape(&shape).set_attr(DIGEST, crc);
        let num_cells: usize = level.patches.iter().map(|p| p.cells.volume()).sum();
        for ((name, num_fields), &crc) in arrays(frame).into_iter().zip(digests).filter(|((_, n), _)| *n > 0) {
            let set = reserve(group.create_dataset(name), make_f64_type(), num_fields * num_cells);
            set.set_attr(DIGEST, AttrValue::U64(crc.into()));
        }
        root.add_group(group.finish());
    }
    file.add_group(root.finish());
    file
}

fn level_name(level: usize) -> String {
    format!("level_{}", level + 1)
}

/// The dimension of the problem in a checkpoint.
///
/// # Errors
/// The file cannot be read, is no checkpoint, is of another version, or is damaged.
pub fn peek_dimension(path: &Path) -> Result<usize, InputError> {
    let file = open(path, KIND)?;
    header(path, &root(path, &file)?)?.dimension()
}

/// Reads everything but the values; also returns the groups of the levels.
pub(super) fn read_outline<const D: usize>(
    path: &Path,
    file: &hdf5::File,
) -> Result<(Checkpoint<D>, Vec<Group>), InputError> {
    let root = root(path, file)?;
    let (mut frame, num_levels) = header(path, &root)?.frame::<D>()?;
    let mut groups = Vec::new();
    for l in 0..num_levels {
        let group = root.group(&level_name(l)).map_err(damaged(path))?;
        let level = read_boxes(path, file, &group, l, &frame)?;
        frame.levels.push(level);
        groups.push(group);
    }
    let (schedule, case) = (text(path, file, &root, SCHEDULE)?, text(path, file, &root, CASE)?);
    let header = Attributes::of(path, &root)?;
    check_digest(path, "its header", &header, digest(&header_bytes(&frame, &[&schedule, &case])))?;
    Ok((Checkpoint { frame, schedule, case }, groups))
}

/// Opens a data set; returns it with its number of values, after checking that the file is large enough to hold them.
fn bounded(path: &Path, file: &hdf5::File, group: &Group, name: &str) -> Result<(Dataset, usize), InputError> {
    let set = group.dataset(name).map_err(damaged(path))?;
    let refused = |reason| InputError::Damaged { path: path.to_owned(), reason };
    if set.is_chunked() || !set.filters().is_empty() {
        return Err(refused(format!("{name} is chunked or compressed, which checkpoints never are")));
    }
    let shape = set.shape().map_err(damaged(path))?;
    let count = shape.iter().try_fold(1_u64, |n, &extent| n.checked_mul(extent));
    let bytes = count.and_then(|count| count.checked_mul(set.element_size().ok()?.max(1)));
    match (count, bytes) {
        (Some(count), Some(bytes)) if bytes <= file.file_size() => Ok((set, count as usize)),
        _ => Err(refused(format!("{name} would have the shape {shape:?}, for which the file is too small"))),
    }
}

fn root(path: &Path, file: &hdf5::File) -> Result<Group, InputError> {
    file.group(ROOT).map_err(|_| InputError::Kind {
        path: path.to_owned(),
        expected: KIND,
        reason: format!("it has no group /{ROOT}"),
    })
}

/// Reads the header's attributes and checks their version.
fn header<'a>(path: &'a Path, root: &Group) -> Result<Attributes<'a>, InputError> {
    let header = Attributes::of(path, root)?;
    header.check_version(FORMAT_VERSION)?;
    Ok(header)
}

fn text(path: &Path, file: &hdf5::File, root: &Group, name: &str) -> Result<String, InputError> {
    if !root.datasets().map_err(damaged(path))?.iter().any(|n| n == name) {
        return Ok(String::new());
    }
    let (set, _) = bounded(path, file, root, name)?;
    let bytes = set.read_u8().map_err(damaged(path))?;
    check_digest(path, name, &Attributes::of_dataset(path, &set)?, digest(&bytes))?;
    String::from_utf8(bytes)
        .map_err(|e| InputError::Damaged { path: path.to_owned(), reason: format!("the {name} is no text ({e})") })
}

/// Level `l` of the frame whose header is `frame`, without values.
fn read_boxes<const D: usize>(
    path: &Path,
    file: &hdf5::File,
    group: &Group,
    l: usize,
    frame: &Frame<D>,
) -> Result<FrameLevel<D>, InputError> {
    let dx = Attributes::of(path, group)?.array("dx", AttrValue::to_f64s)?;
    let (set, _) = bounded(path, file, group, "boxes")?;
    let boxes = set.read_i32().map_err(damaged(path))?;
    let read = digest(&bytes_of(&boxes, i32::to_le_bytes));
    check_digest(path, &what("boxes", l), &Attributes::of_dataset(path, &set)?, read)?;
    let cells = boxes
        .chunks_exact(2 * D)
        .map(|b| CellBox::new(std::array::from_fn(|d| b[d]), std::array::from_fn(|d| b[D + d])));
    let patches: Vec<FramePatch<D>> = cells.map(|cells| FramePatch { cells, q: Vec::new(), aux: Vec::new() }).collect();
    check_patches(path, frame, l, &patches)?;
    Ok(FrameLevel { dx, patches })
}

/// The name of a level's array in messages.
pub(super) fn what(name: &str, l: usize) -> String {
    format!("{name} of level {}", l + 1)
}

/// The non-empty arrays of a level, in the order of [`arrays`], each with its digest in the file.
pub(super) fn stored_arrays<const D: usize>(
    path: &Path,
    file: &hdf5::File,
    group: &Group,
    l: usize,
    frame: &Frame<D>,
) -> Result<[Option<(Dataset, i64)>; 2], InputError> {
    let cells: usize = frame.levels[l].patches.iter().map(|p| p.cells.volume()).sum();
    let array = |(name, num_fields): (&str, usize)| {
        if num_fields * cells == 0 {
            return Ok(None);
        }
        let (set, count) = bounded(path, file, group, name)?;
        if count != num_fields * cells {
            let reason = format!("level {} has {count} values of {name}, not {}", l + 1, num_fields * cells);
            return Err(InputError::Damaged { path: path.to_owned(), reason });
        }
        let written = Attributes::of_dataset(path, &set)?.integer(DIGEST)?;
        Ok(Some((set, written)))
    };
    let [q, aux] = arrays(frame).map(array);
    Ok([q?, aux?])
}
