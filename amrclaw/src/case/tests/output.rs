//! `[output]`: formats that cannot serve the case.

use super::*;

fn mistakes(overrides: &[&str]) -> String {
    mistakes_of(SMALL, overrides)
}

fn mistakes_of(text: &str, overrides: &[&str]) -> String {
    load(text, overrides).unwrap_err().to_string()
}

/// Both of Clawpack's formats use the name fort.q, so a run cannot write both.
#[test]
fn formats_that_share_file_names_are_refused() {
    let message = mistakes(&["output.format=[\"clawpack-binary\", \"vtkhdf\", \"clawpack-ascii\"]"]);
    assert!(message.contains("output.format") && message.contains("fort.q"), "{message}");
}

/// Formats that store one ratio per level are refused if the ratio differs between axes. With the default format the file has
/// no key for it, so the mistake is reported at the ratios.
#[test]
fn formats_without_ratios_per_axis_are_refused() {
    let with = |format| ["levels.max=2", "levels.ratio=[[4, 2]]", "regrid.flag.tolerance=0.1", format];
    let message = mistakes(&with("levels.max=2"));
    assert!(message.contains("levels.ratio: format \"vtkhdf\""), "{message}");
    assert!(mistakes(&with("output.format=\"plotfile\"")).contains("output.format: format \"plotfile\""));
    assert!(load(SMALL, &with("output.format=\"clawpack-ascii\"")).is_ok());
}

/// A run that an override shortens keeps the output times that it reaches, and says how many it leaves out; if it reaches none,
/// it writes its end. A time beyond the end in the same file is still a mistake.
#[test]
fn a_shortened_run_drops_later_output_times() {
    let listed = format!("{SMALL}\n[output]\ntimes = [0.0, 0.25, 0.5]\n");
    let shortened = |end: &str| load(&listed, &[end]).unwrap();
    let times = |case: &Case| case.output.frames.times(case.time.start, case.time.end).unwrap();
    let whole = load(&listed, &[]).unwrap();
    assert_eq!((times(&whole), &whole.remarks[..]), (vec![0.0, 0.25, 0.5], &[][..]));
    let case = shortened("time.end=0.3");
    assert_eq!(times(&case), [0.0, 0.25]);
    assert_eq!(case.remarks, ["output.times: 1 of 3 are after the end at 0.3 and are left out"]);
    let late = load(&listed.replace("[0.0, ", "[0.2, "), &["time.end=0.1"]).unwrap();
    assert_eq!(times(&late), [0.1]);
    assert!(late.remarks[0].ends_with("the end is written instead"), "{:?}", late.remarks);
    let own = mistakes_of(&listed.replace("0.5]", "5.0]"), &[]);
    assert!(own.contains("output.times.2: 5 is outside the run"), "{own}");
    // Times that are given after the end are meant for it.
    let given = mistakes_of(SMALL, &["time.end=0.3", "output.times=[0.0, 0.5]"]);
    assert!(given.contains("output.times.1: 0.5 is outside the run"), "{given}");
}

/// A gauge's name becomes a file name, whose length is limited: too long a name is refused when the case is read.
#[test]
fn long_names_of_gauges_are_refused() {
    let named = |length: usize| format!("gauge=[{{name=\"{}\",position=[0.5,0.5]}}]", "g".repeat(length));
    assert!(load(SMALL, &[&named(100)]).is_ok());
    let message = mistakes(&[&named(101)]);
    assert!(message.contains("gauge.0.name: has 101 letters, but at most 100"), "{message}");
}

/// Keys that another setting makes ineffective give remarks, not mistakes; keys in use give none.
#[test]
fn keys_without_effect_are_told() {
    let remarks = |sets: &[&str]| load(SMALL, sets).unwrap().remarks.clone();
    let table: [(&[&str], &str); 6] = [
        (&["time.dt=0.001", "time.cfl_desired=0.5"], "time.cfl_desired: has no effect: `time.dt` fixes the steps"),
        (&["regrid.tile_size=4"], "regrid.tile_size: has no effect without `cluster = \"tiles\"`"),
        (&["regrid.cluster=tiles", "regrid.cutoff=0.5"], "regrid.cutoff: has no effect with"),
        (&["scheme.double_transverse=true"], "scheme.double_transverse: has an effect in three dimensions only"),
        (&["scheme.order=1", "scheme.limiter=mc"], "scheme.limiter: has no effect at first order"),
        (
            &["regrid.region=[{levels=[1,1],lower=[0,0],upper=[1,1],time=[7,8]}]"],
            "regrid.region.0.time: is outside the run",
        ),
    ];
    let before = remarks(&[]);
    for (sets, remark) in table {
        let found = remarks(sets);
        assert!(found.iter().any(|found| found.starts_with(remark)), "{sets:?}: {found:?}");
        assert!(!before.iter().any(|found| found.starts_with(remark)), "{before:?}");
    }
    assert_eq!(remarks(&["time.cfl_desired=0.5", "regrid.cutoff=0.5", "regrid.cluster=tiles"]).len(), before.len() + 1);
}

/// Gauges have columns for the level and the time: no field takes their names, nor that of an equation.
#[test]
fn fields_called_like_a_column_of_gauges_are_refused() {
    for name in ["t", "level", "pressure"] {
        let message = mistakes(&[&format!("output.field=[{{name=\"{name}\",formula=\"2 * u\"}}]")]);
        assert!(
            message.contains("output.field.0.name: ") && message.contains("field another name")
                || message.contains("name of its own"),
            "{message}"
        );
    }
}

/// A picture that cannot be drawn is refused with its key; formulas of `[define]` stand for themselves, and the pressure is drawn by default.
#[test]
fn pictures_are_checked() {
    let with = |plot: &str| load(SMALL, &["define.twice=\"2*u\"", &format!("plot=[{{name=\"a\",{plot}}}]")]);
    let case = with("vectors=[\"twice\",\"v\"],contours=[0.1],zoom=[0,0.5]").unwrap();
    let plot = &case.plots()[0];
    assert_eq!(
        (&plot.fields[..], &plot.vectors[..]),
        (&["pressure".to_owned()][..], &["(2.0 * u)".into(), "v".into()][..])
    );
    for (plot, key, message) in [
        ("field=\"presure\"", "field", "did you mean `pressure`"),
        ("field=[\"u\",\"sin(\"]", "field.1", ""),
        ("range=[1,0]", "range", "1 is not less than 0"),
        ("range=[0,1],log=true", "range", "has no logarithms"),
        ("colours=\"jet\"", "colours", "no colour map `jet`"),
        ("contours=201", "contours", "from 1 to 200"),
        ("contours=3,slice={x=0.5}", "contours", "is for maps"),
        ("land=\"u > 0\",line=[[0,0],[1,1]]", "land", "is for maps"),
        ("land=\"w > 0\"", "land", "w"),
        ("vectors=[\"u\"]", "vectors", "needs 2 components, but has 1"),
        ("slice={z=0.5}", "slice.z", "not cut along this axis"),
        ("slice={y=1.5}", "slice.y", "outside the domain: y = 1.5"),
        ("line=[[0,0],[1,2]]", "line.1", "outside the domain: y = 2"),
        ("line=[[0,0]]", "line", "needs two points, but has 1"),
        ("zoom=[1,0]", "zoom", "no part of the domain"),
    ] {
        let found = with(plot).map(|_| "no mistake".to_owned()).unwrap_or_else(|errors| errors.to_string());
        assert!(found.contains(&format!("plot.0.{key}: ")) && found.contains(message), "{plot}: {found}");
    }
    let of_medium = [
        "solver={name=\"acoustics_variable\"}",
        "aux={impedance=1,sound_speed=1}",
        "plot=[{name=\"a\",field=\"impedance\"}]",
    ];
    let found = mistakes(&of_medium);
    assert!(found.contains("plot.0.field: needs auxiliary values") && found.contains("`aux = true`"), "{found}");
    assert!(load(SMALL, &[&of_medium[..], &["output.aux=true"]].concat()).is_ok());
}
