//! The number of threads does not matter, to the bit.

use super::common::{bits, start_on, take_steps};

/// A run with much regridding, small patches and a strong wave.
const MOVING: &str = r#"
[solver]
name = "euler"
[mesh]
lower = [0.0, 0.0]
upper = [1.0, 0.7]
cells = [45, 37]
[mesh.boundary]
x = ["wall", "extrapolate"]
y = ["periodic", "periodic"]
[levels]
max = 3
ratio = [2, 4]
[regrid]
interval = 2
buffer = 1
max_patch_size = 20
[regrid.flag]
criterion = "difference"
tolerance = 0.2
[time]
end = 10.0
dt_initial = 0.001
[initial]
density = "if(hypot(x - 0.3, y - 0.3) < 0.15, 2, 1)"
x_momentum = "0"
y_momentum = "0"
energy = "if(hypot(x - 0.3, y - 0.3) < 0.15, 10, 2.5)"
"#;

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
