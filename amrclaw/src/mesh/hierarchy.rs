//! All levels together.

use super::{Domain, Geometry, LevelMesh};
use crate::index::{CellBox, CellIndex, Level, Ratio};
use std::sync::Arc;

/// Counts changes of the mesh: plans made for one epoch are refused in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct MeshEpoch(pub u64);

/// The patches of every level. Copies share their levels.
#[derive(Debug)]
pub struct Hierarchy<const D: usize> {
    domain: Domain<D>,
    ratios: Vec<Ratio<D>>,
    levels: Vec<Arc<LevelMesh<D>>>,
    epoch: MeshEpoch,
}

impl<const D: usize> Clone for Hierarchy<D> {
    fn clone(&self) -> Self {
        let (domain, ratios, levels) = (self.domain.clone(), self.ratios.clone(), self.levels.clone());
        Hierarchy { domain, ratios, levels, epoch: self.epoch }
    }

    /// Allocates nothing where there are no more levels than before.
    fn clone_from(&mut self, source: &Self) {
        self.domain.clone_from(&source.domain);
        self.ratios.clone_from(&source.ratios);
        self.levels.clone_from(&source.levels);
        self.epoch = source.epoch;
    }
}

impl<const D: usize> Hierarchy<D> {
    /// A hierarchy of one level whose patches fill the domain.
    ///
    /// `ratios[l]`: from level `l` to `l + 1`; there can be one level more than ratios.
    pub fn new(domain: Domain<D>, ratios: Vec<Ratio<D>>, coarsest: Vec<CellBox<D>>) -> Self {
        let mesh = LevelMesh::new(domain.coarsest(), domain.repeats, coarsest);
        assert_eq!(mesh.num_cells(), domain.coarsest().volume(), "the coarsest level fills the domain");
        Hierarchy { domain, ratios, levels: vec![Arc::new(mesh)], epoch: MeshEpoch::default() }
    }

    /// The physical domain.
    pub fn domain(&self) -> &Domain<D> {
        &self.domain
    }

    /// Ratios between the levels that may exist.
    pub fn ratios(&self) -> &[Ratio<D>] {
        &self.ratios
    }

    /// Ratio from `level` to the next finer one.
    pub fn ratio(&self, level: Level) -> Ratio<D> {
        self.ratios[level.index()]
    }

    /// Largest number of levels.
    pub fn max_levels(&self) -> usize {
        self.ratios.len() + 1
    }

    /// Number of levels that have patches.
    pub fn num_levels(&self) -> usize {
        self.levels.len()
    }

    /// The finest level that has patches.
    pub fn finest(&self) -> Level {
        Level((self.levels.len() - 1) as u8)
    }

    /// Patches of a level.
    pub fn level(&self, level: Level) -> &Arc<LevelMesh<D>> {
        &self.levels[level.index()]
    }

    /// The levels, coarsest first.
    pub fn levels(&self) -> &[Arc<LevelMesh<D>>] {
        &self.levels
    }

    /// Epoch of the mesh.
    pub fn epoch(&self) -> MeshEpoch {
        self.epoch
    }

    /// All cells that a level could have.
    pub fn domain_box(&self, level: Level) -> CellBox<D> {
        self.ratios[..level.index()].iter().fold(self.domain.coarsest(), |cells, r| cells.fine_from_coarse(*r))
    }

    /// Cell size of a level.
    pub fn dx(&self, level: Level) -> [f64; D] {
        self.domain.dx(self.domain_box(level).hi)
    }

    /// Where the cells of a level lie.
    pub fn geometry(&self, level: Level) -> Geometry<D> {
        Geometry::new(self.domain.lower, self.domain.upper, self.domain_box(level).hi)
    }

    /// The finest level at a computational position, with the patch and the cell there; outside the domain those nearest.
    pub fn finest_at(&self, point: [f64; D]) -> (Level, usize, CellIndex<D>) {
        let at = |l: usize| {
            let (level, mesh) = (Level(l as u8), &self.levels[l]);
            let (held, CellBox { lo, hi }) = (self.geometry(level).cell_at(point), mesh.domain());
            let cell = std::array::from_fn(|d| held[d].clamp(lo[d], hi[d] - 1));
            mesh.images(&CellBox::cell(cell)).first().map(|image| (level, image.patch, cell))
        };
        (0..self.num_levels()).rev().find_map(at).expect("the coarsest level covers the domain")
    }

    /// True if both have the same levels, none replaced.
    pub fn has_levels_of(&self, other: &Self) -> bool {
        let same = |(a, b): (&Arc<_>, &Arc<_>)| Arc::ptr_eq(a, b);
        self.num_levels() == other.num_levels() && self.levels.iter().zip(&other.levels).all(same)
    }

    /// Replaces all levels finer than `base` by the given patches, coarser levels first; a level without patches ends
    /// the list. A level whose patches do not change keeps its `LevelMesh`.
    pub fn replace_finer(&mut self, base: Level, finer: Vec<Vec<CellBox<D>>>) {
        let old = self.levels.split_off(base.index() + 1);
        let mut old = old.into_iter();
        for patches in finer.into_iter().take_while(|patches| !patches.is_empty()) {
            let level = Level(self.levels.len() as u8);
            let mesh = LevelMesh::new(self.domain_box(level), self.domain.repeats, patches);
            let before = old.next().filter(|before| before.patches() == mesh.patches());
            self.levels.push(before.unwrap_or_else(|| Arc::new(mesh)));
        }
        assert!(self.levels.len() <= self.max_levels());
        self.epoch.0 += 1;
    }
}
