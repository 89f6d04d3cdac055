//! `sweep.csv`, a row per run; `sweep.json`, the sweep with its medians; `report.html`.

use super::result::patches;
use super::{
    Best, Medians, Plan, RunResult, RunResultStatus, Summary, Sweep, SweepError, Vary, refuse_foreign, report,
};
use crate::frames::InputError;
use crate::frames::atomic::{Durability, write_file};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::io::Write;

/// Name of the table of runs.
pub const CSV_NAME: &str = "sweep.csv";
/// Name of the sweep's description and medians.
pub const JSON_NAME: &str = "sweep.json";
/// Name of the page with tables and figures.
pub const REPORT_NAME: &str = "report.html";

/// The part of `sweep.json` that describes the sweep.
#[derive(Debug, Serialize, Deserialize)]
struct Description {
    /// Version of the program.
    program: String,
    /// The case file.
    case: String,
    /// Its text with the overrides that all runs share.
    case_text: String,
    /// Arguments that all runs share.
    arguments: Vec<String>,
    vary: Vec<Vary>,
    devices: Vec<String>,
    repeats: usize,
    seed: u64,
}

impl Description {
    fn of(sweep: &Sweep) -> Self {
        Description {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            case: sweep.launch.case.display().to_string(),
            case_text: sweep.case_text.clone(),
            arguments: sweep.launch.arguments.clone(),
            vary: sweep.plan.vary.clone(),
            devices: sweep.plan.devices.clone(),
            repeats: sweep.plan.repeats,
            seed: sweep.seed,
        }
    }
}

/// Checks that the folder holds no sweep, or with `resume` one of the same case and arguments. Varied keys, devices and
/// repeats may have changed: their runs have different folders.
pub(super) fn check_earlier(sweep: &Sweep, resume: bool) -> Result<(), SweepError> {
    let path = sweep.dir.join(JSON_NAME);
    if !path.exists() {
        // A sweep writes all three.
        return refuse_foreign(&sweep.dir, &[(CSV_NAME, |_| false), (REPORT_NAME, |_| false)]);
    }
    if !resume {
        return Err(SweepError::Exists(sweep.dir.clone()));
    }
    let text = std::fs::read(&path).map_err(InputError::io(&path))?;
    let earlier: Description = serde_json::from_slice(&text).map_err(|error| InputError::Kind {
        path: path.clone(),
        expected: "the description of a sweep",
        reason: error.to_string(),
    })?;
    let now = Description::of(sweep);
    let differs = |what| SweepError::Differs { dir: sweep.dir.clone(), what };
    if earlier.case_text != now.case_text {
        return Err(differs("contents of the case file, or other --set"));
    }
    if earlier.arguments != now.arguments {
        return Err(differs("arguments"));
    }
    Ok(())
}

/// Writes all three files, each atomically.
pub(super) fn write(sweep: &Sweep, results: &[RunResult], summary: &Summary) -> Result<(), SweepError> {
    let mut results: Vec<RunResult> = results.to_vec();
    results.sort_by_key(|result| (result.run.device, result.run.setting, result.run.repeat));
    let json = json(sweep, &results, summary);
    let page = report::page(sweep, &results, summary);
    let write =
        |name, text: &str| write_file(&sweep.dir.join(name), Durability::Program, |out| out.write_all(text.as_bytes()));
    write(CSV_NAME, &csv(&sweep.plan, &results))?;
    write(JSON_NAME, &format!("{json:#}\n"))?;
    write(REPORT_NAME, &page)?;
    Ok(())
}

/// A row per run, ordered by device, setting and repeat.
fn csv(plan: &Plan, results: &[RunResult]) -> String {
    let figures = "wall_seconds,updates_per_second,cells_advanced_total,patches_mean,advance,ghost,reflux,update,regrid,\
                   output,other,memory_host,memory_device";
    let keys = plan.vary.iter().flat_map(|vary| &vary.keys).map(|key| field(key));
    let head: Vec<String> = std::iter::once("device".to_owned()).chain(keys).collect();
    let mut text = format!("{},repeat,status,{figures},folder,error\n", head.join(","));
    for result in results {
        let mut cells = vec![field(&plan.devices[result.run.device])];
        for (vary, value) in plan.vary.iter().zip(plan.values(result.run.setting)) {
            cells.extend(vary.keys.iter().map(|_| field(value)));
        }
        cells.push(result.run.repeat.to_string());
        cells.push(status(result.status).to_owned());
        match &result.record {
            Some(r) => {
                let p = &r.phases;
                let seconds = [p.advance, p.ghost, p.reflux, p.average, p.regrid, p.output, p.other];
                cells.extend([r.wall_seconds, r.updates_per_second].map(|figure| figure.to_string()));
                cells.push(r.cells_advanced_total.to_string());
                cells.push(patches(r).to_string());
                cells.extend(seconds.map(|figure| figure.to_string()));
                cells.extend([r.memory_bytes.host, r.memory_bytes.device].map(|bytes| bytes.to_string()));
            }
            None => cells.extend(figures.split(',').map(|_| String::new())),
        }
        cells.extend([field(&result.run.folder), field(&result.error)]);
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

/// A field of a CSV file, in quotes where RFC 4180 requires them.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

fn status(status: RunResultStatus) -> &'static str {
    match status {
        RunResultStatus::Done => "done",
        RunResultStatus::Failed => "failed",
    }
}

fn json(sweep: &Sweep, results: &[RunResult], summary: &Summary) -> Value {
    let plan = &sweep.plan;
    let runs: Vec<Value> = results
        .iter()
        .map(|result| {
            json!({
                "device": plan.devices[result.run.device], "values": values(plan, result.run.setting),
                "repeat": result.run.repeat, "folder": result.run.folder, "status": result.status,
                "error": result.error, "record": result.record,
            })
        })
        .collect();
    let place = |m: &Medians| json!({"device": plan.devices[m.device], "values": values(plan, m.setting)});
    let settings: Vec<Value> = summary.medians.iter().map(|m| merged(place(m), json!(m))).collect();
    let best = |best: &Best| {
        json!({
            "device": plan.devices[best.device],
            "fastest": values(plan, best.fastest.setting), "fastest_seconds": best.fastest.wall_seconds,
            "slowest": values(plan, best.slowest.setting), "slowest_seconds": best.slowest.wall_seconds,
            "slowest_over_fastest": best.ratio(),
        })
    };
    let best: Vec<Value> = summary.best.iter().map(best).collect();
    merged(json!(Description::of(sweep)), json!({"runs": runs, "settings": settings, "best": best}))
}

/// The values of a setting by key, as the user wrote them.
fn values(plan: &Plan, setting: usize) -> Map<String, Value> {
    let pairs = plan.vary.iter().zip(plan.values(setting));
    pairs.flat_map(|(vary, value)| vary.keys.iter().map(move |key| (key.clone(), value.into()))).collect()
}

/// The entries of two objects as one.
fn merged(first: Value, second: Value) -> Value {
    let (Value::Object(mut all), Value::Object(more)) = (first, second) else { unreachable!("both are objects") };
    all.extend(more);
    Value::Object(all)
}

#[cfg(test)]
mod tests {
    use super::super::result::tests::sample;
    use super::*;
    use crate::sweep::Launch;
    use std::path::Path;

    fn sweep(plan: Plan, dir: &Path) -> Sweep {
        let launch = Launch {
            program: vec!["amrclaw".into()],
            case: "case.toml".into(),
            overrides: vec![],
            arguments: vec!["--threads".into(), "2".into()],
        };
        Sweep {
            plan,
            launch,
            case_text: "[mesh]".into(),
            seed: 1,
            reference: None,
            gpus: Vec::new(),
            dir: dir.to_owned(),
        }
    }

    /// Every run, failed ones included, has a row with as many fields as the head, whatever its message contains.
    #[test]
    fn the_table_has_a_row_per_run() {
        let (plan, results) = sample(|device, _, _| (device == 0).then_some(2.0));
        let text = csv(&plan, &results);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 13);
        assert!(lines[0].starts_with("device,regrid.cutoff,regrid.interval,repeat,status,wall_seconds,"));
        let fields = lines[0].split(',').count();
        let done = lines.iter().find(|line| line.contains(",done,")).unwrap();
        assert_eq!(done.split(',').count(), fields);
        assert!(done.contains("cpu,") && done.contains(",2,1500000,3000000,3.5,"), "{done}");
        let failed = lines.iter().find(|line| line.contains(",failed,")).unwrap();
        assert!(failed.ends_with(r#","q is NaN on <level> 2, ""patch"" 1""#), "{failed}");
        assert_eq!(failed.split(',').count(), fields + 1, "the comma inside quotes");
    }

    /// The description has the medians and the best setting of each device; missing numbers are `null`.
    #[test]
    fn the_description_sums_up() {
        let (plan, results) = sample(|device, setting, _| (device == 0).then_some(1.0 + setting as f64));
        let summary = Summary::new(&plan, &results);
        let json = json(&sweep(plan, Path::new("out")), &results, &summary);
        assert_eq!((&json["vary"][0]["keys"][0], &json["repeats"]), (&"regrid.cutoff".into(), &3.into()));
        assert_eq!(json["runs"].as_array().unwrap().len(), 12);
        assert_eq!(json["settings"][0]["values"]["regrid.cutoff"], "0.5");
        assert_eq!(json["settings"][1]["wall_seconds"], 2.0);
        assert!(json["settings"][2]["wall_seconds"].is_null() && json["settings"][2]["failed"] == 3);
        let best = json["best"].as_array().unwrap();
        assert_eq!((best.len(), &best[0]["fastest"]["regrid.cutoff"]), (1, &"0.5".into()));
        assert_eq!(best[0]["slowest_over_fastest"], 2.0);
    }

    /// A sweep is resumed only on request, and only with the same case and arguments.
    #[test]
    fn folders_of_other_sweeps_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (plan, results) = sample(|_, _, _| Some(1.0));
        let first = sweep(plan, dir.path());
        check_earlier(&first, false).unwrap();
        check_earlier(&first, true).unwrap();
        write(&first, &results, &Summary::new(&first.plan, &results)).unwrap();
        check_earlier(&first, true).unwrap();
        let refused = |sweep: &Sweep, resume| check_earlier(sweep, resume).unwrap_err().to_string();
        assert!(refused(&first, false).contains("--resume"));
        let other = Sweep { case_text: "[mesh] # changed".into(), ..first.clone() };
        assert!(refused(&other, true).contains("case file"));
        let mut other = first.clone();
        other.launch.arguments.clear();
        assert!(refused(&other, true).contains("arguments"));
    }
}
