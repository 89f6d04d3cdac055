//! Reads the reference arrays: numpy's `npz`, a zip archive of `npy` files.
//!
//! Only what the reference files hold is understood: little-endian `f64` and `i32` in C order, `npy` version 1.0.

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

/// An open archive of the folder `tests/data/reference`.
pub struct Npz {
    path: PathBuf,
    archive: zip::ZipArchive<File>,
}

impl Npz {
    /// Opens `NAME.npz`.
    pub fn open(name: &str) -> Npz {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/reference").join(format!("{name}.npz"));
        let file = File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let archive = zip::ZipArchive::new(file).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Npz { path, archive }
    }

    /// Reads the array `name`; integers are converted to `f64`.
    pub fn array(&mut self, name: &str) -> Array {
        let place = format!("{}, array `{name}`", self.path.display());
        let mut bytes = Vec::new();
        let mut entry = self.archive.by_name(&format!("{name}.npy")).unwrap_or_else(|e| panic!("{place}: {e}"));
        entry.read_to_end(&mut bytes).unwrap_or_else(|e| panic!("{place}: {e}"));
        parse(&bytes).unwrap_or_else(|| panic!("{place}: not an npy 1.0 array of `<f8` or `<i4` in C order"))
    }
}

/// Ten bytes of magic, version and header length; the header, a Python dictionary; the numbers.
fn parse(bytes: &[u8]) -> Option<Array> {
    let rest = bytes.strip_prefix(b"\x93NUMPY\x01\x00")?;
    let (length, rest) = rest.split_first_chunk::<2>()?;
    let (header, data) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
    let header = std::str::from_utf8(header).ok()?;
    let shape = header.split_once("'shape': (")?.1.split_once(')')?.0;
    let shape: Vec<usize> = shape.split(',').filter_map(|n| n.trim().parse().ok()).collect();
    let values: Vec<f64> = if header.contains("'descr': '<f8', 'fortran_order': False") {
        data.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect()
    } else if header.contains("'descr': '<i4', 'fortran_order': False") {
        data.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b).into()).collect()
    } else {
        return None;
    };
    (values.len() == shape.iter().product::<usize>()).then_some(Array { shape, values })
}
