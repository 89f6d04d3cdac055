//! `amrclaw converge`.

use crate::case::Case;
use crate::cli::arguments::{ConvergeArguments, Meshes};
use crate::cli::exact::exact;
use crate::cli::run::default_folder;
use crate::cli::{Failure, terminal};
use crate::converge::{ConvergeError, Reference, Study, StudyMesh, text};
use crate::sweep::SweepError;
use indicatif::ProgressBar;
use std::ffi::OsString;
use std::io::IsTerminal;

pub fn converge(arguments: &ConvergeArguments, own: &[OsString]) -> Result<(), Failure> {
    let execution = &arguments.execution;
    let case = execution.load(&arguments.case, &[]).map_err(|errors| Failure::Input(errors.to_string()))?;
    let meshes = match &arguments.meshes {
        Meshes::Doubled(number) => StudyMesh::doubled(&case, *number),
        Meshes::Files(files) => StudyMesh::of_files(&case, files),
    };
    let meshes = meshes.map_err(failure)?;
    execution.check_devices(arguments.device)?;
    let study = Study {
        launch: execution.launch(&arguments.case, own)?,
        device: arguments.device.to_string(),
        meshes,
        reference: reference(arguments, &case)?,
        dir: arguments.output.clone().unwrap_or_else(|| default_folder(&arguments.case.case, "_converge")),
    };
    let bar = (!execution.quiet && std::io::stderr().is_terminal()).then(ProgressBar::new_spinner);
    let mut shown = None;
    let outcome = study.take(&case, &mut |mesh, line| match &bar {
        Some(bar) => bar.set_message(format!("{}  {}", mesh.describe(), line.trim())),
        None if !execution.quiet && shown.as_ref() != Some(mesh) => {
            note!("{} cells", mesh.describe());
            shown = Some(mesh.clone());
        }
        None => {}
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let resolutions = outcome.map_err(failure)?;
    let title = format!("{}, t = {}", arguments.case.case.display(), case.time.end);
    let files = study.write(&resolutions, &title).map_err(|e| Failure::Work(e.to_string()))?;
    if !execution.quiet {
        let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        terminal::show(&format!("{}{}\n", text(&resolutions), files.join("\n")));
    }
    Ok(())
}

fn reference(arguments: &ConvergeArguments, case: &Case) -> Result<Reference, Failure> {
    if arguments.exact.is_empty() { Ok(Reference::Finest) } else { exact("--exact", &arguments.exact, case) }
}

fn failure(error: ConvergeError) -> Failure {
    match error {
        ConvergeError::Case(_) | ConvergeError::Start(SweepError::Folder(_)) => Failure::Input(error.to_string()),
        _ => Failure::Work(error.to_string()),
    }
}
