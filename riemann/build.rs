//! Decides which kernels are compiled: for which vector instructions and which numbers.
//!
//! With the feature `all-kernels`: those of every solver, for every processor; of rare solvers in the narrowest vectors alone
//! (`patch/dispatch.rs`, `catalogue/kernels.rs`). Else those that this machine runs by default: `f64`, in its widest vectors, of the solvers
//! that most cases use, on straight meshes; in quick builds, as for tests, all but rare ones in these vectors. What is left out is compiled
//! when it is first asked for; so are evaluators of single faces (`faces`), for checks.

/// Vectors, numbers, meshes, and checks; last what takes longest to compile for what it is used.
const ALL: [&str; 8] = ["portable", "avx2", "avx512", "f32", "seldom", "mapped_space", "faces", "rare"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let here = widest();
    let elsewhere = var("TARGET") != var("HOST");
    let is_quick = matches!(var("OPT_LEVEL").as_str(), "0" | "1");
    let all = elsewhere || !var("CARGO_FEATURE_ALL_KERNELS").is_empty();
    let sets: &[&str] = match (all, is_quick) {
        (true, _) => &ALL,
        (_, true) => &[here, "f32", "seldom", "mapped_space", "faces"],
        _ => &[here],
    };
    for set in sets {
        println!("cargo::rustc-cfg=kernels_{set}");
    }
}

/// The widest vectors of this processor.
#[cfg(target_arch = "x86_64")]
fn widest() -> &'static str {
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2");
    match avx2 {
        true if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") => "avx512",
        true => "avx2",
        false => "portable",
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn widest() -> &'static str {
    "portable"
}
