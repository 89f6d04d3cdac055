//! Solvers and the update give the CPU's results on a GPU. `cargo test -p amrclaw-cuda --test parity -- --ignored`
//!
//! In f64 without fused operations to the bit, except for the sign of zeros; with them to 1e-13, and in f32 to 1e-5, of the largest
//! value of the kind: a value is a sum of some hundred products of that size.

#[path = "../support/mod.rs"]
mod support;

#[path = "../../../riemann/tests/elementary/breaks.rs"]
mod breaks;
mod elementary;
mod faces;
mod update;

use cuda::abi::Plain;
use cuda::{Device, DeviceBuffer, Stream};
use riemann::real::Scalar;

struct Machine {
    device: Device,
    stream: Stream,
}

impl Machine {
    fn open() -> Machine {
        let device = Device::open(0, None).unwrap_or_else(|error| panic!("{error}"));
        let stream = device.stream().expect("a stream");
        Machine { device, stream }
    }

    fn send<T: Plain>(&self, values: &[T]) -> DeviceBuffer<T> {
        let buffer = self.device.buffer(values.len()).expect("memory");
        self.stream.upload(values, &buffer, 0).expect("a copy");
        buffer
    }

    fn fetch<T: Plain>(&self, buffer: &DeviceBuffer<T>, none: T) -> Vec<T> {
        let mut values = vec![none; buffer.len()];
        self.stream.download(buffer, 0, &mut values).expect("a copy");
        values
    }
}

/// Largest difference allowed, relative to the largest number. `None`: bits must be equal.
fn tolerance<R: Scalar>(fused: bool) -> Option<f64> {
    match (R::BYTES, fused) {
        (8, false) => None,
        (8, true) => Some(1e-13),
        _ => Some(1e-5),
    }
}

/// Compares two lists; `place` describes an item by its index. Returns the largest difference, relative to the largest number expected.
fn check<R: Scalar>((what, place): (&str, &dyn Fn(usize) -> String), fused: bool, found: &[R], expected: &[R]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let Some(tolerance) = tolerance::<R>(fused) else {
        // NVRTC may compute a minimum or maximum by an instruction that orders −0 before 0; adding 0 makes both 0.
        let bits = |v: &R| (v.to_f64() + 0.0).to_bits();
        let different = found.iter().zip(expected).filter(|(a, b)| bits(a) != bits(b)).count();
        assert_eq!(different, 0, "{what}: of {} numbers", found.len());
        return 0.0;
    };
    let largest = expected.iter().fold(0.0f64, |largest, v| largest.max(v.to_f64().abs()));
    let difference = |(a, b): (&R, &R)| (a.to_f64() - b.to_f64()).abs();
    // A NaN counts as the largest difference.
    let worst = |worst: (usize, f64), next: (usize, f64)| if next.1 <= worst.1 { worst } else { next };
    let (at, error) = found.iter().zip(expected).map(difference).enumerate().fold((0, 0.0), worst);
    let error = error / largest.max(f64::MIN_POSITIVE);
    let pair = (found.get(at).map(|v| v.to_f64()), expected.get(at).map(|v| v.to_f64()));
    assert!(error <= tolerance, "{what}: {error:e} of the largest, {pair:?} at number {at}, {}", place(at));
    error
}
