//! Sweeps whose runs have several ranks, or GPUs of their own.

use super::{SMALL, done, sweep_well};
use crate::record;
use amrclaw::frames::run_json::{RunRecord, RunStatus};
use amrclaw::sweep::{Launch, Plan, RunResultStatus, Sweep, Vary, execute};
use std::path::Path;

/// With `--ranks` each run of a sweep has that many ranks, and the frames of a run on one.
#[test]
fn runs_of_a_sweep_have_ranks() {
    let [one, many] = [1, 3].map(|ranks: usize| {
        let folder = tempfile::tempdir().unwrap();
        let sets = [&SMALL[..2], &["output.count=1", "output.png=false", "regrid.max_patch_size=8"]].concat();
        let ranks = ranks.to_string();
        let vary = ["--vary", "regrid.buffer=2,3", "--threads", "1", "--ranks", &*ranks];
        sweep_well(folder.path(), &sets, &vary);
        folder
    });
    let names = done(many.path());
    assert_eq!((names.len(), &names), (2, &done(one.path())));
    for name in names {
        let [alone, shared] = [&one, &many].map(|folder| folder.path().join("out").join(&name));
        assert_eq!(record(&shared)["ranks"].as_array().unwrap().len(), 3);
        assert!(record(&alone)["ranks"].is_null());
        let last = |dir: &Path| std::fs::read(dir.join("frame_0001.vtkhdf")).unwrap();
        assert!(last(&alone) == last(&shared), "{name}");
    }
}

/// A stand-in for the program, which runs nothing: fails if another run has its GPU, and otherwise holds it until a run has
/// begun on the other one too. Of the arguments the fourth is the folder, the seventh the device, and the last the number of the GPU, if any.
#[cfg(unix)]
const STAND_IN: &str = r#"#!/bin/sh
here=$(dirname "$0")
folder=$4 device=$7
echo "$device $*" > "$folder/arguments"
if [ "$device" = cuda ]; then
    for gpu; do :; done
    mkdir "$here/held$gpu" || exit 1
    touch "$here/begun$gpu"
    tries=0
    until [ -e "$here/begun2" ] && [ -e "$here/begun5" ]; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || exit 1
        sleep 0.05
    done
    sleep 0.1
    rmdir "$here/held$gpu"
fi
cp "$here/run.json" "$folder"
"#;

/// Each run of a sweep on GPUs gets one of those named, in place of the others; no two runs have the same one at the same time, and all GPUs
/// are in use. Runs on the CPU get none.
#[test]
#[cfg(unix)]
fn gpus_are_handed_out() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    std::fs::write(&program, STAND_IN).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    RunRecord { status: RunStatus::Done, ..RunRecord::default() }.write(folder.path()).unwrap();
    let vary = "regrid.buffer=1,2,3".parse::<Vary>().unwrap();
    let plan = Plan::new(vec![vary], false, vec!["cuda".into(), "cpu".into()], 2, 0).unwrap();
    let launch =
        Launch { program: vec![program.into()], case: "case.toml".into(), overrides: vec![], arguments: vec![] };
    let dir = folder.path().join("out");
    let sweep = Sweep { plan, launch, case_text: String::new(), gpus: vec![2, 5], seed: 0, reference: None, dir };
    let results = execute(&sweep, false, &mut |_| {}).unwrap();
    assert_eq!(results.len(), 12);
    let mut given = Vec::new();
    for result in results {
        assert_eq!(result.status, RunResultStatus::Done, "{}: {}", result.run.folder, result.error);
        let text = std::fs::read_to_string(sweep.dir.join(&result.run.folder).join("arguments")).unwrap();
        let gpu = text.trim().split_once("--devices ").map(|(_, number)| number.to_owned());
        assert_eq!(gpu.is_some(), text.starts_with("cuda"), "{text}");
        given.extend(gpu);
    }
    given.sort();
    given.dedup();
    assert_eq!(given, ["2", "5"]);
}
