//! `[regrid]`.

use super::{adjoint, region};
use crate::case::choice::{ClusterKind, Criterion};
use crate::case::origin::Value;
use crate::case::reader::Reader;
use crate::case::settings::{
    AdjointSettings, FlagSettings, LevelSettings, MeshSettings, NamedExpression, RegridSettings, TimeSettings,
};
use crate::formula::Syntax;

/// Smallest value of `regrid.max_patch_size`: room for the ghost cells of both sides, twice over.
const SMALLEST_PATCH: i64 = 8;
/// Largest value of `regrid.max_patch_size` in one, two and three dimensions: kernels count the numbers of a patch in 32 bits.
const LARGEST_PATCH: [i64; 3] = [1 << 26, 8192, 512];
/// Largest value of `regrid.tile_size`: far more than is of use.
const LARGEST_TILE: i64 = 1024;

/// Reads when and where to refine.
pub fn read(
    reader: &mut Reader<'_>,
    mesh: &MeshSettings,
    dimension: Option<usize>,
    (levels, time): (&LevelSettings, &TimeSettings),
) -> RegridSettings {
    let interval = reader.integer("regrid.interval", 1, 4);
    let buffer = reader.integer("regrid.buffer", 0, interval);
    let cutoff = reader.number("regrid.cutoff", 0.7);
    let message = format!("must lie in (0, 1], but is {cutoff}");
    reader.check(cutoff > 0.0 && cutoff <= 1.0, "regrid.cutoff", message, "write a share such as `0.7`");
    let tile_size = reader.integer("regrid.tile_size", 1, if dimension == Some(3) { 4 } else { 8 });
    let message = format!("must be at most {LARGEST_TILE}, but is {tile_size}");
    reader.check(tile_size <= LARGEST_TILE, "regrid.tile_size", message, "write a number of cells such as `8`");
    let adjoint = adjoint::read(reader, mesh, dimension, time);
    let flag = flag(reader, mesh, levels, adjoint);
    RegridSettings {
        interval: interval as u64,
        // Wider than any level, and sums with it have room in an `i32`.
        buffer: buffer.min(i64::from(i32::MAX / 4)) as i32,
        cluster: reader.choice("regrid.cluster", ClusterKind::BergerRigoutsos),
        cutoff,
        tile_size: tile_size.min(LARGEST_TILE) as i32,
        max_patch_size: max_patch_size(reader, dimension, levels),
        conservation_fix: reader.boolean("regrid.conservation_fix", true),
        flag,
        region: region::read(reader, mesh, dimension, levels),
    }
}

/// A patch of a finer level covers whole cells of the coarser one, so the size must be a multiple of every ratio.
fn max_patch_size(reader: &mut Reader<'_>, dimension: Option<usize>, levels: &LevelSettings) -> i32 {
    const PATH: &str = "regrid.max_patch_size";
    let ratios = levels.ratio.iter().flatten().map(|r| i64::from(*r));
    let usual = if dimension == Some(3) { 64 } else { 256 };
    if !reader.is_present(PATH) {
        let unit = ratios.fold(1, least_common_multiple);
        return (usual / unit * unit).max(unit) as i32;
    }
    let size = reader.integer(PATH, SMALLEST_PATCH, usual);
    let largest = LARGEST_PATCH[dimension.map_or(0, |dimension| dimension.clamp(1, 3) - 1)];
    let message = format!("must be at most {largest}, but is {size}");
    reader.check(size <= largest, PATH, message, format!("write {usual}: patches of more cells are no faster"));
    if let Some(ratio) = ratios.into_iter().find(|ratio| size % ratio != 0)
        && reader.fine(&[PATH, "levels"])
    {
        let (below, above) = ((size / ratio * ratio).max(ratio), (size / ratio + 1) * ratio);
        let message = format!("must be a multiple of the refinement ratio {ratio}, but is {size}");
        let help = if below < SMALLEST_PATCH { format!("write {above}") } else { format!("write {below} or {above}") };
        reader.wrong(PATH, message, help);
    }
    size.min(largest) as i32
}

/// At most `i32::MAX`: what is beyond cannot be a patch's size.
fn least_common_multiple(a: i64, b: i64) -> i64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x * b).min(i32::MAX.into())
}

const FIELDS: &str = "write names of equations or quantities, such as `tolerance = { density = 0.1 }`";

fn flag(
    reader: &mut Reader<'_>,
    mesh: &MeshSettings,
    levels: &LevelSettings,
    adjoint: AdjointSettings,
) -> FlagSettings {
    const EXPRESSION: &str = "regrid.flag.expression";
    const TOLERANCE: &str = "regrid.flag.tolerance";
    let criterion = reader.choice("regrid.flag.criterion", Criterion::Difference);
    let (of_cells, of_boxes) = (criterion != Criterion::Curvature, criterion != Criterion::Richardson);
    let (fits, message, help) = match mesh.file {
        Some(_) => (of_boxes, "compares steps of boxes of cells", "write \"difference\", \"curvature\" or \"user\""),
        None => (of_cells, "is for cells of a mesh from a file", "write \"difference\", \"richardson\" or \"user\""),
    };
    reader.check(fits, "regrid.flag.criterion", message, help);
    let is_user = criterion == Criterion::User || !reader.fine(&["regrid.flag.criterion"]);
    if levels.max > 1 && !is_user {
        reader.require(TOLERANCE, "write `tolerance = 0.01` under `[regrid.flag]`: no value fits every problem");
    }
    let read = |reader: &mut Reader<'_>, path: &str| {
        let tolerance = reader.number(path, 0.0);
        let help = "write the size of a jump that should be refined, such as `0.01`";
        reader.check(tolerance >= 0.0, path, format!("must not be negative, but is {tolerance}"), help);
        tolerance
    };
    let (mut tolerance, mut tolerances) = (0.0, Vec::new());
    if let Some(Value::Table(_)) = reader.node(TOLERANCE).map(|node| &node.value) {
        for (name, _) in reader.names(TOLERANCE) {
            let key = format!("{TOLERANCE}.{name}");
            let syntax = Syntax::parse(name).map_err(|_| reader.wrong(&key, "is not the name of a field", FIELDS));
            let Ok(syntax) = syntax else { continue };
            tolerances.push((
                NamedExpression { name: name.to_owned(), text: name.to_owned(), syntax, key: key.clone() },
                read(reader, &key),
            ));
        }
        let message = "has a value for each field, but the criterion one for all";
        let is_one = matches!(criterion, Criterion::Richardson | Criterion::Adjoint);
        reader.check(!is_one, TOLERANCE, message, "write one number, or \"difference\"");
        reader.check(!tolerances.is_empty(), TOLERANCE, "has no field", FIELDS);
    } else {
        tolerance = read(reader, TOLERANCE);
    }
    let keep = reader.number("regrid.flag.keep", 0.625);
    let message = format!("must lie in (0, 1], but is {keep}");
    reader.check(keep > 0.0 && keep <= 1.0, "regrid.flag.keep", message, "write a share of the tolerance");
    let help = "write `criterion = \"user\"`, or remove the expression";
    let is_used = is_user || !reader.is_present(EXPRESSION);
    reader.check(is_used, EXPRESSION, "is used by the criterion \"user\" only", help);
    let expression = reader.named_expression(EXPRESSION);
    let adjoint = Some(adjoint).filter(|_| criterion == Criterion::Adjoint);
    FlagSettings { criterion, tolerance, tolerances, keep, expression, adjoint }
}
