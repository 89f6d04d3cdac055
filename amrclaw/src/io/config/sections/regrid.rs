//! `[regrid]`.

use crate::index::Level;
use crate::io::config::case::{FlagSettings, LevelSettings, MeshSettings, NamedExpression, Region, RegridSettings};
use crate::io::config::choice::Criterion;
use crate::io::config::reader::Reader;

/// Smallest value of `regrid.max_patch_size`: room for the ghost cells of both sides, twice over.
const SMALLEST_PATCH: i64 = 8;

/// Reads when and where to refine.
pub fn read(
    reader: &mut Reader<'_>,
    dimension: Option<usize>,
    mesh: Option<&MeshSettings>,
    levels: Option<&LevelSettings>,
) -> Option<RegridSettings> {
    let interval = reader.integer("regrid.interval", 1, 4);
    let buffer = reader.integer("regrid.buffer", 0, interval.unwrap_or(4));
    let cutoff = reader.number("regrid.cutoff", 0.7).filter(|cutoff| {
        let fine = *cutoff > 0.0 && *cutoff <= 1.0;
        reader.check(
            fine,
            "regrid.cutoff",
            format!("must lie in (0, 1], but is {cutoff}"),
            "write a share such as `0.7`",
        );
        fine
    });
    let max_patch_size = max_patch_size(reader, dimension, levels);
    let conservation_fix = reader.boolean("regrid.conservation_fix", true);
    let flag = flag(reader, levels);
    let regions: Vec<Option<Region>> =
        (0..reader.count("regrid.region")).map(|i| region(reader, i, dimension, mesh, levels)).collect();
    Some(RegridSettings {
        interval: interval? as u64,
        buffer: buffer? as i32,
        cutoff: cutoff?,
        max_patch_size: max_patch_size?,
        conservation_fix: conservation_fix?,
        flag: flag?,
        region: regions.into_iter().collect::<Option<Vec<_>>>()?,
    })
}

/// A patch of a finer level is made of whole cells of the coarser one, so the size must hold whole ratios.
fn max_patch_size(reader: &mut Reader<'_>, dimension: Option<usize>, levels: Option<&LevelSettings>) -> Option<i32> {
    const PATH: &str = "regrid.max_patch_size";
    let given = match reader.optional_integer(PATH, SMALLEST_PATCH) {
        Some(size) => Some(size?),
        None => None,
    };
    let ratios = || levels.into_iter().flat_map(|levels| levels.ratio.iter().flatten().map(|r| i64::from(*r)));
    let Some(size) = given else {
        let unit = ratios().fold(1, least_common_multiple);
        let usual = if dimension? == 3 { 64 } else { 256 };
        return Some((usual / unit * unit).max(unit) as i32);
    };
    if let Some(ratio) = ratios().find(|ratio| size % ratio != 0) {
        let (below, above) = (size / ratio * ratio, (size / ratio + 1) * ratio);
        let message = format!("must be a multiple of the refinement ratio {ratio}, but is {size}");
        reader.wrong(PATH, message, format!("write {} or {above}", below.max(ratio)));
        return None;
    }
    Some(size as i32)
}

fn least_common_multiple(a: i64, b: i64) -> i64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

fn flag(reader: &mut Reader<'_>, levels: Option<&LevelSettings>) -> Option<FlagSettings> {
    let criterion = reader.choice("regrid.flag.criterion", Criterion::Difference);
    let tolerance = reader.optional_number("regrid.flag.tolerance");
    if let Some(Some(value)) = tolerance {
        let help = "write the size of a jump that should be refined, such as `0.01`";
        reader.check(value >= 0.0, "regrid.flag.tolerance", format!("must not be negative, but is {value}"), help);
    }
    let refines = levels.is_some_and(|levels| levels.max > 1);
    if tolerance.is_none() && refines && criterion.is_some_and(|c| c != Criterion::User) {
        let help = "write `tolerance = 0.01` under `[regrid.flag]`: no value fits every problem";
        reader.wrong("regrid.flag.tolerance", "is missing", help);
    }
    let expression = reader.expression("regrid.flag.expression");
    if expression.is_some() && criterion.is_some_and(|c| c != Criterion::User) {
        let help = "write `criterion = \"user\"`, or remove the expression";
        reader.wrong("regrid.flag.expression", "is used by the criterion \"user\" only", help);
    }
    let expression = match expression {
        Some(read) => {
            let (text, syntax) = read?;
            Some(NamedExpression { name: "flag".to_string(), text, syntax, key: "regrid.flag.expression".to_string() })
        }
        None => None,
    };
    Some(FlagSettings { criterion: criterion?, tolerance: tolerance.unwrap_or(Some(0.0))?, expression })
}

fn region(
    reader: &mut Reader<'_>,
    number: usize,
    dimension: Option<usize>,
    mesh: Option<&MeshSettings>,
    levels: Option<&LevelSettings>,
) -> Option<Region> {
    let path = |key: &str| format!("regrid.region.{number}.{key}");
    let allowed = region_levels(reader, &path("levels"), levels);
    let (lower_path, upper_path) = (path("lower"), path("upper"));
    let help = "write the region's corners, one number per axis";
    let (has_lower, has_upper) = (reader.require(&lower_path, help), reader.require(&upper_path, help));
    let lower = reader.per_axis(&lower_path, dimension).flatten();
    let upper = reader.per_axis(&upper_path, dimension).flatten();
    let time = region_time(reader, &path("time"));
    has_lower.and(has_upper)?;
    let (lower, upper) = (lower?, upper?);
    if let Some(d) = (0..lower.len()).find(|&d| lower[d] >= upper[d]) {
        let message = format!("the region is empty: from {} to {} along {}", lower[d], upper[d], super::AXES[d]);
        reader.wrong(&format!("{upper_path}.{d}"), message, "write `upper` larger than `lower` along every axis");
        return None;
    }
    if let Some(d) = mesh.and_then(|m| (0..lower.len()).find(|&d| upper[d] <= m.lower[d] || lower[d] >= m.upper[d])) {
        let message = format!("the region lies outside the domain along {}", super::AXES[d]);
        reader.wrong(&format!("{lower_path}.{d}"), message, "move the region into `mesh.lower` to `mesh.upper`");
        return None;
    }
    let [coarsest, finest] = allowed?;
    Some(Region { coarsest, finest, lower, upper, time: time? })
}

/// Levels count from 1 in the file.
fn region_levels(reader: &mut Reader<'_>, path: &str, levels: Option<&LevelSettings>) -> Option<[Level; 2]> {
    let given = reader.integers(path, 1);
    let max = levels?.max as i32;
    let help = format!("write `[coarsest, finest]`, two levels from 1 to {max}, the coarser first");
    let given = match given {
        Some(given) => given?,
        None => vec![1, max],
    };
    let [coarsest, finest] = given[..] else {
        reader.wrong(path, format!("needs two levels, but has {}", given.len()), help);
        return None;
    };
    if coarsest > finest {
        reader.wrong(path, format!("the coarsest level {coarsest} is finer than the finest, {finest}"), help);
        return None;
    }
    if finest > max {
        reader.wrong(&format!("{path}.1"), format!("there is no level {finest}: `levels.max` is {max}"), help);
        return None;
    }
    Some([coarsest, finest].map(|level| Level((level - 1) as u8)))
}

fn region_time(reader: &mut Reader<'_>, path: &str) -> Option<[f64; 2]> {
    let Some(times) = reader.times(path) else { return Some([f64::NEG_INFINITY, f64::INFINITY]) };
    match times?[..] {
        [from, to] if from <= to => Some([from, to]),
        [from, to] => {
            reader.wrong(
                path,
                format!("the span ends at {to}, before it starts at {from}"),
                "write the earlier time first",
            );
            None
        }
        ref other => {
            let message = format!("needs two times, but has {}", other.len());
            reader.wrong(path, message, "write `[from, to]`");
            None
        }
    }
}
