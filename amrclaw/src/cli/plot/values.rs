//! Values of options: numbers, frames, cuts.

use crate::frames::plot::Contours;
use crate::frames::slice::Projection;
use crate::picture::{Cut, FrameChoice};
use std::str::FromStr;

/// The parts of a text between commas that stand in no brackets.
pub fn components(text: &str) -> Vec<String> {
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in text.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        match parts.last_mut() {
            Some(part) if c != ',' || depth > 0 => part.push(c),
            _ => parts.push(String::new()),
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).collect()
}

/// Numbers separated by commas.
#[derive(Clone, Debug)]
pub struct Numbers(pub Vec<f64>);

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |word: &str| {
            let value = word.trim().parse::<f64>().ok().filter(|value| value.is_finite());
            value.ok_or_else(|| format!("`{}` is no number; write numbers separated by commas", word.trim()))
        };
        text.split(',').map(number).collect::<Result<_, _>>().map(Numbers)
    }
}

/// `all`, or numbers and ranges of frames.
#[derive(Clone, Debug)]
pub struct FrameList(pub FrameChoice);

/// Most frames of one list.
const MAX_FRAMES: usize = 100_000;

impl FromStr for FrameList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(FrameList(FrameChoice::All));
        }
        let wrong = |word: &str| format!("`{word}` is not a frame number; write `all`, or for example `0,5,10-20`");
        let mut numbers = Vec::new();
        for word in text.split(',').map(str::trim) {
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            let [first, last] = [first, last].map(|n| n.trim().parse::<usize>().map_err(|_| wrong(word)));
            let (first, last) = (first?, last?);
            if last < first || last - first >= MAX_FRAMES {
                return Err(wrong(word));
            }
            numbers.extend(first..=last);
        }
        Ok(FrameList(FrameChoice::Numbers(numbers)))
    }
}

/// The number of an axis.
fn axis(word: &str) -> Option<usize> {
    ["x", "y", "z"].iter().position(|name| *name == word.trim())
}

/// `z=0.25`.
#[derive(Clone, Debug)]
pub struct Slice(pub Cut);

impl FromStr for Slice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (name, place) = text.split_once('=')?;
            let position = place.trim().parse::<f64>().ok().filter(|place| place.is_finite())?;
            Some(Slice(Cut::At { axis: axis(name)?, position }))
        };
        parse().ok_or_else(|| "write an axis and a place, such as `z=0.25`".to_owned())
    }
}

/// `0,0.5,1,0.5`.
#[derive(Clone, Debug)]
pub struct Ends(pub Cut);

impl FromStr for Ends {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Numbers(numbers) = text.parse()?;
        let dimensions = numbers.len() / 2;
        if ![4, 6].contains(&numbers.len()) {
            return Err("write the coordinates of both ends, such as `0,0.5,1,0.5`; in 3D six numbers".to_owned());
        }
        let end = |values: &[f64]| std::array::from_fn(|d| values.get(d).copied().unwrap_or(0.0));
        Ok(Ends(Cut::Line { ends: [end(&numbers[..dimensions]), end(&numbers[dimensions..])], dimensions }))
    }
}

/// `12`, or `0.1,0.5`.
#[derive(Clone, Debug)]
pub struct ContourValues(pub Contours);

impl FromStr for ContourValues {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let contours = match text.trim().parse::<usize>() {
            Ok(count) => Contours::Number(count),
            Err(_) => Contours::At(text.parse::<Numbers>()?.0),
        };
        contours.checked().map(ContourValues)
    }
}

/// `max:z`.
#[derive(Clone, Debug)]
pub struct Projected(pub Cut);

impl FromStr for Projected {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (what, name) = text.split_once(':')?;
            let projection = match what.trim() {
                "max" => Projection::Max,
                "min" => Projection::Min,
                "mean" => Projection::Mean,
                "integral" => Projection::Integral,
                _ => return None,
            };
            Some(Projected(Cut::Along { axis: axis(name)?, projection }))
        };
        parse().ok_or_else(|| "write max, min, mean or integral and an axis, such as `max:z`".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists of frames, cuts and projections as they are written on the command line.
    #[test]
    fn lists_and_cuts_are_read() {
        let frames = |text: &str| text.parse::<FrameList>().map(|list| list.0);
        assert_eq!(frames("all"), Ok(FrameChoice::All));
        assert_eq!(frames("0, 4-6"), Ok(FrameChoice::Numbers(vec![0, 4, 5, 6])));
        assert!(["", "3-1", "a", "0-999999999999"].iter().all(|text| frames(text).is_err()));
        assert_eq!("y=-1.5".parse::<Slice>().unwrap().0, Cut::At { axis: 1, position: -1.5 });
        assert!(["z", "q=1", "z=nan", "=1"].iter().all(|text| text.parse::<Slice>().is_err()));
        let projected = "max:z".parse::<Projected>().unwrap().0;
        assert_eq!(projected, Cut::Along { axis: 2, projection: Projection::Max });
        assert!("most:z".parse::<Projected>().is_err() && "max:w".parse::<Projected>().is_err());
        let line = Cut::Line { ends: [[0.0, -1.0, 0.0], [1.0, 0.5, 0.0]], dimensions: 2 };
        assert_eq!("0,-1,1,0.5".parse::<Ends>().unwrap().0, line);
        assert!("0,1,2".parse::<Ends>().is_err());
        let contours = |text: &str| text.parse::<ContourValues>().map(|values| values.0);
        assert_eq!(contours("12"), Ok(Contours::Number(12)));
        assert_eq!(contours("-1,0.5"), Ok(Contours::At(vec![-1.0, 0.5])));
        assert_eq!(components("u/max(u, v), v"), ["u/max(u, v)", "v"]);
        assert!(["0", "201", "a", ""].iter().all(|text| contours(text).is_err()));
    }
}
