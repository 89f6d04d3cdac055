//! Several pictures as one.

use super::canvas::Image;
use super::decoration::PAPER;

/// Arranges pictures in a grid of `columns` columns, each at the upper left corner of its cell.
pub fn arrange(images: &[Image], columns: usize) -> Image {
    let columns = columns.clamp(1, images.len().max(1));
    let widths: Vec<usize> =
        (0..columns).map(|c| images.iter().skip(c).step_by(columns).map(Image::width).max().unwrap_or(0)).collect();
    let heights: Vec<usize> =
        images.chunks(columns).map(|row| row.iter().map(Image::height).max().unwrap_or(0)).collect();
    let mut whole = Image::new(widths.iter().sum(), heights.iter().sum(), PAPER);
    let mut top = 0;
    for (row, height) in images.chunks(columns).zip(&heights) {
        let mut left = 0;
        for (image, width) in row.iter().zip(&widths) {
            whole.paste(image, left, top);
            left += width;
        }
        top += height;
    }
    whole
}
