//! Cutting patches into tiles, and giving each tile its taps.

use super::{Tap, Tile, UpdateOptions};
use riemann::axis::{Axis, Side};

/// Tiles of all patches of a level, with their taps.
#[derive(Clone, Debug, Default)]
pub struct TileTable {
    /// The tiles.
    pub tiles: Vec<Tile>,
    /// Taps of all tiles.
    pub taps: Vec<Tap>,
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

    /// The band of a row; rows beyond the last band count with it.
    fn of(&self, row: i32) -> i32 {
        let tall_rows = self.taller * (self.height + 1);
        let band =
            if row < tall_rows { row / (self.height + 1) } else { self.taller + (row - tall_rows) / self.height };
        band.min(self.count - 1)
    }
}

impl TileTable {
    /// Appends the tiles of other patches.
    pub fn append(&mut self, other: &TileTable) {
        let first = self.taps.len() as u32;
        self.tiles.extend(other.tiles.iter().map(|tile| Tile { first_tap: tile.first_tap + first, ..*tile }));
        self.taps.extend_from_slice(&other.taps);
    }

    /// Cuts the cells `lo .. hi` of a patch, counted from its first interior cell, into tiles of at most `rows` rows, all of
    /// nearly the same height.
    /// `taps`: the faces in or around these cells whose fluxes the sweep keeps, in any order.
    pub fn add_patch(
        &mut self,
        options: &UpdateOptions,
        rows: i32,
        patch: u32,
        [lo, hi]: [[i32; 2]; 2],
        taps: &[riemann::patch::Tap],
    ) {
        let columns = options.tile_columns();
        let halo = if options.sweep[0] { 2 } else { 0 };
        let strips = (hi[0] - lo[0] + columns - 1) / columns;
        let bands = Bands::new(hi[1] - lo[1], rows);
        let first_tile = self.tiles.len();
        for band in 0..bands.count {
            for strip in 0..strips {
                let (column, row) = (lo[0] + strip * columns, lo[1] + bands.start(band));
                self.tiles.push(Tile {
                    patch,
                    column,
                    columns: columns.min(hi[0] - column),
                    row,
                    rows: bands.start(band + 1) - bands.start(band),
                    first_tap: self.taps.len() as u32,
                    num_taps: 0,
                });
            }
        }
        if taps.is_empty() {
            return;
        }
        // A face between two tiles belongs to the upper one; a patch's last faces to its last tiles.
        let mut sorted: Vec<(u32, Tap)> = taps
            .iter()
            .map(|tap| {
                let strip = ((tap.cell[0] - lo[0]) / columns).min(strips - 1);
                let band = bands.of(tap.cell[1] - lo[1]);
                let tile = (band * strips + strip) as u32;
                let lane = (tap.cell[0] - (lo[0] + strip * columns) + halo) as u32;
                let row = (tap.complete_at() - (lo[1] + bands.start(band))) as u32;
                let axis = if tap.axis == Axis::X { 0 } else { 32 };
                let side = if tap.seen_from == Side::Lower { 0 } else { 64 };
                (tile, Tap { position: lane | axis | side | row << 8, slot: tap.slot })
            })
            .collect();
        sorted.sort_unstable_by_key(|(tile, tap)| (*tile, tap.position >> 8, tap.position, tap.slot));
        for (tile, tap) in sorted {
            let tile = &mut self.tiles[first_tile + tile as usize];
            if tile.num_taps == 0 {
                tile.first_tap = self.taps.len() as u32;
            }
            tile.num_taps += 1;
            self.taps.push(tap);
        }
    }
}

impl TileTable {
    /// Puts the tallest tiles first, so that warps end together. Tiles of one height keep their order.
    pub fn sort_by_height(&mut self) {
        let tallest = self.tiles.iter().map(|tile| tile.rows).max().unwrap_or(0) as usize;
        let mut places = vec![0; tallest + 2];
        let rank = |tile: &Tile| tallest - tile.rows as usize;
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
    use super::super::Taps;
    use super::*;
    use riemann::limiter::Limiter;

    fn options(sweep: [bool; 2]) -> UpdateOptions {
        UpdateOptions {
            order: 2,
            transverse: 2,
            limiters: vec![Limiter::VanLeer],
            capacity: None,
            sweep,
            taps: Taps::List,
        }
    }

    /// Each cell is in one tile; each tap is in one tile, at a lane and a row at which that tile completes it.
    #[test]
    fn tiles_and_taps_cover_everything_once() {
        for (sweep, lo, hi) in
            [([true, true], [0, 0], [57, 35]), ([false, true], [-2, 0], [61, 33]), ([true, false], [0, -2], [28, 7])]
        {
            let mut taps = Vec::new();
            for (n, axis) in [Axis::X, Axis::Y].into_iter().enumerate().filter(|&(n, _)| sweep[n]) {
                let extent = std::array::from_fn::<i32, 2, _>(|d| hi[d] + i32::from(d == n));
                for cell in (lo[1]..extent[1]).flat_map(|y| (lo[0]..extent[0]).map(move |x| [x, y, 0])) {
                    let slot = taps.len() as u32;
                    let seen_from = if slot.is_multiple_of(3) { Side::Lower } else { Side::Upper };
                    taps.push(riemann::patch::Tap { cell, axis, seen_from, slot });
                }
            }
            let mut table = TileTable::default();
            table.add_patch(&options(sweep), 16, 7, [lo, hi], &taps);
            let mut covered = std::collections::HashSet::new();
            let mut found = std::collections::HashSet::new();
            for tile in &table.tiles {
                for y in tile.row..tile.row + tile.rows {
                    assert!((tile.column..tile.column + tile.columns).all(|x| covered.insert([x, y])));
                }
                let range = tile.first_tap as usize..(tile.first_tap + tile.num_taps) as usize;
                let mut row_before = 0;
                for tap in &table.taps[range] {
                    let original = taps[tap.slot as usize];
                    let (lane, row) = ((tap.position & 31) as i32, (tap.position >> 8) as i32);
                    let halo = if sweep[0] { 2 } else { 0 };
                    assert_eq!(tile.column + lane - halo, original.cell[0]);
                    assert_eq!(tile.row + row, original.complete_at());
                    assert!(
                        lane >= halo
                            && lane <= tile.columns + halo
                            && (0..=tile.rows).contains(&row)
                            && row >= row_before
                    );
                    assert_eq!(
                        (tap.position & 32 != 0, tap.position & 64 != 0),
                        (original.axis == Axis::Y, original.seen_from == Side::Upper)
                    );
                    assert!(found.insert(tap.slot));
                    row_before = row;
                }
            }
            assert_eq!(covered.len() as i32, (hi[0] - lo[0]) * (hi[1] - lo[1]));
            assert_eq!(found.len(), taps.len());
        }
    }

    /// A patch is cut into tiles whose heights differ by one row at most, the tallest tiles come first, and none is lost.
    #[test]
    fn tiles_are_of_like_height_and_sorted() {
        let mut table = TileTable::default();
        for (k, rows) in [33, 72, 5].into_iter().enumerate() {
            table.add_patch(&options([true, true]), 32, k as u32, [[0, 0], [40, rows]], &[]);
        }
        let heights = |table: &TileTable, patch| -> Vec<i32> {
            table.tiles.iter().filter(|tile| tile.patch == patch).map(|tile| tile.rows).collect()
        };
        assert_eq!((heights(&table, 0), heights(&table, 2)), (vec![17, 17, 16, 16], vec![5, 5]));
        let sorted = |table: &TileTable| {
            let mut places: Vec<_> = table.tiles.iter().map(|tile| (tile.patch, tile.row, tile.column)).collect();
            places.sort_unstable();
            places
        };
        let before = sorted(&table);
        table.sort_by_height();
        assert!(table.tiles.is_sorted_by_key(|tile| -tile.rows));
        assert_eq!(sorted(&table), before);
        assert_eq!(heights(&table, 1), [24; 6]);
    }
}
