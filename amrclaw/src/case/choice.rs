//! Settings that are one of a few words.

use crate::frames::FrameFormat;
use crate::physics::{AuxOutside, SourceMethod, SourceSplit, Split};
use riemann::limiter::Limiter;
use std::fmt;
use unstructured::step;

/// A setting that is one of a few words.
pub(super) trait Choice: Copy + 'static {
    /// Every word and what it stands for.
    const ALL: &'static [(&'static str, Self)];
}

macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl Choice for $name {
            const ALL: &'static [(&'static str, Self)] = &[$(($word, $name::$variant),)*];
        }

        impl $name {
            /// The word in the case file.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    )*};
}

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
        /// Values by formulas.
        Inflow = "inflow",
        /// The solver's own values.
        User = "user",
    }
    /// Who solves the faces of a mesh from a file, on a GPU.
    MeshLoop {
        /// Cells at order 1, faces at order 2.
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
        /// An expression, or the solver's own criterion.
        User = "user",
    }
}

/// Choices among types of other modules, which define the words themselves.
macro_rules! words_of {
    ($($name:ident)*) => {$(
        impl Choice for $name {
            const ALL: &'static [(&'static str, Self)] = &{
                let mut all = [("", $name::ALL[0]); $name::ALL.len()];
                let mut k = 0;
                while k < all.len() {
                    all[k] = ($name::ALL[k].name(), $name::ALL[k]);
                    k += 1;
                }
                all
            };
        }
    )*};
}

words_of! { AuxOutside Split SourceSplit SourceMethod Limiter }

/// Choices among types of crates without case files.
macro_rules! words_for {
    ($($name:ty { $($variant:ident = $word:literal,)* })*) => {$(
        impl Choice for $name {
            const ALL: &'static [(&'static str, Self)] = &[$(($word, <$name>::$variant),)*];
        }
    )*};
}

words_for! {
    unstructured::Order { File = "file", Hilbert = "hilbert", Rcm = "rcm", }
    step::TimeStep { Euler = "euler", Rk2 = "rk2", Rk3 = "rk3", }
    step::Gradient { LeastSquares = "least-squares", GreenGauss = "green-gauss", }
    step::Limiter { None = "none", BarthJespersen = "barth-jespersen", Venkatakrishnan = "venkatakrishnan", }
}

impl Choice for FrameFormat {
    const ALL: &'static [(&'static str, Self)] = &FrameFormat::NAMES;
}
