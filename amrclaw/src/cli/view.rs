//! `amrclaw view`.

use crate::cli::{Failure, signals};
use crate::view::{Server, ViewError, saved_page};
use clap::Args;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

#[derive(Debug, Args)]
pub struct ViewArguments {
    /// The folder of a run with frames in the format `vtkhdf`, finished or running; a second one is shown beside it.
    #[arg(value_name = "DIR", required = true, num_args = 1..=2)]
    pub dirs: Vec<PathBuf>,
    /// Port of the loopback interface [default: a free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true, conflicts_with = "save")]
    pub port: u16,
    /// A further name under which the browser reaches the page, as through a proxy; may be given several times.
    #[arg(long, value_name = "NAME", conflicts_with = "save")]
    pub allow_host: Vec<String>,
    /// Write a page that holds its data, for any browser, without the program and without a network; values are rounded to 16 bits.
    #[arg(long, value_name = "FILE.html")]
    pub save: Option<PathBuf>,
    /// A field, quantity or formula that the page holds; may be given several times [default: all equations]
    #[arg(long, value_name = "NAME|FORMULA", requires = "save")]
    pub field: Vec<String>,
    /// Most megabytes of the page: where it would be larger, finest levels are left out, then frames.
    #[arg(long, value_name = "MB", default_value_t = 25.0, requires = "save")]
    pub budget: f64,
}

pub fn view(arguments: &ViewArguments) -> Result<(), Failure> {
    let ViewArguments { dirs, port, allow_host, save, field, budget } = arguments;
    if let Some(file) = save {
        let page = saved_page(dirs, field, (budget * 1e6) as usize).map_err(failure)?;
        page.write(file).map_err(failure)?;
        say!("{}", file.display());
        if let Some(left_out) = page.left_out {
            note!("remark: {left_out}; --budget allows more");
        }
        return Ok(());
    }
    let server = Server::bind(dirs, *port, allow_host).map_err(failure)?;
    let stop = signals::stop_flag().map_err(|error| Failure::Work(format!("cannot handle signals: {error}")))?;
    say!("{}", server.url());
    note!("open this address in a browser on this machine; Ctrl-C ends the page");
    server.serve(|| stop.load(Ordering::Relaxed));
    Ok(())
}

fn failure(error: ViewError) -> Failure {
    Failure::Input(error.to_string())
}
