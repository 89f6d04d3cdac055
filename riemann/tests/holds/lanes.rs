//! Vector lanes give the scalar's bits: each solver on packs compared with the same solver one face at a time.

use crate::cases::in_space::for_every_solver_in_space;
use crate::cases::{Case, Property, for_every_solver};
use crate::random::Random;
use riemann::prelude::*;
use riemann::real::Scalar;

/// All numbers that a solver returns for one face.
struct Outcome<V, const M: usize, const W: usize> {
    face: Normal<V, M, W>,
    /// With something beside the face, and how steep its own jump is.
    beside: Normal<V, M, W>,
    steepness: V,
    splits: [Transverse<V, M>; 4],
}

/// A solver's input for one face.
struct Face<V, const M: usize, const A: usize> {
    ql: [V; M],
    qr: [V; M],
    asdq: [V; M],
    aux: [[V; A]; 4],
}

/// Calls all functions of a solver on one face or pack of faces.
#[inline(always)]
fn solve<S: Solver<M, W, A>, V: Real, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    axis: Axis,
    face: &Face<V, M, A>,
) -> Outcome<V, M, W> {
    let [left, below, here, above] = face.aux;
    let around = TransverseAux { below, here, above };
    // The next axis, and in three dimensions the one after it.
    let next = |k: usize| if S::DIM == 3 { Axis::ALL[(axis.index() + k) % 3] } else { axis.transverse_2d() };
    let (ql, qr) = (face.ql, face.qr);
    let mean = solver.mean_state(ql, qr);
    let split = |across, side| solver.transverse(axis, across, side, ql, qr, mean, &around, face.asdq);
    let splits = [(1, Side::Lower), (1, Side::Upper), (2, Side::Lower), (2, Side::Upper)];
    Outcome {
        face: solver.normal(axis, face.ql, face.qr, left, here),
        beside: solver.normal_beside(axis, face.ql, face.qr, left, here, face.asdq[0].abs()),
        steepness: solver.steepness(axis, face.ql, face.qr, left, here),
        splits: splits.map(|(k, side)| split(next(k), side)),
    }
}

/// Lane `lane` of a pack.
#[inline(always)]
fn lane<V: Real>(pack: V, lane: usize) -> f64 {
    let mut lanes = [V::Scalar::default(); 16];
    assert!(V::LANES <= lanes.len());
    // SAFETY: the array has room for every lane.
    unsafe { pack.store(lanes.as_mut_ptr()) };
    lanes[lane].to_f64()
}

/// The numbers of an outcome's lane, as bits.
#[inline(always)]
fn bits<V: Real, const M: usize, const W: usize>(outcome: &Outcome<V, M, W>, index: usize) -> Vec<u64> {
    let mut bits = vec![lane(outcome.steepness, index).to_bits()];
    for Normal { waves, speeds, amdq, apdq } in [&outcome.face, &outcome.beside] {
        for numbers in [waves.as_flattened(), speeds, amdq, apdq] {
            bits.extend(numbers.iter().map(|x| lane(*x, index).to_bits()));
        }
    }
    for split in &outcome.splits {
        bits.extend(split.bmasdq.iter().chain(&split.bpasdq).map(|x| lane(*x, index).to_bits()));
    }
    bits
}

/// The bits of one face's numbers. A function of its own, so that it is compiled once for the packs of all instruction sets.
#[inline(never)]
fn scalar_bits<S: Solver<M, W, A>, R: Scalar, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    axis: Axis,
    face: &Face<R, M, A>,
) -> Vec<u64> {
    bits(&solve(solver, axis, face), 0)
}

/// A pack of one component of many faces.
#[inline(always)]
fn gather<V: Real, const N: usize>(faces: impl Fn(usize) -> [V::Scalar; N]) -> [V; N] {
    let mut packs = [V::zero(); N];
    for (component, pack) in packs.iter_mut().enumerate() {
        let lanes: Vec<_> = (0..V::LANES).map(|lane| faces(lane)[component]).collect();
        // SAFETY: the vector has one number per lane.
        *pack = unsafe { V::load(lanes.as_ptr()) };
    }
    packs
}

/// Compares packs of type `V` with scalars on random faces.
#[inline(always)]
fn compare<S: Solver<M, W, A>, V: Real, const M: usize, const W: usize, const A: usize>(case: &Case<S, M, A>) {
    let mut random = Random::new(5);
    let scalar = <V::Scalar as Scalar>::from_f64;
    for axis in Axis::ALL.into_iter().take(S::DIM) {
        for _ in 0..200 {
            let faces: Vec<Face<V::Scalar, M, A>> = (0..V::LANES)
                .map(|_| Face {
                    ql: (case.state)(&mut random).map(scalar),
                    qr: (case.state)(&mut random).map(scalar),
                    asdq: crate::direction(&mut random).map(scalar),
                    aux: std::array::from_fn(|_| (case.aux)(&mut random).map(scalar)),
                })
                .collect();
            let pack = Face::<V, M, A> {
                ql: gather(|lane| faces[lane].ql),
                qr: gather(|lane| faces[lane].qr),
                asdq: gather(|lane| faces[lane].asdq),
                aux: [0, 1, 2, 3].map(|cell| gather(|lane| faces[lane].aux[cell])),
            };
            let packed = solve(&case.solver, axis, &pack);
            for (index, face) in faces.iter().enumerate() {
                let expected = scalar_bits(&case.solver, axis, face);
                assert_eq!(bits(&packed, index), expected, "{} {axis:?} lane {index} of {}", case.name, V::LANES);
            }
        }
    }
}

/// The packs that every processor can run.
struct PortablePacks;

impl Property for PortablePacks {
    fn check<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(&self, case: &Case<S, M, A>) {
        compare::<S, <f64 as Scalar>::Portable, M, W, A>(case);
        compare::<S, <f32 as Scalar>::Portable, M, W, A>(case);
    }
}

#[test]
fn portable_lanes_give_the_scalar_bits() {
    for_every_solver(&PortablePacks);
    for_every_solver_in_space(&PortablePacks);
}

/// The packs of AVX2. Constructed only if the processor has AVX2.
#[cfg(target_arch = "x86_64")]
struct Avx2Packs;

#[cfg(target_arch = "x86_64")]
impl Property for Avx2Packs {
    fn check<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(&self, case: &Case<S, M, A>) {
        #[target_feature(enable = "avx2")]
        fn run<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(case: &Case<S, M, A>) {
            compare::<S, <f64 as Scalar>::Avx2, M, W, A>(case);
            compare::<S, <f32 as Scalar>::Avx2, M, W, A>(case);
        }
        // SAFETY: the test below makes this value only where the processor has AVX2.
        unsafe { run(case) }
    }
}

/// The packs of AVX-512. Constructed only if the processor has AVX-512.
#[cfg(target_arch = "x86_64")]
struct Avx512Packs;

#[cfg(target_arch = "x86_64")]
impl Property for Avx512Packs {
    fn check<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(&self, case: &Case<S, M, A>) {
        #[target_feature(enable = "avx512f,avx512dq")]
        fn run<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(case: &Case<S, M, A>) {
            compare::<S, <f64 as Scalar>::Avx512, M, W, A>(case);
            compare::<S, <f32 as Scalar>::Avx512, M, W, A>(case);
        }
        // SAFETY: the test below makes this value only where the processor has AVX-512F and DQ.
        unsafe { run(case) }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn x86_lanes_give_the_scalar_bits() {
    if is_x86_feature_detected!("avx2") {
        for_every_solver(&Avx2Packs);
        for_every_solver_in_space(&Avx2Packs);
    }
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
        for_every_solver(&Avx512Packs);
        for_every_solver_in_space(&Avx512Packs);
    }
}
