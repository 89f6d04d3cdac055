//! How fast each of several ranks is, as they have measured it: new levels are shared out by it.

use super::Simulation;
use crate::exec::{DevicePhase, ExecError};
use crate::mesh::Speeds;
use tracing::debug;

/// Seconds that each rank must have worked before its speed is known well enough.
const ENOUGH: f64 = 0.5;

/// What is known of the ranks' speeds, and what this rank has done since they were told.
pub(super) struct Measured {
    pub speeds: Speeds,
    /// Cells that it has advanced.
    cells: u64,
    /// Seconds that this took, without waits for others.
    seconds: f64,
    /// Seconds that a device had worked before.
    device_before: f64,
}

impl Measured {
    /// Ranks begin equally fast.
    pub fn new(ranks: usize) -> Self {
        Measured { speeds: Speeds::equal(ranks), cells: 0, seconds: 0.0, device_before: 0.0 }
    }

    /// A step of this rank's part of a level.
    pub fn note(&mut self, cells: u64, seconds: f64) {
        self.cells += cells;
        self.seconds += seconds;
    }
}

impl<const D: usize> Simulation<D> {
    /// Ranks tell one another what they have measured, once it is enough. All call it before they share new levels out.
    pub(super) fn measure_speeds(&mut self) -> Result<(), ExecError> {
        if self.ranks.is_solo() {
            return Ok(());
        }
        let Measured { cells, seconds, device_before, .. } = self.speeds;
        let device = self.seconds_of_device();
        let seconds = device.map_or(seconds, |now| now - device_before);
        let told = self.ranks.gather(&[cells, seconds.to_bits()])?;
        let told: Vec<(u64, f64)> = told.iter().map(|words| (words[0], f64::from_bits(words[1]))).collect();
        if told.iter().any(|&(cells, seconds)| cells > 0 && seconds < ENOUGH) {
            return Ok(());
        }
        let speeds = self.speeds.speeds.measured(&told);
        if speeds != self.speeds.speeds {
            debug!(?speeds, "ranks are unequally fast");
        }
        self.speeds = Measured { speeds, cells: 0, seconds: 0.0, device_before: device.unwrap_or(0.0) };
        Ok(())
    }

    /// Seconds that a device has worked on steps, where the host only orders them; 0 unless it takes its time.
    fn seconds_of_device(&self) -> Option<f64> {
        let phases = || self.exec.device_use().and_then(|device| device.phase_seconds);
        let advance = || phases().map_or(0.0, |seconds| seconds[DevicePhase::Advance as usize]);
        self.exec.works_ahead().then(advance)
    }
}

#[cfg(test)]
mod tests {
    use crate::exec::comm::{Ranks, Threads};
    use crate::index::Level;
    use crate::io::config::{Case, find_built_in};
    use crate::io::frame::Frame;
    use crate::mesh::Speeds;
    use crate::simulation::{RunOptions, Simulation};
    use std::sync::Arc;
    use std::time::Duration;

    fn case() -> Case {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/sound.toml");
        let sets = ["regrid.max_patch_size=8".to_owned()];
        Case::load_with(path.as_ref(), &sets, find_built_in).unwrap_or_else(|e| panic!("{e}"))
    }

    /// The values of some steps, those of other ranks' patches left out; and the cells that this rank has of the finest level. From the
    /// third step on ranks have these speeds.
    fn steps(ranks: Option<Ranks>, speeds: &[u32]) -> (Frame<2>, usize) {
        let mut options = RunOptions { threads: Some(1), ..RunOptions::default() };
        options.comm = ranks.unwrap_or_default();
        let number = options.comm.rank().number;
        let mut simulation =
            Simulation::<2>::builder(&case()).options(&options).build().unwrap_or_else(|e| panic!("{e}"));
        for step in 0..6 {
            if step == 2 {
                simulation.speeds.speeds = Speeds::of(speeds);
            }
            simulation.step().unwrap_or_else(|e| panic!("{e}"));
        }
        let finest = simulation.hierarchy().finest();
        let mesh = simulation.hierarchy().level(finest);
        let own = simulation.partition(finest).map(|partition| partition.patches_of(number));
        let cells = own.into_iter().flatten().map(|k| mesh.patches()[k].volume()).sum();
        (simulation.frame(), cells)
    }

    /// Ranks that turn out to be unequally fast get as much less to do, down to nothing; the solution is that of a single rank, to the bit.
    #[test]
    fn unequal_ranks_change_no_value() {
        let (alone, _) = steps(None, &[1000]);
        let speeds = [1000, 1, 500];
        let of_rank = |comm: Threads| {
            let ranks = Ranks::new(Arc::new(comm), Arc::default());
            move || steps(Some(ranks), &speeds)
        };
        let found: Vec<(Frame<2>, usize)> = std::thread::scope(|scope| {
            let ranks = Threads::new(3, Duration::from_secs(60)).into_iter();
            let threads: Vec<_> = ranks.map(|comm| scope.spawn(of_rank(comm))).collect();
            threads.into_iter().map(|thread| thread.join().expect("a rank that does not panic")).collect()
        });
        let cells: Vec<usize> = found.iter().map(|(_, cells)| *cells).collect();
        assert!(cells[1] == 0 && cells[0] > cells[2] && cells[2] > 0, "{cells:?}");
        for (l, level) in alone.levels.iter().enumerate() {
            for (k, patch) in level.patches.iter().enumerate() {
                let values = |frame: &Frame<2>| frame.levels[l].patches[k].q.clone();
                let here: Vec<_> = found.iter().map(|(frame, _)| values(frame)).filter(|q| !q.is_empty()).collect();
                assert!(here.len() == 1 && here[0] == patch.q, "level {}, patch {k}", Level(l as u8));
            }
        }
    }
}
