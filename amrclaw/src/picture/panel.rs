//! Several pictures as one.

use super::figure::Figure;

/// The part of a page that may be empty before its pictures are arranged in another number of columns.
const MOST_EMPTY: f64 = 0.35;

/// Arranges pictures in a grid of `columns` columns, or of fewer where pictures of unequal shape would leave much of the page empty, each at
/// the upper left corner of its cell.
pub fn arrange(images: Vec<Figure>, columns: usize) -> Figure {
    let columns = least_empty(&images, columns.clamp(1, images.len().max(1)));
    let (widths, heights) = grid(&images, columns);
    let mut whole = Figure::new(widths.iter().sum(), heights.iter().sum());
    let (mut left, mut top) = (0, 0);
    for (number, image) in images.into_iter().enumerate() {
        whole.part(image, [left, top]);
        let column = number % columns;
        left += widths[column];
        if column + 1 == columns {
            (left, top) = (0, top + heights[number / columns]);
        }
    }
    whole
}

/// Widths of the columns and heights of the rows of a grid.
fn grid(images: &[Figure], columns: usize) -> (Vec<usize>, Vec<usize>) {
    let largest = |sizes: &mut dyn Iterator<Item = usize>| sizes.max().unwrap_or(0);
    let width = |c| largest(&mut images.iter().skip(c).step_by(columns).map(Figure::width));
    let height = |row: &[Figure]| largest(&mut row.iter().map(Figure::height));
    ((0..columns).map(width).collect(), images.chunks(columns).map(height).collect())
}

/// The number of columns asked for, or, if too much of the page is empty, the one that leaves the least.
fn least_empty(images: &[Figure], columns: usize) -> usize {
    let empty = |columns: &usize| {
        let (widths, heights) = grid(images, *columns);
        let page = (widths.iter().sum::<usize>() * heights.iter().sum::<usize>()) as f64;
        1.0 - images.iter().map(|image| image.width() * image.height()).sum::<usize>() as f64 / page.max(1.0)
    };
    if empty(&columns) <= MOST_EMPTY {
        return columns;
    }
    (1..=columns).min_by(|a, b| empty(a).total_cmp(&empty(b))).unwrap_or(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pictures of one shape keep their grid; two flat ones and a tall one, which would leave half of a row empty, are stacked.
    #[test]
    fn pages_are_not_half_empty() {
        let page = |sizes: [[usize; 2]; 3]| {
            let whole = arrange(sizes.map(|[width, height]| Figure::new(width, height)).to_vec(), 3);
            [whole.width(), whole.height()]
        };
        assert_eq!(page([[50, 50]; 3]), [150, 50]);
        assert_eq!(page([[50, 10], [50, 10], [50, 50]]), [50, 70]);
    }
}
