//! The record of a run.

use super::Driver;
use super::ranks::{imbalance, records};
use crate::diagnose::PhaseSeconds;
use crate::exec::{DevicePhase, DeviceUse, HostWork, RegridWay};
use crate::frames::run_json::{
    DeviceRecord, HostRecord, MemoryBytes, PoolRecord, RegridRecord, RunRecord, RunStatus, SolverRecord,
    StepLimitsRecord, StreamedRecord,
};
use cuda::memory::PoolStatistics;
use std::collections::BTreeMap;

fn device_record(used: DeviceUse) -> DeviceRecord {
    let pool = |pool: PoolStatistics| PoolRecord {
        held: pool.held,
        peak: pool.peak,
        driver_allocations: pool.driver_allocations,
        requests: pool.requests,
    };
    let streamed = used.streamed.map(|streamed| StreamedRecord {
        seconds: streamed.seconds,
        kernel_seconds: streamed.kernel_seconds,
        bytes_to_device: streamed.bytes_to_device,
        bytes_to_host: streamed.bytes_to_host,
    });
    let of_host =
        |HostWork { what, times, cells, seconds }| HostRecord { what: what.to_owned(), times, cells, seconds };
    let host = used.host.into_iter().map(of_host).collect();
    let of_regrid = |RegridWay { what, because, times }| RegridRecord {
        what: what.to_owned(),
        by: if because.is_some() { "host" } else { "device" }.to_owned(),
        because: because.map(str::to_owned),
        times,
    };
    let regrids = used.regrids.into_iter().map(of_regrid).collect();
    let of_phases = |[advance, ghost, reflux, average, regrid, output, other]: [f64; DevicePhase::COUNT]| {
        PhaseSeconds { advance, ghost, reflux, average, regrid, output, other }
    };
    let phases = used.phase_seconds.map(of_phases);
    DeviceRecord { memory: pool(used.memory), pinned: pool(used.pinned), streamed, phases, host, regrids }
}

impl<const D: usize> Driver<'_, D> {
    /// The solver, with the last values of its parameters.
    fn solver_record(&self) -> SolverRecord {
        let reduced: Vec<(String, f64)> =
            self.simulation.reduced().map(|(name, value)| (name.to_owned(), value)).collect();
        self.case.solver_record(&reduced)
    }

    /// Totals by the names of their equations.
    pub(super) fn by_equation(&self, totals: &[f64]) -> BTreeMap<String, f64> {
        self.simulation.equations().iter().cloned().zip(totals.iter().copied()).collect()
    }

    fn step_limits(&self) -> Option<StepLimitsRecord> {
        let (dt_max, limited) = (self.simulation.dt_max(), self.simulation.counts().limited);
        (dt_max.is_some() || limited.by_growth > 0).then(|| StepLimitsRecord {
            dt_max: dt_max.map(|(dt, _)| dt),
            dt_max_is_default: dt_max.is_some_and(|(_, is_given)| !is_given),
            steps_at_dt_max: limited.by_dt_max,
            steps_growing: limited.by_growth,
        })
    }

    /// What the run has done so far. Steps and cells count from the start of the run, seconds from that of the process;
    /// the rate is that of the process.
    pub(super) fn record(&self, status: RunStatus, error: Option<String>) -> RunRecord {
        let simulation = &self.simulation;
        let counts = simulation.counts();
        let (wall_seconds, phases) = (simulation.stopwatch().wall_seconds(), simulation.stopwatch().seconds());
        let ranks = records(simulation);
        let [own, device] = simulation.memory().held.map(|n| n as u64);
        let host = if ranks.is_empty() { own } else { ranks.iter().map(|rank| rank.memory_bytes).sum() };
        // Lost values have no totals.
        let totals_final = if simulation.is_readable() { simulation.totals() } else { Vec::new() };
        let [host_peak, device_peak] = simulation.memory().peak.map(|n| n as u64);
        let state = simulation.most_state_bytes() as u64;
        RunRecord {
            case: self.case.file().to_owned(),
            solver: Some(self.solver_record()),
            definitions: self.case.definitions(),
            status,
            error,
            time: simulation.time(),
            stopped_by: self.stopped_by.map(str::to_owned),
            device: self.options.device.name().to_owned(),
            threads: simulation.threads() * self.options.comm.rank().of,
            precision: self.options.precision.name().to_owned(),
            wall_seconds,
            steps: counts.levels.iter().map(|l| l.steps).collect(),
            cells_advanced: counts.levels.iter().map(|l| l.cells).collect(),
            steps_repeated: simulation.repeated().iter().map(|l| l.steps).collect(),
            cells_repeated: simulation.repeated().iter().map(|l| l.cells).collect(),
            cells_advanced_total: counts.cells_total(),
            updates_per_second: (counts.cells_total() - self.cells_before) as f64 / wall_seconds,
            phases,
            writer_seconds: self.writer_seconds,
            patches_mean: counts.levels.iter().map(|l| l.patches_mean()).collect(),
            courant_max: counts.courant_max,
            step_limits: self.step_limits(),
            fallback_steps: Some(counts.fallback).filter(|steps| steps.taken > 0),
            totals_initial: self.by_equation(&self.totals_initial),
            totals_final: self.by_equation(&totals_final),
            steady_change: simulation.change(),
            forces: self.files.as_ref().map_or_else(BTreeMap::new, |files| files.forces.last()),
            plots: self.case.plots(),
            memory_bytes: MemoryBytes { host, device, host_peak, device_peak, state },
            device_use: simulation.device_use().map(device_record),
            imbalance: imbalance(&ranks),
            ranks,
            dir: self.dir.clone(),
        }
    }
}
