//! Formulas of the state in a cell and its neighbours, for criteria of refinement and extremes.

use super::Formula;
use crate::formula::{DerivativeKind, RowExpressions, Syntax};
use crate::index::CellBox;
use crate::mesh::{Mapping, combination};
use crate::physics::{AroundFormulas, CellBlock, CellRow, DeviceForm, Formulas, StateBlockFunction, StateFunction};
use std::sync::Arc;
use unstructured::motion::MeshInTime;

impl<const D: usize> Formula<D> {
    /// True in cells where a formula's difference between the two neighbours along some axis is above its limit.
    pub fn any_jump(formulas: Vec<(Formula<D>, f64)>) -> Formula<D> {
        let num_fields = formulas.first().map_or(0, |(formula, _)| formula.num_fields);
        let own = formulas.first().map_or(&[][..], |(formula, _)| formula.expression.variables());
        let fields = own[..own.len() - formulas.first().map_or(0, |(formula, _)| formula.derivatives.len())].to_vec();
        let limits: Vec<f64> = formulas.iter().map(|(_, limit)| *limit).collect();
        let expression = RowExpressions::new(vec![Syntax::any_above(&limits, fields)]);
        let derivatives = formulas.into_iter().map(|(formula, _)| (DerivativeKind::Jump, formula)).collect();
        Formula { expression, derivatives, num_fields }
    }

    /// The formula as a criterion. Its fields are a state of `num_eqn` values, then auxiliary values. `mapping`: that of the
    /// mesh, if any, and its formulas.
    pub fn criterion(self, num_eqn: usize, mapping: Option<(Arc<Mapping<D>>, Formulas)>) -> Arc<dyn StateFunction<D>> {
        match self.derivatives.is_empty() {
            true => Arc::new(self.expression),
            false => {
                let neighbours = Neighbours::Around;
                Arc::new(WithNeighbours { formulas: vec![self], num_eqn, mapping, neighbours })
            }
        }
    }

    /// Formulas over the same fields as one function, with the derivatives within a patch. `num_eqn` and `mapping`: as for
    /// [`Formula::criterion`]; `in_time`: a mesh from a file, if the patch is one.
    pub fn within_patches(
        formulas: Vec<Formula<D>>,
        num_eqn: usize,
        mapping: Option<(Arc<Mapping<D>>, Formulas)>,
        in_time: Option<Arc<MeshInTime>>,
    ) -> Arc<dyn StateFunction<D>> {
        match formulas.iter().all(|formula| formula.derivatives.is_empty()) {
            true => Arc::new(Formula::together(formulas.iter())),
            false => {
                let neighbours = Neighbours::Within(in_time);
                Arc::new(WithNeighbours { formulas, num_eqn, mapping, neighbours })
            }
        }
    }

    /// How many cells away a value may lie.
    pub fn reach(&self) -> i32 {
        self.derivatives.iter().map(|(_, of)| 1 + of.reach()).max().unwrap_or(0)
    }

    /// As data, for kernels.
    pub fn around(&self) -> AroundFormulas {
        AroundFormulas {
            formulas: self.expression.formulas(),
            num_values: self.num_fields,
            differences: self.derivatives.iter().map(|(kind, of)| (*kind, of.around())).collect(),
        }
    }
}

/// Formulas that read neighbours.
struct WithNeighbours<const D: usize> {
    formulas: Vec<Formula<D>>,
    num_eqn: usize,
    mapping: Option<(Arc<Mapping<D>>, Formulas)>,
    neighbours: Neighbours,
}

/// Which neighbours a formula reads.
enum Neighbours {
    /// All of them: blocks have as many more cells on each side. Of a single formula.
    Around,
    /// Those in the same patch or, if it is one, of the same mesh.
    Within(Option<Arc<MeshInTime>>),
}

/// Derivatives of derivatives in a kernel, whose text is as large as their number is along all axes.
const MOST_NESTED: i32 = 3;

impl<const D: usize> StateFunction<D> for WithNeighbours<D> {
    fn num_values(&self) -> usize {
        self.formulas.len()
    }

    fn fill_row(&self, _: &CellRow<D>, _: &[f64], _: &[f64], _: &mut [f64]) {
        unreachable!("what reads neighbours is called by blocks")
    }

    fn by_block(&self) -> Option<&dyn StateBlockFunction<D>> {
        Some(self)
    }

    fn device_form(&self) -> Option<DeviceForm> {
        let around = |formula: &Formula<D>| match &self.mapping {
            Some((_, positions)) => formula.around().on_mapped_mesh(positions),
            None => formula.around(),
        };
        let is_small = self.formulas.iter().all(|formula| formula.reach() <= MOST_NESTED);
        match &self.neighbours {
            Neighbours::Around => Some(DeviceForm::Around(around(&self.formulas[0]))),
            Neighbours::Within(None) if is_small => {
                Some(DeviceForm::Within(self.formulas.iter().map(around).collect()))
            }
            Neighbours::Within(_) => None,
        }
    }
}

impl<const D: usize> StateBlockFunction<D> for WithNeighbours<D> {
    fn reach(&self) -> [i32; 2] {
        match self.neighbours {
            Neighbours::Around => [self.formulas[0].reach(); 2],
            Neighbours::Within(_) => [0; 2],
        }
    }

    fn fill(&self, block: &CellBlock<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        let inner = CellBox::new(block.first, std::array::from_fn(|d| block.first[d] + block.size[d] as i32));
        let cells = inner.grow(self.reach()[0]);
        let values = state.chunks_exact(cells.volume()).take(self.num_eqn).chain(aux.chunks_exact(cells.volume()));
        let values: Vec<&[f64]> = values.collect();
        let mapping = self.mapping.as_ref().map(|(mapping, _)| &**mapping);
        let Neighbours::Within(in_time) = &self.neighbours else {
            return Fields { block, mapping, cells, values }.fill(&self.formulas[0], &inner, out);
        };
        let mesh = in_time.as_ref().map(|in_time| in_time.now());
        for (formula, out) in self.formulas.iter().zip(out.chunks_exact_mut(cells.volume())) {
            let fields = &values[..formula.num_fields];
            let values = match &mesh {
                Some(mesh) => formula.in_all_cells((mesh, block.time), fields),
                None => formula.within(&cells, (block.geometry, block.time), fields, mapping),
            };
            out.copy_from_slice(&values);
        }
    }
}

/// The values that a formula reads: the box that they fill, and each field's.
struct Fields<'a, const D: usize> {
    block: &'a CellBlock<D>,
    mapping: Option<&'a Mapping<D>>,
    cells: CellBox<D>,
    values: Vec<&'a [f64]>,
}

impl<const D: usize> Fields<'_, D> {
    /// Fills the values of a formula in a box.
    fn fill(&self, formula: &Formula<D>, cells: &CellBox<D>, out: &mut [f64]) {
        let further: Vec<Vec<f64>> =
            formula.derivatives.iter().map(|(kind, of)| self.differences(*kind, of, cells)).collect();
        let len = cells.size()[0] as usize;
        for (number, first) in cells.rows().enumerate() {
            let row = CellRow { geometry: self.block.geometry, first, len, time: self.block.time };
            let start = self.cells.number_of(first);
            let fields = self.values.iter().map(|values| &values[start..][..len]);
            let rows: Vec<&[f64]> = fields.chain(further.iter().map(|values| &values[number * len..][..len])).collect();
            formula.expression.evaluate(&row, &rows, &mut out[number * len..][..len]);
        }
    }

    fn differences(&self, kind: DerivativeKind, of: &Formula<D>, cells: &CellBox<D>) -> Vec<f64> {
        let around = cells.grow(1);
        let mut values = vec![0.0; around.volume()];
        self.fill(of, &around, &mut values);
        // One for each direction in which neighbours lie.
        let positions: Option<[Vec<f64>; D]> = self.mapping.filter(|_| kind != DerivativeKind::Jump).map(|mapping| {
            let centres: Vec<[f64; D]> = around.cells().map(|cell| self.block.geometry.centre(cell)).collect();
            let positions = mapping.positions(&centres);
            std::array::from_fn(|d| positions.iter().map(|position| position[d]).collect())
        });
        let size = around.size();
        let stride = |axis: usize| size[..axis].iter().map(|&n| n as usize).product::<usize>();
        let difference = |values: &[f64], k: usize, axis: usize| values[k + stride(axis)] - values[k - stride(axis)];
        let slope =
            |values: &[f64], k: usize, axis: usize| difference(values, k, axis) / (2.0 * self.block.geometry.dx[axis]);
        let at = |k: usize| {
            if kind == DerivativeKind::Jump {
                // NaN counts as not larger.
                let larger = |most: f64, axis: usize| {
                    let difference = difference(&values, k, axis).abs();
                    if difference > most { difference } else { most }
                };
                return (0..D).fold(0.0, larger);
            }
            let slopes: [f64; D] = match &positions {
                None => std::array::from_fn(|axis| slope(&values, k, axis)),
                Some(positions) => {
                    let column = |d: usize| std::array::from_fn(|axis| slope(&positions[d], k, axis));
                    let columns: [[f64; D]; D] = std::array::from_fn(column);
                    combination(columns, std::array::from_fn(|axis| slope(&values, k, axis)))
                }
            };
            match kind {
                DerivativeKind::Along(axis) => slopes[axis],
                _ => slopes.iter().fold(0.0, |sum, slope| sum + slope * slope).sqrt(),
            }
        };
        cells.cells().map(|cell| at(around.number_of(cell))).collect()
    }
}
