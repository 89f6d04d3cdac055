//! Reads the reference arrays: numpy's `npz`, a zip archive of `npy` files.
//!
//! Supports only what the reference files contain: little-endian `f64`, `f32`, `i16`, `i32` and `i64` in C order, `npy` version 1.0.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

/// One array: numbers in C order and the length along each axis.
pub struct Array {
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

impl Array {
    /// Row `k` of the first axis.
    pub fn row(&self, k: usize) -> &[f64] {
        let length = self.values.len() / self.shape[0];
        &self.values[k * length..][..length]
    }
}

/// An open archive of a folder of `tests/data`.
pub struct Npz {
    path: PathBuf,
    archive: zip::ZipArchive<File>,
}

impl Npz {
    /// Opens `NAME.npz`.
    pub fn open(folder: &str, name: &str) -> Npz {
        let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        let path = data.join(folder).join(format!("{name}.npz"));
        let file = File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let archive = zip::ZipArchive::new(file).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Npz { path, archive }
    }

    /// First cell and size of each patch. Some frames have an array for each axis, others one for all.
    pub fn boxes<const D: usize>(&mut self) -> (Vec<[i32; D]>, Vec<[i32; D]>) {
        let are_apart = self.archive.index_for_name("ilo.npy").is_some();
        let mut of = |together: &str, apart: [&str; 3]| {
            let arrays: Vec<Array> = match are_apart {
                true => apart.iter().take(D).map(|name| self.array(name)).collect(),
                false => vec![self.array(together)],
            };
            let value = |k: usize, d: usize| if are_apart { arrays[d].values[k] } else { arrays[0].row(k)[d] };
            (0..arrays[0].shape[0]).map(|k| std::array::from_fn(|d| value(k, d) as i32)).collect()
        };
        (of("lower", ["ilo", "jlo", "klo"]), of("size", ["mx", "my", "mz"]))
    }

    /// Reads the array `name`; integers are converted to `f64`.
    pub fn array(&mut self, name: &str) -> Array {
        let place = format!("{}, array `{name}`", self.path.display());
        let mut bytes = Vec::new();
        let mut entry = self.archive.by_name(&format!("{name}.npy")).unwrap_or_else(|e| panic!("{place}: {e}"));
        entry.read_to_end(&mut bytes).unwrap_or_else(|e| panic!("{place}: {e}"));
        parse(&bytes).unwrap_or_else(|| {
            panic!("{place}: not an npy 1.0 array of `<f8`, `<f4`, `<i8`, `<i4` or `<i2` in C order")
        })
    }
}

/// Parses an `npy` file: ten bytes of magic, version and header length; the header, a Python dictionary; the numbers.
fn parse(bytes: &[u8]) -> Option<Array> {
    let rest = bytes.strip_prefix(b"\x93NUMPY\x01\x00")?;
    let (length, rest) = rest.split_first_chunk::<2>()?;
    let (header, data) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
    let header = std::str::from_utf8(header).ok()?;
    let shape = header.split_once("'shape': (")?.1.split_once(')')?.0;
    let shape: Vec<usize> = shape.split(',').filter_map(|n| n.trim().parse().ok()).collect();
    let is = |kind: &str| header.contains(&format!("'descr': '{kind}', 'fortran_order': False"));
    let values: Vec<f64> = if is("<f8") {
        data.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect()
    } else if is("<f4") {
        data.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b).into()).collect()
    } else if is("<i8") {
        data.as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b) as f64).collect()
    } else if is("<i4") {
        data.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b).into()).collect()
    } else if is("<i2") {
        data.as_chunks::<2>().0.iter().map(|b| i16::from_le_bytes(*b).into()).collect()
    } else {
        return None;
    };
    (values.len() == shape.iter().product::<usize>()).then_some(Array { shape, values })
}
