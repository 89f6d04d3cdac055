//! What a plugin says of its solver.

use super::abi::Description;
use super::{List, Parameter, Text};
use crate::group::Group;
use crate::solver::{Described, Solver};

/// The description of a solver. `has_single`: it has kernels in `f32`.
pub(super) fn describe<S, const M: usize, const W: usize, const A: usize>(has_single: bool) -> Description
where
    S: Solver<M, W, A> + Described,
{
    let texts = |names: &[&'static str]| List::leak(names.iter().map(|name| Text::new(name)).collect());
    let parameters = S::PARAMETERS.iter().map(|p| Parameter {
        name: Text::new(p.name),
        about: Text::new(p.about),
        check: p.check as u8,
        has_default: p.default.is_some(),
        default: p.default.unwrap_or(0.0),
    });
    let groups = |groups: &[Group]| List::leak(groups.iter().map(|group| [group.kind as u32, group.first]).collect());
    let formulas = &S::FORMULAS;
    let in_turns = |pairs: &[(&'static str, &'static str)]| -> Vec<_> {
        pairs.iter().flat_map(|&(name, formula)| [name, formula]).collect()
    };
    let (quantities, primitive) = (in_turns(formulas.quantities), in_turns(formulas.primitive));
    let [of_position, of_state] =
        [[formulas.initial, formulas.aux_values, formulas.mapping], [&quantities[..], &primitive, formulas.conserved]];
    let [initial, aux_values, mapping] = of_position.map(texts);
    let [quantities, primitive, conserved] = of_state.map(texts);
    Description {
        name: Text::new(S::NAME),
        title: Text::new(S::TITLE),
        dim: S::DIM as u32,
        waves: W as u32,
        equations: texts(&S::EQUATIONS),
        aux: texts(&S::AUX),
        aux_face: List::leak(S::AUX_FACE.iter().map(|face| face.map_or(-1, |axis| axis.index() as i32)).collect()),
        groups: groups(S::GROUPS),
        aux_groups: groups(S::AUX_GROUPS),
        directions: S::DIRECTIONS,
        parameters: List::leak(parameters.collect()),
        positive: texts(S::POSITIVE),
        nonnegative: texts(S::NONNEGATIVE),
        formulas: [initial, aux_values, mapping, quantities, primitive, conserved],
        fwaves: S::FWAVES,
        has_transverse: S::HAS_TRANSVERSE,
        has_source: S::HAS_SOURCE,
        has_initial: S::HAS_INITIAL,
        has_aux: S::HAS_AUX,
        has_boundary: S::HAS_BOUNDARY,
        of_time: S::OF_TIME,
        has_flag: S::HAS_FLAG,
        flag_looks_around: S::FLAG_LOOKS_AROUND,
        checks_steps: S::CHECKS_STEPS,
        limits: S::LIMITS,
        looks_beside: S::LOOKS_BESIDE,
        transfers: S::TRANSFERS,
        kept: List::leak(S::KEPT_NONNEGATIVE.to_vec()),
        has_single,
    }
}
