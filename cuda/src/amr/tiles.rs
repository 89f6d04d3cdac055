//! Cutting patches into tiles.

use super::{Tile, UpdateOptions};

/// Tiles of all patches of a level.
#[derive(Clone, Debug, Default)]
pub struct TileTable {
    /// The tiles.
    pub tiles: Vec<Tile>,
}

/// How the rows of a patch are cut into bands of nearly equal height.
#[derive(Clone, Copy, Debug)]
struct Bands {
    count: i32,
    /// Height of a band.
    height: i32,
    /// So many bands, the first ones, have one row more.
    taller: i32,
}

impl Bands {
    fn new(rows: i32, most: i32) -> Bands {
        let count = ((rows + most - 1) / most).max(1);
        Bands { count, height: rows / count, taller: rows % count }
    }

    /// First row of a band.
    fn start(&self, band: i32) -> i32 {
        band * self.height + band.min(self.taller)
    }
}

impl TileTable {
    /// Cuts the cells `lo .. hi` of a patch, counted from its first interior cell, into tiles of at most `rows` rows, all of
    /// nearly the same height.
    pub fn add_patch(&mut self, options: &UpdateOptions, rows: i32, patch: u32, [lo, hi]: [[i32; 2]; 2]) {
        let columns = options.tile_columns();
        let strips = (hi[0] - lo[0] + columns - 1) / columns;
        let bands = Bands::new(hi[1] - lo[1], rows);
        for band in 0..bands.count {
            for strip in 0..strips {
                let (column, row) = (lo[0] + strip * columns, lo[1] + bands.start(band));
                self.tiles.push(Tile {
                    patch,
                    lo: [column, row, 0],
                    size: [columns.min(hi[0] - column), bands.start(band + 1) - bands.start(band), 1],
                });
            }
        }
    }
}

impl TileTable {
    /// Puts the tallest tiles first, so that warps end together. Tiles of one height keep their order.
    pub fn sort_by_height(&mut self) {
        let tallest = self.tiles.iter().map(|tile| tile.size[1]).max().unwrap_or(0) as usize;
        let mut places = vec![0; tallest + 2];
        let rank = |tile: &Tile| tallest - tile.size[1] as usize;
        self.tiles.iter().for_each(|tile| places[rank(tile) + 1] += 1);
        for k in 1..places.len() {
            places[k] += places[k - 1];
        }
        let mut sorted = self.tiles.clone();
        for tile in &self.tiles {
            let place = &mut places[rank(tile)];
            sorted[*place] = *tile;
            *place += 1;
        }
        self.tiles = sorted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use riemann::limiter::Limiter;

    fn options(sweep: [bool; 2]) -> UpdateOptions {
        let limiters = vec![Limiter::VanLeer];
        UpdateOptions { order: 2, transverse: 2, limiters, capacity: None, sweep, keeps_faces: true }
    }

    /// Each cell is in one tile.
    #[test]
    fn tiles_cover_everything_once() {
        for (sweep, lo, hi) in
            [([true, true], [0, 0], [57, 35]), ([false, true], [-2, 0], [61, 33]), ([true, false], [0, -2], [28, 7])]
        {
            let mut table = TileTable::default();
            table.add_patch(&options(sweep), 16, 7, [lo, hi]);
            let mut covered = std::collections::HashSet::new();
            for tile in &table.tiles {
                for y in tile.lo[1]..tile.lo[1] + tile.size[1] {
                    assert!((tile.lo[0]..tile.lo[0] + tile.size[0]).all(|x| covered.insert([x, y])));
                }
            }
            assert_eq!(covered.len() as i32, (hi[0] - lo[0]) * (hi[1] - lo[1]));
        }
    }

    /// A patch is cut into tiles whose heights differ by one row at most, the tallest tiles come first, and none is lost.
    #[test]
    fn tiles_are_of_like_height_and_sorted() {
        let mut table = TileTable::default();
        for (k, rows) in [33, 72, 5].into_iter().enumerate() {
            table.add_patch(&options([true, true]), 32, k as u32, [[0, 0], [40, rows]]);
        }
        let heights = |table: &TileTable, patch| -> Vec<i32> {
            table.tiles.iter().filter(|tile| tile.patch == patch).map(|tile| tile.size[1]).collect()
        };
        assert_eq!((heights(&table, 0), heights(&table, 2)), (vec![17, 17, 16, 16], vec![5, 5]));
        let sorted = |table: &TileTable| {
            let mut places: Vec<_> = table.tiles.iter().map(|tile| (tile.patch, tile.lo)).collect();
            places.sort_unstable();
            places
        };
        let before = sorted(&table);
        table.sort_by_height();
        assert!(table.tiles.is_sorted_by_key(|tile| -tile.size[1]));
        assert_eq!(sorted(&table), before);
        assert_eq!(heights(&table, 1), [24; 6]);
    }
}
