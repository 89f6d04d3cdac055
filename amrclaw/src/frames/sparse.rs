//! HDF5 files whose large data sets are written piece by piece, so that no data set is ever in memory as a whole.
//!
//! The library needs only the sizes of the data sets to lay out a file. So it first gets data sets of zeros: only a mark at the beginning
//! of their memory is ever written, so the system never allocates the rest. In the file they are left out as holes, into which the values
//! are then written.

use hdf5::{DatasetBuilder, Datatype, FileBuilder, Layout};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

/// Bytes that a [`DataSetWriter`] buffers before it writes them.
const GATHERED: usize = 1 << 18;
/// Data sets of at least so many bytes are left out as holes.
const HOLE: usize = 1 << 16;
/// First bytes of the zeros of a hole; its length follows. Random 16 bytes equal the mark once in 10³⁸ times.
const MARK: [u8; 16] = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834_u128.to_le_bytes();

/// Reserves space for `count` numbers in a data set.
pub fn reserve(set: &mut DatasetBuilder, kind: Datatype, count: usize) -> &mut DatasetBuilder {
    let mut place = vec![0; count * kind.type_size() as usize];
    let len = place.len() as u64;
    if place.len() >= HOLE {
        place[..16].copy_from_slice(&MARK);
        place[16..24].copy_from_slice(&len.to_le_bytes());
    }
    set.with_raw_data(kind, place, count as u64)
}

/// The length of the hole, if the bytes begin with one.
fn hole(bytes: &[u8]) -> Option<u64> {
    let len = bytes.strip_prefix(&MARK)?.first_chunk()?;
    Some(u64::from_le_bytes(*len))
}

/// A file with space reserved for the values of its data sets.
pub struct SparseFile<'a> {
    out: &'a File,
    outline: hdf5::File,
}

impl<'a> SparseFile<'a> {
    /// Writes everything but the values; `path` is the file's present, perhaps temporary, path.
    ///
    /// # Errors
    /// The operating system's.
    pub fn new(out: &'a File, path: &Path, content: FileBuilder) -> io::Result<Self> {
        let mut sparse = SparseWriter { out, position: 0, hole: 0..0, kept: Vec::new() };
        content.finish_to(&mut sparse).map_err(io_error)?;
        out.set_len(sparse.position)?;
        Ok(SparseFile { out, outline: hdf5::File::open_streaming(path).map_err(io_error)? })
    }

    /// Writes everything but the values again: `content` has the same shape and other attributes. `filled`: the data sets whose values
    /// are written.
    ///
    /// # Errors
    /// The operating system's.
    pub fn rewrite(&self, content: FileBuilder, filled: &[String]) -> io::Result<()> {
        let kept = filled.iter().map(|name| self.place(name)).collect::<io::Result<Vec<_>>>()?;
        content.finish_to(&mut SparseWriter { out: self.out, position: 0, hole: 0..0, kept }).map_err(io_error)
    }

    /// Writes a data set's values, from the first one on.
    ///
    /// # Errors
    /// The operating system's.
    pub fn filler(&self, data_set: &str) -> io::Result<DataSetWriter<'a>> {
        let place = self.place(data_set)?;
        Ok(DataSetWriter { out: self.out, place, gathered: Vec::new(), crc: None })
    }

    fn place(&self, data_set: &str) -> io::Result<Range<u64>> {
        let layout = self.outline.dataset(data_set).and_then(|set| set.layout()).map_err(io_error)?;
        match layout {
            Layout::Contiguous { address: Some(address), size } => Ok(address..address + size),
            Layout::Contiguous { size: 0, .. } => Ok(0..0),
            other => Err(io::Error::other(format!("{data_set} lies as {other:?}"))),
        }
    }
}

/// Writes the values of a data set in order.
pub struct DataSetWriter<'a> {
    out: &'a File,
    /// Byte range in the file of the values not yet written, buffered ones included.
    place: Range<u64>,
    gathered: Vec<u8>,
    crc: Option<crc32fast::Hasher>,
}

impl DataSetWriter<'_> {
    /// Also computes the CRC-32 of all values.
    pub fn with_crc(self) -> Self {
        DataSetWriter { crc: Some(crc32fast::Hasher::new()), ..self }
    }

    /// Appends values.
    ///
    /// # Errors
    /// The operating system's.
    pub fn put<T: Copy, const N: usize>(&mut self, values: &[T], bytes: impl Fn(T) -> [u8; N]) -> io::Result<()> {
        for part in values.chunks(GATHERED / N) {
            let start = self.gathered.len();
            self.gathered.resize(start + N * part.len(), 0);
            // Chunks of constant size, so that the compiler vectorises the copy.
            let (places, _) = self.gathered[start..].as_chunks_mut();
            places.iter_mut().zip(part).for_each(|(place, &value)| *place = bytes(value));
            if self.gathered.len() >= GATHERED {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let end = self.place.start + self.gathered.len() as u64;
        assert!(end <= self.place.end, "more values than the data set has place for");
        self.crc.iter_mut().for_each(|crc| crc.update(&self.gathered));
        let mut out = self.out;
        out.seek(SeekFrom::Start(self.place.start))?;
        out.write_all(&self.gathered)?;
        self.place.start = end;
        self.gathered.clear();
        Ok(())
    }

    /// Writes the buffered values; returns the CRC-32 of all, if it was asked for.
    ///
    /// # Errors
    /// The operating system's.
    pub fn finish(mut self) -> io::Result<Option<u32>> {
        self.flush()?;
        assert!(self.place.is_empty(), "a data set lacks values");
        Ok(self.crc.map(crc32fast::Hasher::finalize))
    }
}

/// A writer that skips holes and the byte ranges in `kept`.
struct SparseWriter<'a> {
    out: &'a File,
    position: u64,
    /// The last hole.
    hole: Range<u64>,
    kept: Vec<Range<u64>>,
}

impl Write for SparseWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let at = self.position;
        if let Some(len) = hole(bytes) {
            self.hole = at..at + len;
        }
        let left_out = || self.kept.iter().chain([&self.hole]);
        let (end, is_left_out) = match left_out().find(|place| place.contains(&at)) {
            Some(place) => (place.end, true),
            None => (left_out().map(|place| place.start).filter(|&start| start > at).min().unwrap_or(u64::MAX), false),
        };
        let part = &bytes[..bytes.len().min(usize::try_from(end - at).unwrap_or(usize::MAX))];
        if !is_left_out {
            let mut out = self.out;
            out.seek(SeekFrom::Start(at))?;
            out.write_all(part)?;
        }
        self.position += part.len() as u64;
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The operating system's error that an error of the HDF5 library wraps, or else the library's own.
pub fn io_error(error: hdf5::Error) -> io::Error {
    match error {
        hdf5::Error::Io(error) => error,
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that is filled piece by piece, its attributes written again last, has the bytes of one that is written at once: with data
    /// sets smaller and larger than what is gathered, and an empty one.
    #[test]
    fn a_filled_file_is_the_whole_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("filled.h5");
        let sets: [(&str, Vec<f64>); 4] = [("none", 0), ("few", 3), ("some", 900), ("many", 70_000)]
            .map(|(name, count)| (name, (0..count).map(|k| if k % 5 == 0 { 0.0 } else { f64::from(k) }).collect()));
        let content = |crcs: &[u64], put: &dyn Fn(&mut DatasetBuilder, &[f64])| {
            let mut file = FileBuilder::new();
            let mut group = file.create_group("group");
            for ((name, values), &crc) in sets.iter().zip(crcs) {
                put(group.create_dataset(name), values);
                group.set_attr(name, hdf5::AttrValue::U64(crc));
            }
            file.add_group(group.finish());
            file
        };
        let hollow = |set: &mut DatasetBuilder, values: &[f64]| {
            reserve(set, hdf5::make_f64_type(), values.len());
        };
        let out = File::create_new(&path).unwrap();
        let file = SparseFile::new(&out, &path, content(&[0; 4], &hollow)).unwrap();
        let names: Vec<String> = sets.iter().map(|(name, _)| format!("group/{name}")).collect();
        let fill = |(name, (_, values)): (&String, &(&str, Vec<f64>))| {
            let mut filler = file.filler(name).unwrap().with_crc();
            values.chunks(37).for_each(|part| filler.put(part, f64::to_le_bytes).unwrap());
            u64::from(filler.finish().unwrap().unwrap())
        };
        let crcs: Vec<u64> = names.iter().zip(&sets).map(fill).collect();
        file.rewrite(content(&crcs, &hollow), &names).unwrap();
        let whole = content(&crcs, &|set, values| {
            set.with_f64_data(values);
        })
        .finish()
        .unwrap();
        assert!(std::fs::read(&path).unwrap() == whole);
    }
}
