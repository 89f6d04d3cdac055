//! Text: numbers as Fortran and C++ programs write and read them, escapes for text of unknown origin, and types whose values are words.

use std::borrow::Cow;

/// Appends a number in 26 columns with 17 significant digits, which give the same `f64` when read back.
///
/// The column of the sign holds `-` or a leading zero, never a blank: VisIt's Clawpack reader takes the column where the
/// first number of a patch begins for all others, and would otherwise drop minus signs.
pub fn push_fixed(text: &mut String, value: f64) {
    use std::fmt::Write;
    let start = text.len();
    if value.is_finite() {
        let digits = format!("{:.16e}", value.abs());
        let (mantissa, exponent) = digits.split_once('e').unwrap_or((&digits, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let sign = if value.is_sign_negative() { '-' } else { '0' };
        let _ = write!(text, "   {sign}{mantissa}e{exponent:+03}");
    } else {
        let _ = write!(text, "{value:>26}");
    }
    debug_assert!(text.len() - start >= 26);
}

/// 17 significant digits without padding: the same `f64` when read back.
pub fn digits17(value: f64) -> String {
    format!("{value:.16e}")
}

/// FNV-1a, 32 bits: the same on every machine and in every version.
pub fn digest(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Whether a character can be shown as it is: it moves no cursor, hides nothing and does not change the direction of the text
/// around it (Unicode report TR36, 2.8, on bidirectional controls).
fn is_shown(c: char) -> bool {
    let hidden = matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    !c.is_control() && !hidden
}

/// A character, or its escape such as `\u{1b}` if it cannot be shown as it is.
pub(crate) fn shown_char(c: char) -> impl Iterator<Item = char> {
    let (itself, escaped) = if is_shown(c) { (Some(c), None) } else { (None, Some(c.escape_unicode())) };
    itself.into_iter().chain(escaped.into_iter().flatten())
}

/// Escapes a text of unknown origin for a terminal: line breaks and tabs are kept; other control characters, and those that
/// change the direction of text, become escapes such as `\u{202e}`.
pub fn shown(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| is_shown(c) || matches!(c, '\n' | '\t')) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            _ => shown.extend(shown_char(c)),
        }
    }
    Cow::Owned(shown)
}

/// The first `most` characters of one line, with `…` for what is left out.
pub(crate) fn cut(line: &str, most: usize) -> Cow<'_, str> {
    match line.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", &line[..end])),
        None => Cow::Borrowed(line),
    }
}

/// A type of a few values, each with its word in case files.
pub(crate) trait Choice: Copy + 'static {
    /// Every word and what it stands for.
    fn words() -> Vec<(&'static str, Self)>;
}

/// Defines types of a few values by their words.
macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $crate::text::Choice for $name {
            fn words() -> Vec<(&'static str, Self)> {
                $name::ALL.map(|value| (value.name(), value)).to_vec()
            }
        }

        impl $name {
            /// All there are.
            pub const ALL: [$name; [$($word),*].len()] = [$($name::$variant),*];

            /// The word in case files.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    )*};
}
pub(crate) use choices;

#[cfg(test)]
mod tests {
    use super::*;

    /// Control characters, and characters that reverse the order of letters, are escaped; letters of any script are kept.
    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(shown("a\u{1b}[2Jb\u{202e}c\r\n\tδ"), "a\\u{1b}[2Jb\\u{202e}c\\u{d}\n\tδ");
        assert!(matches!(shown("plain: Größe\n"), Cow::Borrowed(_)));
    }

    /// Cuts fall between characters.
    #[test]
    fn lines_are_cut() {
        assert_eq!(cut("αβγδ", 3), "αβγ…");
        assert_eq!(cut("αβγ", 3), "αβγ");
    }

    /// Every number keeps its bits through text, and stays in its columns while its exponent has two digits.
    #[test]
    fn numbers_survive_text() {
        for value in [0.0, -0.0, 1.0 / 3.0, -2.5e-17, 1.0 + f64::EPSILON, 6.02e23, -9.87654321e-90, 1e99] {
            let mut text = String::new();
            push_fixed(&mut text, value);
            assert_eq!(text.len(), 26, "{text}");
            assert_eq!(text.trim().parse::<f64>().unwrap().to_bits(), value.to_bits());
            assert_eq!(digits17(value).parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
    }
}
