//! Tables of a mesh that moves in a device's memory, and room for its geometry.

use super::Machine;
use super::mesh_tables::{Sender, behind_by};
use crate::physics::OnMesh;
use cuda::CudaError;
use cuda::abi::{Plain, Pointer};
use cuda::amr::{CellsArgs, CellsBeyondArgs, MotionArgs, MotionInstant, SHAPE_WORDS};
use riemann::real::Scalar;
use unstructured::adapt::division_words;
use unstructured::motion::{FLAT, OPEN};
use unstructured::step::{Gradient, Scheme, smoothness};
use unstructured::{Mesh, Shape};

/// The first `D` components of vectors, side by side.
pub(super) fn flat<const D: usize>(vectors: &[[f64; 3]]) -> Vec<f64> {
    vectors.iter().flat_map(|vector| vector[..D].to_vec()).collect()
}

/// A shape, as `motion.cuh` has it.
fn words_of(shape: Shape) -> [u32; SHAPE_WORDS] {
    let word =
        |face: &&[u8]| face.iter().rev().fold(0, |word, &node| (word << 4) | u32::from(node)) << 4 | face.len() as u32;
    let faces = shape.faces();
    let head = [shape.num_nodes() as u32, faces.len() as u32];
    std::array::from_fn(|k| head.get(k).copied().or_else(|| faces.get(k - 2).map(word)).unwrap_or(0))
}

/// Sends what stays while a mesh moves: its cells, faces and nodes, of leaves those of their roots.
pub(super) fn send_mesh<const D: usize, R: Scalar, N: Machine>(
    to: &mut Sender<'_, N, R>,
    on_mesh: &OnMesh<D>,
    stage: &CellsArgs,
) -> Result<MotionArgs, CudaError> {
    let mesh = &*on_mesh.sides.mesh();
    let leaves = on_mesh.nodes.as_ref().and_then(|(_, leaves)| leaves.as_deref());
    let roots = leaves.map_or(mesh, |_| on_mesh.forest.as_ref().expect("it has leaves").roots());
    let shapes: Vec<u32> = mesh.cells.shape.iter().map(|&shape| shape as u32).collect();
    let mut args = MotionArgs {
        tables: stage.tables,
        still_points: to.send(&flat::<D>(&roots.points))?,
        still_volume: to.send(&mesh.volume)?,
        bulge: if mesh.bulge.is_empty() { Pointer::NULL } else { to.send(&mesh.bulge)? },
        of_shapes: to.send(Shape::ALL.map(words_of).as_flattened())?,
        shapes: to.send(&shapes)?,
        cell_starts: to.send(&mesh.cells.nodes.starts)?,
        cell_nodes: to.send(&mesh.cells.nodes.items)?,
        face_starts: to.send(&mesh.faces.nodes.starts)?,
        face_nodes: to.send(&mesh.faces.nodes.items)?,
        flat: FLAT,
        open: OPEN,
        num_nodes: roots.points.len() as u32,
        first_boundary: mesh.first_boundary() as u32,
        is_green_gauss: u32::from(on_mesh.scheme.gradient == Gradient::GreenGauss),
        ..MotionArgs::ZERO
    };
    send_periodic::<D, R, N>(to, mesh, &mut args)?;
    if let Some(leaves) = leaves {
        let level: Vec<u32> = leaves.level.iter().map(|&level| level.into()).collect();
        args.root_points = to.room_of(D * roots.points.len())?;
        args.root = to.send(&leaves.root)?;
        args.level = to.send(&level)?;
        args.place = to.send(&leaves.place)?;
        args.root_starts = to.send(&roots.cells.nodes.starts)?;
        args.root_nodes = to.send(&roots.cells.nodes.items)?;
        args.division = to.send(&division_words(D))?;
    }
    Ok(args)
}

fn send_periodic<const D: usize, R: Scalar, N: Machine>(
    to: &mut Sender<'_, N, R>,
    mesh: &Mesh,
    args: &mut MotionArgs,
) -> Result<(), CudaError> {
    let first = mesh.periodic.first().map_or(mesh.first_boundary(), |pair| pair.faces.start);
    let ends: Vec<u32> = mesh.periodic.iter().map(|pair| pair.faces.end as u32).collect();
    let shifts: Vec<[f64; 3]> = mesh.periodic.iter().map(|pair| pair.shift).collect();
    let seen: Vec<[f64; 3]> = (first..mesh.first_boundary()).map(|face| mesh.seen_from(face)).collect();
    args.periodic_ends = to.send(&ends)?;
    args.shifts = to.send(&flat::<D>(&shifts))?;
    args.seen = to.send(&flat::<D>(&seen))?;
    (args.first_periodic, args.num_periodic) = (first as u32, ends.len() as u32);
    Ok(())
}

/// Room for what an instant's nodes decide.
pub(super) fn instant_of<const D: usize, R: Scalar, N: Machine>(
    to: &mut Sender<'_, N, R>,
    args: &MotionArgs,
    points: Pointer<f64>,
) -> Result<MotionInstant, CudaError> {
    let cells = args.tables.num_cells as usize;
    Ok(MotionInstant { points, volume: to.room_of(cells)?, centroid: to.room_of(D * cells)? })
}

/// Makes room for the geometry half way of steps, which becomes that of a stage and of what lies beyond sides.
pub(super) fn make_geometry<const D: usize, R: Scalar, N: Machine>(
    to: &mut Sender<'_, N, R>,
    scheme: Scheme,
    args: &mut MotionArgs,
    (stage, beyond): (&mut CellsArgs, &mut [CellsBeyondArgs; 2]),
) -> Result<(), CudaError> {
    let (cells, faces, first) =
        (args.tables.num_cells as usize, args.tables.num_faces as usize, args.first_boundary as usize);
    let (entries, boundary) = (args.tables.num_entries as usize, faces - first);
    stage.tables.volume = to.room_for(cells)?;
    stage.tables.size = to.room_for(faces)?;
    stage.tables.turn = to.room_for(D * faces)?;
    stage.moving = to.room_for(faces)?;
    stage.smooth = smoothness((cells, D), scheme.limiter);
    if scheme.order > 1 {
        stage.tables.to_face = to.room_for(D * entries)?;
        stage.tables.weight = to.room_for(D * entries)?;
    }
    *args = MotionArgs {
        half_way: instant_of::<D, R, N>(to, args, Pointer::NULL)?,
        tables: stage.tables,
        speed: stage.moving,
        centre: to.room_of(D * faces)?,
        normal: to.room_of(D * faces)?,
        face_size: to.room_of(faces)?,
        swept: to.room_of(faces)?,
        normals: to.room_of(D * boundary)?,
        at_ghosts: to.room_of(D * boundary)?,
        at_sides: to.room_of(D * boundary)?,
        ..*args
    };
    for (beyond, positions) in beyond.iter_mut().zip([args.at_ghosts, args.at_sides]) {
        (beyond.positions, beyond.normals) = (positions, args.normals);
        beyond.turn = behind_by::<R>(stage.tables.turn, first);
        beyond.moving = behind_by::<R>(stage.moving, first);
    }
    Ok(())
}
