//! Plans of meshes with more than 2³² cells. No values are stored.

use amrclaw::fields::LevelLayout;
use amrclaw::index::{CellBox, Level, Ratio};
use amrclaw::mesh::{Domain, Hierarchy, Rank};
use amrclaw::plan::{PlanOptions, build};

const OPTIONS: PlanOptions = PlanOptions { num_ghost: 2, conservation_fix: true, rank: Rank::SOLO };
const PATCH: i32 = 130;

/// A box cut into cubes.
fn cubes(cells: CellBox<3>) -> Vec<CellBox<3>> {
    let blocks = cells.coarse_from_fine(Ratio([PATCH; 3]));
    blocks.cells().map(|block| CellBox::cell(block).fine_from_coarse(Ratio([PATCH; 3])).intersect(&cells)).collect()
}

/// A coarse level of 1690³ = 4.8e9 cells, and a fine one of as many over an eighth of it: every ghost cell and every coarse cell under a fine
/// patch is written once, the number of faces is right, and patches follow one another in arrays of ten components.
#[test]
fn plans_count_beyond_32_bits() {
    let domain = Domain { lower: [0.0; 3], upper: [1.0; 3], cells: [1690; 3], repeats: [true, false, true].into() };
    let mut hierarchy = Hierarchy::new(domain.clone(), vec![Ratio([2; 3])], cubes(domain.coarsest()));
    let covered = CellBox::new([260; 3], [1105; 3]);
    hierarchy.replace_finer(Level(0), vec![cubes(covered.fine_from_coarse(Ratio([2; 3])))]);
    let (plans, _) = build(&hierarchy, OPTIONS, None);
    for (mesh, plans) in hierarchy.levels().iter().zip(&plans) {
        assert!(mesh.num_cells() > 1 << 32, "{} cells", mesh.num_cells());
        for (k, patch) in mesh.patches().iter().enumerate() {
            let ghost = plans.ghost();
            let copies = ghost.copies.of(k).iter().map(|region| region.cells.volume()).sum::<usize>();
            let interps = ghost.interps.of(k).iter().map(|region| region.cells.volume()).sum::<usize>();
            let outside = ghost.boundaries.of(k).iter().map(|region| region.cells.volume()).sum::<usize>();
            assert_eq!(copies + interps + outside, patch.grow(2).volume() - patch.volume(), "ghost cells of {patch:?}");
        }
        let layout = LevelLayout::new(mesh, 2);
        let mut next = layout.patches[0].offset(10, layout.patches[0].with_ghosts().lo);
        for patch in &layout.patches {
            assert_eq!(patch.offset(10, patch.with_ghosts().lo), next, "{:?}", patch.cells);
            next += 10 * patch.with_ghosts().volume();
        }
        assert!(next > 10 << 32 && layout.len(10) >= next);
    }
    let restrict = plans[1].restrict().expect("the levels overlap");
    let under: usize = restrict.regions.all().iter().map(|region| region.cells.volume()).sum();
    assert_eq!(under, covered.volume());
    let reflux = plans[1].reflux().expect("levels meet");
    assert_eq!((reflux.num_slots, reflux.num_fine), (6 * 845 * 845, 24 * 845 * 845));
}
