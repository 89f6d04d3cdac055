//! A solver of a plugin.

use super::calls::enter;
use super::{Plugin, PluginForm, take_panic};
use crate::axis::{Axis, Side};
use crate::catalogue::SolverInfo;
use crate::device_source::DeviceSource;
use crate::faces::Faces;
use crate::patch::{Kernels, PatchSolver, SolverKernels};
use crate::plugin::abi::GhostCall;
use crate::plugin::{Form, Object, Row, Status, Table, form, table};
use crate::real::Real;
use crate::solver::{Described, Solver};
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

struct Shared {
    plugin: PluginForm,
    object: Object,
    /// Values of the parameters; none where the solver was made from another.
    values: Vec<f64>,
    /// The message of the solver's first panic.
    failure: Arc<Mutex<Option<String>>>,
}

// SAFETY: the solver behind the object is `Send` and `Sync`, as every `Solver` is.
unsafe impl Send for Shared {}
// SAFETY: likewise.
unsafe impl Sync for Shared {}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: the object is the plugin's, and nobody has it any more.
        unsafe { (self.plugin.form.destroy)(self.object) };
    }
}

/// A solver of a plugin, with the values of its parameters.
///
/// The message of a panic in it is kept for [`PatchSolver::failure`](crate::patch::PatchSolver::failure); the result is then NaN.
#[derive(Clone)]
pub struct Instance(Arc<Shared>);

impl Instance {
    /// A solver of this program behind the interface of plugins, with all functions that it provides, in the `PRECISIONS` that [`form`] takes.
    ///
    /// Its table is never freed: a program has few solvers.
    pub fn own<S, const M: usize, const W: usize, const A: usize, const PRECISIONS: u8>(solver: S) -> (Self, PluginForm)
    where
        S: Solver<M, W, A> + Described,
    {
        let table: &'static Table =
            Box::leak(Box::new(table("this program's compiler", vec![form::<S, M, W, A, PRECISIONS>()])));
        // SAFETY: the table is one of `table`, and never freed.
        let plugin =
            unsafe { Plugin::from_entry(table) }.expect("a solver's own table is of this version").form(S::DIM);
        let source = solver.device_source();
        let values: Vec<f64> = source.iter().flat_map(|source| &source.parameters).map(|&(_, value)| value).collect();
        let object = Box::into_raw(Box::new(Kernels::new(solver))).cast();
        (Instance::new(plugin, object, &values), plugin)
    }

    pub(super) fn new(plugin: PluginForm, object: Object, values: &[f64]) -> Self {
        Instance(Arc::new(Shared { plugin, object, values: values.to_vec(), failure: Arc::default() }))
    }

    /// Another solver with the values that this one was made with, which keeps them when this one gets others. Its panics are this one's.
    pub fn again(&self) -> Self {
        let Ok(mut other) = self.0.plugin.create(&self.0.values) else { return self.clone() };
        if let Some(other) = Arc::get_mut(&mut other.0) {
            other.failure = self.0.failure.clone();
        }
        other
    }

    /// The kernels.
    pub fn kernels(&self) -> SolverKernels {
        let kernels = Arc::new(self.clone());
        let single = self.form().description.has_single;
        SolverKernels { double: kernels.clone(), single: single.then_some(kernels as _) }
    }

    /// The evaluators of single faces.
    pub fn faces(&self) -> Faces {
        let plugin = self.0.plugin;
        let made = |make: &dyn Fn(&mut Object) -> Status| {
            let mut object = std::ptr::null_mut();
            let status = make(&mut object);
            self.done(status).then(|| Arc::new(Instance::new(plugin, object, &[])) as _)
        };
        let exchanged = |&[first, second]: &[Axis; 2]| {
            // SAFETY: the object is alive, and there is a place for the other.
            made(&|other| unsafe { (self.form().exchanged)(self.0.object, first, second, other) })
        };
        // SAFETY: likewise.
        let mirrored = |&axis: &Axis| made(&|other| unsafe { (self.form().mirrored)(self.0.object, axis, other) });
        let exchanged = Axis::pairs(plugin.info.dim).iter().map(exchanged).collect();
        let mirrored = Axis::ALL[..plugin.info.dim].iter().map(mirrored).collect();
        let double = Arc::new(self.clone());
        let aux_face = PatchSolver::<f64>::aux_face(self).to_vec();
        Faces { single: double.clone(), double, aux_face, exchanged, mirrored, beside: 0.0 }
    }

    /// Initial data of a row of cells.
    pub fn initial(&self, row: &Row, aux: &[f64], out: &mut [f64]) {
        assert_eq!((aux.len(), out.len()), (self.num_aux() * row.len, self.num_eqn() * row.len));
        let _inside = enter(&"initial");
        // SAFETY: the rows are there.
        let status = unsafe { (self.form().initial)(self.0.object, row, aux.as_ptr(), out.as_mut_ptr()) };
        self.done_or_nan(status, out);
    }

    /// Auxiliary values of a row of cells.
    pub fn aux_values(&self, row: &Row, out: &mut [f64]) {
        assert_eq!(out.len(), self.num_aux() * row.len);
        let _inside = enter(&"aux_values");
        // SAFETY: the row is there.
        let status = unsafe { (self.form().aux_values)(self.0.object, row, out.as_mut_ptr()) };
        self.done_or_nan(status, out);
    }

    /// Not zero in the cells of a row that are to be refined. `states`, `[value, cell]`: of the row; where the criterion looks around then
    /// along each axis of the neighbours below and above.
    pub fn flag(&self, row: &Row, states: &[f64], aux: &[f64], out: &mut [f64]) {
        let count = if self.0.plugin.hooks().flag_looks_around { 1 + 2 * self.info().dim } else { 1 };
        let counts = (count * self.num_eqn() * row.len, self.num_aux() * row.len, row.len);
        assert_eq!((states.len(), aux.len(), out.len()), counts);
        let _inside = enter(&"flag");
        // SAFETY: the rows are there.
        let status = unsafe { (self.form().flag)(self.0.object, row, states.as_ptr(), aux.as_ptr(), out.as_mut_ptr()) };
        self.done_or_nan(status, out);
    }

    /// The state of a ghost cell.
    pub fn boundary(&self, axis: Axis, side: Side, centre: [f64; 3], time: f64, mirror: &[f64], ghost: &mut [f64]) {
        assert_eq!((mirror.len(), ghost.len()), (self.num_eqn(), self.num_eqn()));
        let call = GhostCall { axis, side, centre, time, mirror: mirror.as_ptr(), ghost: ghost.as_mut_ptr() };
        let _inside = enter(&"boundary");
        // SAFETY: both states have a value for each equation.
        let status = unsafe { (self.form().boundary)(self.0.object, &call) };
        self.done_or_nan(status, ghost);
    }

    /// What the solver is.
    pub fn info(&self) -> &'static SolverInfo {
        self.0.plugin.info
    }

    /// The values of its parameters as it was made; none where it was made from another.
    pub fn values(&self) -> &[f64] {
        &self.0.values
    }

    /// As [`PatchSolver::set_parameters`](crate::patch::PatchSolver::set_parameters).
    ///
    /// # Safety
    /// That of the method.
    pub unsafe fn set_parameters(&self, values: &[f64]) -> bool {
        let _inside = enter(&"from_parameters");
        // SAFETY: the values are there; the rest is the caller's promise.
        let status = unsafe { (self.form().set_parameters)(self.0.object, values.as_ptr(), values.len()) };
        self.done(status)
    }

    pub(super) fn form(&self) -> &'static Form {
        self.0.plugin.form
    }

    pub(super) fn plugin(&self) -> PluginForm {
        self.0.plugin
    }

    pub(super) fn object(&self) -> Object {
        self.0.object
    }

    pub(super) fn num_eqn(&self) -> usize {
        self.0.plugin.info.equations.len()
    }

    pub(super) fn num_aux(&self) -> usize {
        self.0.plugin.info.aux.len()
    }

    /// True if all went well; keeps the message if the solver panicked.
    pub(super) fn done(&self, status: Status) -> bool {
        if status == Status::PANICKED {
            let message = take_panic(self.0.plugin.table);
            self.0.failure.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(message);
        }
        status == Status::DONE
    }

    pub(super) fn done_or_nan<R: Real>(&self, status: Status, out: &mut [R]) {
        if !self.done(status) {
            out.fill(R::constant(f64::NAN));
        }
    }

    /// The message of the solver's first panic.
    pub(super) fn failure(&self) -> Option<String> {
        self.0.failure.lock().unwrap_or_else(|e| e.into_inner()).clone()
    }

    /// The solver's CUDA C++, if there is one.
    pub(super) fn device_source(&self) -> Option<DeviceSource> {
        let mut body = String::new();
        // SAFETY: the sink is given the string that it expects.
        let status = unsafe { (self.form().device_body)(self.0.object, append, (&raw mut body).cast()) };
        if !self.done(status) {
            return None;
        }
        let (info, hooks) = (self.0.plugin.info, self.0.plugin.hooks());
        let names = info.parameters.iter().map(|parameter| parameter.name);
        Some(DeviceSource {
            body,
            parameters: names.zip(self.0.values.iter().copied()).collect(),
            reduced: Vec::new(),
            equations: info.equations.len(),
            waves: info.waves,
            aux: info.aux.len(),
            fwaves: info.fwaves,
            has_source: info.has_source,
            has_boundary: hooks.boundary,
            has_flag: hooks.flag,
            has_positive: self.form().description.checks_steps,
            has_admissible: self.form().description.limits,
            has_transfer: self.form().description.transfers,
            looks_beside: info.looks_beside,
        })
    }

    /// A state and auxiliary values from as many numbers between 0 and 1.
    pub(super) fn admissible(&self, state: &[f64], aux: &[f64]) -> Vec<f64> {
        let unit = [state, aux].concat();
        assert_eq!(unit.len(), self.num_eqn() + self.num_aux());
        let mut out = vec![0.0; unit.len()];
        let _inside = enter(&"admissible");
        // SAFETY: both have a number for each equation and each auxiliary value.
        let status = unsafe { (self.form().admissible)(self.0.object, unit.as_ptr(), out.as_mut_ptr()) };
        self.done_or_nan(status, &mut out);
        out
    }
}

/// Appends text to the string that `context` is.
unsafe extern "C" fn append(context: *mut c_void, bytes: *const u8, len: usize) {
    // SAFETY: the caller below hands over a string, the plugin the bytes.
    let (text, bytes) = unsafe { (&mut *context.cast::<String>(), std::slice::from_raw_parts(bytes, len)) };
    text.push_str(&String::from_utf8_lossy(bytes));
}
