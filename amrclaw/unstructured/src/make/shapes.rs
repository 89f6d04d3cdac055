// tidy: long because each shape is made and tested here
//! NACA0012, a corner, an ogive.

use super::Of;
use super::patchwork::{Patchwork, Plates, extruded, turned};
use crate::mesh::Elements;
use std::f64::consts::{PI, TAU};

/// The profile NACA0012 of chord 1 from (0, 0) to (1, 0), closed at its trailing edge, in a circle; in space a wing without ends.
///
/// Names: `wing`, `far`, and in space `symmetry` at both ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Naca0012 {
    /// Cells around the profile, an even number.
    pub around: usize,
    /// Cells from the profile outwards; 0: as many as make squares.
    pub outwards: usize,
    /// Radius of the circle, in chords.
    pub radius: f64,
    /// Layers along the span; 0: in the plane.
    pub layers: usize,
    /// The span.
    pub span: f64,
    /// Shape of cells.
    pub of: Of,
}

impl Default for Naca0012 {
    fn default() -> Self {
        Naca0012 { around: 160, outwards: 0, radius: 20.0, layers: 0, span: 1.0, of: Of::Quadrilaterals }
    }
}

/// A wall along y = 0 that turns by an angle at the origin, in a channel up to y = 1 from x = −1 to 2.
///
/// Angles from −60° to 60° make a ramp; −90° a step; −135° a wall that runs back below itself, with the region below y = 0 from x = −1 on and
/// down to y = −1. Names: `wall`, `inflow` at x = −1 above the wall, `outflow` at x = 2, `top`, and `bottom` below a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Corner {
    /// Degrees; positive: the wall rises, as a wedge in a stream.
    pub angle: f64,
    /// Cells per unit of length, an even number.
    pub cells: usize,
    /// Triangles, quadrilaterals or mixed.
    pub of: Of,
    /// In place of all this a square of this side, from the origin on, with a wall that comes from the left at half the height, turns back by 135
    /// degrees at 15/32 of the side and runs to the left again. It has 3,640 quadrilaterals.
    pub square: Option<f64>,
}

/// A tangent ogive of 3 diameters and a cylinder of 7, diameter 1, from x = 0 to the outflow at x = 10, with or without fins.
///
/// Names: `body`, `fins`, `far`, `outflow`.
#[derive(Clone, Debug, PartialEq)]
pub struct Ogive {
    /// Cells per diameter along the body, at least 2.
    pub cells: usize,
    /// Four plates of one diameter on the last diameter and a half of the body.
    pub fins: bool,
    /// Radius of the outer boundary, in diameters.
    pub radius: f64,
}

/// How cells are cut, by their middle: `None` where quadrilaterals stay.
fn cut(of: Of) -> Result<impl Fn([f64; 2]) -> Option<bool>, String> {
    let triangles = match of {
        Of::Quadrilaterals | Of::Hexahedra => Some(false),
        Of::Triangles | Of::Prisms | Of::Tetrahedra => Some(true),
        Of::Mixed => None,
        Of::Pyramids => return Err("this mesh is not made of pyramids".into()),
    };
    // Mirrored at y = 0: what is symmetric stays so.
    Ok(move |[x, y]: [f64; 2]| triangles.unwrap_or((7.0 * x).rem_euclid(2.0) < 1.0).then_some(y > 0.0))
}

/// Checks that cells are of the mesh's dimension.
fn check_dim(of: Of, dim: usize) -> Result<(), String> {
    let flat = match of {
        Of::Triangles | Of::Quadrilaterals => true,
        Of::Mixed => return Ok(()),
        _ => false,
    };
    if flat == (dim == 2) {
        Ok(())
    } else {
        Err(format!("{of:?} are no cells of a mesh in {dim} dimensions").to_lowercase())
    }
}

/// Half the thickness of the profile.
fn thickness(x: f64) -> f64 {
    let powers = 0.2969 * x.sqrt() + x * (-0.1260 + x * (-0.3516 + x * (0.2843 - x * 0.1036)));
    if x >= 1.0 { 0.0 } else { 0.6 * powers }
}

/// Joukowski's map of the plane outside a segment from the nose's focus to the trailing edge, to that outside a circle, and back. It makes the
/// profile nearly a circle, so lines around that are nearly orthogonal to those outwards.
struct Joukowski {
    middle: f64,
    quarter: f64,
}

/// A complex number by its modulus' logarithm and its angle.
type Polar = (f64, f64);

impl Joukowski {
    fn to_circle(&self, [x, y]: [f64; 2]) -> Polar {
        let root = |re: f64, im: f64| {
            let (modulus, angle) = (re.hypot(im).sqrt(), im.atan2(re) / 2.0);
            [modulus * angle.cos(), modulus * angle.sin()]
        };
        let (re, im) = ((x - self.middle) / (2.0 * self.quarter), y / (2.0 * self.quarter));
        let ([a, b], [c, d]) = (root(re - 1.0, im), root(re + 1.0, im));
        let (re, im) = (re + a * c - b * d, im + a * d + b * c);
        (re.hypot(im).ln(), im.atan2(re))
    }

    fn back(&self, (log, angle): Polar) -> [f64; 2] {
        let (sin, cos) = angle.sin_cos();
        [self.middle + 2.0 * self.quarter * log.cosh() * cos, 2.0 * self.quarter * log.sinh() * sin]
    }
}

impl Naca0012 {
    /// Makes it.
    ///
    /// # Errors
    ///
    /// If there is no such mesh.
    pub fn make(&self) -> Result<Elements, String> {
        let Naca0012 { around, radius, layers, of, .. } = *self;
        check_dim(of, if layers == 0 { 2 } else { 3 })?;
        if around < 8
            || around % 2 == 1
            || !(1.5..=1e4).contains(&radius)
            || !(self.span > 0.0 && self.span.is_finite())
        {
            return Err(
                "a profile has 8 or more cells around it, an even number, in a circle of 1.5 to 10000 chords".into()
            );
        }
        // Half the radius of the nose lies between the nose and its focus.
        let focus = 0.5 * 1.1019 * 0.12 * 0.12;
        let map = Joukowski { middle: 0.5 * (1.0 + focus), quarter: 0.25 * (1.0 - focus) };
        let far = (radius / map.quarter).ln();
        let half = around / 2;
        let outwards =
            if self.outwards > 0 { self.outwards } else { (far * around as f64 / TAU).round().max(2.0) as usize };
        if around as f64 * outwards as f64 * layers.max(1) as f64 > 4e7 {
            return Err("this is more than 4e7 cells".into());
        }
        let profile: Vec<Polar> = (0..=half).map(|i| upper_side(&map, PI * i as f64 / half as f64)).collect();
        let at = |i: usize, j: usize| {
            // The lower side mirrors the upper one, to the last bit.
            let (upper, i) = if i <= half { (1.0, i) } else { (-1.0, around - i) };
            let (log, angle) = profile[i];
            let [x, y] = match (i, j) {
                (0, 0) => [1.0, 0.0],
                (i, 0) if i == half => [0.0, 0.0],
                (_, 0) => {
                    let [x, _] = map.back((log, angle));
                    [x, thickness(x)]
                }
                _ => map.back((log + (far - log) * j as f64 / outwards as f64, angle)),
            };
            [x, if i == 0 || i == half { 0.0 } else { upper * y }]
        };
        let mut flat = Patchwork::default();
        // Indices run outwards first: counterclockwise.
        flat.block([outwards, around], &|j, i| at(i % around, j));
        let name = |[x, y]: [f64; 2]| if (x - 0.5).hypot(y) < 0.8 { "wing" } else { "far" };
        let flat = flat.into_elements(&cut(of)?, &name);
        Ok(if layers == 0 { flat } else { extruded(&flat, layers, self.span, of == Of::Tetrahedra, "symmetry") })
    }
}

/// The point of the upper side that the map takes to an angle.
fn upper_side(map: &Joukowski, angle: f64) -> Polar {
    let (mut low, mut high) = (0.0, PI);
    let point = |t: f64| {
        let x = 0.5 * (1.0 + f64::cos(t));
        map.to_circle([x, thickness(x)])
    };
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if point(middle).1 < angle { low = middle } else { high = middle }
    }
    (point(low).0, angle)
}

/// The square around a corner: squares above and on the right of it, and below it a triangle of three blocks around its middle.
fn square(side: f64) -> Patchwork {
    let at = |x: f64, y: f64| [x * side / 0.64, y * side / 0.64];
    let mut flat = Patchwork::default();
    let mut straight = |cells, [x, y]: [[f64; 2]; 2]| {
        flat.between(cells, [at(x[0], y[0]), at(x[1], y[0]), at(x[1], y[1]), at(x[0], y[1])]);
    };
    let (left, right, below) = ([0.0, 0.3], [0.3, 0.64], [0.0, 0.02]);
    straight([29, 30], [left, [0.32, 0.64]]);
    straight([32, 30], [right, [0.32, 0.64]]);
    straight([32, 29], [right, [0.02, 0.32]]);
    straight([32, 2], [right, below]);
    straight([29, 2], [left, below]);
    let (tip, foot, low, middle) = (at(0.3, 0.32), at(0.0, 0.02), at(0.3, 0.02), at(0.18, 0.14));
    let (on_wall, on_right, on_low) = (at(0.15, 0.17), at(0.3, 0.32 - 0.3 * 9.0 / 29.0), at(0.3 * 9.0 / 29.0, 0.02));
    flat.between([20, 9], [tip, on_wall, middle, on_right]);
    flat.between([9, 20], [foot, on_low, middle, on_wall]);
    flat.between([20, 20], [low, on_right, middle, on_low]);
    flat
}

impl Corner {
    /// Makes it.
    ///
    /// # Errors
    ///
    /// If there is no such mesh.
    pub fn make(&self) -> Result<Elements, String> {
        let Corner { angle, cells: n, of, .. } = *self;
        check_dim(of, 2)?;
        if !(2..=2000).contains(&n) || n % 2 == 1 {
            return Err("a corner has an even number of cells per unit of length, 2 to 2000".into());
        }
        if let Some(side) = self.square {
            if !(side > 0.0 && side < 1e6) {
                return Err(format!("a square's side is from 0 to 1e6, not {side}"));
            }
            return Ok(square(side).into_elements(&cut(of)?, &|[x, y]| match (x, y) {
                (x, y) if x < 1e-9 * side && y > 0.5 * side => "inflow",
                (x, _) if x > (1.0 - 1e-9) * side => "outflow",
                (x, y) if x.min(y) < 1e-9 * side => "bottom",
                (_, y) if y > (1.0 - 1e-9) * side => "top",
                _ => "wall",
            }));
        }
        let mut flat = Patchwork::default();
        flat.between([n, n], [[-1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [-1.0, 1.0]]);
        let ramp = angle.to_radians().tan();
        let is_ramp = (-60.0..=60.0).contains(&angle);
        if is_ramp {
            let end = 2.0 * ramp;
            if end >= 0.9 {
                return Err(format!("at {angle} degrees the ramp leaves no channel: at most 24"));
            }
            flat.between([2 * n, n], [[0.0, 0.0], [2.0, end], [2.0, 1.0], [0.0, 1.0]]);
        } else if angle == -90.0 || angle == -135.0 {
            flat.between([2 * n, n], [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]]);
            // Below the wall's level; two columns of half the height, for they meet the halves of the triangle's side.
            let (low, half) = ([0.0, -1.0], [0.0, -0.5]);
            flat.between([2 * n, n / 2], [half, [2.0, -0.5], [2.0, 0.0], [0.0, 0.0]]);
            flat.between([2 * n, n / 2], [low, [2.0, -1.0], [2.0, -0.5], half]);
            if angle == -135.0 {
                // A triangle is three quadrilaterals around its middle.
                let corners = [[0.0, 0.0], [-1.0, -1.0], low];
                let middle = [-1.0 / 3.0, -2.0 / 3.0];
                let halves = [[-0.5, -0.5], [-0.5, -1.0], half];
                for k in 0..3 {
                    flat.between([n / 2, n / 2], [corners[k], halves[k], middle, halves[(k + 2) % 3]]);
                }
            }
        } else {
            return Err(format!("corners turn by -60 to 24 degrees, by -90 or by -135, not by {angle}"));
        }
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        let name = |[x, y]: [f64; 2]| match (x, y) {
            (x, y) if near(x, -1.0) && y > 0.0 => "inflow",
            (x, _) if near(x, 2.0) => "outflow",
            (_, y) if near(y, 1.0) => "top",
            (_, y) if near(y, -1.0) && !is_ramp => "bottom",
            _ => "wall",
        };
        Ok(flat.into_elements(&cut(of)?, &name))
    }
}

impl Ogive {
    /// Makes it.
    ///
    /// # Errors
    ///
    /// If there is no such mesh.
    pub fn make(&self) -> Result<Elements, String> {
        let Ogive { cells, fins, radius } = *self;
        if !(2..=100).contains(&cells) || !(2.0..=100.0).contains(&radius) {
            return Err("an ogive has 2 to 100 cells per diameter, in a cylinder of radius 2 to 100 diameters".into());
        }
        // From 3 diameters before the nose to the end of the body; outwards 1 diameter of even cells, then growing ones.
        let (along, near) = ([3 * cells, 10 * cells], cells);
        let far = (radius.ln() / (1.0 + 1.0 / near as f64).ln()).ceil() as usize;
        let outwards = near + far;
        let sectors = (2 * cells).max(8).next_multiple_of(4);
        let body = |x: f64| {
            let arc = 3.0_f64 * 3.0 / 1.0 + 0.25;
            if x <= 0.0 {
                0.0
            } else if x >= 3.0 {
                0.5
            } else {
                (arc * arc - (3.0 - x) * (3.0 - x)).sqrt() - arc + 0.5
            }
        };
        let height = |j: usize| match j.checked_sub(near) {
            None | Some(0) => j as f64 / near as f64,
            Some(k) => {
                1.0 + (radius - 1.0) * ((1.0 + 1.0 / near as f64).powi(k as i32) - 1.0)
                    / ((1.0 + 1.0 / near as f64).powi(far as i32) - 1.0)
            }
        };
        let total = along[0] + along[1];
        let at = |i: usize, j: usize| {
            let x = (i as f64 - along[0] as f64) / cells as f64;
            [x, body(x) + (radius - body(x)) * height(j) / radius]
        };
        let mut flat = Patchwork::default();
        flat.block([total, outwards], &at);
        let name = move |[x, r]: [f64; 2]| match (x, r) {
            (x, _) if x > 10.0 - 1e-9 => "outflow",
            (x, r) if x < -3.0 + 1e-9 || r > radius - 1e-9 => "far",
            _ => "body",
        };
        let flat = flat.into_elements(&|_| None, &name);
        let (first, last) = (total - 3 * cells / 2, total);
        let covers = |cell: usize| (first..last).contains(&(cell % total)) && cell / total < near;
        // The plate's outline joins its sides; at the body and at the end it has none.
        let parts = |node: u32| {
            let (i, j) = (node as usize % (total + 1), node as usize / (total + 1));
            i > first && i <= last && j < near
        };
        Ok(turned(&flat, sectors, &Plates { count: if fins { 4 } else { 0 }, covers: &covers, parts: &parts }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;

    fn mesh(made: Result<Elements, String>) -> Mesh {
        let mesh = Mesh::new(made.unwrap()).unwrap_or_else(|e| panic!("{e}"));
        assert!(mesh.closedness() < 1e-14, "{}", mesh.closedness());
        mesh
    }

    /// The profile's area is that of its formula, 0.08167 with the closed end, to the second order of its polygon; the mesh is its own mirror
    /// image; wings are its volume times their span, of each shape.
    #[test]
    fn profiles_have_their_area() {
        let made = |of, layers| {
            mesh(Naca0012 { around: 64, radius: 3.0, layers, span: 0.5, of, ..Naca0012::default() }.make())
        };
        let flat = made(Of::Quadrilaterals, 0);
        assert_eq!(flat.boundary.names, ["wing", "far"]);
        // An ellipse whose axes have the product 9 − 0.246⁴ / 9.
        let polygon = 32.0 * (9.0 - 0.000_407) * (TAU / 64.0).sin();
        let area: f64 = flat.volume.iter().sum();
        assert!((polygon - area - 0.08167).abs() < 1e-3, "{}", polygon - area);
        for point in &flat.points {
            assert!(flat.points.contains(&[point[0], -point[1], 0.0]));
        }
        for of in [Of::Triangles, Of::Mixed] {
            assert!((made(of, 0).volume.iter().sum::<f64>() - area).abs() < 1e-12);
        }
        for of in [Of::Hexahedra, Of::Prisms, Of::Tetrahedra, Of::Mixed] {
            let wing = made(of, 3);
            assert_eq!(wing.boundary.names, ["wing", "far", "symmetry"], "{of:?}");
            assert!((wing.volume.iter().sum::<f64>() - 0.5 * area).abs() < 1e-12, "{of:?}");
        }
    }

    /// Areas of channels with corners.
    #[test]
    fn corners_have_their_area() {
        for (angle, area) in [(15.0, 3.0 - 2.0 * f64::to_radians(15.0).tan()), (-90.0, 5.0), (-135.0, 5.5)] {
            for of in [Of::Triangles, Of::Quadrilaterals, Of::Mixed] {
                let corner = mesh(Corner { angle, cells: 8, of, square: None }.make());
                assert!((corner.volume.iter().sum::<f64>() - area).abs() < 1e-12, "{angle} {of:?}");
                assert_eq!(corner.boundary.names.contains(&"bottom".to_owned()), angle < -60.0);
            }
        }
        let square = mesh(Corner { angle: 0.0, cells: 8, of: Of::Quadrilaterals, square: Some(2.0) }.make());
        assert_eq!((square.num_cells(), square.boundary.names.len()), (3640, 5));
        assert!((square.volume.iter().sum::<f64>() - 3.560546875).abs() < 1e-12);
        assert!(Corner { angle: 30.0, cells: 8, of: Of::Triangles, square: None }.make().is_err());
    }

    /// A body of all shapes but tetrahedra: its surface closes with the outflow's plane, and fins have two sides of their area.
    #[test]
    fn ogives_are_closed() {
        let ogive = mesh(Ogive { cells: 4, fins: true, radius: 5.0 }.make());
        let area = |name: &str| {
            let n = ogive.boundary.number(name).unwrap_or_else(|| panic!("{name}: {:?}", ogive.boundary.names));
            let faces = ogive.boundary.of_name(n).map(|b| ogive.first_boundary() + b);
            faces.fold([0.0; 4], |sum, face| {
                let (size, normal) = (ogive.faces.size[face], ogive.faces.normal[face]);
                [sum[0] + size * normal[0], sum[1] + size * normal[1], sum[2] + size * normal[2], sum[3] + size]
            })
        };
        let (body, fins) = (area("body"), area("fins"));
        // A polygon of 8 sides of radius 1/2.
        assert!((body[0] - 4.0 * 0.25 * (TAU / 8.0).sin()).abs() < 1e-12, "{body:?}");
        assert!(
            body[1].abs() + body[2].abs() + fins[0].abs() + fins[1].abs() + fins[2].abs() < 1e-12,
            "{body:?} {fins:?}"
        );
        let height = 4.5 * 1.0 / 5.0;
        assert!((fins[3] - 8.0 * 1.5 * height).abs() < 1e-12, "{fins:?}");
        assert!(!mesh(Ogive { cells: 2, fins: false, radius: 3.0 }.make()).boundary.names.contains(&"fins".to_owned()));
    }
}
