//! Returns of what finer steps took beyond the allowances.

use super::*;
use crate::index::Ratio;
use crate::mesh::LevelMesh;
use crate::plan::faces_between;

const EQUATIONS: usize = 2;

/// The quantity that is kept and another one in the four fine cells over a coarse one, and the sums of its faces by axis and side, after
/// faces across both axes have taken more than they may. `order`: which of the axes comes first.
fn after_return(order: [usize; 2], taken: [[f64; 2]; 2]) -> (Vec<f64>, Vec<f64>) {
    let cells = |size: i32| CellBox::new([0, 0], [size, size]);
    let fine = CellBox::new([2, 2], [4, 4]);
    let coarse = LevelMesh::new(cells(3), [false; 2], vec![cells(3)]);
    let fine_mesh = LevelMesh::new(cells(6), [false; 2], vec![fine]);
    let faces = ListedFaces::new(faces_between(&coarse, &fine_mesh, Ratio([2, 2])), true);
    let layout = LevelLayout::new(&fine_mesh, 2);
    let patch = &layout.patches[0];
    let (mut q, mut none) = (vec![0.0; layout.len(EQUATIONS)], Vec::new());
    let place = |cell: [i32; 2], m| patch.offset(EQUATIONS, order.map(|d| cell[d])) + m * patch.component();
    for (n, cell) in fine.cells().enumerate() {
        (q[place(cell, 0)], q[place(cell, 1)]) = (0.3 + 0.17 * n as f64, 1.1 - 0.7 * n as f64);
    }
    let all = faces.slots();
    let slot = |d: usize, side: Side| {
        let is_asked = |face: &FaceSlot<2>| (order[face.axis.index()], face.coarse_side) == (d, side);
        all.iter().position(is_asked).expect("it has four faces")
    };
    let mut register =
        Register { sums: vec![0.0; EQUATIONS * all.len()], allowances: vec![0.01; all.len()], ..Register::default() };
    let sides = || (0..2).flat_map(|d| Side::BOTH.map(|side| (d, side)));
    for (d, side) in sides() {
        register.sums[slot(d, side)] = -f64::from(side.sign()) * taken[d][side.index()];
    }
    let stepped = Stepped {
        kept: &[0],
        layout: &layout,
        q: Shared::new(&mut q),
        aux: Shared::new(&mut none),
        num_eqn: EQUATIONS,
        num_aux: 0,
        capacity: None,
        dx: [0.5; 2],
    };
    register.return_excess(&faces, None, &stepped);
    let of_sides = |(d, side)| [0, 1].map(|m| register.sums[m * all.len() + slot(d, side)]);
    let of_cells = |cell| [0, 1].map(|m| q[place(cell, m)]);
    (fine.cells().flat_map(of_cells).collect(), sides().flat_map(of_sides).collect())
}

/// What faces ask of the cells at their common corners does not depend on which comes first: with x and y exchanged the same cells give the
/// same faces the same, bit for bit; where cells hold enough, and where they do not.
#[test]
fn faces_at_a_corner_ask_at_the_same_time() {
    for taken in [[[0.11, 0.0], [0.17, 0.05]], [[0.4, 0.3], [0.7, 0.6]]] {
        let (cells, sums) = after_return([0, 1], taken);
        assert!(cells.iter().step_by(2).all(|&held| (0.0..0.81).contains(&held)), "{cells:?}");
        assert_ne!(cells[0], 0.3, "they are asked");
        assert_eq!((cells, sums), after_return([1, 0], taken));
    }
}
