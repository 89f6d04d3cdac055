//! The number of threads does not matter, to the bit.

use super::common::{bits, start_on, take_steps};

/// A run with much regridding, small patches and a strong wave.
const MOVING: &str = include_str!("../cases/moving_gas.toml");

/// Same bits on 1, 2 and 7 threads, in every cell of every patch and in the totals.
#[test]
fn threads_do_not_change_bits() {
    for split in ["unsplit", "strang"] {
        let run = |threads| {
            let split = format!("scheme.split=\"{split}\"");
            let mut simulation = start_on(MOVING, &[&split], threads);
            take_steps(&mut simulation, 12);
            assert!(simulation.counts().regrids >= 6);
            assert!(simulation.hierarchy().levels()[2].patches().len() > 10);
            let totals: Vec<u64> = simulation.totals().iter().map(|t| t.to_bits()).collect();
            (bits(&simulation.frame()), totals, simulation.dt_next().to_bits())
        };
        let one = run(1);
        for threads in [2, 7] {
            assert!(run(threads) == one, "{split}: {threads} threads give other bits than one");
        }
    }
}
