//! Reads Linux shared libraries without loading them: whether the file is complete, and what it exports.
//!
//! The format is that of the System V ABI, chapters 4 and 5 (ELF-64, in this machine's byte order).

/// A library's file whose tables have been checked to be complete.
pub struct Image<'a> {
    bytes: &'a [u8],
    segments: Vec<Segment>,
    /// Entries of the table of exported symbols, and the bytes of their names.
    symbols: &'a [u8],
    names: &'a [u8],
}

/// A part of the file that the loader maps.
struct Segment {
    /// Offset in the file.
    offset: u64,
    /// Address in the library's memory.
    address: u64,
    len: u64,
}

/// ELF's number of this processor's architecture.
const MACHINE: Option<u64> = if cfg!(target_arch = "x86_64") {
    Some(62)
} else if cfg!(target_arch = "aarch64") {
    Some(183)
} else {
    None
};

const SHARED: u64 = 3;
const MAPPED: u64 = 1;
const EXPORTED: u64 = 11;
/// Type of a section without bytes in the file.
const NO_BYTES: u64 = 8;
const SYMBOL_LEN: usize = 24;

/// The little-endian number of `N` bytes at `at`; `None` beyond the end.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let part = bytes.get(at..at.checked_add(N)?)?;
    Some(part.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

/// `len` bytes from `offset` on; `None` beyond the end.
fn part(bytes: &[u8], offset: u64, len: u64) -> Option<&[u8]> {
    bytes.get(usize::try_from(offset).ok()?..usize::try_from(offset.checked_add(len)?).ok()?)
}

impl<'a> Image<'a> {
    /// Checks the file's tables.
    ///
    /// # Errors
    /// Why the loader could not load it.
    pub fn read(bytes: &'a [u8]) -> Result<Self, String> {
        if !bytes.starts_with(b"\x7fELF\x02\x01") {
            return Err("it is not an ELF shared library, 64-bit and little-endian".to_owned());
        }
        let cut = || format!("it is damaged: a part is missing after its {} bytes", bytes.len());
        let kind = number::<2>(bytes, 16).ok_or_else(cut)?;
        let machine = number::<2>(bytes, 18).ok_or_else(cut)?;
        if kind != SHARED {
            return Err("it is not a shared library".to_owned());
        }
        if MACHINE.is_some_and(|wanted| wanted != machine) {
            return Err("it is for another kind of processor".to_owned());
        }
        let segments = Self::segments(bytes).ok_or_else(cut)?;
        let (symbols, names) = Self::exported(bytes).ok_or_else(cut)?;
        Ok(Image { bytes, segments, symbols, names })
    }

    /// The parts that the loader maps; `None` if one is not in the file.
    fn segments(bytes: &[u8]) -> Option<Vec<Segment>> {
        let (start, len) = (number::<8>(bytes, 32)?, number::<2>(bytes, 54)?);
        let mut segments = Vec::new();
        for k in 0..number::<2>(bytes, 56)? {
            let header = part(bytes, start.checked_add(k * len)?, len)?;
            if number::<4>(header, 0)? != MAPPED {
                continue;
            }
            let (offset, address, len) = (number::<8>(header, 8)?, number::<8>(header, 16)?, number::<8>(header, 32)?);
            part(bytes, offset, len)?;
            segments.push(Segment { offset, address, len });
        }
        Some(segments)
    }

    /// The table of exported symbols and their names; `None` if any section is not in the file. The section table is the last part
    /// of a file, so this also finds files that were cut off.
    fn exported(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
        let (start, len, count) = (number::<8>(bytes, 40)?, number::<2>(bytes, 58)?, number::<2>(bytes, 60)?);
        let section = |k: u64| -> Option<(u64, &[u8], u64)> {
            let header = part(bytes, start.checked_add(k.checked_mul(len)?)?, len)?;
            let kind = number::<4>(header, 4)?;
            let size = if kind == NO_BYTES { 0 } else { number::<8>(header, 32)? };
            Some((kind, part(bytes, number::<8>(header, 24)?.min(bytes.len() as u64), size)?, number::<4>(header, 40)?))
        };
        let mut found = (&bytes[..0], &bytes[..0]);
        for k in 0..count {
            let (kind, content, link) = section(k)?;
            if kind == EXPORTED {
                found = (content, section(link)?.1);
            }
        }
        Some(found)
    }

    /// The address of the exported symbol `name`.
    pub fn symbol(&self, name: &str) -> Option<u64> {
        self.symbols.chunks_exact(SYMBOL_LEN).find_map(|symbol| {
            let from = self.names.get(number::<4>(symbol, 0)? as usize..)?;
            let is_defined = number::<2>(symbol, 6)? != 0;
            let is_it = from.starts_with(name.as_bytes()) && from.get(name.len()) == Some(&0);
            if is_defined && is_it { number::<8>(symbol, 8) } else { None }
        })
    }

    /// Bytes of the file that the loader maps at an address.
    pub fn bytes_at(&self, address: u64, len: usize) -> Option<&'a [u8]> {
        self.segments.iter().find_map(|segment| {
            let within = address.checked_sub(segment.address).filter(|&within| within < segment.len)?;
            part(self.bytes, segment.offset.checked_add(within)?, (len as u64).min(segment.len - within))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test program itself is an ELF file, though no library: wherever it is cut, and whichever byte of its tables is
    /// changed, it is read or refused without access out of bounds.
    #[test]
    fn damaged_files_are_refused() {
        let mut bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(Image::read(&bytes).is_ok(), "an executable that can be moved is of a library's kind");
        for end in [0, 4, 17, 63, 64, 200, bytes.len() / 2, bytes.len() - 1] {
            assert!(Image::read(&bytes[..end]).is_err(), "{end} bytes");
        }
        for at in 0..600 {
            bytes[at] ^= 0xff;
            if let Ok(image) = Image::read(&bytes) {
                image.symbol("riemann_plugin");
                image.bytes_at(number::<8>(&bytes, at).unwrap(), 128);
            }
            bytes[at] ^= 0xff;
        }
    }

    /// Files of other kinds are refused with a message that says so.
    #[test]
    fn other_files_are_told_apart() {
        assert!(Image::read(b"not a library").err().unwrap().contains("not an ELF shared library"));
        assert!(Image::read(b"").is_err());
    }
}
