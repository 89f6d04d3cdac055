//! Formulas of a cell and its neighbours.

use super::{Formulas, Node, Primitive, Quantity};
use Primitive::{Add, Multiply};

/// What is made of a value in a cell's neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DerivativeKind {
    /// The partial derivative along an axis: half the difference of the two neighbours over the cells' size.
    Along(usize),
    /// The magnitude of the gradient.
    Gradient,
    /// The largest difference of the two neighbours along an axis.
    Jump,
}

/// Formulas with one result, whose quantities are those of a cell and differences of its neighbours.
#[derive(Clone, Debug)]
pub struct AroundFormulas {
    /// Values from number `num_values` on are `differences`.
    pub formulas: Formulas,
    /// Values of a cell.
    pub num_values: usize,
    /// Of which values differences are taken.
    pub differences: Vec<(DerivativeKind, AroundFormulas)>,
}

impl AroundFormulas {
    /// The same on a mesh that is mapped by formulas, one for each axis: derivatives are by physical coordinates, and become combinations of
    /// differences along the mesh's axes, of values and of the positions of centres. Jumps stay.
    pub fn on_mapped_mesh(&self, positions: &Formulas) -> AroundFormulas {
        let (axes, mut differences, mut places) = (0..positions.results().len(), Vec::new(), Vec::new());
        for (kind, of) in &self.differences {
            let of = of.on_mapped_mesh(positions);
            places.push(differences.len());
            match kind {
                DerivativeKind::Jump => differences.push((*kind, of)),
                _ => differences.extend(axes.clone().map(|axis| (DerivativeKind::Along(axis), of.clone()))),
            }
        }
        let of_positions = differences.len();
        if self.differences.iter().any(|(kind, _)| *kind != DerivativeKind::Jump) {
            for position in axes.clone().map(|d| positions.result(d)) {
                let of = AroundFormulas { formulas: position, num_values: self.num_values, differences: Vec::new() };
                differences.extend(axes.clone().map(|axis| (DerivativeKind::Along(axis), of.clone())));
            }
        }
        let difference = |moved: &mut Formulas, n: usize| moved.quantity(Quantity::Value(self.num_values + n));
        let row = |moved: &mut Formulas, first: usize| -> Vec<Node> {
            axes.clone().map(|axis| difference(moved, first + axis)).collect()
        };
        let mut formulas = Formulas::default();
        let results = formulas.add(&self.formulas, |moved, quantity| {
            let Quantity::Value(n) = quantity else { return moved.quantity(quantity) };
            let Some(n) = n.checked_sub(self.num_values) else { return moved.quantity(quantity) };
            let kind = self.differences[n].0;
            if kind == DerivativeKind::Jump {
                return difference(moved, places[n]);
            }
            let columns: Vec<_> = axes.clone().map(|d| row(moved, of_positions + d * axes.len())).collect();
            let slopes = row(moved, places[n]);
            let slopes = moved.combination(&columns, &slopes);
            match kind {
                DerivativeKind::Along(axis) => slopes[axis],
                _ => {
                    let squares: Vec<Node> = slopes.iter().map(|&s| moved.apply(Multiply, &[s, s])).collect();
                    let sum = squares[1..].iter().fold(squares[0], |sum, &square| moved.apply(Add, &[sum, square]));
                    moved.apply(Primitive::Sqrt, &[sum])
                }
            }
        });
        results.into_iter().for_each(|result| formulas.give(result));
        AroundFormulas { formulas, num_values: self.num_values, differences }
    }
}

impl Formulas {
    /// One of the results alone.
    fn result(&self, number: usize) -> Formulas {
        let mut one = Formulas::default();
        let results = one.add(self, |one, quantity| one.quantity(quantity));
        one.give(results[number]);
        one
    }

    /// The operations of [`combination`](crate::mesh::combination).
    fn combination(&mut self, columns: &[Vec<Node>], wanted: &[Node]) -> Vec<Node> {
        let whole = self.determinant(columns);
        let coefficient = |d: usize| {
            let mut with = columns.to_vec();
            with[d] = wanted.to_vec();
            let part = self.determinant(&with);
            self.apply(Primitive::Divide, &[part, whole])
        };
        (0..columns.len()).map(coefficient).collect()
    }

    /// The determinant of two or three columns.
    fn determinant(&mut self, a: &[Vec<Node>]) -> Node {
        let mut minor = |[i, j]: [usize; 2], [m, n]: [usize; 2]| {
            let [first, second] = [[a[i][m], a[j][n]], [a[i][n], a[j][m]]].map(|pair| self.apply(Multiply, &pair));
            self.apply(Primitive::Subtract, &[first, second])
        };
        if a.len() == 2 {
            return minor([0, 1], [0, 1]);
        }
        let minors = [minor([1, 2], [1, 2]), minor([1, 2], [2, 0]), minor([1, 2], [0, 1])];
        let [x, y, z] = [0, 1, 2].map(|m| self.apply(Multiply, &[a[0][m], minors[m]]));
        let sum = self.apply(Add, &[x, y]);
        self.apply(Add, &[sum, z])
    }
}
