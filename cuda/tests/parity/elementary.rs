//! The elementary functions give the same bits on a device and on the CPU, with and without fused operations, in both precisions: at
//! random points, around every place where a formula changes, at special numbers.

use super::Machine;
use super::breaks::{SPECIAL, around_one, around_two};
use super::support::elementary::{ElementaryArgs, source};
use cuda::Grid;
use cuda::abi::{Plain, Pointer};
use cuda::compile::Target;
use riemann::elementary::rows::{Binary, Unary};
use riemann::patch::Isa;
use riemann::real::Precision;
use riemann::real::Scalar;

/// Number of random points of each function.
const POINTS: usize = 1_000_000;

/// In turn: arbitrary bits, numbers of moderate size, and typical numbers. Then points around the breaks of all functions, and special ones.
fn points<R: Scalar>() -> Vec<R> {
    let mut state = 7u64;
    let mut bits = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state ^ (state >> 29)
    };
    let mut number = |k: usize| match k % 3 {
        0 => f64::from_bits(bits()),
        1 => (bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0,
        _ => ((bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0) * 40.0,
    };
    let random = (0..2 * POINTS).map(|k| number(k / 2)).collect::<Vec<_>>();
    let breaks = Unary::ALL.into_iter().flat_map(around_one).chain(Binary::ALL.into_iter().flat_map(around_two));
    let special = SPECIAL.into_iter().flat_map(|x| SPECIAL.map(|y| [x, y]));
    random.into_iter().chain(breaks.chain(special).flatten()).map(R::from_f64).collect()
}

fn compare<R: Scalar + Plain>(machine: &Machine, fused: bool) {
    let target = Target { precision: Precision::of::<R>(), fused, solver: None };
    let module = machine.device.compile(&source(), &target).unwrap_or_else(|error| panic!("{error}"));
    let kernel = module.kernel("elementary_functions").expect("it is in the text");
    let points = points::<R>();
    let (count, len) = (Unary::ALL.len() + Binary::ALL.len(), points.len() / 2);
    let (sent, values) = (machine.send(&points), machine.send(&vec![R::default(); count * len]));
    let (points_at, values_at) = (Pointer::new(sent.at(0).address()), Pointer::new(values.at(0).address()));
    let args = ElementaryArgs { points: points_at, values: values_at, len: len as u64 };
    // SAFETY: the arrays have the sizes that the kernel expects.
    unsafe { kernel.launch(&machine.stream, Grid::over(len, 256), &args) }.expect("a launch");
    let found = machine.fetch(&values, R::default());
    let [x, y] = [0, 1].map(|c| points.iter().skip(c).step_by(2).copied().collect::<Vec<R>>());
    let mut expected = vec![R::default(); len];
    for (k, found) in found.chunks(len).enumerate() {
        let name = match Unary::ALL.get(k) {
            Some(function) => {
                function.fill(Isa::detect(), &x, &mut expected);
                function.name()
            }
            None => {
                let function = Binary::ALL[k - Unary::ALL.len()];
                function.fill(Isa::detect(), &x, &y, &mut expected);
                function.name()
            }
        };
        for i in 0..len {
            // All NaNs count as equal.
            let bits = |v: R| if v.to_f64().is_nan() { u64::MAX } else { v.to_f64().to_bits() };
            let [here, there] = [expected[i], found[i]];
            assert_eq!(bits(here), bits(there), "{name}({:?}, {:?}): {here:?}, on the device {there:?}", x[i], y[i]);
        }
    }
    println!("{} elementary functions, {}, fused {fused}: {len} points each, the same bits", count, R::NAME);
}

#[test]
#[ignore = "needs a GPU"]
fn elementary_functions_are_the_cpus_to_the_bit() {
    let machine = Machine::open();
    for fused in [false, true] {
        compare::<f64>(&machine, fused);
        compare::<f32>(&machine, fused);
    }
}
