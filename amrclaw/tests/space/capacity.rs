//! The scaling of fluxes by a capacity.

use super::common::capacity::start_with_capacity;
use super::common::{bits, take_steps};

/// A lump advected obliquely, on two levels.
const LUMP: &str = include_str!("../cases/features/lump_in_space.toml");

/// Overrides for the lump with lengths multiplied by `scale`, in a medium of capacity `kappa`.
fn medium(scale: f64, kappa: f64) -> [String; 5] {
    [
        "solver={path='of the test'}".to_owned(),
        "time.dt=0.15".to_owned(),
        format!("mesh.upper={:?}", [scale, 0.8 * scale, 1.2 * scale]),
        format!("aux={{kappa={kappa}}}"),
        format!("initial.q='exp(-20 * ((x/{scale} - 0.4)^2 + (y/{scale} - 0.3)^2 + (z/{scale} - 0.5)^2))'"),
    ]
}

/// `κ q_t + u q_x + v q_y + w q_z = 0` with a constant κ is the equation with κ = 1 on a domain κ times as large. With κ a power of two
/// all values are bitwise equal: each flux has as many factors κ as factors Δx. The terms with 1/6 of double transverse waves have two,
/// where Clawpack's `flux3` divides by only one (pyclaw issue 457). Schemes without these terms are run for comparison.
#[test]
fn a_constant_capacity_is_a_larger_domain() {
    for scheme in [&[][..], &["scheme.double_transverse=false"], &["scheme.split=strang"], &["scheme.order=1"]] {
        let solution = |scale: f64, kappa: f64| {
            let medium = medium(scale, kappa);
            let medium = medium.each_ref().map(String::as_str);
            let overrides = [scheme, &["scheme.allow_unstable=true"], &medium].concat();
            let mut simulation = start_with_capacity(LUMP, &overrides, [1.0, -0.7, 0.6]);
            take_steps(&mut simulation, 4);
            assert_eq!(simulation.hierarchy().num_levels(), 2);
            let mut frame = simulation.frame();
            frame.levels.iter_mut().flat_map(|l| &mut l.patches).for_each(|patch| patch.aux.clear());
            frame
        };
        let (thick, large) = (solution(1.0, 4.0), solution(4.0, 1.0));
        assert!(bits(&thick) == bits(&large), "{scheme:?}");
        // The comparison is sharp: another κ on the same domain gives another solution.
        assert!(bits(&thick) != bits(&solution(1.0, 2.0)), "{scheme:?}");
    }
}
