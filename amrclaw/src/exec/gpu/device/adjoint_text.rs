//! The criterion by an adjoint solution as CUDA C++: [`AdjointFlag`](crate::physics::AdjointFlag), operation by operation.

use super::formula_text::number;
use crate::physics::AdjointForm;

/// The criterion; its numbers are the snapshots.
pub(super) fn text(form: &AdjointForm) -> String {
    let AdjointForm { lower, dx, cells, len, interval, window: [from, to], tolerance, values } = form;
    let list = |values: &[f64]| values.iter().map(|value| number(*value)).collect::<Vec<_>>().join(", ");
    let cells: Vec<f64> = cells.iter().map(|count| *count as f64).collect();
    let (last, [from, to, interval, tolerance]) =
        (values.len() / len - 1, [*from, *to, *interval, *tolerance].map(number));
    format!(
        "__device__ const double ADJOINT_LOWER[] = {{{}}}, ADJOINT_DX[] = {{{}}}, ADJOINT_CELLS[] = {{{}}};\n{BEGIN}    \
         const double from = ({from} - at.t) / {interval}, to = ({to} - at.t) / {interval};\n    \
         const double first = ceil(from) - 1.0 > 0.0 ? ceil(from) - 1.0 : 0.0;\n    \
         const double last = floor(to) + 1.0 < {last}.0 ? floor(to) + 1.0 : {last}.0;\n    \
         for (double k = first; k <= last && !(to < 0.0); k += 1.0) {{\n        \
         const double* snapshot = here.args.numbers + (size_t)k * {len};\n{PRODUCT}        \
         if (fabs(product) > {tolerance}) values[0] = 1.0;\n    }}\n}}\n",
        list(lower),
        list(dx),
        list(&cells),
    )
}

/// The corners around the cell's centre, and their weights.
const BEGIN: &str = "\
template <class Around> __device__ __forceinline__ void case_around(const Around& here, double* values)
{
    const Point at = here.point(0, 0, 0);
    const auto q = here.q(0, 0, 0);
    double lowest[DIM], part[DIM], weights[1 << DIM];
    size_t corners[1 << DIM];
    for (int d = 0; d < DIM; d++) {
        const double most = ADJOINT_CELLS[d] - 1.0;
        double place = (at.centre(d) - ADJOINT_LOWER[d]) / ADJOINT_DX[d] - 0.5;
        place = place < 0.0 ? 0.0 : place > most ? most : place;
        lowest[d] = floor(place) < most - 1.0 ? floor(place) : most - 1.0;
        part[d] = place - lowest[d];
    }
    for (int corner = 0; corner < 1 << DIM; corner++) {
        double weight = 1.0, index = 0.0;
        for (int d = DIM - 1; d >= 0; d--) {
            const int is_upper = corner >> d & 1;
            weight = weight * (is_upper ? part[d] : 1.0 - part[d]);
            index = index * ADJOINT_CELLS[d] + (lowest[d] + is_upper);
        }
        weights[corner] = weight;
        corners[corner] = (size_t)index * M;
    }
    values[0] = 0.0;
";

/// The product with a snapshot.
const PRODUCT: &str = "        double product = 0.0;
        for (int m = 0; m < M; m++) {
            double component = 0.0;
            for (int corner = 0; corner < 1 << DIM; corner++) component = component + weights[corner] * snapshot[corners[corner] + m];
            product = product + q[m] * component;
        }
";
