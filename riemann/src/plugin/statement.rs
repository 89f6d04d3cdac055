//! The statement of a library about itself, read before the library is loaded: a constant in its file.

use super::ABI_VERSION;
use super::abi::LAYOUT;

/// Name of the constant that a plugin exports beside its entry.
pub const STATEMENT: &str = "RIEMANN_PLUGIN";

/// The first bytes of the constant.
const MARK: [u8; 8] = *b"riemann\x01";

/// Version and layouts of the interface, and what built the library; no pointers, so that its bytes are those in the file.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Statement {
    mark: [u8; 8],
    abi_version: u64,
    layout: u64,
    /// Text, filled up with zeros.
    riemann: [u8; 24],
    toolchain: [u8; 80],
}

impl Statement {
    /// The statement of this crate, compiled by `toolchain`.
    pub const fn new(toolchain: &str) -> Self {
        Statement {
            mark: MARK,
            abi_version: ABI_VERSION as u64,
            layout: LAYOUT,
            riemann: padded(env!("CARGO_PKG_VERSION")),
            toolchain: padded(toolchain),
        }
    }
}

/// The beginning of a text, filled up with zeros.
const fn padded<const N: usize>(text: &str) -> [u8; N] {
    let (mut bytes, text) = ([0; N], text.as_bytes());
    let mut i = 0;
    while i < N && i < text.len() {
        bytes[i] = text[i];
        i += 1;
    }
    bytes
}

#[cfg(feature = "catalogue")]
mod check {
    use super::*;
    use crate::plugin::LoadError;

    impl Statement {
        /// Compares the bytes of a library's constant with what this program can load.
        ///
        /// # Errors
        /// They are no statement, or one for another program.
        pub fn check(bytes: &[u8]) -> Result<(), LoadError> {
            let number = |at: usize| {
                let word = bytes.get(at..at + 8).and_then(|word| word.try_into().ok());
                word.map(u64::from_ne_bytes).ok_or(LoadError::NotAPlugin)
            };
            if !bytes.starts_with(&MARK) {
                return Err(LoadError::NotAPlugin);
            }
            let (version, layout) = (number(8)?, number(16)?);
            if (version, layout) == (u64::from(ABI_VERSION), LAYOUT) {
                return Ok(());
            }
            let text = |from: usize, len: usize| {
                let bytes = bytes.get(from..from + len).unwrap_or_default();
                String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
            };
            Err(LoadError::OtherVersion {
                found: u32::try_from(version).unwrap_or(u32::MAX),
                expected: ABI_VERSION,
                riemann: text(24, 24),
                toolchain: text(48, 80),
            })
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// This crate's own statement is accepted; one of another version names what built it; other bytes are none.
        #[test]
        fn statements_are_told_apart() {
            let statement = Statement::new("a compiler");
            // SAFETY: the struct is made of bytes and words without gaps.
            let bytes: [u8; size_of::<Statement>()] = unsafe { std::mem::transmute(statement) };
            assert_eq!(Statement::check(&bytes), Ok(()));
            let mut old = bytes;
            old[8] += 1;
            let error = Statement::check(&old).unwrap_err().to_string();
            assert!(error.contains("a compiler") && error.contains(env!("CARGO_PKG_VERSION")), "{error}");
            assert_eq!(Statement::check(&bytes[..12]), Err(LoadError::NotAPlugin));
            assert_eq!(Statement::check(&[0; 200]), Err(LoadError::NotAPlugin));
        }
    }
}
