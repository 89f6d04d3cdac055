//! `amrclaw view`.

use crate::{Failure, signals};
use amrclaw::view::{Server, ViewError};
use clap::Args;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

#[derive(Debug, Args)]
pub struct ViewArguments {
    /// The folder of a run with frames in the format `vtkhdf`, finished or running; a second one is shown beside it.
    #[arg(value_name = "DIR", required = true, num_args = 1..=2)]
    pub dirs: Vec<PathBuf>,
    /// Port of the loopback interface [default: a free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// A further name under which the browser reaches the page, as through a proxy; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
}

pub fn view(arguments: &ViewArguments) -> Result<(), Failure> {
    let ViewArguments { dirs, port, allow_host } = arguments;
    let server = Server::bind(dirs, *port, allow_host).map_err(|error| match error {
        ViewError::NotFound(message) | ViewError::Request(message) | ViewError::Data(message) => {
            Failure::Input(message)
        }
    })?;
    let stop = signals::stop_flag().map_err(|error| Failure::Work(format!("cannot handle signals: {error}")))?;
    say!("{}", server.url());
    note!("open this address in a browser on this machine; Ctrl-C ends the page");
    server.serve(|| stop.load(Ordering::Relaxed));
    Ok(())
}
