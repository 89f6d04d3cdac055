//! What solvers of the shallow water equations with shores share: the solution of a face, transverse waves, settled states, transfer
//! variables, friction.
//!
//! The state begins with the depth and one component of momentum per axis, the auxiliary values with the bottom.
//!
//! Two solutions of a face are blended. Both decompose `D = (Δhu, Δ(hu²) + g h̄ Δw, Δ(huv))`, w = h + b the surface, so that water at rest
//! stays at rest. Where the depths are alike, f-waves at Einfeldt's speeds, split where a rarefaction spreads to both sides of the face; where one is four times the other or more, the HLL mean with
//! the surface in place of the depth, which can neither drain a cell nor overtake a front. Waves at a face in x: 0 and the last
//! gravity, 1 shear (u). Beside a thin cell there are no waves, hence no corrections. Thin water above what the other side would rise to
//! at a wall, `h (1 + u/2c)²`, is a wall; lower ground is overtopped, and a bottom above the wet surface then counts as that surface.
//!
//! Source: Bale, LeVeque, Mitran & Rossmanith, *SIAM J. Sci. Comput.* 24 (2002) 955–978, doi:10.1137/S106482750139738X; walls at dry
//! cells: George, *J. Comput. Phys.* 227 (2008) 3089–3113, doi:10.1016/j.jcp.2007.10.027, §6; speeds: Einfeldt,
//! *SIAM J. Numer. Anal.* 25 (1988) 294–318, doi:10.1137/0725021; rarefactions: LeVeque 2002, doi:10.1017/CBO9780511791253, §15.3.5.

/// Functions that a solver's block takes in with `#[riemann::kernels(with(Shore))]`. The solver has the parameters `gravity`, `dry_depth`,
/// `speed_limit`, `manning`.
#[riemann::shared]
impl Shore {
    /// Position of the depth among the equations.
    const DEPTH: usize = 0;
    /// Position of the last wave.
    const LAST: usize = W - 1;

    /// Depth, momentum along `n`, velocities along `n` and `t`.
    type Flow = (Real, Real, Real, Real);

    fn is_wet(&self, q: State) -> bool {
        q[DEPTH] > self.dry_depth
    }

    /// The flow given the reciprocal of the depth of a wet cell; no velocity in a dry one.
    fn flow(&self, q: State, (n, t): (usize, usize), reciprocal: Real) -> Flow {
        let wet = self.is_wet(q);
        let (mut along, mut drift) = (0.0, 0.0);
        if wet {
            along = q[n];
        }
        if D > 1 {
            if wet {
                drift = q[t] * reciprocal;
            }
        }
        (q[DEPTH].max(0.0), along, along * reciprocal, drift)
    }

    /// The flows at both sides of a face, with one quotient.
    fn flows(&self, ql: State, qr: State, components: (usize, usize)) -> (Flow, Flow) {
        let left = if self.is_wet(ql) { ql[DEPTH] } else { 1.0 };
        let right = if self.is_wet(qr) { qr[DEPTH] } else { 1.0 };
        let reciprocal = 1.0 / (left * right);
        (self.flow(ql, components, right * reciprocal), self.flow(qr, components, left * reciprocal))
    }

    /// The speed of gravity waves in water of the depth `dry_depth`: sums of such speeds where a cell is wet are not smaller.
    fn least_celerity(&self) -> Real {
        (self.gravity * self.dry_depth).sqrt()
    }

    /// Height of the water at a wall that it runs against.
    fn wall_height(&self, depth: Real, celerity: Real, towards: Real) -> Real {
        let root = (celerity + 0.5 * towards).max(0.0);
        depth.max(root * root * (1.0 / self.gravity))
    }

    /// The part of an f-wave that runs left. `jump`: the strength of its family in the jump of the surface; `before`, `after`: its
    /// characteristic speeds beside the face. Where these part, the fluxes at both ends may be alike, and neither is that in between.
    fn left_going(strength: Real, jump: Real, speed: Real, before: Real, after: Real) -> Real {
        let opens = before < 0.0 && after > 0.0;
        let whole = if speed < 0.0 { strength } else { 0.0 };
        if opens { 0.5 * (strength - 0.5 * (after - before) * jump) } else { whole }
    }

    /// The solution of a face, from the bottoms beside it.
    fn shore(&self, axis: Axis, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let (n, t) = axis.normal_and_transverse();
        let ((hl, ml, ul, vl), (hr, mr, ur, vr)) = self.flows(ql, qr, (n, t));
        let (bl, br) = (aux_l[0], aux_r[0]);
        let dry = self.dry_depth;
        let (dry_l, dry_r) = (hl <= dry, hr <= dry);
        let (cl, cr) = ((self.gravity * hl).sqrt(), (self.gravity * hr).sqrt());

        // Thin water above the other side's surface: a wall, or overtopped.
        let (mut surface_l, mut surface_r) = (hl + bl, hr + br);
        let higher_r = dry_r && surface_r > surface_l;
        let higher_l = dry_l && surface_l > surface_r;
        let wall_r = higher_r && self.wall_height(hl, cl, ul) + bl <= surface_r;
        let wall_l = higher_l && self.wall_height(hr, cr, -ur) + br <= surface_l;
        let (step_r, step_l) = (hr + br.min((surface_l - hr).max(bl)), hl + bl.min((surface_r - hl).max(br)));
        if higher_r {
            surface_r = step_r;
        }
        if higher_l {
            surface_l = step_l;
        }

        // Einfeldt's speeds, those of fronts beside dry cells.
        let mean = (0.5 * self.gravity * (hl + hr)).sqrt();
        let (deeper, thinner) = (hl.max(hr), hl.min(hr));
        let roots = (cl + cr).max(self.least_celerity());
        let divisor = deeper.max(dry);
        let reciprocal = 1.0 / (roots * divisor);
        let by_roots = divisor * reciprocal;
        let u = (cl * ul + cr * ur) * by_roots;
        let (mut s0, mut s2) = ((ul - cl).min(u - mean), (ur + cr).max(u + mean));
        if dry_l && !dry_r {
            s0 = ur - 2.0 * cr;
        }
        if dry_r && !dry_l {
            s2 = ul + 2.0 * cl;
        }

        // f-waves.
        let d0 = mr - ml;
        let d1 = (mr * ur - ml * ul) + (0.5 * self.gravity) * (hl + hr) * (surface_r - surface_l);
        let (lower, upper) = (s0.min(0.0), s2.max(0.0));
        let (spread, fan) = ((s2 - s0).max(self.least_celerity()), (upper - lower).max(self.least_celerity()));
        let per_both = 1.0 / (spread * fan);
        let (per_spread, per_fan) = (fan * per_both, spread * per_both);
        let strengths = [(s2 * d0 - d1) * per_spread, (d1 - s0 * d0) * per_spread];
        let rise = surface_r - surface_l;
        let (fall, climb) = ((s2 * rise - d0) * per_spread, (d0 - s0 * rise) * per_spread);
        let left_part = [
            Self::left_going(strengths[0], fall, s0, ul - cl, ur - cr),
            Self::left_going(strengths[1], climb, s2, ul + cl, ur + cr),
        ];
        // The part of f-waves in the blend.
        let alike = (4.0 * (thinner * roots * reciprocal) - 1.0).max(0.0).min(1.0);
        let share = if thinner > dry { alike } else { 0.0 };

        let mass = (upper * ml - lower * mr + lower * upper * rise) * per_fan;
        let push = (lower * upper * d0 - lower * d1) * per_fan;
        let wall = wall_l || wall_r;
        let blended0 = share * (left_part[0] + left_part[1]) + (1.0 - share) * (mass - ml);
        let blended1 = share * (s0 * left_part[0] + s2 * left_part[1]) + (1.0 - share) * push;
        // At a wall the water comes back, and thin water behind it stays.
        let (speed_l, speed_r) = (cl.max(cl - ul), cr.max(cr + ur));
        let mut amdq = [0.0; M];
        let mut apdq = [0.0; M];
        amdq[DEPTH] = if wall { if wall_r { -ml } else { 0.0 } } else { blended0 };
        amdq[n] = if wall { if wall_r { speed_l * ml } else { 0.0 } } else { blended1 };
        apdq[DEPTH] = if wall { if wall_r { 0.0 } else { mr } } else { d0 - blended0 };
        apdq[n] = if wall { if wall_r { 0.0 } else { speed_r * mr } } else { d1 - blended1 };

        let waves_there = thinner > dry && !wall;
        let mut waves = [[0.0; M]; W];
        let (first, last) =
            (if waves_there { strengths[0] } else { 0.0 }, if waves_there { strengths[1] } else { 0.0 });
        waves[0][DEPTH] = first;
        waves[0][n] = first * s0;
        waves[LAST][DEPTH] = last;
        waves[LAST][n] = last * s2;
        if wall {
            s0 = if wall_r { -speed_l } else { -speed_r };
            s2 = -s0;
        }
        let mut speeds = [s0; W];
        speeds[LAST] = s2;
        if D > 1 {
            let v = (cl * vl + cr * vr) * by_roots;
            let d2 = mr * vr - ml * vl;
            let shear = d2 - v * d0;
            let drifting = if u < 0.0 { shear } else { if u > 0.0 { 0.0 } else { 0.5 * shear } };
            let carried = mass * (if mass > 0.0 { vl } else { vr }) - ml * vl;
            let blended2 = share * (v * (left_part[0] + left_part[1]) + drifting) + (1.0 - share) * carried;
            amdq[t] = if wall { if wall_r { -ml * vl } else { 0.0 } } else { blended2 };
            apdq[t] = if wall { if wall_r { 0.0 } else { mr * vr } } else { d2 - blended2 };
            waves[0][t] = first * v;
            waves[LAST][t] = last * v;
            waves[1][t] = if waves_there { shear } else { 0.0 };
            speeds[1] = if wall { 0.0 } else { u };
        }
        Normal { waves, speeds, amdq, apdq }
    }

    /// What `transverse` needs of Roe's average: the speed of gravity waves and the velocity.
    fn mean_state(&self, ql: State, qr: State) -> State {
        let ((hl, _, ul, vl), (hr, _, ur, vr)) = self.flows(ql, qr, (1, 2));
        let (cl, cr) = ((self.gravity * hl).sqrt(), (self.gravity * hr).sqrt());
        let reciprocal = 1.0 / (cl + cr).max(self.least_celerity());
        let mut mean = [(0.5 * self.gravity * (hl + hr)).sqrt(); M];
        mean[1] = (cl * ul + cr * ur) * reciprocal;
        if D > 1 {
            mean[2] = (cl * vl + cr * vr) * reciprocal;
        }
        mean
    }

    /// The parts of a fluctuation that cross a cell; none climbs a bottom above the cell's surface.
    fn crossing(
        &self,
        axis: Axis,
        side: Side,
        ql: State,
        qr: State,
        mean: State,
        aux: TransverseAux,
        asdq: State,
    ) -> (State, State) {
        let (n, t) = axis.normal_and_transverse();
        let (u, v) = (mean[n], mean[t]);
        let celerity = mean[DEPTH].max(self.least_celerity());
        let half_slowness = 0.5 / celerity;
        let lower = ((v + celerity) * asdq[DEPTH] - asdq[t]) * half_slowness;
        let upper = (asdq[t] - (v - celerity) * asdq[DEPTH]) * half_slowness;
        let shear = asdq[n] - u * asdq[DEPTH];
        let depth = match side {
            Side::Lower => ql[DEPTH],
            Side::Upper => qr[DEPTH],
        };
        let surface = depth.max(0.0) + aux.here[0];
        let climbs = [aux.below[0] > surface, aux.above[0] > surface];
        let speeds = [v - celerity, v, v + celerity];
        let (mut down, mut up) = ([lower, shear, upper], [lower, shear, upper]);
        for w in 0..W {
            down[w] = if climbs[0] { 0.0 } else { down[w] * speeds[w].min(0.0) };
            up[w] = if climbs[1] { 0.0 } else { up[w] * speeds[w].max(0.0) };
        }
        let outer = [speeds[0], speeds[2]];
        (Self::compose(down, outer, u, (t, n)), Self::compose(up, outer, u, (t, n)))
    }

    /// The sum of waves of the given strengths along component `n`: gravity at the outer speeds, shear, where water drifts
    /// along the other component `t`.
    fn compose(strengths: [Real; 3], outer: [Real; 2], drift: Real, (n, t): (usize, usize)) -> State {
        let depth = strengths[0] + strengths[2];
        let mut dq = [depth; M];
        dq[n] = outer[0] * strengths[0] + outer[1] * strengths[2];
        if D > 1 {
            dq[t] = drift * depth + strengths[1];
        }
        dq
    }

    fn settle(&self, q: State, emptied: bool) -> State {
        let moves = self.is_wet(q) && !emptied;
        let bound = self.speed_limit * q[DEPTH];
        let square = Self::square_of_momentum(q);
        let scale = if rarely(square > bound * bound) { bound / square.sqrt() } else { 1.0 };
        let mut settled = q;
        for m in 1..M {
            settled[m] = if moves { q[m] * scale } else { 0.0 };
        }
        settled
    }

    fn square_of_momentum(q: State) -> Real {
        let mut square = q[1] * q[1];
        if D > 1 {
            square += q[2] * q[2];
        }
        square
    }

    /// Between levels: the surface and velocities, which are constant in water at rest over any bottom.
    fn to_transfer(&self, q: State, aux: Aux) -> State {
        let wet = self.is_wet(q);
        let reciprocal = 1.0 / (if wet { q[DEPTH] } else { 1.0 });
        let mut t = [q[DEPTH].max(0.0) + aux[0]; M];
        for m in 1..M {
            t[m] = if wet { q[m] * reciprocal } else { 0.0 };
        }
        t
    }

    fn from_transfer(&self, t: State, aux: Aux) -> State {
        let depth = (t[DEPTH] - aux[0]).max(0.0);
        let mut q = [depth; M];
        for m in 1..M {
            q[m] = depth * t[m];
        }
        q
    }

    fn transfer_weight(&self, t: State, aux: Aux) -> State {
        let depth = (t[DEPTH] - aux[0]).max(0.0);
        let mut weight = [depth; M];
        weight[DEPTH] = if depth > 0.0 { 1.0 } else { 0.0 };
        weight
    }

    /// The state after friction.
    fn rubbed(&self, dt: Real, q: State) -> State {
        let wet = self.is_wet(q);
        let depth = if wet { q[DEPTH] } else { 1.0 };
        let momentum = Self::square_of_momentum(q).sqrt();
        let force = dt * self.gravity * (self.manning * self.manning);
        let slower = 1.0 / (1.0 + force * momentum / (depth * depth * depth.cbrt()));
        let mut after = q;
        for m in 1..M {
            after[m] = q[m] * slower;
        }
        after
    }

    /// The momentum turned to the right by an angle.
    fn turned(q: State, angle: Real) -> State {
        let (sine, cosine) = (angle.sin(), angle.cos());
        let mut after = q;
        if D > 1 {
            after[1] = q[1] * cosine + q[2] * sine;
            after[2] = q[2] * cosine - q[1] * sine;
        }
        after
    }

    fn admissible(&self, unit: State) -> State {
        // Wet: depths from 1/5 to 5 more than the dry depth, velocities from −5 to 5.
        let depth = self.dry_depth + 25_f64.powf(unit[0] - 0.5);
        let mut q = unit.map(|u| depth * (10.0 * u - 5.0));
        q[Self::DEPTH] = depth;
        q
    }

    /// The flux over a flat bottom.
    fn flux_over_flat(&self, axis: Axis, q: State) -> State {
        let (n, t) = axis.normal_and_transverse();
        let reciprocal = 1.0 / (if self.is_wet(q) { q[DEPTH] } else { 1.0 });
        let (h, hu, u, v) = self.flow(q, (n, t), reciprocal);
        let mut flux = [hu; M];
        flux[n] = hu * u + (0.5 * self.gravity) * (h * h);
        if D > 1 {
            flux[t] = hu * v;
        }
        flux
    }
}
