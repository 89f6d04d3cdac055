//! `[ground]`.

use crate::case::reader::Reader;
use crate::case::settings::GroundSettings;

/// Reads which auxiliary value is a height of ground, and how cells get it.
pub fn read(reader: &mut Reader<'_>) -> GroundSettings {
    GroundSettings {
        value: reader.string("ground.value").map(str::to_owned),
        sea_level: reader.number("ground.sea_level", 0.0),
        shore: reader.optional_choice("ground.shore"),
    }
}
