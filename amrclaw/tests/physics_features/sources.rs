//! Source terms.

use super::common::{advance_to, l1_error, orders, start};
use super::periodic;
use std::f64::consts::TAU;

/// `q_t = −3 q` decays by the midpoint rule, whose error is of second order in the step: per step `(3 dt)³/6` at most.
#[test]
fn a_source_decays_exponentially() {
    let errors = [1, 2, 4].map(|n| {
        let text = format!(
            "[solver]\nname = \"advection\"\nu = 1.0\nv = 0.5\n[initial]\nq = \"2\"\n[source]\nq = \"-3 * q\"\n{}",
            periodic([9, 7], 0.04 / f64::from(n))
        );
        let mut simulation = start(&text, &["scheme.source=\"strang\""]);
        advance_to(&mut simulation, 0.4);
        l1_error(&simulation.frame(), 0, |_| 2.0 * (-1.2_f64).exp())
    });
    let found = orders(&errors);
    assert!(found.iter().all(|order| (1.9..2.2).contains(order)), "errors {errors:?}, orders {found:?}");
}

/// `q_t + q_x = −(1 + sin 2πx) q`: transport and source do not commute. Strang's splitting is of second order, Godunov's of first.
#[test]
fn splittings_have_their_orders() {
    let exact = |x: [f64; 2], t: f64| {
        let from = x[0] - t;
        let lost = t + ((TAU * from).cos() - (TAU * x[0]).cos()) / TAU;
        (2.0 + (TAU * from).sin()) * (-lost).exp()
    };
    let orders_of = |split: &str| {
        let errors = [1, 2, 4].map(|n| {
            let text = format!(
                "[solver]\nname = \"advection\"\nu = 1.0\nv = 0.0\n[initial]\nq = \"2 + sin(2 * pi * x)\"\n\
                 [source]\nq = \"-(1 + sin(2 * pi * x)) * q\"\n{}",
                periodic([96 * n, 3], 0.005 / n as f64)
            );
            let mut simulation = start(&text, &[&format!("scheme.source=\"{split}\"")]);
            advance_to(&mut simulation, 0.4);
            l1_error(&simulation.frame(), 0, |x| exact(x, 0.4))
        });
        orders(&errors)
    };
    let (strang, godunov) = (orders_of("strang"), orders_of("godunov"));
    assert!(strang.iter().all(|&order| order > 1.9), "Strang: {strang:?}");
    assert!(godunov.iter().all(|order| (0.8..1.5).contains(order)), "Godunov: {godunov:?}");
}
