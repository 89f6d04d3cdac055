//! Results are bitwise equal on any number of threads.

use super::common::{assert_threads_do_not_matter, start_on};

/// A run with much regridding, small patches and a strong wave.
const MOVING: &str = include_str!("../cases/moving_gas.toml");

/// Bitwise equal on 1, 2 and 7 threads: every cell of every patch, and the totals.
#[test]
fn threads_do_not_change_bits() {
    for setting in ["scheme.split=\"unsplit\"", "scheme.split=\"strang\"", "regrid.cluster=\"tiles\""] {
        assert_threads_do_not_matter(|threads| start_on(MOVING, &[setting], threads), 12, [6, 10], setting);
    }
}
