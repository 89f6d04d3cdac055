//! Traffic on a grid of streets with a speed limit that varies from place to place.

use super::{assert_conserved, range, run_to};
use amrclaw::plugin::ChosenSolver;
use riemann::prelude::*;

/// Cars on streets along both axes at the local speed limit: `q_t + (u q (1 − q))_x + (u q (1 − q))_y = 0`, u(x, y); f-waves, local
/// Lax–Friedrichs.
///
/// Source: LeVeque 2002, doi:10.1017/CBO9780511791253, §11.1 and §16.4.
#[riemann::solver(
    title = "Traffic under a varying speed limit",
    equations = ["density"],
    aux = ["limit"],
    waves = 2,
    fwaves,
)]
pub struct StreetGrid {}

#[riemann::kernels]
impl StreetGrid {
    fn normal(&self, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let (left, right) = (aux_l[0] * ql[0] * (1.0 - ql[0]), aux_r[0] * qr[0] * (1.0 - qr[0]));
        let fastest = aux_l[0].max(aux_r[0]);
        let down = 0.5 * (right - left) - 0.5 * fastest * (qr[0] - ql[0]);
        let up = 0.5 * (right - left) + 0.5 * fastest * (qr[0] - ql[0]);
        Normal { waves: [[down], [up]], speeds: [-fastest, fastest], amdq: [down], apdq: [up] }
    }
}

const CASE: &str = r#"
[mesh]
cells = [32, 24]
[mesh.boundary]
x = ["periodic", "periodic"]
y = ["periodic", "periodic"]
[levels]
max = 2
[regrid.flag]
tolerance = 0.1
[time]
end = 0.5
[aux]
limit = "if(hypot(x - 0.6, y - 0.5) < 0.2, 0.4, 1)"
[initial]
density = "0.3 + 0.4 * exp(-50 * ((x - 0.3)^2 + (y - 0.3)^2))"
"#;

/// The density stays between 0 and 1, cars queue before the slow quarter, and none is lost.
#[test]
fn cars_queue_and_none_is_lost() {
    let solver = ChosenSolver::own_in_double(StreetGrid {});
    let (simulation, totals) = run_to(&solver, CASE, 0.5);
    let frame = simulation.frame();
    let [least, largest] = range(&frame, 0);
    assert!(least > 0.05 && largest < 1.0, "{least} to {largest}");
    let mut queue: f64 = 0.0;
    super::common::for_each_finest_cell(&frame, |_, [x, y], _, q| {
        queue = if (x - 0.38).abs() < 0.05 && (y - 0.5).abs() < 0.1 { queue.max(q[0]) } else { queue };
    });
    assert!(queue > 0.45, "cars queue before the slow quarter: {queue}");
    assert_conserved(&simulation, &totals, &[0]);
}
