//! Keys that are given but have no effect.

use crate::case::choice::{ClusterKind, Criterion};
use crate::case::reader::Reader;
use crate::case::settings::CaseSettings;
use crate::physics::Split;

/// Remarks on keys that another choice of the case leaves without effect.
pub fn remark(reader: &mut Reader<'_>, case: &CaseSettings, dimension: Option<usize>) {
    let (fixed, tiles) = (case.time.dt.is_some(), case.regrid.cluster == ClusterKind::Tiles);
    let split = case.scheme.split.is_some_and(|split| split != Split::Unsplit);
    let by_dt = "has no effect: `time.dt` fixes the steps";
    let rules = [
        ("time.cfl_desired", fixed, by_dt),
        ("time.dt_initial", fixed, by_dt),
        ("time.dt_max", fixed, by_dt),
        ("time.max_retries", fixed, by_dt),
        ("time.stop_every", case.time.stop_when.is_none(), "has no effect without `time.stop_when`"),
        ("regrid.cutoff", tiles, "has no effect with `cluster = \"tiles\"`"),
        ("regrid.tile_size", !tiles, "has no effect without `cluster = \"tiles\"`"),
        (
            "regrid.flag.tolerance",
            case.regrid.flag.criterion == Criterion::User,
            "has no effect with the criterion \"user\"",
        ),
        (
            "regrid.flag.adjoint",
            case.regrid.flag.criterion != Criterion::Adjoint,
            "has an effect with the criterion \"adjoint\" only",
        ),
        ("scheme.transverse", split, "has no effect with split sweeps"),
        ("scheme.double_transverse", split, "has no effect with split sweeps"),
        (
            "scheme.double_transverse",
            !split && dimension.is_some_and(|n| n < 3),
            "has an effect in three dimensions only",
        ),
        ("scheme.limiter", case.scheme.order == 1, "has no effect at first order"),
    ];
    for (key, idle, why) in rules {
        if idle && reader.is_present(key) {
            reader.remark(key, why);
        }
    }
    let (start, end) = (case.time.start, case.time.end);
    for (number, region) in case.regrid.region.iter().enumerate() {
        if region.time[1] < start || region.time[0] > end {
            let path = format!("regrid.region.{number}.time");
            reader.remark(&path, format!("is outside the run, from {start} to {end}"));
        }
    }
}
