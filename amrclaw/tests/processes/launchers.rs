//! The launchers of MPI that this machine has.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A launcher whose library the program finds.
pub struct Launcher {
    pub program: PathBuf,
    /// Open MPI's.
    pub is_open: bool,
    /// Gives ranks that it has asked to end three seconds to do so. Open MPI's gives them a second, too short where a machine is busy.
    pub is_patient: bool,
}

impl Launcher {
    /// Those of MPICH with the standard ABI, of Open MPI, and of an MPICH without the ABI, as far as they are there. Tests of them are skipped
    /// where they are not.
    pub fn all() -> Vec<Launcher> {
        let standard = std::env::var_os("AMRCLAW_TEST_MPIEXEC").map(PathBuf::from).or_else(beside_standard_library);
        let open = in_path("mpiexec.openmpi").filter(|_| in_path("mpicc.openmpi").is_some());
        let old = in_path("mpiexec.mpich").filter(|_| in_path("mpicc.mpich").is_some());
        let found = [(standard, false), (open, true), (old, false)];
        let all: Vec<_> = found
            .into_iter()
            .filter_map(|(program, is_open)| Some(Launcher { program: program?, is_open, is_patient: false }))
            .collect();
        if all.is_empty() {
            eprintln!("skipped: no mpiexec with libmpi_abi.so.1, none of Open MPI, none of MPICH");
        }
        all
    }

    /// The command that starts processes; what each is to do is still to be said.
    pub fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(folder).stdin(Stdio::null());
        if self.is_open {
            // More ranks than cores, and no user but root on machines that only test.
            command
                .arg("--oversubscribe")
                .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
                .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
            if self.is_patient {
                command.args(["--mca", "odls_base_sigkill_timeout", "3"]);
            }
        }
        command
    }

    /// So many ranks of the program, one thread each.
    pub fn run(&self, folder: &Path, count: usize, arguments: &[&str]) -> Command {
        let mut command = self.command(folder);
        command.args(["-n", &count.to_string(), env!("CARGO_BIN_EXE_amrclaw"), "run"]);
        command.args(arguments).args(["--quiet", "--threads", "1"]);
        command
    }
}

/// One in `PATH` that has a library with the standard ABI beside it.
fn beside_standard_library() -> Option<PathBuf> {
    in_path("mpiexec")
        .filter(|file| file.parent().is_some_and(|folder| folder.join("../lib/libmpi_abi.so.1").is_file()))
}

fn in_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|file| file.is_file())
}
