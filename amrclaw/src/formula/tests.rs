//! Tests of expressions as a whole.

use super::*;
use crate::mesh::Geometry;
use crate::physics::{CellFunction, CellRow};
use proptest::prelude::*;

/// The value of `text` at x = 3, y = 4.
fn value(text: &str) -> f64 {
    let expression =
        Expression::compile(text, &Names::variables(["x", "y"])).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    expression.eval(&[3.0, 4.0])
}

/// Precedence and associativity, by values that differ from those of the other readings.
#[test]
fn operators_bind_as_in_mathematics() {
    let table = [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("24 / 4 / 2", 3.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("-x^2", -9.0),
        ("(-x)^2", 9.0),
        ("2^-1", 0.5),
        ("2 * -x", -6.0),
        ("- -x", 3.0),
        ("+x", 3.0),
        ("-x * y", -12.0),
        ("1 - -2^2", 5.0),
        ("x < y", 1.0),
        ("x + 1 < y", 0.0),
        ("x + 1 <= y", 1.0),
        ("x > y || x + 1 >= y", 1.0),
        ("x == 3 && y != 3", 1.0),
        ("0 && 0 || 1", 1.0),
        ("1 || 0 && 0", 1.0),
        ("!x == 0", 1.0),
        ("not x == 0", 1.0),
        ("!(x < y)", 0.0),
        ("not x < y or 1", 1.0),
        ("x < y and not y < x", 1.0),
        ("(x < y) + (y > x)", 2.0),
        ("(x < y) < 2", 1.0),
    ];
    for (text, expected) in table {
        assert_eq!(value(text), expected, "{text}");
    }
}

/// Every function against the standard library's, at values inside its domain. Both are within a unit of the last place or two of the
/// exact value, powers of the standard library too.
#[test]
fn functions_are_those_of_the_standard_library() {
    let table = [
        ("sin(x)", 3.0f64.sin()),
        ("cos(x)", 3.0f64.cos()),
        ("tan(x)", 3.0f64.tan()),
        ("asin(x/y)", 0.75f64.asin()),
        ("acos(x/y)", 0.75f64.acos()),
        ("atan(x)", 3.0f64.atan()),
        ("atan2(x, -y)", 3.0f64.atan2(-4.0)),
        ("sinh(x)", 3.0f64.sinh()),
        ("cosh(x)", 3.0f64.cosh()),
        ("tanh(x)", 3.0f64.tanh()),
        ("asinh(x)", 3.0f64.asinh()),
        ("acosh(x)", 3.0f64.acosh()),
        ("atanh(x/y)", 0.75f64.atanh()),
        ("expm1(x)", 3.0f64.exp_m1()),
        ("log1p(x)", 3.0f64.ln_1p()),
        ("cbrt(-x)", -3.0f64.cbrt()),
        ("exp(x)", 3.0f64.exp()),
        ("log(x)", 3.0f64.ln()),
        ("sqrt(x)", 3.0f64.sqrt()),
        ("abs(-x)", 3.0),
        ("min(y, x, 7)", 3.0),
        ("max(x, y)", 4.0),
        ("floor(-x/2)", -2.0),
        ("ceil(-x/2)", -1.0),
        ("sign(-x)", -1.0),
        ("sign(x - 3)", 0.0),
        ("mod(-x, y)", 1.0),
        ("hypot(x, y)", 5.0),
        ("heaviside(x - 3)", 1.0),
        ("heaviside(x - 3.5)", 0.0),
        ("if(x < y, 10, 20)", 10.0),
        ("if(x > y, 10, 20)", 20.0),
        ("pi", std::f64::consts::PI),
        ("e", std::f64::consts::E),
        ("x ^ 0.5", 3.0f64.powf(0.5)),
        ("1.5e-3 + .5 + 2.", 1.5e-3 + 0.5 + 2.0),
    ];
    for (text, expected) in table {
        let tolerance = 4.0 * f64::EPSILON * f64::abs(expected);
        assert!((value(text) - expected).abs() <= tolerance, "{text}: {} for {expected}", value(text));
    }
}

/// Elementary functions give the bits of the project's own functions, in rows as for single numbers, whichever operand varies; squares and
/// cubes are products.
#[test]
fn elementary_functions_are_the_projects_own() {
    use riemann::elementary::rows::{Binary, Unary};
    let x: Vec<f64> = (0..700).map(|i| 0.013 * f64::from(i) - 3.0).collect();
    type Value = fn(f64) -> f64;
    let table: [(&str, Value); 10] = [
        ("sin(x)", |x| Unary::Sin.of(x)),
        ("exp(x)", |x| Unary::Exp.of(x)),
        ("log(x + 4)", |x| Unary::Ln.of(x + 4.0)),
        ("atan2(x, 4)", |x| Binary::Atan2.of(x, 4.0)),
        ("atan2(4, x)", |x| Binary::Atan2.of(4.0, x)),
        ("hypot(x, x)", |x| Binary::Hypot.of(x, x)),
        ("2.5 ^ x", |x| Binary::Pow.of(2.5, x)),
        ("abs(x) ^ x", |x| Binary::Pow.of(x.abs(), x)),
        ("x ^ floor(x / 100 + 2.5)", |x| x * x),
        ("x ^ 3", |x| x * x * x),
    ];
    for (text, expected) in table {
        let expression = Expression::compile(text, &Names::variables(["x"])).unwrap();
        let mut row = vec![0.0; x.len()];
        expression.eval_row(&[Input::Row(&x)], &mut row);
        for (&x, found) in x.iter().zip(row) {
            assert_eq!(found.to_bits(), expected(x).to_bits(), "{text} at {x}");
            assert_eq!(expression.eval(&[x]).to_bits(), found.to_bits(), "{text} at {x} alone");
        }
    }
}

/// Mistakes are marked at their place.
#[test]
fn mistakes_are_marked() {
    let table = [
        ("", 0..0, "the expression is empty", "`0`"),
        ("   ", 3..3, "the expression is empty", "`0`"),
        ("1 +", 3..3, "ends where a value is expected", "add a number"),
        ("1 + * 2", 4..5, "expected instead of `*`", "before `*`"),
        ("(1 + 2", 0..1, "never closed", "missing `)`"),
        ("sin(1", 3..4, "never closed", "missing `)`"),
        ("1 + 2)", 5..6, "no matching `(`", "missing `(`"),
        ("2 x", 2..3, "follows a value without an operator", "`* x`"),
        ("2x", 1..2, "follows a value without an operator", "`* x`"),
        ("2e", 1..2, "follows a value without an operator", "`* e`"),
        ("x(1)", 0..1, "`x` is a value, not a function", "`*`"),
        ("sin", 0..3, "needs its arguments", "`sin(a)`"),
        ("sin(1, 2)", 0..9, "`sin` cannot take 2 arguments", "`sin(a)`"),
        ("x + atan2(1)", 4..12, "`atan2` cannot take 1 argument", "`atan2(y, x)`"),
        ("min(1)", 0..6, "`min` cannot take 1 argument", "`min(a, b, ...)`"),
        ("if(x, 1)", 0..8, "`if` cannot take 2 arguments", "value elsewhere"),
        ("sin()", 0..5, "`sin` cannot take 0 arguments", "`sin(a)`"),
        ("sin(1,)", 6..7, "expected instead of `)`", "before `)`"),
        ("sqr(x)", 0..3, "unknown function `sqr`", "`sqrt`"),
        ("pow(x, 2)", 0..3, "unknown function `pow`", "`a ^ b`"),
        ("ln(x)", 0..2, "unknown function `ln`", "`log(a)`"),
        ("log10(x)", 0..5, "unknown function `log10`", "`log(a) / log(10)`"),
        ("fmod(x, 2)", 0..4, "unknown function `fmod`", "the sign of b"),
        ("3 + velocity", 4..12, "unknown name `velocity`", "x, y, pi, e"),
        ("3 + X", 4..5, "unknown name `X`", "`x`"),
        ("0 < x < 1", 6..7, "comparisons cannot be chained", "`0 < x && x < 1`"),
        ("x = 1", 2..3, "`=` has no meaning here", "`==`"),
        ("x ** 2", 2..4, "`**` has no meaning here", "`^`"),
        ("x & y", 2..3, "`&` has no meaning here", "`&&`"),
        ("x | y", 2..3, "`|` has no meaning here", "`||`"),
        ("x ≤ y", 2..5, "`≤` has no meaning here", "`<=`"),
        ("x ? 1 : 2", 2..3, "`?` has no meaning here", "if(condition"),
        ("x % 2", 2..3, "`%` has no meaning here", "mod(a, b)"),
        ("ä", 0..2, "`ä` has no meaning here", "an expression holds"),
        ("1.2.3", 0..5, "`1.2.3` is not a number", "`0.5`"),
        (".", 0..1, "`.` is not a number", "`0.5`"),
        ("1, 2", 1..2, "a comma may only stand", "point"),
    ];
    for (text, span, message, help) in table {
        let errors = Expression::compile(text, &Names::variables(["x", "y"])).expect_err(text);
        let [error] = &errors[..] else { panic!("{text}: {errors:?}") };
        assert_eq!(error.span, span, "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
        assert!(error.help.contains(help), "{text}: {error}");
    }
}

/// All unknown names are found together.
#[test]
fn every_wrong_name_is_found() {
    let errors = Expression::compile("a + sin(b) * f(c)", &Names::default()).unwrap_err();
    assert_eq!(errors.iter().map(|e| e.span.start).collect::<Vec<_>>(), [0, 8, 15, 13]);
}

/// Nesting and length are bounded, so that no input exhausts the stack.
#[test]
fn endless_expressions_are_refused() {
    for text in ["(".repeat(100_000), "-".repeat(100_000), "1+".repeat(100_000) + "1", "sin(".repeat(5000)] {
        let error = Syntax::parse(&text).unwrap_err();
        assert!(error.message.contains("nested more") || error.message.contains("more than"), "{error}");
    }
    let long = "1+".repeat(900) + "1";
    assert_eq!(value(&long), 901.0);
}

/// Variables hide constants, and only what is used counts as a dependence.
#[test]
fn names_are_looked_up_in_order() {
    let names = Names {
        variables: vec!["x".into(), "e".into(), "t".into()],
        constants: vec![("gamma".into(), 1.4), ("x".into(), 9.0)],
        ..Names::default()
    };
    let expression = Expression::compile("x + e + gamma", &names).unwrap();
    assert_eq!(expression.eval(&[1.0, 2.0, 0.0]), 1.0 + 2.0 + 1.4);
    assert!(expression.depends_on("x") && expression.depends_on("e"));
    assert!(!expression.depends_on("t") && !expression.depends_on("gamma"));
    assert_eq!(Expression::compile("2 * gamma", &names).unwrap().constant(), Some(2.8));
    assert_eq!(expression.constant(), None);
}

/// A row gives the same bits as its cells one by one, across blocks and with uniform values.
#[test]
fn rows_agree_with_points() {
    let names = Names::variables(["x", "y"]);
    let x: Vec<f64> = (0..1000).map(|i| 0.013 * f64::from(i) - 5.0).collect();
    for text in [
        "x",
        "y",
        "3",
        "sin(x)^2 + cos(y)*x - x/y",
        "if(abs(x) <= y, exp(-x*x), y) + min(x, y, 0)",
        "(x*y) - (y*x + (x - (y - x)))",
    ] {
        let expression = Expression::compile(text, &names).unwrap();
        let mut row = vec![f64::NAN; x.len()];
        expression.eval_row(&[Input::Row(&x), Input::Uniform(1.7)], &mut row);
        let y = vec![1.7; x.len()];
        let mut row_of_y = vec![f64::NAN; x.len()];
        expression.eval_row(&[Input::Row(&x), Input::Row(&y)], &mut row_of_y);
        for (i, &x) in x.iter().enumerate() {
            let point = expression.eval(&[x, 1.7]);
            assert_eq!((row[i].to_bits(), row_of_y[i].to_bits()), (point.to_bits(), point.to_bits()), "{text} at {x}");
        }
    }
}

/// A row in 3D with cells of three different sizes.
fn row() -> CellRow<3> {
    let geometry = Geometry::new([-1.3, -0.4, 0.4], [32.7, 0.8, 3.2], [340, 40, 4]);
    CellRow { geometry, first: [10, 20, 1], len: 300, time: 2.5 }
}

/// Position, sides, sizes and time are those of the row's cells, to the bit.
#[test]
fn cells_have_their_names() {
    let texts =
        ["x", "y", "z", "r", "t", "x_lower", "x_upper", "y_lower", "y_upper", "z_lower", "z_upper", "dx", "dy", "dz"];
    assert_eq!(cell_names(3), texts);
    let cells = ExpressionCells::<3>::compile(&texts).unwrap();
    let (row, n) = (row(), row().len);
    let mut out = vec![f64::NAN; texts.len() * n];
    cells.fill_row(&row, &mut out);
    for i in 0..n {
        let [x, y, z] = row.centre(i);
        let r = (x * x + y * y + z * z).sqrt();
        let [lower, upper] = [0, 1].map(|more| row.geometry.corner(row.cell(i).map(|c| c + more)));
        let sides = [lower[0], upper[0], lower[1], upper[1], lower[2], upper[2]];
        let expected = [&[x, y, z, r, 2.5][..], &sides, &row.geometry.dx].concat();
        let found: Vec<f64> = (0..texts.len()).map(|value| out[value * n + i]).collect();
        assert_eq!(found, expected, "cell {i}");
    }
    assert_eq!((cells.num_values(), cells.depends_on_time()), (14, true));
}

/// Values may build on definitions; time counts only where it reaches a value.
#[test]
fn definitions_reach_the_values() {
    let position = cell_names(1);
    let definition = |text: &str| Expression::compile(text, &Names::variables(position.clone())).unwrap();
    let names = Names::variables([&position[..], &["depth".to_string(), "drift".to_string()]].concat());
    let value = |text: &str| Expression::compile(text, &names).unwrap();
    let definitions = vec![definition("2 * x"), definition("t")];
    let cells = ExpressionCells::<1>::with_definitions(
        Vec::new(),
        definitions.clone(),
        vec![value("depth + 1"), value("drift")],
    );
    let row = CellRow { geometry: Geometry::new([0.0], [2.0], [2]), first: [0], len: 2, time: 7.0 };
    let mut out = [0.0; 4];
    cells.fill_row(&row, &mut out);
    assert_eq!(out, [2.0, 4.0, 7.0, 7.0]);
    assert!(cells.depends_on_time());
    assert!(!ExpressionCells::<1>::with_definitions(Vec::new(), definitions, vec![value("x + 1")]).depends_on_time());
}

/// A row without cells is allowed.
#[test]
fn empty_rows_are_fine() {
    let cells = ExpressionCells::<3>::compile(&["x", "1"]).unwrap();
    cells.fill_row(&CellRow { len: 0, ..row() }, &mut []);
}

/// Expressions of a cell in the plane and of further values.
pub(super) fn compiled_in_plane(texts: &[&str], further: &[&str]) -> Vec<Expression> {
    let names = Names::variables(cell_names(2).into_iter().chain(further.iter().map(|name| (*name).to_owned())));
    texts.iter().map(|text| Expression::compile(text, &names).unwrap_or_else(|e| panic!("{text}: {e:?}"))).collect()
}

/// Any expression of a cell in the plane and of one further value.
pub(super) fn any_expression(further: &'static str) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["x", "y", "r", "t", "x_lower", "x_upper", "y_lower", "dx", "dy", further]),
        prop::sample::select(vec!["0", "-0.0", "2", "0.3", "-7.5", "pi"]),
    ];
    leaf.prop_map(str::to_owned).prop_recursive(5, 40, 3, |inner| {
        let operator = prop::sample::select(vec!["+", "-", "*", "/", "<", ">=", "&&", "^"]);
        let function = prop::sample::select(vec!["sin", "cos", "exp", "sqrt", "abs", "floor", "tanh", "-", "!"]);
        let pair = prop::sample::select(vec!["min", "max", "mod", "hypot", "atan2"]);
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(a, o, b)| format!("({a} {o} {b})")),
            (function, inner.clone()).prop_map(|(f, a)| format!("{f}({a})")),
            (pair, inner.clone(), inner.clone()).prop_map(|(f, a, b)| format!("{f}({a}, {b})")),
            (inner.clone(), 2..4).prop_map(|(a, n)| format!("({a})^{n}")),
            (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| format!("if({a}, {b}, {c})")),
        ]
    })
}

/// The same bits; any NaN is like any other.
pub(super) fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| if value.is_nan() { u64::MAX } else { value.to_bits() }).collect()
}

proptest! {
    /// Any text gives an expression or a mistake that lies within the text.
    #[test]
    fn any_text_is_answered(text in prop_oneof![any::<String>(), "[-+*/^()<>=!&|,. xyez0-9a-f]{0,40}"]) {
        match Expression::compile(&text, &Names::variables(["x", "y"])) {
            Ok(expression) => { expression.eval(&[1.0, 2.0]); }
            Err(errors) => for e in errors {
                prop_assert!(text.get(e.span.clone()).is_some(), "{e} at {:?}", e.span);
            }
        }
    }

    /// Sums and products of any shape have the value that Rust gives them.
    #[test]
    fn arithmetic_is_that_of_rust(a in -9.0..9.0f64, b in -9.0..9.0f64, c in 0.1..9.0f64) {
        let names = Names::variables(["a", "b", "c"]);
        let eval = |text: &str| Expression::compile(text, &names).unwrap().eval(&[a, b, c]);
        prop_assert_eq!(eval("a + b*c - a/c"), a + b * c - a / c);
        prop_assert_eq!(eval("-(a - b)/(c + c*c)"), -(a - b) / (c + c * c));
        prop_assert_eq!(eval("a^2 + b^3"), a * a + b * b * b);
    }
}

/// No name of an equation that the solver macro accepts has another meaning in formulas.
#[test]
fn the_solver_macro_knows_the_words() {
    #[allow(dead_code, reason = "its columns are the gauges'")]
    #[path = "../../../riemann/macros/src/formula_words.rs"]
    mod formula_words;
    for word in reserved_names() {
        assert!(formula_words::WORDS.split(' ').any(|known| known == word), "{word}");
    }
}
