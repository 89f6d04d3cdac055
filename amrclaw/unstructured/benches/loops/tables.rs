//! The mesh as tables, and values on it.

use super::Sums;
use super::machine::{LoopArgs, Machine};
use cuda::abi::Pointer;
use unstructured::make::{Block, Of};
use unstructured::{Mesh, Order, Rows};

/// Components of a state.
const M: usize = 5;

/// Tables in a machine's memory.
pub struct Tables {
    pub args: LoopArgs,
    /// The faces by colours, and where each colour begins: without a common cell; without a common node.
    pub colours: [(Pointer<u32>, Vec<u32>); 2],
}

/// A cube of about so many tetrahedra, shaken, along Hilbert's curve.
pub fn mesh(cells: f64) -> Mesh {
    // A cube is six of them.
    let n = (cells / 6.0).cbrt().round().max(1.0) as usize;
    let block = Block { shake: 0.2, ..Block::new(&[n, n, n], Of::Tetrahedra) };
    Mesh::in_order(block.make().expect("there is such a block"), Order::Hilbert).expect("it is a mesh")
}

/// Of each of `count` receivers the items whose rows hold it.
fn turned(rows: &Rows, count: usize) -> [Vec<u32>; 2] {
    let mut starts = vec![0_u32; count + 1];
    rows.items.iter().for_each(|&receiver| starts[receiver as usize + 1] += 1);
    (0..count).for_each(|k| starts[k + 1] += starts[k]);
    let (mut next, mut items) = (starts.clone(), vec![0; rows.items.len()]);
    for item in 0..rows.starts.len() - 1 {
        for &receiver in rows.row(item) {
            items[next[receiver as usize] as usize] = item as u32;
            next[receiver as usize] += 1;
        }
    }
    [starts, items]
}

/// Faces sorted by colours, where faces of one have no receiver in common: the first colour that is free at all of a face's receivers.
fn coloured(faces: usize, receivers: usize, of_face: &dyn Fn(usize) -> Vec<u32>) -> [Vec<u32>; 2] {
    let mut used = vec![0_u128; receivers];
    let mut by_colour: Vec<Vec<u32>> = Vec::new();
    for face in 0..faces {
        let of_face = of_face(face);
        let taken = of_face.iter().fold(0, |taken, &receiver| taken | used[receiver as usize]);
        let colour = (!taken).trailing_zeros() as usize;
        assert!(colour < 128, "more than 128 colours");
        of_face.iter().for_each(|&receiver| used[receiver as usize] |= 1 << colour);
        by_colour.resize(by_colour.len().max(colour + 1), Vec::new());
        by_colour[colour].push(face as u32);
    }
    let mut starts = vec![0];
    by_colour.iter().for_each(|faces| starts.push(starts[starts.len() - 1] + faces.len() as u32));
    [by_colour.concat(), starts]
}

impl Tables {
    pub fn new(mesh: &Mesh, machine: &mut dyn Machine) -> Self {
        let (cells, faces, nodes) = (mesh.num_cells(), mesh.num_faces(), mesh.points.len());
        let wave = |k: usize| 2.0 + (0.37 * k as f64).sin();
        let mut numbers = |count: usize| Pointer::new(machine.floats(&(0..count).map(wave).collect::<Vec<_>>()));
        let (q, node_values, flux) = (numbers(M * cells), numbers(M * nodes), numbers(M * faces));
        let (stored, at_nodes, gradient) = (numbers(M * faces), numbers(M * nodes), numbers(3 * M * cells));
        let (residual, extremes) = (numbers(M * cells), numbers(2 * cells));
        let of_faces = |d: usize| (0..faces).map(move |face| mesh.faces.size[face] * mesh.faces.normal[face][d]);
        let vector: Vec<f64> = (0..3).flat_map(of_faces).collect();
        let vector = Pointer::new(machine.floats(&vector));
        let [node_face_starts, node_faces] = turned(&mesh.faces.nodes, nodes);
        let [node_cell_starts, node_cells] = turned(&mesh.cells.nodes, nodes);
        let both = |face: usize| [mesh.faces.left[face], mesh.faces.right[face]].to_vec();
        let by_cells = coloured(faces, cells + mesh.boundary.len(), &both);
        let by_nodes = coloured(faces, nodes, &|face| mesh.faces.nodes.row(face).to_vec());
        let mut table = |items: &[u32]| Pointer::new(machine.words(items));
        let colours = [by_cells, by_nodes].map(|[list, starts]| (table(&list), starts));
        let args = LoopArgs {
            left: table(&mesh.faces.left),
            right: table(&mesh.faces.right),
            face_nodes: table(&mesh.faces.nodes.items),
            cell_nodes: table(&mesh.cells.nodes.items),
            cell_faces: table(&mesh.cell_faces.items),
            node_faces: table(&node_faces),
            node_face_starts: table(&node_face_starts),
            node_cells: table(&node_cells),
            node_cell_starts: table(&node_cell_starts),
            list: Pointer::NULL,
            vector,
            q,
            node_values,
            flux,
            stored,
            at_nodes,
            gradient,
            residual,
            extremes,
            cells: cells as u32,
            faces: faces as u32,
            nodes: nodes as u32,
            first: 0,
            end: 0,
        };
        Tables { args, colours }
    }

    /// The address of what a sum fills, and its numbers.
    pub fn filled(&self, sums: Sums) -> (u64, usize) {
        let LoopArgs { cells, nodes, .. } = self.args;
        let (array, count) = match sums {
            Sums::AtNodes => (self.args.at_nodes, M * nodes as usize),
            Sums::Gradient => (self.args.gradient, 3 * M * cells as usize),
            Sums::Residual => (self.args.residual, M * cells as usize),
            Sums::Extremes => (self.args.extremes, 2 * cells as usize),
        };
        (array.address(), count)
    }
}
