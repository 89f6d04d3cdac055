//! Names that formulas and files could not tell from something else.

#[riemann::solver(equations = ["q", "q"], waves = 1)]
pub struct Twice;

#[riemann::solver(dim = 1, equations = [vector("u", "v"), "p"], aux = ["c", "u"], waves = 1)]
pub struct TwiceWithAux;

#[riemann::solver(equations = ["", "a b", "q,1", "..", "1st", "ρ"], waves = 1)]
pub struct NoNames;

#[riemann::solver(equations = ["x", "t", "level", from(3, "dz")], aux = [faces("sin", "e")], waves = 1)]
pub struct KnownToFormulas;

fn main() {}
