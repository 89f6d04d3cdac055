//! Reads frames back from the VTKHDF files that [`vtkhdf`](super::vtkhdf) writes.

use super::digests::{DIGEST, check_digest, digest, digest_differs, digest_of_values};
use super::error::InputError;
use super::frame::{Frame, FrameLevel, FramePatch};
use super::frame_header::{Attributes, check_patches, damaged, open};
use super::vtkhdf::{DATASETS, DIGESTS, FORMAT_VERSION, copies, file_name, level_path, outline_bytes};
use crate::index::CellBox;
use hdf5::{AttrValue, Group};
use std::path::{Path, PathBuf};

/// What the messages call these files.
const KIND: &str = "a frame written by this program";

/// Numbers and paths of the VTKHDF frames in a folder, sorted by number.
///
/// # Errors
/// The folder cannot be read.
pub fn list_frames(dir: &Path) -> Result<Vec<(usize, PathBuf)>, InputError> {
    let mut frames = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(InputError::io(dir))? {
        let path = entry.map_err(InputError::io(dir))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let number = name.strip_prefix("frame_").and_then(|n| n.strip_suffix(".vtkhdf")).and_then(|n| n.parse().ok());
        if let Some(number) = number.filter(|&n| file_name(n) == name) {
            frames.push((number, path));
        }
    }
    frames.sort();
    Ok(frames)
}

/// The dimension of the frame in a file.
///
/// # Errors
/// The file cannot be read, is of another kind or version, or is damaged.
pub fn peek_dimension(path: &Path) -> Result<usize, InputError> {
    let file = open(path, KIND)?;
    header(path, &file)?.dimension()
}

/// Reads a frame: equal to the one written, bit for bit.
///
/// # Errors
/// The file cannot be read, is of another kind, version or dimension, or is damaged.
pub fn frame<const D: usize>(path: &Path) -> Result<Frame<D>, InputError> {
    let file = open(path, KIND)?;
    let header = header(path, &file)?;
    let (mut frame, num_levels) = header.frame::<D>()?;
    let names = header.strings(DATASETS)?;
    if names.len() != frame.fields().count() {
        return Err(InputError::Damaged { path: path.to_owned(), reason: format!("fields are {names:?}") });
    }
    let digests = read_digests(path, &file, num_levels * names.len())?;
    for l in 0..num_levels {
        let group = file.group(&level_path(&frame, l)).map_err(damaged(path))?;
        let digests = digests.as_ref().map(|digests| &digests[l * names.len()..]);
        let level = read_level(path, &group, l, (&names, digests), &frame)?;
        frame.levels.push(level);
    }
    // Frames of earlier versions have no digests.
    if header.has(DIGEST) {
        check_digest(path, "its header", &header, digest(&outline_bytes(&frame)))?;
    }
    Ok(frame)
}

/// The digests of a file with `count` data sets of values, by level and field; none in files of earlier versions.
fn read_digests(path: &Path, file: &hdf5::File, count: usize) -> Result<Option<Vec<i64>>, InputError> {
    let group = file.group("amrclaw").map_err(damaged(path))?;
    let has = group.datasets().map_err(damaged(path))?.iter().any(|name| name == DIGESTS);
    let digests = has.then(|| group.dataset(DIGESTS).and_then(|set| set.read_i64())).transpose();
    let digests = digests.map_err(damaged(path))?;
    if let Some(found) = digests.as_ref().filter(|found| found.len() != count) {
        let reason = format!("{} digests of {count} data sets", found.len());
        return Err(InputError::Damaged { path: path.to_owned(), reason });
    }
    Ok(digests)
}

/// Reads the attributes of `/amrclaw` and checks their version.
fn header<'a>(path: &'a Path, file: &hdf5::File) -> Result<Attributes<'a>, InputError> {
    let group = file.group("amrclaw").map_err(|e| InputError::Kind {
        path: path.to_owned(),
        expected: KIND,
        reason: format!("it has no group /amrclaw ({e})"),
    })?;
    let header = Attributes::of(path, &group)?;
    header.check_version(FORMAT_VERSION)?;
    Ok(header)
}

/// Reads level `l` of the frame with header `frame`. The fields are in the data sets of these names, with these digests.
fn read_level<const D: usize>(
    path: &Path,
    group: &Group,
    l: usize,
    names_and_digests: (&[String], Option<&[i64]>),
    frame: &Frame<D>,
) -> Result<FrameLevel<D>, InputError> {
    let spacing: [f64; 3] = Attributes::of(path, group)?.array("Spacing", AttrValue::to_f64s)?;
    let mut patches = read_boxes(path, group)?;
    check_patches(path, frame, l, &patches)?;
    read_values((path, l), group, names_and_digests, frame, &mut patches)?;
    Ok(FrameLevel { dx: std::array::from_fn(|d| spacing[d]), patches })
}

/// The boxes of a level, as patches without values.
fn read_boxes<const D: usize>(path: &Path, group: &Group) -> Result<Vec<FramePatch<D>>, InputError> {
    let boxes = group.dataset("AMRBox").and_then(|set| set.read_i32()).map_err(damaged(path))?;
    let patch = |b: &[i32]| {
        let lo = std::array::from_fn(|d| b[2 * d]);
        let hi = std::array::from_fn(|d| b[2 * d + 1] + 1);
        FramePatch { cells: CellBox::new(lo, hi), q: Vec::new(), aux: Vec::new() }
    };
    Ok(boxes.chunks_exact(6).map(patch).collect())
}

/// Reads the values of the patches that a level's group lists.
fn read_values<const D: usize>(
    (path, l): (&Path, usize),
    group: &Group,
    (names, digests): (&[String], Option<&[i64]>),
    frame: &Frame<D>,
    patches: &mut [FramePatch<D>],
) -> Result<(), InputError> {
    let copies = copies(frame);
    let num_cells = copies * patches.iter().map(|p| p.cells.volume()).sum::<usize>();
    for (m, name) in names.iter().enumerate() {
        let set = group.dataset(&format!("CellData/{name}")).map_err(damaged(path))?;
        // Compressed values may be far larger than the file, so their number is checked before they are read.
        let count = set.shape().map_err(damaged(path))?.iter().try_fold(1_u64, |n, &extent| n.checked_mul(extent));
        if count != Some(num_cells as u64) {
            let reason = format!("{count:?} values of {name} for {num_cells} cells");
            return Err(InputError::Damaged { path: path.to_owned(), reason });
        }
        let values = set.read_f64().map_err(damaged(path))?;
        if digests.is_some_and(|written| written[m] != i64::from(digest_of_values(&values))) {
            return Err(digest_differs(path, &format!("{name} of level {}", l + 1)));
        }
        let mut rest = values.as_slice();
        for patch in patches.iter_mut() {
            let volume = patch.cells.volume();
            let own = &rest[..volume];
            rest = &rest[copies * volume..];
            if m < frame.equations.len() { patch.q.extend(own) } else { patch.aux.extend(own) }
        }
    }
    Ok(())
}
