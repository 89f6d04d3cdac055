//! What MPI launchers (mpiexec, mpirun, srun) tell each process by environment variables.

use std::env;
use std::process::Command;

/// The kind of a launcher: which MPI libraries its processes can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Open MPI's own launcher.
    OpenMpi,
    /// A launcher that speaks PMI: MPICH's and its relatives'.
    Pmi,
    /// A launcher that works with any library.
    Any,
}

impl Family {
    /// The family of a library, by its version text.
    fn of(version: &str) -> Family {
        if version.starts_with("Open MPI") { Family::OpenMpi } else { Family::Pmi }
    }

    /// True if a library with this version text finds the other processes.
    pub fn takes(self, version: &str) -> bool {
        self == Family::Any || self == Family::of(version)
    }
}

/// How a launcher has started this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Whose launcher it is.
    pub family: Family,
    /// Number of this process, if the launcher tells it.
    pub number: Option<usize>,
    /// Number of processes, if the launcher tells it.
    pub of: Option<usize>,
}

/// Variables with the number of a process and the number of processes, and the family of the launcher that sets them.
const NUMBERS: [(&str, &str, Family); 6] = [
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", Family::OpenMpi),
    ("PMI_RANK", "PMI_SIZE", Family::Pmi),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", Family::Pmi),
    ("PALS_RANKID", "PMI_SIZE", Family::Pmi),
    ("PMIX_RANK", "SLURM_STEP_NUM_TASKS", Family::Any),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", Family::Any),
];

/// Prefixes of the variables by which a process finds the others of its launch.
const PREFIXES: [&str; 10] =
    ["OMPI_", "PMIX_", "PMI_", "PMI2_", "PRTE_", "MV2_", "PALS_", "HYDI_", "MPI_LOCAL", "SLURM_STEP_"];

/// How a launcher has started this process; `None` if none has.
pub fn launch() -> Option<Launch> {
    launch_by(|name| env::var(name).ok())
}

fn launch_by(variable: impl Fn(&str) -> Option<String>) -> Option<Launch> {
    let told = |name| variable(name).and_then(|text| text.trim().parse().ok());
    NUMBERS.into_iter().find_map(|(number, of, family)| {
        let launch = Launch { family, number: Some(told(number)?), of: told(of) };
        // Slurm sets its number in shells and batch scripts too.
        (number != "SLURM_PROCID" || launch.of.is_some_and(|of| of > 1)).then_some(launch)
    })
}

/// Removes the launcher's variables from a command, so that its process starts alone and not as a rank.
pub fn start_alone(command: &mut Command) {
    for (name, _) in env::vars_os() {
        if PREFIXES.iter().any(|prefix| name.as_encoded_bytes().starts_with(prefix.as_bytes())) {
            command.env_remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variables as launchers set them.
    fn by(variables: &[(&str, &str)]) -> Option<Launch> {
        launch_by(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    /// Launchers are told apart by their own variables; a shell or a batch script of Slurm's is none.
    #[test]
    fn launchers_are_known_by_their_variables() {
        let launch = |family, number, of| Some(Launch { family, number: Some(number), of });
        let open = [("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "3"), ("PMIX_RANK", "1")];
        assert_eq!(by(&open), launch(Family::OpenMpi, 1, Some(3)));
        assert_eq!(by(&[("PMI_RANK", "0"), ("PMI_SIZE", "2")]), launch(Family::Pmi, 0, Some(2)));
        assert_eq!(by(&[("PMIX_RANK", "4"), ("SLURM_PROCID", "4")]), launch(Family::Any, 4, None));
        let slurm = |tasks| by(&[("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", tasks)]);
        assert_eq!((slurm("4"), slurm("1")), (launch(Family::Any, 0, Some(4)), None));
        assert_eq!(by(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")]), None);
        assert_eq!(by(&[("SHELL", "/bin/sh")]), None);
    }

    /// Each launcher takes the libraries of its kind.
    #[test]
    fn libraries_fit_launchers() {
        let libraries = ["Open MPI v4.1.4, package: Debian", "MPICH Version: 5.0.0", "Intel(R) MPI Library 2021.9"];
        let taken = |family: Family| libraries.map(|version| family.takes(version));
        assert_eq!(taken(Family::OpenMpi), [true, false, false]);
        assert_eq!(taken(Family::Pmi), [false, true, true]);
        assert_eq!(taken(Family::Any), [true; 3]);
    }
}
