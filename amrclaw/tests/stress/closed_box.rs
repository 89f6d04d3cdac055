//! Random cases in a box that nothing can leave, and their mirror images.

use super::problem::{Choice, PHYSICS, Physics, levels, mesh, scheme, shape, values};
use super::random::Random;
use std::fmt::Write as _;

/// Which cells of a box are refined.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Refined {
    /// Those that the criterion flags.
    Flags,
    /// A box of them, which has a mirror image.
    Region,
}

/// A case in the unit box, whose sides are walls or repeat each other.
pub struct ClosedBox {
    sections: String,
    /// Lower and upper corner of what is refined, where flags do not say it.
    region: Option<[Vec<f64>; 2]>,
    /// Position of the gauge `g`.
    place: Vec<f64>,
    pub dim: usize,
    /// The first equation.
    pub first: &'static str,
    pub steps: u64,
}

/// Names of coordinates along each axis, and in the reference space of a mapping.
const POSITIONS: [[&str; 2]; 3] = [["x", "X"], ["y", "Y"], ["z", "Z"]];
/// Names of what a mirror across each axis reverses: components of vectors along it, and of tensors along it and another axis.
const REVERSED: [&[&str]; 3] =
    [&["u", "x_momentum", "stress_xy"], &["v", "y_momentum", "stress_xy"], &["w", "z_momentum"]];

/// The sign that a quantity takes in a mirror across an axis.
pub fn sign(name: &str, axis: usize) -> f64 {
    if REVERSED[axis].contains(&name) { -1.0 } else { 1.0 }
}

impl ClosedBox {
    /// A random box; where flags refine, the total of its first equation stays.
    pub fn new(random: &mut Random, refined: Refined) -> Self {
        let suits = |physics: &&Physics| physics.walls && (physics.conserves || refined == Refined::Region);
        let physics = random.one_of(&PHYSICS.iter().filter(suits).collect::<Vec<_>>());
        let dim = random.one_of(physics.dims);
        let choice = Choice { physics, dim, mapped: physics.mapped.contains(&dim) && random.percent(30) };
        let mut text = format!("[solver]\nname = {:?}\n{}", physics.name, physics.parameters);
        mesh(&choice, random, &mut text);
        text = text.replace("extrapolate", "wall");
        let mut region = None;
        match refined {
            Refined::Flags => {
                let count = random.one_of(&[2, 3]);
                levels(&choice, random, count, &mut text);
            }
            Refined::Region => {
                let ratio = random.whole(2, if dim > 2 { 2 } else { 4 });
                // A buffer that reached through a periodic side would leave gaps along two axes; which of these clustering
                // cuts at first depends on where they are.
                let _ = writeln!(text, "[levels]\nmax = 2\nratio = [{ratio}]\n[regrid]\nbuffer = 0");
                text.push_str("[regrid.flag]\ntolerance = 1e9\n");
                region = Some([vec![random.number(0.1, 0.4); dim], vec![random.number(0.5, 0.9); dim]]);
            }
        }
        text = text.replace("conservation_fix = false\n", "");
        scheme(&choice, random, &mut text);
        let sourced = random.percent(60);
        if sourced {
            let _ = writeln!(text, "source = {:?}", random.one_of(&["godunov", "strang"]));
        }
        values(&choice, random, &mut text);
        if sourced {
            text.push_str("[source]\n");
            for (name, _) in physics.initial[1..].iter().chain(&physics.across[..(dim - 1).min(physics.across.len())]) {
                let _ = writeln!(text, "{name} = \"0.3 * {name} + 0.1 * ({})\"", shape(random, dim));
            }
        }
        let _ = writeln!(text, "[time]\nend = 10.0\ndt_initial = {}\ncfl_desired = 0.9", random.one_of(&[1e-3, 1e-2]));
        text.push_str("[output]\nformat = []\ncount = 1\npng = false\ncheckpoint_every_minutes = 0\n");
        let place = (0..dim).map(|_| random.number(0.15, 0.85)).collect();
        ClosedBox { sections: text, region, place, dim, first: physics.initial[0].0, steps: random.whole(3, 6) }
    }

    /// The case file.
    pub fn text(&self) -> String {
        complete(&self.sections, self.region.as_ref(), &self.place)
    }

    /// The case file of the image in a mirror across an axis, in the middle of the box.
    pub fn mirrored(&self, axis: usize) -> String {
        let reflected = |place: &[f64]| -> Vec<f64> {
            place.iter().enumerate().map(|(d, &along)| if d == axis { 1.0 - along } else { along }).collect()
        };
        let region = self.region.as_ref().map(|[lower, upper]| {
            let (mut lower, mut upper) = (lower.clone(), upper.clone());
            (lower[axis], upper[axis]) = (1.0 - upper[axis], 1.0 - lower[axis]);
            [lower, upper]
        });
        let [position, _] = POSITIONS[axis];
        let (mut section, mut image) = ("", String::new());
        for line in self.sections.lines() {
            let Some((key, value)) = line.split_once(" = ") else {
                section = line;
                let _ = writeln!(image, "{line}");
                continue;
            };
            let formula = || of_image(value.trim_matches('"'), axis);
            let value = match section {
                "[mesh.boundary]" if key == position => swapped(value),
                "[mesh.mapping]" if key == position => format!("\"1 - ({})\"", formula()),
                "[mesh.mapping]" | "[aux]" => format!("\"{}\"", formula()),
                "[initial]" | "[source]" => format!("\"{} * ({})\"", sign(key, axis), formula()),
                _ => value.to_owned(),
            };
            let _ = writeln!(image, "{key} = {value}");
        }
        complete(&image, region.as_ref(), &reflected(&self.place))
    }
}

fn complete(sections: &str, region: Option<&[Vec<f64>; 2]>, place: &[f64]) -> String {
    let mut text = format!("{sections}[[gauge]]\nname = \"g\"\nposition = {place:?}\n");
    if let Some([lower, upper]) = region {
        let _ = writeln!(text, "[[regrid.region]]\nlevels = [2, 2]\nlower = {lower:?}\nupper = {upper:?}");
    }
    text
}

/// A pair of sides in the other order.
fn swapped(sides: &str) -> String {
    let sides: Vec<&str> = sides.trim_matches(['[', ']']).split(", ").collect();
    format!("[{}, {}]", sides[1], sides[0])
}

/// A formula with the positions and the vectors of the image.
fn of_image(formula: &str, axis: usize) -> String {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut image = String::new();
    let mut rest = formula;
    while let Some(c) = rest.chars().next() {
        let end =
            rest.find(|c| word(c) != word(rest.chars().next().unwrap_or(c))).unwrap_or(rest.len()).max(c.len_utf8());
        let (part, after) = rest.split_at(end);
        match part {
            _ if POSITIONS[axis].contains(&part) => image += &format!("(1 - {part})"),
            _ if REVERSED[axis].contains(&part) => image += &format!("(-{part})"),
            _ => image += part,
        }
        rest = after;
    }
    image
}
