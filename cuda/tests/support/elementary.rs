//! A kernel that computes every elementary function.

use cuda::abi::{DeviceStruct, Pointer, Real};
use cuda::compile::Source;
use riemann::elementary::rows::{Binary, Unary};
use std::fmt::Write;

cuda::device_struct! {
    /// Argument of the kernel.
    pub struct ElementaryArgs {
        /// Points, as pairs.
        pub points: Pointer<Real>,
        /// Values: `[function, point]`.
        pub values: Pointer<Real>,
        /// Number of points.
        pub len: u64,
    }
}

/// The kernel's source, with a line for each function; functions of one number come first.
pub fn source() -> Source {
    let mut text = String::from(
        "extern \"C\" __global__ void elementary_functions(const ElementaryArgs args)\n{\n    const unsigned long long i = blockIdx.x * \
         (unsigned long long)blockDim.x + threadIdx.x;\n    if (i >= args.len) return;\n    const Real x = args.points[2 * i], y = \
         args.points[2 * i + 1];\n    Real* value = args.values + i;\n",
    );
    let one = Unary::ALL.iter().map(|f| format!("real_{}(x)", f.name()));
    for call in one.chain(Binary::ALL.iter().map(|f| format!("real_{}(x, y)", f.name()))) {
        let _ = writeln!(text, "    *value = {call}, value += args.len;");
    }
    let definitions = vec![ElementaryArgs::cuda_text(), text + "}\n"];
    Source { file: "elementary.cu", texts: vec![], definitions, defines: vec![] }
}
