//! `[scheme]`.

use crate::case::origin::Value;
use crate::case::reader::Reader;
use crate::case::settings::SchemeSettings;
use crate::physics::{SourceMethod, SourceSplit};
use riemann::limiter::Limiter;

/// Reads the numerical scheme.
pub fn read(reader: &mut Reader<'_>) -> SchemeSettings {
    // A mesh from a file has limiters of its own.
    let own = if reader.is_present("mesh.file") { None } else { reader.choices("scheme.limiter") };
    let limiter = own.unwrap_or(vec![Limiter::Mc]);
    let help = "write one limiter for all waves, or one per wave; \"none\" for no limiter";
    reader.check(!limiter.is_empty(), "scheme.limiter", "the list is empty", help);
    SchemeSettings {
        order: one_of(reader, "scheme.order", 1, 2),
        transverse: one_of(reader, "scheme.transverse", 0, 2),
        double_transverse: reader.boolean("scheme.double_transverse", true),
        split: reader.optional_choice("scheme.split"),
        limiter,
        source: source(reader),
        source_method: source_method(reader),
        capacity: reader.string("scheme.capacity").map(str::to_string),
        allow_unstable: reader.boolean("scheme.allow_unstable", false),
    }
}

/// A number from `lowest` to `highest`, which is the default.
fn one_of(reader: &mut Reader<'_>, path: &str, lowest: i64, highest: i64) -> u8 {
    let value = reader.integer(path, lowest, highest);
    let message = format!("must be at most {highest}, but is {value}");
    reader.check(value <= highest, path, message, format!("write a number from {lowest} to {highest}"));
    value.min(highest) as u8
}

/// Only rates of change by formulas can be differentiated.
fn source_method(reader: &mut Reader<'_>) -> SourceMethod {
    let method: SourceMethod = reader.optional_choice("scheme.source_method").unwrap_or_default();
    let lacks = method == SourceMethod::Implicit && reader.names("source").is_empty();
    let message = "is \"implicit\", but there are no formulas under `[source]`: a source of the solver or of a program integrates itself or \
                   gives no derivatives";
    let help = "give the source's rates of change as formulas under `[source]`, or write \"explicit\"";
    reader.check(!lacks, "scheme.source_method", message, help);
    method
}

/// The case has source terms, or leaves them to the solver or the program.
fn has_terms(reader: &Reader<'_>) -> bool {
    let by_word = reader.node("source").is_some_and(|node| matches!(node.value, Value::String(_)));
    by_word || !reader.names("source").is_empty()
}

/// Source terms are there to be used.
fn source(reader: &mut Reader<'_>) -> Option<SourceSplit> {
    let terms = has_terms(reader);
    let splitting = reader.optional_choice("scheme.source");
    let ignored = terms && splitting == Some(SourceSplit::None);
    let help = "write \"godunov\" or \"strang\", or remove `[source]`";
    reader.check(!ignored, "scheme.source", "is \"none\", but the case has a `[source]`", help);
    splitting
}
