//! Checkpoints: everything a run needs to go on as if it had never stopped, bit for bit, in one HDF5 file.
//!
//! `/amrclaw_checkpoint` carries the frame's header as attributes, the schedule's state and the case's text as bytes, and
//! per level the boxes and all values. The file is renamed into place only after the disk has it.

use super::atomic::{Durability, write_file};
use super::error::{InputError, OutputError};
use super::frame::{Frame, FrameLevel, FramePatch};
use super::frame_header::{self, Attributes, check_patches, damaged, open};
use super::vtkhdf::io_error;
use crate::index::CellBox;
use hdf5::{AttrValue, FileBuilder, Group};
use std::path::Path;

/// Version of the layout; files of other versions are refused.
pub const FORMAT_VERSION: i64 = 1;

/// What the messages call these files.
const KIND: &str = "a checkpoint";
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

/// Writes a checkpoint.
///
/// # Errors
/// Names the file and the cause; an older checkpoint of that name is then untouched.
pub fn write<const D: usize>(path: &Path, checkpoint: &Checkpoint<D>) -> Result<(), OutputError> {
    let file = build(checkpoint);
    write_file(path, Durability::Machine, |out| file.finish_to(out).map_err(io_error))
}

fn build<const D: usize>(checkpoint: &Checkpoint<D>) -> FileBuilder {
    let mut file = FileBuilder::new();
    let mut root = file.create_group(ROOT);
    frame_header::write(&mut root, FORMAT_VERSION, &checkpoint.frame);
    for (name, text) in [(SCHEDULE, &checkpoint.schedule), (CASE, &checkpoint.case)] {
        // HDF5 has no strings of length zero and ends others at a zero byte; bytes keep any text.
        if !text.is_empty() {
            root.create_dataset(name).with_u8_data(text.as_bytes());
        }
    }
    for (l, level) in checkpoint.frame.levels.iter().enumerate() {
        let mut group = root.create_group(&level_name(l));
        group.set_attr("dx", AttrValue::F64Array(level.dx.to_vec()));
        let boxes: Vec<i32> = level.patches.iter().flat_map(|p| p.cells.lo.into_iter().chain(p.cells.hi)).collect();
        group.create_dataset("boxes").with_i32_data(&boxes).with_shape(&[level.patches.len() as u64, 2 * D as u64]);
        let values = [("q", all(level, |p| &p.q)), ("aux", all(level, |p| &p.aux))];
        for (name, values) in values.iter().filter(|(_, values)| !values.is_empty()) {
            group.create_dataset(name).with_f64_data(values);
        }
        root.add_group(group.finish());
    }
    file.add_group(root.finish());
    file
}

fn level_name(level: usize) -> String {
    format!("level_{}", level + 1)
}

/// The values of all patches, end to end.
fn all<const D: usize>(level: &FrameLevel<D>, values: impl Fn(&FramePatch<D>) -> &Vec<f64>) -> Vec<f64> {
    level.patches.iter().flat_map(values).copied().collect()
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
    let root = root(path, &file)?;
    let (mut frame, num_levels) = header(path, &root)?.frame::<D>()?;
    for l in 0..num_levels {
        let group = root.group(&level_name(l)).map_err(damaged(path))?;
        let level = read_level(path, &group, l, &frame)?;
        frame.levels.push(level);
    }
    Ok(Checkpoint { frame, schedule: text(path, &root, SCHEDULE)?, case: text(path, &root, CASE)? })
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

fn text(path: &Path, root: &Group, name: &str) -> Result<String, InputError> {
    if !root.datasets().map_err(damaged(path))?.iter().any(|n| n == name) {
        return Ok(String::new());
    }
    let bytes = root.dataset(name).and_then(|set| set.read_u8()).map_err(damaged(path))?;
    String::from_utf8(bytes)
        .map_err(|e| InputError::Damaged { path: path.to_owned(), reason: format!("the {name} is no text ({e})") })
}

/// Level `l` of the frame whose header is `frame`.
fn read_level<const D: usize>(
    path: &Path,
    group: &Group,
    l: usize,
    frame: &Frame<D>,
) -> Result<FrameLevel<D>, InputError> {
    let dx = Attributes::of(path, group)?.array("dx", AttrValue::to_f64s)?;
    let boxes = group.dataset("boxes").and_then(|set| set.read_i32()).map_err(damaged(path))?;
    let cells = boxes
        .chunks_exact(2 * D)
        .map(|b| CellBox::new(std::array::from_fn(|d| b[d]), std::array::from_fn(|d| b[D + d])));
    let mut patches: Vec<FramePatch<D>> =
        cells.map(|cells| FramePatch { cells, q: Vec::new(), aux: Vec::new() }).collect();
    check_patches(path, frame, l, &patches)?;
    for (name, num_fields) in [("q", frame.equations.len()), ("aux", frame.aux.len())] {
        let expected = num_fields * patches.iter().map(|p| p.cells.volume()).sum::<usize>();
        if expected == 0 {
            continue;
        }
        let values = group.dataset(name).and_then(|set| set.read_f64()).map_err(damaged(path))?;
        if values.len() != expected {
            let reason = format!("level {} has {} values of {name}, not {expected}", l + 1, values.len());
            return Err(InputError::Damaged { path: path.to_owned(), reason });
        }
        let mut rest = values.as_slice();
        for patch in &mut patches {
            let (own, others) = rest.split_at(num_fields * patch.cells.volume());
            rest = others;
            if name == "q" { patch.q = own.to_vec() } else { patch.aux = own.to_vec() }
        }
    }
    Ok(FrameLevel { dx, patches })
}
