//! Just enough of Rust's lexical structure to tell code from comments and literals, and to match braces.

use std::ops::Range;

/// The source with comments and the insides of literals blanked, byte for byte, line breaks kept.
pub fn code_only(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut code = bytes.to_vec();
    let mut i = 0;
    while i < bytes.len() {
        let end = match bytes[i] {
            b'/' if bytes[i..].starts_with(b"//") => find(bytes, i, b"\n").unwrap_or(bytes.len()),
            b'/' if bytes[i..].starts_with(b"/*") => block_comment_end(bytes, i),
            b'"' => string_end(bytes, i),
            b'r' if !follows_identifier(bytes, i) => raw_string_end(bytes, i).unwrap_or(i),
            b'b' | b'c' if !follows_identifier(bytes, i) && bytes.get(i + 1) == Some(&b'r') => {
                raw_string_end(bytes, i + 1).unwrap_or(i)
            }
            b'\'' => char_end(source, i).unwrap_or(i),
            _ => i,
        };
        for byte in &mut code[i..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        i = end.max(i + 1);
    }
    // Only whole characters were blanked, so the rest is still UTF-8.
    String::from_utf8_lossy(&code).into_owned()
}

/// True for the bytes of identifiers; letters outside ASCII count too.
pub fn is_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The identifier that starts at or after `from`, white space skipped; empty if something else stands there.
pub fn identifier_at(code: &str, from: usize) -> &str {
    let rest = code[from..].trim_start();
    let length = rest.bytes().position(|b| !is_identifier(b)).unwrap_or(rest.len());
    &rest[..length]
}

/// Offsets of `word` as a whole identifier.
pub fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let bytes = code.as_bytes();
    let ends_in_identifier = word.bytes().next_back().is_some_and(is_identifier);
    let goes_on = move |end: usize| ends_in_identifier && bytes.get(end).copied().is_some_and(is_identifier);
    code.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |&at| !(follows_identifier(bytes, at) || goes_on(at + word.len())))
}

/// The braces that open at or after `from`, before any `;` outside brackets; `None` for an item without a body.
pub fn body(code: &str, from: usize) -> Option<Range<usize>> {
    let mut brackets = 0;
    for (i, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'(' | b'[' => brackets += 1,
            b')' | b']' => brackets -= 1,
            b';' if brackets == 0 => return None,
            b'{' if brackets == 0 => return Some(i..matching_brace(code, i)),
            _ => {}
        }
    }
    None
}

/// One past the brace that closes the one at `open`.
pub fn matching_brace(code: &str, open: usize) -> usize {
    let mut depth = 0;
    for (i, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return i + 1;
        }
    }
    code.len()
}

/// Where the items of a use tree's group begin, whose brace is at `open`; the last may be empty.
pub fn items_of_group(code: &str, open: usize) -> Vec<usize> {
    let (mut starts, mut depth) = (vec![open + 1], 0);
    for (i, byte) in code.bytes().enumerate().take(matching_brace(code, open) - 1).skip(open + 1) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => starts.push(i + 1),
            _ => {}
        }
    }
    starts
}

fn follows_identifier(bytes: &[u8], at: usize) -> bool {
    at > 0 && is_identifier(bytes[at - 1])
}

fn find(bytes: &[u8], from: usize, needle: &[u8]) -> Option<usize> {
    bytes[from..].windows(needle.len()).position(|window| window == needle).map(|at| from + at)
}

fn block_comment_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0;
    let mut i = start;
    while i < bytes.len() {
        if bytes[i..].starts_with(b"/*") {
            depth += 1;
            i += 2;
        } else if bytes[i..].starts_with(b"*/") {
            depth -= 1;
            i += 2;
            if depth == 0 {
                return i;
            }
        } else {
            i += 1;
        }
    }
    bytes.len()
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut i = start + 1;
    while i < bytes.len() {
        match bytes[i] {
            b'\\' => i += 2,
            b'"' => return i + 1,
            _ => i += 1,
        }
    }
    bytes.len()
}

/// The end of `r"…"` or `r#"…"#` at `start`; `None` if no raw string starts there.
fn raw_string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let hashes = bytes[start + 1..].iter().take_while(|&&b| b == b'#').count();
    let open = start + 1 + hashes;
    if bytes.get(open) != Some(&b'"') {
        return None;
    }
    let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    Some(find(bytes, open + 1, &close).map_or(bytes.len(), |at| at + close.len()))
}

/// The end of a character literal at `start`; `None` for a lifetime.
fn char_end(source: &str, start: usize) -> Option<usize> {
    let rest = &source[start + 1..];
    let first = rest.chars().next()?;
    if first == '\\' {
        // The escaped character may itself be a quote, so the search for the closing one starts after it.
        return rest[2..].find('\'').map(|at| start + 1 + 2 + at + 1);
    }
    rest[first.len_utf8()..].starts_with('\'').then_some(start + 1 + first.len_utf8() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Braces, quotes and keywords inside comments and literals must not count, lifetimes must not open a literal.
    #[test]
    fn comments_and_literals_are_blanked() {
        let source =
            "a /* { /* ' */ \" */ b // fn {\nc(\"}\\\"{\", r#\"\"{\"#, b'{', '\\'', 'ü', br\"{\") <'x, 'y> { d }";
        let code = code_only(source);
        assert_eq!(code.len(), source.len());
        let words: Vec<&str> = code.split_whitespace().collect();
        assert_eq!(words, ["a", "b", "c(", ",", ",", "b", ",", ",", ",", ")", "<'x,", "'y>", "{", "d", "}"]);
    }

    /// A body is found behind brackets that hold semicolons and braces, and is absent for a declaration.
    #[test]
    fn bodies_are_matched() {
        let code = "fn f(a: [u8; {2}]) -> B { if x { y } } fn g();";
        let found = body(code, 0);
        assert_eq!(found.clone().map(|r| &code[r]), Some("{ if x { y } }"));
        assert_eq!(body(code, found.map_or(0, |r| r.end)), None);
    }

    /// Words are whole identifiers.
    #[test]
    fn words_are_whole() {
        assert_eq!(words("fn fname fn_ fn", "fn").collect::<Vec<_>>(), [0, 13]);
        assert_eq!(words("crate::a mycrate::b", "crate::").collect::<Vec<_>>(), [0]);
    }
}
