//! Loops over faces, cells and nodes of meshes of tetrahedra: `cargo bench -p amrclaw-unstructured --bench loops -- [CELLS ...] [--threads N]`.
//!
//! For each mesh a table: milliseconds of the sums NV, GQ, SF and LM of Weng et al. 2021, doi:10.1186/s42774-021-00073-y, by each loop, and in brackets
//! their ratio to the loop over faces with atomic additions. On the host's threads by the compiler `CXX` or `g++`, and on a GPU, if there is one.
//! Before a loop is timed its sums are compared with the first one's.

mod machine;
mod tables;

use machine::{Host, LoopArgs, Machine};
use std::error::Error;
use tables::Tables;

/// What a loop does, in order.
enum Part {
    /// Zeros what is added up.
    Zero,
    /// A kernel over all faces, cells or nodes.
    Over(&'static str, Items),
    /// A kernel over the faces of one colour after the other.
    Coloured(&'static str),
}

#[derive(Clone, Copy)]
enum Items {
    Faces,
    Cells,
    Nodes,
}

/// Arrays that loops fill.
#[derive(Clone, Copy)]
enum Sums {
    AtNodes,
    Gradient,
    Residual,
    Extremes,
}

use Items::{Cells, Faces, Nodes};
use Part::{Coloured, Over, Zero};

/// A sum: its name, what it fills, whether its faces' colours are of faces without a common node (else without a common cell), and its loops: by faces with
/// atomic operations, by coloured faces, by faces and a gather, by cells, by nodes. A kernel that meets each cell several times has the factor beside it.
type Sum = (&'static str, Sums, bool, [Option<(f64, &'static [Part])>; 5]);

/// The columns.
const LOOPS: [&str; 5] = ["face, atomics", "face, coloured", "face, gather", "cell", "node"];

const SUMS: [Sum; 4] = [
    (
        "NV",
        Sums::AtNodes,
        true,
        [
            Some((3.0, &[Zero, Over("nv_face_atomic", Faces)])),
            Some((3.0, &[Zero, Coloured("nv_face_coloured")])),
            Some((3.0, &[Over("nv_face_stored", Faces), Over("nv_face_gather", Nodes)])),
            Some((1.0, &[Zero, Over("nv_cell", Cells)])),
            Some((1.0, &[Over("nv_node", Nodes)])),
        ],
    ),
    (
        "GQ",
        Sums::Gradient,
        false,
        [
            Some((1.0, &[Zero, Over("gq_face_atomic", Faces)])),
            Some((1.0, &[Zero, Coloured("gq_face_coloured")])),
            Some((1.0, &[Over("gq_face_stored", Faces), Over("gq_face_gather", Cells)])),
            Some((1.0, &[Over("gq_cell", Cells)])),
            Some((1.0, &[Zero, Over("gq_node", Nodes)])),
        ],
    ),
    (
        "SF",
        Sums::Residual,
        false,
        [
            Some((1.0, &[Zero, Over("sf_face_atomic", Faces)])),
            Some((1.0, &[Zero, Coloured("sf_face_coloured")])),
            // Faces have the fluxes: cells gather them.
            None,
            Some((1.0, &[Over("sf_cell", Cells)])),
            None,
        ],
    ),
    (
        "LM",
        Sums::Extremes,
        false,
        [
            Some((1.0, &[Over("lm_start", Cells), Over("lm_face_atomic", Faces)])),
            Some((1.0, &[Over("lm_start", Cells), Coloured("lm_face_coloured")])),
            Some((1.0, &[Over("lm_face_stored", Faces), Over("lm_face_gather", Cells)])),
            Some((1.0, &[Over("lm_cell", Cells)])),
            None,
        ],
    ),
];

/// Runs a loop once.
fn run(machine: &mut dyn Machine, tables: &Tables, (sums, by_node): (Sums, bool), parts: &[Part]) {
    for part in parts {
        match part {
            Zero => machine.zero(tables.filled(sums)),
            Over(kernel, items) => {
                let end = match items {
                    Faces => tables.args.faces,
                    Cells => tables.args.cells,
                    Nodes => tables.args.nodes,
                };
                machine.run(kernel, &LoopArgs { first: 0, end, ..tables.args });
            }
            Coloured(kernel) => {
                let (list, colours) = &tables.colours[usize::from(by_node)];
                for ends in colours.windows(2) {
                    machine.run(kernel, &LoopArgs { list: *list, first: ends[0], end: ends[1], ..tables.args });
                }
            }
        }
    }
}

/// Prints the table of a mesh on a machine.
fn table(machine: &mut dyn Machine, tables: &Tables, repetitions: u32) {
    let args = tables.args;
    let colours = tables.colours.each_ref().map(|(_, ends)| ends.len() - 1);
    println!(
        "\n{}: {} cells, {} faces, {} nodes; {} colours by cells, {} by nodes",
        machine.name(),
        args.cells,
        args.faces,
        args.nodes,
        colours[0],
        colours[1]
    );
    println!("ms   {}", LOOPS.map(|name| format!("{name:>16}")).concat());
    for (name, sums, by_node, loops) in &SUMS {
        let mut line = format!("{name:5}");
        let mut known: Option<(Vec<f64>, f64)> = None;
        for of_loop in loops {
            let Some((factor, parts)) = of_loop else {
                line += &format!("{:>16}", "-");
                continue;
            };
            run(machine, tables, (*sums, *by_node), parts);
            machine.wait();
            let found: Vec<f64> = machine.read(tables.filled(*sums)).iter().map(|value| value / factor).collect();
            if let Some((first, _)) = &known {
                let most = first.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
                let far = first.iter().zip(&found).fold(0.0_f64, |far, (a, b)| far.max((a - b).abs()));
                assert!(far <= 1e-12 * most, "{name}: a sum differs by {far:e} of {most:e}");
            }
            let start = std::time::Instant::now();
            for _ in 0..repetitions {
                run(machine, tables, (*sums, *by_node), parts);
            }
            machine.wait();
            let time = 1e3 * start.elapsed().as_secs_f64() / f64::from(repetitions);
            let (_, of_first) = known.get_or_insert((found, time));
            line += &format!("{:>9.3} ({:>4.2})", time, time / *of_first);
        }
        println!("{line}");
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let (mut sizes, mut threads) = (Vec::new(), 0);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--threads" => threads = arguments.next().ok_or("--threads needs a number")?.parse()?,
            size => sizes.push(size.parse::<f64>().map_err(|_| format!("`{size}` is no number of cells"))?),
        }
    }
    if sizes.is_empty() {
        sizes = vec![1e6, 2e6, 4e6, 9e6];
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    let mut host = Host::new().inspect_err(|error| println!("not on the host: {error}")).ok();
    let mut device = machine::device().inspect_err(|error| println!("no GPU: {error}")).ok();
    for size in sizes {
        let mesh = tables::mesh(size);
        if let Some(host) = &mut host {
            let tables = Tables::new(&mesh, host);
            table(host, &tables, 5);
        }
        if let Some(device) = &mut device {
            let tables = Tables::new(&mesh, device);
            table(device, &tables, 100);
        }
    }
    Ok(())
}
