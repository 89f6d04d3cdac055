//! What HLLC solvers share: states beside a contact, and the three waves that lead to them.

/// A solver of three waves, with `#[riemann::kernels(with(ThreeWaves))]`.
#[riemann::shared]
impl ThreeWaves {
    /// The solution of a jump, where the outer waves lead to states beside a contact: `lower` from the left state, `upper` from the right one.
    fn three_waves(jump: State, lower: State, upper: State, speeds: [Real; 3]) -> Normal {
        let [s0, contact, s2] = speeds;
        let mut same = true;
        for m in 0..M {
            same = same && jump[m] == 0.0;
        }
        let (mut first, mut middle, mut last, mut amdq, mut apdq) = (lower, jump, upper, jump, jump);
        for m in 0..M {
            // Between equal states nothing happens; round-off must not make waves.
            first[m] = if same { 0.0 } else { lower[m] };
            last[m] = if same { 0.0 } else { -upper[m] };
            middle[m] = jump[m] - first[m] - last[m];
            amdq[m] = s0.min(0.0) * first[m] + contact.min(0.0) * middle[m] + s2.min(0.0) * last[m];
            apdq[m] = s0.max(0.0) * first[m] + contact.max(0.0) * middle[m] + s2.max(0.0) * last[m];
        }
        Normal { waves: [first, middle, last], speeds, amdq, apdq }
    }
}

/// HLLC's waves, with [`ThreeWaves`](super::ThreeWaves), of states that begin with density, momentum and energy; what may follow moves with the
/// contact.
#[riemann::shared]
impl ContactWaves {
    /// The jump from a state to the one beside the contact, across the wave with the speed `s`. `velocity`: the state's,
    /// normal to the face; `contact`: that of the contact.
    fn jump_to_contact((q, gas): (State, Gas), n: usize, velocity: Real, s: Real, contact: Real) -> State {
        let (inverse_density, pressure) = gas;
        let apart = s - velocity;
        // Where the state is the same on both sides of the face, s − contact is a sound speed or more.
        let behind = s - contact;
        let reciprocal = 1.0 / (apart * behind);
        let density = q[DENSITY] * (apart * (apart * reciprocal));
        let work = contact + pressure * inverse_density * (behind * reciprocal);
        let energy = q[ENERGY] * inverse_density + (contact - velocity) * work;
        let mut jump = [0.0; M];
        jump[DENSITY] = density - q[DENSITY];
        for k in 1..ENERGY {
            jump[k] = density * (q[k] * inverse_density) - q[k];
        }
        jump[n] = density * contact - q[n];
        jump[ENERGY] = density * energy - q[ENERGY];
        jump
    }

    /// The waves between two states and gases, at these outer speeds.
    fn contact_waves((ql, left): (State, Gas), (qr, right): (State, Gas), n: usize, [s0, s2]: [Real; 2]) -> Normal {
        let (ul, ur) = (ql[n] * left.0, qr[n] * right.0);
        let (thrust_l, thrust_r) = (ql[DENSITY] * (s0 - ul), qr[DENSITY] * (s2 - ur));
        // Equal states give their own velocity, to the bit: ul plus nothing.
        let contact = ul + (right.1 - left.1 + thrust_r * (ul - ur)) / (thrust_l - thrust_r);

        let lower = Self::jump_to_contact((ql, left), n, ul, s0, contact);
        let upper = Self::jump_to_contact((qr, right), n, ur, s2, contact);
        Self::three_waves(Self::difference(qr, ql), lower, upper, [s0, contact, s2])
    }
}
