//! The effect on a solution of each feature of the physics and of the mesh: source terms, boundaries, capacity, auxiliary values,
//! criteria, limiters, precision, steps and ratios.

#[path = "../common/mod.rs"]
mod common;

mod adjoint;
mod boundary;
mod carbuncle;
mod criteria;
mod ends;
mod folded;
mod implosion;
mod media;
mod mesh;
mod monitors;
mod one_dimension;
mod onset;
mod reduced;
mod scheme;
mod source_balance;
mod sources;
mod sphere;
mod stability;
mod water;
mod whole_sphere;
