//! Computes formulas patch by patch.

use super::{Formula, FormulaError, Vocabulary};
use crate::formula::DerivativeKind;
use crate::frames::frame::{Frame, FrameLevel, FramePatch};
use crate::index::CellBox;
use crate::mesh::{Geometry, Mapping, combination};
use crate::physics::CellRow;
use crate::threads::parallel_table;
use std::cell::OnceCell;
use unstructured::Mesh;
use unstructured::step::Neighbours;

/// A frame of the same patches whose only fields are `formulas`, each with its name. Patches without values stay without.
///
/// # Errors
/// The first mistake in a formula. A formula that equals the name of a field means that field, even if it contains operators.
pub fn derive<const D: usize>(
    frame: &Frame<D>,
    formulas: &[(String, String)],
    vocabulary: &Vocabulary,
) -> Result<Frame<D>, FormulaError> {
    let fields: Vec<String> = frame.fields().map(|(name, _)| name.to_owned()).collect();
    let compiled = formulas
        .iter()
        .map(|(_, text)| match fields.iter().position(|field| field == text) {
            Some(field) => Ok(Source::Field(field)),
            None => Formula::<D>::on_mesh(text, frame, &fields, vocabulary)
                .map(|formula| Source::Formula(Box::new(formula))),
        })
        .collect::<Result<Vec<_>, _>>()?;
    let level = |(l, level): (usize, &FrameLevel<D>)| FrameLevel {
        dx: level.dx,
        patches: level
            .patches
            .iter()
            .map(|patch| {
                if patch.q.is_empty() {
                    return patch.clone();
                }
                let values = compiled.iter().flat_map(|source| match source {
                    Source::Field(field) => field_values(patch, *field).to_vec(),
                    Source::Formula(formula) => formula.on_patch(frame, l, patch),
                });
                FramePatch { cells: patch.cells, q: values.collect(), aux: Vec::new() }
            })
            .collect(),
    };
    let equations = formulas.iter().map(|(name, _)| name.clone()).collect();
    let levels = frame.levels.iter().enumerate().map(level).collect();
    Ok(Frame { equations, aux: Vec::new(), ..frame.with_levels(levels) })
}

/// Adds the fields of `further`, a frame of the same patches, to those of a frame, after its auxiliary values.
pub fn append<const D: usize>(frame: &mut Frame<D>, further: Frame<D>) {
    frame.aux.extend(further.equations);
    for (level, others) in frame.levels.iter_mut().zip(further.levels) {
        for (patch, other) in level.patches.iter_mut().zip(others.patches) {
            patch.aux.extend(other.q);
        }
    }
}

/// Where values come from.
enum Source<const D: usize> {
    Field(usize),
    Formula(Box<Formula<D>>),
}

/// Field `number` of a patch, the equations counted first.
pub(in crate::frames) fn field_values<const D: usize>(patch: &FramePatch<D>, number: usize) -> &[f64] {
    let cells = patch.cells.volume();
    let equations = patch.q.len() / cells;
    let (values, number) = if number < equations { (&patch.q, number) } else { (&patch.aux, number - equations) };
    &values[number * cells..][..cells]
}

impl<const D: usize> Formula<D> {
    /// The values in a patch of level `l`, x fastest.
    pub fn on_patch(&self, frame: &Frame<D>, l: usize, patch: &FramePatch<D>) -> Vec<f64> {
        let fields: Vec<&[f64]> = (0..self.num_fields).map(|number| field_values(patch, number)).collect();
        if let Some(mesh) = &frame.mesh {
            return self.in_all_cells((mesh, frame.time), &fields);
        }
        let mapping = if self.derivatives.is_empty() { None } else { frame.mapped() };
        self.within(&patch.cells, (frame.geometry(l), frame.time), &fields, mapping.as_ref())
    }

    /// The values in the cells of a mesh from a file, with derivatives within it.
    pub(super) fn in_all_cells(&self, (mesh, time): (&Mesh, f64), fields: &[&[f64]]) -> Vec<f64> {
        let neighbours = OnceCell::new();
        let gradients = |field: &[f64]| neighbours.get_or_init(|| Neighbours::new(mesh)).gradients(field);
        self.in_cells((mesh, time), fields, &|cell| centroid(mesh, cell), &gradients)
    }

    /// The values of its derivatives in the cells of a mesh from a file, which [`Formula::at_point`] takes behind the fields.
    pub fn derivatives_in_cells(&self, (mesh, time): (&Mesh, f64), fields: &[&[f64]]) -> Vec<Vec<f64>> {
        let neighbours = OnceCell::new();
        let gradients = |field: &[f64]| neighbours.get_or_init(|| Neighbours::new(mesh)).gradients(field);
        self.differentiated((mesh, time), fields, &|cell| centroid(mesh, cell), &gradients)
    }

    /// The values in the cells of a mesh from a file and, if fields have values there, beyond the boundary's faces; derivatives there are those within.
    /// `place`: where each value is; `gradients`: those of a field.
    pub fn in_cells(
        &self,
        (mesh, time): (&Mesh, f64),
        fields: &[&[f64]],
        place: &(dyn Fn(usize) -> [f64; D] + Sync),
        gradients: &dyn Fn(&[f64]) -> Vec<[f64; 3]>,
    ) -> Vec<f64> {
        let further = self.differentiated((mesh, time), fields, place, gradients);
        let values: Vec<&[f64]> = fields.iter().copied().chain(further.iter().map(Vec::as_slice)).collect();
        parallel_table(fields.first().map_or(mesh.num_cells(), |values| values.len()), |k| {
            let (row, mut out) = (CellRow::point(place(k), [0.0; D], time), 0.0);
            let rows: Vec<&[f64]> = values.iter().map(|values| &values[k..=k]).collect();
            self.expression.evaluate(&row, &rows, std::slice::from_mut(&mut out));
            out
        })
    }

    /// The values of its derivatives in the same places.
    fn differentiated(
        &self,
        (mesh, time): (&Mesh, f64),
        fields: &[&[f64]],
        place: &(dyn Fn(usize) -> [f64; D] + Sync),
        gradients: &dyn Fn(&[f64]) -> Vec<[f64; 3]>,
    ) -> Vec<Vec<f64>> {
        let (cells, count) = (mesh.num_cells(), fields.first().map_or(mesh.num_cells(), |values| values.len()));
        let derivative = |(kind, of): &(DerivativeKind, Formula<D>)| -> Vec<f64> {
            let slopes = gradients(&of.in_cells((mesh, time), fields, place, gradients));
            let value = |cell: usize| match kind {
                DerivativeKind::Along(axis) => slopes[cell][*axis],
                _ => slopes[cell].iter().map(|slope| slope * slope).sum::<f64>().sqrt(),
            };
            let within =
                |k: usize| if k < cells { k } else { mesh.faces.left[mesh.first_boundary() + k - cells] as usize };
            (0..count).map(|k| value(within(k))).collect()
        };
        self.derivatives.iter().map(derivative).collect()
    }

    /// The values in a box of cells, x fastest, with the derivatives within it.
    pub(super) fn within(
        &self,
        cells: &CellBox<D>,
        (geometry, time): (Geometry<D>, f64),
        fields: &[&[f64]],
        mapping: Option<&Mapping<D>>,
    ) -> Vec<f64> {
        let derivative = |(kind, of): &(DerivativeKind, Formula<D>)| {
            let values = of.within(cells, (geometry, time), fields, mapping);
            match mapping {
                Some(mapping) => differentiate_mapped(*kind, &values, cells, (mapping, &geometry)),
                None => differentiate(*kind, &values, cells, geometry.dx),
            }
        };
        let further: Vec<Vec<f64>> = self.derivatives.iter().map(derivative).collect();
        let values: Vec<&[f64]> = fields.iter().copied().chain(further.iter().map(Vec::as_slice)).collect();
        let mut out = vec![0.0; cells.volume()];
        let len = cells.size()[0] as usize;
        for (first, (number, out)) in cells.rows().zip(out.chunks_exact_mut(len).enumerate()) {
            let row = CellRow { geometry, first, len, time };
            let rows: Vec<&[f64]> = values.iter().map(|values| &values[number * len..][..len]).collect();
            self.expression.evaluate(&row, &rows, out);
        }
        out
    }
}

fn centroid<const D: usize>(mesh: &Mesh, cell: usize) -> [f64; D] {
    std::array::from_fn(|d| mesh.centroid[cell][d])
}

/// A derivative of values in a box, x fastest.
fn differentiate<const D: usize>(kind: DerivativeKind, values: &[f64], cells: &CellBox<D>, dx: [f64; D]) -> Vec<f64> {
    match kind {
        DerivativeKind::Along(axis) => along(axis, values, cells, dx),
        DerivativeKind::Gradient => {
            let mut squares = vec![0.0; values.len()];
            for axis in 0..D {
                let slopes = along(axis, values, cells, dx);
                squares.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope * slope);
            }
            squares.into_iter().map(f64::sqrt).collect()
        }
        DerivativeKind::Jump => jump(values, cells, dx),
    }
}

/// The largest undivided difference along an axis.
fn jump<const D: usize>(values: &[f64], cells: &CellBox<D>, dx: [f64; D]) -> Vec<f64> {
    let mut jumps = vec![0.0; values.len()];
    for axis in 0..D {
        let slopes = along(axis, values, cells, dx);
        jumps.iter_mut().zip(slopes).for_each(|(jump, slope)| *jump = (2.0 * dx[axis] * slope).abs().max(*jump));
    }
    jumps
}

/// As [`differentiate`], along the physical axes of a mapped mesh: by the chain rule. The positions of centres are differenced like the
/// values, so that derivatives of linear functions are exact to round-off.
fn differentiate_mapped<const D: usize>(
    kind: DerivativeKind,
    values: &[f64],
    cells: &CellBox<D>,
    (mapping, geometry): (&Mapping<D>, &Geometry<D>),
) -> Vec<f64> {
    let dx = geometry.dx;
    let centres: Vec<[f64; D]> = cells.cells().map(|cell| geometry.centre(cell)).collect();
    let positions = mapping.positions(&centres);
    // Along each computational axis.
    let slopes = |values: &[f64]| -> [Vec<f64>; D] { std::array::from_fn(|axis| along(axis, values, cells, dx)) };
    let position = |d: usize| positions.iter().map(|position| position[d]).collect::<Vec<f64>>();
    let of_positions: [[Vec<f64>; D]; D] = std::array::from_fn(|d| slopes(&position(d)));
    let of_values = slopes(values);
    let at = |k: usize| {
        let columns: [[f64; D]; D] = std::array::from_fn(|d| std::array::from_fn(|axis| of_positions[d][axis][k]));
        let slopes = combination(columns, std::array::from_fn(|axis| of_values[axis][k]));
        match kind {
            DerivativeKind::Along(axis) => slopes[axis],
            DerivativeKind::Gradient => slopes.iter().map(|slope| slope * slope).sum::<f64>().sqrt(),
            DerivativeKind::Jump => {
                (0..D).fold(0.0, |most: f64, axis| most.max((2.0 * dx[axis] * of_values[axis][k]).abs()))
            }
        }
    };
    (0..values.len()).map(at).collect()
}

/// The derivative along an axis: central differences; at the box's sides the one-sided ones of second order.
fn along<const D: usize>(axis: usize, values: &[f64], cells: &CellBox<D>, dx: [f64; D]) -> Vec<f64> {
    let size = cells.size();
    let count = size[axis] as usize;
    let stride: usize = size[..axis].iter().map(|&n| n as usize).product();
    let at = |number: usize| {
        let i = number / stride % count;
        let near = |steps: isize| values[number.wrapping_add_signed(steps * stride as isize)];
        let difference = match (i, count) {
            (_, 1) => 0.0,
            (0, 2) => 2.0 * (near(1) - near(0)),
            (_, 2) => 2.0 * (near(0) - near(-1)),
            (0, _) => -3.0 * near(0) + 4.0 * near(1) - near(2),
            (i, _) if i + 1 == count => 3.0 * near(0) - 4.0 * near(-1) + near(-2),
            _ => near(1) - near(-1),
        };
        difference / (2.0 * dx[axis])
    };
    (0..values.len()).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One patch of 7 × 5 cells on [1, 8] × [0, 2.5] whose two fields are quadratic in x and y.
    fn frame() -> Frame<2> {
        let cells = CellBox::new([0, 0], [7, 5]);
        let (dx, lower) = ([1.0, 0.5], [1.0, 0.0]);
        let centre = |c: [i32; 2], d: usize| lower[d] + (f64::from(c[d]) + 0.5) * dx[d];
        let height = cells.cells().map(|c| centre(c, 0).powi(2) + 3.0 * centre(c, 1).powi(2));
        let q = height.chain(cells.cells().map(|c| centre(c, 0))).collect();
        let aux = vec![2.0; cells.volume()];
        Frame {
            number: 4,
            time: 0.5,
            steps: vec![1],
            equations: vec!["height".into(), "odd name".into()],
            aux: vec!["floor_level".into()],
            levels: vec![FrameLevel { dx, patches: vec![FramePatch { cells, q, aux }] }],
            ..Frame::empty([lower, [8.0, 2.5]], [7, 5])
        }
    }

    fn values(text: &str) -> Vec<f64> {
        let vocabulary = Vocabulary {
            constants: vec![("g".into(), 9.0)],
            formulas: vec![("top".into(), "height + floor_level".into()), ("twice".into(), "2 * top".into())],
            ..Vocabulary::default()
        };
        derive(&frame(), &[("f".into(), text.into())], &vocabulary).unwrap().levels[0].patches[0].q.clone()
    }

    /// Central and one-sided differences are exact for polynomials of degree two, so derivatives are exact in every cell.
    #[test]
    fn derivatives_of_quadratics_are_exact() {
        let cells = frame().levels[0].patches[0].cells;
        let near = |a: &[f64], f: &dyn Fn([f64; 2]) -> f64| {
            for (value, c) in a.iter().zip(cells.cells()) {
                let [x, y] = [1.0 + f64::from(c[0]) + 0.5, 0.5 * (f64::from(c[1]) + 0.5)];
                assert!((value - f([x, y])).abs() < 1e-11, "{value} at {c:?}");
            }
        };
        near(&values("dx(height)"), &|[x, _]| 2.0 * x);
        near(&values("dy(height)"), &|[_, y]| 6.0 * y);
        near(&values("grad(height)"), &|[x, y]| (2.0 * x).hypot(6.0 * y));
        near(&values("dx(dy(height) * x) + abs(grad(2 * y))"), &|[_, y]| 6.0 * y + 2.0);
    }

    /// Fields of any name, position, time, parameters and quantities that build on each other.
    #[test]
    fn formulas_know_fields_and_quantities() {
        assert_eq!(values("odd name"), values("x"));
        assert_eq!(values("t + g"), vec![9.5; 35]);
        let doubled: Vec<f64> = values("height").iter().map(|v| 2.0 * (v + 2.0)).collect();
        assert_eq!(values("twice"), doubled);
        assert_eq!(values("dx(twice)"), values("2 * dx(height)"));
    }

    /// A mistake is marked in the text; so is an axis that does not exist.
    #[test]
    fn mistakes_are_marked() {
        let message = |text: &str| {
            derive(&frame(), &[("f".into(), text.into())], &Vocabulary::default()).unwrap_err().to_string()
        };
        let found = message("2 * hight");
        assert!(found.contains("    ^^^^^") && found.contains("did you mean `height`?"), "{found}");
        assert!(message("dz(height)").contains("2D"));
        assert!(message("grad(height, x)").contains("one argument"));
    }
}
