//! Strong shocks along the mesh, with Roe's solver and with its remedy for carbuncles.

use crate::common::{advance_to, for_each_finest_cell, start, take_steps};

/// A shock of Mach number 20 that runs along x into gas whose density differs by a part in ten thousand from row to row.
const STRIPED: &str = include_str!("../cases/hard/striped_shock.toml");
/// Where the shock is at the end.
const SHOCK: f64 = 110.0;

/// The densities of the finest cells along each line across the shock's way, by the position of its upper side, at the time `end`.
fn columns(overrides: &[&str], end: f64) -> Vec<(f64, Vec<f64>)> {
    let mut simulation = start(STRIPED, overrides);
    advance_to(&mut simulation, end);
    let mut cells = Vec::new();
    for_each_finest_cell(&simulation.frame(), |_, [x, y], dx, state| cells.push((x + 0.5 * dx[0], y, state[0])));
    cells.sort_by(|a, b| a.partial_cmp(b).expect("positions are numbers"));
    let columns = cells.chunk_by(|(a, _, _), (b, _, _)| a == b);
    columns.map(|column| (column[0].0, column.iter().map(|cell| cell.2).collect())).collect()
}

/// The largest difference along such a line, and the last places where all densities, and where any, are those behind the shock.
fn spread(columns: &[(f64, Vec<f64>)]) -> (f64, [f64; 2]) {
    let (mut apart, mut all, mut any) = (0.0_f64, 0.0, 0.0);
    for (x, column) in columns {
        let [least, most] =
            [column.iter().copied().fold(f64::MAX, f64::min), column.iter().copied().fold(f64::MIN, f64::max)];
        apart = apart.max(most - least);
        all = if least > 4.0 { *x } else { all };
        any = if most > 4.0 { *x } else { any };
    }
    (apart, [all, any])
}

/// With Roe's solver rows decouple: the shock runs ahead, and densities behind it differ by more than a tenth. With the remedy they differ
/// nowhere by more than four times what they did at the start (rows of gas 2.8e-4 apart, compressed sixfold), and the shock is within two cells
/// of where it belongs in every row, by sweeps of every kind, on two levels too.
#[test]
fn strong_shocks_along_the_mesh_do_not_decouple() {
    let (apart, _) = spread(&columns(&["solver.name=euler"], 5.0));
    assert!(apart > 0.1, "Roe's solver alone: {apart}");
    let table: &[&[&str]] = &[
        &[],
        &["scheme.split=godunov"],
        &["scheme.split=unsplit"],
        &["scheme.split=unsplit", "scheme.order=1", "time.cfl_desired=0.9"],
        &["levels={max=2,ratio=[2]}"],
    ];
    for overrides in table {
        let (apart, [all, any]) = spread(&columns(overrides, 5.0));
        assert!(apart < 4.0 * 6.0 * 2.8e-4, "{overrides:?}: {apart}");
        assert!(all > SHOCK - 2.0 && any < SHOCK + 2.0, "{overrides:?}: {all} … {any}");
    }
}

/// What is beside a face is the same whichever patches the cells lie in: split sweeps leave later ones the ghost cells that they look at.
#[test]
fn patches_do_not_matter_to_what_is_beside_a_face() {
    let bits = |overrides: &[&str]| {
        let columns = columns(&[overrides, &["scheme.limiter=superbee"]].concat(), 0.5);
        columns.into_iter().flat_map(|(_, column)| column).map(f64::to_bits).collect::<Vec<_>>()
    };
    for split in ["strang", "godunov", "unsplit"] {
        let split = format!("scheme.split={split}");
        let [small, large] = [8, 200].map(|size| bits(&[&split, &format!("regrid.max_patch_size={size}")]));
        assert!(small == large, "{split}");
    }
}

/// Contacts and shear layers along the mesh stay to the bit, as with Roe's solver: nothing is steep there.
#[test]
fn contacts_along_the_mesh_stay() {
    let still = [
        "mesh.boundary={x='periodic',y='periodic'}",
        "initial={density='if(y < 5, 1, 7)',x_momentum='if(y < 5, 1, -21)',y_momentum=0,energy='2.5 + if(y < 5, 0.5, 31.5)'}",
    ];
    let mut simulation = start(STRIPED, &still);
    let before = simulation.frame();
    take_steps(&mut simulation, 10);
    for (before, after) in before.levels[0].patches.iter().zip(&simulation.frame().levels[0].patches) {
        assert!(
            before.q.iter().zip(&after.q).all(|(a, b)| (a - b).abs() <= 1e-13 * (1.0 + a.abs())),
            "a layer has moved"
        );
    }
}
