//! Cutting patches into tiles, and giving each tile its taps.

use super::{Tap, Tile, UpdateOptions};
use riemann::axis::{Axis, Side};

/// Rows that a warp marches through beyond those of its tile, about: it starts below and ends above.
const EXTRA_ROWS: i64 = 4;

/// Tiles of all patches of a level, with their taps.
#[derive(Clone, Debug, Default)]
pub struct TileTable {
    /// The tiles.
    pub tiles: Vec<Tile>,
    /// Taps of all tiles.
    pub taps: Vec<Tap>,
}

/// Rows of a tile with which patches of these sizes take the least time on a device that runs `resident_warps` warps at once.
pub fn rows_per_tile(sizes: impl Iterator<Item = [i32; 2]> + Clone, columns: i32, resident_warps: u32) -> i32 {
    let time = |&rows: &i32| {
        let tiles = |[x, y]: [i32; 2]| i64::from((x + columns - 1) / columns) * i64::from((y + rows - 1) / rows);
        let turns = (sizes.clone().map(tiles).sum::<i64>() as u64).div_ceil(u64::from(resident_warps.max(1))) as i64;
        turns * (i64::from(rows) + EXTRA_ROWS)
    };
    [128, 96, 64, 48, 32, 24, 16, 8].into_iter().min_by_key(time).unwrap_or(32)
}

impl TileTable {
    /// Cuts the cells `lo .. hi` of a patch, counted from its first interior cell, into tiles of at most `rows` rows.
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
        let counts = [(hi[0] - lo[0] + columns - 1) / columns, (hi[1] - lo[1] + rows - 1) / rows];
        let first_tile = self.tiles.len();
        for band in 0..counts[1] {
            for strip in 0..counts[0] {
                let (column, row) = (lo[0] + strip * columns, lo[1] + band * rows);
                self.tiles.push(Tile {
                    patch,
                    column,
                    columns: columns.min(hi[0] - column),
                    row,
                    rows: rows.min(hi[1] - row),
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
                let strip = ((tap.cell[0] - lo[0]) / columns).min(counts[0] - 1);
                let band = ((tap.cell[1] - lo[1]) / rows).min(counts[1] - 1);
                let tile = (band * counts[0] + strip) as u32;
                let lane = (tap.cell[0] - (lo[0] + strip * columns) + halo) as u32;
                let row = (tap.complete_at() - (lo[1] + band * rows)) as u32;
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

    /// Many tiles are long; few are cut so that every warp has one.
    #[test]
    fn tiles_are_as_long_as_they_can_be() {
        let rows = |patches: usize, n: i32| rows_per_tile(std::iter::repeat_n([n, n], patches), 28, 1584);
        assert!(rows(256, 256) >= 32, "{}", rows(256, 256));
        assert!(rows(4, 256) <= 16, "{}", rows(4, 256));
    }
}
