//! `[define]`: names that formulas of the case use.

use super::*;
use crate::formula::cell_names;
use crate::physics::{CellFunction, CellRow, StateFunction};

/// A gas on two levels, with a name in every place that takes formulas.
const GAS: &str = "\
[solver]
name = \"euler\"
[mesh]
cells = [8, 4]
[mesh.mapping]
x = \"stretch * X\"
y = \"Y + shift\"
[mesh.boundary]
x = [\"inflow\", \"extrapolate\"]
inflow = { density = \"rho0\", x_momentum = \"rho0 * u0 * ramp\", y_momentum = \"0\", energy = \"e0 + 0.5 * rho0 * u0^2\" }
[levels]
max = 2
[regrid.flag]
criterion = \"user\"
expression = \"kinetic > 1e-3 * e0\"
[time]
end = 1
[define]
e0 = \"p0 / (gamma - 1)\"
kinetic = \"(x_momentum^2 + y_momentum^2) / (2 * density)\"
p0 = 1
ramp = \"min(t / 0.1, 1)\"
rho0 = 1.25
shift = \"1 - stretch\"
stretch = \"2 * gamma / 2.8\"
u0 = -0.5
[initial]
density = \"rho0 * (1 + 0.1 * x)\"
x_momentum = 0
y_momentum = 0
energy = \"e0\"
[source]
x_momentum = \"-kinetic\"
[[output.field]]
name = \"kinetic\"
formula = \"kinetic\"
";

/// Names are their formulas everywhere: initial data, sides, sources, flags, fields and the mapping give the bits of what is written in full.
#[test]
fn names_are_their_formulas() {
    let case = load(GAS, &[]).unwrap_or_else(|e| panic!("{e}"));
    let mapping = case.mapping::<2>().expect("mapped");
    let at = |position| mapping.positions(&[position])[0];
    assert_eq!(at([0.3, 0.2]), [1.0 * 0.3, 0.2 + (1.0 - 1.0)]);
    assert_eq!(case.mapping_texts(), ["(2.0 * (1.4) / 2.8) * X", "Y + (1.0 - (2.0 * (1.4) / 2.8))"]);
    let row = CellRow::point([0.3, 0.2], [0.1, 0.1], 0.05);
    let mut initial = [0.0; 4];
    case.initial_cells::<2>().unwrap().fill_row(&row, &mut initial);
    assert_eq!(initial, [1.25 * (1.0 + 0.1 * 0.3), 0.0, 0.0, 1.0 / (1.4 - 1.0)]);
    let state = [2.0, 0.5, 0.25, 3.0];
    let kinetic = (0.5 * 0.5 + 0.25 * 0.25) / (2.0 * 2.0);
    let mut rates = [0.0; 4];
    case.source_terms::<2>(&None).unwrap().fill_row(&row, &state, &[0.0; 7], &mut rates);
    assert_eq!(rates, [0.0, -kinetic, 0.0, 0.0]);
    assert_eq!(case.output_fields()[0].1, "((x_momentum ^ 2.0 + y_momentum ^ 2.0) / (2.0 * density))");
    assert!(case.remarks.is_empty(), "{:?}", case.remarks);
    // A definition is a key as any other.
    let other = load(GAS, &["define.rho0=2.5"]).unwrap();
    other.initial_cells::<2>().unwrap().fill_row(&row, &mut initial);
    assert_eq!(initial[0], 2.5 * (1.0 + 0.1 * 0.3));
    assert_eq!(cell_names(2).len(), 10);
}

/// Functions of the case are their formulas with arguments put in, whatever the arguments are named: positions, each other's, values.
#[test]
fn functions_are_their_formulas() {
    let functions =
        "\"square(x)\" = \"x * x\"\n\"far(a, x)\" = \"sqrt(square(a - shift) + square(x) + y)\"\nshift = 0.5\n";
    let changes = ["initial.pressure=\"far(square(x) - 1, 2 * u) - square(-3)\"", "initial.u=\"x + square(y)\""];
    let case = load(&format!("{SMALL}[define]\n{functions}"), &[&changes[..], &["initial.v=0"]].concat());
    let case = case.unwrap_or_else(|error| panic!("{error}"));
    let (x, y): (f64, f64) = (0.75, 0.25);
    let mut values = [0.0; 3];
    case.initial_cells::<2>().unwrap().fill_row(&CellRow::point([x, y], [0.1, 0.1], 0.0), &mut values);
    let (u, a) = (x + y * y, x * x - 1.0 - 0.5);
    assert_eq!(values, [(a * a + (2.0 * u) * (2.0 * u) + y).sqrt() - 9.0, u, 0.0]);
    assert!(case.remarks.is_empty(), "{:?}", case.remarks);
}

/// What is wrong is said where it is written, all at once; what nothing uses is remarked.
#[test]
fn mistakes_in_definitions_are_said() {
    let small = |definitions: &str| SMALL.to_owned() + "[define]\n" + definitions;
    let table: [(&str, &[&str]); 19] = [
        ("density = 2", &["define.density", "the solver `acoustics` has a parameter `density`", "another name"]),
        ("u = 2", &["define.u", "has an equation `u`"]),
        ("speed = 2", &["define.speed", "has a quantity `speed`"]),
        ("t = 2", &["define.t", "`t` means something else in formulas"]),
        ("sin = 2", &["define.sin", "`sin` means something else in formulas"]),
        ("\"a-b\" = 2", &["define.a-b", "not a name that formulas can hold", "letters, digits"]),
        ("a = \"2 * b\"\nb = \"1 + a\"", &["define.b", "is defined by itself: a → b → a", "without `a`"]),
        ("a = \"2 * a\"", &["case.toml:14:10: define.a", "is defined by itself: a → a"]),
        ("a = \"2 * bb\"", &["define.a", "unknown name `bb`"]),
        ("a = \"2 *\"", &["define.a", "ends where a value is expected"]),
        ("a = true", &["define.a", "needs an expression in quotes"]),
        ("a = \"sin(1, 2)\"\nb = \"a\"\nc = \"cos()\"", &["define.a: `sin` cannot take 2", "define.c", "2 problems"]),
        ("\"f(a\" = 2", &["define.f(a", "`f(a` is not a function of different names", "write as `\"f(a, b)\"`"]),
        ("\"f(a, a)\" = 2", &["`f(a, a)` is not a function of different names"]),
        ("\"sin(a)\" = 2", &["`sin` means something else in formulas"]),
        ("f = 1\n\"f(a)\" = 2", &["`f` is defined twice"]),
        ("\"f(a)\" = \"b\"\n\"g(f)\" = 2", &["unknown name `b`", "the argument `f` is defined too"]),
        (
            "\"f(a)\" = \"a\"\nb = \"f(1, 2)\"\nc = \"f\"",
            &["define.b: `f` takes one argument", "write `f(a)`", "define.c"],
        ),
        (
            "\"f(a)\" = \"g(a)\"\n\"g(a)\" = \"f(a)\"\nb = 1\nc = \"b(2)\"",
            &["f → g → f", "`b` is a value, not a function"],
        ),
    ];
    for (definitions, parts) in table {
        let message = load(&small(definitions), &[]).expect_err(definitions).to_string();
        for part in parts {
            assert!(message.contains(part), "{definitions}: no \"{part}\" in\n{message}");
        }
    }
    let case = load(&small("idle = 2\na = \"u\"\nb = \"2 * a\""), &["initial.v=0"]).unwrap();
    assert_eq!(case.remarks.len(), 2, "{:?}", case.remarks);
    assert!(case.remarks[0].contains("define.idle: has no effect"), "{:?}", case.remarks);
    // Where a definition cannot be used, its use is marked and the reason given.
    let message = load(&small("a = \"2 * u\""), &["initial.pressure=\"1 + a\"", "initial.u=\"v\"", "initial.v=\"0\""]);
    assert!(message.is_ok(), "initial data may use each other");
    let sources = "[aux]\nimpedance = \"1\"\nsound_speed = \"1 + a\"\n[define]\na = \"2 * u\"\n";
    let variable = SMALL.replace("\"acoustics\"\ndensity = 1.0\nbulk = 4", "\"acoustics_variable\"") + sources;
    let message = load(&variable, &[]).expect_err("u is not known there").to_string();
    assert!(message.contains("`a` cannot be used here: unknown name `u`") && message.contains("13:20"), "{message}");
}

/// Names that stand for names cannot make a formula endless.
#[test]
fn definitions_stay_short() {
    let names: Vec<String> = (0..20).map(|k| format!("a{} = \"a{k} * a{k} + a{k}\"", k + 1)).collect();
    let text = format!("{SMALL}[define]\na0 = 1\n{}", names.join("\n"));
    let message = load(&text, &["initial.u=\"a20\""]).expect_err("long").to_string();
    assert!(message.contains("parts when all names are replaced"), "{message}");
    let chain = |count: usize| {
        let names: Vec<String> = (0..count).map(|k| format!("a{k} = \"a{}\"", k + 1)).collect();
        let text = format!("{SMALL}[define]\na{count} = 1\n{}", names.join("\n"));
        load(&text, &[]).expect_err("deep").to_string()
    };
    let square = format!("{SMALL}[define]\n\"f(a)\" = \"a * a\"\n");
    let nested = |times: usize| format!("initial.u=\"{}2{}\"", "f(".repeat(times), ")".repeat(times));
    for times in [20, 100] {
        let message = load(&square, &[&nested(times)]).expect_err("long").to_string();
        assert!(message.contains("parts when all names are replaced"), "{message}");
    }
    let message = load(&square.replace("a * a", "-a"), &[&nested(40)]).expect_err("deep").to_string();
    assert!(message.contains("through more than 32 other names"), "{message}");
    let message = chain(100);
    assert!(message.contains("through more than 32 other names"), "{message}");
    let message = chain(20_000);
    assert!(message.contains("define: has 20001 names, more than 500"), "{message}");
}

/// Initial data may use other equations, in any order; circles are said with place.
#[test]
fn initial_data_use_each_other() {
    let case = load(SMALL, &["initial.pressure=\"2 * v + x\"", "initial.u=\"3 * x\"", "initial.v=\"u^2\""]).unwrap();
    let mut values = [0.0; 3];
    case.initial_cells::<2>().unwrap().fill_row(&CellRow::point([0.5, 0.25], [0.1, 0.1], 0.0), &mut values);
    assert_eq!(values, [2.0 * (1.5 * 1.5) + 0.5, 1.5, 1.5 * 1.5]);
    let wrong = load(SMALL, &["initial.u=\"v\"", "initial.v=\"1 + u\""]).expect_err("a circle").to_string();
    assert!(wrong.contains("initial.v") && wrong.contains("is defined by itself: u → v → u"), "{wrong}");
}

/// Primitive variables give the equations' quantities, by the solver's formulas; they may use each other and names. All mistakes are said.
#[test]
fn initial_data_may_be_primitive() {
    let gas = |primitive: &str| {
        format!(
            "solver={{name=\"euler\"}}\nmesh={{cells=[8,4]}}\ntime={{end=1}}\ndefine={{ratio=1.5}}\n[initial.primitive]\n{primitive}"
        )
    };
    let case = load(&gas("density=\"ratio * pressure\"\nu=\"x\"\nv=-0.5\npressure=\"1 + y\""), &[]).unwrap();
    let mut values = [0.0; 4];
    case.initial_cells::<2>().unwrap().fill_row(&CellRow::point([0.5, 0.25], [0.1, 0.1], 0.0), &mut values);
    let density = 1.5 * 1.25;
    assert_eq!(values, [density, density * 0.5, density * -0.5, 1.25 / (1.4 - 1.0) + 0.5 * density * (0.25 + 0.25)]);
    let tracer = gas("density=2\nu=1\nv=0\npressure=1\nconcentration=\"x\"").replace("\"euler\"", "\"euler_tracer\"");
    let mut values = [0.0; 5];
    let cells = load(&tracer, &[]).unwrap().initial_cells::<2>().unwrap();
    cells.fill_row(&CellRow::point([0.5, 0.25], [0.1, 0.1], 0.0), &mut values);
    assert_eq!(values, [2.0, 2.0, 0.0, 1.0 / (1.4 - 1.0) + 1.0, 1.0]);
    let (line, mut values) = (tracer.replace("[8,4]", "[8]").replace("v=0\n", ""), [0.0; 4]);
    let cells = load(&line, &[]).unwrap().initial_cells::<1>().unwrap();
    cells.fill_row(&CellRow::point([0.5], [0.1], 0.0), &mut values);
    assert_eq!(values, [2.0, 2.0, 1.0 / (1.4 - 1.0) + 1.0, 1.0]);
    let table: [(&str, &[&str]); 5] = [
        ("density=1\nu=0\nv=0", &["initial.primitive.pressure: is missing", "`pressure = \"1\"`"]),
        ("density=1\nu=0\nv=0\npressure=1\nenergy=1", &["has no primitive variable `energy`"]),
        ("density=1\nu=\"v\"\nv=\"u\"\npressure=1", &["initial.primitive.v", "is defined by itself: u → v → u"]),
        (
            "density=\"xx\"\nu=0\nv=0\npressure=\"yy\"",
            &["initial.primitive.density: unknown name `xx`", "`yy`", "2 problems"],
        ),
        (
            "density=1\nu=0\nv=0\npressure=1\n[initial]\nenergy=1",
            &["initial.energy: cannot stand beside `[initial.primitive]`"],
        ),
    ];
    for (primitive, parts) in table {
        let message = load(&gas(primitive), &[]).expect_err(primitive).to_string();
        for part in parts {
            assert!(message.contains(part), "{primitive}: no \"{part}\" in\n{message}");
        }
    }
    let sound = SMALL.replace("[initial]", "[initial.primitive]");
    let message = load(&sound, &[]).expect_err("sound has none").to_string();
    assert!(message.contains("`acoustics` has no primitive variables"), "{message}");
}

/// Checks before a run look at 16 finer nodes on a side of a coarsest cell, however many levels there are.
#[test]
fn checks_look_at_few_nodes() {
    let case = load(GAS, &["levels.max=20"]).unwrap_or_else(|e| panic!("{e}"));
    let finest = |case: &Case| case.mapping::<2>().expect("mapped").finest();
    assert_eq!(finest(&case), [8 << 19, 4 << 19]);
    assert_eq!(finest(&case.examined()), [8 * 16, 4 * 16]);
}
