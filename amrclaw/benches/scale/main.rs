//! Scaling of the partition: partitions and exchange plans for up to ten thousand ranks, made by the functions that runs
//! call, and the time of a step by a model. No values are stored or updated.
//!
//! Copies of a checkpoint's levels are placed side by side, in proportion to the number of ranks, up to a maximum number of patches; beyond
//! this, more ranks share the same copies. Measured times are those of threads on this machine. `cargo xtask scale --help` lists the options.

pub(crate) mod model;
pub(crate) mod options;
mod shares;
pub(crate) mod tiled;
mod together;

use amrclaw::frames::checkpoint;
use amrclaw::frames::checkpoint_patches::StoredCheckpoint;
use model::{Efficiency, Model, Step};
use options::Options;
use shares::Shares;
use std::path::Path;
use std::process::ExitCode;
use tiled::Tiles;

fn main() -> ExitCode {
    // Cargo adds the argument `--bench`.
    let words = std::env::args().skip(1).filter(|word| word != "--bench");
    let outcome = match Options::parse(words) {
        // Times are measured on these threads.
        Ok(Some(options)) => match rayon::ThreadPoolBuilder::new().num_threads(options.threads).build() {
            Ok(threads) => threads.install(|| run(&options)),
            Err(error) => Err(error.to_string()),
        },
        Ok(None) => {
            print!("{}", options::HELP);
            Ok(())
        }
        Err(message) => Err(message),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("scale: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let path = Path::new(&options.checkpoint);
    match checkpoint::peek_dimension(path).map_err(|e| e.to_string())? {
        1 => run_in::<1>(path, options),
        2 => run_in::<2>(path, options),
        _ => run_in::<3>(path, options),
    }
}

fn run_in<const D: usize>(path: &Path, options: &Options) -> Result<(), String> {
    let stored = StoredCheckpoint::<D>::open(path).map_err(|e| e.to_string())?;
    let tiles = Tiles::new(stored.outline.frame, options.enlarge, options.split);
    let model = Model::new(options, &tiles);
    println!("{}: levels of {:?} patches, {:?} cells", options.checkpoint, tiles.patches(), tiles.cells());
    println!("{model}");
    println!(
        "   ranks   patches  imbalance  neighbours  messages  MB sent    plans s  cuts s  boxes s   memory MB   \
         efficiency: step   all"
    );
    for line in lines(&tiles, &model, options) {
        let (shares, Efficiency { step: alone, all }) = line?;
        println!(
            "{:8} {:9} {:10.3} {:11} {:9} {:8.1} {:10.3} {:7.3} {:8.3} {:11.1} {:18.0} % {:4.0} %",
            shares.ranks,
            shares.num_patches,
            shares.imbalance,
            shares.neighbours,
            shares.messages,
            shares.bytes / 1e6,
            shares.plan_seconds,
            shares.cut_seconds,
            shares.boxes.seconds,
            shares.memory / 1e6,
            100.0 * alone,
            100.0 * all,
        );
    }
    Ok(())
}

/// The partition among each of the numbers of ranks, and its efficiency relative to the first.
pub(crate) fn lines<'a, const D: usize>(
    tiles: &'a Tiles<D>,
    model: &'a Model,
    options: &'a Options,
) -> impl Iterator<Item = Result<(Shares, Efficiency), String>> + 'a {
    let mut single: Option<(Step, f64)> = None;
    options.ranks.iter().map(move |&ranks| {
        let most = (options.most_patches / tiles.patches().iter().sum::<usize>()).max(1);
        let copies = ((ranks as f64 * options.copies).ceil() as usize).min(most);
        let shares = Shares::new(tiles, copies, ranks, options)?;
        let step = model.step(&shares);
        let share = copies as f64 / ranks as f64;
        let (first, share_of_first) = *single.get_or_insert((step, share));
        // With fewer copies per rank than in the first line, each rank has proportionally less work.
        let efficiency = step.efficiency(&first, share / share_of_first);
        Ok((shares, efficiency))
    })
}
