//! Pictures that a case asks for: what runs draw, and `run.json` keeps for who looks at the run later.

use serde::{Deserialize, Serialize};

/// A picture by its name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Plot {
    /// Its name, part of its file's.
    pub name: String,
    /// Fields, quantities or formulas, each drawn; none for the pressure, or the first equation's quantity.
    pub fields: Vec<String>,
    /// Values of the first and the last colour.
    pub range: Option<(f64, f64)>,
    /// Values are drawn on a logarithmic scale.
    pub log: bool,
    /// Name of the colour map.
    pub colours: Option<String>,
    /// Lines of equal values.
    pub contours: Option<Contours>,
    /// Where this condition holds, land is drawn in place of values.
    pub land: Option<String>,
    /// Components of a vector, drawn as arrows.
    pub vectors: Vec<String>,
    /// Cuts: the axis and the place along it.
    pub slices: Vec<(usize, f64)>,
    /// The ends of a line along which the values are drawn.
    pub line: Option<[Vec<f64>; 2]>,
    /// The part that is shown, from and to along each axis.
    pub zoom: Vec<(f64, f64)>,
    /// Outlines of patches are left out.
    pub no_outlines: bool,
}

/// Lines of equal values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Contours {
    /// So many, at equal parts of the colour scale.
    Number(usize),
    /// At these values.
    At(Vec<f64>),
}

/// Most contours of a picture: more hide it.
pub const MOST_CONTOURS: usize = 200;

impl Contours {
    /// The contours if there are not too many, nor none.
    ///
    /// # Errors
    /// Says how many there may be.
    pub fn checked(self) -> Result<Self, String> {
        let count = match &self {
            Contours::Number(count) => *count,
            Contours::At(values) => values.len(),
        };
        let fits = (1..=MOST_CONTOURS).contains(&count);
        fits.then_some(self).ok_or_else(|| format!("from 1 to {MOST_CONTOURS} contours can be drawn"))
    }
}
