//! Arguments and results for tests in other languages.

use super::Function;
use super::arguments::points;
use riemann::patch::Isa;
use std::path::Path;

/// Writes NAME.bin for each function into the folder given by the environment variable ELEMENTARY_SAMPLES_DIR. Point by point: x, y, f(x, y)
/// in `f64`, then the same three in `f32` for the rounded point, stored as `f64`. ELEMENTARY_SAMPLES is the number of random points;
/// those around breaks follow.
#[test]
fn samples_are_written() {
    let Some(folder) = std::env::var_os("ELEMENTARY_SAMPLES_DIR") else { return };
    let count = std::env::var("ELEMENTARY_SAMPLES").ok().map_or(1000, |count| count.parse().expect("a number"));
    std::fs::create_dir_all(&folder).expect("a folder for the samples");
    for function in Function::all() {
        let [x, y] = points(function, count, 1);
        let values = function.values(Isa::detect(), &x, &y);
        let [x_single, y_single] = [&x, &y].map(|row| row.iter().map(|&x| x as f32).collect::<Vec<_>>());
        let singles = function.values(Isa::detect(), &x_single, &y_single);
        let mut bytes = Vec::with_capacity(48 * x.len());
        for i in 0..x.len() {
            let single = [x_single[i], y_single[i], singles[i]].map(f64::from);
            for number in [x[i], y[i], values[i]].into_iter().chain(single) {
                bytes.extend(number.to_le_bytes());
            }
        }
        std::fs::write(Path::new(&folder).join(format!("{}.bin", function.name())), bytes).expect("written");
    }
}
