//! AMRClaw's files of ruled rectangles: `ixy`, `method`, `ds`, `nrules`, then a line of `s`, `lower`, `upper` for each rule.

use crate::text::cut;
use std::fs::File;
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::Path;

/// Most bytes of a file: a million rules.
const MAX_BYTES: u64 = 1 << 26;

/// The region in such a file, as the corners of a polygon with a single ring.
///
/// # Errors
/// What is wrong and in which line, to be written after the file's name.
pub fn read(path: &Path) -> Result<Vec<Vec<[f64; 2]>>, String> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| format!(" cannot be read: {error}"))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!(" is longer than {} MiB", MAX_BYTES >> 20));
    }
    ring(&String::from_utf8_lossy(&bytes)).map(|ring| vec![ring]).map_err(|(line, message)| match line {
        0 => format!(": {message}"),
        _ => format!(", line {line}: {message}"),
    })
}

type Wrong = (usize, String);

/// What a line must begin with, in words.
struct Wanted(&'static str);

impl Wanted {
    fn is_not(&self, line: usize, found: impl std::fmt::Display) -> Wrong {
        (line, format!("needs {}, but is {found}", self.0))
    }

    /// The first numbers of the next line that is neither empty nor a comment, and that line's number.
    fn numbers<'t, const N: usize>(
        &self,
        lines: &mut impl Iterator<Item = (usize, &'t str)>,
    ) -> Result<(usize, [f64; N]), Wrong> {
        let (number, line) = lines.next().ok_or_else(|| (0, format!("ends before {}", self.0)))?;
        let number_of = |word: &str| word.replace(['d', 'D'], "e").parse().ok().filter(|x: &f64| x.is_finite());
        let values: Option<Vec<f64>> = line.split_whitespace().take(N).map(number_of).collect();
        let values = values.and_then(|values| values.try_into().ok());
        values.map(|values| (number, values)).ok_or_else(|| self.is_not(number, format!("\"{}\"", cut(line, 60))))
    }

    /// A whole number in a range.
    fn whole<'t>(
        &self,
        lines: &mut impl Iterator<Item = (usize, &'t str)>,
        range: RangeInclusive<u32>,
    ) -> Result<usize, Wrong> {
        let (line, [value]) = self.numbers(lines)?;
        let fine = value.fract() == 0.0 && value >= f64::from(*range.start()) && value <= f64::from(*range.end());
        if fine { Ok(value as usize) } else { Err(self.is_not(line, value)) }
    }
}

/// The corners, or what is wrong in which line; line 0 is the whole file.
fn ring(text: &str) -> Result<Vec<[f64; 2]>, Wrong> {
    let lines = text.lines().enumerate().map(|(k, line)| (k + 1, line.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let axis = Wanted("`ixy`, 1 or 2").whole(&mut lines, 1..=2)?;
    let is_linear = Wanted("`method`, 0 or 1").whole(&mut lines, 0..=1)? == 1;
    // AMRClaw finds rules by the distance between them: they say themselves where they are.
    Wanted("`ds`, a number").numbers::<1>(&mut lines)?;
    let count = Wanted("`nrules`, 2 or more").whole(&mut lines, 2..=u32::MAX)?;
    let mut rules: Vec<[f64; 3]> = Vec::new();
    for k in 0..count {
        let (line, rule) = Wanted("three numbers, `s lower upper`").numbers(&mut lines)?;
        if rules.last().is_some_and(|last| last[0] >= rule[0]) {
            return Err((line, format!("`s` must increase from rule to rule, but is {}", rule[0])));
        }
        // Where values are constant from rule to rule, the last one only ends the one before.
        if rule[1] > rule[2] && (is_linear || k + 1 < count) {
            return Err((line, format!("`lower` is {}, above `upper`, {}", rule[1], rule[2])));
        }
        rules.push(rule);
    }
    Ok(corners(&rules, is_linear, axis))
}

/// Along the lower sides, and back along the upper ones.
fn corners(rules: &[[f64; 3]], is_linear: bool, axis: usize) -> Vec<[f64; 2]> {
    let along = |side: usize| -> Vec<[f64; 2]> {
        match is_linear {
            true => rules.iter().map(|rule| [rule[0], rule[side]]).collect(),
            false => rules.windows(2).flat_map(|w| [[w[0][0], w[0][side]], [w[1][0], w[0][side]]]).collect(),
        }
    };
    let mut ring = along(1);
    ring.extend(along(2).into_iter().rev());
    ring.into_iter().map(|[s, t]| if axis == 1 { [s, t] } else { [t, s] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both kinds along both axes, comments and Fortran's exponents; of damaged files the line and what belongs there.
    #[test]
    fn ruled_rectangles() {
        let head = "# by hand\n\n1  ixy\n";
        let linear = format!("{head}1 method\n-1 ds\n2 nrules\n0.1 0.2 8d-1\n0.8 0.8 0.8\n");
        assert_eq!(ring(&linear), Ok(vec![[0.1, 0.2], [0.8, 0.8], [0.8, 0.8], [0.1, 0.8]]));
        let steps = "2\n0\n1.0\n3\n0 1 2\n1 3 5\n2 9 7\n";
        let right = [[1.0, 0.0], [1.0, 1.0], [3.0, 1.0], [3.0, 2.0]];
        let left = [[5.0, 2.0], [5.0, 1.0], [2.0, 1.0], [2.0, 0.0]];
        assert_eq!(ring(steps), Ok([right, left].concat()));
        for (damaged, line, message) in [
            (linear.replace("1  ixy", "3"), 3, "needs `ixy`, 1 or 2, but is 3"),
            (linear.replace("1 method", "linear"), 4, "needs `method`, 0 or 1, but is \"linear\""),
            (linear.replace("2 nrules", "1"), 6, "needs `nrules`, 2 or more, but is 1"),
            (
                linear.replace("0.1 0.2 8d-1", "0.1 nan 1"),
                7,
                "needs three numbers, `s lower upper`, but is \"0.1 nan 1\"",
            ),
            (linear.replace("0.8 0.8 0.8", "0.1 0 1"), 8, "`s` must increase from rule to rule, but is 0.1"),
            (linear.replace("0.8 0.8 0.8", "0.8 2 1"), 8, "`lower` is 2, above `upper`, 1"),
            (linear.replace("0.8 0.8 0.8", ""), 0, "ends before three numbers, `s lower upper`"),
            (String::new(), 0, "ends before `ixy`, 1 or 2"),
        ] {
            assert_eq!(ring(&damaged), Err((line, message.to_owned())));
        }
    }
}
