//! Kernels of built-in solvers that this program was built without, and evaluators of their faces: compiled when they are first asked for, as
//! a user's file is.

use super::source::{Solver, Wanted};
use super::{PluginError, build, library};
use cuda::cache;
use riemann::catalogue::{self, SolverInfo};
use riemann::faces::Faces;
use riemann::plugin::Instance;

/// The file that they are compiled from: all built-in solvers.
const TEXT: &str = "pub use riemann::solvers::*;\n";

/// Compiles a built-in solver, or finds what an earlier run has made. `values`: of its parameters, in their order. `announce` is called
/// before it is compiled.
///
/// # Errors
/// There is no compiler, or no folder for what it makes.
pub fn load(
    info: &SolverInfo,
    wanted: Wanted,
    values: &[f64],
    announce: impl FnOnce(),
) -> Result<Instance, PluginError> {
    let file = cache::folder()?.join("built_in.rs");
    if std::fs::read(&file).map_or(true, |text| text != TEXT.as_bytes()) {
        cache::write(&file, TEXT.as_bytes())?;
    }
    let library = build::compiled(&file, Some(&Solver::of_type(info.type_name)), wanted, announce)?;
    let form = library::open(&library, &file)?.form(info.dim);
    form.create(values).map_err(|source| PluginError::Unfit { path: info.name.into(), source })
}

/// Evaluators of single faces: this build's, or compiled ones.
///
/// # Errors
/// As for [`load`].
///
/// # Panics
/// If the values of the parameters are impossible.
pub fn faces(info: &SolverInfo, values: &[f64], announce: impl FnOnce()) -> Result<Faces, PluginError> {
    let named = info.parameters.iter().zip(values).map(|(parameter, value)| (parameter.name.to_owned(), *value));
    match catalogue::faces(info.name, info.dim, &named.collect()).expect("the values are possible") {
        Some(faces) => Ok(faces),
        None => Ok(load(info, Wanted::DEFAULT, values, announce)?.faces()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::source::Mesh;
    use riemann::axis::Axis;
    use riemann::faces::FaceSolver;
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
        let single = Wanted { mesh: Mesh::Straight, precision: Precision::F32 };
        let instance = load(info, single, &[1.5, 4.0], || ()).unwrap_or_else(|e| panic!("{e}"));
        let parameters = BTreeMap::from([("density".to_owned(), 1.5), ("bulk".to_owned(), 4.0)]);
        let kernels = catalogue::kernels("acoustics", 2, &parameters).expect("they are right");
        let own = kernels.and_then(|kernels| kernels.single).expect("tests have all kernels");
        let made = instance.kernels().single.expect("it was asked for");
        let found = fluctuations(made.as_ref());
        assert_eq!(found, fluctuations(own.as_ref()));
        assert!(found.iter().any(|&x| x != 0.0));
        assert_eq!(PatchSolver::<f64>::failure(&instance), None);
    }

    /// A solver that few cases use is not part of a build for one machine, and is there when it is asked for, with the bits of its faces.
    #[test]
    fn rare_solvers_are_compiled_on_demand() {
        let info = catalogue::find("cubic", 1).expect("it is built in");
        assert!(info.on_demand && info.dim == 1);
        let instance = load(info, Wanted::DEFAULT, &[], || ()).unwrap_or_else(|e| panic!("{e}"));
        let (len, stride) = (5, 5 + PACK_OVERRUN);
        let (ql, qr, mut sum) = (vec![2.0; stride], vec![3.0; stride], vec![0.0; stride]);
        let none = ql.as_ptr();
        let list = FaceList { len, ql: none, qr: qr.as_ptr(), aux_l: none, aux_r: none, sum: sum.as_mut_ptr(), stride };
        // SAFETY: each array holds a stride of numbers for each component.
        unsafe { instance.kernels().double.fluctuation_sums(Axis::X, &list) };
        assert_eq!(sum[..len], [27.0 - 8.0; 5]);
        let own = faces(info, &[], || ()).expect("tests have those of all").double;
        let solve = |faces: &dyn FaceSolver<f64>| faces.normal(Axis::X, [&[0.3], &[-1.7]], [&[], &[]]);
        assert_eq!(solve(instance.faces().double.as_ref()), solve(own.as_ref()));
    }
}
