//! Reads frames back from the VTKHDF files that [`vtkhdf`](super::vtkhdf) writes.
//!
//! A [`FrameReader`] reads the boxes at once, and values by patch and field when they are asked for: never the whole file.

use super::digests::{DIGEST, check_digest, digest, digest_differs, digest_of_values};
use super::error::InputError;
use super::frame::{Frame, FrameLevel, FramePatch, PatchSource};
use super::frame_header::{Attributes, check_patches, damaged, open_streaming};
use super::vtkhdf::{DATASETS, DIGESTS, FORMAT_VERSION, copies, level_path, number_of, outline_bytes, read_mesh};
use crate::index::CellBox;
use crate::threads::parallel_map;
use hdf5::{AttrValue, Dataset, Group};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
        if let Some(number) = number_of(&name) {
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
    let file = open_streaming(path, KIND)?;
    header(path, &file)?.dimension()
}

/// Reads a frame: equal to the one written, bit for bit.
///
/// # Errors
/// The file cannot be read, is of another kind, version or dimension, or is damaged.
pub fn frame<const D: usize>(path: &Path) -> Result<Frame<D>, InputError> {
    let reader = FrameReader::open(path)?;
    reader.frame_with(&(0..reader.outline.fields().count()).collect::<Vec<_>>())
}

/// A frame whose values are still in its file.
pub struct FrameReader<const D: usize> {
    /// Everything but the values.
    pub outline: Frame<D>,
    path: PathBuf,
    /// By level and field.
    sets: Vec<Vec<ValueSet>>,
    /// `cells_before[level][patch]`: number of cells of the level's patches before this one.
    cells_before: Vec<Vec<u64>>,
    /// How often the file holds each value.
    copies: usize,
}

/// The values of a field on a level.
struct ValueSet {
    set: Dataset,
    name: String,
    /// None in files of earlier versions, and once the values of all patches have been found to be those that were written.
    unchecked: Mutex<Option<Unchecked>>,
}

/// The digest of a field's values on a level, and what has been read of them.
struct Unchecked {
    written: i64,
    /// The digest of each patch's values.
    read: Vec<Option<u32>>,
    unread: usize,
}

impl<const D: usize> FrameReader<D> {
    /// Reads everything but the values.
    ///
    /// # Errors
    /// The file cannot be read, is of another kind, version or dimension, or is damaged.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        let file = open_streaming(path, KIND)?;
        let header = header(path, &file)?;
        let (mut frame, num_levels) = header.frame::<D>()?;
        let mesh = read_mesh(&file, D, frame.cells[0] as usize);
        frame.mesh = mesh.map_err(|reason| InputError::Damaged { path: path.to_owned(), reason })?.map(Arc::new);
        let names = header.strings(DATASETS)?;
        if names.len() != frame.fields().count() {
            return Err(InputError::Damaged { path: path.to_owned(), reason: format!("fields are {names:?}") });
        }
        let digests = read_digests(path, &file, num_levels * names.len())?;
        let mut sets = Vec::new();
        for l in 0..num_levels {
            let group = file.group(&level_path(&frame, l)).map_err(damaged(path))?;
            let level = read_outline(path, &group, l, &frame)?;
            let open = |(m, name): (usize, &String)| {
                let digest = digests.as_ref().map(|digests| digests[l * names.len() + m]);
                value_set(path, &group, name, (&level, copies(&frame)), digest)
            };
            sets.push(names.iter().enumerate().map(open).collect::<Result<_, _>>()?);
            frame.levels.push(level);
        }
        // Frames of earlier versions have no digests.
        if header.has(DIGEST) {
            check_digest(path, "its header", &header, digest(&outline_bytes(&frame)))?;
        }
        let (path, cells_before) = (path.to_owned(), frame.cells_before());
        Ok(FrameReader { path, sets, cells_before, copies: copies(&frame), outline: frame })
    }

    /// The values of a field in a patch, x fastest; `field` counts [`Frame::fields`]. Damage is noticed when the values of all patches of a
    /// level have been read.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn values(&self, level: usize, number: usize, field: usize) -> Result<Vec<f64>, InputError> {
        let ValueSet { set, name, unchecked } = &self.sets[level][field];
        let (patches, before) = (&self.outline.levels[level].patches, self.cells_before[level][number]);
        let cells = patches[number].cells.volume();
        let values = set.read_f64_rows(before * self.copies as u64, cells as u64).map_err(damaged(&self.path))?;
        if values.len() != cells {
            let reason = format!("{} values of {name} for {cells} cells", values.len());
            return Err(InputError::Damaged { path: self.path.clone(), reason });
        }
        if unchecked.lock().is_some() {
            let digest = digest_of_values(&values);
            let mut unchecked = unchecked.lock();
            if let Some(left) = &mut *unchecked {
                left.unread -= usize::from(left.read[number].replace(digest).is_none());
                if left.unread == 0 {
                    if left.differ(patches.iter().map(|patch| patch.cells.volume()), self.copies) {
                        return Err(digest_differs(&self.path, &format!("{name} of level {}", level + 1)));
                    }
                    *unchecked = None;
                }
            }
        }
        Ok(values)
    }

    /// The frame with some of the fields, in ascending order.
    ///
    /// # Errors
    /// As for [`FrameReader::values`].
    pub fn frame_with(&self, fields: &[usize]) -> Result<Frame<D>, InputError> {
        let mut frame = self.outline.clone();
        let num_equations = frame.equations.len();
        let names = |names: &[String], first: usize| {
            let of_kind = fields.iter().filter_map(|field| names.get(field.checked_sub(first)?).cloned());
            of_kind.collect()
        };
        (frame.equations, frame.aux) = (names(&frame.equations, 0), names(&frame.aux, num_equations));
        for (l, level) in frame.levels.iter_mut().enumerate() {
            let patch = |k: usize| self.patch_with(l, k, fields);
            level.patches = parallel_map(level.patches.len(), patch).into_iter().collect::<Result<_, _>>()?;
        }
        Ok(frame)
    }

    /// A patch with some of the fields, in this order, as equations up to the first auxiliary one.
    ///
    /// # Errors
    /// As for [`FrameReader::values`].
    pub fn patch_with(&self, level: usize, number: usize, fields: &[usize]) -> Result<FramePatch<D>, InputError> {
        let cells = self.outline.levels[level].patches[number].cells;
        let mut patch = FramePatch { cells, q: Vec::new(), aux: Vec::new() };
        for &field in fields {
            let values = self.values(level, number, field)?;
            let of_kind = if field < self.outline.equations.len() { &mut patch.q } else { &mut patch.aux };
            if of_kind.is_empty() { *of_kind = values } else { of_kind.extend(values) }
        }
        Ok(patch)
    }
}

impl<const D: usize> PatchSource<D> for FrameReader<D> {
    fn patch(&self, level: usize, number: usize) -> io::Result<Cow<'_, FramePatch<D>>> {
        let all: Vec<usize> = (0..self.sets[level].len()).collect();
        self.patch_with(level, number, &all).map(Cow::Owned).map_err(io::Error::other)
    }
}

impl Unchecked {
    /// Whether the values read are not those that were written: of patches of these volumes, each as often in the file as `copies` says.
    fn differ(&self, volumes: impl Iterator<Item = usize>, copies: usize) -> bool {
        let mut whole = crc32fast::Hasher::new();
        for (volume, digest) in volumes.zip(self.read.iter().flatten()) {
            let bytes = (volume * size_of::<f64>()) as u64;
            (0..copies).for_each(|_| whole.combine(&crc32fast::Hasher::new_with_initial_len(*digest, bytes)));
        }
        i64::from(whole.finalize()) != self.written
    }
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

/// Reads level `l` of the frame with header `frame`: patches without values.
fn read_outline<const D: usize>(
    path: &Path,
    group: &Group,
    l: usize,
    frame: &Frame<D>,
) -> Result<FrameLevel<D>, InputError> {
    let spacing: [f64; 3] = Attributes::of(path, group)?.array("Spacing", AttrValue::to_f64s)?;
    let boxes = group.dataset("AMRBox").and_then(|set| set.read_i32()).map_err(damaged(path))?;
    let patch = |b: &[i32]| {
        let lo = std::array::from_fn(|d| b[2 * d]);
        let hi = std::array::from_fn(|d| b[2 * d + 1].saturating_add(1));
        FramePatch { cells: CellBox::new(lo, hi), q: Vec::new(), aux: Vec::new() }
    };
    let patches: Vec<FramePatch<D>> = boxes.chunks_exact(6).map(patch).collect();
    check_patches(path, frame, l, &patches)?;
    Ok(FrameLevel { dx: std::array::from_fn(|d| spacing[d]), patches })
}

/// Opens the data set of a field on a level.
fn value_set<const D: usize>(
    path: &Path,
    group: &Group,
    name: &str,
    (level, copies): (&FrameLevel<D>, usize),
    digest: Option<i64>,
) -> Result<ValueSet, InputError> {
    let num_cells = copies * level.patches.iter().map(|p| p.cells.volume()).sum::<usize>();
    let set = group.dataset(&format!("CellData/{name}")).map_err(damaged(path))?;
    // Compressed values may be far larger than the file, so their number is checked before they are read.
    let count = set.shape().map_err(damaged(path))?.iter().try_fold(1_u64, |n, &extent| n.checked_mul(extent));
    if count != Some(num_cells as u64) {
        let reason = format!("{count:?} values of {name} for {num_cells} cells");
        return Err(InputError::Damaged { path: path.to_owned(), reason });
    }
    let patches = level.patches.len();
    let unchecked = digest.map(|written| Unchecked { written, read: vec![None; patches], unread: patches });
    Ok(ValueSet { set, name: name.to_owned(), unchecked: Mutex::new(unchecked) })
}
