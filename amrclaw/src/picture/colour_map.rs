//! Colours for numbers.

use super::canvas::Colour;
use std::f64::consts::FRAC_PI_3;
use std::str::FromStr;
use std::sync::OnceLock;

/// viridis by S. van der Walt and N. Smith (CC0), at 33 equal steps: perceptually uniform, readable in grey and by the
/// colour-blind. Linear interpolation stays within 2/255 of the published table of 256.
const VIRIDIS: [Colour; 33] = [
    [68, 1, 84],
    [71, 13, 96],
    [72, 24, 106],
    [72, 35, 116],
    [71, 45, 123],
    [69, 54, 129],
    [66, 64, 134],
    [63, 73, 137],
    [59, 82, 139],
    [55, 90, 141],
    [51, 99, 141],
    [47, 106, 142],
    [44, 114, 142],
    [41, 122, 142],
    [38, 129, 142],
    [35, 137, 142],
    [33, 144, 140],
    [31, 152, 139],
    [31, 159, 136],
    [33, 166, 133],
    [40, 174, 128],
    [49, 181, 123],
    [62, 188, 116],
    [76, 194, 108],
    [93, 201, 99],
    [110, 206, 88],
    [130, 211, 76],
    [150, 216, 63],
    [171, 220, 50],
    [192, 223, 36],
    [213, 226, 26],
    [234, 229, 26],
    [253, 231, 37],
];

/// The ends of the diverging map: K. Moreland, "Diverging Color Maps for Scientific Visualization", ISVC 2009,
/// <https://doi.org/10.1007/978-3-642-10520-3_9>, Table 1 (cool to warm).
const COOL: Colour = [59, 76, 192];
const WARM: Colour = [180, 4, 38];

/// Number of colours of a map: more than eight bits can distinguish, and odd, so that one is in the middle.
const STEPS: usize = 1025;

/// A map's name, whether its colours in the middle are light, and the colour at a part of the way.
type Named = (&'static str, bool, fn(f64) -> Colour);

const MAPS: [Named; 11] = [
    ("viridis", false, |part| between_points(&VIRIDIS, part)),
    ("cool-warm", true, diverging),
    ("magma", false, |part| of(colorous::MAGMA, part)),
    ("inferno", false, |part| of(colorous::INFERNO, part)),
    ("plasma", false, |part| of(colorous::PLASMA, part)),
    ("cividis", false, |part| of(colorous::CIVIDIS, part)),
    ("turbo", true, |part| of(colorous::TURBO, part)),
    ("greys", true, |part| of(colorous::GREYS, part)),
    ("RdBu", true, |part| of(colorous::RED_BLUE, part)),
    ("PuOr", true, |part| of(colorous::PURPLE_ORANGE, part)),
    ("sinebow", true, |part| of(colorous::SINEBOW, part)),
];

fn of(gradient: colorous::Gradient, part: f64) -> Colour {
    gradient.eval_continuous(part).into_array()
}

/// Precomputed maps: otherwise the colours of pixels would dominate the cost of a picture.
static TABLES: [OnceLock<Vec<Colour>>; MAPS.len()] = [const { OnceLock::new() }; MAPS.len()];

/// Pixels of land, whose value is infinite.
const LAND: Colour = [205, 190, 150];
/// Pixels whose value is not a number.
const NOT_A_NUMBER: Colour = [255, 0, 255];

/// A field has both signs if the smaller extreme is at least this fraction of the larger: undershoots of a scheme are smaller.
const BOTH_SIGNS: f64 = 0.01;

/// The largest value over the smallest that a logarithmic scale distinguishes unless asked to.
pub(super) const DECADES: f64 = 1e8;

/// How values become colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColourMap {
    /// Its place in [`MAPS`].
    number: usize,
    /// From its end to its beginning.
    reversed: bool,
}

impl ColourMap {
    /// Dark blue through green to yellow (viridis): values of one sign.
    pub const SEQUENTIAL: Self = ColourMap { number: 0, reversed: false };
    /// Blue through grey to red: values of both signs, grey at zero.
    pub const DIVERGING: Self = ColourMap { number: 1, reversed: false };

    /// All maps, none reversed.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..MAPS.len()).map(|number| ColourMap { number, reversed: false })
    }

    /// Its name, without a mark that it is reversed.
    pub fn name(self) -> &'static str {
        MAPS[self.number].0
    }

    /// Whether the colours in the middle are light.
    pub fn is_light(self) -> bool {
        MAPS[self.number].1
    }

    fn table(self) -> &'static [Colour] {
        let step = |step: usize| MAPS[self.number].2(step as f64 / (STEPS - 1) as f64);
        TABLES[self.number].get_or_init(|| (0..STEPS).map(step).collect())
    }
}

impl FromStr for ColourMap {
    type Err = String;

    /// The map of a name; with `_r` at its end the map is reversed.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, reversed) = text.strip_suffix("_r").map_or((text, false), |name| (name, true));
        let number = MAPS.iter().position(|(known, ..)| known.eq_ignore_ascii_case(name));
        let names = || MAPS.map(|(name, ..)| name).join(", ");
        let unknown = || format!("there is no colour map `{text}`; there are {}, each also with _r, reversed", names());
        number.map(|number| ColourMap { number, reversed }).ok_or_else(unknown)
    }
}

/// A colour map laid over a range of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColourScale {
    /// The colours.
    pub map: ColourMap,
    /// Value of the first colour; smaller ones have it too.
    pub low: f64,
    /// Value of the last colour; larger ones have it too.
    pub high: f64,
    /// The scale is logarithmic; then `low` is positive.
    pub log: bool,
    /// Infinite values are land.
    pub has_land: bool,
}

impl ColourScale {
    /// A linear scale from `low` to `high`, without land.
    pub const fn linear(map: ColourMap, low: f64, high: f64) -> Self {
        ColourScale { map, low, high, log: false, has_land: false }
    }

    /// The scale that suits values from `low` to `high`: diverging and symmetric about zero if both signs occur.
    pub fn suiting(low: f64, high: f64) -> Self {
        let largest = low.abs().max(high.abs());
        if low < 0.0 && high > 0.0 && low.abs().min(high) > BOTH_SIGNS * largest {
            return Self::linear(ColourMap::DIVERGING, -largest, largest);
        }
        // A constant field still needs a range to show its value in the middle of.
        let margin = if high > low { 0.0 } else { (0.5 * largest).max(f64::MIN_POSITIVE) };
        let margin = if largest == 0.0 { 0.5 } else { margin };
        Self::linear(ColourMap::SEQUENTIAL, low - margin, high + margin)
    }

    /// The scale that suits values from `low` to `high`; on a logarithmic one a constant gets a decade to either side, and values far
    /// below the largest, which are often round-off, the first colour.
    pub fn showing((low, high): (f64, f64), log: bool) -> Self {
        match log {
            false => Self::suiting(low, high),
            true if high > low => Self::over(low.max(high / DECADES), high, true),
            true => Self::over(0.1 * low, 10.0 * low, true),
        }
    }

    /// The scale from `low` to `high`: diverging if zero lies in the middle.
    pub fn over(low: f64, high: f64, log: bool) -> Self {
        let symmetric = low < 0.0 && low == -high;
        let map = if symmetric { ColourMap::DIVERGING } else { ColourMap::SEQUENTIAL };
        ColourScale { log, ..Self::linear(map, low, high) }
    }

    /// Position of a value on the scale: 0 at the first colour, 1 at the last.
    pub fn part(&self, value: f64) -> f64 {
        if self.log {
            // Whatever is not positive has the first colour.
            let value = value.max(f64::MIN_POSITIVE);
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    /// The value at a position: the inverse of [`ColourScale::part`].
    pub fn value(&self, part: f64) -> f64 {
        if self.log { self.low * (self.high / self.low).powf(part) } else { self.low + part * (self.high - self.low) }
    }

    /// The colour of a value.
    pub fn colour(&self, value: f64) -> Colour {
        if value.is_nan() {
            NOT_A_NUMBER
        } else if self.is_land(value) {
            LAND
        } else {
            self.colour_at(self.part(value))
        }
    }

    /// True of the value that stands for land, where some is drawn.
    pub fn is_land(&self, value: f64) -> bool {
        self.has_land && value == f64::INFINITY
    }

    /// The colour at a place among the colours, from 0 to 1.
    pub fn colour_at(&self, part: f64) -> Colour {
        let part = if self.map.reversed { 1.0 - part } else { part };
        self.map.table()[(part.clamp(0.0, 1.0) * (STEPS - 1) as f64 + 0.5) as u16 as usize]
    }
}

/// Linear interpolation in a table of equally spaced colours.
fn between_points(table: &[Colour], part: f64) -> Colour {
    let position = part * (table.len() - 1) as f64;
    let first = (position as usize).min(table.len() - 2);
    let (before, after, t) = (table[first], table[first + 1], position - first as f64);
    std::array::from_fn(|c| {
        let (a, b) = (f64::from(before[c]), f64::from(after[c]));
        (a + (b - a) * t).round() as u8
    })
}

/// Moreland 2009, Fig. 6: from cool through white to warm, linear in Msh coordinates.
fn diverging(part: f64) -> Colour {
    let (cool, warm) = (Msh::from_srgb(COOL), Msh::from_srgb(WARM));
    let white = Msh { m: cool.m.max(warm.m).max(88.0), s: 0.0, h: 0.0 };
    let (end, t) = if part < 0.5 { (cool, 2.0 * part) } else { (warm, 2.0 - 2.0 * part) };
    // White has no hue: it gets the hue that keeps the rate of change uniform.
    let white = Msh { h: end.adjusted_hue(white.m), ..white };
    end.towards(white, t).to_srgb()
}

/// Polar coordinates of CIELAB: magnitude, saturation angle, hue angle (Moreland 2009, §3.2).
#[derive(Clone, Copy)]
struct Msh {
    m: f64,
    s: f64,
    h: f64,
}

/// XYZ of the reference white D65.
const WHITE: [f64; 3] = [0.95047, 1.0, 1.08883];

impl Msh {
    fn from_srgb(colour: Colour) -> Self {
        let [r, g, b] = colour.map(|c| {
            let c = f64::from(c) / 255.0;
            if c > 0.04045 { ((c + 0.055) / 1.055).powf(2.4) } else { c / 12.92 }
        });
        let xyz = [
            0.4124 * r + 0.3576 * g + 0.1805 * b,
            0.2126 * r + 0.7152 * g + 0.0722 * b,
            0.0193 * r + 0.1192 * g + 0.9505 * b,
        ];
        let f = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
        let [x, y, z]: [f64; 3] = std::array::from_fn(|i| f(xyz[i] / WHITE[i]));
        let (l, a, b) = (116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z));
        let m = (l * l + a * a + b * b).sqrt();
        Msh { m, s: (l / m).acos(), h: b.atan2(a) }
    }

    fn to_srgb(self) -> Colour {
        let (l, a, b) =
            (self.m * self.s.cos(), self.m * self.s.sin() * self.h.cos(), self.m * self.s.sin() * self.h.sin());
        let y = (l + 16.0) / 116.0;
        let inverse = |t: f64| if t > 0.206893 { t.powi(3) } else { (t - 16.0 / 116.0) / 7.787 };
        let [x, y, z]: [f64; 3] = std::array::from_fn(|i| WHITE[i] * inverse([y + a / 500.0, y, y - b / 200.0][i]));
        let linear = [
            3.2406 * x - 1.5372 * y - 0.4986 * z,
            -0.9689 * x + 1.8758 * y + 0.0415 * z,
            0.0557 * x - 0.2040 * y + 1.0570 * z,
        ];
        linear.map(|c| {
            let c = if c > 0.0031308 { 1.055 * c.powf(1.0 / 2.4) - 0.055 } else { 12.92 * c };
            (255.0 * c.clamp(0.0, 1.0)).round() as u8
        })
    }

    fn towards(self, other: Msh, t: f64) -> Msh {
        let mix = |a: f64, b: f64| a + (b - a) * t;
        Msh { m: mix(self.m, other.m), s: mix(self.s, other.s), h: mix(self.h, other.h) }
    }

    /// The hue for an unsaturated colour of magnitude `m` at the other end (Moreland 2009, Fig. 6, `AdjustHue`).
    fn adjusted_hue(self, m: f64) -> f64 {
        if self.m >= m {
            return self.h;
        }
        let spin = self.s * (m * m - self.m * self.m).sqrt() / (self.m * self.s.sin());
        if self.h > -FRAC_PI_3 { self.h + spin } else { self.h - spin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The diverging map agrees with Moreland's published table at nine of its points. One unit of 255 is allowed: the
    /// table was made with more digits of the conversion matrices.
    #[test]
    fn diverging_map_is_the_published_one() {
        let published: [Colour; 9] = [
            [59, 76, 192],
            [98, 130, 234],
            [141, 176, 254],
            [184, 208, 249],
            [221, 221, 221],
            [245, 196, 173],
            [244, 154, 123],
            [222, 96, 77],
            [180, 4, 38],
        ];
        let scale = ColourScale::linear(ColourMap::DIVERGING, -1.0, 1.0);
        for (i, expected) in published.iter().enumerate() {
            let found = scale.colour(-1.0 + i as f64 / 4.0);
            for (a, b) in found.iter().zip(expected) {
                assert!(a.abs_diff(*b) <= 2, "{i}: {found:?} instead of {expected:?}");
            }
        }
    }

    /// Every map is found by its name, in any case, and its reverse has the same colours from the other end.
    #[test]
    fn maps_have_names() {
        for map in ColourMap::all() {
            assert_eq!(map.name().to_uppercase().parse(), Ok(map));
            let reversed: ColourMap = format!("{}_r", map.name()).parse().unwrap();
            let ends = |map: ColourMap| [0.0, 0.3, 1.0].map(|part| ColourScale::linear(map, 0.0, 1.0).colour_at(part));
            let (there, back) = (ends(map), ends(reversed));
            assert_eq!((there[0], there[2]), (back[2], back[0]));
            assert_ne!(there[1], back[1], "{}", map.name());
        }
        assert!("jet".parse::<ColourMap>().unwrap_err().contains("viridis, cool-warm, magma"));
    }

    /// Lightness rises all along the sequential map, so that it reads in grey too.
    #[test]
    fn sequential_map_grows_lighter() {
        let scale = ColourScale::linear(ColourMap::SEQUENTIAL, 0.0, 1.0);
        let lightness = |v: f64| {
            let msh = Msh::from_srgb(scale.colour(v));
            msh.m * msh.s.cos()
        };
        let steps: Vec<f64> = (0..=64).map(|i| lightness(f64::from(i) / 64.0)).collect();
        assert!(steps.windows(2).all(|pair| pair[1] > pair[0]), "{steps:?}");
    }

    /// Both signs: symmetric about zero. One sign, or an undershoot: from the lowest to the highest value.
    #[test]
    fn scales_suit_the_data() {
        let both = ColourScale::suiting(-1.0, 3.0);
        assert_eq!((both.map, both.low, both.high), (ColourMap::DIVERGING, -3.0, 3.0));
        let undershoot = ColourScale::suiting(-1e-3, 1.0);
        assert_eq!((undershoot.map, undershoot.low, undershoot.high), (ColourMap::SEQUENTIAL, -1e-3, 1.0));
        let log = |low| ColourScale::showing((low, 10.0), true).low;
        assert_eq!((log(1e-4), log(1e-21)), (1e-4, 1e-7), "round-off does not stretch a logarithmic scale");
        for constant in [0.0, 7.0, -7.0] {
            let scale = ColourScale::suiting(constant, constant);
            assert!(scale.low < constant && constant < scale.high);
        }
    }
}
