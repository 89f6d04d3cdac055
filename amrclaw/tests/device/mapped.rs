//! Mapped meshes on the device: the CUDA text of a solver in the frames of faces, geometry among the auxiliary values, walls that reverse
//! the normal components of vectors.

use super::common::{largest_difference, start, take_steps};
use super::{UserFunctions, compare_runs, compare_with, emulated, space, start_on_both, start_with, streamed};
use amrclaw::case::Case;
use amrclaw::plugin::ChosenSolver;
use amrclaw::simulation::{MakeExecutor, RunOptions, Simulation};
use riemann::frame::FaceFrame;
use riemann::patch::SolverKernels;
use riemann::prelude::*;

/// The equations of the built-in acoustics, with the source `x² − y` of pressure.
#[riemann::solver(title = "Driven sound", equations = ["pressure", vector("u", "v")], waves = 2, solve_again)]
pub struct Driven {
    /// density of the medium
    pub density: Real,
    /// bulk modulus of the medium
    pub bulk: Real,
}

#[riemann::kernels]
impl Driven {
    fn speed(&self) -> Real {
        (self.bulk / self.density).sqrt()
    }

    /// Strengths of the waves `(−Z, 1)` and `(Z, 1)`.
    fn strengths(&self, pressure: Real, velocity: Real) -> (Real, Real) {
        let impedance = self.density * self.speed();
        ((velocity - pressure / impedance) * 0.5, (velocity + pressure / impedance) * 0.5)
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let n = axis.index() + 1;
        let (c, z) = (self.speed(), self.density * self.speed());
        let (left, right) = self.strengths(qr[0] - ql[0], qr[n] - ql[n]);
        let mut waves = [[0.0; M]; W];
        waves[0][0] = -left * z;
        waves[0][n] = left;
        waves[1][0] = right * z;
        waves[1][n] = right;
        let mut amdq = [0.0; M];
        let mut apdq = [0.0; M];
        for m in 0..M {
            amdq[m] = -c * waves[0][m];
            apdq[m] = c * waves[1][m];
        }
        Normal { waves, speeds: [-c, c], amdq, apdq }
    }

    fn transverse(&self, across: Axis, asdq: State) -> Transverse {
        let t = across.index() + 1;
        let (c, z) = (self.speed(), self.density * self.speed());
        let (down, up) = self.strengths(asdq[0], asdq[t]);
        let mut bmasdq = [0.0; M];
        bmasdq[0] = c * down * z;
        bmasdq[t] = -c * down;
        let mut bpasdq = [0.0; M];
        bpasdq[0] = c * up * z;
        bpasdq[t] = c * up;
        Transverse { bmasdq, bpasdq }
    }

    fn source(&self, x: [Real; 3], dt: Real, q: State) -> State {
        [q[0] + dt * (x[0] * x[0] - x[1]), q[1], q[2]]
    }

    fn initial(&self, cell: &Cell) -> State {
        let [x, y, _] = cell.centre;
        [(-30.0 * ((x - 0.2).powi(2) + (y - 0.9).powi(2))).exp(), cell.lower(Axis::X) * 0.1, self.bulk * cell.dx[1]]
    }

    fn boundary(&self, side: Side, x: [Real; 3], t: Real, mirror: State) -> State {
        let ring = (9.0 * x[0] + t).sin() * x[1];
        [if side == Side::Upper { mirror[0] + 0.1 * ring } else { mirror[0] }, 0.5 * mirror[1], x[1]]
    }

    fn flag(&self, x: [Real; 3], q: State) -> bool {
        q[0].abs() > 0.1 && x[0] + 2.0 * x[1] > -1.0
    }
}

/// Few cells, since emulation in three dimensions is slow.
const FEW: &str = "mesh.cells=[7,6,6]";

/// Asserts that the host has computed no auxiliary values: kernels compute the geometry, also of new levels, and the solver's own values.
fn assert_aux_by_kernels<const D: usize>(device: &Simulation<D>) {
    assert!(device.host_work().iter().all(|work| work.what != "aux"), "{:?}", device.host_work());
}

/// Asserts that both device executors are bitwise equal to the CPU, and that kernels compute the auxiliary values. Returns the number of
/// regrids of each.
fn compare(text: &str, overrides: &[&str], steps: usize) -> [u64; 2] {
    start_on_both(text, overrides, UserFunctions::<2>::default).map(|device| {
        let device = compare_with(device, text, overrides, steps);
        assert_aux_by_kernels(&device);
        device.counts().regrids
    })
}

/// Sound in an annulus of few cells, since emulation is slow.
fn sound() -> String {
    include_str!("../cases/mapped/sound.toml").replace("[17, 38]", "[9, 20]")
}

/// Bitwise equal to the CPU: a solver that solves faces again for the transverse waves, and one with quantities that must be positive.
#[test]
fn mapped_meshes_are_those_of_the_cpu_to_the_bit() {
    let sound = &sound();
    assert!(compare(sound, &[], 4).into_iter().all(|regrids| regrids > 0));
    compare(sound, &["scheme.transverse=1", "mesh.boundary.x=\"wall\""], 3);
    let ratios = ["levels.ratio=[[2,4],[4,2]]", "mesh.boundary.y=[\"wall\",\"extrapolate\"]"];
    compare(sound, &ratios, 2);
    compare(include_str!("../cases/mapped/gas.toml"), &[], 4);
    compare(include_str!("../cases/mapped/steep_depth.toml"), &[], 2);
    // Tensors are rotated too, and reflected at walls.
    let solid = [
        "solver={name=\"elasticity\",density=1.3,lambda=2.0,mu=0.9}",
        "initial={stress_xx=\"exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\",stress_yy=\"0.1\",stress_xy=\"0.2 * x\",u=\"0\",v=\"0.1\"}",
        "mesh.boundary={x=\"wall\",y=\"wall\"}",
        "gauge=[]",
    ];
    compare(sound, &solid, 3);
    // Sweeps along one axis after the other update the ghost cells behind walls too.
    let stretched = "mesh.mapping={x=\"0.8 * X * (1 + 0.5 * X)\",y=\"Y\"}";
    let walls = "mesh.boundary={x=\"wall\",y=\"wall\"}";
    compare(sound, &["scheme.split=\"strang\"", walls, stretched, "gauge=[]"], 3);
    compare(sound, &["regrid.flag={criterion=\"richardson\",tolerance=1e-3}", "mesh.cells=[10,12]"], 3);
    // Kernels differentiate along physical axes, once and twice.
    let flags = [
        "regrid.flag={criterion=\"user\",expression=\"grad(pressure) > 0.5 or dx(v) + 0.01 * dy(grad(u + x)) > 0.2\"}",
        "reduce={bulk=\"2 + 0.01 * max(grad(pressure) - dx(dy(v)))\"}",
    ];
    let [resident, streamed] = start_on_both(sound, &flags, UserFunctions::<2>::default);
    let resident = compare_with(resident, sound, &flags, 3);
    assert!(resident.counts().regrids > 0 && resident.host_work().is_empty(), "{:?}", resident.host_work());
    compare_with(streamed, sound, &flags, 3);
}

/// Kernels compute a solver's own auxiliary values, which mapped cells store before their geometry: beyond every kind of boundary, in
/// narrow domains, and time-dependent.
#[test]
fn own_values_of_mapped_cells_are_computed_by_kernels() {
    let sound = &sound();
    let medium = [
        "solver={name=\"acoustics_variable\"}",
        "aux={impedance=\"1 + 0.3 * sin(3*x + t) * y\",sound_speed=\"2 + 0.4 * X\"}",
    ];
    for more in [
        &[][..],
        &["mesh.boundary.aux=\"position\""],
        &["mesh.boundary.x=\"wall\"", "mesh.cells=[3,38]", "levels.max=1"],
    ] {
        compare(sound, &[&medium[..], more].concat(), 3);
    }
    let hill = include_str!("../cases/mapped/hill.toml");
    assert_aux_by_kernels(&space::compare(hill, &[&medium[..], &[FEW]].concat(), 2));
}

/// The same in three dimensions: sound over a hill, and gas without transverse waves.
#[test]
fn mapped_meshes_in_space_are_those_of_the_cpu_to_the_bit() {
    let hill = include_str!("../cases/mapped/hill.toml");
    let resident = space::compare(hill, &[FEW], 3);
    let mut streamed = start_with(hill, &[FEW], UserFunctions::<3>::default(), &streamed);
    take_steps(&mut streamed, 3);
    for device in [resident, streamed] {
        assert!(device.counts().regrids > 0);
        assert_aux_by_kernels(&device);
    }
    let gas = [
        "solver={name=\"euler_hllc\"}",
        "initial={density=\"1 + exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2 + (z - 0.5)^2))\",x_momentum=\"0.1\",\
         y_momentum=\"0\",z_momentum=\"-0.1\",energy=\"2.5\"}",
        "scheme.order=1",
        "scheme.transverse=0",
        "scheme.allow_unstable=true",
        "time.cfl_desired=0.3",
        "regrid.flag={criterion=\"user\",expression=\"grad(density) + dy(density) > 0.4\"}",
        FEW,
    ];
    space::compare(hill, &gas, 2);
}

/// Steps that fall back to first order at some faces: unsplit and split, on three levels and in space.
#[test]
fn fallback_on_mapped_meshes_is_that_of_the_cpu_to_the_bit() {
    let plane = include_str!("../cases/hard/cold_box.toml");
    let stretched = "mesh.mapping={x='X + 0.2 * X * X',y='Y + 0.1 * Y * Y'}";
    for overrides in [&["levels={max=3,ratio=[2,2]}"][..], &["scheme.split='strang'", stretched]] {
        for device in start_on_both(plane, overrides, UserFunctions::<2>::default) {
            let device = compare_with(device, plane, overrides, 3);
            assert!(device.counts().fallback.repeated > 0 && device.counts().regrids > 0, "{overrides:?}");
        }
    }
    let space = include_str!("../cases/hard/cold_box_in_space.toml");
    let stretched = "mesh.mapping={x='X + 0.2 * X * X',y='Y + 0.1 * Y * Y',z='Z'}";
    // In the second the conservation fix would make a pressure negative.
    for overrides in [&[][..], &["scheme.split='godunov'", stretched]] {
        let device = super::start_emulated::<3>(space, overrides, UserFunctions::default());
        let device = space::compare_with(device, space, overrides, (3, 2));
        assert!(device.counts().fallback.repeated > 0 && device.counts().regrids > 0, "{overrides:?}");
    }
}

const DRIVEN: Driven = Driven { density: 1.0, bulk: 4.0 };

/// Starts a run of [`Driven`] on bent cells.
fn begin(overrides: &[&str], make: Option<MakeExecutor<'_, 2>>) -> Simulation<2> {
    let text = sound().replace("name = \"acoustics\"\ndensity = 1.0\nbulk = 4.0", "path = \"driven.rs\"");
    let mut solver = ChosenSolver::own_in_double(DRIVEN);
    solver.kernels = SolverKernels::new::<_, 3, 2, 7>(FaceFrame::<_, 0>(DRIVEN));
    begin_with(&text, &solver, overrides, make)
}

/// The same on a mesh from a file.
pub fn begin_on_mesh(text: &str, overrides: &[&str], make: Option<MakeExecutor<'_, 2>>) -> Simulation<2> {
    begin_with(text, &ChosenSolver::own_in_double(DRIVEN), overrides, make)
}

fn begin_with(
    text: &str,
    solver: &ChosenSolver,
    overrides: &[&str],
    make: Option<MakeExecutor<'_, 2>>,
) -> Simulation<2> {
    let options = RunOptions { threads: Some(2), ..RunOptions::default() };
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_string()).collect();
    let case = Case::from_str_with(text, "case.toml", &overrides, |_| Ok(solver.shape.clone()));
    let case = case.unwrap_or_else(|e| panic!("{e}"));
    let builder = Simulation::builder(&case).options(&options).solver(solver);
    let builder = match make {
        Some(make) => builder.executor(make),
        None => builder,
    };
    builder.build().unwrap_or_else(|e| panic!("{e}"))
}

/// A solver's own source receives physical positions. Its solution equals that of the built-in solver with the same source as a formula,
/// up to the round-off of four steps; on devices it is bitwise equal to the CPU's, with the source before and after the sweeps and with an
/// additional formula.
#[test]
fn a_solvers_own_source_sees_physical_positions() {
    // The source in Rust may depend on time for all that is known: without a given limit its steps would be shorter.
    let steps = "time.dt_max=1.0";
    let mut own = begin(&[steps], None);
    let mut by_formula = start(&sound(), &["source.pressure=\"x * x - y\"", steps]);
    take_steps(&mut own, 4);
    take_steps(&mut by_formula, 4);
    let difference = largest_difference(&own.frame(), &by_formula.frame());
    assert!(difference <= 1e-13, "{difference:e}");

    let devices: [MakeExecutor<'_, 2>; 2] = [&emulated, &streamed];
    let inflow = ["mesh.boundary.x=[\"wall\",\"inflow\"]", "mesh.boundary.inflow={pressure=\"0.1\",u=\"u\",v=\"v\"}"];
    let strang = ["scheme.source=\"strang\"", inflow[0], inflow[1]];
    for overrides in [&strang[..], &["source.u=\"y - X\""]] {
        for make in devices {
            compare_runs(begin(overrides, None), begin(overrides, Some(make)), overrides, 4);
        }
    }
    let mut device = begin(&["scheme.source=\"strang\"", "source.u=\"y - X\""], Some(&emulated));
    take_steps(&mut device, 2);
    assert_eq!(device.host_work(), []);
}

/// So do its initial data, boundary values and criterion, which kernels compute, bitwise equal to the CPU, and the host does not.
#[test]
fn a_solvers_own_functions_are_told_physical_positions() {
    let own = [
        "scheme.source=\"none\"",
        "initial=\"user\"",
        "regrid.flag={criterion=\"user\"}",
        "mesh.boundary.x=[\"wall\",\"user\"]",
    ];
    let devices: [MakeExecutor<'_, 2>; 2] = [&emulated, &streamed];
    for make in devices {
        compare_runs(begin(&own, None), begin(&own, Some(make)), &own, 4);
    }
    let mut device = begin(&own, Some(&emulated));
    take_steps(&mut device, 3);
    assert!(device.counts().regrids > 0 && device.hierarchy().levels().len() == 3);
    assert_eq!(device.host_work(), []);
    // The record says who makes what: kernels the boxes, the host the tables of sides that functions fill, for that reason.
    let ways = device.device_use().expect("it runs on a device").regrids;
    assert_eq!(ways.len(), 2, "{ways:?}");
    assert!(ways.iter().all(|way| (way.what == "tables") == way.because.is_some()), "{ways:?}");
}
