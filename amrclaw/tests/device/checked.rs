//! A case on both executors, watched by one that checks what plans and verbs promise. The outcome is that of the processor alone, to
//! the bit.

use super::common::{bits, case};
use super::emulator::Emulator;
use super::kernels_of;
use amrclaw::exec::checked::Checked;
use amrclaw::exec::cpu::CpuExecutor;
use amrclaw::exec::resident::ResidentExecutor;
use amrclaw::simulation::{MakeExecutor, RunOptions, Simulation};

const STEPS: usize = 4;

fn run<const D: usize>(text: &str) {
    let on_cpu: MakeExecutor<'_, D> = &|problem, solver, ratios, options| {
        let inner = CpuExecutor::new(problem.clone(), solver.double.clone(), ratios, options.num_threads());
        Ok(Box::new(Checked::new(inner, &[])))
    };
    let on_device: MakeExecutor<'_, D> = &|problem, solver, ratios, options| {
        let (emulator, double) = (Emulator::new(&kernels_of(problem, solver)), solver.double.clone());
        let inner = ResidentExecutor::new(emulator, problem.clone(), double, ratios, options.num_threads())?;
        Ok(Box::new(Checked::new(inner, &[])))
    };
    let (case, options) = (case(text, &[]), RunOptions { threads: Some(2), ..RunOptions::default() });
    let outcome = |simulation: Result<Simulation<D>, _>| {
        let mut simulation = simulation.unwrap_or_else(|e| panic!("{e}"));
        (0..STEPS).for_each(|_| simulation.step().unwrap_or_else(|e| panic!("{e}")));
        assert!(simulation.hierarchy().num_levels() > 1 && simulation.counts().regrids > 0);
        (bits(&simulation.frame()), simulation.dt_next().to_bits())
    };
    let expected = outcome(Simulation::builder(&case).options(&options).build());
    for (what, make) in [("processor", on_cpu), ("device", on_device)] {
        let found = outcome(Simulation::builder(&case).options(&options).executor(make).build());
        assert!(found == expected, "other bits on the {what}");
    }
}

#[test]
fn a_line_keeps_all_promises() {
    run::<1>(include_str!("../cases/gas_on_a_line.toml"));
}
