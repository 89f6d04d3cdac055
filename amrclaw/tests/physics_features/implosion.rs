//! A strong shock into cold gas.

use crate::common::{advance_to, for_each_finest_cell, start};

const IMPLOSION: &str = include_str!("../cases/hard/implosion.toml");

/// Noh's implosion with the default scheme: the gas behind the shock has 16 times its first density, and steps fell back to first order for it.
/// The tolerance is that of the oscillations behind a slow shock; nearer to the centre the gas is too hot and too thin, as with all schemes of
/// this kind (Noh 1987, doi:10.1016/0021-9991(87)90074-X).
#[test]
fn cold_gas_implodes() {
    for solver in ["solver.name=euler", "solver.name=euler_hllc"] {
        let mut simulation = start(IMPLOSION, &[solver]);
        advance_to(&mut simulation, 0.6);
        let (mut mass, mut area) = (0.0, 0.0);
        for_each_finest_cell(&simulation.frame(), |_, [x, y], dx, state| {
            if (0.08..0.15).contains(&x.hypot(y)) {
                (mass, area) = (mass + state[0] * dx[0] * dx[1], area + dx[0] * dx[1]);
            }
        });
        let density = mass / area;
        assert!((density - 16.0).abs() < 1.0, "{solver}: the density is {density}");
        assert!(simulation.counts().fallback.taken > 0, "{solver}");
    }
}
