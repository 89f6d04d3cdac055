//! `[regrid.flag.adjoint]`.

use super::fields;
use crate::case::choice::{AdjointOf, Criterion};
use crate::case::reader::Reader;
use crate::case::settings::{AdjointSettings, MeshSettings, TimeSettings};

/// Intervals between snapshots unless given.
const SNAPSHOTS: i64 = 50;

/// Reads the adjoint problem; without effect unless the criterion is "adjoint".
pub fn read(
    reader: &mut Reader<'_>,
    mesh: &MeshSettings,
    dimension: Option<usize>,
    time: &TimeSettings,
) -> AdjointSettings {
    const FUNCTIONAL: &str = "regrid.flag.adjoint.functional";
    const CASE: &str = "regrid.flag.adjoint.case";
    const FROM: &str = "regrid.flag.adjoint.from";
    const TO: &str = "regrid.flag.adjoint.to";
    const CELLS: &str = "regrid.flag.adjoint.cells";
    let case = reader.string(CASE).map(|text| super::path_from_case(reader, CASE, text));
    let functional = fields::table(reader, FUNCTIONAL);
    let about = fields::table(reader, "regrid.flag.adjoint.about");
    if reader.optional_choice("regrid.flag.criterion") == Some(Criterion::Adjoint) {
        let help =
            "write what is of interest at the end, such as `functional = { pressure = \"r < 0.1\" }`, or a `case`";
        if case.is_none() {
            reader.require(FUNCTIONAL, help);
            let counts = !functional.is_empty() || !reader.is_present(FUNCTIONAL) || !reader.fine(&[FUNCTIONAL]);
            reader.check(counts, FUNCTIONAL, "gives no quantity", help);
        }
        let help = "write numbers of `mesh.cells`, or remove `mesh.file`";
        reader.check(mesh.file.is_none(), "regrid.flag.criterion", "needs a mesh of boxes", help);
    }
    if case.is_some() && !functional.is_empty() {
        let message = "cannot stand beside `functional`, which is for the case's own equations";
        reader.wrong(CASE, message, "remove one of them");
    }
    let window = [reader.number(FROM, time.start), reader.number(TO, time.end)];
    if reader.fine(&["time.start", "time.end", FROM, TO]) {
        let [from, to] = window;
        let message = format!("is outside the run, from {} to {}", time.start, time.end);
        let help = "write a time of the run";
        reader.check(time.start <= from && from <= time.end, FROM, message.clone(), help);
        reader.check(time.start < to && to <= time.end, TO, message, help);
        let message = format!("must not be later than `to`, but {from} > {to}");
        reader.check(from <= to, FROM, message, "write the window's beginning and its end");
    }
    let cells = reader.integers(CELLS, 2).unwrap_or_else(|| mesh.cells.clone());
    if let Some(wanted) = dimension.filter(|wanted| *wanted != cells.len()) {
        let message = format!("has {} numbers, but the mesh {wanted} axes", cells.len());
        reader.wrong(CELLS, message, "write one number per axis, as many as `mesh.cells` has");
    }
    let of = reader.choice("regrid.flag.adjoint.of", AdjointOf::Solution);
    AdjointSettings {
        functional,
        about,
        case,
        window,
        snapshots: reader.integer("regrid.flag.adjoint.snapshots", 1, SNAPSHOTS) as usize,
        cells,
        of,
    }
}
