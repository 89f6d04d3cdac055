//! Pixels: rectangles, lines, text, and the PNG file.

use super::font;
use super::origin::SOFTWARE;
use crate::frames::atomic::{Durability, write_file};
use crate::frames::error::OutputError;
use std::io;
use std::path::Path;

/// Red, green and blue, each from 0 to 255 (sRGB).
pub type Colour = [u8; 3];

/// Background colour.
pub const PAPER: Colour = [255, 255, 255];

/// A picture in memory; pixel (0, 0) is at the top left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    width: usize,
    height: usize,
    pixels: Vec<Colour>,
}

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// First column.
    pub left: usize,
    /// First row.
    pub top: usize,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl Area {
    /// One past the last column.
    pub fn right(&self) -> usize {
        self.left + self.width
    }

    /// One past the last row.
    pub fn bottom(&self) -> usize {
        self.top + self.height
    }
}

/// Horizontal alignment of text relative to its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// It begins there.
    Left,
    /// Its middle lies there.
    Centre,
    /// It ends there.
    Right,
}

impl Image {
    /// A picture of one colour.
    pub fn new(width: usize, height: usize, background: Colour) -> Self {
        Image { width, height, pixels: vec![background; width * height] }
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The colour of a pixel of the picture.
    pub fn pixel(&self, column: usize, row: usize) -> Colour {
        self.pixels[row * self.width + column]
    }

    /// The whole picture.
    pub fn area(&self) -> Area {
        Area { left: 0, top: 0, width: self.width, height: self.height }
    }

    /// Sets a pixel; outside the picture nothing happens.
    pub fn set(&mut self, column: usize, row: usize, colour: Colour) {
        if column < self.width && row < self.height {
            self.pixels[row * self.width + column] = colour;
        }
    }

    /// Puts another picture's pixels over this one's, from a column and a row on.
    pub fn paste(&mut self, other: &Image, left: usize, top: usize) {
        for row in 0..other.height.min(self.height.saturating_sub(top)) {
            let width = other.width.min(self.width.saturating_sub(left));
            let target = (top + row) * self.width + left;
            self.pixels[target..target + width].copy_from_slice(&other.pixels[row * other.width..][..width]);
        }
    }

    /// Red, green and blue of all pixels, row by row from the top.
    pub fn bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }

    /// Lays a colour over a pixel, from 0 (nothing) to 1 (all of it); outside the picture nothing happens.
    pub fn blend(&mut self, column: i64, row: i64, colour: Colour, opacity: f32) {
        let inside = (0..self.width as i64).contains(&column) && (0..self.height as i64).contains(&row);
        if !inside || opacity <= 0.0 {
            return;
        }
        let pixel = &mut self.pixels[row as usize * self.width + column as usize];
        for (old, new) in pixel.iter_mut().zip(colour) {
            *old = (f32::from(*old) + (f32::from(new) - f32::from(*old)) * opacity.min(1.0)).round() as u8;
        }
    }

    /// Fills a rectangle.
    pub fn fill(&mut self, area: Area, colour: Colour) {
        for row in area.top..area.bottom() {
            (area.left..area.right()).for_each(|column| self.set(column, row, colour));
        }
    }

    /// Fills the outermost pixels of a rectangle.
    pub fn outline(&mut self, area: Area, colour: Colour) {
        let Area { left, top, width, height } = area;
        if width > 0 && height > 0 {
            let (right, bottom) = (area.right() - 1, area.bottom() - 1);
            [top, bottom].into_iter().for_each(|top| self.fill(Area { top, height: 1, ..area }, colour));
            [left, right].into_iter().for_each(|left| self.fill(Area { left, width: 1, ..area }, colour));
        }
    }

    /// Draws a line of the given thickness between two points, its edges smoothed. Only pixels of `clip` change.
    pub fn line(&mut self, from: [f64; 2], to: [f64; 2], thickness: f64, colour: Colour, clip: Area) {
        let reach = 0.5 * thickness + 1.0;
        let range = |a: f64, b: f64, low: usize, high: usize| {
            let first = (a.min(b) - reach).floor().max(low as f64) as usize;
            let last = ((a.max(b) + reach).ceil().max(0.0) as usize).min(high);
            first..last.max(first)
        };
        let direction = [to[0] - from[0], to[1] - from[1]];
        let length_squared = (direction[0].powi(2) + direction[1].powi(2)).max(f64::MIN_POSITIVE);
        for row in range(from[1], to[1], clip.top, clip.bottom()) {
            for column in range(from[0], to[0], clip.left, clip.right()) {
                let centre = [column as f64 + 0.5 - from[0], row as f64 + 0.5 - from[1]];
                let along = ((centre[0] * direction[0] + centre[1] * direction[1]) / length_squared).clamp(0.0, 1.0);
                let distance = (centre[0] - along * direction[0]).hypot(centre[1] - along * direction[1]);
                let cover = (0.5 * thickness + 0.5 - distance).clamp(0.0, 1.0);
                self.blend(column as i64, row as i64, colour, cover as f32);
            }
        }
    }

    /// Writes text of `size` pixels; `position` is where the middle of its line height lies, placed along x by `align`.
    pub fn text(&mut self, text: &str, position: [f64; 2], align: Align, size: f64, colour: Colour) {
        let left = match align {
            Align::Left => position[0],
            Align::Centre => position[0] - 0.5 * font::width(text, size),
            Align::Right => position[0] - font::width(text, size),
        };
        font::draw(text, [left.round(), position[1]], size, |column, row, cover| {
            self.blend(column, row, colour, cover);
        });
    }

    /// Writes the picture as a PNG file.
    ///
    /// # Errors
    /// Names the file and the cause.
    pub fn write_png(&self, path: &Path) -> Result<(), OutputError> {
        write_file(path, Durability::Program, |out| self.encode_png(out))
    }

    /// The bytes of a PNG file.
    ///
    /// # Errors
    /// The picture is too large.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.encode_png(&mut bytes).map(|()| bytes)
    }

    fn encode_png(&self, out: impl io::Write) -> io::Result<()> {
        let too_large = |_| io::Error::other("the picture is too large");
        let width = u32::try_from(self.width).map_err(too_large)?;
        let height = u32::try_from(self.height).map_err(too_large)?;
        let mut encoder = png::Encoder::new(out, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        // A run waits while its picture is written.
        encoder.set_compression(png::Compression::Fast);
        let (keyword, program) = SOFTWARE;
        encoder.add_text_chunk(keyword.to_owned(), program.to_owned()).map_err(png_error)?;
        let mut writer = encoder.write_header().map_err(png_error)?;
        writer.write_image_data(self.bytes()).map_err(png_error)?;
        writer.finish().map_err(png_error)
    }
}

/// The operating system's error that an error of the PNG encoder wraps, or else the encoder's own.
fn png_error(error: png::EncodingError) -> io::Error {
    match error {
        png::EncodingError::IoError(error) => error,
        error => io::Error::other(error),
    }
}

/// Bytes in base 64 (RFC 4648), for pages that hold their pictures.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().enumerate().fold(0u32, |group, (i, &byte)| group | u32::from(byte) << (16 - 8 * i));
        for digit in 0..4 {
            let present = digit <= chunk.len();
            text.push(if present { char::from(DIGITS[(group >> (18 - 6 * digit)) as usize & 63]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    /// The examples of RFC 4648, §10.
    #[test]
    fn base64_is_that_of_the_standard() {
        let table = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (text, expected) in table {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }
}
