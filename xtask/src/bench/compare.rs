//! Two saved records side by side.

use super::record::{Record, Row};
use crate::process::Outcome;

/// `A B [--tolerance X]`: prints B against A; an error if a row of B is slower by more than the tolerance.
pub fn compare(arguments: &[String]) -> Outcome {
    let (a, b, tolerance) = match arguments {
        [a, b] => (a, b, 0.05),
        [a, b, option, value] if option == "--tolerance" => {
            (a, b, value.parse().map_err(|_| format!("`{value}` is not a number"))?)
        }
        _ => return Err("give two saved records: bench-compare A B [--tolerance X]".into()),
    };
    let (a, b) = (Record::read(a)?, Record::read(b)?);
    if (&a.case, &a.cells) != (&b.case, &b.cells) {
        return Err(format!("A ran {} on [{}], B {} on [{}]", a.case, a.cells, b.case, b.cells));
    }
    if a.processor != b.processor {
        println!("Note: A ran on {}, B on {}.", a.processor, b.processor);
    }
    println!("{} with mesh.cells=[{}]: A is commit {}, B is commit {}", a.case, a.cells, a.commit, b.commit);
    println!("\n| threads | updates/s A | B | B/A | of advance alone B/A | peak memory B/A |");
    println!("|---|---|---|---|---|---|");
    let mut slower = Vec::new();
    for (row_a, row_b) in pairs(&a, &b) {
        let ratio = row_b.rate() / row_a.rate();
        println!(
            "| {} | {:.3e} | {:.3e} | {ratio:.3} | {:.3} | {:.3} |",
            row_a.threads,
            row_a.rate(),
            row_b.rate(),
            row_b.advance_rate() / row_a.advance_rate(),
            row_b.peak_bytes / row_a.peak_bytes,
        );
        // Written so that a rate that is not a number counts as slower.
        if ratio >= 1.0 - tolerance {
            continue;
        }
        slower.push(row_a.threads.to_string());
    }
    if slower.is_empty() { Ok(()) } else { Err(format!("B is slower on {} thread(s)", slower.join(", "))) }
}

/// Rows of the same thread count.
fn pairs<'a>(a: &'a Record, b: &'a Record) -> impl Iterator<Item = (&'a Row, &'a Row)> {
    a.rows.iter().filter_map(|row| Some((row, b.rows.iter().find(|other| other.threads == row.threads)?)))
}
