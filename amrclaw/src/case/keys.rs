//! The keys of a case file: the one table behind the check for unknown keys and `docs/case-file.md`.

/// A key that the case file may hold.
pub struct Key {
    /// Path. A part in capitals stands for any name, `N` for an index in a list of tables.
    pub path: &'static str,
    /// Type, in the words of the documentation.
    pub kind: &'static str,
    /// Value where the key is left out, in the words of the documentation.
    pub default: &'static str,
}

const fn key(path: &'static str, kind: &'static str, default: &'static str) -> Key {
    Key { path, kind, default }
}

/// Every key, in the order of the documentation.
pub const KEYS: &[Key] = &[
    key("solver.name", "string", "required, or `solver.path`"),
    key("solver.path", "string", "required, or `solver.name`"),
    key("solver.PARAMETER", "number", "the solver's"),
    key("mesh.lower", "list of numbers", "0 along every axis"),
    key("mesh.upper", "list of numbers", "1 along every axis"),
    key("mesh.cells", "list of integers", "required, or `mesh.file`"),
    key("mesh.file", "string", "none"),
    key("mesh.order", "word", "`\"hilbert\"`"),
    key("mesh.periodic", "list of pairs of names", "none"),
    key("mesh.motion.x", "expression", "`x`"),
    key("mesh.motion.y", "expression", "`y`"),
    key("mesh.motion.z", "expression", "`z`"),
    key("mesh.springs", "number", "none"),
    key("mesh.curves.SIDE.AXIS", "expression", "the axis"),
    key("mesh.mapping", "`\"user\"`, or a table", "no mapping"),
    key("mesh.mapping.x", "expression", "no mapping"),
    key("mesh.mapping.y", "expression", "required beside `mesh.mapping.x`"),
    key("mesh.mapping.z", "expression", "required beside `mesh.mapping.x` in three dimensions"),
    key("mesh.mapping.kind", "string", "no mapping"),
    key("mesh.mapping.inner", "number", "required by `\"annulus\"`, `\"cubed_sphere_face\"`"),
    key("mesh.mapping.outer", "number", "required by `\"annulus\"`, `\"cubed_sphere_face\"`"),
    key("mesh.mapping.radius", "number", "required by `\"cylinder_in_box\"`"),
    key("mesh.mapping.half_width", "number", "required by `\"cylinder_in_box\"`"),
    key("mesh.mapping.corner", "number", "required by `\"wedge\"`"),
    key("mesh.mapping.angle", "number", "required by `\"wedge\"`"),
    key("mesh.mapping.centre", "number", "required by `\"channel_with_bump\"`"),
    key("mesh.mapping.width", "number", "required by `\"channel_with_bump\"`, `\"hill\"`"),
    key("mesh.mapping.height", "number", "required by `\"channel_with_bump\"`, `\"hill\"`"),
    key("mesh.mapping.x_centre", "number", "required by `\"hill\"`"),
    key("mesh.mapping.y_centre", "number", "required by `\"hill\"`"),
    key("mesh.boundary.x", "list of two words", "`\"extrapolate\"`"),
    key("mesh.boundary.y", "list of two words", "`\"extrapolate\"`"),
    key("mesh.boundary.z", "list of two words", "`\"extrapolate\"`"),
    key("mesh.boundary.aux", "word", "`\"nearest\"`"),
    key("mesh.boundary.SIDE", "word", "required for each side of `mesh.file`"),
    key("mesh.boundary.SIDE.EQUATION", "expression", "that of `mesh.boundary.inflow`"),
    key("mesh.boundary.SIDE.EQUATION.file", "string", "none"),
    key("mesh.boundary.SIDE.EQUATION.variable", "string", "the only one in the file"),
    key("mesh.boundary.SIDE.EQUATION.lower", "list of numbers", "`mesh.lower`"),
    key("mesh.boundary.SIDE.EQUATION.upper", "list of numbers", "`mesh.upper`"),
    key("mesh.boundary.SIDE.EQUATION.times", "list of numbers", "the file's"),
    key("mesh.boundary.inflow.EQUATION", "expression", "required where a side is `\"inflow\"`"),
    key("levels.max", "integer", "1"),
    key("levels.ratio", "list", "2 everywhere"),
    key("levels.ratio_time", "list of integers", "the largest space ratio"),
    key("regrid.interval", "integer", "4"),
    key("regrid.buffer", "integer", "`regrid.interval`"),
    key("regrid.cluster", "word", "`\"berger-rigoutsos\"`"),
    key("regrid.cutoff", "number", "0.7"),
    key("regrid.tile_size", "integer", "8, in three dimensions 4"),
    key("regrid.max_patch_size", "integer", "256, in three dimensions 64"),
    key("regrid.conservation_fix", "true or false", "true"),
    key("regrid.flag.criterion", "word", "`\"difference\"`"),
    key("regrid.flag.tolerance", "number, or a table", "required where it is used"),
    key("regrid.flag.tolerance.FIELD", "number", "none"),
    key("regrid.flag.keep", "number", "0.625"),
    key("regrid.flag.expression", "expression", "the solver's criterion"),
    key("regrid.flag.adjoint.functional.EQUATION", "expression", "0"),
    key("regrid.flag.adjoint.about.EQUATION", "expression", "none"),
    key("regrid.flag.adjoint.case", "string", "the case's own equations"),
    key("regrid.flag.adjoint.from", "number", "`time.start`"),
    key("regrid.flag.adjoint.to", "number", "`time.end`"),
    key("regrid.flag.adjoint.snapshots", "integer", "50"),
    key("regrid.flag.adjoint.cells", "list of integers", "`mesh.cells`"),
    key("regrid.flag.adjoint.of", "word", "`\"solution\"`"),
    key("regrid.region.N.levels", "list of two integers", "all levels"),
    key("regrid.region.N.lower", "list of numbers", "required, or `polygon` or `ruled`"),
    key("regrid.region.N.upper", "list of numbers", "required beside `lower`"),
    key("regrid.region.N.polygon", "list of points, or of lists of points", "none"),
    key("regrid.region.N.ruled", "string", "none"),
    key("regrid.region.N.along", "word", "`\"z\"`"),
    key("regrid.region.N.extent", "list of two numbers", "all of the domain"),
    key("regrid.region.N.time", "list of two numbers", "all time"),
    key("scheme.order", "integer", "2"),
    key("scheme.transverse", "integer", "2"),
    key("scheme.double_transverse", "true or false", "true"),
    key(
        "scheme.split",
        "word",
        "`\"unsplit\"`; with a solver without `transverse` `\"strang\"`, at order 1 `\"godunov\"`",
    ),
    key("scheme.limiter", "word, or list of words", "`\"mc\"`"),
    key("scheme.time", "word", "`\"rk2\"`, at order 1 `\"euler\"`"),
    key("scheme.gradient", "word", "`\"least-squares\"`"),
    key("scheme.gradients_of", "word", "`\"conserved\"`"),
    key("scheme.loop", "word", "`\"auto\"`"),
    key("scheme.steady", "number", "no local time steps"),
    key("scheme.source", "word", "`\"godunov\"` if the solver or the case has a source; else `\"none\"`"),
    key("scheme.source_method", "word", "`\"explicit\"`"),
    key("scheme.capacity", "string", "none"),
    key("scheme.allow_unstable", "true or false", "false"),
    key("time.start", "number", "0"),
    key("time.end", "number", "required"),
    key("time.dt_initial", "number", "1e-4 of the time from start to end"),
    key("time.dt_max", "number", "no limit; less where something depends on time, see below"),
    key("time.cfl_desired", "number", "0.9 of what is stable, or `time.cfl_max` if less"),
    key("time.cfl_max", "number", "what is stable: 1"),
    key("time.dt", "number", "steps follow `time.cfl_desired`"),
    key("time.max_steps", "integer", "no limit"),
    key("time.max_retries", "integer", "10"),
    key("time.stop_when", "expression", "never"),
    key("time.stop_every", "integer", "1"),
    key("time.growth_limit", "number", "1e6"),
    key("reduce.PARAMETER", "expression", "none"),
    key("define.NAME", "expression", "none"),
    key("initial", "`\"user\"`, or a table", "required"),
    key("initial.EQUATION", "expression", "required"),
    key("initial.EQUATION.file", "string", "none"),
    key("initial.EQUATION.variable", "string", "the only one in the file"),
    key("initial.EQUATION.lower", "list of numbers", "`mesh.lower`"),
    key("initial.EQUATION.upper", "list of numbers", "`mesh.upper`"),
    key("initial.EQUATION.times", "list of numbers", "the file's"),
    key("initial.primitive.VARIABLE", "expression", "none"),
    key("initial.primitive.VARIABLE.file", "string", "none"),
    key("initial.primitive.VARIABLE.variable", "string", "the only one in the file"),
    key("initial.primitive.VARIABLE.lower", "list of numbers", "`mesh.lower`"),
    key("initial.primitive.VARIABLE.upper", "list of numbers", "`mesh.upper`"),
    key("initial.primitive.VARIABLE.times", "list of numbers", "the file's"),
    key("aux", "`\"user\"`, or a table", "required by solvers that have aux"),
    key("aux.NAME", "expression", "required by solvers that have aux"),
    key("aux.NAME.file", "string", "none"),
    key("aux.NAME.variable", "string", "the only one in the file"),
    key("aux.NAME.lower", "list of numbers", "`mesh.lower`"),
    key("aux.NAME.upper", "list of numbers", "`mesh.upper`"),
    key("aux.NAME.times", "list of numbers", "the file's"),
    key("ground.value", "string", "`\"bottom\"`, if the solver has it"),
    key("ground.sea_level", "number", "0"),
    key("ground.shore", "word", "`\"rest\"`, on mapped meshes `\"centre\"`"),
    key("topography.N.file", "string", "required, or `formula`"),
    key("topography.N.formula", "expression", "none"),
    key("topography.N.variable", "string", "the only array with the domain's axes"),
    key("topography.N.lower", "list of numbers", "the file's, of a formula `mesh.lower`"),
    key("topography.N.upper", "list of numbers", "the file's, of a formula `mesh.upper`"),
    key("topography.N.priority", "integer", "0"),
    key("topography.N.missing", "number", "an error"),
    key("topography.N.scale", "number", "1"),
    key("topography.N.sea_level", "number", "`ground.sea_level`"),
    key("bottom_motion.N.file", "string", "required"),
    key("source", "`\"user\"`, or a table", "none"),
    key("source.EQUATION", "expression", "0"),
    key("output.format", "word, or list of words", "`[\"vtkhdf\"]`"),
    key("output.times", "list of numbers", "`output.count`"),
    key("output.count", "integer", "1"),
    key("output.every_steps", "integer", "`output.count`"),
    key("output.checkpoint_every_steps", "integer", "0"),
    key("output.checkpoint_every_minutes", "number", "10"),
    key("output.aux", "true or false", "false"),
    key("output.png", "true or false", "true"),
    key("output.live", "true or false", "false"),
    key("output.forces.NAME.value", "expression", "required"),
    key("output.forces.NAME.side", "string", "`NAME`"),
    key("output.forces.NAME.every_steps", "integer", "1"),
    key("output.field.N.name", "string", "required"),
    key("output.field.N.formula", "expression", "required"),
    key("gauge.N.name", "string", "required"),
    key("gauge.N.position", "list of numbers", "required"),
    key("monitor.N.name", "string", "required"),
    key("monitor.N.points", "list of integers", "required, or `positions`"),
    key("monitor.N.lower", "list of numbers", "required with `points`"),
    key("monitor.N.upper", "list of numbers", "required with `points`"),
    key("monitor.N.positions", "list of points", "none"),
    key("monitor.N.max.NAME", "expression", "none"),
    key("monitor.N.min.NAME", "expression", "none"),
    key("monitor.N.first.NAME", "expression", "none"),
    key("monitor.N.now.NAME", "expression", "none"),
    key("monitor.N.format", "word", "`\"npy\"`"),
    key("monitor.N.every_steps", "integer", "1"),
    key("monitor.N.time", "list of numbers", "the whole run"),
    key("plot.N.name", "string", "required"),
    key("plot.N.field", "expression, or list of expressions", "the pressure, or the first equation"),
    key("plot.N.range", "list of two numbers", "that of the values"),
    key("plot.N.log", "true or false", "false"),
    key("plot.N.colours", "string", "those that suit the range"),
    key("plot.N.contours", "integer, or list of numbers", "none"),
    key("plot.N.vectors", "list of expressions", "none"),
    key("plot.N.land", "expression", "none"),
    key("plot.N.slice.AXIS", "number", "none"),
    key("plot.N.line", "list of two points", "none"),
    key("plot.N.zoom", "list of numbers", "the whole domain"),
    key("plot.N.outlines", "true or false", "true"),
];

/// What the table says about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// A key that holds a value.
    Key,
    /// A table of keys, or a list of such tables if `list`; `or_value`: another value is allowed in its place.
    Table { list: bool, or_value: Option<&'static str> },
    /// Nothing.
    No,
}

/// Looks a path up.
pub(super) fn known(path: &str) -> Known {
    let (mut found, mut kind) = (Known::No, None);
    let mut literal = false;
    for key in KEYS {
        let rest = matches(key.path, path);
        let read = rest.map_or("", |rest| &key.path[..key.path.len() - rest.len()]);
        let is_literal = !read.split('.').any(|part| part.len() > 1 && part.bytes().all(|b| b.is_ascii_uppercase()));
        if literal && !is_literal {
            continue;
        }
        literal |= rest.is_some() && is_literal;
        match (rest, found) {
            (Some(""), Known::No) => (found, kind) = (Known::Key, Some(key.kind)),
            (Some(rest), _) if !rest.is_empty() => {
                return Known::Table { list: rest.starts_with("N."), or_value: kind };
            }
            _ => {}
        }
    }
    found
}

/// The rest of `pattern` after `path`; `None` if `pattern` does not begin with `path`.
fn matches<'a>(pattern: &'a str, path: &str) -> Option<&'a str> {
    let mut rest = pattern;
    for part in path.split('.') {
        let (head, tail) = rest.split_once('.').unwrap_or((rest, ""));
        let fits = match head {
            "" => false,
            "N" => part.parse::<usize>().is_ok(),
            _ if head.bytes().all(|b| b.is_ascii_uppercase()) => true,
            _ => head == part,
        };
        if !fits {
            return None;
        }
        rest = tail;
    }
    Some(rest)
}

/// The names that may stand in the table at `path`; the root for an empty path.
pub(super) fn names_in(path: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for key in KEYS {
        let rest = if path.is_empty() { Some(key.path) } else { matches(key.path, path) };
        let name = rest.and_then(|rest| rest.split('.').next()).unwrap_or("");
        if name.bytes().any(|b| b.is_ascii_lowercase()) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Paths whose last part is `name`.
pub(super) fn paths_ending_in(name: &str) -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|key| key.path).filter(move |path| path.rsplit('.').next() == Some(name))
}
