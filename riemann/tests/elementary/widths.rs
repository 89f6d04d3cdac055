//! Every width of vectors gives the same bits, in rows of every length.

use super::arguments::points;
use super::breaks::SPECIAL;
use super::{Function, bits};
use riemann::patch::Isa;
use riemann::real::Scalar;

fn same_in_every_width<R: Scalar>(function: Function) {
    let [mut x, mut y] = points(function, 20_003, 11);
    for &a in &SPECIAL {
        x.extend(SPECIAL);
        y.extend([a; SPECIAL.len()]);
    }
    let [x, y] = [x, y].map(|row| row.into_iter().map(R::from_f64).collect::<Vec<_>>());
    let expected = function.values(Isa::Portable, &x, &y);
    for &isa in Isa::available() {
        let found = function.values(isa, &x, &y);
        for i in 0..x.len() {
            assert_eq!(
                bits(found[i]),
                bits(expected[i]),
                "{} of {:?}, {:?}: {}",
                function.name(),
                x[i],
                y[i],
                isa.name()
            );
        }
        for length in 0..20 {
            let found = function.values(isa, &x[..length], &y[..length]);
            assert!(found.iter().zip(&expected).all(|(a, b)| bits(*a) == bits(*b)), "{} numbers", length);
        }
    }
}

/// All widths do the same operations in the same order: equality of bits.
#[test]
fn every_width_gives_the_same_bits() {
    for function in Function::all() {
        same_in_every_width::<f64>(function);
        same_in_every_width::<f32>(function);
    }
}

/// The function of a single number gives the same bits as in a row.
#[test]
fn a_number_alone_is_as_in_a_row() {
    for function in Function::all() {
        let [x, y] = points(function, 500, 12);
        let row = function.values(Isa::detect(), &x, &y);
        for i in 0..x.len() {
            let alone = match function {
                Function::One(f) => f.of(x[i]),
                Function::Two(f) => f.of(x[i], y[i]),
            };
            assert_eq!(bits(alone), bits(row[i]), "{} of {}, {}", function.name(), x[i], y[i]);
        }
    }
}
