//! Settings that are one of a few words.

use crate::text::{Choice, choices};
use riemann::limiter::Limiter;
use unstructured::step;

choices! {
    /// What holds at a side of the domain.
    BoundaryKind {
        /// Ghost cells repeat the nearest interior cell: waves leave.
        Extrapolate = "extrapolate",
        /// Solid wall: ghost cells mirror the interior, the normal components of vectors change their sign.
        Wall = "wall",
        /// Side of a solid that does not move: all components of vectors change their sign.
        Clamped = "clamped",
        /// Side of a solid without traction: tensors' components along the normal change their sign.
        Free = "free",
        /// The domain continues at the opposite side.
        Periodic = "periodic",
        /// The side meets itself, turned by 180° about its middle.
        Folded = "folded",
        /// Values by formulas.
        Inflow = "inflow",
        /// The solver's own values.
        User = "user",
    }
    /// What is interpolated to the faces of a mesh from a file.
    Interpolated {
        /// The equations' quantities.
        Conserved = "conserved",
        /// The solver's primitive variables.
        Primitive = "primitive",
    }
    /// Who solves the faces of a mesh from a file, on a GPU.
    MeshLoop {
        /// Cells.
        Auto = "auto",
        /// Each cell all its faces.
        Cell = "cell",
        /// Each face itself.
        Face = "face",
    }
    /// What the height of ground is in a cell.
    Shore {
        /// The mean of the surface up to the rest level where any of the cell is below it, else the mean.
        Rest = "rest",
        /// The mean.
        Mean = "mean",
        /// The value at the centre.
        Centre = "centre",
    }
    /// How flagged cells are covered with patches.
    ClusterKind {
        /// Few boxes, cut where they fit the flags.
        BergerRigoutsos = "berger-rigoutsos",
        /// Whole aligned tiles.
        Tiles = "tiles",
    }
    /// How cells to refine are found.
    Criterion {
        /// Undivided central difference of any component above the tolerance.
        Difference = "difference",
        /// Richardson estimate of the error above the tolerance.
        Richardson = "richardson",
        /// What a cell's gradient does not explain of the differences to its neighbours above the tolerance, on a mesh from a file.
        Curvature = "curvature",
        /// An expression, or the solver's own criterion.
        User = "user",
        /// Product with the solution of the adjoint problem above the tolerance.
        Adjoint = "adjoint",
    }
    /// What the adjoint solution is multiplied with.
    AdjointOf {
        /// The solution.
        Solution = "solution",
        /// Richardson's estimate of its error.
        Error = "error",
    }
}

/// Choices among types of other crates.
macro_rules! words_for {
    ($($name:ty { $($variant:ident = $word:literal,)* })*) => {$(
        impl Choice for $name {
            fn words() -> Vec<(&'static str, Self)> {
                vec![$(($word, <$name>::$variant),)*]
            }
        }
    )*};
}

words_for! {
    unstructured::Order { File = "file", Hilbert = "hilbert", Rcm = "rcm", Shuffled = "shuffled", }
    step::TimeStep { Euler = "euler", Rk2 = "rk2", Rk3 = "rk3", Rk3LowStorage = "rk3_low_storage", Hancock = "hancock", }
    step::Gradient { LeastSquares = "least-squares", GreenGauss = "green-gauss", }
    step::Limiter { None = "none", BarthJespersen = "barth-jespersen", Venkatakrishnan = "venkatakrishnan", }
}

impl Choice for Limiter {
    fn words() -> Vec<(&'static str, Self)> {
        Limiter::ALL.map(|limiter| (limiter.name(), limiter)).to_vec()
    }
}

/// What a monitor keeps of the values of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// The first time at which it is not 0.
    First,
    /// That of each frame.
    Now,
}
