//! Structs that host and device share.
//!
//! The macro [`crate::device_struct!`] declares one in Rust and makes its CUDA text from the same tokens, with the sizes
//! and offsets that Rust has as assertions: a difference in layout fails at the first compilation.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Stands for the kernels' number type, `double` or `float`, as the target of a [`Pointer`].
#[derive(Clone, Copy, Debug)]
pub enum Real {}

/// A type that means the same on host and device.
///
/// # Safety
/// Plain data: any bits that the device writes are a valid value. `CUDA` names a type of the same size and alignment; for an array the type
/// of its items.
pub unsafe trait Plain: Copy + Send + Sync + 'static {
    /// The type's name in CUDA C++; of an array that of its items.
    const CUDA: &'static str;

    /// All bits zero: numbers are 0, pointers null.
    // SAFETY: any bits are a value.
    const ZERO: Self = unsafe { MaybeUninit::zeroed().assume_init() };

    /// The declaration of a field: `int lo[3]`.
    fn declaration(field: &str) -> String {
        format!("{} {field}", Self::CUDA)
    }
}

// SAFETY: items one after another on both sides.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {
    const CUDA: &'static str = T::CUDA;

    fn declaration(field: &str) -> String {
        T::declaration(&format!("{field}[{N}]"))
    }
}

/// What a [`Pointer`] may point at.
pub trait Pointee {
    /// The pointer's type in CUDA C++.
    const POINTER: &'static str;
}

/// A struct made by [`crate::device_struct!`].
pub trait DeviceStruct: Plain {
    /// The struct's definition and the assertions on its layout, in CUDA C++.
    fn cuda_text() -> String;
}

/// An address in device memory.
#[repr(transparent)]
pub struct Pointer<T: ?Sized> {
    address: u64,
    points_at: PhantomData<fn() -> *const T>,
}

impl<T: ?Sized> Clone for Pointer<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: ?Sized> Copy for Pointer<T> {}

impl<T: ?Sized> std::fmt::Debug for Pointer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x}", self.address)
    }
}

impl<T: ?Sized> Pointer<T> {
    /// The null pointer: for arrays that a kernel does not access.
    pub const NULL: Pointer<T> = Pointer { address: 0, points_at: PhantomData };

    /// The address itself.
    pub const fn new(address: u64) -> Self {
        Pointer { address, points_at: PhantomData }
    }

    /// The address as a number.
    pub const fn address(self) -> u64 {
        self.address
    }
}

macro_rules! plain {
    ($($rust:ty => $cuda:literal),*) => {$(
        // SAFETY: plain numbers; the names are those of CUDA's types of the same size on every supported system.
        unsafe impl Plain for $rust {
            const CUDA: &'static str = $cuda;
        }
        impl Pointee for $rust {
            const POINTER: &'static str = concat!($cuda, "*");
        }
    )*};
}

plain!(
    u8 => "unsigned char", i8 => "signed char", u16 => "unsigned short", i16 => "short", u32 => "unsigned int",
    i32 => "int", u64 => "unsigned long long", i64 => "long long", f32 => "float", f64 => "double"
);

impl Pointee for Real {
    const POINTER: &'static str = "Real*";
}

// SAFETY: an address of 64 bits on both sides.
unsafe impl<T: Pointee + 'static> Plain for Pointer<T> {
    const CUDA: &'static str = T::POINTER;
}

/// Declares a struct for host and device; every field's type is [`Plain`].
///
/// ```
/// cuda::device_struct! {
///     /// A box of cells.
///     pub struct Box3 {
///         /// The patch.
///         pub patch: u32,
///         /// First cell along each axis, and one past the last.
///         pub ends: [[i32; 2]; 3],
///     }
/// }
/// let text = <Box3 as cuda::abi::DeviceStruct>::cuda_text();
/// assert!(text.starts_with("struct Box3 { unsigned int patch; int ends[3][2]; };"));
/// ```
#[macro_export]
macro_rules! device_struct {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        #[repr(C)]
        pub struct $name { $($(#[$field_meta])* pub $field: $type,)* }

        // SAFETY: all fields are plain, and the CUDA text asserts size and offsets.
        unsafe impl $crate::abi::Plain for $name {
            const CUDA: &'static str = stringify!($name);
        }
        impl $crate::abi::Pointee for $name {
            const POINTER: &'static str = concat!(stringify!($name), "*");
        }
        impl $crate::abi::DeviceStruct for $name {
            fn cuda_text() -> String {
                let mut text = String::from(concat!("struct ", stringify!($name), " {"));
                $(text += &format!(" {};", <$type as $crate::abi::Plain>::declaration(stringify!($field)));)*
                text += &format!(
                    " }};\nstatic_assert(sizeof({0}) == {1}, \"size of {0}\");\n",
                    stringify!($name), std::mem::size_of::<$name>()
                );
                $(text += &format!(
                    "ASSERT_OFFSET({}, {}, {});\n",
                    stringify!($name), stringify!($field), std::mem::offset_of!($name, $field)
                );)*
                text
            }
        }
    };
}

/// Declares numbers with names for host and device: `Form::Packed` in CUDA C++ too.
///
/// ```
/// cuda::device_enum! {
///     /// What is written.
///     pub enum Form {
///         /// States.
///         States,
///         /// Differences.
///         Differences = 4,
///     }
/// }
/// assert_eq!(Form::cuda_text(), "struct Form { enum : unsigned { States = 0, Differences = 4 }; };\n");
/// ```
#[macro_export]
macro_rules! device_enum {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$number_meta:meta])* $number:ident $(= $value:literal)?,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum $name { $($(#[$number_meta])* $number $(= $value)?,)* }

        impl $name {
            /// The names and numbers in CUDA C++.
            pub fn cuda_text() -> String {
                let numbers = [$(format!("{} = {}", stringify!($number), $name::$number as u32)),*];
                format!("struct {} {{ enum : unsigned {{ {} }}; }};\n", stringify!($name), numbers.join(", "))
            }
        }
    };
}
