//! HDF5's virtual data sets, whose rows are stored in other files.
//!
//! The library that writes the rest of a file does not support them. It first writes a data set whose values are the bytes of a global heap
//! collection that lists the source files. Then this module edits the data set's object header: the shape becomes that of all rows, and the
//! layout becomes a virtual one that refers to the collection, which stays in place of the values. The HDF5 File Format Specification
//! describes these under "Global Heap", "Global Heap Block for Virtual Datasets", "Data Layout Message" of version 4, and "Encoding for
//! Dataspace Selection".

use crate::io::sparse::io_error;
use hdf5::{DatasetBuilder, Datatype, FileBuilder, Layout};
use std::collections::HashMap;
use std::io;
use std::ops::Range;

/// A source file, which stores some rows of a virtual data set.
pub struct Source {
    /// Its name in the folder of the file with the virtual data set.
    pub file: String,
    /// Ranges of the virtual data set's rows that it stores: disjoint, ascending.
    pub rows: Vec<Range<u64>>,
}

/// A data set that [`finish`] makes virtual.
pub struct VirtualSet {
    path: String,
    rows: u64,
}

/// Index of the heap object that lists a data set's sources; each data set has its own collection.
const OBJECT: u16 = 1;
/// A collection has at least `LEAST` bytes, which readers fetch at once, and a multiple of `WHOLE`: a row of three 8-byte numbers.
const LEAST: usize = 4096;
const WHOLE: usize = 24;

/// Writes the list of sources as the values of the data set at `path`; [`finish`] then makes it virtual, with all rows of its sources. In
/// the source files the data set has the same path.
pub fn reserve(
    set: &mut DatasetBuilder,
    path: String,
    (kind, columns): (Datatype, usize),
    sources: &[Source],
) -> VirtualSet {
    let rows = sources.iter().flat_map(|source| &source.rows).map(|rows| rows.end).max().unwrap_or(0);
    let bytes = collection(&mappings(&path, columns as u64, rows, sources));
    let count = bytes.len() as u64 / u64::from(kind.type_size());
    set.with_raw_data(kind, bytes, count);
    if columns > 1 {
        set.with_shape(&[count / columns as u64, columns as u64]);
    }
    VirtualSet { path, rows }
}

/// The bytes of the file, with these data sets made virtual.
///
/// # Errors
/// The HDF5 library's.
pub fn finish(content: FileBuilder, sets: &[VirtualSet]) -> io::Result<Vec<u8>> {
    let file = content.finish().and_then(hdf5::File::from_bytes).map_err(io_error)?;
    let mut rows_at = HashMap::new();
    for set in sets {
        match file.dataset(&set.path).and_then(|set| set.layout()).map_err(io_error)? {
            Layout::Contiguous { address: Some(address), .. } => rows_at.insert(address, set.rows),
            other => return Err(io::Error::other(format!("{} lies as {other:?}", set.path))),
        };
    }
    let mut bytes = file.as_bytes().to_vec();
    let begins = bytes.windows(16).enumerate().filter(|(_, bytes)| bytes.starts_with(b"OHDR"));
    let headers: Vec<usize> = begins.map(|(at, _)| at).collect();
    let changed = headers.into_iter().filter(|&at| make_virtual(&mut bytes[at..], &rows_at)).count();
    assert_eq!(changed, sets.len(), "each virtual data set has a header");
    Ok(bytes)
}

/// Types of messages in object headers.
const DATASPACE: u8 = 1;
const LAYOUT: u8 = 8;
/// Bytes of a message's header: type, size, flags.
const MESSAGE_HEAD: usize = 4;
/// Bytes of a contiguous and of a virtual layout message: the difference becomes an empty message.
const TOGETHER: usize = 18;
const VIRTUAL: usize = 14;
const _: () = assert!(TOGETHER - VIRTUAL == MESSAGE_HEAD);

/// Makes a data set virtual if `bytes` begin with its object header and `rows_at` has its address; returns whether it did.
fn make_virtual(bytes: &mut [u8], rows_at: &HashMap<u64, u64>) -> bool {
    let (version, flags) = (bytes[4], bytes[5]);
    // Higher flag bits announce times or attribute limits, which the library never stores.
    if version != 2 || flags > 3 {
        return false;
    }
    let (width, start) = (1 << flags, 6 + (1 << flags));
    let end = start + number(&bytes[6..6 + width]) as usize;
    if bytes.len() < end + 4 || number(&bytes[end..end + 4]) != u64::from(lookup3(&bytes[..end])) {
        return false;
    }
    let (mut shape, mut layout, mut at) = (None, None, start);
    while at + MESSAGE_HEAD <= end {
        let body = at + MESSAGE_HEAD;
        match bytes[at] {
            DATASPACE => shape = Some(body + 4),
            LAYOUT if bytes[body + 1] == 1 => layout = Some(at),
            _ => {}
        }
        at = body + number(&bytes[at + 1..at + 3]) as usize;
    }
    let (Some(shape), Some(layout)) = (shape, layout) else { return false };
    let body = layout + MESSAGE_HEAD;
    let address = number(&bytes[body + 2..body + 10]);
    let Some(rows) = rows_at.get(&address) else { return false };
    bytes[shape..shape + 8].copy_from_slice(&rows.to_le_bytes());
    bytes[layout + 1..layout + 3].copy_from_slice(&(VIRTUAL as u16).to_le_bytes());
    let new =
        [&[4, 3], &address.to_le_bytes()[..], &u32::from(OBJECT).to_le_bytes(), &[0; TOGETHER - VIRTUAL]].concat();
    bytes[body..body + TOGETHER].copy_from_slice(&new);
    let checksum = lookup3(&bytes[..end]);
    bytes[end..end + 4].copy_from_slice(&checksum.to_le_bytes());
    true
}

/// Reads a little-endian number of up to 8 bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// A heap collection with one object.
fn collection(object: &[u8]) -> Vec<u8> {
    let head = |index: u16, size: usize| {
        let references = u16::from(index != 0);
        [&index.to_le_bytes()[..], &references.to_le_bytes(), &[0; 4], &(size as u64).to_le_bytes()].concat()
    };
    let padded = object.len().next_multiple_of(8);
    // Three headers: of the collection, of the object, of the free space.
    let whole = (3 * 16 + padded).max(LEAST).next_multiple_of(WHOLE);
    let mut bytes =
        [&b"GCOL\x01\0\0\0"[..], &(whole as u64).to_le_bytes(), &head(OBJECT, object.len()), object].concat();
    bytes.resize(32 + padded, 0);
    bytes.extend(head(0, whole - bytes.len()));
    bytes.resize(whole, 0);
    bytes
}

/// The heap object: for each source its file, the data set's path, and which of the `rows` rows it stores.
fn mappings(path: &str, columns: u64, rows: u64, sources: &[Source]) -> Vec<u8> {
    let sources = || sources.iter().filter(|source| !source.rows.is_empty());
    let mut bytes = [&[0][..], &(sources().count() as u64).to_le_bytes()].concat();
    for source in sources() {
        bytes.extend([source.file.as_bytes(), b"\0", path.as_bytes(), b"\0"].concat());
        // Selection of all rows of the source: type 3, version 1, length 0.
        bytes.extend([3_u32, 1, 0, 0].map(u32::to_le_bytes).concat());
        bytes.extend(selection(columns, rows, &source.rows));
    }
    let checksum = lookup3(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// Blocks of rows as a hyperslab selection (type 2): version 1 with 32-bit numbers, which all readers support, or version 3 of HDF5 1.12.
fn selection(columns: u64, rows: u64, blocks: &[Range<u64>]) -> Vec<u8> {
    let rank = if columns > 1 { 2 } else { 1 };
    let width = if u32::try_from(rows).is_ok() { 4 } else { 8 };
    let corners = |block: &Range<u64>| [[block.start, 0], [block.end - 1, columns - 1]];
    let numbers =
        blocks.iter().flat_map(|block| corners(block).into_iter().flat_map(move |c| c.into_iter().take(rank)));
    let numbers = [blocks.len() as u64].into_iter().chain(numbers);
    let numbers: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes().into_iter().take(width)).collect();
    let rank = (rank as u32).to_le_bytes();
    match width {
        4 => {
            let length = (rank.len() + numbers.len()) as u32;
            [&[2_u32, 1, 0, length].map(u32::to_le_bytes).concat()[..], &rank, &numbers].concat()
        }
        _ => [&[2_u32, 3].map(u32::to_le_bytes).concat()[..], &[0, width as u8], &rank, &numbers].concat(),
    }
}

/// Bob Jenkins's lookup3 (`hashlittle`, initial value 0), HDF5's checksum of metadata.
fn lookup3(bytes: &[u8]) -> u32 {
    let mut state = [0xdead_beef_u32.wrapping_add(bytes.len() as u32); 3];
    let add = |state: &mut [u32; 3], part: &[u8]| {
        for (sum, word) in state.iter_mut().zip(part.chunks(4)) {
            *sum = sum.wrapping_add(number(word) as u32);
        }
    };
    let [a, b, c] = [0, 1, 2];
    let mut parts = bytes.chunks(12).peekable();
    while let Some(part) = parts.next() {
        add(&mut state, part);
        if parts.peek().is_none() {
            for (turn, k) in [14, 11, 25, 16, 4, 14, 24].into_iter().enumerate() {
                let [x, y] = [[c, b], [a, c], [b, a]][turn % 3];
                state[x] = (state[x] ^ state[y]).wrapping_sub(state[y].rotate_left(k));
            }
            break;
        }
        for (turn, k) in [4, 6, 8, 16, 19, 4].into_iter().enumerate() {
            let [x, y, z] = [[a, c, b], [b, a, c], [c, b, a]][turn % 3];
            state[x] = state[x].wrapping_sub(state[y]) ^ state[y].rotate_left(k);
            state[y] = state[y].wrapping_add(state[z]);
        }
    }
    state[c]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_files(rows: [[Range<u64>; 2]; 2]) -> Vec<Source> {
        let source = |(file, rows): (&str, [Range<u64>; 2])| Source { file: file.to_owned(), rows: rows.into() };
        ["p1.h5", "p2.h5"].into_iter().zip(rows).map(source).collect()
    }

    /// The list of two source files has the bytes that libhdf5 2.0 wrote (by h5py 3.16): for few rows, in the version that all readers of
    /// virtual data sets support, and for more than 2³² rows of three numbers.
    #[test]
    fn sources_are_told_as_libhdf5_tells_them() {
        let few = [
            &b"\0\x02\0\0\0\0\0\0\0p1.h5\0a/b\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x02"[..],
            b"\0\0\0\x01\0\0\0\0\0\0\0\x18\0\0\0\x01\0\0\0\x02\0\0\0\0\0\0\0\x02\0\0\0\x05\0\0\0\x0b",
            b"\0\0\0",
            b"p2.h5\0a/b\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x02\0\0\0\x01\0\0\0\0\0",
            b"\0\0\x18\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x04\0\0\0\x0c\0\0\0\x13\0\0\0\x90\x0d\xa4\xc6",
        ]
        .concat();
        assert!(mappings("a/b", 1, 20, &two_files([[0..3, 5..12], [3..5, 12..20]])) == few);
        let many = [
            &b"\0\x02\0\0\0\0\0\0\0p1.h5\0x\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x02\0\0"[..],
            b"\0\x03\0\0\0\0\x08\x02\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02",
            b"\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x06\0\0\0\x01",
            b"\0\0\0\x02\0\0\0\0\0\0\0",
            b"p2.h5\0x\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x02\0\0\0\x03\0\0\0\0\x08\x02\0",
            b"\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\0\0\0\0\x02\0",
            b"\0\0\0\0\0\0\x07\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x0e\0\0\0\x01\0\0\0\x02\0\0\0\0\0",
            b"\0\0i^\x14\xfa",
        ]
        .concat();
        let large = 1 << 32;
        let rows = [[0..3, large..large + 7], [3..large, large + 7..large + 15]];
        assert!(mappings("x", 3, large + 15, &two_files(rows)) == many);
    }

    /// Only the headers of virtual data sets change, even where values look like a header; the library then reads these data sets as
    /// virtual, with the shape of all rows.
    #[test]
    fn headers_say_what_is_virtual() {
        let mut sets = Vec::new();
        let mut file = FileBuilder::new();
        file.create_dataset("plain").with_u8_data(b"OHDR\x02\0\x04----sums");
        for (name, kind, columns) in [("one", hdf5::make_u8_type(), 1), ("three", hdf5::make_f64_type(), 3)] {
            let sources = two_files([[0..3, 5..12], [3..5, 12..21]]);
            sets.push(reserve(file.create_dataset(name), name.to_owned(), (kind, columns), &sources));
        }
        let file = hdf5::File::from_bytes(finish(file, &sets).unwrap()).unwrap();
        assert_eq!(file.dataset("plain").unwrap().read_u8().unwrap(), b"OHDR\x02\0\x04----sums");
        for (name, shape) in [("one", vec![21]), ("three", vec![21, 3])] {
            let set = file.dataset(name).unwrap();
            assert!(matches!(set.layout(), Ok(Layout::Virtual)));
            assert_eq!(set.shape().unwrap(), shape);
        }
    }
}
