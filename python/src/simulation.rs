//! A simulation under Python's control.
//!
//! Arrays that [`Simulation::patches`] returns are views of the solver's own memory and share ownership of a [`Lease`]. Before
//! memory with live arrays changes, the simulation moves it to the lease and continues with a copy. So an array always shows
//! the values at the time when it was requested, and values are copied only if an array outlives a step.

use crate::arrays::PatchView;
use crate::case::{Case, Options, run_options};
use crate::errors;
use crate::frame::{BoxTuple, Frame, PatchTuple};
use crate::functions::{Functions, Raised};
use amrclaw::exec::{HostArray, HostMemory};
use amrclaw::frames::derived::Vocabulary;
use amrclaw::index::Level;
use amrclaw::simulation::{AnySimulation, HostPatch, HostPatches, any_simulation};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, Weak};

/// Memory of a level that arrays view: `None` while it still belongs to the simulation.
#[derive(Default)]
struct Lease {
    memory: Mutex<Option<HostMemory>>,
}

/// The owner of arrays: keeps the lease alive.
#[pyclass(frozen, module = "amrclaw._amrclaw")]
struct LevelMemory {
    _lease: Arc<Lease>,
}

/// A simulation that Python advances step by step.
#[pyclass(module = "amrclaw._amrclaw")]
pub struct Simulation {
    simulation: Box<dyn AnySimulation>,
    /// Names that formulas over its frames may use.
    vocabulary: Vocabulary,
    leases: Vec<Weak<Lease>>,
    raised: Raised,
    /// A function failed during a step, which makes the solution unusable.
    failed: bool,
}

/// Why a call is refused while another call works with the simulation, on this thread or another.
const IN_USE: &str = "the simulation is in use by another call: a function that a step calls, such as `boundary` or `flag`, cannot use \
                      it, nor can other threads of the program until the step ends\n  help: in a function use what it is given, such as \
                      `cells.t` and `cells.q`; let threads take turns with a `threading.Lock`, or give each its own simulation";

impl Simulation {
    /// The simulation, for a call that only reads it.
    fn read<'py>(slf: &Bound<'py, Self>) -> PyResult<PyRef<'py, Self>> {
        slf.try_borrow().map_err(|_| errors::broken(IN_USE))
    }

    /// The simulation, for a call that changes it or takes long.
    fn hold<'py>(slf: &Bound<'py, Self>) -> PyResult<PyRefMut<'py, Self>> {
        slf.try_borrow_mut().map_err(|_| errors::broken(IN_USE))
    }

    fn num_levels_now(&self) -> usize {
        self.simulation.num_levels()
    }

    /// Moves memory that live arrays view to their leases.
    fn release_leases(&mut self) {
        for (l, lease) in std::mem::take(&mut self.leases).into_iter().enumerate() {
            if let Some(lease) = lease.upgrade() {
                let memory = self.simulation.take_values(Level(l as u8));
                *lease.memory.lock().expect("nobody panics with the lock held") = memory;
            }
        }
    }

    fn step_once(&mut self, py: Python<'_>, limit: f64) -> PyResult<()> {
        if self.failed {
            return Err(errors::broken("a function failed during an earlier step: begin a new simulation"));
        }
        self.release_leases();
        let simulation = &mut self.simulation;
        let outcome = py.detach(|| simulation.step_to(limit));
        if let Some(exception) = self.raised.take() {
            self.failed = true;
            return Err(exception);
        }
        outcome.map_err(errors::from_step)?;
        py.check_signals()
    }
}

impl Simulation {
    /// Updates auxiliary values to the current time, before they are read.
    fn renew_aux(&mut self, py: Python<'_>) -> PyResult<()> {
        if self.simulation.aux_stays() {
            return Ok(());
        }
        // Arrays that views show are never written.
        self.release_leases();
        let simulation = &mut self.simulation;
        let outcome = py.detach(|| simulation.renew_aux());
        match self.raised.take() {
            Some(exception) => Err(exception),
            None => outcome.map_err(errors::from_step),
        }
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        self.release_leases();
    }
}

#[pymethods]
impl Simulation {
    #[new]
    fn new(py: Python<'_>, case: &Bound<'_, Case>, options: Options<'_>, functions: Functions) -> PyResult<Self> {
        let mut options = run_options(&options)?;
        let raised = Raised::default();
        let case = case.get();
        options.functions = functions.of(case, &raised);
        let simulation = py.detach(|| any_simulation(&case.case, &options));
        if let Some(exception) = raised.take() {
            return Err(exception);
        }
        // A failure before the first step is a mistake in the input, as for runs.
        let simulation = simulation.map_err(errors::refused)?;
        let vocabulary = case.case.vocabulary().with_definitions(&case.case.definitions());
        Ok(Simulation { simulation, vocabulary, leases: Vec::new(), raised, failed: false })
    }

    /// Takes one step of the coarsest level, adjusted to end at `limit` if that is near.
    #[pyo3(signature = (limit=f64::INFINITY))]
    fn step(slf: &Bound<'_, Self>, limit: f64) -> PyResult<()> {
        Self::hold(slf)?.step_once(slf.py(), limit)
    }

    /// Takes steps up to a time.
    fn advance_to(slf: &Bound<'_, Self>, time: f64) -> PyResult<()> {
        let mut this = Self::hold(slf)?;
        while this.simulation.time() < time {
            this.step_once(slf.py(), time)?;
        }
        Ok(())
    }

    #[getter]
    fn time(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Ok(Self::read(slf)?.simulation.time())
    }

    #[getter]
    fn dt_next(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Ok(Self::read(slf)?.simulation.dt_next())
    }

    #[getter]
    fn num_levels(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(Self::read(slf)?.num_levels_now())
    }

    #[getter]
    fn threads(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(Self::read(slf)?.simulation.threads())
    }

    /// Steps taken on each level.
    #[getter]
    fn steps(slf: &Bound<'_, Self>) -> PyResult<Vec<u64>> {
        Ok(Self::read(slf)?.simulation.counts().levels.iter().map(|l| l.steps).collect())
    }

    /// Cells advanced on each level.
    #[getter]
    fn cells_advanced(slf: &Bound<'_, Self>) -> PyResult<Vec<u64>> {
        Ok(Self::read(slf)?.simulation.counts().levels.iter().map(|l| l.cells).collect())
    }

    #[getter]
    fn courant_max(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Ok(Self::read(slf)?.simulation.counts().courant_max)
    }

    /// Integrals over the composite grid, one per equation.
    fn totals(slf: &Bound<'_, Self>) -> PyResult<Vec<f64>> {
        let mut this = Self::hold(slf)?;
        this.renew_aux(slf.py())?;
        let simulation = &this.simulation;
        Ok(slf.py().detach(|| simulation.totals()))
    }

    /// A copy of the current solution.
    fn frame(slf: &Bound<'_, Self>) -> PyResult<Frame> {
        let mut this = Self::hold(slf)?;
        this.renew_aux(slf.py())?;
        let simulation = &this.simulation;
        let frame = slf.py().detach(|| simulation.frame());
        Ok(Frame::new(frame, this.vocabulary.clone()))
    }

    /// First cell and cell past the last of each patch of a level, counted from 1.
    fn boxes(slf: &Bound<'_, Self>, level: usize) -> PyResult<Vec<BoxTuple>> {
        let this = Self::read(slf)?;
        let index = errors::level_index(level, this.num_levels_now())?;
        let boxes = this.simulation.boxes(Level(index as u8));
        Ok(boxes.into_iter().map(|[lo, hi]| (lo, hi)).collect())
    }

    /// Patches of a level, counted from 1, with views of the solver's values; `None` if these are not in host memory.
    fn patches<'py>(slf: &Bound<'py, Self>, level: usize) -> PyResult<Option<Vec<PatchTuple<'py>>>> {
        let mut this = Self::hold(slf)?;
        let levels = this.num_levels_now();
        let index = errors::level_index(level, levels)?;
        this.leases.resize_with(levels, Weak::new);
        let lease = this.leases[index].upgrade().unwrap_or_default();
        this.leases[index] = Arc::downgrade(&lease);
        let owner = Bound::new(slf.py(), LevelMemory { _lease: lease })?.into_any();
        this.simulation.host_patches(Level(index as u8)).map(|host| leased_patches(host, &owner)).transpose()
    }
}

fn leased_patches<'py>(host: HostPatches<'_>, owner: &Bound<'py, PyAny>) -> PyResult<Vec<PatchTuple<'py>>> {
    let tuple = |patch: HostPatch| {
        let HostPatch { lo, hi, offset, strides } = patch;
        let view = PatchView { lo, hi, strides };
        let array = |k: usize| {
            // SAFETY: before it writes or frees the memory, the simulation moves it to the lease, which `owner` keeps alive.
            unsafe {
                match host.values[k] {
                    HostArray::F64(values) => view.array(values, offset[k], host.components[k], owner.clone()),
                    HostArray::F32(values) => view.array(values, offset[k], host.components[k], owner.clone()),
                }
            }
        };
        let (q, aux) = (array(0)?, array(1)?);
        Ok((view.lo, view.hi, q, aux))
    };
    host.patches.into_iter().map(tuple).collect()
}
