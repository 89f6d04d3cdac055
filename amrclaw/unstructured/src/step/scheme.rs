//! What a step is made of.

use crate::Mesh;
use crate::mesh::Across;

/// How a step is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheme {
    /// 1 or 2.
    pub order: u8,
    /// The stages of a step.
    pub time: TimeStep,
    /// Gradients, at order 2.
    pub gradient: Gradient,
    /// What keeps them from new extremes.
    pub limiter: Limiter,
    /// Each cell has its own time step, for steady states: that of Courant number `dt`.
    pub is_local: bool,
    /// Who solves a face's Riemann problem, on a device.
    pub solved_by: SolvedBy,
}

impl Scheme {
    /// About the bytes of memory that steps of states of `num_eqn` components need besides the mesh.
    pub fn bytes(&self, mesh: &Mesh, num_eqn: usize) -> usize {
        let (cells, faces, entries) = (mesh.num_cells(), mesh.num_faces(), mesh.cell_faces.items.len());
        // Frames, areas and indices of faces; states in cells.
        let first = faces * (32 + 20) + 4 * entries + 8 * num_eqn * (cells + mesh.boundary.len());
        let numbers = match self.limiter {
            _ if self.order == 1 => return first,
            Limiter::Venkatakrishnan => 2 * (faces + cells),
            _ => 2 * faces,
        };
        first + 8 * faces + size_of::<Across>() * entries + 8 * num_eqn * numbers
    }
}

/// Who solves a face's Riemann problem on a device. Results are the same to the bit; the processor's threads solve each face once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolvedBy {
    /// Both cells beside it, each for itself: nothing is stored in between.
    Cells,
    /// The face itself, once; then cells gather.
    Faces,
}

/// Stages of a step: Runge–Kutta methods that are mixtures of forward steps. Shu & Osher 1988, doi:10.1016/0021-9991(88)90177-5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeStep {
    /// One forward step.
    Euler,
    /// Two.
    Rk2,
    /// Three.
    Rk3,
    /// Three, each from the state before the step, by a third, a half and all of the step; of third order where the equations are linear. Jameson,
    /// Schmidt & Turkel 1981, doi:10.2514/6.1981-1259.
    Rk3LowStorage,
    /// One, with states at faces half a step later: each cell's move by its own fluxes there. At order 2, with steps of one length. Van Leer 1984,
    /// doi:10.1137/0905001.
    Hancock,
}

impl TimeStep {
    /// For each stage the part of the step at which it starts, and the share of it in the mixture with the state before the step.
    pub const fn stages(self) -> &'static [(f64, f64)] {
        match self {
            TimeStep::Euler | TimeStep::Hancock => &[(0.0, 1.0)],
            TimeStep::Rk2 => &[(0.0, 1.0), (1.0, 0.5)],
            TimeStep::Rk3 => &[(0.0, 1.0), (1.0, 0.25), (0.5, 2.0 / 3.0)],
            TimeStep::Rk3LowStorage => &[(0.0, 1.0 / 3.0), (1.0 / 3.0, 0.5), (0.5, 1.0)],
        }
    }

    /// True if a stage adds its change to the state before the step, not to that with which it starts.
    pub const fn from_before(self) -> bool {
        matches!(self, TimeStep::Rk3LowStorage)
    }
}

/// How gradients are made of differences to the neighbours across faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gradient {
    /// By least squares, weighted with the inverse squares of distances.
    LeastSquares,
    /// By Gauss' theorem, with the mean of the two cells at each face.
    GreenGauss,
}

/// What limits gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limiter {
    /// Nothing.
    None,
    /// No state at a face is beyond those of the cell and its neighbours. Barth & Jespersen 1989, doi:10.2514/6.1989-366.
    BarthJespersen,
    /// The same smoothly, with those of the neighbours' neighbours, and with extremes of small cells left alone: across one face values differ by
    /// less than twice what the face does, so that the smooth form would take a part of linear ones. Venkatakrishnan 1995, doi:10.1006/jcph.1995.1084.
    Venkatakrishnan,
}
