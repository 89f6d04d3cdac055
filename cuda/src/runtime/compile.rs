//! From a kernel's file, a solver's text and a run's options to machine code, kept on disk.

use crate::runtime::cache::{self, Hash};
use crate::runtime::device::Device;
use crate::runtime::error::CudaError;
use crate::runtime::kernel::Module;
use crate::runtime::nvrtc::{Compiled, Nvrtc};
use riemann::device_source::DeviceSource;
use riemann::elementary;
use riemann::patch::{LEAST_NONNEGATIVE, MOST_SPEED_UP};
use riemann::real::Precision;
use std::fmt::Write;
use std::path::Path;

const PRELUDE: &str = include_str!("../../kernels/prelude.cuh");

/// The type of numbers in CUDA C++.
pub fn type_name(precision: Precision) -> &'static str {
    match precision {
        Precision::F64 => "double",
        Precision::F32 => "float",
    }
}

/// What all kernels of a run are compiled for.
#[derive(Clone, Debug)]
pub struct Target {
    /// Precision of the numbers.
    pub precision: Precision,
    /// Contract products and sums into fused multiply-adds, and compute divisions of the update by refined reciprocals. Otherwise
    /// results in `f64` are the CPU's to the bit.
    pub fused: bool,
    /// The solver, for kernels that call it.
    pub solver: Option<DeviceSource>,
}

/// A kernel, or several in one text, and what they are specialised by.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name of the file, or of the text.
    pub file: &'static str,
    /// The texts that follow the definitions, one after another.
    pub texts: Vec<&'static str>,
    /// Definitions that it uses, of structs ([`crate::abi::DeviceStruct::cuda_text`]) and of functions.
    pub definitions: Vec<String>,
    /// Compile-time constants.
    pub defines: Vec<(&'static str, String)>,
}

impl Source {
    /// The whole text to compile.
    pub fn assemble(&self, target: &Target) -> String {
        let mut text = format!("typedef {} Real;\n", type_name(target.precision));
        if let Some(solver) = &target.solver {
            let DeviceSource { equations, waves, aux, .. } = solver;
            let counts = [("NUM_EQUATIONS", equations), ("NUM_WAVES", waves), ("NUM_AUX", aux)];
            for (name, count) in counts {
                define(&mut text, name, count);
            }
            define(&mut text, "FWAVES", &u8::from(solver.fwaves));
        }
        let positive = target.solver.as_ref().is_some_and(|solver| solver.has_positive);
        define(&mut text, "HAS_POSITIVE", &u8::from(positive));
        let admissible = target.solver.as_ref().is_some_and(|solver| solver.has_admissible);
        define(&mut text, "HAS_ADMISSIBLE", &u8::from(admissible));
        let transfer = target.solver.as_ref().is_some_and(|solver| solver.has_transfer);
        define(&mut text, "HAS_TRANSFER", &u8::from(transfer));
        let beside = target.solver.as_ref().is_some_and(|solver| solver.looks_beside);
        define(&mut text, "LOOKS_BESIDE", &u8::from(beside));
        define(&mut text, "LEAST_NONNEGATIVE", &format!("({LEAST_NONNEGATIVE:?})"));
        define(&mut text, "MOST_SPEED_UP", &format!("({MOST_SPEED_UP:?})"));
        define(&mut text, "FUSED", &u8::from(target.fused));
        for (name, value) in &self.defines {
            define(&mut text, name, value);
        }
        text += PRELUDE;
        let mut rest = String::new();
        if let Some(solver) = &target.solver {
            let values: Vec<String> = solver.parameters.iter().map(|parameter| value_of(solver, *parameter)).collect();
            let _ = writeln!(rest, "struct Solver {{\n{}\n}};", solver.body);
            let _ = writeln!(rest, "#define SOLVER_PARAMETERS {}", values.join(", "));
        }
        self.definitions.iter().for_each(|definition| rest += definition);
        self.texts.iter().for_each(|part| rest += part);
        if rest.contains(REDUCED_PARAMETERS) {
            let _ = writeln!(text, "extern \"C\" {{ __constant__ double {REDUCED_PARAMETERS}[{MOST_REDUCED}]; }}");
        }
        if elementary::is_called_in(&rest) {
            text += elementary::device_text();
        }
        text + &rest
    }

    /// Compiles for an architecture such as `sm_90`. No device is needed.
    ///
    /// # Errors
    /// If NVRTC is missing, or with its log if the text does not compile.
    pub fn compile(&self, target: &Target, architecture: &str) -> Result<Compiled, CudaError> {
        self.compile_with(target, architecture, None)
    }

    /// Like [`Source::compile`], only to check that the text compiles: with little optimisation, in a fraction of the time. NVRTC
    /// before 12.9 has no such option and takes the full time.
    ///
    /// # Errors
    /// As for [`Source::compile`].
    pub fn compile_quickly(&self, target: &Target, architecture: &str) -> Result<Compiled, CudaError> {
        let is_known = Nvrtc::get()?.version() >= [12, 9];
        self.compile_with(target, architecture, is_known.then(|| "--Ofast-compile=max".to_owned()))
    }

    fn compile_with(&self, target: &Target, architecture: &str, more: Option<String>) -> Result<Compiled, CudaError> {
        let failed = |log| CudaError::Compile { kernel: self.file.into(), arch: architecture.into(), log };
        let options: Vec<_> = options(target, architecture).into_iter().chain(more).collect();
        Nvrtc::get()?.compile(self.file, &self.assemble(target), &options).map_err(failed)
    }
}

/// The array of the parameters that change from step to step, in the texts that read it.
pub const REDUCED_PARAMETERS: &str = "reduced_parameters";
/// Its length.
pub const MOST_REDUCED: usize = 64;

/// The value of a solver's parameter, as an expression.
fn value_of(solver: &DeviceSource, (name, value): (&str, f64)) -> String {
    match solver.reduced.iter().position(|reduced| reduced == name) {
        Some(number) => format!("Real({REDUCED_PARAMETERS}[{number}])"),
        None => format!("Real({value:?})"),
    }
}

fn define(text: &mut String, name: &str, value: &dyn std::fmt::Display) {
    let _ = writeln!(text, "#define {name} {value}");
}

fn options(target: &Target, architecture: &str) -> Vec<String> {
    vec![
        format!("--gpu-architecture={architecture}"),
        "--std=c++17".into(),
        format!("--fmad={}", target.fused),
        "--generate-line-info".into(),
        "--ptxas-options=-v".into(),
    ]
}

impl Source {
    /// Machine code for an architecture, read from disk if an earlier run has kept it, here or on the machine that the folder was
    /// copied from. `kept`: the folder, see [`cache::kernels`].
    ///
    /// # Errors
    /// If it has to be compiled and cannot be.
    pub fn machine_code(&self, target: &Target, architecture: &str, kept: Option<&Path>) -> Result<Vec<u8>, CudaError> {
        let path = kept.map(|folder| folder.join(cache_name(self, target, architecture)));
        if let Some(cubin) = path.as_deref().and_then(cache::read) {
            return Ok(cubin);
        }
        let compiled = self.compile(target, architecture)?;
        tracing::debug!("compiled {} for {architecture}: {}", self.file, compiled.log.trim());
        if let Some(path) = path
            && let Err(error) = cache::keep(&path, &compiled.cubin)
        {
            tracing::warn!("the machine code is not cached for the next run: {error}");
        }
        Ok(compiled.cubin)
    }
}

impl Device {
    /// Compiles a kernel's file for this device, or takes the machine code from disk, and loads it.
    ///
    /// # Errors
    /// If NVRTC is missing, the text does not compile or the driver refuses the code.
    pub fn compile(&self, source: &Source, target: &Target) -> Result<Module, CudaError> {
        let architecture = self.info().architecture();
        self.load(source.machine_code(target, &architecture, self.kept_kernels())?).or_else(|error| {
            tracing::warn!("{}: compiled again, since its machine code cannot be loaded: {error}", source.file);
            self.load(source.compile(target, &architecture)?.cubin)
        })
    }
}

/// Name under which a kernel's machine code is kept. It depends on content and options, not on the compiler, which may be missing where the
/// folder is copied to.
fn cache_name(source: &Source, target: &Target, architecture: &str) -> String {
    let key = format!("{:?}\n{}", options(target, architecture), source.assemble(target));
    let stem = source.file.trim_end_matches(".cu");
    format!("{stem}-{architecture}-{}.cubin", Hash::new().with(key).digits())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever changes the machine code changes the name under which it is kept.
    #[test]
    fn everything_that_matters_is_in_the_name() {
        let source =
            Source { file: "k.cu", texts: vec!["void k() {}"], definitions: vec![], defines: vec![("N", "1".into())] };
        let target = Target { precision: Precision::F64, fused: true, solver: None };
        let names = [
            cache_name(&source, &target, "sm_80"),
            cache_name(&source, &target, "sm_90"),
            cache_name(&source, &Target { fused: false, ..target.clone() }, "sm_90"),
            cache_name(&source, &Target { precision: Precision::F32, ..target.clone() }, "sm_90"),
            cache_name(&Source { texts: vec!["void j() {}"], ..source.clone() }, &target, "sm_90"),
            cache_name(&Source { defines: vec![("N", "2".into())], ..source.clone() }, &target, "sm_90"),
        ];
        for (n, name) in names.iter().enumerate() {
            assert!(!names[..n].contains(name), "{name}");
        }
        assert_eq!(names[1], cache_name(&source, &target, "sm_90"));
    }
}
