use super::*;
use crate::frames::frame::{FrameLevel, FramePatch};
use crate::index::{CellBox, Ratio};

/// x² on [0, 2] × [0, 1] as means over 4 × 2 · n cells, the left half refined once; `shift` is added on the finer level.
fn frame(n: i32, shift: f64) -> Frame<2> {
    let mean = |lower: f64, dx: f64| ((lower + dx).powi(3) - lower.powi(3)) / (3.0 * dx);
    let patch = |cells: CellBox<2>, dx: f64, shift: f64| FramePatch {
        cells,
        q: cells.cells().map(|c| mean(f64::from(c[0]) * dx, dx) + shift).collect(),
        aux: vec![],
    };
    let dx = 0.5 / f64::from(n);
    Frame {
        number: 1,
        time: 0.5,
        equations: vec!["q".into()],
        ratios: vec![Ratio([2, 2])],
        levels: vec![
            FrameLevel { dx: [dx; 2], patches: vec![patch(CellBox::new([0; 2], [4 * n, 2 * n]), dx, 0.0)] },
            FrameLevel {
                dx: [0.5 * dx; 2],
                patches: vec![patch(CellBox::new([0; 2], [4 * n, 4 * n]), 0.5 * dx, shift)],
            },
        ],
        ..Frame::empty([[0.0; 2], [2.0, 1.0]], [4 * n, 2 * n])
    }
}

/// Gauss's rule is exact for x², so the error is what was added, on the half of the domain that is refined.
#[test]
fn errors_to_formulas_count_the_finest_cells() {
    let formulas = vec![("q".to_owned(), "x^2 + 0 * t".to_owned())];
    let found = to_exact(&frame(3, 0.25), &formulas, &Vocabulary::default()).unwrap();
    let Norms { l1, l2, max, .. } = found[0].1;
    let relative = relative_error(&found, &ranges([&found].into_iter())).unwrap();
    assert!((relative - l1 / found[0].1.range).abs() < 1e-15 && found[0].1.range > 3.5);
    let wider = ranges([&found, &vec![("q".to_owned(), Norms { range: 8.0, ..Norms::default() })]].into_iter());
    assert!((relative_error(&found, &wider).unwrap() - l1 / 8.0).abs() < 1e-15);
    for (value, expected) in [(l1, 0.125), (l2, (0.5_f64 * 0.0625).sqrt()), (max, 0.25)] {
        assert!((value - expected).abs() < 1e-14, "{value} instead of {expected}");
    }
    let wrong = |name: &str, text: &str| {
        to_exact(&frame(1, 0.0), &[(name.into(), text.into())], &Vocabulary::default()).unwrap_err().to_string()
    };
    assert!(wrong("p", "x").contains("the equations are q"));
    assert!(wrong("q", "2 * y_lowr").contains("did you mean `y_lower`?"));
}

/// Means over finer cells equal those of the coarser ones; frames that do not match are refused.
#[test]
fn errors_to_a_finer_run_are_differences_of_means() {
    let Norms { l1, max, .. } = to_frame(&frame(2, 0.0), &frame(6, 0.0)).unwrap()[0].1;
    assert!(l1 < 1e-14 && max < 1e-14, "{l1} {max}");
    let mut shifted = frame(2, 0.0);
    shifted.levels[0].patches[0].q[3] += 0.5;
    let Norms { l1, l2, max, .. } = to_frame(&shifted, &frame(4, 0.0)).unwrap()[0].1;
    assert!((l1 - 0.5 / 32.0).abs() < 1e-14 && (l2 - 0.5 / 32.0_f64.sqrt()).abs() < 1e-14 && (max - 0.5).abs() < 1e-14);
    assert!(to_frame(&frame(2, 0.0), &frame(3, 0.0)).unwrap_err().to_string().contains("cells"));
    let later = Frame { time: 0.6, ..frame(4, 0.0) };
    assert!(to_frame(&frame(2, 0.0), &later).unwrap_err().to_string().contains("times"));
}

/// r² on a quarter of a ring, 1 < r < 2, as means over 4n × 3n bent cells; `shift` is added where r > 3/2.
fn ring(n: i32, shift: f64) -> Frame<2> {
    let (cells, dx) = (CellBox::new([0; 2], [4 * n, 3 * n]), [0.25 / f64::from(n), 1.0 / (3.0 * f64::from(n))]);
    let mean = |i: i32| {
        let [inner, outer] = [i, i + 1].map(|i| 1.0 + f64::from(i) * dx[0]);
        0.5 * (inner * inner + outer * outer) + if inner > 1.499 { shift } else { 0.0 }
    };
    Frame {
        upper: [1.0; 2],
        cells: [4 * n, 3 * n],
        ratios: vec![],
        mapping: vec!["(1 + X) * cos(pi/2 * Y)".into(), "(1 + X) * sin(pi/2 * Y)".into()],
        levels: vec![FrameLevel {
            dx,
            patches: vec![FramePatch { cells, q: cells.cells().map(|c| mean(c[0])).collect(), aux: vec![] }],
        }],
        ..frame(1, 0.0)
    }
}

/// On a mapped mesh formulas are of physical positions, and cells count by their areas: of the ring the outer half of X is 7/12. Gauss's
/// rule is exact for r² times r; differences give the latter to 1e-9, which the mean's quotient leaves out.
#[test]
fn cells_of_a_mapped_mesh_count_by_their_areas() {
    let share = 1.75 / 3.0;
    let found = to_exact(&ring(2, 0.25), &[("q".into(), "x^2 + y^2".into())], &Vocabulary::default()).unwrap();
    let Norms { l1, max, .. } = found[0].1;
    assert!((l1 - 0.25 * share).abs() < 1e-9 && (max - 0.25).abs() < 1e-9, "{l1} {max}");
    let Norms { l1, max, .. } = to_frame(&ring(1, 0.25), &ring(3, 0.0)).unwrap()[0].1;
    assert!((l1 - 0.25 * share).abs() < 1e-14 && (max - 0.25).abs() < 1e-14, "{l1} {max}");
    let wrong = to_exact(&ring(1, 0.0), &[("q".into(), "x_lower".into())], &Vocabulary::default()).unwrap_err();
    assert!(wrong.to_string().contains("not known on a mapped mesh"), "{wrong}");
}
