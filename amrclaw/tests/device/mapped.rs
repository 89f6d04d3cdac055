//! Mapped meshes on the device: the text of a solver in the frames of faces, geometry among the auxiliary values, walls that turn back
//! what is normal to them.

use super::{compare, space};

/// As on the processor, to the bit: one solver whose faces are solved again, one with positive quantities.
#[test]
fn mapped_meshes_are_those_of_the_cpu_to_the_bit() {
    let sound = include_str!("../cases/mapped/sound.toml");
    compare(sound, &[], 4);
    compare(sound, &["scheme.transverse=1", "mesh.boundary.x=\"wall\""], 3);
    compare(include_str!("../cases/mapped/gas.toml"), &[], 4);
}

/// In three dimensions: sound over a hill, and gas without transverse waves.
#[test]
fn mapped_meshes_in_space_are_those_of_the_cpu_to_the_bit() {
    let hill = include_str!("../cases/mapped/hill.toml");
    space::compare(hill, &[], 2);
    let gas = [
        "solver={name=\"euler_hllc\"}",
        "initial={density=\"1 + exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2 + (z - 0.5)^2))\",x_momentum=\"0.1\",\
         y_momentum=\"0\",z_momentum=\"-0.1\",energy=\"2.5\"}",
        "scheme.order=1",
        "scheme.transverse=0",
        "scheme.allow_unstable=true",
        "time.cfl_desired=0.3",
    ];
    space::compare(hill, &gas, 2);
}
