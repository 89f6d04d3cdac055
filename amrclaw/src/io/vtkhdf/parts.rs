//! Frames whose values are split among several part files beside the frame's own file.

use super::virtual_sets::{self, Source, VirtualSet};
use crate::io::sparse::reserve;
use hdf5::{DatasetBuilder, Datatype};

/// The part files of a frame, and which of them stores each patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    count: usize,
    /// The part of each patch, by level.
    of: Vec<Vec<usize>>,
}

impl Parts {
    /// `count` parts; `of[level][patch]` is the part that stores a patch. A part may store none.
    pub fn new(count: usize, of: Vec<Vec<usize>>) -> Self {
        assert!(of.iter().flatten().all(|&part| part < count), "each patch is in a part");
        Parts { count, of }
    }

    /// Names of the files of frame `number`.
    pub fn names(&self, number: usize) -> Vec<String> {
        (0..self.count).map(|part| part_name(number, part)).collect()
    }
}

/// Name of a part file of frame `number`.
pub fn part_name(number: usize, part: usize) -> String {
    format!("frame_{number:04}.part_{part:04}.h5")
}

/// The frame number in the name of a part file; `None` for other names.
pub fn frame_of_part(name: &str) -> Option<usize> {
    let (number, part) = name.strip_prefix("frame_")?.strip_suffix(".h5")?.split_once(".part_")?;
    let (number, part) = (number.parse().ok()?, part.parse().ok()?);
    (part_name(number, part) == name).then_some(number)
}

/// Which of a frame's values a file stores.
pub enum Share<'a> {
    /// All.
    Whole,
    /// Those of a part.
    Part(&'a Parts, usize),
    /// None: its virtual data sets refer to the part files of the frame of this number.
    Elsewhere(&'a Parts, usize, Vec<VirtualSet>),
}

impl Share<'_> {
    /// Whether the file lists the box of a patch.
    pub fn holds(&self, level: usize, patch: usize) -> bool {
        !matches!(self, Share::Part(parts, part) if parts.of[level][patch] != *part)
    }

    /// The part that stores each patch of a level, if the file stores no values itself.
    pub fn parts_of_level(&self, level: usize) -> Option<&[usize]> {
        if let Share::Elsewhere(parts, ..) = self { Some(&parts.of[level]) } else { None }
    }

    /// Reserves space in the data set at `path`: `rows` yields level and number of a patch, and its number of rows, each of `columns` numbers.
    pub fn reserve(
        &mut self,
        set: &mut DatasetBuilder,
        path: String,
        (kind, columns): (Datatype, usize),
        rows: impl Iterator<Item = ([usize; 2], usize)>,
    ) {
        if let Share::Elsewhere(parts, number, sets) = self {
            let names = parts.names(*number);
            let mut sources: Vec<Source> = names.into_iter().map(|file| Source { file, rows: Vec::new() }).collect();
            let mut end = 0;
            for ([level, patch], rows) in rows {
                let (start, places) = (end, &mut sources[parts.of[level][patch]].rows);
                end += rows as u64;
                match places.last_mut() {
                    Some(last) if last.end == start => last.end = end,
                    _ if rows > 0 => places.push(start..end),
                    _ => {}
                }
            }
            sets.push(virtual_sets::reserve(set, path, (kind, columns), &sources));
            return;
        }
        let rows: usize = rows.filter(|([level, patch], _)| self.holds(*level, *patch)).map(|(_, rows)| rows).sum();
        reserve(set, kind, columns * rows);
        if columns > 1 {
            set.with_shape(&[rows as u64, columns as u64]);
        }
    }
}
