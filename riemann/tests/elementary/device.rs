//! The CUDA C++ of the functions, compiled for the host without contraction, gives the bits that the Rust gives: both are the same
//! IEEE operations in the same order.

use super::arguments::points;
use super::breaks::SPECIAL;
use super::{Function, bits};
use riemann::elementary::{DEVICE_NAMES, device_text, is_called_in};
use riemann::patch::Isa;
use riemann::real::Scalar;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

const BEFORE: &str = "
#include <cmath>
#include <cstdio>
#define __device__
#define __forceinline__ inline
template <class T> T select(bool which, T yes, T no) { return which ? yes : no; }
";

/// Reads pairs and writes values, for every function in both precisions, in the order of `Function::all`.
fn program() -> String {
    let mut main = String::from(
        "template <class T, class F> void run(FILE* in, FILE* out, F f)\n{\n    int count;\n    if (!fread(&count, 4, 1, in)) return;\n    \
         while (count-- > 0) {\n        T x[2];\n        if (!fread(x, sizeof(T), 2, in)) return;\n        T value = f(x[0], x[1]);\n        \
         fwrite(&value, sizeof(T), 1, out);\n    }\n}\nint main()\n{\n    FILE *in = fopen(\"in\", \"rb\"), *out = fopen(\"out\", \"wb\");\n",
    );
    for function in Function::all() {
        let arguments = if let Function::One(_) = function { "x" } else { "x, y" };
        for real in ["double", "float"] {
            let name = function.name();
            let _ = writeln!(
                main,
                "    run<{real}>(in, out, []({real} x, {real} y) {{ (void)y; return real_{name}({arguments}); }});"
            );
        }
    }
    format!("{BEFORE}{}{main}    fclose(out);\n}}\n", device_text())
}

fn put<R: Scalar>(bytes: &mut Vec<u8>, x: R) {
    match R::BYTES {
        4 => bytes.extend((x.to_f64() as f32).to_le_bytes()),
        _ => bytes.extend(x.to_f64().to_le_bytes()),
    }
}

fn add<R: Scalar>(function: Function, input: &mut Vec<u8>, expected: &mut Vec<(Function, usize, f64, [f64; 2])>) {
    let [mut x, mut y] = points(function, 5_000, 21);
    for &a in &SPECIAL {
        x.extend(SPECIAL);
        y.extend([a; SPECIAL.len()]);
    }
    let [x, y] = [x, y].map(|row| row.into_iter().map(R::from_f64).collect::<Vec<_>>());
    input.extend((x.len() as i32).to_le_bytes());
    for (&x, &y) in x.iter().zip(&y) {
        put(input, x);
        put(input, y);
    }
    for (i, value) in function.values(Isa::detect(), &x, &y).into_iter().enumerate() {
        expected.push((function, R::BYTES, value.to_f64(), [x[i], y[i]].map(R::to_f64)));
    }
}

#[test]
fn both_texts_give_the_same_bits() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("elementary");
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let (mut input, mut expected) = (Vec::new(), Vec::new());
    for function in Function::all() {
        add::<f64>(function, &mut input, &mut expected);
        add::<f32>(function, &mut input, &mut expected);
    }
    std::fs::write(folder.join("in"), input).expect("written");
    std::fs::write(folder.join("main.cpp"), program()).expect("written");
    let flags = ["-std=c++17", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"];
    let mut compile = Command::new("g++");
    compile.args(flags).args(["-Wno-unused-variable", "main.cpp", "-o", "main"]).current_dir(&folder);
    let Ok(made) = compile.output() else {
        eprintln!("no g++ here: the texts were not compared");
        return;
    };
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(Command::new(folder.join("main")).current_dir(&folder).status().expect("the program starts").success());
    let mut found = &std::fs::read(folder.join("out")).expect("the program wrote it")[..];
    for (function, size, expected, [x, y]) in expected {
        let (number, rest) = found.split_at(size);
        let number = match size {
            4 => f64::from(f32::from_le_bytes(number.try_into().expect("four bytes"))),
            _ => f64::from_le_bytes(number.try_into().expect("eight bytes")),
        };
        let name = function.name();
        assert_eq!(
            bits(number),
            bits(expected),
            "{name}({x:?}, {y:?}), {size} bytes: {number:?}, in Rust {expected:?}"
        );
        found = rest;
    }
    assert!(found.is_empty());
}

/// `is_called_in` finds texts that call one of the functions, and no others.
#[test]
fn calls_are_seen() {
    for name in DEVICE_NAMES {
        assert!(is_called_in(&format!("return {name}(q[0]);")), "{name}");
        assert!(device_text().contains(&format!(" {name}(double")), "{name}");
        assert!(device_text().contains(&format!(" {name}(float")), "{name}");
    }
    assert!(!is_called_in("real_abs(real_sqrt(x))"));
}
