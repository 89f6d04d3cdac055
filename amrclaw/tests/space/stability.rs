//! Measures up to which Courant number each scheme is stable in three dimensions, on random data, to verify the table of `physics::Update`.
//! `io::config` refuses unstable schemes.

use super::common::{for_each_finest_cell, take_steps};
use super::start;
use amrclaw::physics::Update;
use riemann::limiter::Limiter;

/// Sound at speed 1 in a periodic cube, on cells of size one.
const SOUND: &str = include_str!("../cases/features/rough_sound_in_space.toml");

/// A row of the table: split, order, `transverse`, double transverse waves, limiter.
type Row = (&'static str, u8, u8, bool, Limiter);

fn keys((split, order, transverse, double, limiter): Row) -> [String; 5] {
    let limiter = limiter.name();
    [
        format!("scheme.split={split}"),
        format!("scheme.order={order}"),
        format!("scheme.transverse={transverse}"),
        format!("scheme.double_transverse={double}"),
        format!("scheme.limiter={limiter}"),
    ]
}

fn bound((split, order, transverse, double_transverse, limiter): Row) -> Option<f64> {
    let split = split != "unsplit";
    Update { dimension: 3, order, transverse, double_transverse, split, limiters: &[limiter] }.stability_limit()
}

/// The factor by which the root of the sum of squares grows over `steps` steps, after `before` steps in which damping removes most of the
/// roughness.
fn growth(row: Row, courant: f64, [before, steps]: [usize; 2]) -> f64 {
    let keys = keys(row);
    let dt = format!("time.dt={courant}");
    let mut simulation = start::<3>(SOUND, &[&keys.each_ref().map(String::as_str)[..], &[&dt]].concat());
    let mut norm = |steps| {
        take_steps(&mut simulation, steps);
        let mut sum = 0.0;
        for_each_finest_cell(&simulation.frame(), |_, _, _, q| sum += q.iter().map(|v| v * v).sum::<f64>());
        f64::sqrt(sum)
    };
    let start = norm(before);
    norm(steps) / start
}

/// At the table's Courant number data do not grow, except by some per cent where limiters steepen what is left of them.
#[test]
fn data_do_not_grow_at_the_bound() {
    let rows: [Row; 9] = [
        ("unsplit", 1, 0, true, Limiter::None),
        ("unsplit", 1, 1, false, Limiter::None),
        ("unsplit", 1, 1, true, Limiter::None),
        ("unsplit", 2, 0, true, Limiter::Mc),
        ("unsplit", 2, 0, true, Limiter::Minmod),
        ("unsplit", 2, 2, false, Limiter::None),
        ("unsplit", 2, 2, true, Limiter::None),
        ("unsplit", 2, 2, true, Limiter::VanLeer),
        ("strang", 2, 0, true, Limiter::None),
    ];
    for row in rows {
        let bound = bound(row).unwrap_or_else(|| panic!("{row:?} is stable"));
        let grown = growth(row, 0.9999 * bound, [60, 120]);
        assert!(grown < 1.2, "{row:?} at {bound}: {grown}");
    }
}

/// Just above their bounds, data of first-order schemes grow at once.
#[test]
fn data_grow_above_sharp_bounds() {
    for (row, above) in [(("unsplit", 1, 0, true, Limiter::None), 1.1), (("unsplit", 1, 1, false, Limiter::None), 1.2)]
    {
        let grown = growth(row, above * bound(row).unwrap_or(0.0), [20, 60]);
        assert!(grown > 2.0, "{row:?}: {grown}");
    }
}

/// Where the table has no bound, data grow at small Courant numbers: at a tenth if corrections have no transverse waves.
#[test]
fn data_grow_where_nothing_is_stable() {
    let rows: [(Row, f64); 3] = [
        (("unsplit", 2, 0, true, Limiter::None), 0.6),
        (("unsplit", 2, 1, false, Limiter::None), 0.2),
        (("unsplit", 2, 1, true, Limiter::None), 0.3),
    ];
    for (row, courant) in rows {
        assert_eq!(bound(row), None, "{row:?}");
        let grown = growth(row, courant, [10, 40]);
        assert!(grown > 2.0, "{row:?} at {courant}: {grown}");
    }
}
