//! Digests in the files that are read back: a bit that has changed is noticed.

use super::error::InputError;
use super::frame::Frame;
use super::frame_header::Attributes;
use hdf5::AttrValue;
use std::path::Path;

/// The attribute with a digest.
pub const DIGEST: &str = "crc32";

/// The CRC-32 of ISO 3309, which PNG and gzip use too, as an attribute.
pub fn digest(bytes: &[u8]) -> AttrValue {
    AttrValue::U64(crc32fast::hash(bytes).into())
}

/// The digest of values as little-endian bytes, as in the file, on any machine.
pub fn digest_of_values(values: &[f64]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    for part in values.chunks(4096) {
        crc.update(&bytes_of(part, f64::to_le_bytes));
    }
    crc.finalize()
}

pub fn bytes_of<T: Copy, const N: usize>(values: &[T], bytes: fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| bytes(value)).collect()
}

/// Everything of a frame but boxes and values, with further texts, as bytes that are equal only if all of it is.
pub fn header_bytes<const D: usize>(frame: &Frame<D>, texts: &[&str]) -> Vec<u8> {
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
    let lists = [&frame.equations, &frame.aux, &frame.mapping];
    for list in lists {
        numbers(&list.iter().map(|name| name.len() as u64).collect::<Vec<_>>());
    }
    numbers(&texts.iter().map(|text| text.len() as u64).collect::<Vec<_>>());
    let texts = lists.into_iter().flatten().map(String::as_str).chain(texts.iter().copied());
    texts.for_each(|text| bytes.extend(text.as_bytes()));
    bytes
}

/// Compares the digest in the file with that of the bytes read.
///
/// # Errors
/// They differ.
pub fn check_digest(path: &Path, what: &str, written: &Attributes<'_>, read: AttrValue) -> Result<(), InputError> {
    if Some(written.integer(DIGEST)?) == read.as_i64() { Ok(()) } else { Err(digest_differs(path, what)) }
}

/// The error for a digest that differs.
pub fn digest_differs(path: &Path, what: &str) -> InputError {
    let reason = format!("{what} has changed since it was written: the digests differ");
    InputError::Damaged { path: path.to_owned(), reason }
}
