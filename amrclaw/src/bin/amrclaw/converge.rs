//! `amrclaw converge`.

use crate::arguments::ConvergeArguments;
use crate::run::default_folder;
use crate::{Failure, terminal};
use amrclaw::case::Case;
use amrclaw::compare::check_finite;
use amrclaw::converge::{ConvergeError, Reference, Study, cells_of, describe, text};
use amrclaw::sweep::SweepError;
use indicatif::ProgressBar;
use std::io::IsTerminal;

pub fn converge(arguments: &ConvergeArguments) -> Result<(), Failure> {
    let execution = &arguments.execution;
    let case = execution.load(&arguments.case, &[]).map_err(|errors| Failure::Input(errors.to_string()))?;
    cells_of(&case, usize::from(arguments.meshes) - 1).map_err(failure)?;
    execution.check_devices(arguments.device)?;
    let study = Study {
        launch: execution.launch(&arguments.case)?,
        device: arguments.device.to_string(),
        meshes: usize::from(arguments.meshes),
        reference: reference(arguments, &case)?,
        dir: arguments.output.clone().unwrap_or_else(|| default_folder(&arguments.case.case, "_converge")),
    };
    let bar = (!execution.quiet && std::io::stderr().is_terminal()).then(ProgressBar::new_spinner);
    let mut shown = Vec::new();
    let outcome = study.take(&case, &mut |cells, line| match &bar {
        Some(bar) => bar.set_message(format!("{}  {}", describe(cells), line.trim())),
        None if !execution.quiet && shown != cells => {
            note!("{} cells", describe(cells));
            shown = cells.to_vec();
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

/// Formulas by equation, as `option` gives them.
pub fn named_formulas(option: &str, texts: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let mut formulas: Vec<(String, String)> = Vec::new();
    for part in texts.iter().flat_map(|text| text.split(';')).map(str::trim).filter(|part| !part.is_empty()) {
        let Some((name, formula)) = named(part) else {
            let message = format!("{option}: `{part}` names no equation; write for example `pressure = sin(x - t)`");
            return Err(Failure::Input(message));
        };
        if formulas.iter().any(|(other, _)| other == name) {
            return Err(Failure::Input(format!("{option}: \"{name}\" has two formulas; write one")));
        }
        formulas.push((name.to_owned(), formula.to_owned()));
    }
    Ok(formulas)
}

/// An exact solution by formulas, as `option` gives them.
pub fn exact(option: &str, texts: &[String], case: &Case) -> Result<Reference, Failure> {
    let mut formulas = named_formulas(option, texts)?;
    for (_, formula) in &mut formulas {
        *formula = case.defined(formula).map_err(|message| Failure::Input(format!("{option}: {message}")))?;
    }
    if formulas.is_empty() {
        let message = format!("{option} gives no formula; write for example `pressure = sin(x - t)`");
        return Err(Failure::Input(message));
    }
    case.check_exact(&formulas).map_err(|message| Failure::Input(format!("{option}: {message}")))?;
    check_finite(case, &formulas).map_err(|error| Failure::Input(format!("{option}: {error}")))?;
    Ok(Reference::Exact(formulas))
}

/// The two sides of the first `=` that is no part of a comparison.
fn named(text: &str) -> Option<(&str, &str)> {
    let (name, formula) = text.split_once('=')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && !formula.starts_with('=')).then_some((name, formula.trim()))
}

fn failure(error: ConvergeError) -> Failure {
    match error {
        ConvergeError::Case(_) | ConvergeError::Start(SweepError::Folder(_)) => Failure::Input(error.to_string()),
        _ => Failure::Work(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name, one equals sign, and a formula that may hold comparisons.
    #[test]
    fn formulas_have_names() {
        assert_eq!(named("q = if(x == 1, 2, 3)"), Some(("q", "if(x == 1, 2, 3)")));
        assert_eq!(named("x == 1"), None);
        assert_eq!(named("sin(x)"), None);
        assert_eq!(named("2*x=1"), None);
    }
}
