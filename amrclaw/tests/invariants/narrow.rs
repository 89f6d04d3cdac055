//! Domains with fewer cells than ghost cells are bitwise equal to wide domains that hold the cells beyond their sides.

use super::common::narrow::Narrow;
use super::common::{case, options};
use amrclaw::mesh::Beyond::{self, Nearest, Periodic, Wall};
use amrclaw::simulation::{Simulation, UserFunctions};

const SIDES: [[Beyond; 2]; 5] = [[Periodic; 2], [Wall; 2], [Nearest; 2], [Wall, Nearest], [Nearest, Wall]];

/// Boundary conditions that commute with averaging down. Extrapolation does not: repeating fine cells is not repeating a coarse cell.
const EXACT_ON_LEVELS: [[Beyond; 2]; 2] = [[Periodic; 2], [Wall; 2]];

const LEVELS: &str =
    "[levels]\nmax = 2\nratio = 2\nratio_time = 1\n[regrid]\nbuffer = 0\n[regrid.flag]\ntolerance = 1e9\n";

fn start<const D: usize>(text: &str, user: UserFunctions<D>) -> Simulation<D> {
    Simulation::builder(&case(text, &[]))
        .options(&options(2))
        .functions(user)
        .build()
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Domains of one to five cells, with every pair of boundary conditions, every kind of sweep and both orders, are bitwise equal to wide ones
/// that hold the periodic copies, the mirror images or the repeated cells.
#[test]
fn narrow_planes_are_wide_ones() {
    let schemes = [
        "[scheme]\nsplit = \"unsplit\"\nlimiter = \"mc\"\n",
        "[scheme]\nsplit = \"unsplit\"\norder = 1\ntransverse = 1\n",
        "[scheme]\nsplit = \"godunov\"\nlimiter = \"van_leer\"\n",
        "[scheme]\nsplit = \"strang\"\nlimiter = \"minmod\"\n",
    ];
    for (count, sides) in (1..=5).flat_map(|count| SIDES.map(|sides| (count, sides))) {
        for more in schemes {
            let solver = "name = \"shallow_water\"\ngravity = 1.0";
            Narrow { solver, equations: 3, aux: 0, normal: 1, faces: false, sides, count, plane: true, more }
                .compare::<2>(start, 3);
        }
    }
}

/// The same in one dimension.
#[test]
fn narrow_lines_are_wide_ones() {
    for (count, sides) in (1..=5).flat_map(|count| SIDES.map(|sides| (count, sides))) {
        let (solver, more) = ("name = \"shallow_water\"\ngravity = 1.0", "[scheme]\nlimiter = \"superbee\"\n");
        Narrow { solver, equations: 2, aux: 0, normal: 1, faces: false, sides, count, plane: false, more }
            .compare::<1>(start, 3);
    }
}

/// The same with a fine level over a part of the narrow domain, whose ghost cells are interpolated from images of coarse cells; a medium or
/// velocities on faces are continued like the states. Richardson's estimate needs six ghost cells.
#[test]
fn fine_levels_over_narrow_domains_see_the_same() {
    let region = "[[regrid.region]]\nlevels = [2, 2]\nlower = [-50.0, 2.0]\nupper = [50.0, 6.0]\n";
    let richardson = LEVELS.replace("tolerance", "criterion = \"richardson\"\ntolerance");
    let schemes = ["[scheme]\nsplit = \"unsplit\"\n", "[scheme]\nsplit = \"strang\"\n"];
    for (count, sides) in (1..=5).flat_map(|count| EXACT_ON_LEVELS.map(|sides| (count, sides))) {
        for (scheme, levels) in schemes.into_iter().flat_map(|scheme| [(scheme, LEVELS), (scheme, &*richardson)]) {
            let more = format!("{levels}{region}{scheme}").leak();
            let solver = "name = \"acoustics_variable\"";
            Narrow { solver, equations: 3, aux: 2, normal: 1, faces: false, sides, count, plane: true, more }
                .compare::<2>(start, 3);
            // Given velocities do not satisfy walls.
            if sides == [Periodic; 2] {
                let solver = "name = \"advection_edge\"";
                Narrow { solver, equations: 1, aux: 2, normal: 1, faces: true, sides, count, plane: true, more }
                    .compare::<2>(start, 3);
            }
        }
    }
}

/// Richardson's estimate flags the same cells as in the wide domain. The number of cells is even, so that the same cells are coarsened
/// together; with such random data every cell is flagged.
#[test]
fn richardsons_flags_are_those_of_a_wide_domain() {
    for (count, sides) in [2, 4].into_iter().flat_map(|count| EXACT_ON_LEVELS.map(|sides| (count, sides))) {
        let more = "[levels]\nmax = 2\nratio = 2\nratio_time = 1\n[regrid]\nbuffer = 2\n\
                    [regrid.flag]\ncriterion = \"richardson\"\ntolerance = 1e-4\n";
        let solver = "name = \"acoustics\"\ndensity = 1.0\nbulk = 1.0";
        Narrow { solver, equations: 3, aux: 0, normal: 1, faces: false, sides, count, plane: true, more }
            .compare::<2>(start, 3);
    }
}
