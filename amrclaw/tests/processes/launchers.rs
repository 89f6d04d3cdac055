//! The MPI launchers on this machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A launcher whose MPI library the program finds.
pub struct Launcher {
    pub program: PathBuf,
    /// True for Open MPI's launcher.
    pub is_open: bool,
    /// Gives its ranks three seconds to end before it kills them. Open MPI's default is one second, too short on a busy machine.
    pub has_long_kill_timeout: bool,
    /// MPI sends all messages through the network, as between hosts, although the ranks share memory.
    pub uses_network: bool,
}

impl Launcher {
    /// The installed ones among MPICH with the standard ABI, Open MPI, and MPICH without the ABI. Tests of the others are skipped.
    pub fn all() -> Vec<Launcher> {
        let standard = std::env::var_os("AMRCLAW_TEST_MPIEXEC").map(PathBuf::from).or_else(beside_standard_library);
        let open = in_path("mpiexec.openmpi").filter(|_| in_path("mpicc.openmpi").is_some());
        let old = in_path("mpiexec.mpich").filter(|_| in_path("mpicc.mpich").is_some());
        let found = [(standard, false), (open, true), (old, false)];
        let all: Vec<_> = found
            .into_iter()
            .filter_map(|(program, is_open)| {
                Some(Launcher { program: program?, is_open, has_long_kill_timeout: false, uses_network: false })
            })
            .collect();
        if all.is_empty() {
            eprintln!("skipped: no mpiexec with libmpi_abi.so.1, none of Open MPI, none of MPICH");
        }
        all
    }

    /// The launcher's command in `folder`; the caller adds the number of processes and their command.
    pub fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(folder).stdin(Stdio::null());
        if self.is_open {
            // There may be more ranks than cores, and test machines may have no user but root. Launchers that start at the same time fail when
            // both create the folder of a user's sessions, which is in the one for temporary files.
            command
                .arg("--oversubscribe")
                .env("TMPDIR", folder)
                .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
                .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
            if self.has_long_kill_timeout {
                command.args(["--mca", "odls_base_sigkill_timeout", "3"]);
            }
            if self.uses_network {
                command.args(["--mca", "pml", "ob1", "--mca", "btl", "self,tcp"]);
            }
        } else if self.uses_network {
            command.env("MPIR_CVAR_NOLOCAL", "1");
        }
        command
    }

    /// Runs the program on `count` ranks with one thread each.
    pub fn run(&self, folder: &Path, count: usize, arguments: &[&str]) -> Command {
        let mut command = self.command(folder);
        command.args(["-n", &count.to_string(), env!("CARGO_BIN_EXE_amrclaw"), "run"]);
        command.args(arguments).args(["--quiet", "--threads", "1"]);
        command
    }
}

/// An `mpiexec` in `PATH` whose installation has a library with the standard ABI.
fn beside_standard_library() -> Option<PathBuf> {
    in_path("mpiexec")
        .filter(|file| file.parent().is_some_and(|folder| folder.join("../lib/libmpi_abi.so.1").is_file()))
}

fn in_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|file| file.is_file())
}
