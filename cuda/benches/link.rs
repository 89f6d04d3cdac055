//! Bandwidth of the link between host and GPU: `cargo bench -p amrclaw-cuda --bench link`.
//!
//! Copies blocks of pinned memory in four streams, to the device, from it, and both ways at once, as `cuda-streamed` does.

use cuda::{CudaError, Device, DeviceBuffer, PinnedBuffer, Stream};
use std::time::Instant;

/// Bytes transferred in each direction in a measurement.
const BYTES: usize = 256 << 20;
const LANES: usize = 4;
const REPETITIONS: usize = 5;

/// A stream, with a pinned and a device buffer for each direction.
struct Lane {
    stream: Stream,
    to: (PinnedBuffer<u8>, DeviceBuffer<u8>),
    from: (DeviceBuffer<u8>, PinnedBuffer<u8>),
}

/// Seconds to transfer all bytes, median over the repetitions. `ways`: to the device, from it.
fn seconds(lanes: &mut [Lane], ways: [bool; 2]) -> Result<f64, CudaError> {
    let piece = lanes[0].to.0.len();
    let mut times = Vec::new();
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        for n in 0..BYTES / piece {
            let Lane { stream, to, from } = &mut lanes[n % LANES];
            // SAFETY: the buffers live, and nothing accesses them, until the streams are synchronized.
            unsafe {
                if ways[0] {
                    stream.upload_async(&to.0, &to.1, 0)?;
                }
                if ways[1] {
                    stream.download_async(&from.0, 0, &mut from.1)?;
                }
            }
        }
        lanes.iter().try_for_each(|lane| lane.stream.synchronize())?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[REPETITIONS / 2])
}

fn run() -> Result<(), CudaError> {
    let device = Device::open(0, None)?;
    println!("{}: GB/s to the device, from it, each way when both at once", device.info().name);
    for piece in [1 << 20, 2 << 20, 4 << 20, 16 << 20] {
        let lane = |_| {
            Ok(Lane {
                stream: device.stream()?,
                to: (device.pinned_buffer(piece)?, device.buffer(piece)?),
                from: (device.buffer(piece)?, device.pinned_buffer(piece)?),
            })
        };
        let mut lanes = (0..LANES).map(lane).collect::<Result<Vec<_>, CudaError>>()?;
        let mut rate = |ways| Ok::<_, CudaError>(BYTES as f64 * 1e-9 / seconds(&mut lanes, ways)?);
        let [to, from, both] = [rate([true, false])?, rate([false, true])?, rate([true, true])?];
        println!("pieces of {:2} MiB   {to:5.1}   {from:5.1}   {both:5.1}", piece >> 20);
    }
    Ok(())
}

fn main() {
    if let Err(error) = run() {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
