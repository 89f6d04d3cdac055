//! Source terms.

use super::common::{advance_to, l1_error, orders, start, start_with};
use amrclaw::physics::{CellRow, StateFunction};
use amrclaw::simulation::{RunError, Simulation, UserFunctions};
use std::f64::consts::TAU;
use std::sync::Arc;

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

/// For `q_t + q_x = −(1 + sin 2πx) q`, whose advection and source do not commute, Strang's splitting is of second order, Godunov's of first, with
/// explicit and with implicit steps of the source.
#[test]
fn splittings_have_their_orders() {
    let exact = |x: [f64; 2], t: f64| {
        let from = x[0] - t;
        let lost = t + ((TAU * from).cos() - (TAU * x[0]).cos()) / TAU;
        (2.0 + (TAU * from).sin()) * (-lost).exp()
    };
    let data = ["solver.v=0.0", "initial.q=\"2 + sin(2 * pi * x)\"", "source.q=\"-(1 + sin(2 * pi * x)) * q\""];
    let orders_of = |split: &str, method: &str| {
        let errors = [1, 2, 4].map(|n| {
            let settings = [
                format!("scheme.source={split}"),
                format!("scheme.source_method={method}"),
                format!("mesh.cells={:?}", [96 * n, 3]),
                format!("time.dt={}", 0.005 / f64::from(n)),
            ];
            let mut simulation = start(DECAY, &[&data[..], &settings.each_ref().map(String::as_str)].concat());
            advance_to(&mut simulation, 0.4);
            l1_error(&simulation.frame(), 0, |x| exact(x, 0.4))
        });
        orders(&errors)
    };
    for method in ["explicit", "implicit"] {
        let (strang, godunov) = (orders_of("strang", method), orders_of("godunov", method));
        assert!(strang.iter().all(|&order| order > 1.9), "Strang: {strang:?}");
        assert!(godunov.iter().all(|order| (0.8..1.5).contains(order)), "Godunov: {godunov:?}");
    }
}

/// A wave that decays at rate 100 within steps of 0.045.
const STIFF: &str = include_str!("../cases/hard/stiff_decay.toml");

/// By steps for which it is too stiff.
const EXPLICIT: &str = "scheme.source_method='explicit'";

/// The error of a run to its end.
fn error_of(mut simulation: Simulation<2>) -> Option<RunError> {
    simulation.advance_to(1.0).err()
}

/// A source that is too stiff for explicit steps ends the run, with the eigenvalue, the place and what to write; implicit steps come to its
/// end, with the exact `3 exp(−100) = 1.1e−43` or less.
#[test]
fn a_stiff_source_is_refused_or_implicit() {
    for split in ["scheme.source='strang'", "scheme.source='godunov'"] {
        let error = error_of(start(STIFF, &[split, EXPLICIT])).expect("the steps are too long").to_string();
        for part in ["eigenvalue -1.0000e2", "level 1, patch 0", "scheme.source_method = \"implicit\"", "time.dt_max"] {
            assert!(error.contains(part), "no \"{part}\" in\n{error}");
        }
        let mut simulation = start(STIFF, &[split]);
        advance_to(&mut simulation, 1.0);
        let largest = l1_error(&simulation.frame(), 0, |_| 0.0);
        assert!(largest < 1e-42, "{largest:e}");
    }
}

/// What is no instability is not refused: growth, a switch in time, a source that does not depend on the state, decay just inside the limit,
/// a slow rotation, a stiff source that rests. What is one is refused wherever it sets in: only from some value on, only from some time on,
/// also where it cannot be seen yet, as the rates keep their sign.
#[test]
fn only_unstable_steps_are_refused() {
    let sound = ["solver={name='acoustics',density=1.0,bulk=1.0}", "initial={pressure='0',u='1',v='0'}"];
    let table: [(&[&str], bool); 10] = [
        (&["source.q='5 * q'"], false),
        (&["source.q='cos(200 * t)'"], false),
        (&["source.q='if(t < 0.4, 10, -10)'"], false),
        (&["source.q='-40 * q'"], false),
        (&["source.q='-1e4 * (q - 2)'", "initial.q='2'"], false),
        (&["source.q='5 * q - if(q > 20, 200, 0) * (q - 20)'"], true),
        (&["source.q='-if(t > 0.5, 100, 1) * q'"], true),
        (&[sound[0], sound[1], "source={u='v',v='-u'}"], false),
        (&[sound[0], sound[1], "source={u='40 * v',v='-40 * u'}"], true),
        (&[sound[0], "initial={pressure='0',u='1',v='1'}", HIDDEN], true),
    ];
    for (overrides, refused) in table {
        let error = error_of(start(STIFF, &[overrides, &[EXPLICIT]].concat()));
        let is_refused = matches!(error, Some(RunError::StiffSource { .. }));
        assert_eq!(is_refused, refused, "{overrides:?}: {error:?}");
        assert!(refused || error.is_none(), "{overrides:?}: {error:?}");
    }
}

/// Exchange that turns stiff late, between two quantities that are equal and grow at the same rate.
const HIDDEN: &str =
    "source={u='10 - if(t > 0.8, 100, 0) * (u - v)',v='10 - if(t > 0.8, 100, 0) * (v - u)',pressure='0'}";

/// A source that is stiff at a time to reach, and only around it, is refused there.
#[test]
fn a_source_is_looked_at_where_frames_are() {
    let gone = HIDDEN.replace("t > 0.8", "t > 0.8 && t < 0.9");
    let sound = ["solver={name='acoustics',density=1.0,bulk=1.0}", "initial={pressure='0',u='1',v='1'}"];
    let overrides = [sound[0], sound[1], &gone, EXPLICIT];
    assert!(error_of(start(STIFF, &overrides)).is_none());
    let error = start(STIFF, &overrides).advance_to(0.85).err();
    assert!(matches!(error, Some(RunError::StiffSource { .. })), "{error:?}");
}

/// A stiff source in Rust, whose derivatives are not known.
struct Stiff;

impl StateFunction<2> for Stiff {
    fn num_values(&self) -> usize {
        1
    }

    fn fill_row(&self, _: &CellRow<2>, state: &[f64], _: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(state).for_each(|(rate, q)| *rate = -100.0 * q);
    }
}

/// A program's own source is examined by differences.
#[test]
fn a_stiff_source_in_rust_is_refused() {
    let user = UserFunctions { source: Some(Arc::new(Stiff)), ..UserFunctions::default() };
    let error =
        error_of(start_with(STIFF, &["source={}", "scheme={}"], user)).expect("the steps are too long").to_string();
    assert!(error.contains("eigenvalue -1.0000e2") && error.contains("under `[source]`"), "{error}");
}
