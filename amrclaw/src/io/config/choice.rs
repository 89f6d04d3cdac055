//! Settings that are one of a few words.

use crate::io::FrameFormat;
use std::fmt;

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
        /// Solid wall: ghost cells mirror the interior, the normal velocity changes its sign.
        Wall = "wall",
        /// The opposite side follows.
        Periodic = "periodic",
        /// Values by formulas.
        Inflow = "inflow",
        /// The solver's own values.
        User = "user",
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
    /// How sweeps along the axes are combined.
    Sweeps {
        /// All axes in one step, with transverse waves.
        Unsplit = "unsplit",
        /// One axis after the other.
        Godunov = "godunov",
        /// Half, whole and half steps, to second order in time.
        Strang = "strang",
    }
    /// Limiter of the second-order corrections of a wave.
    Limiter {
        /// No limiter: Lax–Wendroff.
        None = "none",
        /// Minmod.
        Minmod = "minmod",
        /// Superbee.
        Superbee = "superbee",
        /// Monotonised central difference.
        Mc = "mc",
        /// Van Leer.
        VanLeer = "van_leer",
    }
    /// How source terms are taken together with the waves.
    SourceSplitting {
        /// No source terms.
        None = "none",
        /// A whole step of the source after the waves.
        Godunov = "godunov",
        /// Half a step of the source before and after the waves.
        Strang = "strang",
    }
}

impl From<Limiter> for riemann::limiter::Limiter {
    fn from(limiter: Limiter) -> Self {
        match limiter {
            Limiter::None => Self::None,
            Limiter::Minmod => Self::Minmod,
            Limiter::Superbee => Self::Superbee,
            Limiter::Mc => Self::Mc,
            Limiter::VanLeer => Self::VanLeer,
        }
    }
}

impl Choice for FrameFormat {
    const ALL: &'static [(&'static str, Self)] = &FrameFormat::NAMES;
}
