//! `amrclaw solver new`.

use crate::cli::Failure;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

const SOLVER: &str = include_str!("template.rs.txt");
const CASE: &str = include_str!("template.toml.txt");

/// Types with another meaning in a solver's file, which a struct of the same name would hide.
const TAKEN: [&str; 7] = ["Axis", "Cell", "Normal", "Real", "Self", "State", "Transverse"];

/// Writes a solver's file and a case that runs with it.
pub fn new(name: &str, folder: &Path) -> Result<(), Failure> {
    let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(letters) {
        return Err(Failure::Input(format!(
            "a solver cannot be called \"{name}\": write small letters, digits and `_`, a letter first, such as my_solver"
        )));
    }
    let of_type = type_name(name);
    if TAKEN.contains(&of_type.as_str()) {
        return Err(Failure::Input(format!(
            "a solver cannot be called \"{name}\": `{of_type}` has another meaning in a solver's file; write a longer name, \
             such as {name}_solver"
        )));
    }
    let solver = solver_text(name);
    let case = CASE.replace("NAME", name);
    let files = [(folder.join(format!("{name}.rs")), solver), (folder.join(format!("{name}.toml")), case)];
    if let Some((path, _)) = files.iter().find(|(path, _)| path.exists()) {
        return Err(Failure::Input(format!("{} already exists, and is not changed", path.display())));
    }
    for (path, text) in &files {
        let written = OpenOptions::new().write(true).create_new(true).open(path);
        let written = written.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|e| Failure::Input(format!("cannot write {}: {e}", path.display())))?;
    }
    let [(solver, _), (case, _)] = &files;
    say!("{}\n{}", solver.display(), case.display());
    say!("next: amrclaw solver check {}", solver.display());
    say!("      amrclaw run {}", case.display());
    Ok(())
}

/// The template of that name.
fn solver_text(name: &str) -> String {
    SOLVER.replace("TITLE", &format!("My solver {name}")).replace("TYPE", &type_name(name)).replace("FILE", name)
}

/// Compiles the template, and with it all that solvers' files are compiled against. Cargo keeps what it fetches from a network.
pub fn prepare() -> Result<(), Failure> {
    let file = std::env::temp_dir().join(format!("amrclaw_prepare_{}.rs", std::process::id()));
    let written = std::fs::write(&file, solver_text("prepared"));
    written.map_err(|e| Failure::Input(format!("cannot write {}: {e}", file.display())))?;
    let loaded = super::load(&file, false);
    // A file that stays behind in the folder for temporary files harms nobody.
    let _ = std::fs::remove_file(&file);
    loaded.map_err(|e| Failure::Input(format!("{e}\n{}", e.help())))?;
    say!("solvers' files compile on this machine, without a network from now on");
    Ok(())
}

/// The name of the struct: `my_solver` becomes `MySolver`.
fn type_name(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').filter(|word| !word.is_empty()).map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names become types as Rust writes them.
    #[test]
    fn types_are_named_after_files() {
        assert_eq!(type_name("my_solver"), "MySolver");
        assert_eq!(type_name("euler2d__hll"), "Euler2dHll");
    }

    /// No solver hides a type that the template uses.
    #[test]
    fn types_of_the_template_are_taken() {
        let code = SOLVER.lines().filter(|line| !line.trim_start().starts_with("//"));
        let words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
        let mut types: Vec<&str> = words
            .filter(|word| word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase))
            .chain(["Self"])
            .collect();
        types.sort_unstable();
        types.dedup();
        assert_eq!(types, TAKEN);
    }
}
