//! Whole numbers below and above.

#[riemann::shared]
impl Whole {
    /// The largest whole number that is not above x.
    pub fn floor(x: Real) -> Real {
        let r = Self::nearest_magnitude(x).copysign(x);
        let below = if r > x { r - 1.0 } else { r };
        if x.abs() < Self::ALL_WHOLE { below.abs().copysign(x) } else { x }
    }

    /// The smallest whole number that is not below x.
    pub fn ceil(x: Real) -> Real {
        let r = Self::nearest_magnitude(x).copysign(x);
        let above = if r < x { r + 1.0 } else { r };
        if x.abs() < Self::ALL_WHOLE { above.abs().copysign(x) } else { x }
    }
}
