//! NumPy's `.npy`.

use super::{Array, MAX_VALUES, Wrong, counts};
use std::io::Read;
use std::path::Path;

/// Reads NumPy's format, versions 1 to 3, with real numbers of any type.
pub fn read_npy(path: &Path) -> Result<Array, Wrong> {
    let plain = |message: String| (message, "write it by `numpy.save` with real numbers".to_owned());
    let file = std::fs::File::open(path).map_err(|error| plain(error.to_string()))?;
    let mut bytes = Vec::new();
    file.take(8 * MAX_VALUES + (1 << 20)).read_to_end(&mut bytes).map_err(|error| plain(error.to_string()))?;
    npy(&bytes).ok_or_else(|| plain("is not a complete .npy file of real numbers".to_owned()))
}

/// The array in the bytes of a `.npy` file.
fn npy(bytes: &[u8]) -> Option<Array> {
    let rest = bytes.strip_prefix(b"\x93NUMPY")?;
    let (major, rest) = (*rest.first()?, rest.get(2..)?);
    let (len, rest) = match major {
        1 => (u16::from_le_bytes(rest.get(..2)?.try_into().ok()?) as usize, &rest[2..]),
        _ => (u32::from_le_bytes(rest.get(..4)?.try_into().ok()?) as usize, &rest[4..]),
    };
    let header = std::str::from_utf8(rest.get(..len)?).ok()?;
    let value_of = |key: &str| Some(header.split_once(key)?.1.trim_start().strip_prefix(':')?.trim_start());
    let kind = value_of("'descr'")?.strip_prefix('\'')?.split('\'').next()?;
    let columns_first = value_of("'fortran_order'")?.starts_with("True");
    let shape = value_of("'shape'")?.strip_prefix('(')?.split(')').next()?;
    let shape: Option<Vec<u64>> =
        shape.split(',').map(str::trim).filter(|text| !text.is_empty()).map(|text| text.parse().ok()).collect();
    let count = counts(shape?.into_iter())?;
    let values = numbers(kind, &rest[len..], count.iter().product())?;
    Some(Array { values: if columns_first { rows_first(&count, &values) } else { values }, count })
}

/// As many numbers of a NumPy type, such as `<f8`.
pub fn numbers(kind: &str, bytes: &[u8], len: usize) -> Option<Vec<f64>> {
    let is_big = kind.starts_with('>');
    let (kind, size) = kind.trim_start_matches(['<', '>', '|', '=']).split_at_checked(1)?;
    let size: usize = size.parse().ok().filter(|size| [1, 2, 4, 8].contains(size))?;
    let bytes = bytes.get(..len.checked_mul(size)?)?;
    let number = |part: &[u8]| {
        // In the last bytes of a word, the most significant first.
        let mut word = [0; 8];
        for (k, byte) in part.iter().enumerate() {
            word[if is_big { 8 - size + k } else { 7 - k }] = *byte;
        }
        let unsigned = u64::from_be_bytes(word);
        let unused = 64 - 8 * size as u32;
        match (kind, size) {
            ("f", 8) => Some(f64::from_bits(unsigned)),
            ("f", 4) => Some(f64::from(f32::from_bits(unsigned as u32))),
            ("i", _) => Some(((unsigned << unused) as i64 >> unused) as f64),
            ("u", _) => Some(unsigned as f64),
            _ => None,
        }
    };
    bytes.chunks_exact(size).map(number).collect()
}

/// Values whose last index in `count` is the fastest, in the order in which the first is.
fn rows_first(count: &[usize], values: &[f64]) -> Vec<f64> {
    let place = |mut k: usize| {
        let index: Vec<usize> = count
            .iter()
            .map(|n| {
                let i = k % n;
                k /= n;
                i
            })
            .collect();
        index.iter().zip(count).fold(0, |at, (i, n)| at * n + i)
    };
    (0..values.len()).map(|k| values[place(k)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        [bytes, header.as_bytes().to_vec(), data.to_vec()].concat()
    }

    /// Types, orders of bytes and of axes, as NumPy writes them. x is the last axis in the file, and the first here.
    #[test]
    fn arrays_of_numpy_are_read() {
        let read = |header: &str, data: &[u8]| npy(&file(header, data)).map(|array| (array.count, array.values));
        let data: Vec<u8> = [1.5f64, -2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let rows = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
        assert_eq!(read(rows, &data), Some((vec![3, 2], vec![1.5, -2.0, 3.0, 4.0, 5.0, 6.0])));
        let columns = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }";
        assert_eq!(read(columns, &data), Some((vec![3, 2], vec![1.5, 3.0, 5.0, -2.0, 4.0, 6.0])));
        let small = "{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }";
        assert_eq!(read(small, &[0xff, 0xfe, 0x01, 0x00]), Some((vec![2], vec![-2.0, 256.0])));
        let single = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
        assert_eq!(read(single, &0.25f32.to_le_bytes()), Some((vec![1], vec![0.25])));
    }

    /// Every cut, and every shape or type that the bytes do not hold, is refused.
    #[test]
    fn damaged_arrays_are_refused() {
        let good = file("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", &[0; 16]);
        assert!(npy(&good).is_some());
        assert!((0..good.len()).all(|len| npy(&good[..len]).is_none()));
        for header in [
            "{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999,), }",
        ] {
            assert!(npy(&file(header, &[0; 16])).is_none(), "{header}");
        }
    }
}
