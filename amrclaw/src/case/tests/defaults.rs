//! Cases that are right: what the settings are.

use super::*;
use crate::frames::FrameFormat;
use crate::index::Level;
use crate::physics::{AuxOutside, SourceMethod, Split};
use riemann::limiter::Limiter;

/// Every default that `docs/case-file.md` promises.
#[test]
fn a_small_case_has_the_documented_defaults() {
    let case = load(SMALL, &[]).unwrap();
    assert_eq!(case.dimension(), 2);
    assert_eq!((&case.mesh.lower[..], &case.mesh.upper[..]), (&[0.0, 0.0][..], &[1.0, 1.0][..]));
    assert_eq!(case.mesh.boundary, [[BoundaryKind::Extrapolate; 2]; 2]);
    assert_eq!(case.mesh.aux_outside, AuxOutside::Nearest);
    assert_eq!(case.levels, LevelSettings { max: 1, ratio: vec![], ratio_time: None });
    let regrid = &case.regrid;
    assert_eq!((regrid.interval, regrid.buffer, regrid.cutoff, regrid.max_patch_size), (4, 4, 0.7, 256));
    assert_eq!((regrid.cluster, regrid.tile_size), (ClusterKind::BergerRigoutsos, 8));
    assert!(regrid.conservation_fix && regrid.region.is_empty() && regrid.flag.expression.is_none());
    assert_eq!((regrid.flag.criterion, regrid.flag.tolerance), (Criterion::Difference, 0.0));
    assert_eq!(
        case.scheme,
        SchemeSettings {
            order: 2,
            transverse: 2,
            double_transverse: true,
            split: None,
            limiter: vec![Limiter::Mc],
            source: None,
            source_method: SourceMethod::Explicit,
            capacity: None,
            allow_unstable: false,
        }
    );
    assert_eq!(
        case.time,
        TimeSettings {
            start: 0.0,
            end: 2.0,
            dt_initial: 2e-4,
            dt_max: None,
            cfl_desired: None,
            cfl_max: None,
            dt: None,
            max_steps: None,
            max_retries: 10,
            growth_limit: 1e6,
            stop_when: None,
            stop_every: 1,
        }
    );
    assert_eq!(
        case.output,
        OutputSettings {
            format: vec![FrameFormat::VtkHdf],
            frames: FrameSchedule::Count(1),
            checkpoint_every_steps: 0,
            checkpoint_every_minutes: 10.0,
            aux: false,
            png: true,
            live: false,
            forces: Vec::new(),
        }
    );
    assert!(case.gauge.is_empty() && !case.source.is_given());
    assert!(matches!(&case.initial, CellData::Expressions(fields) if fields.len() == 3));
}

/// Every example loads and fits its solver, in one, two and three dimensions.
#[test]
fn examples_load() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut dimensions = [false; 3];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path().join("case.toml");
        // Examples that bring their own solver need a compiler: the command line's tests run them.
        let brings_solver = |text: String| text.lines().any(|line| line.starts_with("path = "));
        if path.exists() && !std::fs::read_to_string(&path).is_ok_and(brings_solver) {
            let case = Case::load_with(&path, &[], find_built_in).unwrap_or_else(|e| panic!("{e}"));
            dimensions[case.dimension() - 1] = true;
        }
    }
    assert_eq!(dimensions, [true; 3]);
}

/// Measured speeds refer to this case: its settings must not drift.
#[test]
fn the_benchmark_keeps_its_settings() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/acoustics_radial/case.toml");
    let case = CaseSettings::load(&path, &[]).unwrap();
    assert_eq!(case.mesh.cells, [1000, 1000]);
    assert_eq!((case.levels.max, &case.levels.ratio), (3, &vec![vec![2, 2]; 2]));
    assert_eq!((case.regrid.interval, case.regrid.buffer, case.regrid.cutoff), (8, 8, 0.7));
    assert_eq!(case.scheme.limiter, [Limiter::VanLeer; 2]);
    let small = CaseSettings::load(&path, &["mesh.cells=[100,100]".to_string()]).unwrap();
    assert_eq!(small.mesh.cells, [100, 100]);
}

/// Ratios may be one number, one per level, or one per level and axis; entries past the last level are dropped.
#[test]
fn ratios_come_in_three_forms() {
    let base = ["levels.max=3", "regrid.flag.tolerance=0.1"];
    let ratio = |forms: &[&str]| load(SMALL, &[&base[..], forms].concat()).unwrap().levels.clone();
    assert_eq!(ratio(&[]).ratio, [[2, 2], [2, 2]]);
    assert_eq!(ratio(&["levels.ratio=4"]).ratio, [[4, 4], [4, 4]]);
    assert_eq!(ratio(&["levels.ratio=[2, 4, 8]"]).ratio, [[2, 2], [4, 4]]);
    let per_axis = ["levels.ratio=[[2, 4], 2]", "output.format=\"clawpack-ascii\""];
    assert_eq!(ratio(&per_axis).ratio, [[2, 4], [2, 2]]);
    assert_eq!(ratio(&["levels.ratio_time=[1, 4, 4]"]).ratio_time, Some(vec![1, 4]));
}

/// The default patch size gives way to a ratio that does not divide it.
#[test]
fn default_patch_size_holds_whole_ratios() {
    let overrides = ["levels.max=3", "levels.ratio=[3, 2]", "regrid.flag.tolerance=0.1"];
    assert_eq!(load(SMALL, &overrides).unwrap().regrid.max_patch_size, 252);
}

/// Levels of regions count from 1 in the file and from 0 inside; the rest of a region has defaults.
#[test]
fn regions_are_read() {
    let text = format!(
        "{SMALL}[[regrid.region]]\nlower = [0, 0]\nupper = [0.5, 0.5]\n[[regrid.region]]\nlevels = [1, 2]\n\
                        lower = [0.5, 0]\nupper = [9, 0.5]\ntime = [0.5, inf]\n"
    );
    let case = load(&text, &["levels.max=3", "regrid.flag.tolerance=0.1"]).unwrap();
    let [first, second] = &case.regrid.region[..] else { panic!("two regions") };
    assert_eq!((first.coarsest, first.finest), (Level(0), Level(2)));
    assert_eq!(first.time, [f64::NEG_INFINITY, f64::INFINITY]);
    assert_eq!((second.coarsest, second.finest, second.time), (Level(0), Level(1), [0.5, f64::INFINITY]));

    let polygon = |overrides: &[&str]| load(SMALL, overrides).unwrap().regrid.region[0].place.clone();
    let (triangle, hole) = (vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], vec![[0.1, 0.1], [0.2, 0.1], [0.1, 0.2]]);
    let extent = [f64::NEG_INFINITY, f64::INFINITY];
    let one = RegionPlace::Polygon { rings: vec![triangle.clone()], along: 2, extent };
    assert_eq!(polygon(&["regrid.region=[{polygon=[[0,0],[1,0],[0,1]]}]"]), one);
    let both = RegionPlace::Polygon { rings: vec![triangle, hole], along: 2, extent };
    assert_eq!(polygon(&["regrid.region=[{polygon=[[[0,0],[1,0],[0,1]],[[0.1,0.1],[0.2,0.1],[0.1,0.2]]]}]"]), both);
}

/// Overrides: new keys, whole lists, entries of lists of tables, bare words, formulas; the last one wins.
#[test]
fn overrides_are_laid_over_the_file() {
    let text = format!("{SMALL}[[gauge]]\nname = \"g1\"\nposition = [0.5, 0.5]\n");
    let overrides = [
        "mesh.cells = [10, 12]",
        "gauge.0.position=[0.25, 0.75]",
        "scheme.split=strang",
        "initial.u=sin(2*pi*x)",
        "time.end=3",
        "time.end=4",
        "mesh.boundary={x=\"periodic\"}",
    ];
    let case = load(&text, &overrides).unwrap();
    assert_eq!(case.mesh.cells, [10, 12]);
    assert_eq!(case.gauge, [GaugeSettings { name: "g1".into(), position: vec![0.25, 0.75] }]);
    assert_eq!((case.scheme.split, case.time.end), (Some(Split::Strang), 4.0));
    assert_eq!(case.mesh.boundary, [[BoundaryKind::Periodic; 2], [BoundaryKind::Extrapolate; 2]]);
    let CellData::Expressions(initial) = &case.initial else { panic!("expressions") };
    assert_eq!(initial[1].text, "sin(2*pi*x)");
}

/// Of keys that exclude each other, one in an override takes the place of one in the file.
#[test]
fn overrides_beat_exclusive_keys() {
    let text = format!("{SMALL}[output]\ntimes = [1.0]\n");
    let frames = |overrides: &[&str]| load(&text, overrides).unwrap().output.frames.clone();
    assert_eq!(frames(&[]), FrameSchedule::Times(vec![1.0]));
    assert_eq!(frames(&["output.count=4"]), FrameSchedule::Count(4));
    assert_eq!(frames(&["output.every_steps=5"]), FrameSchedule::EverySteps(5));
    let plugin = CaseSettings::from_str(&text, "cases/case.toml", &["solver.path=mine.rs".into()]).unwrap();
    assert_eq!(plugin.solver.from, SolverFrom::Path("mine.rs".into()));
}

/// A relative path in the file counts from the file's folder, so that a case can be run from anywhere.
#[test]
fn solver_paths_count_from_the_file() {
    let text = SMALL.replace("name = \"acoustics\"", "path = \"mine.rs\"");
    let case = CaseSettings::from_str(&text, "cases/case.toml", &[]).unwrap();
    assert_eq!(case.solver.from, SolverFrom::Path("cases/mine.rs".into()));
}

/// `count` frames at equal intervals after the first; the last is at the end exactly.
#[test]
fn frames_at_equal_intervals() {
    assert_eq!(FrameSchedule::Count(3).times(0.0, 0.3).unwrap(), [0.0, 0.3 / 3.0, 0.3 * (2.0 / 3.0), 0.3]);
    assert_eq!(FrameSchedule::EverySteps(3).times(0.0, 1.0), None);
}

/// A mistake found later is shown at the key's line.
#[test]
fn later_errors_find_their_line() {
    let case = load(SMALL, &[]).unwrap();
    let errors = case.error("solver.bulk", "is too soft", "write more");
    assert_eq!(errors.errors[0].line, 4);
    assert_eq!(
        errors.to_string(),
        "case.toml:4:8: solver.bulk: is too soft\n    4 | bulk = 4\n      |        ^\n      = write more\n\n\
         1 problem in case.toml"
    );
}
