//! The parameters of requests.

use super::ViewError;
use crate::picture::ColourMap;

/// Longest formula, in bytes.
const LONGEST_FORMULA: usize = 1000;

/// Of which values, and where.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wish {
    /// Field, quantity or formula.
    pub field: String,
    /// Levels, from the coarsest; 0 for all.
    pub levels: usize,
    /// Axis and position of a cut.
    pub slice: Option<(usize, f64)>,
    /// Lower and upper end along each axis; or coordinates of points, one after the other.
    pub numbers: Vec<f64>,
    /// First and last colour.
    pub range: Option<(f64, f64)>,
    /// Colours, if not those that suit the range.
    pub colours: Option<ColourMap>,
    /// Logarithmic.
    pub log: bool,
}

impl Wish {
    /// What a request's query says.
    ///
    /// # Errors
    /// A parameter is unknown or wrong.
    pub fn of(query: &str) -> Result<Self, ViewError> {
        let wrong = |what: &str| ViewError::Request(format!("{what} is wrong"));
        let mut wish = Wish::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').ok_or_else(|| wrong("a parameter"))?;
            let value = decoded(value).ok_or_else(|| wrong(key))?;
            let numbers = || {
                let number = |word: &str| word.parse::<f64>().ok().filter(|number| number.is_finite());
                value.split(',').map(number).collect::<Option<Vec<f64>>>().ok_or_else(|| wrong(key))
            };
            match key {
                "field" if value.len() <= LONGEST_FORMULA => wish.field = value,
                "levels" => wish.levels = value.parse().map_err(|_| wrong(key))?,
                "colours" => wish.colours = Some(value.parse().map_err(|_| wrong(key))?),
                "log" => wish.log = value == "1",
                "numbers" => wish.numbers = numbers()?,
                "slice" => match numbers()?[..] {
                    [axis, position] if [0.0, 1.0, 2.0].contains(&axis) => wish.slice = Some((axis as usize, position)),
                    _ => return Err(wrong(key)),
                },
                "range" => match numbers()?[..] {
                    [low, high] => wish.range = Some((low, high)),
                    _ => return Err(wrong(key)),
                },
                _ => return Err(wrong("a parameter")),
            }
        }
        Ok(wish)
    }
}

/// The text that percent signs and hexadecimal digits stand for.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        bytes.push(if byte == b'%' { (digit(rest.next())? * 16 + digit(rest.next())?) as u8 } else { byte });
    }
    String::from_utf8(bytes).ok()
}
