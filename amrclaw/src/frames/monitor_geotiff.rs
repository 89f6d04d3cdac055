//! Monitors on lattices of the plane as GeoTIFF: a channel of 64-bit numbers for each value, one after another, north up, placed by their points.
//! After OGC 19-008, "OGC GeoTIFF Standard"; the names of channels are as GDAL writes them.

use super::atomic::{Durability, write_file};
use super::error::OutputError;
use std::io::{Error, Seek, Write};
use std::path::Path;
use tiff::TiffError;
use tiff::encoder::TiffEncoder;
use tiff::tags::Tag;

/// A directory of one key: a number stands for a point, not for a box.
const OF_POINTS: [u16; 8] = [1, 1, 0, 1, 1025, 0, 1, 2];

/// Writes a file. `names`, `columns`: of x and y, then of the values, whose points are x fastest; `shape`: x first, at least two points along
/// each axis.
pub fn write(path: &Path, names: &[&str], shape: [usize; 2], columns: &[Vec<f64>]) -> Result<(), OutputError> {
    write_file(path, Durability::Program, |out| {
        encode(out, names, shape, columns).map_err(|error| match error {
            TiffError::IoError(error) => error,
            other => Error::other(other),
        })
    })
}

fn encode(out: impl Write + Seek, names: &[&str], [nx, ny]: [usize; 2], columns: &[Vec<f64>]) -> Result<(), TiffError> {
    let (values, number) = (&columns[2..], columns.len() - 2);
    let (left, top) = (columns[0][0], columns[1][(ny - 1) * nx]);
    let spacing = [(columns[0][nx - 1] - left) / (nx - 1) as f64, (top - columns[1][0]) / (ny - 1) as f64];
    let mut encoder = TiffEncoder::new(out)?;
    let mut file = encoder.image_directory()?;
    let mut strips = Vec::with_capacity(number);
    for column in values {
        let north_up: Vec<f64> = column.chunks_exact(nx).rev().flatten().copied().collect();
        strips.push(u32::try_from(file.write_data(&north_up[..])?)?);
    }
    let description = |(k, name): (usize, &&str)| {
        format!("<Item name=\"DESCRIPTION\" sample=\"{k}\" role=\"description\">{name}</Item>")
    };
    let described: String = names[2..].iter().enumerate().map(description).collect();
    file.write_tag(Tag::ImageWidth, nx as u32)?;
    file.write_tag(Tag::ImageLength, ny as u32)?;
    file.write_tag(Tag::BitsPerSample, &vec![64_u16; number][..])?;
    file.write_tag(Tag::Compression, 1_u16)?;
    file.write_tag(Tag::PhotometricInterpretation, 1_u16)?;
    file.write_tag(Tag::StripOffsets, &strips[..])?;
    file.write_tag(Tag::SamplesPerPixel, number as u16)?;
    file.write_tag(Tag::RowsPerStrip, ny as u32)?;
    file.write_tag(Tag::StripByteCounts, &vec![(8 * nx * ny) as u32; number][..])?;
    if number > 1 {
        file.write_tag(Tag::PlanarConfiguration, 2_u16)?;
        file.write_tag(Tag::ExtraSamples, &vec![0_u16; number - 1][..])?;
    }
    file.write_tag(Tag::SampleFormat, &vec![3_u16; number][..])?;
    file.write_tag(Tag::ModelPixelScaleTag, &[spacing[0], spacing[1], 0.0][..])?;
    file.write_tag(Tag::ModelTiepointTag, &[0.0, 0.0, 0.0, left, top, 0.0][..])?;
    file.write_tag(Tag::GeoKeyDirectoryTag, &OF_POINTS[..])?;
    file.write_tag(Tag::Unknown(42112), &*format!("<GDALMetadata>{described}</GDALMetadata>"))?;
    file.write_tag(Tag::GdalNodata, "nan")?;
    file.finish()
}
