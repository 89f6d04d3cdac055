//! `[scheme]`.

use crate::io::config::case::SchemeSettings;
use crate::io::config::choice::{Limiter, SourceSplitting, Sweeps};
use crate::io::config::reader::Reader;

/// Reads the numerical scheme.
pub fn read(reader: &mut Reader<'_>) -> Option<SchemeSettings> {
    let order = one_of(reader, "scheme.order", 1..=2, 2);
    let transverse = one_of(reader, "scheme.transverse", 0..=2, 2);
    let split = reader.choice("scheme.split", Sweeps::Unsplit);
    let limiter = match reader.choices("scheme.limiter") {
        Some(limiters) => limiters,
        None => Some(vec![Limiter::Mc]),
    };
    if limiter.as_ref().is_some_and(Vec::is_empty) {
        let help = "write one limiter for all waves, or one per wave; \"none\" for no limiter";
        reader.wrong("scheme.limiter", "the list is empty", help);
    }
    let source = source(reader);
    let capacity = match reader.string("scheme.capacity") {
        Some(name) => Some(name?.to_string()),
        None => None,
    };
    Some(SchemeSettings {
        order: order?,
        transverse: transverse?,
        split: split?,
        limiter: limiter?,
        source: source?,
        capacity,
    })
}

fn one_of(reader: &mut Reader<'_>, path: &str, range: std::ops::RangeInclusive<u8>, default: u8) -> Option<u8> {
    let value = reader.integer(path, range.start().to_owned().into(), default.into())?;
    let fine = value <= i64::from(*range.end());
    let help = format!("write a number from {} to {}", range.start(), range.end());
    reader.check(fine, path, format!("must be at most {}, but is {value}", range.end()), help);
    fine.then_some(value as u8)
}

/// Expressions in `[source]` are there to be used: splitting is on by default with them.
fn source(reader: &mut Reader<'_>) -> Option<SourceSplitting> {
    let terms = !reader.names("source").is_empty();
    let default = if terms { SourceSplitting::Godunov } else { SourceSplitting::None };
    let splitting = reader.choice("scheme.source", default)?;
    let ignored = terms && splitting == SourceSplitting::None;
    let help = "write \"godunov\" or \"strang\", or remove `[source]`";
    reader.check(!ignored, "scheme.source", "is \"none\", but the case has a `[source]`", help);
    Some(splitting)
}
