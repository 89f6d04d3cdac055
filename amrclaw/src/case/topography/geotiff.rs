//! Heights in GeoTIFF: one channel of numbers, and tags that place it. After OGC 19-008, "OGC GeoTIFF Standard".

use super::data_sets::ascending;
use super::{Lattice, Wrong};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use tiff::TiffError;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::Tag;

/// The key that says what a height stands for.
const RASTER_TYPE: u16 = 1025;
/// Its value for points; boxes otherwise.
const IS_POINT: u16 = 2;

/// Most bytes of heights in memory.
const MAX_BYTES: usize = 1 << 33;

pub fn read(path: &Path) -> Result<Lattice, Wrong> {
    let file = File::open(path).map_err(|error| damaged(error.into()))?;
    let mut limits = Limits::default();
    limits.decoding_buffer_size = MAX_BYTES;
    let mut decoder = Decoder::new(BufReader::new(file)).map_err(damaged)?.with_limits(limits);
    let mut tag = |tag: Tag| decoder.find_tag(tag).ok().flatten();
    let [scale, tie] = [Tag::ModelPixelScaleTag, Tag::ModelTiepointTag]
        .map(|name| tag(name).and_then(|value| value.into_f64_vec().ok()).unwrap_or_default());
    let [keys, channels] = [Tag::GeoKeyDirectoryTag, Tag::SamplesPerPixel]
        .map(|name| tag(name).and_then(|value| value.into_u16_vec().ok()).unwrap_or_default());
    let none = tag(Tag::GdalNodata).and_then(|value| value.into_string().ok());
    let none: Option<f64> = none.and_then(|text| text.trim_matches(['\0', ' ']).parse().ok());
    if channels.first().is_some_and(|count| *count != 1) {
        let help = "give one with heights alone, by `gdal_translate -b BAND`".to_owned();
        return Err((format!("has {} channels", channels[0]), help));
    }
    let ([dx, dy, ..], [i, j, _, x, y, ..]) = (&scale[..], &tie[..]) else {
        let help = "give one that is not turned, by `gdalwarp`".to_owned();
        return Err(("has no scale and no point that place it".to_owned(), help));
    };
    if !(*dx > 0.0 && *dy > 0.0 && [dx, dy, i, j, x, y].iter().all(|number| number.is_finite())) {
        return Err(("its scale is not positive".to_owned(), "write it again, by `gdalwarp`".to_owned()));
    }
    let (columns, rows) = decoder.dimensions().map_err(damaged)?;
    let count = [columns as usize, rows as usize];
    if count.iter().any(|n| *n < 2) {
        let help = "give two or more heights along each axis".to_owned();
        return Err((format!("has {columns} by {rows} heights"), help));
    }
    let of_boxes = !keys.chunks(4).any(|key| key[0] == RASTER_TYPE && key.last() == Some(&IS_POINT));
    let inside = if of_boxes { 0.5 } else { 0.0 };
    let values = values_of(decoder.read_image().map_err(damaged)?);
    if let Some(value) = values.iter().find(|value| value.is_infinite()) {
        return Err((format!("a height is {value}"), "give finite heights".to_owned()));
    }
    let values = values.into_iter().map(|value| if Some(value) == none { f64::NAN } else { value }).collect();
    Ok(Lattice {
        first: [x + (inside - i) * dx, y - (inside - j) * dy - (rows - 1) as f64 * dy],
        spacing: [*dx, *dy],
        count,
        heights: ascending(values, count[0], [false, true]),
        missing: None,
        of_boxes,
    })
}

fn damaged(error: TiffError) -> Wrong {
    (error.to_string(), "give a complete GeoTIFF without compression, or with LZW or deflate".to_owned())
}

fn values_of(image: DecodingResult) -> Vec<f64> {
    match image {
        DecodingResult::U8(values) => values.into_iter().map(f64::from).collect(),
        DecodingResult::U16(values) => values.into_iter().map(f64::from).collect(),
        DecodingResult::U32(values) => values.into_iter().map(f64::from).collect(),
        DecodingResult::U64(values) => values.into_iter().map(|value| value as f64).collect(),
        DecodingResult::I8(values) => values.into_iter().map(f64::from).collect(),
        DecodingResult::I16(values) => values.into_iter().map(f64::from).collect(),
        DecodingResult::I32(values) => values.into_iter().map(f64::from).collect(),
        DecodingResult::I64(values) => values.into_iter().map(|value| value as f64).collect(),
        DecodingResult::F16(values) => values.into_iter().map(f64::from).collect(),
        DecodingResult::F32(values) => values.into_iter().map(f64::from).collect(),
        DecodingResult::F64(values) => values,
    }
}
