// tidy: long because all that formulas of a case become is made here
//! A case that has been checked against its solver.

use super::check::Formulas;
use super::choice::{BoundaryKind, Criterion};
use super::define::primitives;
use super::ground::Ground;
use super::names::{parameters, reduced_parameters, solver_record, vocabulary, vocabulary_of_steps};
use super::settings::{AdjointSettings, CaseSettings, LevelSettings, NamedExpression, PlotSettings};
use super::settle::ResolvedSettings;
use super::shape::{SolverFormulas, SolverShape};
use crate::formula::{
    Definitions, Expression, ExpressionBoundary, ExpressionCells, ExpressionMap, Given, Names, RowExpressions,
    SourceExpressions, Syntax, cell_names, compile_on_mesh,
};
use crate::frames::Plot;
use crate::frames::derived::{Formula, FormulaError, Vocabulary, WholeFormula};
use crate::frames::run_json::SolverRecord;
use crate::mesh::{Mapping, examined};
use crate::physics::{FaceVariables, Quantity, ReducedParameters, SourceMethod, SourceSplit, StateFunction};
use std::ops::Deref;
use std::sync::Arc;
use unstructured::motion::MeshInTime;

/// A problem and how to solve it: the content of a case file, checked against its solver, with compiled formulas.
///
/// [`Case::load_with`] and [`Case::from_str_with`] make one; nothing of it is checked or compiled again.
#[derive(Clone, Debug)]
pub struct Case {
    settings: CaseSettings,
    shape: SolverShape,
    settled: ResolvedSettings,
    formulas: Formulas,
    /// Whether it is only looked at: see [`Case::examined`].
    is_examined: bool,
}

/// What differences or curvature are of.
pub enum CriterionField<const D: usize> {
    /// A quantity.
    Equation(usize),
    /// A formula of position, state, auxiliary values and their derivatives.
    Formula(Formula<D>),
    /// A function of the first three.
    Function(Arc<dyn StateFunction<D>>),
}

/// Parameters that change from step to step, if there are any. The formulas of a simulation share them.
type Reduced = Option<Arc<ReducedParameters>>;

/// Expressions of these parameters.
fn of_parameters(expressions: &[Expression], reduced: &Reduced) -> Vec<Expression> {
    expressions.iter().map(|expression| expression.clone().of_parameters(reduced.clone())).collect()
}

impl Deref for Case {
    type Target = CaseSettings;

    fn deref(&self) -> &CaseSettings {
        &self.settings
    }
}

impl Case {
    /// A case of settings that fit the solver, and their compiled formulas.
    pub(super) fn new(settings: CaseSettings, shape: SolverShape, formulas: Formulas) -> Self {
        Case { settled: settings.resolved_for(&shape), settings, shape, formulas, is_examined: false }
    }

    /// The case for checks on the coarsest level: mapped cells and heights of ground are found with few of the nodes that finer
    /// levels would have, whose number grows with each level.
    pub(crate) fn examined(&self) -> Self {
        let mut formulas = self.formulas.clone();
        if let Some(ground) = &mut formulas.ground {
            ground.forget();
        }
        Case { is_examined: true, formulas, ..self.clone() }
    }

    /// The finest level's number of cells along each axis.
    fn finest<const D: usize>(&self) -> [i32; D] {
        let (finest, coarsest) = (super::mapping::finest::<D>(&self.settings), self.settings.mesh.domain::<D>().cells);
        let step = std::array::from_fn(|d| finest[d] / coarsest[d]);
        if self.is_examined { examined(coarsest, step) } else { finest }
    }

    /// The solver that the case has been checked against.
    pub fn shape(&self) -> &SolverShape {
        &self.shape
    }

    /// The solver with all its parameters, of which some have changed.
    pub fn solver_record(&self, changed: &[(String, f64)]) -> SolverRecord {
        solver_record(&self.settings, &self.shape, changed)
    }

    /// Names that the formulas of output fields may use besides fields and positions: not the parameters that change from step to
    /// step.
    pub fn vocabulary(&self) -> Vocabulary {
        vocabulary(&self.settings, &self.shape)
    }

    /// Names and functions of `[define]`, with their formulas.
    pub fn definitions(&self) -> Vec<(String, String)> {
        self.define.iter().map(|one| (one.name.clone(), one.text.clone())).collect()
    }

    /// The pictures that the case asks for.
    pub fn plots(&self) -> Vec<Plot> {
        let texts = |formulas: &[NamedExpression]| formulas.iter().map(|one| one.text.clone()).collect::<Vec<_>>();
        let has_pressure = || {
            let quantities = self.vocabulary().formulas.into_iter().map(|(name, _)| name);
            quantities.chain(self.shape.equations.iter().cloned()).any(|name| name == "pressure")
        };
        let by_default = || if has_pressure() { "pressure".to_owned() } else { self.shape.equations[0].clone() };
        let of_settings = |PlotSettings { fields, vectors, land, plot }: &PlotSettings| Plot {
            fields: if fields.is_empty() { vec![by_default()] } else { texts(fields) },
            vectors: texts(vectors),
            land: land.as_ref().map(|one| one.text.clone()),
            ..plot.clone()
        };
        self.plot.iter().map(of_settings).collect()
    }

    /// The settings that the case leaves to its solver.
    pub fn settled(&self) -> &ResolvedSettings {
        &self.settled
    }

    /// Initial data, one value per equation; `None` if the solver or the program has its own.
    ///
    /// # Panics
    /// `D` is not the case's dimension. The same holds for the other functions that return formulas.
    pub fn initial_cells<const D: usize>(&self) -> Option<ExpressionCells<D>> {
        self.assert_dimension::<D>();
        let aux = self.formulas.aux.clone().unwrap_or_default();
        // Water at rest is so before the ground moves.
        let given = || self.given(|ground, given| ground.still_cells(&self.settings, self.finest(), given));
        self.formulas.initial.clone().map(|initial| ExpressionCells::with_definitions(given(), aux, initial))
    }

    /// The solver's own formulas that `formulas` selects, one for each value of a cell; `None` if it has none.
    pub fn cells_of_solver<const D: usize>(
        &self,
        formulas: impl Fn(&SolverFormulas) -> &Vec<String>,
    ) -> Option<ExpressionCells<D>> {
        self.assert_dimension::<D>();
        let known = self.shape.formulas.with_parameters(&parameters(&self.settings.solver, &self.shape));
        let texts: Vec<&str> = formulas(&known).iter().map(String::as_str).collect();
        ExpressionCells::compile(&texts).ok().filter(|_| !texts.is_empty())
    }

    /// Auxiliary values; `None` if the solver or the program has its own, or if there are none.
    pub fn aux_cells<const D: usize>(&self) -> Option<ExpressionCells<D>> {
        self.assert_dimension::<D>();
        self.formulas.aux.clone().filter(|aux| !aux.is_empty()).map(|aux| {
            let given = self.given(|ground, given| ground.cells(&self.settings, self.finest(), given));
            ExpressionCells::with_definitions(given, Vec::new(), aux)
        })
    }

    /// Values of cells from files.
    fn samples<const D: usize>(&self) -> Vec<Given<D>> {
        self.formulas.samples.iter().map(|samples| samples.clone() as _).collect()
    }

    /// What lies beyond a side, if expressions say it.
    fn beyond<const D: usize>(
        &self,
        side: &Option<Vec<Expression>>,
        reduced: &Reduced,
    ) -> Option<ExpressionBoundary<D>> {
        side.as_ref().map(|values| ExpressionBoundary::new(of_parameters(values, reduced), self.samples()))
    }

    /// Values of cells that initial data and auxiliary values may use.
    fn given<const D: usize>(&self, cells: impl Fn(&Ground, &[Given<D>]) -> Given<D>) -> Vec<Given<D>> {
        let mut given = self.samples();
        let ground = self.formulas.ground.as_ref().map(|ground| cells(ground, &given));
        given.extend(ground);
        given
    }

    /// Source terms dq/dt, one per equation; `None` without `[source]`. Further values of their rows: the
    /// equations, then the auxiliary values.
    pub fn source_terms<const D: usize>(&self, reduced: &Reduced) -> Option<SourceExpressions<D>> {
        self.assert_dimension::<D>();
        let implicit = self.settings.scheme.source_method == SourceMethod::Implicit;
        self.formulas.source.as_ref().map(|terms| SourceExpressions::new(of_parameters(terms, reduced), implicit))
    }

    /// The refinement criterion as a function, not zero where to refine, if the case gives an expression or tolerances of fields.
    /// Its values are the equations, then the auxiliary values.
    pub fn criterion<const D: usize>(&self, reduced: &Reduced) -> Option<Arc<dyn StateFunction<D>>> {
        self.assert_dimension::<D>();
        let (fields, vocabulary) = (&self.formulas.criterion_fields, self.vocabulary_of_steps(reduced));
        let formula = |syntax: &Syntax| Formula::of_syntax(syntax, fields, &vocabulary).expect("checked with the case");
        let (flag, jumps) = (&self.formulas.flag, &self.formulas.jumps);
        let whole = match self.regrid.flag.criterion {
            Criterion::User => flag.as_ref().map(formula),
            Criterion::Difference if jumps.is_empty() => None,
            Criterion::Difference => {
                Some(Formula::any_jump(jumps.iter().map(|(syntax, limit)| (formula(syntax), *limit)).collect()))
            }
            Criterion::Richardson | Criterion::Curvature | Criterion::Adjoint => None,
        };
        whole.map(|formula| {
            formula.criterion(self.shape.equations.len(), self.mapping::<D>().zip(self.mapping_formulas()))
        })
    }

    /// The fields whose differences or curvature flag cells of a mesh from a file, each with its tolerance: formulas of one
    /// value, or quantities by their numbers; or the formula that flags cells itself, if there is one.
    pub fn criterion_fields<const D: usize>(&self, reduced: &Reduced) -> Vec<(CriterionField<D>, f64)> {
        let (fields, vocabulary) = (&self.formulas.criterion_fields, self.vocabulary_of_steps(reduced));
        let (flag, num_eqn) = (&self.regrid.flag, self.shape.equations.len());
        let formula = |syntax: &Syntax| {
            let formula = Formula::of_syntax(syntax, fields, &vocabulary).expect("checked with the case");
            CriterionField::Formula(formula)
        };
        if flag.criterion == Criterion::User {
            return self.formulas.flag.iter().map(|syntax| (formula(syntax), 0.0)).collect();
        }
        let of_formula = |(syntax, tolerance): &(Syntax, f64)| {
            let text = syntax.to_string();
            let number = self.shape.equations.iter().position(|name| *name == text);
            (number.map_or_else(|| formula(syntax), CriterionField::Equation), *tolerance)
        };
        match (&self.formulas.jumps[..], flag.criterion) {
            ([], Criterion::Curvature) => vec![(CriterionField::Equation(0), flag.tolerance)],
            ([], _) => (0..num_eqn).map(|number| (CriterionField::Equation(number), flag.tolerance)).collect(),
            (jumps, _) => jumps.iter().map(of_formula).collect(),
        }
    }

    /// The case on another mesh with sides of the same names.
    pub(crate) fn on_mesh(&self, mesh: Arc<unstructured::Mesh>, leaves: Arc<unstructured::adapt::Leaves>) -> Case {
        let mut case = self.clone();
        let settings = &mut case.settings.mesh;
        (settings.cells[0], settings.upper[0]) = (mesh.num_cells() as i32, mesh.num_cells() as f64);
        let file = settings.file.as_mut().expect("a case on a mesh from a file");
        (file.mesh, file.leaves) = (mesh, Some(leaves));
        case
    }

    /// Formulas of where the nodes of a mesh from a file are, if it moves.
    pub(crate) fn motion(&self) -> Option<&[Expression]> {
        self.formulas.motion.as_deref()
    }

    /// Curves of sides of a mesh from a file.
    pub(super) fn curves(&self) -> &[(usize, Vec<Expression>)] {
        &self.formulas.curves
    }

    /// The same equations on one level of the adjoint problem's cells, with the functional as data at time 0, to the time between
    /// the run's start and the window's end.
    pub(crate) fn of_adjoint(&self, adjoint: &AdjointSettings) -> Case {
        let mut case = self.clone();
        let settings = &mut case.settings;
        settings.levels = LevelSettings { max: 1, ratio: Vec::new(), ratio_time: None };
        settings.mesh.cells.clone_from(&adjoint.cells);
        let time = &mut settings.time;
        (time.end, time.start) = (adjoint.window[1] - time.start, 0.0);
        (time.dt, time.growth_limit, time.stop_when) = (None, 0.0, None);
        let open = |side: &mut BoundaryKind| {
            if matches!(side, BoundaryKind::Inflow | BoundaryKind::User) {
                *side = BoundaryKind::Extrapolate;
            }
        };
        settings.mesh.boundary.as_flattened_mut().iter_mut().for_each(open);
        settings.regrid.flag.criterion = Criterion::Difference;
        settings.regrid.region.clear();
        settings.gauge.clear();
        case.formulas.initial.clone_from(&self.formulas.functional);
        (case.formulas.jumps, case.formulas.stop) = (Vec::new(), None);
        if self.formulas.about.is_some() {
            // What a solver adds to small waves at rest, such as friction, is left out.
            (case.settings.scheme.source, case.settled.source) = (Some(SourceSplit::None), SourceSplit::None);
        }
        case
    }

    /// The state at rest on which the adjoint's waves are small, of the equations and auxiliary values; `None` of linear
    /// equations.
    pub(crate) fn state_at_rest<const D: usize>(&self) -> Option<Arc<dyn StateFunction<D>>> {
        let (fields, vocabulary) = (&self.formulas.criterion_fields, self.vocabulary());
        let formula = |syntax| Formula::of_syntax(syntax, fields, &vocabulary).expect("checked with the case");
        let formulas: Vec<Formula<D>> = self.formulas.about.as_ref()?.iter().map(formula).collect();
        Some(Arc::new(Formula::together(formulas.iter())))
    }

    /// The condition for an end of the run before its time, not zero where it holds.
    pub fn stop_condition<const D: usize>(&self, reduced: &Reduced) -> Option<WholeFormula<D>> {
        self.formulas.stop.as_ref().map(|stop| self.of_whole(stop, &self.vocabulary_of_steps(reduced)))
    }

    /// The solver's parameters that change from step to step, in the order of `reduce`, with their values before the first step;
    /// `None` if there are none.
    pub fn reduced_parameters(&self) -> Reduced {
        reduced_parameters(&self.settings, &self.shape)
    }

    /// The formulas of the values that these parameters get before each step.
    pub fn reductions<const D: usize>(&self) -> Vec<WholeFormula<D>> {
        self.formulas.reduced.iter().map(|formula| self.of_whole(formula, &self.vocabulary())).collect()
    }

    fn of_whole<const D: usize>(&self, formula: &Syntax, vocabulary: &Vocabulary) -> WholeFormula<D> {
        self.assert_dimension::<D>();
        let names = [self.shape.equations.as_slice(), &self.shape.aux];
        WholeFormula::of_syntax(formula, names, vocabulary).expect("checked with the case")
    }

    fn vocabulary_of_steps(&self, reduced: &Reduced) -> Vocabulary {
        vocabulary_of_steps(&self.settings, &self.shape, reduced.clone())
    }

    /// Per axis, the values beyond its lower and its upper side, where the case gives formulas for them.
    pub fn inflow<const D: usize>(&self, reduced: &Reduced) -> [[Option<ExpressionBoundary<D>>; 2]; D] {
        self.assert_dimension::<D>();
        let sides =
            |d: usize| self.formulas.inflow.get(d).map(|sides| sides.each_ref().map(|side| self.beyond(side, reduced)));
        std::array::from_fn(|d| sides(d).unwrap_or([None, None]))
    }

    /// Of each name of the sides of a mesh from a file the values beyond it, where the case gives formulas for them.
    pub fn inflow_of_mesh<const D: usize>(&self, reduced: &Reduced) -> Vec<Option<ExpressionBoundary<D>>> {
        self.assert_dimension::<D>();
        self.formulas.inflow_of_mesh.iter().map(|side| self.beyond(side, reduced)).collect()
    }

    /// The solver's primitive variables, which it has: checked with the case.
    pub fn primitive_variables<const D: usize>(&self) -> FaceVariables<D> {
        let known = primitives(&self.settings, &self.shape).expect("checked with the case");
        let (shape, vocabulary) = (&self.shape, self.vocabulary());
        let fields = [shape.equations.as_slice(), &shape.aux].concat();
        let of_name = |name: &String| Formula::<D>::new(name, &fields, &vocabulary).expect("a quantity of the solver");
        let variables = [cell_names(D).as_slice(), &known.names, &shape.aux].concat();
        let names = Names { variables, constants: vocabulary.constants.clone(), ..Names::default() };
        let of_text = |text: &String| Expression::compile(text, &names).expect("a formula of the solver");
        let primitive: Vec<Formula<D>> = known.names.iter().map(of_name).collect();
        FaceVariables {
            primitive: Arc::new(Formula::together(primitive.iter())),
            conserved: Arc::new(RowExpressions::new(known.conserved.iter().map(of_text).collect())),
        }
    }

    /// The map from computational to physical coordinates, if the mesh is mapped or from a file.
    pub fn mapping<const D: usize>(&self) -> Option<Arc<Mapping<D>>> {
        self.assert_dimension::<D>();
        if let Some(file) = &self.settings.mesh.file {
            let mesh = Arc::new(MeshInTime::new(file.mesh.clone(), None));
            return Some(Arc::new(crate::physics::centroids(&mesh)));
        }
        let formulas = self.formulas.mapping.as_deref()?;
        Some(Arc::new(super::mapping::mapping(&self.settings, formulas, self.finest())))
    }

    /// The formulas of the mapping, if the mesh is mapped.
    pub fn mapping_formulas(&self) -> Option<crate::physics::Formulas> {
        if self.settings.mesh.file.is_some() {
            // Where a function is evaluated is the cell's centroid, and its position that.
            let mut formulas = crate::physics::Formulas::default();
            for d in 0..self.shape().dimension {
                let centre = formulas.quantity(Quantity::Centre(d));
                formulas.give(centre);
            }
            return Some(formulas);
        }
        self.formulas.mapping.as_ref().map(|formulas| ExpressionMap::new(formulas.clone()).formulas())
    }

    /// The formulas of the mapping as text, with the values of parameters: frames store them.
    pub fn mapping_texts(&self) -> Vec<String> {
        self.mesh
            .mapping
            .iter()
            .flat_map(|mapping| mapping.formulas.iter().map(|formula| formula.text.clone()))
            .collect()
    }

    /// A formula with the names of `[define]` replaced by what they stand for.
    ///
    /// # Errors
    /// Says what is wrong with the formula.
    pub fn defined(&self, text: &str) -> Result<String, String> {
        let given: Vec<(&str, &Syntax)> = self.define.iter().map(|one| (one.name.as_str(), &one.syntax)).collect();
        let (definitions, _) = Definitions::new(&given);
        let error = |error| FormulaError::first(text, vec![error]).to_string();
        let syntax = Syntax::parse(text).map_err(error)?;
        let (own, whole) = (syntax.to_string(), definitions.put_in(&syntax).map_err(error)?.to_string());
        // Messages show what the user wrote where it is the whole formula.
        Ok(if whole == own { text.to_owned() } else { whole })
    }

    /// Checks that these pairs of an equation's name and a formula of position and time can be compared with the solution.
    ///
    /// # Errors
    /// Says what is wrong with the first that cannot.
    pub fn check_exact(&self, formulas: &[(String, String)]) -> Result<(), String> {
        let names = Names {
            variables: cell_names(self.dimension()),
            constants: self.vocabulary().constants,
            ..Names::default()
        };
        let mapping = self.mapping_texts();
        for (name, text) in formulas {
            if !self.shape.equations.contains(name) {
                return Err(format!("there is no equation `{name}`"));
            }
            compile_on_mesh(text, &mapping, &names).map_err(|errors| FormulaError::first(text, errors).to_string())?;
        }
        Ok(())
    }

    fn assert_dimension<const D: usize>(&self) {
        assert_eq!(D, self.dimension(), "the case has another dimension");
    }
}
