//! Water on land, against GeoClaw.

use super::start;
use crate::field::{Field, relative_l1};

/// A hump runs up a round beach on three levels with GeoClaw's criterion and intervals: the depth minus that of rest differs by 0.10 % of the
/// waves at t = 6, by a cell's mean of the bottom at the shore and by the Riemann solver. Bound: three times that; 5 % is what is asked of
/// another solver. No water is lost, where GeoClaw has 6e-4 more.
#[test]
fn tsunami_beach() {
    let mut simulation = start("tsunami_beach");
    let before = simulation.totals()[0];
    for time in [2.0, 4.0, 6.0] {
        simulation.advance_to(time).unwrap_or_else(|e| panic!("{e}"));
    }
    let gained = (simulation.totals()[0] - before) / before;
    assert!(gained.abs() < 1e-12, "{gained:e}");
    let mut frame = simulation.frame();
    for patch in frame.levels.iter_mut().flat_map(|level| &mut level.patches) {
        patch.q.iter_mut().zip(&patch.aux).for_each(|(depth, bottom)| *depth -= (-bottom).max(0.0));
    }
    let waves = |field: &Field<2>| field.composite(0, &[2, 2]);
    let difference = relative_l1(&waves(&Field::ours(&frame)), &waves(&Field::reference("tsunami_beach")));
    assert!(difference < 3e-3, "{difference:e}");
}
