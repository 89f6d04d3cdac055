//! What solvers of traffic under speed limits share.

/// Cars under the speed limit of their cell, the only auxiliary value; their density is the first equation.
#[riemann::shared]
impl LimitedTraffic {
    /// The speed of the density's wave, and its fluctuations.
    ///
    /// The largest flux of a cell is at density one half. A cell sends its flux, if it is sparser, else the largest; it takes its flux, if it is
    /// denser, else the largest.
    fn cars(ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> (Real, [Real; 2]) {
        let (l, r, limit_l, limit_r) = (ql[0], qr[0], aux_l[0], aux_r[0]);
        let (fl, fr) = (limit_l * l * (1.0 - l), limit_r * r * (1.0 - r));
        let sent = if l < 0.5 { fl } else { 0.25 * limit_l };
        let taken = if r > 0.5 { fr } else { 0.25 * limit_r };
        let flux = sent.min(taken);
        let speed = 0.5 * (limit_l * (1.0 - 2.0 * l) + limit_r * (1.0 - 2.0 * r));
        (speed, [flux - fl, fr - flux])
    }

    fn admissible_state(&self, q: State, aux: Aux) -> [Real; 3] {
        [aux[0], q[0], 1.0 - q[0]]
    }

    fn admissible(&self, unit: State) -> State {
        unit
    }

    fn admissible_aux(&self, unit: Aux) -> Aux {
        unit.map(|u| 0.5 + u)
    }
}
