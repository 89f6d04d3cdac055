//! Descriptions of solvers that say too little, or something else.

#[riemann::solver(equations = ["q"], wave = 1)]
pub struct UnknownKey;

#[riemann::solver(equations = ["q"])]
pub struct NoWaves;

#[riemann::solver(equations = ["q", vector("u")], waves = 1)]
pub struct TooFewNames;

#[riemann::solver(equations = [tensor("xx", "yy", "zz", "xy"), vector("u", "v")], waves = 1)]
pub struct Solid;

#[riemann::solver(equations = ["q", matrix("a", "b", "c")], waves = 1)]
pub struct Matrix;

#[riemann::solver(equations = ["q"], waves = 1)]
pub struct NotReal {
    /// a number
    pub rate: f64,
}

#[riemann::solver(equations = ["q"], waves = 1)]
pub struct UnknownCheck {
    /// a number
    #[parameter(negative)]
    pub rate: Real,
}

#[riemann::solver(equations = ["q"], waves = 1)]
pub struct WrongDefault {
    /// a number
    #[parameter(default = -0.5, positive)]
    pub rate: Real,
}

#[riemann::solver(equations = ["q"], waves = 1)]
pub struct KeyOfTheSection {
    /// a number
    pub path: Real,
}

#[riemann::solver(equations = ["q"], quantities = ["q"], waves = 1)]
pub struct QuantityAndEquation;

#[riemann::solver(equations = ["q"], quantities = ["rate"], waves = 1)]
pub struct QuantityAndParameter {
    /// a number
    pub rate: Real,
}

#[riemann::solver(equations = ["q"], waves = 65)]
pub struct TooManyWaves;

fn main() {}
