//! `amrclaw solver check`.

use super::load;
use crate::Failure;
use amrclaw::io::config::{Case, SolverFrom};
use riemann::axis::Axis;
use riemann::catalogue::{self, ParameterCheck, ParameterInfo, SolverInfo};
use riemann::faces::Faces;
use riemann::holds::{self, FACES, Finding, Outcome, Subject};
use riemann::patch::PatchSolver;
use riemann::plugin::Instance;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A solver with the values of its parameters.
struct Checked {
    info: &'static SolverInfo,
    aux_face: Vec<Option<Axis>>,
    faces: Faces,
    /// A solver from a file, which may panic.
    plugin: Option<Instance>,
}

/// Checks the solver called `target`, or in the file `target`, and prints a table.
pub fn check(target: &str, case: Option<&Path>, settings: &[String]) -> Result<(), Failure> {
    let mut given = settings.iter().map(|setting| parse(setting)).collect::<Result<BTreeMap<_, _>, _>>()?;
    if let Some(path) = case {
        let case = Case::load(path, &[]).map_err(|errors| Failure::Input(errors.to_string()))?;
        case.solver.parameters.into_iter().for_each(|(name, value)| _ = given.entry(name).or_insert(value));
    }
    let path = file(target, case)?;
    let (checked, chosen) = match path {
        None => built_in(target, given)?,
        Some(path) => from_file(&path, given)?,
    };
    let subject = Subject { info: checked.info, aux_face: &checked.aux_face, faces: &checked.faces };
    let findings = holds::check(&subject);
    print!("{}", text(checked.info, &chosen, &findings));
    let panic = checked.plugin.as_ref().and_then(PatchSolver::<f64>::failure);
    if let Some(message) = panic {
        return Err(Failure::Input(format!("the solver panicked: {message}")));
    }
    match findings.iter().filter(|finding| matches!(finding.outcome, Outcome::Fails(_))).count() {
        0 => Ok(()),
        failed => Err(Failure::Work(format!("{failed} of {} properties do not hold", findings.len()))),
    }
}

/// `NAME=VALUE`.
fn parse(setting: &str) -> Result<(String, f64), Failure> {
    let parsed = setting.split_once('=').and_then(|(name, value)| Some((name.trim(), value.trim().parse().ok()?)));
    let (name, value) = parsed
        .ok_or_else(|| Failure::Input(format!("--set {setting}: write a parameter and its value: density=1.5")))?;
    Ok((name.to_owned(), value))
}

/// The solver's file, if it comes from one: what has an ending is a path.
fn file(target: &str, case: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    if Path::new(target).extension().is_some() {
        return Ok(Some(PathBuf::from(target)));
    }
    // A case may name the file of a solver that is called by its bare name.
    if let (Some(path), None) = (case, catalogue::find(target)) {
        let case = Case::load(path, &[]).map_err(|errors| Failure::Input(errors.to_string()))?;
        if let SolverFrom::Path(path) = case.solver.from {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// A value for each parameter: the given one, the default, or any that is possible. The second: all of them in words.
fn complete(info: &SolverInfo, mut given: BTreeMap<String, f64>) -> Result<(BTreeMap<String, f64>, String), Failure> {
    let any = |p: &ParameterInfo| match p.check {
        ParameterCheck::Any => 0.7,
        ParameterCheck::Positive => 1.3,
        ParameterCheck::GreaterThanOne => 1.4,
    };
    for p in info.parameters {
        given.entry(p.name.to_owned()).or_insert_with(|| p.default.unwrap_or_else(|| any(p)));
    }
    info.resolve(&given).map_err(|errors| Failure::Input(errors.to_string()))?;
    let words: Vec<_> = info.parameters.iter().map(|p| format!("{} = {}", p.name, given[p.name])).collect();
    Ok((given, words.join(", ")))
}

fn built_in(name: &str, given: BTreeMap<String, f64>) -> Result<(Checked, String), Failure> {
    let Some(info) = catalogue::find(name) else {
        let known: Vec<_> = catalogue::all().iter().map(|info| info.name).collect();
        let known = known.join(", ");
        return Err(Failure::Input(format!(
            "there is no built-in solver \"{name}\": write a file such as {name}.rs, or one of {known}"
        )));
    };
    let (values, words) = complete(info, given)?;
    let wrong = |errors: catalogue::ParameterErrors| Failure::Input(errors.to_string());
    let faces = catalogue::faces(name, &values).map_err(wrong)?;
    let kernels = catalogue::kernels(name, &values).map_err(wrong)?;
    Ok((Checked { info, aux_face: kernels.double.aux_face().to_vec(), faces, plugin: None }, words))
}

fn from_file(path: &Path, given: BTreeMap<String, f64>) -> Result<(Checked, String), Failure> {
    let plugin = load(path, false).map_err(|e| Failure::Input(format!("{e}\n{}", e.help())))?;
    let info = plugin.info();
    let (values, words) = complete(info, given)?;
    let values: Vec<f64> = info.parameters.iter().map(|p| values[p.name]).collect();
    let instance = plugin.create(&values).map_err(|e| Failure::Input(e.to_string()))?;
    let aux_face = PatchSolver::<f64>::aux_face(&instance).to_vec();
    Ok((Checked { info, aux_face, faces: instance.faces(), plugin: Some(instance) }, words))
}

/// The table, and below it the first counter-example of each property that does not hold.
fn text(info: &SolverInfo, parameters: &str, findings: &[Finding]) -> String {
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let (equations, waves) = (count(info.equations.len(), "equation"), count(info.waves, "wave"));
    let mut text = format!("{}: {}\n{}D, {equations}, {waves}", info.name, info.title, info.dim);
    if !parameters.is_empty() {
        text += &format!("; {parameters}");
    }
    text += &format!("\n{FACES} random faces along each axis\n\n");
    let width = findings.iter().map(|finding| finding.property.len()).max().unwrap_or(0);
    for Finding { property, outcome } in findings {
        let outcome = match outcome {
            Outcome::Holds => "holds".to_owned(),
            Outcome::Fails(_) => "FAILS".to_owned(),
            Outcome::Unchecked(why) => format!("not checked: {why}"),
        };
        text += &format!("  {property:<width$}  {outcome}\n");
    }
    for Finding { property, outcome } in findings {
        if let Outcome::Fails(example) = outcome {
            text += &format!("\n{property}: fails {example}\n");
        }
    }
    text
}
