//! `amrclaw solver check`.

use super::load;
use crate::case::{CaseSettings, SolverFrom};
use crate::cli::{Failure, terminal};
use crate::plugin::{check_primitive, faces};
use riemann::catalogue::{self, ParameterCheck, ParameterInfo, SolverInfo};
use riemann::faces::Faces;
use riemann::holds::{self, FACES, Finding, Outcome, Sample, Subject};
use riemann::patch::PatchSolver;
use riemann::plugin::Instance;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A solver with the values of its parameters.
struct Checked {
    info: &'static SolverInfo,
    faces: Faces,
    /// Values of its parameters.
    values: Vec<f64>,
    /// A solver from a file, which may panic.
    plugin: Option<Instance>,
}

/// Checks the solver called `target`, or in the file `target`, and prints a table.
pub fn check(target: &str, case: Option<&Path>, settings: &[String]) -> Result<(), Failure> {
    let mut given = settings.iter().map(|setting| parse(setting)).collect::<Result<BTreeMap<_, _>, _>>()?;
    let case = case.map(|path| CaseSettings::load(path, &[])).transpose();
    let case = case.map_err(|errors| Failure::Input(errors.to_string()))?;
    if let Some(case) = &case {
        let parameters = case.solver.parameters.iter();
        parameters.for_each(|(name, value)| _ = given.entry(name.clone()).or_insert(*value));
    }
    let solvers = match file(target, case.as_ref()) {
        None => built_in(target, case.as_ref().map(CaseSettings::dimension), &given)?,
        Some(path) => from_file(&path, case.as_ref().map(CaseSettings::dimension), &given)?,
    };
    let mut findings = Vec::new();
    for (k, (checked, chosen)) in solvers.iter().enumerate() {
        let subject = Subject { info: checked.info, faces: &checked.faces, sample: Sample::FULL };
        let mut found = holds::check(&subject);
        found.extend(check_primitive(checked.info, &checked.faces, &checked.values));
        let apart = if k > 0 { "\n" } else { "" };
        terminal::show(&format!("{apart}{}{}", doubt(&subject, &found), text(checked.info, chosen, &found)));
        findings.extend(found);
        let panic = checked.plugin.as_ref().and_then(PatchSolver::<f64>::failure);
        if let Some(message) = panic {
            return Err(Failure::Input(format!("the solver panicked: {message}")));
        }
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
fn file(target: &str, case: Option<&CaseSettings>) -> Option<PathBuf> {
    if Path::new(target).extension().is_some() {
        return Some(PathBuf::from(target));
    }
    // A case may name the file of a solver that is called by its bare name.
    match case.map(|case| &case.solver.from) {
        Some(SolverFrom::Path(path)) if catalogue::dimensions(target).is_empty() => Some(path.clone()),
        _ => None,
    }
}

/// A value for each parameter: the given one, the default, or an allowed one; also returns all values as text.
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

/// The solver in `dimension` dimensions, or in each that it supports if that is unknown: what `make` returns for a form and the values
/// of its parameters.
fn forms(
    mut infos: Vec<&'static SolverInfo>,
    dimension: Option<usize>,
    given: &BTreeMap<String, f64>,
    make: impl Fn(&'static SolverInfo, &BTreeMap<String, f64>) -> Result<Checked, Failure>,
) -> Result<Vec<(Checked, String)>, Failure> {
    // Some forms may lack a parameter that others have.
    let has = |info: &SolverInfo, parameter: &String| info.parameters.iter().any(|p| p.name == parameter);
    let elsewhere: Vec<_> = given.keys().filter(|parameter| infos.iter().any(|info| has(info, parameter))).collect();
    if let Some(dimension) = dimension.filter(|&dimension| infos.iter().any(|info| info.dim == dimension)) {
        infos.retain(|info| info.dim == dimension);
    }
    let solver = |info: &&'static SolverInfo| {
        let mut given = given.clone();
        given.retain(|parameter, _| has(info, parameter) || !elsewhere.contains(&parameter));
        let (values, words) = complete(info, given)?;
        Ok((make(info, &values)?, words))
    };
    infos.iter().map(solver).collect()
}

fn built_in(
    name: &str,
    dimension: Option<usize>,
    given: &BTreeMap<String, f64>,
) -> Result<Vec<(Checked, String)>, Failure> {
    let infos: Vec<_> = catalogue::all().iter().filter(|info| info.name == name).collect();
    if infos.is_empty() {
        let known = catalogue::names().join(", ");
        return Err(Failure::Input(format!(
            "there is no built-in solver \"{name}\": write a file such as {name}.rs, or one of {known}"
        )));
    }
    forms(infos, dimension, given, |info, values| {
        let values: Vec<f64> = info.parameters.iter().map(|p| values[p.name]).collect();
        let announce = || note!("compiling {name} in {}D, which takes some seconds; the result is kept", info.dim);
        let faces = faces(info, &values, announce).map_err(|e| Failure::Input(format!("{e}\n{}", e.help())))?;
        Ok(Checked { info, faces, values, plugin: None })
    })
}

fn from_file(
    path: &Path,
    dimension: Option<usize>,
    given: &BTreeMap<String, f64>,
) -> Result<Vec<(Checked, String)>, Failure> {
    let plugin = load(path, false).map_err(|e| Failure::Input(format!("{e}\n{}", e.help())))?;
    let infos = plugin.forms().iter().map(|form| form.info()).collect();
    forms(infos, dimension, given, |info, values| {
        let values: Vec<f64> = info.parameters.iter().map(|p| values[p.name]).collect();
        let instance = plugin.form(info.dim).create(&values).map_err(|e| Failure::Input(e.to_string()))?;
        Ok(Checked { info, faces: instance.faces(), values, plugin: Some(instance) })
    })
}

/// A remark for a failed check of a solver without `admissible`: the states tried may not be admissible.
fn doubt(subject: &Subject<'_>, findings: &[Finding]) -> String {
    let mut examples = findings.iter().filter_map(|finding| match &finding.outcome {
        Outcome::Fails(example) => Some(example),
        _ => None,
    });
    let Some(example) = examples.next().filter(|_| !subject.says_admissible()) else { return String::new() };
    let states = || subject.info.equations.iter().zip(&example.q[0]);
    let Some((name, value)) = states().find(|(_, value)| **value < 0.0).or_else(|| states().next()) else {
        return String::new();
    };
    format!(
        "`admissible` is missing in this solver, so that it is tested with all numbers from -1 to 1. States such as \
         {name} = {value:.2} may not be admissible, and this alone may cause the failures below. Define `admissible`, \
         which makes an admissible state of numbers from 0 to 1:\n\n    \
         fn admissible(&self, unit: State) -> State {{ … }}\n\n"
    )
}

/// The table, and below it the first counter-example of each property that does not hold, or that need not.
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
            Outcome::Remark(_) => "no: see below".to_owned(),
            Outcome::Unchecked(why) => format!("not checked: {why}"),
        };
        text += &format!("  {property:<width$}  {outcome}\n");
    }
    for Finding { property, outcome } in findings {
        match outcome {
            Outcome::Fails(example) => text += &format!("\n{property}: fails {example}\n"),
            Outcome::Remark(example) => text += &format!("\n{property}: not so {example}\n"),
            Outcome::Holds | Outcome::Unchecked(_) => {}
        }
    }
    text
}
