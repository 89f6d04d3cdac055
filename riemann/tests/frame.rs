//! Solvers in the frame of a face in three dimensions: every normal has a frame, and the flux through a face follows from its normal and area.

use riemann::axis::Axis;
use riemann::frame::{FaceFrame, half_way};
use riemann::solver::{Described, Solver};
use riemann::solvers::{Elasticity, Euler, EulerStrongShocks};

/// Irregular numbers between 0 and 1.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 53) as f64
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.map(|x| x / length)
}

/// Normals of all directions, those along and against the axes and close to these among them.
fn normals() -> Vec<[f64; 3]> {
    let mut seed = 7;
    let mut normals: Vec<[f64; 3]> = (0..1000).map(|_| unit([0; 3].map(|_| 2.0 * random(&mut seed) - 1.0))).collect();
    for d in 0..3 {
        for sign in [1.0, -1.0] {
            let along: [f64; 3] = std::array::from_fn(|m| if m == d { sign } else { 0.0 });
            normals.push(along);
            normals.extend([1e-3, 1e-8, 1e-12].map(|part| unit(along.map(|x| x + part * (1.0 + x)))));
        }
    }
    normals
}

/// The frame is a rotation by 180° about the bisector of axis and normal, which exchanges them, to a few units of round-off.
#[test]
fn half_a_turn_exchanges_axis_and_normal() {
    for normal in normals() {
        for axis in 0..3 {
            let half = half_way(axis, normal);
            assert!((half.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() <= 1e-15, "{half:?}");
            for (d, wanted) in normal.iter().enumerate() {
                let turned = 2.0 * half[axis] * half[d] - f64::from(u8::from(d == axis));
                assert!((turned - wanted).abs() <= 1e-15, "axis {axis}, {normal:?}: {half:?} gives {turned}");
            }
        }
    }
}

/// The flux through a face is its area times the sum of the fluxes along the axes, weighted with the normal, and the fluctuations are the
/// difference of fluxes, whatever the tangents, of a gas and of a solid, whose stress turns as a tensor. Tolerance: some ten roundings of the fluxes, each 1e-16 of the largest.
#[test]
fn the_flux_is_that_of_normal_and_area() {
    check_fluxes(Euler::<3>::from_parameters(&[1.4]));
    check_fluxes(EulerStrongShocks::<3>::from_parameters(&[1.4]));
    check_fluxes(Elasticity::<3>::from_parameters(&[1.3, 2.1, 0.9]));
}

fn check_fluxes<S: Solver<M, W, 0>, const M: usize, const W: usize>(solver: S) {
    let framed = FaceFrame::<_, 0>(solver.clone());
    let mut seed = 11;
    for normal in normals() {
        for axis in Axis::ALL {
            let area = 0.5 + random(&mut seed);
            let mut aux = [0.0; 13];
            let first = 4 * axis.index();
            aux[first..first + 3].copy_from_slice(&half_way(axis.index(), normal));
            aux[first + 3] = area;
            let [ql, qr] = [0, 1].map(|_| solver.admissible([0; M].map(|_| random(&mut seed))));
            let along = |q| Axis::ALL.map(|axis| solver.flux(axis, q, []).expect("a conservation law"));
            let all = [ql, qr].map(along);
            let scale = all.iter().flatten().flatten().fold(1.0_f64, |largest, x| largest.max(x.abs()));
            let wanted = all.map(|fluxes: [[f64; M]; 3]| -> [f64; M] {
                std::array::from_fn(|m| area * (0..3).map(|d| normal[d] * fluxes[d][m]).sum::<f64>())
            });
            let flux = |q| Solver::<M, W, 13>::flux(&framed, axis, q, aux).expect("a conservation law");
            let found = [ql, qr].map(flux);
            let face = Solver::<M, W, 13>::normal(&framed, axis, ql, qr, aux, aux);
            for m in 0..M {
                for (found, wanted) in found.iter().zip(&wanted) {
                    let error = (found[m] - wanted[m]).abs();
                    assert!(error <= 1e-13 * scale, "{axis:?}, {normal:?}, flux {m}: {found:?} for {wanted:?}");
                }
                let sum = face.amdq[m] + face.apdq[m];
                let error = (sum - (wanted[1][m] - wanted[0][m])).abs();
                assert!(error <= 1e-12 * scale, "{axis:?}, {normal:?}, fluctuations {m}: {error:e}");
            }
        }
    }
}
