//! Refinement by an adjoint solution.

use super::SAME_STEPS;
use crate::field::Field;
use crate::npz::Npz;
use amrclaw::case::{Case, find_built_in};
use amrclaw::index::Ratio;
use amrclaw::simulation::Simulation;
use std::collections::BTreeSet;
use std::path::Path;

fn start(overrides: &[&str]) -> Simulation<2> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/reference/adjoint.toml");
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let case = Case::load_with(&path, &overrides, find_built_in).unwrap_or_else(|e| panic!("{e}"));
    Simulation::builder(&case).build().unwrap_or_else(|e| panic!("{e}"))
}

/// The equations' own solution, its velocities times −ρK, is AMRClaw's adjoint one, whose solver is another, after the same steps.
#[test]
fn adjoint_snapshot() {
    let data = "initial={pressure=\"if(abs(x - 3.5) <= dx && abs(y - 0.5) <= dy, 2, 0)\",u=0,v=0}";
    let mut simulation = start(&[data, "levels.max=1"]);
    for k in 1..=16 {
        simulation.advance_to(0.25 * f64::from(k)).unwrap_or_else(|e| panic!("{e}"));
    }
    let (frame, theirs) = (simulation.frame(), Npz::open("reference", "adjoint_snapshot").array("q"));
    let ours = &frame.levels[0].patches[0].q;
    let factors = [1.0, -4.0, -4.0];
    let pairs = theirs.values.iter().zip(ours).enumerate();
    let worst = pairs.fold(0.0, |worst: f64, (i, (b, a))| worst.max((factors[i / 2500] * a - b).abs()));
    assert!(worst <= SAME_STEPS, "{worst:e}");
}

/// At the start the coarsest cells are flagged that AMRClaw flags. Later it has more: its `interp_adjoint` extrapolates from two cells beside
/// the one around a point, so that its products are too large by up to a half in places.
#[test]
fn cells_by_the_adjoint() {
    let theirs = [[18, 6], [17, 7], [18, 7], [19, 7], [17, 8], [19, 8], [20, 8], [17, 9], [18, 9], [19, 9]];
    let tiles = ["levels.max=2", "regrid.buffer=0", "regrid.cluster=tiles", "regrid.tile_size=1"];
    let simulation = start(&tiles);
    let patches = simulation.hierarchy().levels()[1].patches();
    let coarse = patches.iter().map(|patch| patch.coarse_from_fine(Ratio([2; 2])));
    let ours: BTreeSet<[i32; 2]> = coarse.flat_map(|cells| cells.cells().collect::<Vec<_>>()).collect();
    assert_eq!(ours, theirs.into_iter().collect());
    let mut simulation = start(&[]);
    simulation.advance_to(3.0).unwrap_or_else(|e| panic!("{e}"));
    let ours = Field::ours(&simulation.frame()).cells_per_level();
    let fits = ours.iter().zip([2500, 748, 1064]).all(|(a, b)| 2 * a >= b && 10 * a <= 11 * b);
    assert!(fits && ours.len() == 3, "{ours:?} cells");
}
