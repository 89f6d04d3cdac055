//! Parameters of the solver that change from step to step.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The parameters of the solver that are computed of the whole solution before each step of the coarsest level, and their present values.
///
/// The formulas of one simulation share them; they change between steps only.
#[derive(Debug)]
pub struct ReducedParameters {
    names: Vec<String>,
    values: Vec<AtomicU64>,
}

impl ReducedParameters {
    /// Parameters with their first values.
    pub fn new(parameters: impl IntoIterator<Item = (String, f64)>) -> Arc<Self> {
        let (names, values) =
            parameters.into_iter().map(|(name, value)| (name, AtomicU64::new(value.to_bits()))).unzip();
        Arc::new(ReducedParameters { names, values })
    }

    /// Their names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Their present values.
    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().map(|value| f64::from_bits(value.load(Ordering::Relaxed)))
    }

    /// Gives them values, one each. No formula is computed meanwhile.
    pub fn set(&self, values: &[f64]) {
        self.values.iter().zip(values).for_each(|(place, value)| place.store(value.to_bits(), Ordering::Relaxed));
    }
}
