//! What solvers of waves between two materials share.

/// f-waves of a scalar, component 0, and component `n` of a vector: one into either material.
#[riemann::shared]
impl TwoMaterials {
    /// The parts of a flux difference, `rise` of the scalar and the vector's component, that run down into the material of the impedance
    /// `lower` and up into that of `upper`.
    fn split(rise: [Real; 2], n: usize, lower: Real, upper: Real) -> (State, State) {
        let reciprocal = 1.0 / (lower + upper);
        let down = (upper * rise[0] + rise[1]) * reciprocal;
        let up = (lower * rise[0] - rise[1]) * reciprocal;
        let (mut first, mut second) = ([0.0; M], [0.0; M]);
        first[0] = down;
        first[n] = down * lower;
        second[0] = up;
        second[n] = -(up * upper);
        (first, second)
    }
}
