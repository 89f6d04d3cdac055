//! Mapped meshes: properties of every solver in the frames of faces.

#[path = "../common/mod.rs"]
mod common;

#[path = "../../../examples/acoustics_cylinder/exact.rs"]
mod cylinder;

mod accuracy;
mod conserved;
mod examples;
mod free_stream;
mod refused;
mod space;
mod straight;

/// A smooth mapping that curves both families of grid lines and is periodic along both axes.
const SMOOTH: [&str; 2] = ["X + 0.06 * sin(2*pi*X) * sin(2*pi*Y)", "Y - 0.05 * sin(2*pi*X) * sin(2*pi*Y) + 0.1 * X"];

/// A case with the given solver, `[mesh]` and `[mesh.mapping]`, on three levels, the finest of which moves along a circle.
fn case(solver: &str, mesh: &str, [x, y]: [&str; 2], initial: &[(&str, &str)]) -> String {
    let initial: String = initial.iter().map(|(name, value)| format!("{name} = \"{value}\"\n")).collect();
    format!(
        r#"
        solver = {{ {solver} }}
        [mesh]
        {mesh}
        [mesh.mapping]
        x = "{x}"
        y = "{y}"
        [levels]
        max = 3
        [regrid]
        interval = 3
        buffer = 1
        max_patch_size = 20
        [regrid.flag]
        criterion = "user"
        expression = "hypot(X - 0.5 - 0.27 * cos(5 * t), Y - 0.5 - 0.24 * sin(5 * t)) < 0.15"
        [time]
        end = 10.0
        dt_initial = 0.0005
        cfl_desired = 0.8
        [initial]
        {initial}
        [output]
        format = []
        "#
    )
}
