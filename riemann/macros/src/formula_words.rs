//! Words that cannot name a solver's values. A test of the reader of case files compares them with its own.

/// What formulas in case files know themselves: positions and times, constants, functions, derivatives and operators.
pub const WORDS: &str = "\
    x y z r t x_lower x_upper y_lower y_upper z_lower z_upper dx dy dz pi e sin cos tan asin acos atan atan2 sinh \
    cosh tanh asinh acosh atanh exp expm1 log log1p cbrt sqrt abs min max floor ceil sign mod hypot heaviside if grad \
    and or not";

/// Columns of the gauges' files beside `t`.
pub const COLUMNS: &[&str] = &["level"];
