//! Numbers and words of a file, one after another, with their places.

use crate::mesh::{MeshError, Place};

type Outcome<T> = Result<T, MeshError>;

/// A file as it is read.
#[derive(Clone, Debug)]
pub(super) struct Source<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u32,
    /// How numbers are written.
    pub form: Form,
}

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    /// As in memory; `true`: with the last byte first.
    Binary(bool),
}

impl<'a> Source<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Source { bytes, at: 0, line: 1, form: Form::Text }
    }

    /// Where it is: lines of text; bytes where numbers are as in memory.
    pub(super) fn place(&self) -> Place {
        match self.form {
            Form::Text => Place::Line(self.line),
            Form::Binary(_) => Place::Byte(self.at as u64),
        }
    }

    pub(super) fn error(&self, what: impl Into<String>) -> MeshError {
        MeshError::new(self.place(), what)
    }

    fn short(&self, what: &str) -> MeshError {
        self.error(format!("the file ends before {what}"))
    }

    fn skip_blank(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_whitespace()) {
            self.line += u32::from(byte == b'\n');
            self.at += 1;
        }
    }

    /// True if nothing but blanks is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.skip_blank();
        self.at == self.bytes.len()
    }

    /// What is between blanks.
    pub(super) fn word(&mut self, what: &str) -> Outcome<&'a [u8]> {
        self.skip_blank();
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.short(what));
        }
        self.at += length;
        Ok(&rest[..length])
    }

    /// The rest of the line, and goes on to the next.
    pub(super) fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        self.at += length;
        if self.at < self.bytes.len() {
            self.at += 1;
            self.line += 1;
        }
        &rest[..length]
    }

    /// Goes to behind the next `mark`.
    pub(super) fn skip_to(&mut self, mark: &str) -> Outcome<()> {
        let rest = &self.bytes[self.at..];
        let ends = |at: usize| rest.get(at + mark.len()).is_none_or(u8::is_ascii_whitespace);
        let found = rest.windows(mark.len()).enumerate().position(|(at, bytes)| bytes == mark.as_bytes() && ends(at));
        let found = found.ok_or_else(|| self.short(mark))?;
        self.line += rest[..found].iter().filter(|&&byte| byte == b'\n').count() as u32;
        self.at += found + mark.len();
        Ok(())
    }

    /// A word that must be there.
    pub(super) fn expect(&mut self, mark: &str) -> Outcome<()> {
        let word = self.clone().word(mark)?;
        if word != mark.as_bytes() {
            return Err(self.wrong(mark, word));
        }
        self.word(mark).map(drop)
    }

    fn wrong(&mut self, wanted: &str, word: &[u8]) -> MeshError {
        self.skip_blank();
        let shown: String = String::from_utf8_lossy(word).chars().take(30).collect();
        self.error(format!("{wanted} is expected, not {shown:?}"))
    }

    /// An integer in text, whatever the form.
    pub(super) fn text_int(&mut self, what: &str) -> Outcome<i64> {
        let word = self.word(what)?;
        integer(word).ok_or_else(|| self.wrong(what, word))
    }

    /// An integer of 32 bits.
    pub(super) fn int(&mut self, what: &str) -> Outcome<i64> {
        match self.form {
            Form::Text => self.text_int(what),
            Form::Binary(_) => self.take(what).map(|bytes| i64::from(i32::from_le_bytes(bytes))),
        }
    }

    /// A count or a number of something.
    pub(super) fn size(&mut self, what: &str) -> Outcome<u64> {
        let size = match self.form {
            Form::Text => self.text_int(what)?,
            Form::Binary(_) => i64::from_le_bytes(self.take(what)?),
        };
        u64::try_from(size).map_err(|_| self.error(format!("{what} is {size}, less than 0")))
    }

    /// A finite number.
    pub(super) fn real(&mut self, what: &str) -> Outcome<f64> {
        let number = match self.form {
            Form::Text => {
                let word = self.word(what)?;
                real(word).ok_or_else(|| self.wrong(what, word))?
            }
            Form::Binary(_) => f64::from_le_bytes(self.take(what)?),
        };
        if number.is_finite() { Ok(number) } else { Err(self.error(format!("{what} is {number}"))) }
    }

    /// Bytes of one number, the least first.
    pub(super) fn take<const N: usize>(&mut self, what: &str) -> Outcome<[u8; N]> {
        let bytes = self.bytes[self.at..].first_chunk().ok_or_else(|| self.short(what))?;
        self.at += N;
        let mut bytes: [u8; N] = *bytes;
        if self.form == Form::Binary(true) {
            bytes.reverse();
        }
        Ok(bytes)
    }
}

/// An integer.
pub(super) fn integer(word: &[u8]) -> Option<i64> {
    let (negative, digits) = match word {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let number = digits
        .iter()
        .try_fold(0_i64, |number, digit| digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0')))?;
    Some(if negative { -number } else { number })
}

/// A number, which need not be finite.
pub(super) fn real(word: &[u8]) -> Option<f64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}
