//! A checkpoint from which each rank reads the values of its own patches only.

use super::checkpoint::{Checkpoint, KIND, arrays, read_outline, stored_arrays, what};
use super::digests::digest_differs;
use super::error::InputError;
use super::frame::{FramePatch, PatchSource};
use super::frame_header::{damaged, open_streaming};
use hdf5::{Dataset, Layout};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Words for each patch in [`StoredCheckpoint::digests`]: level, number, and the CRC-32s of its `q` and `aux`.
const WORDS: usize = 3;

/// An array of a level in the file.
struct Array {
    address: u64,
    /// CRC-32 of all its values, as stored in the file.
    digest: i64,
    /// Fields of each cell.
    num_fields: usize,
}

/// A checkpoint whose values are still in its file.
pub struct StoredCheckpoint<const D: usize> {
    /// Everything but the values.
    pub outline: Checkpoint<D>,
    path: PathBuf,
    file: Mutex<File>,
    /// `q` and auxiliary values of each level; `None` for an array without values.
    arrays: Vec<[Option<Array>; 2]>,
    /// `cells_before[level][patch]`: number of cells of the level's patches before this one.
    cells_before: Vec<Vec<u64>>,
    read: Mutex<Vec<u64>>,
}

impl<const D: usize> StoredCheckpoint<D> {
    /// Reads everything but the values.
    ///
    /// # Errors
    /// The file cannot be read, is no checkpoint, is of another version or dimension, or is damaged.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        let content = open_streaming(path, KIND)?;
        let (outline, groups) = read_outline::<D>(path, &content)?;
        let frame = &outline.frame;
        let level = |(l, group)| {
            let [q, aux] = stored_arrays(path, &content, group, l, frame)?;
            let [of_q, of_aux] = arrays(frame).map(|(_, num_fields)| num_fields);
            let array = |stored: Option<(Dataset, i64)>, num_fields| {
                let place =
                    |(set, digest): (Dataset, i64)| Ok(Array { address: address(path, &set)?, digest, num_fields });
                stored.map(place).transpose()
            };
            Ok([array(q, of_q)?, array(aux, of_aux)?])
        };
        let arrays = groups.iter().enumerate().map(level).collect::<Result<_, InputError>>()?;
        let cells_before = frame.cells_before();
        let file = Mutex::new(File::open(path).map_err(InputError::io(path))?);
        Ok(StoredCheckpoint { path: path.to_owned(), file, arrays, cells_before, read: Mutex::default(), outline })
    }

    /// Identifies the file's content: a checksum of its boxes and of the digests of all values.
    pub fn checksum(&self) -> u64 {
        let boxes = self.outline.frame.levels.iter().map(|level| level.patches.iter().map(|patch| patch.cells));
        let digests = self.arrays.iter().flatten().map(|array| array.as_ref().map(|array| array.digest));
        let text = format!("{:?} {:?}", boxes.map(Vec::from_iter).collect::<Vec<_>>(), digests.collect::<Vec<_>>());
        u64::from(crc32fast::hash(text.as_bytes()))
    }

    /// Level, number and digests of each patch read so far.
    pub fn digests(&self) -> Vec<u64> {
        self.read.lock().clone()
    }

    /// Compares the [digests](StoredCheckpoint::digests) that all ranks have computed with those in the file.
    ///
    /// # Errors
    /// They differ, or a patch was not read by any rank.
    pub fn check(&self, read: &[Vec<u64>]) -> Result<(), InputError> {
        let unread = |patches: &Vec<u64>| vec![None; patches.len()];
        let mut digests: Vec<Vec<Option<u64>>> = self.cells_before.iter().map(unread).collect();
        for words in read.iter().flat_map(|words| words.chunks_exact(WORDS)) {
            let patch = digests.get_mut(words[0] as usize).and_then(|level| level.get_mut(words[1] as usize));
            let Some(patch) = patch else {
                let reason = "other ranks have read patches that are not in it".to_owned();
                return Err(InputError::Damaged { path: self.path.clone(), reason });
            };
            *patch = Some(words[2]);
        }
        for (l, (level, digests)) in self.outline.frame.levels.iter().zip(&digests).enumerate() {
            for (a, name) in ["q", "aux"].into_iter().enumerate() {
                let Some(array) = &self.arrays[l][a] else { continue };
                let mut whole = crc32fast::Hasher::new();
                for (patch, digest) in level.patches.iter().zip(digests) {
                    let digest = digest.ok_or_else(|| digest_differs(&self.path, &what(name, l)))?;
                    let bytes = (array.num_fields * patch.cells.volume() * size_of::<f64>()) as u64;
                    whole.combine(&crc32fast::Hasher::new_with_initial_len((digest >> (32 * a)) as u32, bytes));
                }
                if i64::from(whole.finalize()) != array.digest {
                    return Err(digest_differs(&self.path, &what(name, l)));
                }
            }
        }
        Ok(())
    }

    /// Reads the values of a patch from an array; returns them with their digest. `before`: cells of the patches before it.
    fn read_part(&self, array: &Array, before: u64, cells: usize) -> io::Result<(Vec<f64>, u32)> {
        let mut bytes = vec![0; array.num_fields * cells * size_of::<f64>()];
        let mut file = self.file.lock();
        file.seek(SeekFrom::Start(array.address + before * (array.num_fields * size_of::<f64>()) as u64))?;
        file.read_exact(&mut bytes)?;
        let values = bytes.as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect();
        Ok((values, crc32fast::hash(&bytes)))
    }
}

impl<const D: usize> PatchSource<D> for StoredCheckpoint<D> {
    fn patch(&self, level: usize, number: usize) -> io::Result<Cow<'_, FramePatch<D>>> {
        let cells = self.outline.frame.levels[level].patches[number].cells;
        let before = self.cells_before[level][number];
        let part = |array: &Option<Array>| -> io::Result<(Vec<f64>, u32)> {
            let read = array.as_ref().map(|array| self.read_part(array, before, cells.volume()));
            let read = read.transpose().map_err(|error| io::Error::other(InputError::io(&self.path)(error)))?;
            Ok(read.unwrap_or_default())
        };
        let [q, aux] = self.arrays[level].each_ref().map(part);
        let ((q, digest_of_q), (aux, digest_of_aux)) = (q?, aux?);
        let digests = u64::from(digest_of_q) | u64::from(digest_of_aux) << 32;
        self.read.lock().extend([level as u64, number as u64, digests]);
        Ok(Cow::Owned(FramePatch { cells, q, aux }))
    }
}

/// Reads a checkpoint: equal to the one written, bit for bit.
///
/// # Errors
/// The file cannot be read, is no checkpoint, is of another version or dimension, or is damaged.
pub fn read<const D: usize>(path: &Path) -> Result<Checkpoint<D>, InputError> {
    let stored = StoredCheckpoint::open(path)?;
    let refused = |error: io::Error| error.downcast().unwrap_or_else(InputError::io(path));
    let frame = stored.outline.frame.filled(&stored).map_err(refused)?;
    stored.check(&[stored.digests()])?;
    Ok(Checkpoint { frame, ..stored.outline })
}

/// File offset of a data set's values.
fn address(path: &Path, set: &Dataset) -> Result<u64, InputError> {
    match set.layout().map_err(damaged(path))? {
        Layout::Contiguous { address: Some(address), .. } => Ok(address),
        other => Err(InputError::Damaged { path: path.to_owned(), reason: format!("values lie as {other:?}") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::checkpoint;
    use crate::frames::frame::{Frame, FrameLevel};
    use crate::index::{CellBox, Ratio};

    fn sample() -> Frame<1> {
        let patch = |[lo, hi]: [i32; 2]| {
            let value = |k: i32| 0.1 * f64::from(k);
            FramePatch {
                cells: CellBox::new([lo], [hi]),
                q: (lo..hi).chain(lo..hi).map(value).collect(),
                aux: (lo..hi).map(|k| value(-k)).collect(),
            }
        };
        let level =
            |dx: f64, boxes: &[[i32; 2]]| FrameLevel { dx: [dx], patches: boxes.iter().map(|&b| patch(b)).collect() };
        Frame {
            number: 3,
            time: 0.25,
            steps: vec![5, 10],
            equations: vec!["p".into(), "u".into()],
            aux: vec!["kappa".into()],
            ratios: vec![Ratio([2])],
            levels: vec![level(1.0 / 9.0, &[[0, 4], [4, 9]]), level(0.5 / 9.0, &[[2, 6], [6, 8], [10, 16]])],
            ..Frame::empty([[0.0], [1.0]], [9])
        }
    }

    /// Several ranks that read patches in any order get the values that were written, and their digests combine to the stored one; a changed
    /// byte and a patch that no rank reads are detected.
    #[test]
    fn parts_are_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint_000005.h5");
        let frame = sample();
        checkpoint::write(&path, (&frame, &frame), "{}", "").unwrap();
        let ranks: Vec<StoredCheckpoint<1>> = (0..2).map(|_| StoredCheckpoint::open(&path).unwrap()).collect();
        for (l, level) in frame.levels.iter().enumerate() {
            for (k, patch) in level.patches.iter().enumerate().rev() {
                assert_eq!(&*ranks[k % 2].patch(l, k).unwrap(), patch);
            }
        }
        let mut read: Vec<Vec<u64>> = ranks.iter().map(StoredCheckpoint::digests).collect();
        ranks[0].check(&read).unwrap();
        read[1].truncate(WORDS);
        assert!(ranks[0].check(&read).is_err());

        let mut bytes = std::fs::read(&path).unwrap();
        let value = 1.5_f64.to_le_bytes();
        let place = bytes.windows(8).position(|window| *window == value).expect("a value of the finer level");
        bytes[place] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let stored = StoredCheckpoint::<1>::open(&path).unwrap();
        for (l, level) in frame.levels.iter().enumerate() {
            (0..level.patches.len()).for_each(|k| drop(stored.patch(l, k).unwrap()));
        }
        let message = stored.check(&[stored.digests()]).unwrap_err().to_string();
        assert!(message.contains("q of level 2 has changed since it was written"), "{message}");
    }
}
