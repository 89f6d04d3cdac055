//! `[output]`: formats that cannot serve the case.

use super::*;

fn mistakes(overrides: &[&str]) -> String {
    load(SMALL, overrides).unwrap_err().to_string()
}

/// Both of Clawpack's formats use the name fort.q, so a run cannot write both.
#[test]
fn formats_that_share_file_names_are_refused() {
    let message = mistakes(&["output.format=[\"clawpack-binary\", \"vtkhdf\", \"clawpack-ascii\"]"]);
    assert!(message.contains("output.format") && message.contains("fort.q"), "{message}");
}

/// Formats that store one ratio per level are refused where the ratio differs between the axes; the default format is
/// no key of the file, so the mistake is then found at the ratios.
#[test]
fn formats_without_ratios_per_axis_are_refused() {
    let with = |format| ["levels.max=2", "levels.ratio=[[4, 2]]", "regrid.flag.tolerance=0.1", format];
    let message = mistakes(&with("levels.max=2"));
    assert!(message.contains("levels.ratio: format \"vtkhdf\""), "{message}");
    assert!(mistakes(&with("output.format=\"plotfile\"")).contains("output.format: format \"plotfile\""));
    assert!(load(SMALL, &with("output.format=\"clawpack-ascii\"")).is_ok());
}
