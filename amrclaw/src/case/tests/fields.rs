//! Expressions of a case, compiled for its solver; cases in one and three dimensions.

use super::netcdf::classic;
use super::*;
use crate::mesh::Geometry;
use crate::physics::{BoundaryCell, BoundaryFunction, CellFunction, CellRow, SourceSplit, StateFunction};
use riemann::axis::{Axis, Side};
use riemann::catalogue::ParameterCheck;
use riemann::group::{Group, GroupKind};

/// A solver in `dimension` dimensions with two equations, two auxiliary values and a parameter.
fn shape(dimension: usize) -> SolverShape {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_string()).collect();
    SolverShape {
        name: "test".to_string(),
        dimension,
        equations: names(&["depth", "momentum"]),
        aux: names(&["bottom", "kappa"]),
        positive: names(&["kappa"]),
        waves: 2,
        parameters: vec![ParameterShape {
            name: "gravity".to_string(),
            about: "acceleration of gravity".to_string(),
            default: Some(9.81),
            check: ParameterCheck::Positive,
        }],
        has_transverse: true,
        has_source: false,
        of_time: false,
        groups: vec![Group { kind: GroupKind::PseudoScalar, first: 1 }],
        aux_groups: Vec::new(),
        directions: true,
        looks_beside: false,
        fwaves: false,
        formulas: SolverFormulas::default(),
    }
}

const CASE: &str = "\
[solver]
path = \"test.rs\"
gravity = 2.0
[mesh]
cells = [10]
[levels]
max = 2
[regrid.flag]
criterion = \"user\"
expression = \"abs(momentum) > gravity * kappa\"
[time]
end = 1.0
[aux]
kappa = \"dx\"
bottom = \"-1 + x\"
[initial]
momentum = \"gravity * depth_at_rest\"
depth = \"max(0, -bottom)\"
[source]
momentum = \"-gravity * depth * t\"
";

fn load_for(dimension: usize, text: &str, overrides: &[&str]) -> Result<Case, CaseErrors> {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_string()).collect();
    Case::from_str_with(text, "case.toml", &overrides, |_| Ok(shape(dimension)))
}

/// Two cells from x = 0.5 at t = 3.
const ROW: CellRow<1> = CellRow {
    geometry: Geometry { lower: [0.5], upper: [1.5], cells: [2.0], dx: [0.5] },
    first: [0],
    len: 2,
    time: 3.0,
};

/// Values come in the solver's order, whatever the file's; initial data may use auxiliary values and parameters.
#[test]
fn values_come_in_the_solvers_order() {
    let case = load_for(1, CASE, &["initial.momentum=gravity * kappa"]).unwrap();
    let aux = case.aux_cells::<1>().unwrap();
    let mut out = [0.0; 4];
    aux.fill_row(&ROW, &mut out);
    assert_eq!(out, [-0.25, 0.25, 0.5, 0.5]);
    let initial = case.initial_cells::<1>().unwrap();
    initial.fill_row(&ROW, &mut out);
    assert_eq!(out, [0.25, 0.0, 1.0, 1.0]);
    assert!(!aux.depends_on_time() && !initial.depends_on_time());
}

/// Source terms and the criterion see the solution; equations without a source term have none.
#[test]
fn source_terms_see_the_solution() {
    let case = load_for(1, CASE, &["initial.momentum=0"]).unwrap();
    assert_eq!(case.settled().source, SourceSplit::Godunov);
    let (depth, momentum, bottom, kappa) = ([1.0, 2.0], [3.0, 0.5], [0.0; 2], [1.0; 2]);
    let further: [&[f64]; 4] = [&depth, &momentum, &bottom, &kappa];
    let mut out = [f64::NAN; 4];
    let source = case.source_terms::<1>(&None).unwrap();
    source.fill_row(&ROW, &further[..2].concat(), &further[2..].concat(), &mut out);
    assert_eq!(out, [0.0, 0.0, -6.0, -12.0]);
    case.criterion::<1>(&None).unwrap().fill_row(&ROW, &further[..2].concat(), &further[2..].concat(), &mut out[..2]);
    assert_eq!(out[..2], [1.0, 0.0]);
}

/// Names of the wrong table: auxiliary values see no solution.
#[test]
fn expressions_see_only_their_own_names() {
    let errors = load_for(1, CASE, &["aux.kappa=depth"]).unwrap_err();
    let messages: Vec<&str> = errors.errors.iter().map(|e| e.message.as_str()).collect();
    assert_eq!(messages, ["unknown name `depth_at_rest`", "unknown name `depth`"]);
}

/// Data of the solver's or the program's own.
#[test]
fn user_data_are_left_alone() {
    let case = load_for(1, CASE, &["initial=user", "aux=user"]).unwrap();
    assert!(case.initial_cells::<1>().is_none());
    assert!(case.aux_cells::<1>().is_none());
    let word = load_for(1, CASE, &["initial=users", "aux=user"]).unwrap_err();
    assert!(word.to_string().contains("initial: \"users\" is not known"));
}

/// Three dimensions: three axes everywhere, smaller patches, all names.
#[test]
fn cases_in_three_dimensions() {
    let overrides = [
        "mesh.cells=[4, 5, 6]",
        "mesh.boundary.z=wall",
        "initial.momentum=z_upper * dz",
        "levels.ratio=[[2, 2, 4]]",
        "output.format=clawpack-ascii",
    ];
    let case = load_for(3, CASE, &overrides).unwrap();
    assert_eq!((case.dimension(), case.mesh.lower.len(), case.mesh.boundary[2]), (3, 3, [BoundaryKind::Wall; 2]));
    assert_eq!((&case.levels.ratio[0][..], case.regrid.max_patch_size), (&[2, 2, 4][..], 64));
    assert!(case.initial_cells::<3>().is_some());
}

/// A solver that cannot be found is a mistake at the solver's line.
#[test]
fn unknown_solvers_are_placed() {
    let refuse = |_: &SolverChoice| {
        Err(NoSolver { message: "does not compile".to_string(), help: "see the messages above".to_string() })
    };
    let errors = Case::from_str_with(CASE, "case.toml", &[], refuse).unwrap_err();
    assert_eq!((errors.errors[0].line, errors.errors[0].column), (2, 8));
    assert!(
        find_built_in(&SolverChoice {
            from: SolverFrom::Path("a.rs".into()),
            dimension: None,
            parameters: Default::default()
        })
        .is_err()
    );
}

/// What is advised for a missing value passes: one for what must be positive.
#[test]
fn advice_for_missing_values_passes() {
    let help = |errors: CaseErrors, key: &str| errors.errors.into_iter().find(|e| e.key == key).unwrap().help;
    let errors =
        load_for(1, &CASE.replace("kappa = \"dx\"\n", "").replace("bottom = \"-1 + x\"\n", ""), &["aux.other=0"]);
    let errors = errors.unwrap_err();
    assert!(help(errors.clone(), "aux.kappa").contains("`kappa = \"1\"`"));
    assert!(help(errors, "aux.bottom").contains("`bottom = \"0\"`"));
    let gas = SMALL.replace("acoustics", "euler").replace("density = 1.0\nbulk = 4\n", "");
    let errors = load(&gas.replace("pressure = \"exp(-r^2)\"\nu = 0\nv = 0.0\n", "other = 0\n"), &[]).unwrap_err();
    for (name, value) in [("density", "1"), ("x_momentum", "0"), ("energy", "1")] {
        let help = help(errors.clone(), &format!("initial.{name}"));
        assert!(help.contains(&format!("`{name} = \"{value}\"`")), "{help}");
    }
}

/// A solver whose values formulas could not tell from something else is refused, whoever described it.
#[test]
fn solvers_with_ambiguous_names_are_refused() {
    for name in ["x", "sin", "a b", "q.1", "..", "", "level", "depth"] {
        let find = |_: &SolverChoice| Ok(SolverShape { aux: vec![name.to_owned()], ..shape(1) });
        let errors = Case::from_str_with(CASE, "case.toml", &[], find).unwrap_err();
        let error = &errors.errors[0];
        assert!(error.key == "solver.path" && error.message.contains(&format!("called \"{name}\"")), "{errors}");
    }
}

/// A `.npy` file of `f64` with x fastest.
pub(super) fn npy(shape: &str, values: &[f64]) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    bytes
}

/// Initial data from a file: linear between the file's numbers, used by other formulas; what does not fit is said with the key, the file and
/// what to write. Here p = 1 + x + 10 y on a box around the domain, which linear interpolation gives to round-off.
#[test]
fn initial_data_come_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.npy");
    let value = |i: usize, j: usize| 1.0 + (-1.0 + (i as f64 + 0.5)) + 10.0 * (-1.0 + (j as f64 + 0.5));
    let values: Vec<f64> = (0..6).map(|k| value(k % 3, k / 3)).collect();
    std::fs::write(&path, npy("2, 3", &values)).unwrap();
    let set = |more: &str| format!("initial.pressure={{file=\"{}\"{more}}}", path.display());
    let whole = ", lower=[-1, -1], upper=[2, 1]";
    let case = load(SMALL, &[&set(whole), "initial.u=\"2 * pressure\""]).unwrap();
    let cells = case.initial_cells::<2>().unwrap();
    assert!(cells.device_form().is_none());
    let row = CellRow { geometry: Geometry::new([0.0; 2], [1.0; 2], [10; 2]), first: [1, 2], len: 2, time: 0.0 };
    let mut out = [0.0; 6];
    cells.fill_row(&row, &mut out);
    for (i, x) in [0.15, 0.25].into_iter().enumerate() {
        let p = 1.0 + x + 10.0 * 0.25;
        assert!((out[i] - p).abs() < 1e-14 && (out[2 + i] - 2.0 * p).abs() < 1e-14, "{out:?}");
    }
    let refused = |set: &str| load(SMALL, &[set]).unwrap_err().to_string();
    std::fs::write(&path, npy("6,", &values)).unwrap();
    let wrong = refused(&set(""));
    assert!(wrong.contains("has the shape [6]") && wrong.contains("give an array [y, x]"), "{wrong}");
    std::fs::write(&path, npy("2, 3", &[f64::NAN; 6])).unwrap();
    assert!(refused(&set("")).contains("value 0 is NaN"));
    std::fs::write(&path, b"no array").unwrap();
    assert!(refused(&set("")).contains("is not a complete .npy file"));
    assert!(refused("initial.pressure={file=\"no.h5\"}").contains("no.h5"));
    assert!(refused("initial.pressure={variable=\"p\"}").contains("initial.pressure.file"));
}

/// Inflow from a file with times, of one side without its axis or with it: linear in place and time, the host's; what does not fit, or does
/// not reach over the run, is refused with what to write.
#[test]
fn data_may_have_times() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p");
    let with = |what: &str, more: &str| {
        let set = format!("{what}={{file=\"{}\"{more}}}", path.display());
        let sides = ["mesh.boundary.x=[\"inflow\",\"wall\"]", "mesh.boundary.x_lower={u=0,v=0,pressure=0}"];
        load(SMALL, &[&sides[..], &[&set]].concat()).map_err(|errors| errors.to_string())
    };
    let side = "mesh.boundary.x_lower.pressure";
    // The same with the times in it, which NetCDF lets grow.
    let growing = [("time", 6, &[0][..], vec![0.0, 2.0]), ("p", 3, &[0, 1], vec![0.0, 1.0, 2.0, 4.0, 5.0, 6.0])];
    let netcdf = classic(1, &[("time", 0), ("y", 3)], 2, &growing);
    for (file, more) in [(netcdf, ""), (npy("2, 3", &[0.0, 1.0, 2.0, 4.0, 5.0, 6.0]), ", times=[0, 2]")] {
        std::fs::write(&path, file).unwrap();
        let [[beyond, _], _] = with(side, more).unwrap().inflow::<2>(&None);
        let beyond = beyond.unwrap();
        assert!(beyond.depends_on_time() && beyond.device_form().is_none());
        let mut ghost = [7.0; 3];
        for (y, time, wanted) in [(0.5, 0.0, 1.0), (0.5, 1.0, 3.0), (0.0, 0.5, 1.0), (1.0, 2.0, 6.0)] {
            let cell = BoundaryCell { centre: [-0.025, y], time, axis: Axis::X, side: Side::Lower };
            beyond.fill(&cell, &[9.0; 3], &mut ghost);
            assert_eq!(ghost, [wanted, 0.0, 0.0], "y = {y}, t = {time}");
        }
    }
    let initial = with("initial.pressure", ", times=[-1, 1]").unwrap_err();
    assert!(initial.contains("has the shape [2, 3]") && initial.contains("give an array [t, y, x]"), "{initial}");
    for (times, message) in [
        ("[0, 1, 2]", "has the shape [2, 3], but 3 times; give an array [t, y] or [t, y, x]"),
        ("[0, 0]", "time 1 is 0, after 0; give times in ascending order"),
        ("[0, 1]", "has values from t = 0 to 1, and 0 to 2 is asked for"),
        ("[0.5, 3]", "has values from t = 0.5 to 3"),
    ] {
        let wrong = with(side, &format!(", times={times}")).unwrap_err().replace("\n      = ", "; ");
        let lines: Vec<&str> = message.split("; ").collect();
        assert!(lines.iter().all(|line| wrong.contains(line)), "{wrong}");
    }
    std::fs::write(&path, npy("2, 1, 3", &[0.0; 6])).unwrap();
    assert!(with("initial.pressure", ", times=[-1, 1]").is_ok());
    let wrong = with("initial.pressure", "").unwrap_err();
    assert!(wrong.contains("give an array [y, x], or `times`, those of its first axis"), "{wrong}");
    // Files of initial data leave formulas of auxiliary values, and of other sides, to a device.
    let case = with("initial.pressure", ", times=[-1, 1]").unwrap();
    assert!(case.inflow::<2>(&None)[0][0].as_ref().unwrap().device_form().is_some());
}
