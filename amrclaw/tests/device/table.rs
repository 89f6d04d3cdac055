//! Every built-in solver with a moving state, on three levels: the folder `cases/solvers`.

use riemann::axis::Axis;
use riemann::group::reflects;

/// Names of solvers with their cases.
macro_rules! cases {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("../cases/solvers/", $name, ".toml")))),*] };
}

/// Name and case of each solver. The first is sound.
pub const CASES: [(&str, &str); 16] = cases! {
    "acoustics" "acoustics_variable" "advection" "advection_edge" "advection_mapped" "advection_reaction" "burgers" "elasticity"
    "euler" "euler_hllc" "euler_strong_shocks" "euler_tracer" "p_system" "shallow_water" "shallow_water_bathymetry" "traffic"
};

/// True if the solver supports solid walls.
pub fn with_walls(name: &str) -> bool {
    riemann::catalogue::find(name, 2)
        .is_some_and(|info| [Axis::X, Axis::Y].iter().all(|&axis| reflects(info.groups, 2, axis)))
}

/// Overrides for the boundary conditions, the ratios and the sweeps. Walls are across x only.
pub fn arranged(boundary: &str, ratio: &str, split: &str) -> [String; 4] {
    let other = if boundary == "wall" { "periodic" } else { boundary };
    [
        format!("mesh.boundary.x=[\"{boundary}\",\"{boundary}\"]"),
        format!("mesh.boundary.y=[\"{other}\",\"{other}\"]"),
        format!("levels.ratio={ratio}"),
        format!("scheme.split={split}"),
    ]
}
