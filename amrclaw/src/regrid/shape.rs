//! Shapes in a plane, extruded in space: which cells they cover.

use crate::index::{CellBox, Level};
use crate::mesh::{Geometry, Hierarchy, Mapping};
use crate::threads::parallel_map;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A cell belongs to a region if it overlaps it by more than this fraction of the cell's width: a side that coincides with a
/// face up to round-off does not include the next cell.
pub(super) const OVERLAP: f64 = 1e-7;

/// Cells along each axis of the blocks in which cells are looked for, in the plane and in space. Those of mapped meshes are small: all of
/// a block's nodes are computed.
const BLOCK: [i32; 2] = [256, 64];
const MAPPED_BLOCK: [i32; 2] = [32, 8];

/// A point of the plane.
type Point = [f64; 2];
/// A straight line between two corners of a ring.
type Edge = [Point; 2];
/// The cells of a level in a block that begins at a cell.
type Found<const D: usize> = BTreeMap<(Level, [i32; D]), Vec<CellBox<D>>>;

/// A polygon with holes, or several, in the plane of two axes; in space over an interval along the third.
///
/// A point lies in it if a ray from it crosses an odd number of the rings' edges. A cell belongs to it if they share more than a seam:
/// an edge of a ring passes through the cell's inside, or its centre lies in the shape. Mapped cells have straight edges between their
/// nodes; in space a mapped cell counts as the convex hull of its nodes' projections, times the interval that holds its nodes.
#[derive(Debug)]
pub struct Shape<const D: usize> {
    edges: Vec<Edge>,
    plane: [usize; 2],
    /// The third axis, and the interval along it.
    across: Option<(usize, [f64; 2])>,
    mapping: Option<Arc<Mapping<D>>>,
    /// What has been found so far.
    found: Mutex<Found<D>>,
}

impl<const D: usize> Shape<D> {
    /// The shape between closed rings of corners. `along`: in space the axis of extrusion, and from where to where. With a mapping positions are
    /// physical.
    pub fn new(rings: &[Vec<Point>], along: (usize, [f64; 2]), mapping: Option<Arc<Mapping<D>>>) -> Self {
        let edges = rings.iter().flat_map(|ring| (0..ring.len()).map(|k| [ring[k], ring[(k + 1) % ring.len()]]));
        let plane = match (D, along.0) {
            (3, 0) => [1, 2],
            (3, 1) => [0, 2],
            _ => [0, 1],
        };
        let across = (D == 3).then_some(along);
        Shape { edges: edges.collect(), plane, across, mapping, found: Mutex::default() }
    }

    /// The cells of a level that belong to the shape, as disjoint boxes: those in blocks that the level's patches touch.
    pub fn cells(&self, hierarchy: &Hierarchy<D>, level: Level) -> Vec<CellBox<D>> {
        let (domain, geometry) = (hierarchy.domain_box(level), hierarchy.geometry(level));
        let size = if self.mapping.is_some() { MAPPED_BLOCK } else { BLOCK }[usize::from(D == 3)];
        let blocks_of = |patch: &CellBox<D>| {
            CellBox::new(patch.lo.map(|i| i.div_euclid(size)), patch.hi.map(|i| (i - 1).div_euclid(size) + 1)).cells()
        };
        let block = |at: [i32; D]| CellBox::new(at.map(|i| i * size), at.map(|i| (i + 1) * size)).intersect(&domain);
        let mut blocks: Vec<CellBox<D>> =
            hierarchy.level(level).patches().iter().flat_map(blocks_of).map(block).collect();
        blocks.sort_unstable_by_key(|block| block.lo);
        blocks.dedup();
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<CellBox<D>> =
            blocks.iter().filter(|block| !found.contains_key(&(level, block.lo))).copied().collect();
        let boxes = parallel_map(new.len(), |k| self.cells_in(&geometry, new[k]));
        found.extend(new.iter().zip(boxes).map(|(block, boxes)| ((level, block.lo), boxes)));
        blocks.iter().flat_map(|block| found[&(level, block.lo)].iter().copied()).collect()
    }

    /// True if the shape holds a part of a convex cell with these corners.
    pub fn touches(&self, corners: &[[f64; D]]) -> bool {
        let corners = inward(corners);
        if let Some((axis, [from, to])) = self.across
            && (corners.iter().all(|corner| corner[axis] <= from) || corners.iter().all(|corner| corner[axis] >= to))
        {
            return false;
        }
        let outline = hull(corners.iter().map(|corner| self.plane.map(|axis| corner[axis])).collect());
        self.edges.iter().any(|edge| passes_through(edge, &outline)) || self.holds(centre(&outline))
    }

    fn cells_in(&self, geometry: &Geometry<D>, block: CellBox<D>) -> Vec<CellBox<D>> {
        let nodes = match &self.mapping {
            None => Nodes::Straight(geometry),
            Some(mapping) => Nodes::Mapped { block, positions: mapping.corners(&block, geometry.dx) },
        };
        let mut boxes = Vec::new();
        self.collect(&nodes, block, &self.edges, &mut boxes);
        boxes
    }

    /// Appends the cells of a box that belong to the shape; true if all do. `edges`: all that may pass through the box.
    fn collect(&self, nodes: &Nodes<'_, D>, cells: CellBox<D>, edges: &[Edge], boxes: &mut Vec<CellBox<D>>) -> bool {
        let corners = nodes.corners(&cells);
        let (mut is_cut, mut is_beyond) = (false, false);
        if let Some((axis, [from, to])) = self.across {
            let low = corners.iter().map(|corner| corner[axis]).fold(f64::INFINITY, f64::min);
            let high = corners.iter().map(|corner| corner[axis]).fold(f64::NEG_INFINITY, f64::max);
            is_beyond = high <= from || low >= to;
            is_cut = low < from || high > to;
        }
        let outline = hull(corners.iter().map(|corner| self.plane.map(|axis| corner[axis])).collect());
        let edges: Vec<Edge> = edges.iter().filter(|edge| passes_through(edge, &outline)).copied().collect();
        if is_beyond || edges.is_empty() && !self.holds(centre(&outline)) {
            return false;
        }
        let is_mapped = self.mapping.is_some();
        let splits = |d: usize| {
            let undecided = if self.plane.contains(&d) { !edges.is_empty() } else { is_cut };
            cells.size()[d] > 1 && (undecided || is_mapped && (is_cut || !edges.is_empty()))
        };
        let Some(axis) = (0..D).filter(|&d| splits(d)).max_by_key(|&d| cells.size()[d]) else {
            boxes.push(cells);
            return true;
        };
        let start = boxes.len();
        let (lower, upper) = cells.split(axis, cells.lo[axis] + cells.size()[axis] / 2);
        let lower_is_full = self.collect(nodes, lower, &edges, boxes);
        let is_full = self.collect(nodes, upper, &edges, boxes) && lower_is_full;
        if is_full {
            boxes.truncate(start);
            boxes.push(cells);
        }
        is_full
    }

    /// Whether a point of the plane lies in the shape.
    fn holds(&self, [x, y]: Point) -> bool {
        let crossed =
            |[a, b]: &Edge| (a[1] > y) != (b[1] > y) && a[0] + (b[0] - a[0]) * ((y - a[1]) / (b[1] - a[1])) > x;
        self.edges.iter().filter(|edge| crossed(edge)).count() % 2 == 1
    }
}

/// Where the nodes of cells lie.
enum Nodes<'a, const D: usize> {
    Straight(&'a Geometry<D>),
    /// The nodes of a block, x fastest.
    Mapped {
        block: CellBox<D>,
        positions: Vec<[f64; D]>,
    },
}

impl<const D: usize> Nodes<'_, D> {
    /// Corners of a convex body around some cells: of one cell its nodes, moved inward by the overlap that does not count; of several
    /// mapped cells those of a box around all nodes.
    fn corners(&self, cells: &CellBox<D>) -> Vec<[f64; D]> {
        let of_box = |[lo, hi]: [[f64; D]; 2]| {
            let corner = |k: usize| std::array::from_fn(|d| if k >> d & 1 == 0 { lo[d] } else { hi[d] });
            (0..1 << D).map(corner).collect::<Vec<_>>()
        };
        match self {
            Nodes::Straight(geometry) => {
                let inward = |d: usize| if cells.size()[d] == 1 { OVERLAP * geometry.dx[d] } else { 0.0 };
                let [lo, hi] = [geometry.corner(cells.lo), geometry.corner(cells.hi)];
                of_box([std::array::from_fn(|d| lo[d] + inward(d)), std::array::from_fn(|d| hi[d] - inward(d))])
            }
            Nodes::Mapped { block, positions } => {
                let all = CellBox::new(block.lo, block.hi.map(|i| i + 1));
                let nodes = CellBox::new(cells.lo, cells.hi.map(|i| i + 1));
                let corners: Vec<[f64; D]> = nodes.cells().map(|node| positions[all.number_of(node)]).collect();
                if cells.volume() > 1 {
                    let of = |better: fn(f64, f64) -> f64, start| {
                        corners.iter().fold([start; D], |a, p| std::array::from_fn(|d| better(a[d], p[d])))
                    };
                    return of_box([of(f64::min, f64::INFINITY), of(f64::max, f64::NEG_INFINITY)]);
                }
                inward(&corners)
            }
        }
    }
}

/// Corners of a cell, moved inward by the overlap that does not count.
fn inward<const D: usize>(corners: &[[f64; D]]) -> Vec<[f64; D]> {
    let sum = corners.iter().fold([0.0; D], |a, p| std::array::from_fn(|d| a[d] + p[d]));
    let mean = sum.map(|x| x / corners.len() as f64);
    let moved = |c: &[f64; D]| std::array::from_fn(|d| c[d] + 2.0 * OVERLAP * (mean[d] - c[d]));
    corners.iter().map(moved).collect()
}

/// Positive where `p` lies to the left of the way from `a` to `b`.
fn side([a, b]: Edge, p: Point) -> f64 {
    (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
}

/// The corners of the convex hull of points, counterclockwise: Andrew 1979, doi:10.1016/0020-0190(79)90072-3.
fn hull(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let half = |points: &mut dyn Iterator<Item = Point>| {
        let mut chain: Vec<Point> = Vec::new();
        for point in points {
            while chain.len() > 1 && side([chain[chain.len() - 2], chain[chain.len() - 1]], point) <= 0.0 {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut outline = half(&mut points.iter().copied());
    outline.extend(half(&mut points.iter().rev().copied()));
    outline
}

/// The mean of some points.
fn centre(points: &[Point]) -> Point {
    [0, 1].map(|d| points.iter().map(|p| p[d]).sum::<f64>() / points.len() as f64)
}

/// Whether an edge passes through the inside of a convex outline: Cyrus & Beck 1978, doi:10.1016/0097-8493(78)90021-3.
fn passes_through(edge: &Edge, outline: &[Point]) -> bool {
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    for (k, &corner) in outline.iter().enumerate() {
        let [from, to] = edge.map(|point| side([corner, outline[(k + 1) % outline.len()]], point));
        match (from > 0.0, to > 0.0) {
            (true, true) => {}
            (false, false) => return false,
            (false, true) => enters = enters.max(from / (from - to)),
            (true, false) => leaves = leaves.min(from / (from - to)),
        }
    }
    enters < leaves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{CellIndex, Ratio};
    use crate::mesh::{Domain, MapFunction};
    use std::collections::BTreeSet;

    const LOWER: [f64; 2] = [-1.0, 2.0];
    const CELLS: [i32; 2] = [300, 70];

    fn hierarchy<const D: usize>(lower: [f64; D], upper: [f64; D], cells: [i32; D]) -> Hierarchy<D> {
        let domain = Domain { lower, upper, cells, repeats: [false; D].into() };
        let coarsest = vec![domain.coarsest()];
        Hierarchy::new(domain, vec![Ratio([2; D])], coarsest)
    }

    /// Two outlines, one beyond the domain, one with a hole one of whose sides is that of cells.
    fn rings() -> Vec<Vec<Point>> {
        let outline = vec![[-0.93, 2.1], [0.9, 2.05], [0.1, 2.45], [0.83, 2.93], [-0.7, 2.71]];
        let hole = vec![[-0.5, 2.3], [-0.2, 2.5], [-0.5, 2.6]];
        vec![outline, hole, vec![[0.5, 2.4], [3.0, 2.5], [0.7, 2.6]]]
    }

    fn covered<const D: usize>(boxes: &[CellBox<D>]) -> Vec<CellIndex<D>> {
        let mut cells: Vec<CellIndex<D>> = boxes.iter().flat_map(CellBox::cells).collect();
        cells.sort_unstable();
        assert!(cells.windows(2).all(|pair| pair[0] != pair[1]), "boxes overlap");
        cells
    }

    /// A cell belongs to a polygon with a hole if and only if they have points in common: a cell in which a grid of points finds
    /// none and which counts nevertheless has a point of an edge inside. Cells across blocks and in boxes of any size.
    #[test]
    fn cells_that_share_points() {
        let hierarchy = hierarchy(LOWER, [1.0, 3.0], CELLS);
        let shape = Shape::new(&rings(), (2, [0.0; 2]), None);
        let boxes = shape.cells(&hierarchy, Level(0));
        assert!(boxes.len() < 1500, "{} boxes", boxes.len());
        let found = covered(&boxes);
        let dx = hierarchy.geometry(Level(0)).dx;
        let shares = |cell: CellIndex<2>, n: usize| {
            let at = |d: usize, k: usize| LOWER[d] + (f64::from(cell[d]) + (k as f64 + 0.5) / n as f64) * dx[d];
            (0..n * n).any(|k| shape.holds([at(0, k % n), at(1, k / n)]))
        };
        let geometry = hierarchy.geometry(Level(0));
        let points = shape.edges.iter().flat_map(|[a, b]| {
            (0..200_000).map(move |k| [0, 1].map(|d| a[d] + (b[d] - a[d]) * (f64::from(k) + 0.5) / 2e5))
        });
        // A side along a cell's side is in neither cell.
        let is_inside = |point: &Point| geometry.in_cells(*point).iter().all(|x| (x - x.round()).abs() > 1e-6);
        let on_edges: BTreeSet<CellIndex<2>> = points.filter(is_inside).map(|point| geometry.cell_at(point)).collect();
        for cell in hierarchy.domain_box(Level(0)).cells() {
            let counts = found.binary_search(&cell).is_ok();
            assert_eq!(counts, shares(cell, 8) || on_edges.contains(&cell), "{cell:?}");
        }
    }

    /// A triangle along the sides of cells, off by round-off, holds no cell beyond them.
    #[test]
    fn sides_of_cells() {
        let hierarchy = hierarchy([0.0; 2], [1.0; 2], [10; 2]);
        let ring = vec![[0.1 - 1e-17, 0.3], [0.8, 0.3 - 1e-16], [0.8 + 1e-16, 1.0 - 0.4], [0.1, 0.6]];
        let shape = Shape::new(&[ring], (2, [0.0; 2]), None);
        assert_eq!(shape.cells(&hierarchy, Level(0)).iter().map(CellBox::volume).sum::<usize>(), 7 * 3);
    }

    struct Linear;

    /// `x + 2 y`, `3 y − x`, and `z / 2`.
    fn image<const D: usize>(p: [f64; D]) -> [f64; D] {
        std::array::from_fn(|d| [p[0] + 2.0 * p[1], 3.0 * p[1] - p[0], 0.5 * p[D - 1]][d])
    }

    impl<const D: usize> MapFunction<D> for Linear {
        fn fill(&self, points: &[[f64; D]], positions: &mut [[f64; D]]) {
            positions.iter_mut().zip(points).for_each(|(position, point)| *position = image(*point));
        }
    }

    /// A linear mapping keeps lines straight: the image of a shape has the cells of the shape. In space an extrusion has the plane's cells
    /// in each layer of cells that it meets, along any axis; and its image too, since the mapping keeps the axis.
    #[test]
    fn mapped_and_extruded() {
        let plane = hierarchy(LOWER, [1.0, 3.0], CELLS);
        let mapping = Mapping::new(Arc::new(Linear), plane.domain().clone(), CELLS.map(|n| 2 * n));
        let mapped: Vec<Vec<Point>> = rings().iter().map(|ring| ring.iter().map(|&p| image(p)).collect()).collect();
        let straight = Shape::new(&rings(), (2, [0.0; 2]), None);
        let of_plane = covered(&straight.cells(&plane, Level(0)));
        let image = Shape::new(&mapped, (2, [0.0; 2]), Some(Arc::new(mapping)));
        assert_eq!(covered(&image.cells(&plane, Level(0))), of_plane);

        let extent = [0.1, 0.3 + 1e-12];
        let space = hierarchy([-1.0, 2.0, 0.0], [1.0, 3.0, 1.0], [300, 70, 10]);
        let layers = |cell: &CellIndex<2>| [1, 2].map(|k| [cell[0], cell[1], k]);
        let expected: Vec<CellIndex<3>> = of_plane.iter().flat_map(layers).collect();
        let extruded = Shape::new(&rings(), (2, extent), None);
        assert_eq!(covered(&extruded.cells(&space, Level(0))), expected);
        let mapping = Mapping::new(Arc::new(Linear), space.domain().clone(), [600, 140, 20]);
        let image = Shape::new(&mapped, (2, extent.map(|z| 0.5 * z)), Some(Arc::new(mapping)));
        assert_eq!(covered(&image.cells(&space, Level(0))), expected);

        let turned = hierarchy([0.0, -1.0, 2.0], [1.0, 1.0, 3.0], [10, 300, 70]);
        let extruded = Shape::new(&rings(), (0, extent), None);
        let mut expected: Vec<CellIndex<3>> = expected.iter().map(|[x, y, z]| [*z, *x, *y]).collect();
        expected.sort_unstable();
        assert_eq!(covered(&extruded.cells(&turned, Level(0))), expected);
    }
}
