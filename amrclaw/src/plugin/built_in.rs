//! Kernels of built-in solvers that this program was built without: compiled when a case first asks for them, as a user's file is.

use super::source::{Solver, Wanted};
use super::{PluginError, build, library};
use cuda::cache;
use riemann::catalogue::SolverInfo;
use riemann::plugin::Plugin;

/// The file that they are compiled from: all built-in solvers.
const TEXT: &str = "pub use riemann::solvers::*;\n";

/// Compiles a built-in solver into kernels, or finds those of an earlier run.
///
/// # Errors
/// There is no compiler, or no folder for what it makes.
pub fn load(info: &SolverInfo, wanted: Wanted) -> Result<Plugin, PluginError> {
    let file = cache::folder()?.join("built_in.rs");
    if std::fs::read(&file).map_or(true, |text| text != TEXT.as_bytes()) {
        cache::write(&file, TEXT.as_bytes())?;
    }
    let (mesh, precision) = (wanted.mesh.name(), wanted.precision.name());
    let announce = || tracing::info!(solver = info.name, mesh, precision, "compiling the solver's kernels");
    library::open(&build::compiled(&file, Some(&Solver::of_type(info.type_name)), wanted, announce)?, &file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::source::Mesh;
    use riemann::axis::Axis;
    use riemann::catalogue;
    use riemann::patch::{FaceList, PACK_OVERRUN, PatchSolver};
    use riemann::real::Precision;
    use std::collections::BTreeMap;

    /// Fluctuations of some faces along y.
    fn fluctuations(solver: &dyn PatchSolver<f32>) -> Vec<f32> {
        let (len, stride) = (37, 37 + PACK_OVERRUN);
        let states = |seed: f32| (0..3 * stride).map(|k| (seed * k as f32).sin()).collect::<Vec<f32>>();
        let (ql, qr, mut sum) = (states(0.7), states(1.3), vec![0.0; 3 * stride]);
        let none = ql.as_ptr();
        let list = FaceList { len, ql: none, qr: qr.as_ptr(), aux_l: none, aux_r: none, sum: sum.as_mut_ptr(), stride };
        // SAFETY: each array holds a stride of numbers for each component.
        unsafe { solver.fluctuation_sums(Axis::Y, &list) };
        (0..3).flat_map(|m| sum[m * stride..][..len].to_vec()).collect()
    }

    /// Kernels compiled on demand give the bits of those that this build has, and there are none but those asked for.
    #[test]
    fn kernels_on_demand_give_the_same_bits() {
        let info = catalogue::find("acoustics", 2).expect("it is built in");
        let plugin = load(info, Wanted { mesh: Mesh::Straight, precision: Precision::F32 });
        let instance = plugin.unwrap_or_else(|e| panic!("{e}")).form(2).create(&[1.5, 4.0]).expect("it can be made");
        let parameters = BTreeMap::from([("density".to_owned(), 1.5), ("bulk".to_owned(), 4.0)]);
        let kernels = catalogue::kernels("acoustics", 2, &parameters).expect("they are right");
        let own = kernels.and_then(|kernels| kernels.single).expect("tests have all kernels");
        let made = instance.kernels().single.expect("it was asked for");
        let found = fluctuations(made.as_ref());
        assert_eq!(found, fluctuations(own.as_ref()));
        assert!(found.iter().any(|&x| x != 0.0));
        assert_eq!(PatchSolver::<f64>::failure(&instance), None);
    }

    /// A solver that few cases use is not part of a build for one machine, and is there when it is asked for.
    #[test]
    fn rare_solvers_are_compiled_on_demand() {
        let info = catalogue::find("cubic", 1).expect("it is built in");
        assert!(info.on_demand && info.dim == 1);
        let plugin = load(info, Wanted::DEFAULT).unwrap_or_else(|e| panic!("{e}"));
        let instance = plugin.form(1).create(&[]).expect("it can be made");
        let (len, stride) = (5, 5 + PACK_OVERRUN);
        let (ql, qr, mut sum) = (vec![2.0; stride], vec![3.0; stride], vec![0.0; stride]);
        let none = ql.as_ptr();
        let list = FaceList { len, ql: none, qr: qr.as_ptr(), aux_l: none, aux_r: none, sum: sum.as_mut_ptr(), stride };
        // SAFETY: each array holds a stride of numbers for each component.
        unsafe { instance.kernels().double.fluctuation_sums(Axis::X, &list) };
        assert_eq!(sum[..len], [27.0 - 8.0; 5]);
    }
}
