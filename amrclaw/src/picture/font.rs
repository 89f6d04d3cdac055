//! Text as smoothed pixels, in DejaVu Sans (Latin, Greek and a few signs; its licence is in `font/LICENSE`).

use ab_glyph::{Font, FontRef, Glyph, ScaleFont, point};
use std::sync::LazyLock;

static FONT: LazyLock<FontRef<'static>> = LazyLock::new(|| {
    FontRef::try_from_slice(include_bytes!("font/DejaVuSans.ttf")).expect("the font in the program is whole")
});

/// How far the baseline lies below a line's middle: half the height of a capital letter, the visual middle of numbers and short labels.
pub const MIDDLE: f64 = 0.36;

/// Width of a line of text, in pixels.
pub fn width(text: &str, size: f64) -> f64 {
    let font = FONT.as_scaled(size as f32);
    text.chars().map(|c| f64::from(font.h_advance(font.glyph_id(c)))).sum()
}

/// Calls `paint(column, row, cover)` for each pixel that the text touches, with the part of it that is covered.
/// `position` is the left end of the text's middle line.
pub fn draw(text: &str, position: [f64; 2], size: f64, mut paint: impl FnMut(i64, i64, f32)) {
    let font = FONT.as_scaled(size as f32);
    let mut x = position[0] as f32;
    let baseline = (position[1] as f32 + MIDDLE as f32 * size as f32).round();
    for c in text.chars() {
        let glyph: Glyph = font.glyph_id(c).with_scale_and_position(font.scale(), point(x, baseline));
        x += font.h_advance(glyph.id);
        if let Some(outline) = font.outline_glyph(glyph) {
            let corner = outline.px_bounds().min;
            outline.draw(|column, row, cover| {
                paint(corner.x as i64 + i64::from(column), corner.y as i64 + i64::from(row), cover);
            });
        }
    }
}
