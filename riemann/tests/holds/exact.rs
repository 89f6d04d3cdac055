//! Solvers whose kernels are compiled on demand, against exact solutions: Godunov's method on a line.
//!
//! Tolerances: first order smears a discontinuity over some cells, so that the mean error is a few cells' width, or its square root at
//! contacts, times the jump; each is about one and a half times what is found. With the waves interchanged, a flux of the wrong side or a
//! wrong speed errors are ten times as large.

use riemann::prelude::*;
use riemann::solvers::*;

/// Cells of the line from −1 to 1.
const CELLS: usize = 400;

fn centre(k: usize) -> f64 {
    (k as f64 + 0.5) * 2.0 / CELLS as f64 - 1.0
}

/// The solution at time `end`, with open sides; steps at Courant number 0.9.
fn solve<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    axis: Axis,
    (q, aux): (impl Fn(f64) -> [f64; M], impl Fn(f64) -> [f64; A]),
    end: f64,
) -> Vec<[f64; M]> {
    let (mut q, dx): (Vec<_>, f64) = ((0..CELLS).map(|k| q(centre(k))).collect(), 2.0 / CELLS as f64);
    let mut t = 0.0;
    while t < end {
        let faces: Vec<_> =
            (1..CELLS).map(|k| solver.normal(axis, q[k - 1], q[k], aux(centre(k - 1)), aux(centre(k)))).collect();
        let fastest = faces.iter().flat_map(|face| face.speeds).fold(1e-9, |s: f64, x| s.max(x.abs()));
        let dt = f64::min(0.9 * dx / fastest, end - t);
        for (k, face) in faces.iter().enumerate() {
            for m in 0..M {
                q[k][m] -= dt / dx * face.amdq[m];
                q[k + 1][m] -= dt / dx * face.apdq[m];
            }
        }
        t += dt;
    }
    q
}

/// Asserts that component `m` has this mean error.
#[track_caller]
fn assert_near<const M: usize>(q: &[[f64; M]], m: usize, tolerance: f64, exact: impl Fn(f64) -> f64) {
    let error = q.iter().enumerate().map(|(k, q)| (q[m] - exact(centre(k))).abs()).sum::<f64>() / CELLS as f64;
    assert!(error <= tolerance, "mean error {error:.4} > {tolerance}");
    assert!(error > 0.0);
}

fn split<T>(left: T, right: T) -> impl Fn(f64) -> T
where
    T: Copy,
{
    move |x| if x < 0.0 { left } else { right }
}

/// Sod's tube at t = 0.4: Toro, *Riemann Solvers and Numerical Methods for Fluid Dynamics* (2009), doi:10.1007/b79761, table 4.2, test 1.
fn sod(x: f64) -> f64 {
    let (xi, a) = (x / 0.4, 1.4_f64.sqrt());
    match xi {
        _ if xi < -a => 1.0,
        _ if xi < 0.92745 - a * 0.30313_f64.powf(1.0 / 7.0) => (5.0 / 6.0 - xi / (6.0 * a)).powi(5),
        _ if xi < 0.92745 => 0.42632,
        _ if xi < 1.75216 => 0.26557,
        _ => 0.125,
    }
}

#[test]
fn tube_of_gas() {
    let state = split([1.0, 0.0, 2.5], [0.125, 0.0, 0.25]);
    let q = solve(&EulerHlle::<1> { gamma: 1.4 }, Axis::X, (state, |_| []), 0.4);
    assert_near(&q, 0, 0.012, sod);

    // The fuel's energy takes no part in the flow, and the fuel moves with the gas: half of it left of the contact.
    let heat = 3.0;
    let state = split([1.0, 0.0, 2.5 + heat * 0.5, 0.5], [0.125, 0.0, 0.25, 0.0]);
    let q = solve(&EulerReactive { gamma: 1.4, heat }, Axis::X, (state, |_| []), 0.4);
    assert_near(&q, 0, 0.01, sod);
    assert_near(&q, 3, 0.006, |x| if x < 0.4 * 0.92745 { 0.5 * sod(x) } else { 0.0 });
}

/// A dam breaks, the bed below it is dry: Ritter 1892. Over a wet bed the tracer's jump moves with the water between the waves: Stoker 1957.
#[test]
fn dams() {
    let gravity = 1.0;
    let state = split([1.0, 0.0], [0.0, 0.0]);
    let q = solve(&ShallowWaterHlle::<1> { gravity }, Axis::X, (state, |_| []), 0.45);
    let ritter = |x: f64| (2.0 - x / 0.45).clamp(0.0, 3.0).powi(2) / 9.0;
    assert_near(&q, 0, 0.008, ritter);

    let solver = ShallowWaterTracer { gravity };
    let q = solve(&solver, Axis::X, (split([1.0, 0.0, 1.0], [0.25, 0.0, 0.0]), |_| []), 0.5);
    // 2 (1 − √h) = (h − ¼) √((h + ¼)/(h/2)) gives the depth and the velocity between the waves.
    let (mut low, mut high) = (0.25_f64, 1.0_f64);
    for _ in 0..60 {
        let h = 0.5 * (low + high);
        let balance = 2.0 * (1.0 - h.sqrt()) - (h - 0.25) * ((h + 0.25) / (0.5 * h)).sqrt();
        if balance > 0.0 { low = h } else { high = h }
    }
    let velocity = 2.0 * (1.0 - low.sqrt());
    let behind = |x: f64| if x < 0.5 * velocity { 1.0 } else { 0.0 };
    assert_near(&q, 2, 0.03, behind);

    // In space, across a face of length 2: what moves along the face moves with the water.
    let solver = ShallowWaterWholeSphere { gravity, rotation: 0.0 };
    let aux = [0.0, 0.0, 1.2, 0.0, 1.6, 0.0, 0.0, -0.8, 0.6, 1.0];
    let state = split([1.0, 1.0, 0.0, 0.0], [0.25, 0.0, 0.0, 0.0]);
    let q = solve(&solver, Axis::X, (state, |_| aux), 0.25);
    let seen: Vec<_> = q.iter().map(|q| [q[1] / q[0], 0.6 * q[2] + 0.8 * q[3], 0.8 * q[2] - 0.6 * q[3]]).collect();
    assert_near(&seen, 0, 0.03, behind);
    assert!(seen.iter().all(|seen| seen[2].abs() < 1e-14));
    let between = |x: f64| x > 0.5 * (velocity - low.sqrt()) + 0.1 && x < 0.5 * velocity;
    assert!((0..CELLS).filter(|&k| between(centre(k))).all(|k| (seen[k][1] - low * velocity).abs() < 0.01));
}

/// A front passes from one velocity to another, in both directions.
#[test]
fn colour_fronts() {
    for sign in [1.0, -1.0] {
        let state = |x: f64| [if sign * x < -0.3 { 1.0 } else { 0.0 }];
        let q = solve(&Colour, Axis::X, (state, |x| [sign * if sign * x < 0.0 { 0.5 } else { 1.0 }]), 0.8);
        // 0.6 to the middle, 0.2 beyond it.
        assert_near(&q, 0, 0.025, |x| if sign * x < 0.2 { 1.0 } else { 0.0 });
    }
}

/// From 1 to −1 a shock to −1/2, at the speed of the tangent, and a rarefaction behind it: LeVeque (2002), §16.1.2.
#[test]
fn cubic_compound_wave() {
    let q = solve(&Cubic, Axis::X, (split([1.0], [-1.0]), |_| []), 0.3);
    let exact = |x: f64| {
        let xi = x / 0.3;
        if xi < 0.75 { 1.0 } else { -(xi / 3.0).sqrt().min(1.0) }
    };
    assert_near(&q, 0, 0.012, exact);
}

/// Where the flux is concave between the states: rarefactions, `q = acos(x/t)` along x and `q = −asin(x/t)` along y, and shocks the other way
/// round; with further turns between the states the flux at the face is that of the lowest or highest point.
#[test]
fn kpp_waves() {
    use std::f64::consts::PI;
    let waves = |axis, left: f64, right: f64| solve(&Kpp, axis, (split([left], [right]), |_| []), 0.6);
    assert_near(&waves(Axis::X, PI, 0.0), 0, 0.03, |x| (x / 0.6).clamp(-1.0, 1.0).acos());
    assert_near(&waves(Axis::Y, 0.5 * PI, -0.5 * PI), 0, 0.03, |x| -(x / 0.6).clamp(-1.0, 1.0).asin());
    let face = |l: f64, r: f64| Kpp.normal(Axis::X, [l], [r], [], []);
    // sin l − amdq is the flux at the face.
    assert!((face(0.0, PI).amdq[0]).abs() < 1e-15, "a shock that stands still");
    assert_eq!(face(0.1, 7.0).amdq[0], -1.0 - 0.1_f64.sin());
    assert_eq!(face(7.0, 0.1).amdq[0], 1.0 - 7.0_f64.sin());
    assert_eq!(face(-0.5, 0.5).amdq[0], 0.0);
}

/// A bottleneck: cars jam in front of it, in a shock, and leave it in a rarefaction. Their tracer moves with them.
#[test]
fn bottleneck() {
    let (limit, t) = (split([1.0], [0.5]), 0.9);
    let q = solve(&TrafficVariable, Axis::X, (split([0.4], [0.0]), limit), t);
    // The bottleneck lets through 1/8: 0.8536 (1 − 0.8536). The shock's speed is the flux's jump over the density's.
    let jam = 0.5 + (0.25_f64 - 0.125).sqrt();
    let shock = (0.24 - 0.125) / (0.4 - jam);
    let exact = |x: f64| match x {
        _ if x < shock * t => 0.4,
        _ if x < 0.0 => jam,
        _ => (0.5 * (1.0 - x / (0.5 * t))).clamp(0.0, 0.5),
    };
    assert_near(&q, 0, 0.005, exact);
    let state = |x: f64| [0.2, if x < -0.5 { 1.0 } else { 0.0 }];
    let q = solve(&TrafficVariableTracer, Axis::X, (state, |_| [1.0]), 1.0);
    assert_near(&q, 1, 0.02, |x| if x < 0.3 { 1.0 } else { 0.0 });
}

/// A gas at constant entropy expands in one rarefaction: `u = ∫ c dv` along it, `c(v) = −x/t`.
#[test]
fn gas_expands() {
    let solver = PSystemGas { gamma: 1.4, pstar: 1.0, vstar: 1.0 };
    let root = 1.4_f64.sqrt();
    let velocity = |v: f64| root * (1.0 - v.powf(-0.2)) / 0.2;
    let (t, last) = (0.6, 1.5_f64);
    let q = solve(&solver, Axis::X, (split([1.0, 0.0], [last, velocity(last)]), |_| [0.0]), t);
    let volume = |x: f64| if x < 0.0 { (-x / (t * root)).powf(-1.0 / 1.2).clamp(1.0, last) } else { last };
    assert_near(&q, 0, 0.01, volume);
    assert_near(&q, 1, 0.01, |x| velocity(volume(x)));
    // At rest, at one pressure, gases of different entropy stay at rest.
    let (hot, cold) = ([1.7_f64], [-0.3]);
    let face = solver.normal(Axis::X, [(hot[0] / 1.4_f64).exp(), 0.0], [(cold[0] / 1.4_f64).exp(), 0.0], hot, cold);
    assert!(face.amdq.iter().chain(&face.apdq).all(|x| x.abs() < 1e-15));
}

/// A wave meets another material: what passes and what returns follow from the impedances (LeVeque 2002, §9.8). In a linear
/// material the p-system is acoustics; a pressure wave that meets elastic solids head-on too.
#[test]
fn impedances() {
    // Densities 1 and 4, moduli 4 and 9: impedances 2 and 6. A wave of stress that runs to the right.
    let (soft, stiff) = ([1.0, 4.0, 1.0], [4.0, 9.0, 1.0]);
    let face = PSystemVariable::<1>.normal(Axis::X, [0.25, -0.5], [0.0, 0.0], soft, stiff);
    let passed = 2.0 * 6.0 / (2.0 + 6.0);
    // Stress: 9 times the strain right of the face, which is the wave over its speed 3/2.
    let stress = -9.0 * face.waves[1][0] / 1.5;
    assert!((stress - passed).abs() < 1e-14, "{stress}");
    // λ + 2μ: 4 and 9.
    let (soft, stiff) = ([1.0, 2.0, 1.0, 2.0, 1.0], [4.0, 5.0, 2.0, 1.5, 0.5_f64.sqrt()]);
    let face = ElasticityVariable.normal(Axis::Y, [0.5, 1.0, 0.0, 0.0, -0.5], [0.0; 5], soft, stiff);
    assert!((face.waves[1][1] + passed).abs() < 1e-14 && (face.waves[0][1] - (passed - 1.0)).abs() < 1e-14);
    assert_eq!([face.waves[2], face.waves[3]], [[0.0; 5]; 2]);
}

/// What a gas in a magnetic field is: density, velocity, pressure, field.
fn plasma(density: f64, v: [f64; 3], pressure: f64, b: [f64; 3]) -> [f64; 8] {
    let square = |a: [f64; 3]| a.iter().map(|a| a * a).sum::<f64>();
    let energy = pressure / (5.0 / 3.0 - 1.0) + 0.5 * (density * square(v) + square(b));
    [density, density * v[0], density * v[1], density * v[2], energy, b[0], b[1], b[2]]
}

/// A field of constant size that turns along the line runs at Alfvén's speed, whatever the angle; so it does beyond a fast shock across the
/// field, whose jumps follow from mass, momentum, energy and induction.
#[test]
fn waves_in_a_magnetic_field() {
    let solver = Mhd::<1> { gamma: 5.0 / 3.0, cleaning_speed: 0.0 };
    let turned = |x: f64| {
        let (sine, cosine) = (1.5 * (-10.0 * x * x).exp()).sin_cos();
        // Towards the right, with Alfvén's speed 0.8/√4.
        plasma(4.0, [0.0, -0.5 * sine, -0.5 * cosine], 0.7, [0.8, sine, cosine])
    };
    let q = solve(&solver, Axis::X, (|x| turned(x + 0.2), |_| []), 1.0);
    for (m, tolerance) in [(0, 0.02), (6, 0.01), (7, 0.01), (2, 0.02)] {
        assert_near(&q, m, tolerance, |x| turned(x - 0.2)[m]);
    }

    // Ahead of the shock ρ = 1, p = 0.5, B = 0.6 e_z; it is compressed twice. In the frame of the shock p + B²/2 + ρu² and
    // u²/2 + 5/2 p/ρ + B²/ρ are the same on both sides: linear equations for p behind it and u².
    let (x, p, b) = (2.0_f64, 0.5, 0.6_f64);
    let squared = (2.5 * p + b * b - (2.5 / x) * (p + 0.5 * b * b - 0.5 * x * x * b * b) - x * b * b)
        / ((2.5 / x) * (1.0 - 1.0 / x) - 0.5 * (1.0 - 1.0 / (x * x)));
    let (speed, behind) = (squared.sqrt(), p + 0.5 * b * b * (1.0 - x * x) + squared * (1.0 - 1.0 / x));
    let shocked = plasma(x, [speed * (1.0 - 1.0 / x), 0.0, 0.0], behind, [0.0, 0.0, x * b]);
    let ahead = plasma(1.0, [0.0; 3], p, [0.0, 0.0, b]);
    let q = solve(&solver, Axis::X, (split(shocked, ahead), |_| []), 0.3);
    for m in [0, 1, 4, 7] {
        assert_near(&q, m, 0.01, |x| if x < 0.3 * speed { shocked[m] } else { ahead[m] });
    }
}

/// Two streams of cold gas collide at nine tenths of the speed of light: behind the shocks the gas is at rest, all its motion is heat. Martí &
/// Müller, *Living Rev. Relativ.* 6 (2003) 7, doi:10.12942/lrr-2003-7, §6.1.
#[test]
fn relativistic_streams() {
    let (gamma, u, lorentz) = (4.0 / 3.0, 0.9_f64, 1.0 / 0.19_f64.sqrt());
    let stream = |sign: f64| [lorentz, sign * lorentz * lorentz * u, lorentz * lorentz];
    let q = solve(&EulerRelativistic::<1> { gamma }, Axis::X, (split(stream(1.0), stream(-1.0)), |_| []), 1.5);
    let speed = (gamma - 1.0) * lorentz * u / (lorentz + 1.0);
    let density = (gamma * lorentz + 1.0) / (gamma - 1.0);
    assert_near(&q, 0, 0.12, |x| if x.abs() < 1.5 * speed { density } else { lorentz });
    assert_near(&q, 2, 0.3, |x| if x.abs() < 1.5 * speed { density * lorentz } else { lorentz * lorentz });
}

/// With one law the second gas is a tracer of the first. Where pressure and velocity are uniform they stay so across gas and liquid.
#[test]
fn two_gases() {
    let solver = EulerTwoGases::<1> { gamma_1: 1.4, stiffness_1: 0.0, gamma_2: 1.4, stiffness_2: 0.0 };
    let q = solve(&solver, Axis::X, (split([1.0, 0.0, 2.5, 1.0], [0.125, 0.0, 0.25, 0.0]), |_| []), 0.4);
    assert_near(&q, 0, 0.01, sod);
    assert_near(&q, 3, 0.02, |x| if x < 0.4 * 0.92745 { 1.0 } else { 0.0 });

    let solver = EulerTwoGases::<1> { gamma_1: 4.4, stiffness_1: 6.0, gamma_2: 1.4, stiffness_2: 0.0 };
    let liquid = [10.0, 5.0, (1.0 + 4.4 * 6.0) / 3.4 + 1.25, 1.0];
    let gas = [0.1, 0.05, 1.0 / 0.4 + 0.0125, 0.0];
    for q in solve(&solver, Axis::X, (split(liquid, gas), |_| []), 0.4) {
        let stiff = 26.4 / 3.4 * q[3];
        let pressure = (q[2] - 0.5 * q[1] * q[1] / q[0] - stiff) / (q[3] / 3.4 + (1.0 - q[3]) / 0.4);
        assert!((pressure - 1.0).abs() < 1e-12 && (q[1] / q[0] - 0.5).abs() < 1e-12, "{q:?}: {pressure}");
    }
}

/// A stream meets a wall as it meets its mirror image; behind the wall, and in it, nothing moves.
#[test]
fn walls_in_a_gas() {
    let (gas, solid) = ([1.0, 0.7, 2.0], [0.3, 0.1, 0.9]);
    let image = [gas[0], -gas[1], gas[2]];
    let open = |x: f64| [if x < 0.0 { 1.0 } else { 0.0 }];
    let free = solve(&EulerHlle::<1> { gamma: 1.4 }, Axis::X, (split(gas, image), |_| []), 0.4);
    let q = solve(&EulerWallsHlle::<1> { gamma: 1.4 }, Axis::X, (split(gas, solid), open), 0.4);
    // The steps differ by round-off, since the mirror image is.
    let near = |q: &[[f64; 3]], free: &[[f64; 3]]| q.iter().zip(free).all(|(a, b)| (a[0] - b[0]).abs() < 1e-12);
    assert!(near(&q[..CELLS / 2], &free[..CELLS / 2]));
    assert!(q[CELLS / 2 - 1][0] > 1.5 && q[CELLS / 2..].iter().all(|q| *q == solid));
    let closed = |x: f64| [1.0 - open(x)[0]];
    let q = solve(&EulerWallsHlle::<1> { gamma: 1.4 }, Axis::X, (split(solid, image), closed), 0.4);
    assert!(near(&q[CELLS / 2..], &free[CELLS / 2..]));
}

/// Layers at rest stay so over a step of the bottom; a small internal wave keeps its form and runs at `(λ² − g h₁)(λ² − g h₂) = r g² h₁ h₂`.
#[test]
fn layers_of_water() {
    let solver = ShallowWaterLayers::<1> { gravity: 9.81, ratio: 0.9 };
    let face = solver.normal(Axis::X, [0.5, 0.0, 2.0, 0.0], [0.5, 0.0, 1.25, 0.0], [-3.0], [-2.25]);
    assert!(face.amdq.iter().chain(&face.apdq).all(|x| x.abs() < 1e-14), "{face:?}");

    let (a, b): (f64, f64) = (9.81 * 0.5, 9.81);
    let speed = (0.5 * (a + b - ((a - b).powi(2) + 4.0 * 0.9 * a * b).sqrt())).sqrt();
    let beneath = speed * speed / a - 1.0;
    let wave = |x: f64| 1e-5 * (-30.0 * x * x).exp();
    let state = |x: f64| {
        let h = wave(x + 0.3);
        [0.5 + h, speed * h, 1.0 + beneath * h, beneath * speed * h]
    };
    let q = solve(&solver, Axis::X, (state, |_| [0.0]), 0.6 / speed);
    assert_near(&q, 0, 1.2e-6, |x| 0.5 + wave(x - 0.3));
    assert_near(&q, 2, 1.2e-6, |x| 1.0 + beneath * wave(x - 0.3));
}

/// What a functional of the sound at the end gains by the sound at the start is the adjoint's inner product with it, across a jump of the
/// medium too. Both are smeared by first order: a wave of width 0.25 loses some percent.
#[test]
fn adjoint_of_sound() {
    let medium = |x: f64| if x < 0.0 { [1.0, 1.0] } else { [3.0, 0.5] };
    let bump = |x: f64| (-60.0 * x * x).exp();
    let (sound, wanted) = (|x: f64| [bump(x + 0.3), 0.2 * bump(x + 0.3)], |x: f64| [bump(x - 0.2), -bump(x - 0.2)]);
    let at_end = solve(&AcousticsVariable::<1>, Axis::X, (sound, medium), 0.7);
    let at_start = solve(&AcousticsAdjoint::<1>, Axis::X, (wanted, medium), 0.7);
    let product = |q: &[[f64; 2]], other: &dyn Fn(f64) -> [f64; 2]| -> f64 {
        let at = |(k, q): (usize, &[f64; 2])| q[0] * other(centre(k))[0] + q[1] * other(centre(k))[1];
        q.iter().enumerate().map(at).sum::<f64>() / CELLS as f64
    };
    let (forward, backward) = (product(&at_end, &wanted), product(&at_start, &sound));
    assert!(forward.abs() > 0.02 && (forward - backward).abs() < 1e-3 * forward.abs(), "{forward}, {backward}");
}
