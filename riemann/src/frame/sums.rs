//! Arithmetic of mapped cells' faces in space: one text for the host and for devices.

/// Vectors and volumes of faces, and their frames.
#[derive(Clone, Copy, Debug)]
pub struct FaceSums;

#[riemann::functions]
impl FaceSums {
    fn minus(a: [Real; 3], b: [Real; 3]) -> [Real; 3] {
        [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
    }

    fn cross(a: [Real; 3], b: [Real; 3]) -> [Real; 3] {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    fn triple(a: [Real; 3], b: [Real; 3], c: [Real; 3]) -> Real {
        let d = Self::cross(b, c);
        a[0] * d[0] + a[1] * d[1] + a[2] * d[2]
    }

    /// Of a bilinear face between four points, the first two one behind the other along the first of the face's axes: ∫ dA, and
    /// ∫ (r − corner)·dA, three times the volume of the cone from `corner` over the face.
    ///
    /// The vector is half the cross product of the diagonals. The face bisects the volume between the two triangulations that its diagonals
    /// give, so that its cone is the mean of theirs.
    pub fn bilinear(
        corner: [Real; 3],
        p00: [Real; 3],
        p10: [Real; 3],
        p01: [Real; 3],
        p11: [Real; 3],
    ) -> ([Real; 3], Real) {
        let twice = Self::cross(Self::minus(p11, p00), Self::minus(p01, p10));
        let (a, b) = (Self::minus(p00, corner), Self::minus(p10, corner));
        let (c, d) = (Self::minus(p01, corner), Self::minus(p11, corner));
        let cones = (Self::triple(a, b, d) + Self::triple(a, d, c)) + (Self::triple(a, b, c) + Self::triple(b, d, c));
        ([0.5 * twice[0], 0.5 * twice[1], 0.5 * twice[2]], 0.25 * cones)
    }

    /// The unit vector half way between an axis and a unit normal, the frame of a face; both as the component along the axis, then those
    /// along the next two.
    pub fn half_way(along: Real, first: Real, second: Real) -> [Real; 3] {
        let across = (first * first + second * second).sqrt();
        // |e + n|
        let length = ((1.0 + along) * (1.0 + along) + across * across).sqrt();
        // From the part across the axis, without cancellation.
        let part = (0.5 * (1.0 - along)).sqrt();
        let behind = if across > 0.0 {
            [0.5 * across / part, first / across * part, second / across * part]
        } else {
            [0.0, 1.0, 0.0]
        };
        if along >= 0.0 { [(1.0 + along) / length, first / length, second / length] } else { behind }
    }
}
