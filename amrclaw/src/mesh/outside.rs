//! Cells outside the domain: the cell inside from which each takes its value. Only this module defines it.

/// Where cells beyond a side of the domain take their values from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// From the cells at the opposite side; the domain repeats without end.
    Periodic,
    /// From the nearest cell inside.
    Nearest,
    /// From the cell itself: values given as functions of position continue beyond the side.
    Itself,
    /// The cells inside, mirrored at the side.
    Mirrored,
    /// From the cells inside, mirrored at the side; components change their signs as the side's condition says.
    Wall,
}

impl Beyond {
    /// The rule as a number, which kernels take too: 1 where cells are their own origins, 0 where the nearest cell inside is that of all, −1 where
    /// they are mirrored, −2 where components change their signs besides.
    pub fn number(self) -> i32 {
        match self {
            Beyond::Periodic | Beyond::Itself => 1,
            Beyond::Nearest => 0,
            Beyond::Mirrored => -1,
            Beyond::Wall => -2,
        }
    }
}

/// Where a cell's value comes from along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The cell inside the domain; along a periodic axis the cell itself.
    pub cell: i32,
    /// A bit for each wall at which the value is mirrored an odd number of times, 1 for the lower, 2 for the upper one.
    pub walls: u8,
}

/// A run of cells whose origins are an affine function of the index: cell `i` takes its value from cell `scale i + offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OriginRun {
    /// The first cell.
    pub lo: i32,
    /// One past the last cell.
    pub hi: i32,
    /// 1, −1 where the cells are mirrored, 0 where all have the value of one cell.
    pub scale: i32,
    /// The origin of cell 0, continuing the run.
    pub offset: i32,
    /// As for [`Origin`].
    pub walls: u8,
}

/// Both ends of an axis of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisEnds {
    /// The lower and the upper side.
    pub sides: [Beyond; 2],
    /// Cells of the level between them.
    pub count: i32,
}

impl AxisEnds {
    /// Where a cell's value comes from. If the domain is narrower than its ghost cells, reflections repeat until a cell inside is reached.
    pub fn origin(&self, mut cell: i32) -> Origin {
        let mut walls = 0;
        loop {
            let (side, nearest, mirrored) = match cell {
                ..0 => (0, 0, -1 - cell),
                _ if cell >= self.count => (1, self.count - 1, 2 * self.count - 1 - cell),
                _ => return Origin { cell, walls },
            };
            match self.sides[side].number() {
                1 => return Origin { cell, walls },
                0 => return Origin { cell: nearest, walls },
                rule => (cell, walls) = (mirrored, walls ^ u8::from(rule == -2) << side),
            }
        }
    }

    /// The face from which the lower face of cell `face` takes its value. Faces are mirrored at the faces on the domain's sides: face
    /// `count`, on the upper side, is its own mirror image, and the nearest to all faces beyond.
    pub fn origin_of_face(&self, mut face: i32) -> i32 {
        loop {
            let (side, nearest, mirrored) = match face {
                ..0 => (self.sides[0], 0, -face),
                _ if face >= self.count => (self.sides[1], self.count, 2 * self.count - face),
                _ => return face,
            };
            match side.number() {
                1 => return face,
                0 => return nearest,
                _ if mirrored == face => return face,
                _ => face = mirrored,
            }
        }
    }

    /// The cells from `lo` up to `hi` in runs.
    pub fn runs(&self, lo: i32, hi: i32) -> impl Iterator<Item = OriginRun> + use<> {
        let (ends, mut next) = (*self, lo);
        std::iter::from_fn(move || {
            let lo = next;
            if lo >= hi {
                return None;
            }
            // Each image of the domain is either mirrored or not, as a whole.
            next = match ends.sides[0] {
                Beyond::Periodic => hi,
                _ => hi.min((lo.div_euclid(ends.count) + 1) * ends.count),
            };
            let first = ends.origin(lo);
            let scale = if next - lo > 1 { ends.origin(lo + 1).cell - first.cell } else { 0 };
            Some(OriginRun { lo, hi: next, scale, offset: first.cell - scale * lo, walls: first.walls })
        })
    }
}

impl AxisEnds {
    /// As [`AxisEnds::runs`], for values on the lower faces of cells.
    pub fn face_runs(&self, lo: i32, hi: i32) -> Vec<OriginRun> {
        let mut runs: Vec<OriginRun> = Vec::new();
        for face in lo..hi {
            let cell = self.origin_of_face(face);
            match runs.last_mut() {
                Some(run) if run.hi - run.lo > 1 && run.scale * face + run.offset == cell => run.hi += 1,
                // The first two faces determine a run's scale.
                Some(run) if run.hi - run.lo == 1 && (cell - run.offset).abs() <= 1 => {
                    run.scale = cell - run.offset;
                    (run.offset, run.hi) = (cell - run.scale * face, face + 1);
                }
                _ => runs.push(OriginRun { lo: face, hi: face + 1, scale: 0, offset: cell, walls: 0 }),
            }
        }
        runs
    }
}

impl OriginRun {
    /// A run of cells that are their own origins.
    pub const fn own(lo: i32, hi: i32) -> Self {
        OriginRun { lo, hi, scale: 1, offset: 0, walls: 0 }
    }

    /// True if each cell has its own value.
    pub fn is_identity(&self) -> bool {
        let Self { scale, offset, lo, hi, .. } = *self;
        (scale, offset) == (1, 0) || (hi - lo == 1 && scale * lo + offset == lo)
    }

    /// The cells of the run whose origins lie in `lo..hi`, as the first and one past the last.
    pub fn cells_from(&self, lo: i32, hi: i32) -> [i32; 2] {
        let [first, end] = match self.scale {
            0 if (lo..hi).contains(&self.offset) => [self.lo, self.hi],
            0 => [self.lo, self.lo],
            1 => [lo - self.offset, hi - self.offset],
            _ => [self.offset + 1 - hi, self.offset + 1 - lo],
        };
        [first.max(self.lo), end.min(self.hi)]
    }
}

#[cfg(test)]
mod tests {
    use super::Beyond::{Itself, Mirrored, Nearest, Periodic, Wall};
    use super::*;

    /// All pairs of sides that an axis may have.
    fn pairs() -> impl Iterator<Item = [Beyond; 2]> {
        let single = [Nearest, Itself, Mirrored, Wall];
        single.into_iter().flat_map(move |a| single.map(|b| [a, b])).chain([[Periodic; 2]])
    }

    /// Between two walls the domain repeats after twice its width, mirrored in between; each wall passed adds a reflection.
    #[test]
    fn walls_mirror_to_and_fro() {
        let ends = AxisEnds { sides: [Wall, Wall], count: 3 };
        let found: Vec<_> = (-7..10).map(|i| ends.origin(i)).map(|o| (o.cell, o.walls)).collect();
        let image = |cells: [i32; 3], walls: u8| cells.map(|cell| (cell, walls));
        let (inside, mirrored) = ([0, 1, 2], [2, 1, 0]);
        let below = [vec![(0, 2)], image(inside, 3).to_vec(), image(mirrored, 1).to_vec()].concat();
        let above = [image(mirrored, 2).to_vec(), image(inside, 3).to_vec(), vec![(2, 1)]].concat();
        let expected = [below, image(inside, 0).to_vec(), above].concat();
        assert_eq!(found, expected);
        let ends = AxisEnds { sides: [Wall, Nearest], count: 1 };
        assert_eq!(ends.origin(-3), Origin { cell: 0, walls: 1 });
        assert_eq!(ends.origin(3), Origin { cell: 0, walls: 0 });
        let ends = AxisEnds { sides: [Wall, Itself], count: 1 };
        assert_eq!(ends.origin(-3), Origin { cell: 2, walls: 1 });
        assert_eq!(ends.origin(3), Origin { cell: 3, walls: 0 });
    }

    /// Faces are mirrored at the faces that lie on the sides: face `−f` is face `f`, face `count + f` is face `count − f`.
    #[test]
    fn faces_are_mirrored_at_the_sides() {
        let ends = AxisEnds { sides: [Wall, Wall], count: 2 };
        let found: Vec<_> = (-4..7).map(|face| ends.origin_of_face(face)).collect();
        assert_eq!(found, [0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2]);
        let ends = AxisEnds { sides: [Nearest, Wall], count: 1 };
        assert_eq!([-1, 0, 1, 2, 3].map(|face| ends.origin_of_face(face)), [0, 0, 1, 0, 0]);
        let ends = AxisEnds { sides: [Itself, Nearest], count: 2 };
        assert_eq!([-2, 0, 1, 2, 3, 4].map(|face| ends.origin_of_face(face)), [-2, 0, 1, 2, 2, 2]);
    }

    /// Runs of faces say of every face what the rule says, each once.
    #[test]
    fn runs_of_faces_are_the_rule() {
        for (sides, count) in pairs().flat_map(|sides| (1..6).map(move |count| (sides, count))) {
            let ends = AxisEnds { sides, count };
            let mut next = -6;
            for run in ends.face_runs(-6, count + 6) {
                assert_eq!((run.lo, run.hi > run.lo), (next, true));
                for face in run.lo..run.hi {
                    assert_eq!(run.scale * face + run.offset, ends.origin_of_face(face), "{ends:?}, face {face}");
                }
                next = run.hi;
            }
            assert_eq!(next, count + 6);
        }
    }

    /// Runs say of every cell what the rule says, each once, and lead back to the cells that have their values from some place.
    #[test]
    fn runs_are_the_rule() {
        for (sides, count) in pairs().flat_map(|sides| (1..6).map(move |count| (sides, count))) {
            let ends = AxisEnds { sides, count };
            let runs: Vec<_> = ends.runs(-6, count + 6).collect();
            let mut next = -6;
            for run in &runs {
                assert_eq!((run.lo, run.hi > run.lo), (next, true));
                for i in run.lo..run.hi {
                    let found = Origin { cell: run.scale * i + run.offset, walls: run.walls };
                    assert_eq!(found, ends.origin(i), "{ends:?}, cell {i}");
                }
                next = run.hi;
            }
            assert_eq!(next, count + 6);
            for source in -6..count + 6 {
                let back = runs.iter().flat_map(|run| {
                    let [lo, hi] = run.cells_from(source, source + 1);
                    lo..hi
                });
                let expected = (-6..count + 6).filter(|&i| ends.origin(i).cell == source);
                assert!(back.eq(expected), "{ends:?}, from cell {source}");
            }
        }
    }
}
