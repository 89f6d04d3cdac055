//! What passes between a program and a plugin, in `repr(C)`.

use crate::axis::{Axis, Side};
use crate::cells::CellFaces;
use crate::lattice::Lattice;
use crate::patch::{
    FaceList, KeptFace, MAX_WAVES, PACK_OVERRUN, Scheme, SlopeRow, SourceRow, Strides, TILE_COLUMNS, TILE_GROWTH,
    TILE_ROWS, TileArgs, TileReport, Transfer, TransferRow,
};
use std::ffi::c_void;

/// Version of the meaning of everything here. Raise it with every change that the layouts do not show.
pub const ABI_VERSION: u32 = 19;

/// The first bytes of every plugin's table.
pub(super) const MARK: [u8; 8] = *b"riemann\0";

/// A sum over sizes and alignments of what is exchanged, and over the constants that both sides rely on.
pub(super) const LAYOUT: u64 = {
    let mut sum = 0xcbf2_9ce4_8422_2325;
    macro_rules! add {
        ($($number:expr),*) => { $(sum = (sum ^ ($number) as u64).wrapping_mul(0x0100_0000_01b3);)* };
    }
    macro_rules! layouts {
        ($($type:ty),*) => { $(add!(size_of::<$type>(), align_of::<$type>());)* };
    }
    layouts!(
        TileArgs<'static, f64>,
        TileArgs<'static, f32>,
        Scheme,
        Strides,
        KeptFace,
        TileReport,
        FaceList<f64>,
        SourceRow<f64>,
        Row
    );
    layouts!(SlopeRow<f64>, TransferRow<f64>, CellFaces<f64>);
    layouts!(FaceCall<f64>, GhostCall);
    layouts!(Description, Parameter, Entries<f64>, Form, Table);
    add!(PACK_OVERRUN, MAX_WAVES, TILE_COLUMNS, TILE_ROWS, TILE_GROWTH);
    sum
};

/// What a function of the table returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Status(u32);

impl Status {
    /// All is well.
    pub const DONE: Status = Status(0);
    /// The solver panicked; `take_panic` has the message.
    pub const PANICKED: Status = Status(1);
    /// The solver does not offer what was asked for.
    pub const ABSENT: Status = Status(2);
}

/// UTF-8 that lives as long as the plugin.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Text {
    pub(super) bytes: *const u8,
    pub(super) len: usize,
}

/// A list that lives as long as the plugin.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct List<T> {
    pub(super) items: *const T,
    pub(super) len: usize,
}

impl Text {
    pub(super) const fn new(text: &'static str) -> Self {
        Text { bytes: text.as_ptr(), len: text.len() }
    }
}

impl<T> List<T> {
    /// A list that is never freed: a plugin has a handful.
    pub(super) fn leak(items: Vec<T>) -> Self {
        let items = items.leak();
        List { items: items.as_ptr(), len: items.len() }
    }
}

/// A parameter of the solver.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Parameter {
    pub(super) name: Text,
    pub(super) about: Text,
    /// A [`crate::parameters::ParameterCheck`] as a number.
    pub(super) check: u8,
    pub(super) has_default: bool,
    pub(super) default: f64,
}

/// What the solver is.
#[derive(Debug)]
#[repr(C)]
pub struct Description {
    pub(super) name: Text,
    pub(super) title: Text,
    pub(super) dim: u32,
    pub(super) waves: u32,
    pub(super) equations: List<Text>,
    pub(super) aux: List<Text>,
    /// Per auxiliary value the number of an axis, or −1.
    pub(super) aux_face: List<i32>,
    /// For each group of components that are no scalars its kind, a [`crate::group::GroupKind`] as a number, and its first component.
    pub(super) groups: List<[u32; 2]>,
    /// Likewise among the auxiliary values.
    pub(super) aux_groups: List<[u32; 2]>,
    pub(super) directions: bool,
    pub(super) parameters: List<Parameter>,
    pub(super) positive: List<Text>,
    pub(super) nonnegative: List<Text>,
    /// Formulas of initial data, auxiliary values and mapped positions; names and formulas of further quantities, in turns, and of primitive
    /// variables; formulas of the state over these.
    pub(super) formulas: [List<Text>; 6],
    pub(super) fwaves: bool,
    pub(super) has_transverse: bool,
    pub(super) has_source: bool,
    pub(super) has_initial: bool,
    pub(super) has_aux: bool,
    pub(super) has_boundary: bool,
    pub(super) of_time: bool,
    pub(super) has_flag: bool,
    pub(super) flag_looks_around: bool,
    /// The CUDA text has `least_positive`.
    pub(super) checks_steps: bool,
    /// The CUDA text has `is_admissible`.
    pub(super) limits: bool,
    pub(super) looks_beside: bool,
    pub(super) transfers: bool,
    /// Equations whose quantities are kept from being negative.
    pub(super) kept: List<usize>,
    /// There are kernels in `f32`.
    pub(super) has_single: bool,
}

/// A solver inside the plugin.
pub type Object = *mut c_void;

/// Takes text that lives as long as the call: context, bytes, their number.
pub type Sink = unsafe extern "C" fn(*mut c_void, *const u8, usize);

/// A row of cells along x for a solver's own functions of position.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Row {
    /// Where the level's cells lie.
    pub lattice: Lattice,
    /// The first cell.
    pub first: [i32; 3],
    /// Number of cells.
    pub len: usize,
    /// Time.
    pub time: f64,
}

/// One face for `Entries::normal` and `Entries::transverse`.
#[derive(Debug)]
#[repr(C)]
pub struct FaceCall<R> {
    pub(super) axis: Axis,
    /// For the transverse split: the axis along which it goes.
    pub(super) across: Axis,
    pub(super) side: Side,
    pub(super) ql: *const R,
    pub(super) qr: *const R,
    /// Auxiliary values: left and right, or below, here and above.
    pub(super) aux: [*const R; 3],
    /// For the transverse split.
    pub(super) asdq: *const R,
    /// The steepest jump beside the face.
    pub(super) beside: R,
}

/// A ghost cell for `Table::boundary`.
#[derive(Debug)]
#[repr(C)]
pub struct GhostCall {
    pub(super) axis: Axis,
    pub(super) side: Side,
    pub(super) centre: [f64; 3],
    pub(super) time: f64,
    pub(super) mirror: *const f64,
    pub(super) ghost: *mut f64,
}

/// The kernels of one precision. Pointers to values are valid for the call; counts are those of the description.
#[derive(Debug)]
#[repr(C)]
pub struct Entries<R> {
    pub(super) scratch_len: unsafe extern "C" fn(Object, *mut usize) -> Status,
    pub(super) update_tile:
        unsafe extern "C" fn(Object, *const TileArgs<'_, R>, scratch: *mut R, len: usize, *mut TileReport) -> Status,
    pub(super) fluctuation_sums: unsafe extern "C" fn(Object, Axis, *const FaceList<R>) -> Status,
    pub(super) apply_source: unsafe extern "C" fn(Object, *const SourceRow<R>) -> Status,
    /// [`Status::ABSENT`] where the solver is not offered on any mesh; then, and where `faces` is null, nothing is done.
    pub(super) solve_faces: unsafe extern "C" fn(Object, faces: *const CellFaces<R>) -> Status,
    /// Out: values of what must be positive, then of what must not be negative.
    pub(super) quantities: unsafe extern "C" fn(Object, q: *const R, aux: *const R, out: *mut R) -> Status,
    /// Out: the first inadmissible cell of the row, or the row's length.
    pub(super) first_inadmissible: unsafe extern "C" fn(Object, *const SourceRow<R>, data: bool, *mut usize) -> Status,
    pub(super) limit_slopes: unsafe extern "C" fn(Object, *const SlopeRow<R>) -> Status,
    pub(super) transfer: unsafe extern "C" fn(Object, Transfer, *const TransferRow<R>) -> Status,
    /// Out: waves, speeds, amdq, apdq.
    pub(super) normal: unsafe extern "C" fn(Object, *const FaceCall<R>, out: *mut R) -> Status,
    /// Out: one number.
    pub(super) steepness: unsafe extern "C" fn(Object, *const FaceCall<R>, out: *mut R) -> Status,
    /// Out: bmasdq, bpasdq.
    pub(super) transverse: unsafe extern "C" fn(Object, *const FaceCall<R>, out: *mut R) -> Status,
    /// [`Status::ABSENT`] without a flux.
    pub(super) flux: unsafe extern "C" fn(Object, Axis, q: *const R, aux: *const R, out: *mut R) -> Status,
}

/// What a program reads first, whatever the version.
#[derive(Debug)]
#[repr(C)]
pub struct Header {
    pub(super) mark: [u8; 8],
    pub(super) abi_version: u32,
    pub(super) layout: u64,
    /// The compiler that built the plugin.
    pub(super) toolchain: Text,
    /// Version of this crate in the plugin.
    pub(super) riemann: Text,
}

/// A solver in one number of dimensions: its description and functions.
///
/// The functions that take an [`Object`] may be called from several threads at once. Those over a [`Row`] take and fill
/// `[value, cell]`.
#[derive(Debug)]
#[repr(C)]
pub struct Form {
    pub(super) description: Description,
    /// Makes a solver from the values of its parameters.
    pub(super) create: unsafe extern "C" fn(values: *const f64, len: usize, *mut Object) -> Status,
    /// Gives a solver's parameters other values; [`Status::ABSENT`] if it cannot have others. No other function of it runs meanwhile.
    pub(super) set_parameters: unsafe extern "C" fn(Object, values: *const f64, len: usize) -> Status,
    /// The solver with two axes exchanged; [`Status::ABSENT`] if there is none.
    pub(super) exchanged: unsafe extern "C" fn(Object, Axis, Axis, *mut Object) -> Status,
    /// The solver in a mirror normal to an axis; [`Status::ABSENT`] if there is none.
    pub(super) mirrored: unsafe extern "C" fn(Object, Axis, *mut Object) -> Status,
    pub(super) destroy: unsafe extern "C" fn(Object),
    pub(super) double: Entries<f64>,
    pub(super) single: Entries<f32>,
    pub(super) initial: unsafe extern "C" fn(Object, *const Row, aux: *const f64, out: *mut f64) -> Status,
    pub(super) aux_values: unsafe extern "C" fn(Object, *const Row, out: *mut f64) -> Status,
    /// Out: not zero where to refine. A criterion that looks around takes the states of the row, then along each axis those of the
    /// neighbours below and above, each as `[value, cell]`.
    pub(super) flag: unsafe extern "C" fn(Object, *const Row, q: *const f64, aux: *const f64, out: *mut f64) -> Status,
    pub(super) boundary: unsafe extern "C" fn(Object, *const GhostCall) -> Status,
    /// The solver's CUDA C++; [`Status::ABSENT`] without.
    pub(super) device_body: unsafe extern "C" fn(Object, Sink, context: *mut c_void) -> Status,
    /// A state, then aux values, made of as many numbers between 0 and 1.
    pub(super) admissible: unsafe extern "C" fn(Object, unit: *const f64, out: *mut f64) -> Status,
}

/// A plugin: a solver in every number of dimensions that it has.
#[derive(Debug)]
#[repr(C)]
pub struct Table {
    pub(super) header: Header,
    /// Copies the message of this thread's last panic, cut to the buffer's length; returns the bytes copied.
    pub(super) take_panic: unsafe extern "C" fn(buffer: *mut u8, len: usize) -> usize,
    /// At least one; no number of dimensions twice.
    pub(super) forms: List<Form>,
}

// SAFETY: the pointers are to constants that live as long as the plugin.
unsafe impl Send for Table {}
// SAFETY: likewise.
unsafe impl Sync for Table {}
