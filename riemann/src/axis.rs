//! Directions in a patch: the axis of a face, and a side of it.

/// A coordinate axis: 0 is x, 1 is y, 2 is z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Axis {
    /// First axis; contiguous in memory.
    X = 0,
    /// Second axis.
    Y = 1,
    /// Third axis.
    Z = 2,
}

impl Axis {
    /// All axes in order; the first `D` belong to a `D`-dimensional mesh.
    pub const ALL: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

    /// Position of the axis: 0, 1 or 2.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The axes along a face with normal `self`, of the first `dim`.
    pub fn transverse(self, dim: usize) -> impl Iterator<Item = Axis> {
        Axis::ALL.into_iter().take(dim).filter(move |axis| *axis != self)
    }

    /// Every two of the first `dim` axes.
    pub const fn pairs(dim: usize) -> &'static [[Axis; 2]] {
        match dim {
            3 => &[[Axis::X, Axis::Y], [Axis::Y, Axis::Z], [Axis::X, Axis::Z]],
            2 => &[[Axis::X, Axis::Y]],
            _ => &[],
        }
    }

    /// In two dimensions, the axis along a face whose normal is `self`.
    #[inline(always)]
    pub const fn transverse_2d(self) -> Axis {
        match self {
            Axis::X => Axis::Y,
            _ => Axis::X,
        }
    }

    /// In two dimensions, where the components normal to and along a face with normal `self` stand in a state whose
    /// component 0 is a scalar and whose components 1 and 2 are a vector.
    #[inline(always)]
    pub const fn normal_and_transverse(self) -> (usize, usize) {
        (self.index() + 1, self.transverse_2d().index() + 1)
    }
}

/// One of the two sides along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Side {
    /// Towards smaller coordinates: left, below.
    Lower = 0,
    /// Towards larger coordinates: right, above.
    Upper = 1,
}

impl Side {
    /// Both sides, lower first.
    pub const BOTH: [Side; 2] = [Side::Lower, Side::Upper];

    /// 0 for lower, 1 for upper.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// −1 for lower, +1 for upper.
    #[inline(always)]
    pub const fn sign(self) -> i32 {
        match self {
            Side::Lower => -1,
            Side::Upper => 1,
        }
    }

    /// The other side.
    #[inline(always)]
    pub const fn opposite(self) -> Side {
        match self {
            Side::Lower => Side::Upper,
            Side::Upper => Side::Lower,
        }
    }
}
