//! Each feature of the physics and of the mesh by what it does to a solution: source terms, boundaries, capacity, auxiliary values,
//! criteria, limiters, precision, steps and ratios.

#[path = "../common/mod.rs"]
mod common;

mod boundary;
mod criteria;
mod media;
mod mesh;
mod one_dimension;
mod scheme;
mod sources;
mod stability;

/// One level on the unit square, periodic, with a fixed step.
fn periodic(cells: [usize; 2], dt: f64) -> String {
    format!(
        r#"
[mesh]
cells = {cells:?}
[mesh.boundary]
x = ["periodic", "periodic"]
y = ["periodic", "periodic"]
[scheme]
limiter = "none"
[time]
end = 10.0
dt = {dt}
"#
    )
}
