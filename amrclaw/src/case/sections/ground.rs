//! `[ground]`, `[[topography]]`, `[[bottom_motion]]`.

use super::path_from_case;
use crate::case::reader::Reader;
use crate::case::settings::{GroundSettings, Topography};
use std::path::PathBuf;

/// Reads which auxiliary value is a height of ground, and how cells get it.
pub fn read(reader: &mut Reader<'_>, dimension: Option<usize>) -> GroundSettings {
    let numbers = 0..reader.count("topography");
    GroundSettings {
        value: reader.string("ground.value").map(str::to_owned),
        sea_level: reader.number("ground.sea_level", 0.0),
        shore: reader.optional_choice("ground.shore"),
        topography: numbers.map(|n| topography(reader, format!("topography.{n}"), dimension)).collect(),
        motions: (0..reader.count("bottom_motion")).filter_map(|n| motion(reader, n)).collect(),
    }
}

fn motion(reader: &mut Reader<'_>, number: usize) -> Option<(String, PathBuf)> {
    let key = format!("bottom_motion.{number}.file");
    reader.require(&key, "write the path of a `dtopo` file");
    let path = reader.string(&key)?.to_owned();
    let path = path_from_case(reader, &key, &path);
    Some((key, path))
}

fn topography(reader: &mut Reader<'_>, key: String, dimension: Option<usize>) -> Topography {
    let path = |name: &str| format!("{key}.{name}");
    let (file, formula) = (path("file"), path("formula"));
    let given = reader.exclusive(&[&file, &formula]);
    if given.is_none() {
        reader.require(&file, "write the path of a file of heights, or a `formula`");
    }
    let name = reader.string(&file);
    let formula_given = reader.named_expression(&formula);
    let (priority, scale) = (path("priority"), path("scale"));
    let factor = reader.number(&scale, 1.0);
    reader.check(factor != 0.0, &scale, "must not be 0", "write a factor, -1 for depths");
    Topography {
        file: name.filter(|_| given == Some(&file)).map(|name| path_from_case(reader, &file, name)),
        formula: formula_given.filter(|_| given == Some(&formula)),
        variable: reader.string(&path("variable")).map(str::to_owned),
        corners: ["lower", "upper"].map(|corner| reader.per_axis(&path(corner), dimension)),
        priority: reader.integer(&priority, i64::from(i32::MIN), 0),
        missing: reader.optional_number(&path("missing")),
        scale: factor,
        sea_level: reader.optional_number(&path("sea_level")),
        key,
    }
}
