//! Known solutions by formulas, as commands get them.

use crate::case::Case;
use crate::cli::Failure;
use crate::compare::{Reference, check_finite};

/// Formulas by equation, as `option` gives them.
pub fn named_formulas(option: &str, texts: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let mut formulas: Vec<(String, String)> = Vec::new();
    for part in texts.iter().flat_map(|text| text.split(';')).map(str::trim).filter(|part| !part.is_empty()) {
        let Some((name, formula)) = named(part) else {
            let message = format!("{option}: `{part}` names no equation; write for example `pressure = sin(x - t)`");
            return Err(Failure::Input(message));
        };
        if formulas.iter().any(|(other, _)| other == name) {
            return Err(Failure::Input(format!("{option}: \"{name}\" has two formulas; write one")));
        }
        formulas.push((name.to_owned(), formula.to_owned()));
    }
    Ok(formulas)
}

/// An exact solution by formulas, as `option` gives them.
pub fn exact(option: &str, texts: &[String], case: &Case) -> Result<Reference, Failure> {
    let mut formulas = named_formulas(option, texts)?;
    for (_, formula) in &mut formulas {
        *formula = case.defined(formula).map_err(|message| Failure::Input(format!("{option}: {message}")))?;
    }
    if formulas.is_empty() {
        let message = format!("{option} gives no formula; write for example `pressure = sin(x - t)`");
        return Err(Failure::Input(message));
    }
    case.check_exact(&formulas).map_err(|message| Failure::Input(format!("{option}: {message}")))?;
    check_finite(case, &formulas).map_err(|error| Failure::Input(format!("{option}: {error}")))?;
    Ok(Reference::Exact(formulas))
}

/// The two sides of the first `=` that is no part of a comparison.
fn named(text: &str) -> Option<(&str, &str)> {
    let (name, formula) = text.split_once('=')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && !formula.starts_with('=')).then_some((name, formula.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name, one equals sign, and a formula that may hold comparisons.
    #[test]
    fn formulas_have_names() {
        assert_eq!(named("q = if(x == 1, 2, 3)"), Some(("q", "if(x == 1, 2, 3)")));
        assert_eq!(named("x == 1"), None);
        assert_eq!(named("sin(x)"), None);
        assert_eq!(named("2*x=1"), None);
    }
}
