//! A frame's metadata as attributes of an HDF5 group: shared by frame files and checkpoints.

use super::error::InputError;
use super::frame::{Frame, FramePatch};
use crate::formula::ExpressionMap;
use crate::index::Ratio;
use crate::mesh::FARTHEST;
use hdf5::{AttrValue, Dataset, Group, GroupBuilder};
use std::collections::HashMap;
use std::path::Path;

/// Names of the attributes.
mod key {
    pub const VERSION: &str = "format_version";
    pub const DIMENSION: &str = "dimension";
    pub const NUMBER: &str = "frame";
    pub const TIME: &str = "time";
    pub const STEPS: &str = "steps";
    pub const EQUATIONS: &str = "equations";
    pub const AUX: &str = "aux";
    pub const LOWER: &str = "lower";
    pub const UPPER: &str = "upper";
    pub const CELLS: &str = "cells";
    pub const RATIOS: &str = "ratios";
    pub const MAPPING: &str = "mapping";
    pub const LEVELS: &str = "levels";
}

/// Writes everything of a frame except its levels' patches as attributes of a group.
pub fn write<const D: usize>(group: &mut GroupBuilder, version: i64, frame: &Frame<D>) {
    group.set_attr(key::VERSION, AttrValue::I64(version));
    group.set_attr(key::DIMENSION, AttrValue::I64(D as i64));
    group.set_attr(key::NUMBER, AttrValue::U64(frame.number as u64));
    group.set_attr(key::TIME, AttrValue::F64(frame.time));
    group.set_attr(key::LEVELS, AttrValue::U64(frame.levels.len() as u64));
    group.set_attr(key::LOWER, AttrValue::F64Array(frame.lower.to_vec()));
    group.set_attr(key::UPPER, AttrValue::F64Array(frame.upper.to_vec()));
    group.set_attr(key::CELLS, AttrValue::I32Array(frame.cells.to_vec()));
    // HDF5 has no arrays without elements: what is empty is left out.
    if !frame.steps.is_empty() {
        group.set_attr(key::STEPS, AttrValue::U64Array(frame.steps.clone()));
    }
    if !frame.ratios.is_empty() {
        group.set_attr(key::RATIOS, AttrValue::I32Array(frame.ratios.iter().flat_map(|r| r.0).collect()));
    }
    let lists = [(key::EQUATIONS, &frame.equations), (key::AUX, &frame.aux), (key::MAPPING, &frame.mapping)];
    for (name, list) in lists {
        if !list.is_empty() {
            group.set_attr(name, AttrValue::StringArray(list.clone()));
        }
    }
}

/// The attributes of a group, with errors that name the file.
pub struct Attributes<'a> {
    path: &'a Path,
    values: HashMap<String, AttrValue>,
}

impl<'a> Attributes<'a> {
    /// Reads all attributes of a group.
    ///
    /// # Errors
    /// The file is damaged.
    pub fn of(path: &'a Path, group: &Group) -> Result<Self, InputError> {
        Ok(Attributes { path, values: group.attrs().map_err(damaged(path))? })
    }

    /// Reads all attributes of a data set.
    ///
    /// # Errors
    /// The file is damaged.
    pub fn of_dataset(path: &'a Path, set: &Dataset) -> Result<Self, InputError> {
        Ok(Attributes { path, values: set.attrs().map_err(damaged(path))? })
    }

    /// The version that the writer stated, if it is the one expected.
    ///
    /// # Errors
    /// Another version, or none.
    pub fn check_version(&self, expected: i64) -> Result<(), InputError> {
        match self.integer(key::VERSION)? {
            found if found == expected => Ok(()),
            found => Err(InputError::Version { path: self.path.to_owned(), found, expected }),
        }
    }

    /// The dimension of the frame.
    ///
    /// # Errors
    /// Missing, or not 1, 2 or 3.
    pub fn dimension(&self) -> Result<usize, InputError> {
        match self.integer(key::DIMENSION)? {
            d @ 1..=3 => Ok(d as usize),
            d => Err(self.damaged(format!("{d} dimensions"))),
        }
    }

    /// The frame, without levels, and how many levels it had.
    ///
    /// # Errors
    /// An attribute is missing or has the wrong length; the frame has another dimension.
    pub fn frame<const D: usize>(&self) -> Result<(Frame<D>, usize), InputError> {
        let found = self.dimension()?;
        if found != D {
            return Err(InputError::Dimension { path: self.path.to_owned(), found, expected: D });
        }
        let ratios = self.optional(key::RATIOS, AttrValue::to_i64s)?;
        if ratios.len() % D != 0 || ratios.iter().any(|&r| !(1..=i64::from(i32::MAX)).contains(&r)) {
            return Err(self.damaged(format!("refinement ratios {ratios:?}")));
        }
        let frame = Frame {
            number: self.count(key::NUMBER)?,
            time: self.get(key::TIME, AttrValue::as_f64)?,
            steps: self.optional(key::STEPS, AttrValue::to_u64s)?,
            equations: self.optional(key::EQUATIONS, |v| v.as_strings().map(<[String]>::to_vec))?,
            aux: self.optional(key::AUX, |v| v.as_strings().map(<[String]>::to_vec))?,
            lower: self.array(key::LOWER, AttrValue::to_f64s)?,
            upper: self.array(key::UPPER, AttrValue::to_f64s)?,
            cells: self.array(key::CELLS, AttrValue::to_i64s)?.map(|n: i64| n.clamp(0, i64::from(i32::MAX)) as i32),
            ratios: ratios.chunks_exact(D).map(|r| Ratio(std::array::from_fn(|d| r[d] as i32))).collect(),
            mapping: self.strings(key::MAPPING)?,
            mesh: None,
            levels: Vec::new(),
        };
        let wrong = D == 1 || frame.mapping.len() != D || ExpressionMap::read(&frame.mapping).is_err();
        if wrong && !frame.mapping.is_empty() {
            return Err(self.damaged(format!("the mapping {:?}", frame.mapping)));
        }
        let levels = self.count(key::LEVELS)?;
        if levels > frame.ratios.len() + 1 {
            return Err(self.damaged(format!("{levels} levels, but {} refinement ratios", frame.ratios.len())));
        }
        for d in 0..D {
            // Indices of the finest cells are 32-bit integers.
            let finest = frame.ratios.iter().fold(f64::from(frame.cells[d]), |n, ratio| n * f64::from(ratio.0[d]));
            let [lower, upper] = [frame.lower[d], frame.upper[d]];
            if !(1.0..=f64::from(i32::MAX)).contains(&finest)
                || ![lower, upper].iter().all(|x| x.abs() <= FARTHEST)
                || upper <= lower
            {
                let reason = format!("{finest} cells from {lower} to {upper} along an axis of the finest level");
                return Err(self.damaged(reason));
            }
        }
        Ok((frame, levels))
    }

    /// An integer that counts something.
    fn count(&self, name: &str) -> Result<usize, InputError> {
        let value = self.integer(name)?;
        u32::try_from(value).map(|n| n as usize).map_err(|_| self.damaged(format!("attribute {name} is {value}")))
    }

    /// An array with one entry per axis.
    ///
    /// # Errors
    /// Missing, of another type, or of another length.
    pub fn array<T: std::fmt::Debug, const D: usize>(
        &self,
        name: &str,
        convert: impl Fn(&AttrValue) -> Option<Vec<T>>,
    ) -> Result<[T; D], InputError> {
        self.get(name, convert)?.try_into().map_err(|v: Vec<T>| self.damaged(format!("attribute {name} is {v:?}")))
    }

    /// A list of strings that may be missing.
    ///
    /// # Errors
    /// Of another type.
    pub fn strings(&self, name: &str) -> Result<Vec<String>, InputError> {
        self.optional(name, |v| v.as_strings().map(<[String]>::to_vec))
    }

    /// Whether there is an attribute of that name.
    pub fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// An integer.
    ///
    /// # Errors
    /// Missing, or of another type.
    pub fn integer(&self, name: &str) -> Result<i64, InputError> {
        self.get(name, AttrValue::as_i64)
    }

    fn get<T>(&self, name: &str, convert: impl Fn(&AttrValue) -> Option<T>) -> Result<T, InputError> {
        let value = self.values.get(name).ok_or_else(|| self.damaged(format!("attribute {name} is missing")))?;
        convert(value).ok_or_else(|| self.damaged(format!("attribute {name} is {value:?}")))
    }

    fn optional<T>(&self, name: &str, convert: impl Fn(&AttrValue) -> Option<Vec<T>>) -> Result<Vec<T>, InputError> {
        if self.values.contains_key(name) { self.get(name, convert) } else { Ok(Vec::new()) }
    }

    fn damaged(&self, reason: String) -> InputError {
        InputError::Damaged { path: self.path.to_owned(), reason }
    }
}

/// Most cells of a level, so that counts of values do not overflow: more than any file holds.
const MAX_CELLS: f64 = 1e15;

/// Checks that the boxes of a level hold cells and lie in the domain.
///
/// # Errors
/// Names the box that does not.
pub fn check_patches<const D: usize>(
    path: &Path,
    frame: &Frame<D>,
    level: usize,
    patches: &[FramePatch<D>],
) -> Result<(), InputError> {
    let domain = frame.domain(level);
    let damaged = |reason| Err(InputError::Damaged { path: path.to_owned(), reason });
    if let Some(patch) = patches.iter().find(|p| p.cells.is_empty() || !domain.contains_box(&p.cells)) {
        return damaged(format!("box {:?} of level {} is not part of {domain:?}", patch.cells, level + 1));
    }
    let volume = |p: &FramePatch<D>| p.cells.size().iter().map(|&n| f64::from(n)).product::<f64>();
    let cells: f64 = patches.iter().map(volume).sum();
    if cells > MAX_CELLS { damaged(format!("{cells} cells on level {}", level + 1)) } else { Ok(()) }
}

/// Wraps an error of the HDF5 library with the file's name.
pub fn damaged(path: &Path) -> impl Fn(hdf5::Error) -> InputError {
    move |error| match error {
        hdf5::Error::Io(source) if source.kind() != std::io::ErrorKind::UnexpectedEof => {
            InputError::Io { path: path.to_owned(), source }
        }
        error => InputError::Damaged { path: path.to_owned(), reason: error.to_string() },
    }
}

/// Opens an HDF5 file.
///
/// # Errors
/// The file cannot be read, or is not HDF5; `expected` says what it should be, with its article.
pub fn open(path: &Path, expected: &'static str) -> Result<hdf5::File, InputError> {
    open_by(path, expected, |path| hdf5::File::open(path))
}

/// As [`open`], but reads only the parts of the file that are used.
///
/// # Errors
/// As for [`open`].
pub fn open_streaming(path: &Path, expected: &'static str) -> Result<hdf5::File, InputError> {
    open_by(path, expected, |path| hdf5::File::open_streaming(path))
}

fn open_by(
    path: &Path,
    expected: &'static str,
    open: impl Fn(&Path) -> Result<hdf5::File, hdf5::Error>,
) -> Result<hdf5::File, InputError> {
    // Reading a pipe would block, and a device file may be endless.
    let found = path.metadata().map_err(InputError::io(path))?;
    if !found.is_file() {
        let reason = if found.is_dir() { "it is a folder" } else { "it is not a regular file" };
        return Err(InputError::Kind { path: path.to_owned(), expected, reason: reason.to_owned() });
    }
    if !hdf5::is_hdf5(path).map_err(InputError::io(path))? {
        let reason = "it does not begin with the HDF5 signature".to_owned();
        return Err(InputError::Kind { path: path.to_owned(), expected, reason });
    }
    let file = open(path).map_err(damaged(path))?;
    let (stated, found) = (file.superblock().eof_address, file.file_size());
    if found < stated {
        let reason = format!("it has {found} of its {stated} bytes");
        return Err(InputError::Damaged { path: path.to_owned(), reason });
    }
    Ok(file)
}
