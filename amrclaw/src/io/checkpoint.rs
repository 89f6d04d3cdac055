//! Checkpoints: everything a run needs to go on as if it had never stopped, bit for bit, in one HDF5 file.
//!
//! `/amrclaw_checkpoint` carries the frame's header as attributes, the schedule's state and the case's text as bytes, and
//! per level the boxes and all values. Each data set has a digest, the CRC-32 of its values; that of the group covers the header and
//! both texts. Nothing is compressed, so that what is read is bounded by the file. The file is renamed into place only after the disk
//! has it.

use super::atomic::{Durability, write_in_places};
use super::error::{InputError, OutputError};
use super::frame::{Frame, FrameLevel, FramePatch, PatchSource};
use super::frame_header::{self, Attributes, check_patches, damaged, open};
use super::hollow::{Filler, Hollow, reserve};
use crate::index::CellBox;
use hdf5::{AttrValue, Dataset, FileBuilder, Group, make_f64_type};
use std::io;
use std::path::Path;

/// Version of the layout; files of other versions are refused.
pub const FORMAT_VERSION: i64 = 2;

/// What the messages call these files.
pub(super) const KIND: &str = "a checkpoint";
/// The group that makes a file a checkpoint.
const ROOT: &str = "amrclaw_checkpoint";
const SCHEDULE: &str = "schedule";
const CASE: &str = "case";
/// The attribute with a digest.
const DIGEST: &str = "crc32";

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

/// Writes a checkpoint: see [`Checkpoint`] for its parts. `values`: where those of the frame come from.
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
        let file = Hollow::new(out, temporary, build(frame, &digests, schedule, case))?;
        let mut filled = Vec::new();
        for (l, digests) in digests.iter_mut().enumerate() {
            *digests = fill(&file, frame, values, l)?;
            filled.extend(arrays(frame).iter().filter(|(_, n)| *n > 0).map(|(name, _)| array_path(l, name)));
        }
        file.rewrite(build(frame, &digests, schedule, case), &filled)
    })
}

/// The arrays of a level: names, and how many fields each has.
pub(super) fn arrays<const D: usize>(frame: &Frame<D>) -> [(&'static str, usize); 2] {
    [("q", frame.equations.len()), ("aux", frame.aux.len())]
}

/// The path of one of them.
fn array_path(l: usize, name: &str) -> String {
    format!("{ROOT}/{}/{name}", level_name(l))
}

/// Puts the values of a level into their places; answers their digests.
fn fill<const D: usize>(
    file: &Hollow<'_>,
    frame: &Frame<D>,
    values: &dyn PatchSource<D>,
    l: usize,
) -> io::Result<[u32; 2]> {
    let place = |(name, num_fields): (&str, usize)| {
        let filler = (num_fields > 0).then(|| file.filler(&array_path(l, name))).transpose();
        filler.map(|filler| filler.map(Filler::with_crc))
    };
    let [q, aux] = arrays(frame).map(place);
    let (mut q, mut aux) = (q?, aux?);
    for number in 0..frame.levels[l].patches.len() {
        let patch = values.patch(l, number)?;
        for (filler, values) in [(&mut q, &patch.q), (&mut aux, &patch.aux)] {
            filler.as_mut().map_or(Ok(()), |filler| filler.put(values, f64::to_le_bytes))?;
        }
    }
    let digest = |filler: Option<Filler<'_>>| filler.map_or(Ok(None), Filler::finish);
    Ok([digest(q)?, digest(aux)?].map(Option::unwrap_or_default))
}

/// The file but for the values, which have these digests.
fn build<const D: usize>(frame: &Frame<D>, digests: &[[u32; 2]], schedule: &str, case: &str) -> FileBuilder {
    let mut file = FileBuilder::new();
    let mut root = file.create_group(ROOT);
    frame_header::write(&mut root, FORMAT_VERSION, frame);
    root.set_attr(DIGEST, digest(&header_bytes(frame, schedule, case)));
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

/// The CRC-32 of ISO 3309, which PNG and gzip use too, as an attribute.
fn digest(bytes: &[u8]) -> AttrValue {
    AttrValue::U64(crc32fast::hash(bytes).into())
}

/// That of values as the little-endian bytes that are in the file, whatever the machine's.
fn digest_of_values(values: &[f64]) -> AttrValue {
    let mut crc = crc32fast::Hasher::new();
    for part in values.chunks(4096) {
        crc.update(&bytes_of(part, f64::to_le_bytes));
    }
    AttrValue::U64(crc.finalize().into())
}

fn bytes_of<T: Copy, const N: usize>(values: &[T], bytes: fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| bytes(value)).collect()
}

/// Everything that is in no data set of a level, as bytes that are equal only if all of it is.
fn header_bytes<const D: usize>(frame: &Frame<D>, schedule: &str, case: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut numbers = |values: &[u64]| {
        bytes.extend((values.len() as u64).to_le_bytes());
        bytes.extend(bytes_of(values, u64::to_le_bytes));
    };
    numbers(&[D as u64, frame.number as u64, frame.time.to_bits(), frame.levels.len() as u64]);
    numbers(&frame.steps);
    numbers(&[frame.lower, frame.upper].concat().iter().map(|x| x.to_bits()).collect::<Vec<_>>());
    numbers(&frame.cells.map(|n| n as u64));
    numbers(&frame.ratios.iter().flat_map(|ratio| ratio.0).map(|n| n as u64).collect::<Vec<_>>());
    numbers(&frame.levels.iter().flat_map(|level| level.dx).map(f64::to_bits).collect::<Vec<_>>());
    for list in [&frame.equations, &frame.aux] {
        numbers(&list.iter().map(|name| name.len() as u64).collect::<Vec<_>>());
    }
    numbers(&[schedule.len() as u64, case.len() as u64]);
    let texts = frame.equations.iter().chain(&frame.aux).map(String::as_str).chain([schedule, case]);
    texts.for_each(|text| bytes.extend(text.as_bytes()));
    bytes
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

/// Reads a checkpoint: equal to the one written, bit for bit.
///
/// # Errors
/// The file cannot be read, is no checkpoint, is of another version or dimension, or is damaged.
pub fn read<const D: usize>(path: &Path) -> Result<Checkpoint<D>, InputError> {
    let file = open(path, KIND)?;
    let (mut checkpoint, groups) = read_outline(path, &file)?;
    for (l, group) in groups.iter().enumerate() {
        read_values(path, &file, group, l, &mut checkpoint.frame)?;
    }
    Ok(checkpoint)
}

/// Everything but the values, and the groups of the levels.
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
    check_digest(path, "its header", &header, digest(&header_bytes(&frame, &schedule, &case)))?;
    Ok((Checkpoint { frame, schedule, case }, groups))
}

/// Compares the digest that was written with that of what has been read.
fn check_digest(path: &Path, what: &str, written: &Attributes<'_>, read: AttrValue) -> Result<(), InputError> {
    if Some(written.integer(DIGEST)?) == read.as_i64() { Ok(()) } else { Err(unlike(path, what)) }
}

/// The error where something is not what was written.
pub(super) fn unlike(path: &Path, what: &str) -> InputError {
    let reason = format!("{what} is not what was written: the digests differ");
    InputError::Damaged { path: path.to_owned(), reason }
}

/// A data set and its number of values, which the file is large enough to hold: nothing is read before that is known.
fn bounded(path: &Path, file: &hdf5::File, group: &Group, name: &str) -> Result<(Dataset, usize), InputError> {
    let set = group.dataset(name).map_err(damaged(path))?;
    let refused = |reason| InputError::Damaged { path: path.to_owned(), reason };
    if set.is_chunked() || !set.filters().is_empty() {
        return Err(refused(format!("{name} is in pieces or compressed, which no checkpoint is")));
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

/// The header's attributes, once their version is checked.
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

/// What a level's array is called in messages.
pub(super) fn what(name: &str, l: usize) -> String {
    format!("{name} of level {}", l + 1)
}

/// The arrays of a level that have numbers, in the order of [`arrays`], each with the digest that it should have.
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

/// The values of level `l` of a frame.
fn read_values<const D: usize>(
    path: &Path,
    file: &hdf5::File,
    group: &Group,
    l: usize,
    frame: &mut Frame<D>,
) -> Result<(), InputError> {
    let names = arrays(frame);
    let sets = stored_arrays(path, file, group, l, frame)?;
    for ((name, num_fields), (set, written)) in names.into_iter().zip(sets).filter_map(|(n, set)| Some((n, set?))) {
        let values = set.read_f64().map_err(damaged(path))?;
        if digest_of_values(&values).as_i64() != Some(written) {
            return Err(unlike(path, &what(name, l)));
        }
        let mut rest = values.as_slice();
        for patch in &mut frame.levels[l].patches {
            let (own, others) = rest.split_at(num_fields * patch.cells.volume());
            rest = others;
            if name == "q" { patch.q = own.to_vec() } else { patch.aux = own.to_vec() }
        }
    }
    Ok(())
}
