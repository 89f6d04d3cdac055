//! Text of the page: escapes and numbers.

/// Escapes text for HTML, between tags and in attributes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// A number with three significant digits; a dash where there is none.
pub fn significant(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let exponent = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    format!("{value:.*}", (2 - exponent).max(0) as usize)
}

/// A whole number with its digits in groups of three.
pub fn grouped(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers keep three digits and no more, whatever their size; what is no number is a dash.
    #[test]
    fn numbers_are_short() {
        let texts = [0.001234, 1.0, 12.345, 4321.0, 0.0].map(significant);
        assert_eq!(texts, ["0.00123", "1.00", "12.3", "4321", "0.00"]);
        assert_eq!(grouped(16_300_000.0), "16\u{202f}300\u{202f}000");
        assert_eq!((grouped(12.0), significant(f64::NAN), grouped(f64::NAN)), ("12".into(), "–".into(), "–".into()));
    }

    /// No text of a case or an error can end a tag or an attribute.
    #[test]
    fn text_is_escaped() {
        assert_eq!(escape(r#"<a href="x" & 'y'>"#), "&lt;a href=&quot;x&quot; &amp; &#39;y&#39;&gt;");
    }
}
