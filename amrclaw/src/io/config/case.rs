//! A case that has been checked against its solver.

use super::check::Formulas;
use super::names::parameters;
use super::settings::CaseSettings;
use super::settle::Settled;
use super::shape::{SolverFormulas, SolverShape};
use crate::io::derived::FormulaError;
use crate::io::expression::{
    ExpressionBoundary, ExpressionCells, ExpressionMap, Names, RowExpressions, cell_names, compile_on_mesh,
};
use crate::mesh::Mapping;
use std::ops::Deref;
use std::sync::Arc;

/// A problem and how to solve it: what a case file says, found to be right and to fit its solver, its formulas compiled.
///
/// [`Case::load_with`] and [`Case::from_str_with`] make one; nothing of it is checked or compiled again.
#[derive(Clone, Debug)]
pub struct Case {
    settings: CaseSettings,
    shape: SolverShape,
    settled: Settled,
    formulas: Formulas,
}

impl Deref for Case {
    type Target = CaseSettings;

    fn deref(&self) -> &CaseSettings {
        &self.settings
    }
}

impl Case {
    /// Of settings that fit a solver, and the formulas in them.
    pub(super) fn new(settings: CaseSettings, shape: SolverShape, formulas: Formulas) -> Self {
        Case { settled: settings.settled_for(&shape), settings, shape, formulas }
    }

    /// The solver that the case has been checked against.
    pub fn shape(&self) -> &SolverShape {
        &self.shape
    }

    /// The settings that the case leaves to its solver.
    pub fn settled(&self) -> &Settled {
        &self.settled
    }

    /// Initial data, one value per equation; `None` if the solver or the program has its own.
    ///
    /// # Panics
    /// `D` is not the case's dimension; so do the other functions of formulas.
    pub fn initial_cells<const D: usize>(&self) -> Option<ExpressionCells<D>> {
        self.assert_dimension::<D>();
        let aux = self.formulas.aux.clone().unwrap_or_default();
        self.formulas.initial.clone().map(|initial| ExpressionCells::with_definitions(aux, initial))
    }

    /// Formulas of the solver's own for cells, one for each value; `None` without any.
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
        self.formulas.aux.clone().filter(|aux| !aux.is_empty()).map(ExpressionCells::new)
    }

    /// Source terms dq/dt, one per equation; `None` without `[source]`. Further values of their rows: the
    /// equations, then the auxiliary values.
    pub fn source_terms<const D: usize>(&self) -> Option<RowExpressions<D>> {
        self.assert_dimension::<D>();
        self.formulas.source.clone().map(RowExpressions::asked_again)
    }

    /// The refinement criterion as an expression, not zero where to refine. Further values of its rows: the
    /// equations, then the auxiliary values.
    pub fn flag_expression<const D: usize>(&self) -> Option<RowExpressions<D>> {
        self.assert_dimension::<D>();
        self.formulas.flag.clone().map(|flag| RowExpressions::new(vec![flag]))
    }

    /// Per axis, the values beyond its lower and its upper side, where the case gives formulas for them.
    pub fn inflow<const D: usize>(&self) -> [[Option<ExpressionBoundary<D>>; 2]; D] {
        self.assert_dimension::<D>();
        std::array::from_fn(|d| self.formulas.inflow[d].clone().map(|side| side.map(ExpressionBoundary::new)))
    }

    /// Where computational points lie, if the mesh is mapped.
    pub fn mapping<const D: usize>(&self) -> Option<Arc<Mapping<D>>> {
        self.assert_dimension::<D>();
        self.formulas.mapping.as_deref().map(|formulas| Arc::new(super::mapping::mapping(&self.settings, formulas)))
    }

    /// The formulas of the mapping, if the mesh is mapped.
    pub fn mapping_formulas(&self) -> Option<crate::physics::Formulas> {
        self.formulas.mapping.as_ref().map(|formulas| ExpressionMap::new(formulas.clone()).formulas())
    }

    /// The same as they are written, parameters filled in: what a frame says of its mesh.
    pub fn mapping_texts(&self) -> Vec<String> {
        self.mesh
            .mapping
            .iter()
            .flat_map(|mapping| mapping.formulas.iter().map(|formula| formula.text.clone()))
            .collect()
    }

    /// Whether formulas of position and time can be compared with the solution, each with its equation's name.
    ///
    /// # Errors
    /// The first one that cannot, in words.
    pub fn check_exact(&self, formulas: &[(String, String)]) -> Result<(), String> {
        let names = Names { variables: cell_names(self.dimension()), constants: self.vocabulary().constants };
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
