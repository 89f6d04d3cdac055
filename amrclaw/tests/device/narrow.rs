//! Domains narrower than their ghost cells, on the device.

use super::common::narrow::Narrow;
use super::{compare, start_emulated};
use amrclaw::mesh::Beyond::{Periodic, Wall};
use amrclaw::simulation::{Simulation, UserFunctions};

fn start<const D: usize>(text: &str, user: UserFunctions<D>) -> Simulation<D> {
    start_emulated(text, &[], user)
}

const LEVELS: &str = "[scheme]\nsplit = \"strang\"\n[levels]\nmax = 2\nratio = 2\nratio_time = 1\n\
    [regrid]\nbuffer = 0\n[regrid.flag]\ntolerance = 1e9\n\
    [[regrid.region]]\nlevels = [2, 2]\nlower = [-50.0, 2.0]\nupper = [50.0, 6.0]\n";

/// As on the CPU, bitwise equal to a wide domain that holds the periodic copies, the mirror images or the repeated cells.
#[test]
fn narrow_domains_are_wide_ones() {
    for (count, sides) in [(1, [Periodic; 2]), (3, [Wall; 2]), (1, [Wall; 2])] {
        let solver = "name = \"shallow_water\"\ngravity = 1.0";
        Narrow { solver, equations: 3, aux: 0, normal: 1, faces: false, sides, count, plane: true, more: LEVELS }
            .compare::<2>(start, 2);
        let more = "[scheme]\nlimiter = \"superbee\"\n";
        Narrow { solver, equations: 2, aux: 0, normal: 1, faces: false, sides, count, plane: false, more }
            .compare::<1>(start, 2);
    }
}

/// Sides of a solid, each with its own signs: as on the CPU, to the bit, also where ghost cells are reflected at both sides in turn.
#[test]
fn sides_of_a_solid_are_those_of_the_cpu() {
    let solid = include_str!("../cases/solvers/elasticity.toml");
    let sides = "mesh.boundary={x=[\"clamped\",\"free\"],y=[\"free\",\"wall\"]}";
    compare(solid, &[sides], 3);
    compare(solid, &[sides, "mesh.cells=[2,23]", "scheme.split=\"strang\"", "levels.max=1"], 3);
    compare(solid, &[sides, "mesh.mapping={x='X + 0.1 * Y * Y',y='Y + 0.1 * sin(X)'}"], 3);
}
