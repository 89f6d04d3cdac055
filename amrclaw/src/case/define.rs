//! `[define]`: names and functions that formulas of the case may use.

use super::names::{parameters, reduced_parameters, vocabulary_of_steps};
use super::reader::Reader;
use super::sections::fields::PRIMITIVE;
use super::settings::{CaseSettings, CellData, NamedExpression, SolverFrom};
use super::shape::SolverShape;
use crate::formula::{Definitions, ExpressionError, Head, Syntax, is_free_name, reduction_name, reserved_names};
use crate::frames::derived::{Formula, Vocabulary, primitive_variables};
use crate::index::in_dimensions;
use riemann::frame::geometry;

/// Most names: each is compared with all others.
const MOST: usize = 500;

/// Checks `[define]` and replaces its names in all formulas of the case. `mapping_is_own`: the mapping's formulas are the case's.
pub(super) fn put_in(reader: &mut Reader<'_>, case: &mut CaseSettings, shape: &SolverShape, mapping_is_own: bool) {
    let message = format!("has {} names, more than {MOST}", case.define.len());
    reader.check(case.define.len() <= MOST, "define", message, "write longer formulas under fewer names");
    case.define.truncate(MOST);
    let heads: Vec<Option<Head>> = case.define.iter().map(|one| Head::parse(&one.name)).collect();
    let one = Syntax::number(1.0);
    let check = Check::new(case, shape, &heads);
    let right: Vec<bool> = case.define.iter().zip(&heads).map(|(given, head)| check.of(reader, given, head)).collect();
    let given = case.define.iter().zip(&right).map(|(definition, right)| {
        let syntax = if *right { &definition.syntax } else { &one };
        (definition.name.as_str(), syntax)
    });
    let (definitions, wrong) = Definitions::new(&given.collect::<Vec<_>>());
    for (number, error) in wrong {
        reader.wrong_formula(&case.define[number].key, error);
    }
    remark_unused(case, &heads);
    let numbers: Vec<(String, Syntax)> =
        parameters(&case.solver, shape).into_iter().map(|(name, value)| (name, Syntax::number(value))).collect();
    let (numbers, _) =
        Definitions::new(&numbers.iter().map(|(name, value)| (name.as_str(), value)).collect::<Vec<_>>());
    let mut note = |key: &str, error: ExpressionError| reader.wrong_formula(key, error);
    for (formula, of_mapping) in formulas(case) {
        let put = match of_mapping {
            // Frames contain these formulas, and are read without the solver.
            true if mapping_is_own => definitions.put_in(&formula.syntax).and_then(|syntax| numbers.put_in(&syntax)),
            _ => definitions.put_in(&formula.syntax),
        };
        match put {
            Ok(syntax) if syntax != formula.syntax => {
                (formula.text, formula.syntax) = (syntax.to_string(), syntax);
            }
            Ok(_) => {}
            Err(error) => note(&formula.key.clone(), error),
        }
    }
}

/// Replaces in initial data the names of equations, or of primitive variables, by their initial data.
pub(super) fn order_initial(reader: &mut Reader<'_>, case: &mut CaseSettings, shape: &SolverShape) {
    let primitive = primitives(case, shape).map_or(Vec::new(), |known| known.names);
    put_in_each_other(reader, &mut case.primitive, "initial.primitive", |name| {
        primitive.iter().any(|known| known == name)
    });
    if let CellData::Expressions(fields) = &mut case.initial {
        put_in_each_other(reader, fields, "initial", |name| shape.equations.iter().any(|equation| equation == name));
    }
}

/// Primitive variables of a case's solver, and its equations' quantities as formulas over them.
pub(super) struct PrimitiveVariables {
    pub names: Vec<String>,
    pub conserved: Vec<String>,
}

/// The primitive variables of the case's solver, if it has any.
pub(super) fn primitives(case: &CaseSettings, shape: &SolverShape) -> Option<PrimitiveVariables> {
    if !shape.formulas.conserved.is_empty() {
        let formulas = shape.formulas.with_parameters(&parameters(&case.solver, shape));
        return Some(PrimitiveVariables { names: formulas.primitive, conserved: formulas.conserved });
    }
    let SolverFrom::Name(name) = &case.solver.from else { return None };
    let known = primitive_variables(name, shape.dimension)?;
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Some(PrimitiveVariables { names: owned(known.variables), conserved: owned(known.conserved) })
}

/// The formulas of conserved quantities, of right formulas of primitive variables.
pub(super) fn conserved(case: &CaseSettings, known: &PrimitiveVariables, shape: &SolverShape) -> Vec<NamedExpression> {
    let given: Vec<(&str, &Syntax)> = case.primitive.iter().map(|field| (field.name.as_str(), &field.syntax)).collect();
    let (definitions, _) = Definitions::new(&given);
    // A parameter without a value has been noted.
    let put = |text: &str| Syntax::parse(text).and_then(|syntax| definitions.put_in(&syntax));
    let of_equation = |(name, text): (&String, &String)| {
        let syntax = put(text).unwrap_or_else(|_| Syntax::number(1.0));
        NamedExpression { name: name.clone(), text: syntax.to_string(), syntax, key: PRIMITIVE.to_owned() }
    };
    shape.equations.iter().zip(&known.conserved).map(of_equation).collect()
}

/// Replaces in formulas the names of those that are `wanted`.
fn put_in_each_other(
    reader: &mut Reader<'_>,
    fields: &mut [NamedExpression],
    section: &str,
    wanted: impl Fn(&str) -> bool,
) {
    let given: Vec<(&str, &Syntax)> =
        (fields.iter()).filter(|field| wanted(&field.name)).map(|field| (field.name.as_str(), &field.syntax)).collect();
    let (definitions, wrong) = Definitions::new(&given);
    let keys: Vec<String> = given.iter().map(|(name, _)| format!("{section}.{name}")).collect();
    wrong.into_iter().for_each(|(number, error)| reader.wrong_formula(&keys[number], error));
    for field in fields {
        // A formula that is too long or in a circle has been noted.
        field.syntax = definitions.put_in(&field.syntax).unwrap_or_else(|_| Syntax::number(1.0));
    }
}

/// All formulas of a case, and whether they are the mapping's.
pub(super) fn formulas(case: &mut CaseSettings) -> Vec<(&mut NamedExpression, bool)> {
    let cells = [&mut case.initial, &mut case.aux, &mut case.source].into_iter().filter_map(|data| match data {
        CellData::Expressions(fields) => Some(fields),
        CellData::User => None,
    });
    let cells = cells.chain([&mut case.primitive]);
    let inflow = case.inflow.iter_mut().flat_map(|table| &mut table.values);
    let others = case.regrid.flag.expression.iter_mut().chain(&mut case.time.stop_when).chain(&mut case.fields);
    let others = others.chain(&mut case.reduce).chain(case.output.forces.iter_mut().map(|force| &mut force.value));
    let monitors = case.monitor.iter_mut().flat_map(|monitor| &mut monitor.values);
    let others = others.chain(monitors.map(|(_, formula)| formula));
    let plots = case.plot.iter_mut();
    let others =
        others.chain(plots.flat_map(|plot| plot.fields.iter_mut().chain(&mut plot.vectors).chain(&mut plot.land)));
    let tolerances = case.regrid.flag.tolerances.iter_mut().map(|(field, _)| field);
    let functional =
        case.regrid.flag.adjoint.iter_mut().flat_map(|adjoint| adjoint.functional.iter_mut().chain(&mut adjoint.about));
    let others = others.chain(tolerances).chain(functional);
    let others = others.chain(case.mesh.file.iter_mut().flat_map(|file| {
        let curves = file.curves.iter_mut().flat_map(|(_, formulas)| formulas);
        file.motion.iter_mut().chain(curves)
    }));
    let mapping = case.mesh.mapping.iter_mut().flat_map(|mapping| &mut mapping.formulas);
    let plain = cells.flatten().chain(inflow).chain(others).map(|formula| (formula, false));
    plain.chain(mapping.map(|formula| (formula, true))).collect()
}

/// What each definition is checked against.
struct Check<'a> {
    shape: &'a SolverShape,
    dimension: usize,
    /// Those of all definitions that have one.
    heads: Vec<&'a Head>,
    /// Each function as the sum of its arguments: in place of a call, it lets what stands in the call be checked.
    sums: Definitions,
    reserved: Vec<String>,
    vocabulary: Vocabulary,
    mapped: Vec<String>,
    /// What a formula may name besides its arguments.
    fields: Vec<String>,
}

impl<'a> Check<'a> {
    fn new(case: &CaseSettings, shape: &'a SolverShape, heads: &'a [Option<Head>]) -> Self {
        let heads: Vec<&Head> = heads.iter().flatten().collect();
        let (values, functions): (Vec<&Head>, Vec<&Head>) =
            heads.iter().copied().partition(|head| head.arguments.is_empty());
        let sum = |head: &&Head| Some((head.to_string(), Syntax::parse(&head.arguments.join(" + ")).ok()?));
        let sums: Vec<(String, Syntax)> = functions.iter().filter_map(sum).collect();
        let (sums, _) = Definitions::new(&sums.iter().map(|(head, sum)| (head.as_str(), sum)).collect::<Vec<_>>());
        let mapped = of_mapped_cells(case);
        let names = values.iter().map(|head| &head.name);
        let fields = shape.equations.iter().chain(&shape.aux).chain(&mapped).chain(names).cloned().collect();
        let vocabulary = vocabulary_of_steps(case, shape, reduced_parameters(case, shape));
        let dimension = case.mesh.cells.len().max(1);
        Check { shape, dimension, heads, sums, reserved: reserved_names(), vocabulary, mapped, fields }
    }

    /// Notes what is wrong with a definition by itself; true if nothing is.
    fn of(&self, reader: &mut Reader<'_>, definition: &NamedExpression, head: &Option<Head>) -> bool {
        if let Some((message, help)) = self.wrong_head(&definition.name, head.as_ref()) {
            let place = reader.place_of_name("define", &definition.name);
            reader.wrong_at(place, &definition.key, message, help.to_owned());
            return false;
        }
        let arguments = head.iter().flat_map(|head| &head.arguments);
        let mut fields: Vec<String> = self.fields.iter().chain(arguments).cloned().collect();
        // The names of reductions' values cannot be in a formula.
        let syntax = self.sums.put_in(&definition.syntax).map_err(|error| reader.wrong_formula(&definition.key, error));
        let Ok(syntax) = syntax else { return false };
        let (outer, reductions) = syntax.without_reductions();
        fields.extend((0..reductions.len()).map(reduction_name));
        let mut parts = std::iter::once(&outer).chain(reductions.iter().map(|reduction| &reduction.of));
        let wrong = parts.find_map(|part| wrong_in(self.dimension, part, &fields, &self.vocabulary));
        let right = wrong.is_none();
        wrong.into_iter().for_each(|error| reader.wrong_formula(&definition.key, error));
        right
    }

    /// What is wrong with what is defined, and what to write instead.
    fn wrong_head(&self, text: &str, head: Option<&Head>) -> Option<(String, &'static str)> {
        let Some(Head { name, arguments }) = head else {
            let message = format!("`{text}` is not a function of different names");
            return Some((message, "write as `\"f(a, b)\"`"));
        };
        let is_reserved = self.reserved.contains(name);
        if !is_reserved && !is_free_name(name) {
            let message = format!("`{name}` is not a name that formulas can hold");
            return Some((message, "write letters, digits and `_`, a letter first"));
        }
        let is_defined = |name: &String| self.heads.iter().filter(|other| other.name == *name).count();
        let SolverShape { equations, aux, parameters, .. } = self.shape;
        let of_solver = [
            ("an equation", equations.contains(name)),
            ("an auxiliary value", aux.contains(name)),
            ("a parameter", parameters.iter().any(|parameter| parameter.name == *name)),
            ("a quantity", self.vocabulary.formulas.iter().any(|(quantity, _)| quantity == name)),
        ];
        let message = if let Some(argument) = arguments.iter().find(|argument| is_defined(argument) > 0) {
            format!("the argument `{argument}` is defined too")
        } else if is_reserved {
            format!("`{name}` means something else in formulas")
        } else if is_defined(name) > 1 {
            format!("`{name}` is defined twice")
        } else if let Some((what, _)) = of_solver.iter().find(|(_, is_there)| *is_there) {
            format!("the solver `{}` has {what} `{name}`", self.shape.name)
        } else if self.mapped.contains(name) {
            format!("`{name}` is a value of mapped cells")
        } else {
            return None;
        };
        Some((message, "give it another name"))
    }
}

/// What is wrong with a formula over these fields, if anything is.
pub(super) fn wrong_in(
    dimension: usize,
    syntax: &Syntax,
    fields: &[String],
    vocabulary: &Vocabulary,
) -> Option<ExpressionError> {
    in_dimensions!(dimension, D => Formula::<D>::of_syntax(syntax, fields, vocabulary).err())
}

/// How many cells away the values lie that a right formula reads.
pub(super) fn depth_in(dimension: usize, syntax: &Syntax, fields: &[String], vocabulary: &Vocabulary) -> i32 {
    in_dimensions!(dimension, D => Formula::<D>::of_syntax(syntax, fields, vocabulary).map_or(0, |formula| formula.reach()))
}

/// Names of computational positions and of the cells' geometry; none on a straight mesh.
fn of_mapped_cells(case: &CaseSettings) -> Vec<String> {
    let Some(axes) = case.mesh.mapping.as_ref().map(|_| case.mesh.cells.len()) else { return Vec::new() };
    let names = |axis: &str| [axis.to_owned(), format!("{axis}_lower"), format!("{axis}_upper"), format!("d{axis}")];
    let computational = ["X", "Y", "Z"].into_iter().take(axes).flat_map(names);
    computational.chain(geometry(axes).iter().map(|(name, _)| (*name).to_owned())).collect()
}

/// Remarks on names that no formula uses.
fn remark_unused(case: &mut CaseSettings, heads: &[Option<Head>]) {
    let mut used: Vec<String> = case.define.iter().flat_map(|one| one.syntax.names()).map(|(name, _)| name).collect();
    used.extend(formulas(case).iter().flat_map(|(formula, _)| formula.syntax.names()).map(|(name, _)| name));
    let is_used = |head: &Option<Head>| head.as_ref().is_some_and(|head| used.contains(&head.name));
    let unused = case.define.iter().zip(heads).filter(|(_, head)| !is_used(head));
    let remarks = unused.map(|(one, _)| format!("{}: has no effect: no formula uses it", one.key));
    case.remarks.extend(remarks.collect::<Vec<_>>());
}
