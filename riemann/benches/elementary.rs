//! Speed of the elementary functions on one thread, in rows of 1000 numbers, which fit into the first-level cache.
//!
//! `cargo bench -p riemann --bench elementary --no-default-features`; with arguments only the functions, vectors and precisions named,
//! for instance `-- sin avx512 f64`. Prints nanoseconds per number and, on x86-64, ticks per vector of the time-stamp counter, which runs
//! at the nominal frequency. The fastest of many short samples counts, to exclude the effect of other programs. Arguments are in 0 … 2π for
//! trigonometric functions, else in 0 … 1.

use riemann::elementary::rows::{Binary, Unary};
use riemann::patch::Isa;
use riemann::real::Scalar;
use std::hint::black_box;
use std::time::Instant;

const NUMBERS: usize = 1000;
const ROUNDS: usize = 4;
const SAMPLES: usize = 500;

/// The processor's time-stamp counter; 0 on processors other than x86-64.
fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction.
    unsafe {
        std::arch::x86_64::_rdtsc()
    }
    #[cfg(not(target_arch = "x86_64"))]
    0
}

/// Nanoseconds and ticks per number.
fn measure(mut run: impl FnMut()) -> [f64; 2] {
    let samples = (0..SAMPLES).map(|_| {
        let (start, first) = (Instant::now(), ticks());
        for _ in 0..ROUNDS {
            run();
        }
        let numbers = (NUMBERS * ROUNDS) as f64;
        let ticks = ticks().wrapping_sub(first) as f64;
        [start.elapsed().as_secs_f64() * 1e9 / numbers, ticks / numbers]
    });
    samples.fold([f64::INFINITY; 2], |fastest, sample| [0, 1].map(|k| fastest[k].min(sample[k])))
}

fn report<R: Scalar>(name: &str, isa: Isa, [nanoseconds, ticks]: [f64; 2]) {
    let bytes = match isa {
        Isa::Portable => R::BYTES,
        Isa::Avx2 => 32,
        Isa::Avx512 => 64,
    };
    let lanes = (bytes / R::BYTES) as f64;
    println!("{name:10} {:9} {} {nanoseconds:8.3} ns/number {:8.1} ticks/vector", isa.name(), R::NAME, ticks * lanes);
}

fn all<R: Scalar>(wanted: &dyn Fn(&[&str]) -> bool) {
    let row = |length: f64| -> Vec<R> {
        (0..NUMBERS).map(|k| R::from_f64(length * ((k * 7919) % NUMBERS) as f64 / NUMBERS as f64)).collect()
    };
    let mut out = vec![R::default(); NUMBERS];
    for &isa in Isa::available() {
        for function in Unary::ALL.into_iter().filter(|f| wanted(&[f.name(), isa.name(), R::NAME])) {
            let circular = matches!(function, Unary::Sin | Unary::Cos | Unary::Tan);
            let x = row(if circular { std::f64::consts::TAU } else { 1.0 });
            report::<R>(function.name(), isa, measure(|| function.fill(isa, black_box(&x), black_box(&mut out))));
        }
        for function in Binary::ALL.into_iter().filter(|f| wanted(&[f.name(), isa.name(), R::NAME])) {
            let (x, y) = (row(1.0), row(2.0));
            report::<R>(function.name(), isa, measure(|| function.fill(isa, black_box(&x), &y, black_box(&mut out))));
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let kinds: [Vec<&str>; 3] = [
        Unary::ALL.iter().map(|f| f.name()).chain(Binary::ALL.iter().map(|f| f.name())).collect(),
        vec!["portable", "avx2", "avx512"],
        vec!["f64", "f32"],
    ];
    // Of each kind of argument those that are named, or all if none is.
    let wanted = |words: &[&str]| {
        kinds.iter().zip(words).all(|(kind, word)| {
            let mut named = arguments.iter().filter(|argument| kind.contains(&argument.as_str())).peekable();
            named.peek().is_none() || named.any(|argument| argument == word)
        })
    };
    all::<f64>(&wanted);
    all::<f32>(&wanted);
}
