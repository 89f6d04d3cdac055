//! The height of ground among the auxiliary values: the case's formula for it is a surface, of which cells get means.

use super::choice::Shore;
use super::names::choose_from;
use super::reader::Reader;
use super::settings::{CaseSettings, CellData, NamedExpression};
use super::shape::SolverShape;
use crate::formula::{Expression, ExpressionCells, Given, GroundFormula, KnownGround, Names, Syntax};
use crate::mesh::Geometry;
use std::sync::Arc;

/// The name that stands for cells' heights in formulas.
const NAME: &str = "height_of_ground";
/// The auxiliary value that is a height of ground unless the case names another.
const BOTTOM: &str = "bottom";

/// The ground of a case.
#[derive(Clone, Debug)]
pub(super) struct Ground {
    /// The height at a point.
    height: Expression,
    /// The height of water at rest; infinitely low where cells get plain means.
    rest: f64,
    known: KnownGround,
}

impl Ground {
    /// The function that gives cells' heights. `given`: values that the formula may use.
    pub fn cells<const D: usize>(&self, case: &CaseSettings, given: &[Given<D>]) -> Given<D> {
        let height = ExpressionCells::with_definitions(given.to_vec(), Vec::new(), vec![self.height.clone()]);
        let finest = super::mapping::finest::<D>(case);
        let domain = super::mapping::domain::<D>(&case.mesh);
        let finest = Geometry::new(domain.lower, domain.upper, finest);
        Arc::new(GroundFormula::new(Arc::new(height), self.rest, finest, self.known.clone()))
    }
}

/// Takes the formula of a height of ground out of the case's auxiliary values and puts [`NAME`] in its place, with which `names` ends from
/// then on. `None` if there is no such formula, or if cells get its value at their centres.
pub(super) fn take(
    reader: &mut Reader<'_>,
    case: &CaseSettings,
    shape: &SolverShape,
    names: &mut Vec<String>,
    compiled_for: impl Fn(&[String]) -> Names,
) -> Option<(CaseSettings, Ground)> {
    let settings = &case.ground;
    let name = settings.value.as_deref().unwrap_or(BOTTOM);
    if !shape.aux.iter().any(|known| known == name) {
        let key = if settings.value.is_some() { "ground.value" } else { "ground" };
        let message = format!("the solver `{}` has no auxiliary value `{name}`", shape.name);
        let help = match settings.value {
            Some(_) => choose_from(name, &shape.aux, "auxiliary value"),
            None => "write `value = \"NAME\"` with the one that is a height of ground, or remove the table".to_owned(),
        };
        reader.check(reader.names("ground").is_empty(), key, message, help);
        return None;
    }
    let has_boxes = case.mesh.mapping.is_none() && case.mesh.file.is_none() && shape.dimension < 3;
    let shore = settings.shore.unwrap_or(if has_boxes { Shore::Rest } else { Shore::Centre });
    let message = "on mapped meshes, meshes from files and in three dimensions cells get the value at their centre";
    reader.check(has_boxes || shore == Shore::Centre, "ground.shore", message, "write \"centre\", or remove the line");
    let CellData::Expressions(fields) = &case.aux else { return None };
    let field = fields.iter().find(|field| field.name == name && has_boxes && shore != Shore::Centre)?;
    // Mistakes in it are noted where the other values are compiled.
    let height = field.syntax.compile(&compiled_for(names)).ok().filter(|height| height.constant().is_none())?;
    names.push(NAME.to_owned());
    let syntax = Syntax::parse(NAME).expect("a name");
    let put = |field: &NamedExpression| match field.name == name {
        true => NamedExpression { text: NAME.to_owned(), syntax: syntax.clone(), ..field.clone() },
        false => field.clone(),
    };
    let aux = CellData::Expressions(fields.iter().map(put).collect());
    let rest = if shore == Shore::Rest { settings.sea_level } else { f64::NEG_INFINITY };
    Some((CaseSettings { aux, ..case.clone() }, Ground { height, rest, known: KnownGround::default() }))
}
