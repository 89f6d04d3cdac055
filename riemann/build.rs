//! Leaves kernels for AVX-512 out of builds for tests on a processor that cannot run them: a third of what these compile.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_quick = std::env::var("OPT_LEVEL").is_ok_and(|level| level == "0" || level == "1");
    if is_quick && !runs_avx512() {
        println!("cargo::rustc-cfg=without_avx512");
    }
}

#[cfg(target_arch = "x86_64")]
fn runs_avx512() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq")
}

#[cfg(not(target_arch = "x86_64"))]
fn runs_avx512() -> bool {
    false
}
