//! The command line.

pub const HELP: &str = "\
Usage: cargo xtask scale CHECKPOINT [OPTIONS]

  --ranks A,B,…          numbers of ranks                        (default 1,8,64,512,1024,4096,10000)
  --copies X             copies for each rank, that ranks do not own whole ones  (default 0.75)
  --most-patches N       as many patches at most                 (default 1000000)
  --enlarge N            N times the cells along every axis, in as many patches  (default 1)
  --split N              cut patches to so many cells a side     (default: as they are)
  --together N           ranks that cluster together here at most; of more, each has no more to do  (default 1024)
  --samples N            ranks whose plans are made, the busiest first  (default 8)
  --interval N           steps between regrids                   (default 4)
  --threads N            threads that order patches and make plans here; one makes a rank's boxes  (default 1)

of the model:
  --cell-seconds S       a step of a cell on a rank; 3.4e-10 is a GPU in the spherical example of docs/performance.md
  --step-seconds S       a step of a level besides: launches     (default 6e-5)
  --latency S            a message                               (default 5e-6)
  --bandwidth B          bytes a second into and out of a rank   (default 4e10)
  --host X               the host of a rank makes boxes and plans so many times as fast as these threads  (default 2)
";

pub struct Options {
    pub checkpoint: String,
    pub ranks: Vec<usize>,
    pub copies: f64,
    pub most_patches: usize,
    pub enlarge: i32,
    pub split: i32,
    pub together: usize,
    pub samples: usize,
    pub interval: f64,
    pub threads: usize,
    pub cell_seconds: f64,
    pub step_seconds: f64,
    pub latency: f64,
    pub bandwidth: f64,
    pub host: f64,
}

impl Options {
    /// `None` if help is requested.
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut options = Options {
            checkpoint: String::new(),
            ranks: vec![1, 8, 64, 512, 1024, 4096, 10_000],
            copies: 0.75,
            most_patches: 1_000_000,
            enlarge: 1,
            split: i32::MAX,
            together: 1024,
            samples: 8,
            interval: 4.0,
            threads: 1,
            cell_seconds: 3.4e-10,
            step_seconds: 6e-5,
            latency: 5e-6,
            bandwidth: 4e10,
            host: 2.0,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("`{word}` wants a value"));
            match word.as_str() {
                "-h" | "--help" => return Ok(None),
                "--ranks" => options.ranks = value()?.split(',').map(number).collect::<Result<_, _>>()?,
                "--copies" => options.copies = number(&value()?)?,
                "--most-patches" => options.most_patches = number(&value()?)?,
                "--enlarge" => options.enlarge = number(&value()?)?,
                "--split" => options.split = number(&value()?)?,
                "--together" => options.together = number(&value()?)?,
                "--samples" => options.samples = number(&value()?)?,
                "--interval" => options.interval = number(&value()?)?,
                "--threads" => options.threads = number(&value()?)?,
                "--cell-seconds" => options.cell_seconds = number(&value()?)?,
                "--step-seconds" => options.step_seconds = number(&value()?)?,
                "--latency" => options.latency = number(&value()?)?,
                "--bandwidth" => options.bandwidth = number(&value()?)?,
                "--host" => options.host = number(&value()?)?,
                _ if word.starts_with('-') || !options.checkpoint.is_empty() => {
                    return Err(format!("`{word}` is not known\n\n{HELP}"));
                }
                _ => options.checkpoint = word,
            }
        }
        if options.checkpoint.is_empty() { Err(format!("name a checkpoint\n\n{HELP}")) } else { Ok(Some(options)) }
    }
}

/// A positive number.
fn number<T: std::str::FromStr + PartialOrd + Default>(text: &str) -> Result<T, String> {
    text.parse().ok().filter(|n| *n > T::default()).ok_or_else(|| format!("`{text}` is no positive number"))
}
