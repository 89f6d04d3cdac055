//! Measures up to which Courant number each scheme is stable, on random data, to verify the table of `physics::Update`.

use super::common::{for_each_finest_cell, start, take_steps};
use amrclaw::physics::Update;
use riemann::limiter::Limiter;

/// Advection along the diagonal, and sound: all speeds are 1.
const ROUGH: [&str; 2] =
    [include_str!("../cases/features/rough_advection.toml"), include_str!("../cases/features/rough_sound.toml")];
const SOUND: &str = ROUGH[1];
/// Cells along each axis.
const CELLS: f64 = 16.0;

/// The factor by which the root of the sum of squares grows over 300 steps, after 100 steps in which limiters and damping remove
/// most of the roughness.
fn growth(text: &str, scheme: &[String], courant: f64) -> f64 {
    let dt = format!("time.dt={}", courant / CELLS);
    let mut overrides = vec!["scheme.allow_unstable=true", &dt];
    overrides.extend(scheme.iter().map(String::as_str));
    let mut simulation = start(text, &overrides);
    let mut norm = |steps| {
        take_steps(&mut simulation, steps);
        let mut sum = 0.0;
        for_each_finest_cell(&simulation.frame(), |_, _, _, q| sum += q.iter().map(|v| v * v).sum::<f64>());
        f64::sqrt(sum)
    };
    let before = norm(100);
    norm(300) / before
}

/// Rows of the table: split, order, transverse and limiter; and whether data grow at once at 1.2 times the bound.
const SCHEMES: [(&str, u8, u8, Limiter, bool); 10] = [
    ("unsplit", 1, 0, Limiter::None, true),
    ("unsplit", 1, 1, Limiter::None, false),
    ("unsplit", 2, 0, Limiter::Mc, false),
    ("unsplit", 2, 0, Limiter::VanLeer, false),
    ("unsplit", 2, 0, Limiter::Minmod, false),
    ("unsplit", 2, 1, Limiter::None, false),
    ("unsplit", 2, 2, Limiter::None, false),
    ("unsplit", 2, 2, Limiter::Mc, false),
    ("godunov", 2, 0, Limiter::None, false),
    ("strang", 2, 0, Limiter::Superbee, false),
];

fn keys(split: &str, order: u8, transverse: u8, limiter: Limiter) -> Vec<String> {
    let limiter = limiter.name();
    ["split", "order", "transverse", "limiter"]
        .into_iter()
        .zip([split.to_owned(), order.to_string(), transverse.to_string(), limiter.to_owned()])
        .map(|(key, value)| format!("scheme.{key}={value}"))
        .collect()
}

/// Just below the table's Courant number (the step's own is rounded) data do not grow. Limited corrections steepen what is
/// left of the data, which raises the sum of squares by some per cent, although all values stay in the initial range.
#[test]
fn data_do_not_grow_at_the_bound() {
    for (split, order, transverse, limiter, sharp) in SCHEMES {
        let update = Update {
            dimension: 2,
            order,
            transverse,
            double_transverse: true,
            split: split != "unsplit",
            limiters: &[limiter],
        };
        let bound = update.stability_limit().unwrap();
        let scheme = keys(split, order, transverse, limiter);
        for text in ROUGH {
            let grown = growth(text, &scheme, 0.9999 * bound);
            assert!(grown < 1.2, "{scheme:?} at {bound}: {grown}\n{text}");
            if sharp {
                let grown = growth(text, &scheme, 1.02 * bound);
                assert!(grown > 10.0, "{scheme:?} above {bound}: {grown}\n{text}");
            }
        }
    }
}

/// Where the table has no bound, data grow at Courant numbers at which less steep limiters are stable.
#[test]
fn data_grow_where_nothing_is_stable() {
    for limiter in [Limiter::None, Limiter::Superbee] {
        let update = Update {
            dimension: 2,
            order: 2,
            transverse: 0,
            double_transverse: true,
            split: false,
            limiters: &[limiter],
        };
        assert_eq!(update.stability_limit(), None);
        let grown = growth(SOUND, &keys("unsplit", 2, 0, limiter), 0.29);
        assert!(grown > 1.5, "{limiter:?}: {grown}");
    }
}
