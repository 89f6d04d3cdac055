//! Time series of forces: one CSV file each, of the step, the time and the components of a formula's sum over a side of a mesh.

/// Name of the file of force `name`.
pub fn file_name(name: &str) -> String {
    format!("{BEFORE}{name}.csv")
}

/// True for names that [`file_name`] gives.
pub fn is_file_name(name: &str) -> bool {
    name.starts_with(BEFORE) && name.ends_with(".csv")
}

const BEFORE: &str = "force_";

/// How the files begin.
pub const BEGINNING: &str = "# force ";

/// The two lines above the rows.
pub fn header(name: &str, formula: &str, side: &str, dim: usize) -> String {
    let axes = ["x", "y", "z"][..dim].join(",");
    format!("{BEGINNING}{name}: {formula} over {side}\nstep,t,{axes}\n")
}
