//! The program's side: a plugin's table checked, and its solvers.

mod calls;
mod instance;
mod kernels;

pub use calls::{Running, running, running_here};
pub use instance::Instance;

use super::abi::{LAYOUT, MARK};
use super::{ABI_VERSION, Description, Form, Header, List, Status, Table, Text};
use crate::axis::Axis;
use crate::catalogue::SolverInfo;
use crate::group::{Group, GroupKind};
use crate::parameters::{ParameterCheck, ParameterInfo};
use crate::solver::PositionFormulas;
use std::fmt;

/// Why a library is not a plugin for this program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The entry returns something else than a table.
    #[error("it is not a plugin: its entry does not return a solver's table")]
    NotAPlugin,
    /// The plugin was made for another version of this program.
    #[error(
        "it was built for version {found} of the solver interface, by riemann {riemann} with {toolchain}; this program \
         has version {expected}{}",
        if found == expected { " with other layouts" } else { "" }
    )]
    OtherVersion {
        /// The plugin's version.
        found: u32,
        /// This program's.
        expected: u32,
        /// Version of the plugin's crate `riemann`.
        riemann: String,
        /// What compiled the plugin.
        toolchain: String,
    },
    /// The description makes no sense.
    #[error("its description of the solver is damaged: {0}")]
    Damaged(&'static str),
    /// The solver panicked when it was made.
    #[error("the solver panicked: {0}")]
    Panicked(String),
}

/// Which functions of position and state a solver provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hooks {
    /// Initial data.
    pub initial: bool,
    /// Auxiliary values.
    pub aux: bool,
    /// Boundary values.
    pub boundary: bool,
    /// Refinement criterion.
    pub flag: bool,
    /// It reads the states of neighbours.
    pub flag_looks_around: bool,
}

/// A plugin that fits this program. It stays loaded to the end of the program.
#[derive(Clone, Copy, Debug)]
pub struct Plugin(&'static [PluginForm]);

/// A plugin's solver in one number of dimensions.
#[derive(Clone, Copy)]
pub struct PluginForm {
    table: &'static Table,
    form: &'static Form,
    info: &'static SolverInfo,
    aux_face: &'static [Option<Axis>],
}

impl fmt::Debug for PluginForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PluginForm").field(&self.info.name).field(&self.info.dim).finish()
    }
}

impl Text {
    /// # Safety
    /// The bytes must live to the end of the program.
    unsafe fn get(self) -> Result<&'static str, LoadError> {
        // SAFETY: by the caller's promise.
        let bytes = unsafe { List { items: self.bytes, len: self.len }.get() };
        std::str::from_utf8(bytes).map_err(|_| LoadError::Damaged("a name is not UTF-8"))
    }
}

impl<T> List<T> {
    /// # Safety
    /// The items must live to the end of the program.
    unsafe fn get(&self) -> &'static [T] {
        // SAFETY: by the caller's promise; an empty list may point nowhere.
        if self.len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(self.items, self.len) } }
    }
}

impl Plugin {
    /// Checks the table that a plugin's entry returned.
    ///
    /// # Errors
    /// It is no table, or one for another program.
    ///
    /// # Safety
    /// `table` must be null, or what the entry of a library returned that [`crate::plugin!`] made with any version of this
    /// crate, and the library must stay loaded to the end of the program.
    pub unsafe fn from_entry(table: *const Table) -> Result<Plugin, LoadError> {
        // SAFETY: every version's table begins with the header.
        let header = unsafe { table.cast::<Header>().as_ref() }.ok_or(LoadError::NotAPlugin)?;
        if header.mark != MARK {
            return Err(LoadError::NotAPlugin);
        }
        if (header.abi_version, header.layout) != (ABI_VERSION, LAYOUT) {
            // SAFETY: texts live as long as the plugin.
            let (riemann, toolchain) = unsafe { (header.riemann.get()?, header.toolchain.get()?) };
            return Err(LoadError::OtherVersion {
                found: header.abi_version,
                expected: ABI_VERSION,
                riemann: riemann.to_owned(),
                toolchain: toolchain.to_owned(),
            });
        }
        // SAFETY: the version and the layout are ours.
        let table = unsafe { &*table };
        let read = |form: &'static Form| {
            // SAFETY: the description lives as long as the plugin.
            let (info, aux_face) = unsafe { read_description(&form.description)? };
            Ok(PluginForm { table, form, info, aux_face })
        };
        // SAFETY: the forms live as long as the plugin.
        let mut forms = unsafe { table.forms.get() }.iter().map(read).collect::<Result<Vec<_>, LoadError>>()?;
        forms.sort_by_key(|form| form.info.dim);
        if forms.is_empty() || forms.windows(2).any(|pair| pair[0].info.dim == pair[1].info.dim) {
            return Err(LoadError::Damaged("its numbers of dimensions"));
        }
        Ok(Plugin(forms.leak()))
    }

    /// The solver in every number of dimensions that it has, in increasing order.
    pub fn forms(&self) -> &'static [PluginForm] {
        self.0
    }

    /// The solver in `dim` dimensions; in the most that there are where it has no form in so many.
    pub fn form(&self, dim: usize) -> PluginForm {
        let most = self.0.last().expect("a plugin has a form");
        *self.0.iter().find(|form| form.info.dim == dim).unwrap_or(most)
    }
}

impl PluginForm {
    /// What the solver is.
    pub fn info(&self) -> &'static SolverInfo {
        self.info
    }

    /// Which functions of position and state the solver provides.
    pub fn hooks(&self) -> Hooks {
        let d = &self.form.description;
        Hooks {
            initial: d.has_initial,
            aux: d.has_aux,
            boundary: d.has_boundary,
            flag: d.has_flag,
            flag_looks_around: d.flag_looks_around,
        }
    }

    /// The equations whose quantities are kept from being negative, if there are transfer variables.
    fn transfers(&self) -> Option<&'static [usize]> {
        let d = &self.form.description;
        // SAFETY: the description lives as long as the plugin.
        d.transfers.then(|| unsafe { d.kept.get() })
    }

    /// Makes a solver. `values`: one per parameter, checked.
    ///
    /// # Errors
    /// The solver's constructor panicked.
    pub fn create(&self, values: &[f64]) -> Result<Instance, LoadError> {
        let mut object = std::ptr::null_mut();
        let _inside = calls::enter(&"from_parameters");
        // SAFETY: the values are there, and a place for the object.
        match unsafe { (self.form.create)(values.as_ptr(), values.len(), &mut object) } {
            Status::DONE => Ok(Instance::new(*self, object, values)),
            _ => Err(LoadError::Panicked(take_panic(self.table))),
        }
    }
}

/// Converts the description to this crate's types. Leaked: there is one per form of a plugin loaded.
///
/// # Safety
/// The description must be of this version, and live to the end of the program.
unsafe fn read_description(d: &Description) -> Result<(&'static SolverInfo, &'static [Option<Axis>]), LoadError> {
    let axis = |n: i32| usize::try_from(n).ok().and_then(|n| Axis::ALL.get(n).copied());
    let texts = |list: &List<Text>| -> Result<&'static [&'static str], LoadError> {
        // SAFETY: by the caller's promise.
        let texts: Result<Vec<_>, _> = unsafe { list.get().iter().map(|text| text.get()).collect() };
        Ok(texts?.leak())
    };
    let mut parameters = Vec::new();
    // SAFETY: likewise.
    for p in unsafe { d.parameters.get() } {
        let check = [ParameterCheck::Any, ParameterCheck::Positive, ParameterCheck::GreaterThanOne];
        let check = check.get(usize::from(p.check)).copied().ok_or(LoadError::Damaged("a parameter's check"))?;
        // SAFETY: likewise.
        let (name, about) = unsafe { (p.name.get()?, p.about.get()?) };
        parameters.push(ParameterInfo { name, about, default: p.has_default.then_some(p.default), check });
    }
    // SAFETY: likewise.
    let (name, title, aux_face) = unsafe { (d.name.get()?, d.title.get()?, d.aux_face.get()) };
    let (equations, aux) = (texts(&d.equations)?, texts(&d.aux)?);
    let (positive, nonnegative) = (texts(&d.positive)?, texts(&d.nonnegative)?);
    if equations.is_empty() || !(1..=3).contains(&d.dim) || aux_face.len() != aux.len() {
        return Err(LoadError::Damaged("its counts"));
    }
    // SAFETY: likewise.
    if unsafe { d.kept.get() }.iter().any(|&m| m >= equations.len()) {
        return Err(LoadError::Damaged("a quantity that is kept"));
    }
    let groups = |list: &List<[u32; 2]>, count: usize| -> Result<&'static [Group], LoadError> {
        let group = |&[kind, first]: &[u32; 2]| {
            let group = Group { kind: *GroupKind::ALL.get(kind as usize)?, first };
            (group.components(d.dim as usize).end <= count).then_some(group)
        };
        // SAFETY: likewise.
        let groups: Option<Vec<Group>> = unsafe { list.get() }.iter().map(group).collect();
        Ok(groups.ok_or(LoadError::Damaged("a vector or tensor among the components"))?.leak())
    };
    let (groups, aux_groups) = (groups(&d.groups, equations.len())?, groups(&d.aux_groups, aux.len())?);
    let [initial, aux_values, mapping, quantities, primitive, conserved] = &d.formulas;
    let pairs = |list| -> Result<&'static [(&'static str, &'static str)], LoadError> {
        Ok(texts(list)?.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>().leak())
    };
    let (quantities, primitive) = (pairs(quantities)?, pairs(primitive)?);
    let info = SolverInfo {
        name,
        type_name: "",
        title,
        dim: d.dim as usize,
        equations,
        aux,
        waves: d.waves as usize,
        parameters: parameters.leak(),
        fwaves: d.fwaves,
        has_transverse: d.has_transverse,
        has_source: d.has_source,
        of_time: d.of_time,
        groups,
        aux_groups,
        directions: d.directions,
        positive,
        nonnegative,
        looks_beside: d.looks_beside,
        formulas: PositionFormulas {
            initial: texts(initial)?,
            aux_values: texts(aux_values)?,
            mapping: texts(mapping)?,
            quantities,
            primitive,
            conserved: texts(conserved)?,
        },
        on_demand: false,
    };
    Ok((Box::leak(Box::new(info)), aux_face.iter().map(|&n| axis(n)).collect::<Vec<_>>().leak()))
}

/// The message of this thread's last panic in the plugin.
fn take_panic(table: &Table) -> String {
    let mut buffer = vec![0; 4096];
    // SAFETY: the buffer is as long as it says.
    let len = unsafe { (table.take_panic)(buffer.as_mut_ptr(), buffer.len()) };
    buffer.truncate(len);
    String::from_utf8_lossy(&buffer).into_owned()
}
