//! Copies of a hierarchy side by side.

use amrclaw::frames::frame::Frame;
use amrclaw::index::{CellBox, Level, Ratio};
use amrclaw::mesh::{Domain, Hierarchy};
use amrclaw::regrid::nest::split_to_size;
use std::time::Instant;

/// A hierarchy to be repeated.
pub struct Tiles<const D: usize> {
    frame: Frame<D>,
    /// Boxes of each level.
    levels: Vec<Vec<CellBox<D>>>,
}

impl<const D: usize> Tiles<D> {
    /// `split`: most cells of a patch along an axis. `enlarge`: factor for the number of cells along each axis, before patches are split.
    pub fn new(mut frame: Frame<D>, enlarge: i32, split: i32) -> Self {
        let larger = Ratio::uniform(enlarge);
        frame.cells = frame.cells.map(|cells| enlarge * cells);
        let boxes = |l: usize| -> Vec<CellBox<D>> {
            frame.levels[l].patches.iter().map(|patch| patch.cells.fine_from_coarse(larger)).collect()
        };
        let ratio = |l: usize| frame.ratios[l - 1];
        let cut = |l: usize| {
            // Patches consist of whole cells of the next coarser level.
            let coarse: Vec<CellBox<D>> = match l {
                0 => boxes(0),
                _ => boxes(l).iter().map(|cells| cells.coarse_from_fine(ratio(l))).collect(),
            };
            let size = std::array::from_fn(|d| if l == 0 { split } else { (split / ratio(l).0[d]).max(1) });
            let cut = split_to_size(&coarse, size);
            if l == 0 { cut } else { cut.iter().map(|cells| cells.fine_from_coarse(ratio(l))).collect() }
        };
        let levels = (0..frame.levels.len()).map(cut).collect();
        Tiles { frame, levels }
    }

    pub fn patches(&self) -> Vec<usize> {
        self.levels.iter().map(Vec::len).collect()
    }

    pub fn cells(&self) -> Vec<usize> {
        self.levels.iter().map(|boxes| boxes.iter().map(CellBox::volume).sum()).collect()
    }

    pub fn num_eqn(&self) -> usize {
        self.frame.equations.len()
    }

    /// Numbers per cell that the conservation fix sends: state and auxiliary values.
    pub fn num_values(&self) -> usize {
        self.frame.equations.len() + self.frame.aux.len()
    }

    /// Steps of each level in one step of the coarsest, if refinement in time is as in space.
    pub fn steps(&self) -> Vec<f64> {
        let ratios = self.frame.ratios.iter().map(|ratio| f64::from(*ratio.0.iter().max().expect("an axis")));
        let mut steps = vec![1.0];
        for ratio in ratios.take(self.levels.len() - 1) {
            steps.push(steps[steps.len() - 1] * ratio);
        }
        steps
    }

    /// A hierarchy of `count` copies, arranged nearly as a cube, and the seconds to sort the patches of finer levels.
    pub fn copies(&self, count: usize) -> (Hierarchy<D>, f64) {
        let along = factors::<D>(count);
        let Frame { lower, upper, cells, .. } = self.frame;
        let domain = Domain {
            lower,
            upper: std::array::from_fn(|d| lower[d] + f64::from(along[d]) * (upper[d] - lower[d])),
            cells: std::array::from_fn(|d| cells[d] * along[d]),
            repeats: [false; D].into(),
        };
        let level = |l: usize| {
            let size = self.frame.domain(l).size();
            let places = CellBox::new([0; D], along).cells();
            let copy = |place: [i32; D]| {
                let shift: [i32; D] = std::array::from_fn(|d| place[d] * size[d]);
                self.levels[l].iter().map(move |cells| cells.shift(shift))
            };
            places.flat_map(copy).collect::<Vec<_>>()
        };
        let mut hierarchy = Hierarchy::new(domain, self.frame.ratios.clone(), level(0));
        let finer = (1..self.levels.len()).map(level).collect();
        let clock = Instant::now();
        hierarchy.replace_finer(Level::COARSEST, finer);
        (hierarchy, clock.elapsed().as_secs_f64())
    }
}

/// Factors of a number, as equal as possible.
fn factors<const D: usize>(count: usize) -> [i32; D] {
    let (mut along, mut rest) = ([1; D], count);
    for (d, factor) in along.iter_mut().enumerate() {
        let left = (D - d) as f64;
        let even = (rest as f64).powf(1.0 / left).round() as usize;
        let best = (1..=rest).filter(|n| rest.is_multiple_of(*n)).min_by_key(|n| n.abs_diff(even)).unwrap_or(1);
        let taken = if d + 1 == D { rest } else { best };
        *factor = taken as i32;
        rest /= taken;
    }
    along
}
