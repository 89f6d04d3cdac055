//! Arithmetic of cells of any shape, number by number: one text for the processor's threads and for devices.

/// States at a cell's faces by its limited gradient, and the state after a stage.
#[derive(Clone, Copy, Debug)]
pub struct CellSums;

#[riemann::functions]
impl CellSums {
    /// What a gradient makes of a value from the cell's centroid to a face's; in the plane the third components are zero.
    pub fn change(gradient: [Real; 3], to_face: [Real; 3]) -> Real {
        gradient[0] * to_face[0] + gradient[1] * to_face[1] + gradient[2] * to_face[2]
    }

    /// The share of a gradient that is left after a further face, where it makes the value change by `change`. `below`, `above`: the largest
    /// differences to neighbours. Barth & Jespersen 1989, doi:10.2514/6.1989-366.
    pub fn barth_jespersen(factor: Real, change: Real, below: Real, above: Real) -> Real {
        let most = if change > 0.0 { above } else { below };
        if change == 0.0 { factor } else { factor.min(most / change) }
    }

    /// The same smoothly; differences much smaller than the root of `smooth` count little. Venkatakrishnan 1995, doi:10.1006/jcph.1995.1084.
    pub fn venkatakrishnan(factor: Real, change: Real, below: Real, above: Real, smooth: Real) -> Real {
        let most = if change > 0.0 { above } else { below };
        let square = most * most + smooth;
        let limited = (square + 2.0 * change * most) / (square + change * (2.0 * change + most));
        if change == 0.0 { factor } else { factor.min(limited) }
    }

    /// The value at a face.
    pub fn at_face(own: Real, factor: Real, change: Real) -> Real {
        own + factor * change
    }

    /// The value after a stage that makes `now` less by `lost`, whose share is mixed with the value before the step.
    pub fn mixed(before: Real, now: Real, lost: Real, share: Real) -> Real {
        before + share * ((now - before) - lost)
    }
}
