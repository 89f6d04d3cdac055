//! Symmetric data stay symmetric, to round-off.

use super::common::take_steps;
use super::start;
use amrclaw::frames::frame::Frame;

/// A shell of sound about the centre of a cube, on patches forced by regions with that symmetry, since clustering takes the first of several
/// equally good cuts.
const SHELL: &str = include_str!("../cases/symmetric/shell.toml");

/// Overrides for gas under pressure instead of sound.
const GAS: [&str; 2] = [
    "solver={name='euler_hllc'}",
    "initial={density='1 + exp(-8 * r^2)',x_momentum=0,y_momentum=0,z_momentum=0,energy='2.5 + 4 * exp(-8 * r^2)'}",
];

/// Round-off of sums of numbers of order one in different order, over some ten steps of the finest level.
const SYMMETRIC: f64 = 1e-13;

/// The finest level's domain as one array of each component, shape `[z, y, x]`: each cell has the value of the finest cell over it.
struct Composite {
    q: Vec<Vec<f64>>,
    size: usize,
}

impl Composite {
    fn new(frame: &Frame<3>) -> Self {
        let mut scale: i32 = frame.ratios.iter().map(|r| r.0[0]).product();
        let size = (frame.cells[0] * scale) as usize;
        let mut q = vec![vec![f64::NAN; size.pow(3)]; frame.equations.len()];
        for (l, level) in frame.levels.iter().enumerate() {
            for patch in &level.patches {
                for (k, cell) in patch.cells.cells().enumerate() {
                    let [x, y, z] = cell.map(|i| (i * scale) as usize);
                    for (m, q) in q.iter_mut().enumerate() {
                        let value = patch.q[m * patch.cells.volume() + k];
                        for row in (0..scale as usize).flat_map(|dz| (0..scale as usize).map(move |dy| [dz, dy])) {
                            let start = ((z + row[0]) * size + y + row[1]) * size + x;
                            q[start..][..scale as usize].fill(value);
                        }
                    }
                }
            }
            scale /= frame.ratios.get(l).map_or(1, |r| r.0[0]);
        }
        Composite { q, size }
    }

    /// Largest difference from itself with axis `d` moved to axis `axes[d]` and axes mirrored where `mirrored`. Components 1 to 3 are a
    /// vector, all others scalars.
    fn asymmetry(&self, axes: [usize; 3], mirrored: [bool; 3]) -> f64 {
        let (n, mut worst) = (self.size, 0.0_f64);
        let strides = [1, n, n * n];
        let along = |d: usize, i: usize| strides[axes[d]] * if mirrored[d] { n - 1 - i } else { i };
        for m in 0..self.q.len() {
            let (image, sign) = match m {
                1..4 => (&self.q[axes[m - 1] + 1], if mirrored[m - 1] { -1.0 } else { 1.0 }),
                _ => (&self.q[m], 1.0),
            };
            for (row, here) in self.q[m].chunks_exact(n).enumerate() {
                let start = along(1, row % n) + along(2, row / n);
                for (i, here) in here.iter().enumerate() {
                    let difference = (here - sign * image[start + along(0, i)]).abs();
                    worst = if difference.is_nan() { f64::INFINITY } else { worst.max(difference) };
                }
            }
        }
        worst
    }
}

/// The permutations of three axes, the first of which is the identity; below, the ways to mirror some axes.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0], [1, 2, 0], [2, 0, 1]];
const MIRRORS: [[bool; 3]; 8] = {
    let mut all = [[false; 3]; 8];
    let mut k = 0;
    while k < 8 {
        all[k] = [k & 1 > 0, k & 2 > 0, k & 4 > 0];
        k += 1;
    }
    all
};

fn run(data: &[&str], split: &str) -> Composite {
    let mut simulation = start::<3>(SHELL, &[data, &[&format!("scheme.split={split}")]].concat());
    take_steps(&mut simulation, 4);
    assert_eq!(simulation.hierarchy().num_levels(), 3);
    let solution = Composite::new(&simulation.frame());
    let (low, high) = solution.q[1].iter().fold((0.0_f64, 0.0_f64), |(l, h), u| (l.min(*u), h.max(*u)));
    assert!(high - low > 0.1, "something moves: {low} to {high}");
    solution
}

/// Unsplit schemes preserve all 48 symmetries of the cube.
#[test]
fn unsplit_solutions_have_all_symmetries_of_a_cube() {
    for (data, bound) in [(&[][..], SYMMETRIC), (&GAS, 10.0 * SYMMETRIC)] {
        let solution = run(data, "unsplit");
        for (axes, mirrored) in ORDERS.iter().flat_map(|&axes| MIRRORS.map(|mirrored| (axes, mirrored))) {
            let found = solution.asymmetry(axes, mirrored);
            assert!(found <= bound, "axes {axes:?}, mirrored {mirrored:?}: asymmetry {found:e}, {data:?}");
        }
    }
}

/// Split schemes preserve the eight mirror symmetries, but not permutations of axes, since these are swept differently; that also shows that
/// the measure detects a difference.
#[test]
fn split_solutions_have_the_mirror_symmetries() {
    for split in ["godunov", "strang"] {
        let solution = run(&[], split);
        for mirrored in MIRRORS {
            let found = solution.asymmetry(ORDERS[0], mirrored);
            assert!(found <= SYMMETRIC, "{split}, mirrored {mirrored:?}: asymmetry {found:e}");
        }
        for axes in &ORDERS[1..] {
            let found = solution.asymmetry(*axes, MIRRORS[0]);
            assert!(found > 1e-6, "{split}, axes {axes:?}: asymmetry {found:e} only");
        }
    }
}
