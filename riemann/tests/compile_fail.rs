//! Errors of the solver language point at the user's own token, and say what to write instead.
//!
//! The compiler's whole output is compared. After a change of a message: `TRYBUILD=overwrite cargo test -p riemann --test
//! compile_fail`, and read the difference.

#[test]
fn refusals_point_at_the_users_token() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
