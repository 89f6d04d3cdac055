//! Our results against those of AMRClaw 5.13.1, cell by cell. `tests/data/reference/README.md` says how the reference was made.
mod field;
mod npz;
use amrclaw::io::config::{Case, find_built_in};
use field::{Field, relative_l1};
use std::path::Path;
const RATIOS: [i32; 2] = [2, 2];
/// The measures see what they are to see, on the reference itself: the ring's total is 2π·0.5·0.4, and neither another limiter nor
/// another time passes for the same.
#[test]
fn measures_tell_solutions_apart() {
    let field = Field::reference("acoustics_paper_50_0");
    assert_eq!(field.cells_per_level(), [2500, 10000, 30976]);
    assert_eq!(field.time, 0.0);
    let total = field.composite(0, &RATIOS).iter().sum::<f64>() * 1e-4;
    assert!((total - 1.25664).abs() < 1e-3, "{total}");
    let later = Field::reference("acoustics_paper_50_1");
    assert!(relative_l1(&field.composite(0, &RATIOS), &later.composite(0, &RATIOS)) > 0.1);

    let limited = |name| Field::reference(&format!("single_{name}_0001"));
    let difference = limited("vanleer").largest_difference(&limited("minmod"));
    assert!(difference.size > 1e-4, "{difference:?}");
    assert_eq!(limited("vanleer").largest_difference(&limited("vanleer")).size, 0.0);
}

/// Every case file can be read and fits its solver, whether or not a test runs it.
#[test]
fn case_files_fit_their_solvers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/reference");
    let mut found = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder of cases") {
        let path = entry.expect("an entry of the folder of cases").path();
        Case::load_with(&path, &[], find_built_in).unwrap_or_else(|e| panic!("{e}"));
        found += 1;
    }
    assert_eq!(found, 19);
}
