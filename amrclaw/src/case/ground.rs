//! The height of ground among the auxiliary values: a surface, of which cells get means.

use super::choice::Shore;
use super::names::choose_from;
use super::reader::Reader;
use super::settings::{CaseSettings, CellData, NamedExpression};
use super::shape::SolverShape;
use super::topography::{read_all, read_motions};
use crate::formula::{
    Expression, ExpressionCells, Given, GroundByCapacity, GroundFormula, GroundGrids, HeightGrid, KnownGround, Motion,
    MovingGround, Names, Syntax,
};
use crate::mesh::Geometry;
use std::sync::Arc;

/// The name that stands for cells' heights in formulas.
const NAME: &str = "height_of_ground";
/// The auxiliary value that is a height of ground unless the case names another.
const BOTTOM: &str = "bottom";

/// The ground of a case.
#[derive(Clone, Debug)]
pub(super) struct Ground {
    surface: Surface,
    /// The height of water at rest; infinitely low where cells get plain means.
    rest: f64,
    known: KnownGround,
    /// The capacity of cells, by which means are weighted.
    capacity: Option<Expression>,
    motions: Arc<[Motion]>,
}

/// What the surface is made of.
#[derive(Clone, Debug)]
enum Surface {
    /// The height at a point.
    Formula(Expression),
    Grids(Arc<[HeightGrid]>),
}

impl Ground {
    /// Keeps no heights that have been found for another finest level.
    pub fn forget(&mut self) {
        self.known = KnownGround::default();
    }

    /// The function that gives cells' heights. `finest`: cells of the finest level; `given`: values that the formula may use.
    pub fn cells<const D: usize>(&self, case: &CaseSettings, finest: [i32; D], given: &[Given<D>]) -> Given<D> {
        let still = self.still_cells(case, finest, given);
        if self.motions.is_empty() { still } else { Arc::new(MovingGround::new(still, self.motions.clone())) }
    }

    /// As it is before any motion.
    pub fn still_cells<const D: usize>(&self, case: &CaseSettings, finest: [i32; D], given: &[Given<D>]) -> Given<D> {
        let domain = case.mesh.domain::<D>();
        let finest = Geometry::new(domain.lower, domain.upper, finest);
        let cells = |expression: &Expression| {
            Arc::new(ExpressionCells::with_definitions(given.to_vec(), Vec::new(), vec![expression.clone()]))
        };
        let ground: Given<D> = match &self.surface {
            Surface::Formula(height) => {
                Arc::new(GroundFormula::new(cells(height), self.rest, finest, self.known.clone()))
            }
            Surface::Grids(grids) => Arc::new(GroundGrids::new(grids.clone())),
        };
        match &self.capacity {
            Some(capacity) => Arc::new(GroundByCapacity::new(ground, cells(capacity), self.rest, finest)),
            None => ground,
        }
    }
}

/// Takes the formula of a height of ground out of the case's auxiliary values and puts [`NAME`] in its place, with which `names` ends from
/// then on. `None` if there is neither a formula nor topography, or if cells get the formula's value at their centres.
pub(super) fn take(
    reader: &mut Reader<'_>,
    case: &CaseSettings,
    shape: &SolverShape,
    names: &mut Vec<String>,
    compiled_for: impl Fn(&[String]) -> Names,
) -> Option<(CaseSettings, Ground)> {
    let settings = &case.ground;
    let name = settings.value.as_deref().unwrap_or(BOTTOM);
    let (has_files, moves) = (!settings.topography.is_empty(), !settings.motions.is_empty());
    if !shape.aux.iter().any(|known| known == name) {
        let key = match (&settings.value, has_files) {
            (Some(_), _) => "ground.value",
            (None, true) => "topography",
            (None, false) if moves => "bottom_motion",
            (None, false) => "ground",
        };
        let message = format!("the solver `{}` has no auxiliary value `{name}`", shape.name);
        let help = match settings.value {
            Some(_) => choose_from(name, &shape.aux, "auxiliary value"),
            None => "write `value = \"NAME\"` under `[ground]` with the one that is a height of ground, or remove this"
                .to_owned(),
        };
        reader.check(reader.names("ground").is_empty() && !has_files && !moves, key, message, help);
        return None;
    }
    let has_boxes = case.mesh.mapping.is_none() && case.mesh.file.is_none() && shape.dimension < 3;
    let shore = settings.shore.unwrap_or(if has_boxes { Shore::Rest } else { Shore::Centre });
    let message = "on mapped meshes, meshes from files and in three dimensions cells get the value at their centre";
    reader.check(has_boxes || shore == Shore::Centre, "ground.shore", message, "write \"centre\", or remove the line");
    let rest = if shore == Shore::Rest { settings.sea_level } else { f64::NEG_INFINITY };
    let formula = match &case.aux {
        CellData::Expressions(fields) => fields.iter().find(|field| field.name == name),
        CellData::User => None,
    };
    let formula = formula.filter(|_| has_boxes && shore != Shore::Centre);
    let message = "moves means over cells that are boxes, in one or two dimensions, given by formula or topography";
    let fine = !moves || has_files || formula.is_some() || !reader.fine(&["aux"]);
    reader.check(fine, "bottom_motion", message, format!("write a formula of `t` for `aux.{name}`"));
    let motions = if moves { read_motions(reader, case).unwrap_or_default() } else { Arc::default() };
    let surface = match has_files {
        true => {
            let message = "gives means over cells that are boxes, in one or two dimensions";
            let fine = has_boxes && shore != Shore::Centre && may_give(reader, case, name);
            reader.check(fine || !reader.fine(&["aux"]), "topography", message, "write formulas under `[aux]`");
            let grids = if fine { read_all(reader, case, rest, &compiled_for(&[])) } else { None };
            // Without any a mistake has been noted.
            Surface::Grids(grids.unwrap_or_default())
        }
        false => {
            // Mistakes in it are noted where the other values are compiled.
            let height = formula?.syntax.compile(&compiled_for(names)).ok();
            Surface::Formula(height.filter(|height| moves || height.constant().is_none())?)
        }
    };
    let in_files = names.clone();
    names.push(NAME.to_owned());
    let own = NamedExpression {
        name: name.to_owned(),
        text: NAME.to_owned(),
        syntax: Syntax::parse(NAME).expect("a name"),
        key: format!("aux.{name}"),
    };
    let others: Vec<NamedExpression> = match &case.aux {
        CellData::Expressions(fields) => fields.iter().filter(|field| field.name != name).cloned().collect(),
        CellData::User => Vec::new(),
    };
    let of_capacity = |field: &&NamedExpression| case.scheme.capacity.as_ref() == Some(&field.name);
    // Mistakes in it are noted where the other values are compiled.
    let capacity =
        others.iter().find(of_capacity).and_then(|field| field.syntax.compile(&compiled_for(&in_files)).ok());
    let aux = CellData::Expressions(others.into_iter().chain([own]).collect());
    let ground = Ground { surface, rest, known: KnownGround::default(), capacity, motions };
    Some((CaseSettings { aux, ..case.clone() }, ground))
}

/// Notes that auxiliary values are given otherwise than by topography.
fn may_give(reader: &mut Reader<'_>, case: &CaseSettings, name: &str) -> bool {
    let key = match &case.aux {
        CellData::User => "aux".to_owned(),
        CellData::Expressions(fields) if fields.iter().any(|field| field.name == name) => format!("aux.{name}"),
        CellData::Expressions(_) => return true,
    };
    reader.wrong(&key, "cannot stand beside `[[topography]]`", "remove one of them");
    false
}
