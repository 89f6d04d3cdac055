//! Mapped meshes on the device: the text of a solver in the frames of faces, geometry among the auxiliary values, walls that turn back
//! what is normal to them.

use super::compare;

/// As on the processor, to the bit: one solver whose faces are solved again, one with positive quantities.
#[test]
fn mapped_meshes_are_those_of_the_cpu_to_the_bit() {
    let sound = include_str!("../cases/mapped/sound.toml");
    compare(sound, &[], 4);
    compare(sound, &["scheme.transverse=1", "mesh.boundary.x=\"wall\""], 3);
    compare(include_str!("../cases/mapped/gas.toml"), &[], 4);
}
