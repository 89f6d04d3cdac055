//! Source terms.

use super::common::{advance_to, l1_error, orders, start};
use std::f64::consts::TAU;

/// A constant that is advected and decays.
const DECAY: &str = include_str!("../cases/features/decay.toml");

/// `q_t = −3 q` decays by the midpoint rule, which is of second order: its error per step is at most `(3 dt)³/6`.
#[test]
fn a_source_decays_exponentially() {
    let errors = [1, 2, 4].map(|n| {
        let mut simulation = start(DECAY, &[&format!("time.dt={}", 0.04 / f64::from(n))]);
        advance_to(&mut simulation, 0.4);
        l1_error(&simulation.frame(), 0, |_| 2.0 * (-1.2_f64).exp())
    });
    let found = orders(&errors);
    assert!(found.iter().all(|order| (1.9..2.2).contains(order)), "errors {errors:?}, orders {found:?}");
}

/// For `q_t + q_x = −(1 + sin 2πx) q`, whose advection and source do not commute, Strang's splitting is of second order, Godunov's of first.
#[test]
fn splittings_have_their_orders() {
    let exact = |x: [f64; 2], t: f64| {
        let from = x[0] - t;
        let lost = t + ((TAU * from).cos() - (TAU * x[0]).cos()) / TAU;
        (2.0 + (TAU * from).sin()) * (-lost).exp()
    };
    let data = ["solver.v=0.0", "initial.q=\"2 + sin(2 * pi * x)\"", "source.q=\"-(1 + sin(2 * pi * x)) * q\""];
    let orders_of = |split: &str| {
        let errors = [1, 2, 4].map(|n| {
            let settings = [
                format!("scheme.source={split}"),
                format!("mesh.cells={:?}", [96 * n, 3]),
                format!("time.dt={}", 0.005 / f64::from(n)),
            ];
            let mut simulation = start(DECAY, &[&data[..], &settings.each_ref().map(String::as_str)].concat());
            advance_to(&mut simulation, 0.4);
            l1_error(&simulation.frame(), 0, |x| exact(x, 0.4))
        });
        orders(&errors)
    };
    let (strang, godunov) = (orders_of("strang"), orders_of("godunov"));
    assert!(strang.iter().all(|&order| order > 1.9), "Strang: {strang:?}");
    assert!(godunov.iter().all(|order| (0.8..1.5).contains(order)), "Godunov: {godunov:?}");
}
