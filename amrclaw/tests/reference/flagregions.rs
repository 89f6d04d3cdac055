//! Ruled rectangles of AMRClaw.

use super::{assert_close, start};
use crate::field::Field;
use crate::npz::Npz;
use amrclaw::case::{Case, RegionPlace as Place, find_built_in};
use amrclaw::index::{CellBox, CellIndex, Level, Ratio};
use amrclaw::mesh::{Domain, Hierarchy};
use amrclaw::regrid::{RefinementRegion, RegionPlace, Shape, flag_regions};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// At the start the flagged cells are AMRClaw's on both levels that are refined: so a cell counts as inside a shape where AMRClaw has it.
#[test]
fn flags_in_ruled_rectangles() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/reference/flagregions.toml");
    let case = Case::load_with(&path, &[], find_built_in).unwrap_or_else(|e| panic!("{e}"));
    let domain = Domain { lower: [0.0; 2], upper: [1.0; 2], cells: [40; 2], repeats: [true; 2].into() };
    let coarsest = vec![domain.coarsest()];
    let mut hierarchy = Hierarchy::new(domain, vec![Ratio([2; 2]); 2], coarsest);
    let frame = start("flagregions").frame();
    hierarchy.replace_finer(Level(0), vec![frame.levels[1].patches.iter().map(|patch| patch.cells).collect()]);
    let pair = |corner: &[f64]| [corner[0], corner[1]];
    let regions = case.regrid.region.iter().map(|region| RefinementRegion {
        coarsest: region.coarsest,
        finest: region.finest,
        place: match &region.place {
            Place::Box { lower, upper } => RegionPlace::Box { lower: pair(lower), upper: pair(upper) },
            Place::Polygon { rings, along, extent } => {
                RegionPlace::Shape(Arc::new(Shape::new(rings, (*along, *extent), None)))
            }
        },
        time: region.time,
    });
    let regions: Vec<_> = regions.collect();
    let mut file = Npz::open("reference", "flagregions_flags");
    let (ends, cells) = (file.array("off").values, file.array("cells"));
    for level in [Level(0), Level(1)] {
        let cells_along = 40 << level.0;
        let inside = |i: i32| {
            let x = (f64::from(i.rem_euclid(cells_along)) + 0.5) / f64::from(cells_along);
            x > 0.1 && x < 0.6
        };
        let value = |[i, j]: CellIndex<2>| inside(i) && inside(j);
        let differs =
            |[i, j]: CellIndex<2>| value([i - 1, j]) != value([i + 1, j]) || value([i, j - 1]) != value([i, j + 1]);
        let found = flag_regions(&regions, &hierarchy, level, 0.0);
        let is_in = |cell: CellIndex<2>, which: fn(bool, bool) -> bool| {
            found.iter().any(|region| which(region.forces, region.forbids) && region.cells.contains(cell))
        };
        let is_flagged = |cell: &CellIndex<2>| {
            let is_allowed = !is_in(*cell, |_, forbids| forbids) || is_in(*cell, |_, forbids| !forbids);
            is_in(*cell, |forces, _| forces) || is_allowed && differs(*cell)
        };
        let patches = hierarchy.level(level).patches();
        let ours: BTreeSet<CellIndex<2>> = patches.iter().flat_map(CellBox::cells).filter(is_flagged).collect();
        let rows = ends[level.index()] as usize..ends[level.index() + 1] as usize;
        let theirs: BTreeSet<CellIndex<2>> = rows.map(|k| [cells.row(k)[0] as i32, cells.row(k)[1] as i32]).collect();
        assert_eq!(theirs.len(), [194, 612][level.index()]);
        assert_eq!(ours, theirs, "level {}", level.index() + 1);
    }
}

/// The solution is AMRClaw's to a thousandth, and so are the cells of each level to five per cent: except that at the start AMRClaw's
/// finest patches around the trapezoid's diagonal cover a fifth more, since it halves no box without holes and edges.
#[test]
fn solution_in_ruled_rectangles() {
    let mut simulation = start("flagregions");
    for (k, t) in [0.0, 0.2, 0.5].into_iter().enumerate() {
        simulation.advance_to(t).unwrap_or_else(|e| panic!("{e}"));
        let (ours, theirs): (Field<2>, Field<2>) = assert_close(&simulation, &format!("flagregions_{k}"));
        let (ours, theirs) = (ours.cells_per_level(), theirs.cells_per_level());
        let cells = ours.iter().zip(&theirs).enumerate();
        let differ = |(level, (a, b)): (usize, (&usize, &usize))| {
            let least = if (k, level) == (0, 2) { 0.8 } else { 0.95 };
            (*a as f64) < least * *b as f64 || *a as f64 > 1.05 * *b as f64
        };
        assert!(!cells.into_iter().any(differ), "t = {t}: {ours:?} cells, not {theirs:?}");
    }
}
