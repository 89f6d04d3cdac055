//! Cases that are wrong: what is said, and where.

use super::*;

/// A case that uses every section.
const FULL: &str = include_str!("full.toml");

/// One mistake: the line of [`FULL`] that it replaces, the text put there, and the expected report.
struct Mistake {
    line: usize,
    text: &'static str,
    /// Line, column and width of the marked text.
    at: (usize, usize, usize),
    key: &'static str,
    message: &'static str,
    help: &'static str,
}

macro_rules! mistakes {
    ($($line:literal $text:literal => $at:expr, $key:literal, $message:literal, $help:literal;)*) => {
        &[$(Mistake { line: $line, text: $text, at: $at, key: $key, message: $message, help: $help }),*]
    };
}

/// Mistakes in `[solver]`, `[mesh]` and `[levels]`.
const PROBLEM: &[Mistake] = mistakes! {
    2 "" => (1, 1, 8), "solver.name", "is missing", "write `name = \"acoustics\"`";
    2 "name = \"acustics\"" => (2, 8, 10), "solver.name", "no built-in solver \"acustics\"", "did you mean \"acoustics\"?";
    2 "name = \"\"" => (2, 8, 2), "solver.name", "is empty", "built-in solver's name";
    2 "name = 3" => (2, 8, 1), "solver.name", "needs a string, but is the integer 3", "in quotes";
    2 "name = \"acoustics\"\npath = \"a.rs\"" => (3, 8, 6), "solver.path", "cannot stand beside `solver.name`", "remove one";
    3 "densty = 1.0\ndensity = 1.0" => (3, 1, 6), "solver.densty", "no parameter `densty`", "did you mean `density`?";
    3 "density = \"1\"" => (3, 11, 3), "solver.density", "needs a number, but is the string \"1\"", "without quotes";
    3 "density = nan" => (3, 11, 3), "solver.density", "needs a finite number, but is NaN", "write a number";
    4 "" => (1, 1, 8), "solver.bulk", "is missing", "bulk modulus";
    4 "bulk = -4.0" => (4, 8, 4), "solver.bulk", "must be a positive number, but is -4", "positive";
    4 "bulk = 4.0\n\"a.b\" = 1" => (5, 1, 5), "solver.a.b", "unknown key", "name, path";
    45 "v = 0\n\"a.b\" = 1" => (46, 1, 5), "initial.a.b", "unknown key", "";
    5 "title = \"t\"\n[mesh]" => (5, 9, 3), "solver.title", "needs a number, but is the string", "without quotes";
    6 "lower = [-1.0, -1.0]\nlower = [0, 0]" => (7, 1, 5), "", "not valid TOML: this key is given twice", "remove one of the two";
    6 "lower = [-1.0]" => (6, 9, 6), "mesh.lower", "needs 2 numbers, but has 1", "one number per axis";
    6 "lower = -1.0" => (6, 9, 4), "mesh.lower", "needs a list of numbers, but is the number -1", "square brackets";
    6 "lower = [-1.0, true]" => (6, 16, 4), "mesh.lower.1", "needs a number, but is true", "write a number";
    7 "upper = [1.0, -1.0]" => (7, 15, 4), "mesh.upper.1", "no extent along y: from -1 to -1", "larger than `mesh.lower`";
    8 "" => (5, 1, 6), "mesh.cells", "is missing", "one number of cells per axis";
    8 "cells = [20, 0]" => (8, 14, 1), "mesh.cells.1", "must be at least 1, but is 0", "1 or more";
    8 "cells = [20, 2.5]" => (8, 14, 3), "mesh.cells.1", "needs an integer, but is the number 2.5", "without quotes or decimal";
    8 "cells = [20, 9999999999]" => (8, 14, 10), "mesh.cells.1", "must be at most 2147483647", "smaller";
    8 "cells = []" => (8, 9, 2), "mesh.cells", "needs 1, 2 or 3 numbers, but has 0", "one number of cells per axis";
    10 "x = [\"extrapolate\", \"periodic\"]" => (10, 5, 27), "mesh.boundary.x", "one side is periodic", "for both sides or for none";
    10 "x = [\"wal\", \"wall\"]" => (10, 6, 5), "mesh.boundary.x.0", "\"wal\" is not known", "did you mean \"wall\"?";
    10 "x = [\"wall\"," => (10, 5, 1), "", "this `[` is never closed", "add the missing `]`";
    10 "x = [\"wall\", \"wall\", \"wall\"]" => (10, 5, 24), "mesh.boundary.x", "needs two words, lower side first, but has 3", "write for example";
    10 "x = {a = 1" => (11, 1, 1), "", "not valid TOML: missing comma between key-value pairs", "write `key = value`";
    10 "x = [\"inflow\", \"wall\"]" => (10, 5, 18), "mesh.boundary.x", "no inflow values are given", "under `[mesh.boundary.x_lower]`";
    11 "y = \"wall\"\nx_upper.u = \"1\"" => (12, 1, 7), "mesh.boundary.x_upper", "no side of the domain uses", "write \"inflow\"";
    11 "y = \"inflow\"\ninflow = { pressure = \"1\", u = \"0\" }" => (12, 10, 27), "mesh.boundary.inflow.v", "is missing", "`v = \"v\"` takes what is inside";
    11 "y = \"inflow\"\ninflow = { pressure = \"1\", u = \"w\", v = \"v\" }" => (12, 33, 1), "mesh.boundary.inflow.u", "unknown name `w`", "";
    11 "y = \"wall\"\naux = \"posture\"" => (12, 7, 9), "mesh.boundary.aux", "\"posture\" is not known", "\"nearest\", \"position\"";
    11 "z = \"wall\"" => (11, 5, 6), "mesh.boundary.z", "the mesh has no axis z", "add the axis to `mesh.cells`";
    13 "max = 0" => (13, 7, 1), "levels.max", "must be at least 1, but is 0", "1 or more";
    13 "max = 31" => (13, 7, 2), "levels.max", "must be at most 30, but is 31", "larger ratios";
    14 "ratio = [2, 1]" => (14, 13, 1), "levels.ratio.1", "must be at least 2, but is 1", "2 or more";
    14 "ratio = [2]" => (14, 9, 3), "levels.ratio", "3 levels need 2 ratios, but there is 1", "lower `levels.max`";
    14 "ratio = [[2, 4, 2], 2]" => (14, 10, 9), "levels.ratio.0", "needs 2 ratios, one per axis, but has 3", "a list with one per axis";
    14 "ratio = [2, 100000000]" => (13, 7, 1), "levels.max", "the finest level would have 6000000000 cells along an axis, more than 536870911", "fewer levels";
    15 "ratio_time = [2]" => (15, 14, 3), "levels.ratio_time", "3 levels need 2 ratios", "write one ratio for each";
    15 "ratio_time = [0, 2]" => (15, 15, 1), "levels.ratio_time.0", "must be at least 1, but is 0", "1 or more";
    15 "ratio_tim = [2]" => (15, 1, 9), "levels.ratio_tim", "unknown key", "did you mean `ratio_time`?";
};

/// Mistakes in `[regrid]`, `[scheme]` and `[time]`.
const METHOD: &[Mistake] = mistakes! {
    17 "interval = 0" => (17, 12, 1), "regrid.interval", "must be at least 1, but is 0", "1 or more";
    18 "buffer = -1" => (18, 10, 2), "regrid.buffer", "must be at least 0, but is -1", "0 or more";
    19 "cutoff = 0.0" => (19, 10, 3), "regrid.cutoff", "must lie in (0, 1], but is 0", "`0.7`";
    19 "cutoff = 1.5 # high" => (19, 10, 3), "regrid.cutoff", "must lie in (0, 1], but is 1.5", "`0.7`";
    19 "cluster = \"tile\"" => (19, 11, 6), "regrid.cluster", "\"tile\" is not known", "did you mean \"tiles\"?";
    19 "tile_size = 0" => (19, 13, 1), "regrid.tile_size", "must be at least 1, but is 0", "1 or more";
    19 "tile_size = 2000" => (19, 13, 4), "regrid.tile_size", "must be at most 1024, but is 2000", "such as `8`";
    20 "max_patch_size = 4" => (20, 18, 1), "regrid.max_patch_size", "must be at least 8, but is 4", "8 or more";
    20 "max_patch_size = 8194" => (20, 18, 4), "regrid.max_patch_size", "must be at most 8192, but is 8194", "write 256";
    20 "max_patch_size = 63" => (20, 18, 2), "regrid.max_patch_size", "must be a multiple of the refinement ratio 2, but is 63", "write 62 or 64";
    21 "conservation_fix = 1" => (21, 20, 1), "regrid.conservation_fix", "needs true or false, but is the integer 1", "`true` or `false`";
    22 "max_levels = 3\n[regrid.flag]" => (22, 1, 10), "regrid.max_levels", "unknown key", "the keys known here are interval, buffer";
    22 "gamma = 3\n[regrid.flag]" => (22, 1, 5), "regrid.gamma", "unknown key", "conservation_fix, flag, region";
    23 "criterion = \"error\"" => (23, 13, 7), "regrid.flag.criterion", "\"error\" is not known", "\"richardson\"";
    24 "" => (22, 1, 13), "regrid.flag.tolerance", "is missing", "`tolerance = 0.01`";
    24 "tolerance = -0.1" => (24, 13, 4), "regrid.flag.tolerance", "must not be negative", "0.01";
    24 "tolerance = 1\nexpression = \"u > 0\"" => (25, 14, 7), "regrid.flag.expression", "\"user\" only", "`criterion = \"user\"`";
    23 "criterion = \"user\"\nexpression = \"w > 0\"" => (24, 15, 1), "regrid.flag.expression", "unknown name `w`", "pressure, u, v";
    23 "criterion = \"adjoint\"" => (22, 1, 13), "regrid.flag.adjoint.functional", "is missing", "or a `case`";
    23 "criterion = \"adjoint\"\nadjoint.functional = {}" => (24, 22, 2), "regrid.flag.adjoint.functional", "gives no quantity", "or a `case`";
    23 "criterion = \"adjoint\"\nadjoint.functional.w = 1" => (24, 20, 1), "regrid.flag.adjoint.functional.w", "no equation `w`", "pressure, u, v";
    23 "criterion = \"adjoint\"\nadjoint = { functional = { u = 1 }, to = 2 }" => (24, 42, 1), "regrid.flag.adjoint.to", "is outside the run, from 0 to 1", "a time of the run";
    23 "criterion = \"adjoint\"\nadjoint = { functional = { u = 1 }, cells = [5] }" => (24, 45, 3), "regrid.flag.adjoint.cells", "has 1 numbers, but the mesh 2 axes", "one number per axis";
    26 "levels = [0, 3]" => (26, 11, 1), "regrid.region.0.levels.0", "must be at least 1, but is 0", "1 or more";
    26 "levels = [1, 4]" => (26, 14, 1), "regrid.region.0.levels.1", "there is no level 4: `levels.max` is 3", "from 1 to 3";
    26 "levels = [3, 2]" => (26, 10, 6), "regrid.region.0.levels", "the coarsest level 3 is finer", "the coarser first";
    26 "levels = [1]" => (26, 10, 3), "regrid.region.0.levels", "needs two levels, but has 1", "[coarsest, finest]";
    27 "" => (25, 1, 17), "regrid.region.0.lower", "is missing", "`lower` and `upper`";
    27 "lower = [0.0, 0.5]" => (28, 15, 3), "regrid.region.0.upper.1", "the region is empty: from 0.5 to 0.5 along y", "larger than `lower`";
    28 "upper = [0.5, 0.5, 1]" => (28, 9, 13), "regrid.region.0.upper", "needs 2 numbers, but has 3", "per axis";
    27 "lower = [-9, 0]\nupper = [-5, 0.5]\n[[regrid.region]]\nlower = [0, 0]" => (27, 10, 2), "regrid.region.0.lower.0", "outside the domain along x", "`mesh.lower`";
    29 "time = [2, 1]" => (29, 8, 6), "regrid.region.0.time", "the span ends at 1, before it starts at 2", "the earlier time first";
    29 "time = [2]" => (29, 8, 3), "regrid.region.0.time", "needs two times, but has 1", "[from, to]";
    31 "order = 3" => (31, 9, 1), "scheme.order", "must be at most 2, but is 3", "from 1 to 2";
    32 "transverse = -1" => (32, 14, 2), "scheme.transverse", "must be at least 0, but is -1", "0 or more";
    33 "split = \"strangg\"" => (33, 9, 9), "scheme.split", "\"strangg\" is not known", "did you mean \"strang\"?";
    34 "limiter = []" => (34, 11, 2), "scheme.limiter", "the list is empty", "one limiter";
    34 "limiter = [\"mc\", \"mc\", \"mc\"]" => (34, 11, 18), "scheme.limiter", "lists 3 limiters, but the solver `acoustics` has 2 waves", "or 2";
    34 "limiter = [\"mc\", 2]" => (34, 18, 1), "scheme.limiter.1", "needs a word in quotes, but is the integer 2", "\"van_leer\"";
    35 "source = \"strang\"" => (35, 10, 8), "scheme.source", "the solver `acoustics` has no source term", "under `[source]`";
    35 "source = \"none\"\n[source]\nu = \"-u\"" => (35, 10, 6), "scheme.source", "is \"none\", but the case has a `[source]`", "\"godunov\"";
    35 "source_method = \"implicit\"" => (35, 17, 10), "scheme.source_method", "there are no formulas under `[source]`", "\"explicit\"";
    35 "source_method = \"stiff\"" => (35, 17, 7), "scheme.source_method", "\"stiff\" is not known", "\"implicit\"";
    35 "capacity = \"kappa\"" => (35, 12, 7), "scheme.capacity", "no auxiliary value `kappa`", "remove the line";
    37 "start = 2" => (38, 7, 3), "time.end", "must be later than the start at 2, but is 1", "later time";
    38 "" => (36, 1, 6), "time.end", "is missing", "`end = 1.0`";
    39 "dt_initial = 0" => (39, 14, 1), "time.dt_initial", "must be positive, but is 0", "`1e-4`";
    39 "dt_max = 0" => (39, 10, 1), "time.dt_max", "must be positive, but is 0", "`1e-4`";
    39 "dt_initial = 0.5\ndt_max = 0.1" => (39, 14, 3), "time.dt_initial", "must not exceed `time.dt_max`, but 0.5 > 0.1", "0.1 or less";
    39 "dt = 0.5\ndt_max = 0.1" => (39, 6, 3), "time.dt", "must not exceed `time.dt_max`, but 0.5 > 0.1", "0.1 or less";
    39 "dt = -1" => (39, 6, 2), "time.dt", "must be positive, but is -1", "`1e-4`";
    40 "cfl_desired = 0" => (40, 15, 1), "time.cfl_desired", "must lie in (0, 1], but is 0", "`0.9`";
    41 "cfl_max = 0.8" => (40, 15, 3), "time.cfl_desired", "must not exceed `time.cfl_max`, but 0.9 > 0.8", "0.8 or less";
    41 "cfl_max = 1.1" => (41, 11, 3), "time.cfl_max", "must lie in (0, 1], but is 1.1", "unstable";
    41 "max_steps = 0" => (41, 13, 1), "time.max_steps", "must be at least 1, but is 0", "1 or more";
    41 "max_retries = -1" => (41, 15, 2), "time.max_retries", "must be at least 0, but is -1", "0 or more";
    41 "cutoff = 0.5" => (41, 1, 6), "time.cutoff", "unknown key", "`cutoff` is known as `regrid.cutoff`";
};

/// Mistakes in the tables of expressions, in `[output]` and in `[[gauge]]`.
const DATA: &[Mistake] = mistakes! {
    43 "" => (42, 1, 9), "initial.pressure", "is missing", "`pressure = \"0\"`";
    43 "pressure = \"1\"\ndensity = \"1\"" => (44, 1, 7), "initial.density", "no equation `density`", "pressure, u, v";
    43 "pressure = \"exp(-r^2\"" => (43, 16, 1), "initial.pressure", "never closed", "`)`";
    43 "pressure = \"1 + rr\"" => (43, 17, 2), "initial.pressure", "unknown name `rr`", "did you mean `r`?";
    43 "pressure = \"z\"" => (43, 13, 1), "initial.pressure", "unknown name `z`", "x, y, r, t, x_lower";
    43 "pressure = 'sn(x)'" => (43, 13, 2), "initial.pressure", "unknown function `sn`", "did you mean `sin`?";
    43 "pressure = \"\"\"\n1 +\n  2 * q\n\"\"\"" => (45, 7, 1), "initial.pressure", "unknown name `q`", "names known here";
    43 "pressure = \"1e999 * x\"" => (43, 13, 5), "initial.pressure", "`1e999` is too large for a number", "1e308";
    43 "pressure = 1e999" => (43, 12, 5), "initial.pressure", "needs a finite number, but is inf", "1e308";
    43 "pressure = \"\"" => (43, 13, 1), "initial.pressure", "the expression is empty", "formula";
    43 "pressure = [1]" => (43, 12, 3), "initial.pressure", "needs an expression in quotes, but is a list", "formula";
    43 "pressure = \"user\"" => (44, 5, 3), "initial.u", "another of the table is \"user\"", "for all";
    45 "v = \"0\"\n[aux]\na = \"1\"" => (47, 1, 1), "aux.a", "no auxiliary value `a`", "remove the line";
    35 "source = \"strang\"\n[source]\nw = \"1\"" => (37, 1, 1), "source.w", "no equation `w`", "pressure, u, v";
    47 "format = [\"vtk\"]" => (47, 11, 5), "output.format.0", "\"vtk\" is not known", "\"vtkhdf\"";
    47 "format = [\"plotfile\", \"plotfile\"]" => (47, 23, 10), "output.format.1", "is listed twice", "remove one";
    48 "times = [0.5, 1.5]" => (48, 15, 3), "output.times.1", "1.5 is outside the run, from 0 to 1", "`time.end`";
    48 "times = [0.5, 0.5]" => (48, 15, 3), "output.times.1", "0.5 is not later than 0.5", "ascending";
    48 "times = [0.5]\ncount = 3" => (49, 9, 1), "output.count", "cannot stand beside `output.times`", "remove one";
    48 "count = 0" => (48, 9, 1), "output.count", "must be at least 1, but is 0", "1 or more";
    48 "every_steps = 0" => (48, 15, 1), "output.every_steps", "must be at least 1, but is 0", "1 or more";
    48 "checkpoint_every_steps = -1" => (48, 26, 2), "output.checkpoint_every_steps", "must be at least 0", "0 or more";
    48 "checkpoint_every_minutes = -0.5" => (48, 28, 4), "output.checkpoint_every_minutes", "must be at least 0, but is -0.5", "or 0 for none";
    48 "png = \"no\"" => (48, 7, 4), "output.png", "needs true or false", "without quotes";
    48 "aux = 0" => (48, 7, 1), "output.aux", "needs true or false", "without quotes";
    50 "" => (49, 1, 9), "gauge.0.name", "is missing", "under this `[[gauge]]`";
    50 "name = \"a/b\"" => (50, 8, 5), "gauge.0.name", "cannot name a file", "letters";
    50 "name = \"g2\"" => (53, 8, 4), "gauge.1.name", "there is another gauge \"g2\"", "a name of its own";
    51 "" => (49, 1, 9), "gauge.0.position", "is missing", "one number per axis";
    51 "position = [0.5]" => (51, 12, 5), "gauge.0.position", "needs 2 numbers, but has 1", "per axis";
    51 "position = [0.5, -1.5]" => (51, 18, 4), "gauge.0.position.1", "outside the domain: y = -1.5", "from -1 to 1";
    51 "position = [0.5, " => (51, 12, 1), "", "this `[` is never closed", "add the missing `]`";
    51 "place = [0.5, 0.5]\nposition = [0, 0]" => (51, 1, 5), "gauge.0.place", "unknown key", "name, position";
};

/// [`FULL`] with line `line` replaced.
fn with_line(line: usize, text: &str) -> String {
    let lines = FULL.lines().enumerate().map(|(i, old)| if i + 1 == line { text } else { old });
    lines.collect::<Vec<_>>().join("\n")
}

fn check_mistakes(mistakes: &[Mistake]) {
    for mistake in mistakes {
        let text = with_line(mistake.line, mistake.text);
        let errors = load(&text, &[]).expect_err(mistake.text);
        let [error] = &errors.errors[..] else { panic!("{}: not one mistake:\n{errors}", mistake.text) };
        let width = error.excerpt.as_ref().map_or(0, |excerpt| excerpt.width.max(1));
        assert_eq!((error.line, error.column, width), mistake.at, "{}:\n{errors}", mistake.text);
        assert_eq!(error.key, mistake.key, "{errors}");
        assert!(error.message.contains(mistake.message), "{}:\n{errors}", mistake.text);
        assert!(error.help.contains(mistake.help), "{}:\n{errors}", mistake.text);
    }
}

/// The text into which the mistakes are put is itself right.
#[test]
fn the_full_case_is_right() {
    load(FULL, &[]).unwrap_or_else(|e| panic!("{e}"));
}

/// Each mistake alone gives one message, at its place.
#[test]
fn problem_mistakes() {
    check_mistakes(PROBLEM);
}

/// Each mistake alone gives one message, at its place.
#[test]
fn method_mistakes() {
    check_mistakes(METHOD);
}

/// Each mistake alone gives one message, at its place.
#[test]
fn data_mistakes() {
    check_mistakes(DATA);
}

/// Mistakes in several sections are reported together, in the order of the file, and counted.
#[test]
fn all_mistakes_at_once() {
    let text = FULL.replace("cutoff = 0.7", "cutof = 0.7").replace("bulk = 4.0", "bulk = -4.0");
    let text = text.replace("u = \"0\"", "u = \"sin(\"").replace("cells = [20, 30]", "cells = [20, 0]");
    let errors = load(&text, &["regrid.buffer=-1", "regrid.intervall=3"]).unwrap_err();
    let keys: Vec<&str> = errors.errors.iter().map(|e| e.key.as_str()).collect();
    let file = ["solver.bulk", "mesh.cells.1", "regrid.cutof", "initial.u"];
    assert_eq!(keys, [&file[..], &["regrid.buffer", "regrid.intervall"]].concat());
    assert!(errors.to_string().ends_with("6 problems in case.toml"));
}

/// A value that is not TOML does not hide mistakes on other lines, nor is its key called missing.
#[test]
fn broken_toml_does_not_hide_the_rest() {
    let text = FULL.replace("end = 1.0", "end = 01").replace("interval = 4", "interval = 0");
    let errors = load(&text, &[]).unwrap_err();
    let lines: Vec<usize> = errors.errors.iter().map(|e| e.line).collect();
    assert_eq!(lines, [17, 38], "{errors}");
}

/// A mistake in an override is shown in the override.
#[test]
fn overrides_name_themselves() {
    let shown = |text: &str| load(FULL, &[text]).unwrap_err().to_string();
    assert_eq!(
        shown("regrid.cutoff=1.5"),
        "--set regrid.cutoff=1.5: regrid.cutoff: must lie in (0, 1], but is 1.5\n      | regrid.cutoff=1.5\n      \
         |               ^^^\n      = write a share such as `0.7`\n\n1 problem in case.toml"
    );
    assert!(shown("regrid.cutof=1").starts_with("--set regrid.cutof=1: regrid.cutof: unknown key"));
    assert!(shown("regrid.cutoff").contains("an override needs a key and a value"));
    for more in [
        "time.end=1\ntime.start=0",
        "[time]\nend=1",
        "time.end=1\n[mesh]\ncells=[9,9]",
        "[[gauge]]\nname=\"a\"",
        "\ntime.end=1",
    ] {
        assert!(shown(more).contains("an override changes one key"), "{more}");
    }
    assert!(shown("initial.u=x\ntime.end=5").contains("initial.u"), "two lines are one formula");
    let case = load(FULL, &["mesh.cells=[22,\n  24]", "time={end=3.0,start=0.25}"]).unwrap();
    assert_eq!(
        (&case.mesh.cells[..], case.time.end),
        (&[22, 24][..], 3.0),
        "one value on two lines, and a table in braces"
    );
    assert!(shown("mesh.cells=[1").contains("this `[` is never closed"));
    assert!(shown("gauge.5.name=\"a\"").contains("gauge.5: the list has no entry `5`"));
    assert!(shown("initial.u=sin(x").contains("initial.u: this parenthesis is never closed"));
    assert!(shown("=3").contains("--set =3: not valid TOML"));
}

/// Shapes: points, what cannot stand beside them, and files, whose lines are named.
#[test]
fn shapes_of_regions() {
    let one = |region: &str| {
        let errors = load(FULL, &[&format!("regrid.region=[{{{region}}}]")]).unwrap_err();
        errors.errors.iter().map(|e| format!("{}: {}", &e.key[16..], e.message)).collect::<Vec<_>>().join("\n")
    };
    let triangle = "polygon=[[0,0],[1,0],[0,1]]";
    for (region, message) in [
        ("polygon=[[0,0],[1,0]]", "polygon: a ring needs three points or more, but has 2"),
        ("polygon=[]", "polygon: a ring needs three points or more, but has 0"),
        ("polygon=[[[0,0],[1,0],[0,1]],3]", "polygon.1: needs a list of points, but is the integer 3"),
        ("polygon=[[0,0],[1],[0,1]]", "polygon.1: a point of a polygon has two coordinates"),
        ("polygon=[[0,0],[1,nan],[0,1]]", "polygon.1: needs a finite number, but is NaN"),
        ("polygon=[[9,0],[8,1],[9,1]]", "polygon: the region lies outside the domain along x"),
        (&format!("{triangle},lower=[0,0],upper=[1,1]"), "polygon: cannot stand beside `regrid.region.0.lower`"),
        (&format!("{triangle},upper=[1,1]"), "upper: cannot stand beside `regrid.region.0.polygon`"),
        (&format!("{triangle},extent=[0,1]"), "extent: has a meaning in three dimensions only"),
        ("lower=[0,0],upper=[1,1],along=\"x\"", "along: has a meaning in three dimensions only"),
        ("ruled=\"no/such.data\"", "ruled: no/such.data cannot be read: No such file or directory (os error 2)"),
        ("ruled=\"Cargo.toml\"", "ruled: Cargo.toml, line 1: needs `ixy`, 1 or 2, but is \"[package]\""),
    ] {
        let errors = one(region);
        assert!(errors.contains(message), "{region}: {errors}");
    }
    let block = ["mesh={cells=[10,10,10]}", "regrid.region=[{polygon=[[0,0],[1,0],[0,1]],along=\"w\",extent=[1,0]}]"];
    let errors = load(FULL, &block).unwrap_err().to_string();
    assert!(errors.contains("\"w\" is no axis") && errors.contains("is no interval"), "{errors}");
}

/// Solvers of another dimension, without walls, or with auxiliary values.
#[test]
fn the_solver_decides() {
    let one = |overrides: &[&str]| {
        let errors = load(FULL, overrides).unwrap_err();
        errors.errors.iter().map(|e| format!("{}: {}", e.key, e.message)).collect::<Vec<_>>().join("\n")
    };
    let variable = ["solver={name=\"acoustics_variable\"}"];
    let missing = one(&variable);
    assert_eq!(missing, "aux.impedance: is missing\naux.sound_speed: is missing");
    let fits = [&variable[..], &["aux.impedance=1", "aux.sound_speed=1 + x_upper"]].concat();
    load(FULL, &fits).unwrap();
    load(FULL, &[variable[0], "aux=user"]).unwrap();
    let burgers = ["solver={name=\"burgers\"}", "initial={q=1}", "scheme.limiter=mc"];
    assert_eq!(one(&burgers), "mesh.boundary.x: the solver `burgers` has no velocity for a wall to reflect");
    let flat = ["regrid.region=[]", "gauge=[]", "initial.pressure=1", "levels={}"];
    let block = one(&[&flat[..], &["mesh={cells=[10,10,10]}"]].concat());
    assert_eq!(block, "initial.w: is missing");
    let block = one(&[&flat[..], &["mesh={cells=[10,10,10]}", "solver={name=\"shallow_water\"}"]].concat());
    assert!(block.contains("mesh.cells: has 3 numbers, but the solver `shallow_water` is for 2D"), "{block}");
    let line = one(&[&flat[..], &["mesh={cells=[10]}"]].concat());
    assert_eq!(line, "initial.v: the solver `acoustics` has no equation `v`");
}

/// A file that cannot be read is a mistake of the input like any other.
#[test]
fn a_missing_file_is_named() {
    let errors = CaseSettings::load(Path::new("no/such/case.toml"), &[]).unwrap_err();
    assert!(errors.to_string().starts_with("no/such/case.toml: cannot be read: "));
}

/// An empty file lacks what has no default, section by section.
#[test]
fn an_empty_file_lacks_four_keys() {
    let errors = load("", &[]).unwrap_err();
    let keys: Vec<&str> = errors.errors.iter().map(|e| e.key.as_str()).collect();
    assert_eq!(keys, ["solver.name", "mesh.cells", "time.end", "initial"]);
}

/// Corners without `mesh.cells` are checked as far as they go: at most three axes.
#[test]
fn corners_without_cells() {
    let errors = load("[mesh]\nlower = [0, 0, 0, 0]\nupper = [0, 0, 0, 0]", &[]).unwrap_err();
    assert!(errors.to_string().contains("mesh.lower: needs 3 numbers, but has 4"));
    let errors = load("[mesh]\nlower = [0, 0]\nupper = [1, 0]", &[]).unwrap_err();
    assert!(errors.to_string().contains("mesh.upper.1: the domain has no extent along y"));
}

/// Something else in place of a section is one mistake, not one per key.
#[test]
fn sections_must_be_tables() {
    let errors = load(&SMALL.replace("[mesh]\ncells = [20, 30]\n", ""), &["mesh=3", "gauge=1"]).unwrap_err();
    let messages: Vec<&str> = errors.errors.iter().map(|e| e.message.as_str()).collect();
    assert_eq!(messages, ["needs a table, but is the integer 3", "needs a list of tables, but is the integer 1"]);
    let errors = load(FULL, &["mesh=3"]).unwrap_err();
    assert_eq!(errors.errors.len(), 1, "what depends on the mesh is not checked without one: {errors}");
}
