// gather_cells.cu: the values of listed cells: of each those of all equations, then the auxiliary values.
// Map     one thread per number
// Bytes   a Real and a double per number, a place per cell
// Floor   a launch, and what the host copies
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void gather_cells(const GatherArgs args)
{
    start_next();
    await_previous();
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, number = thread / (M + A);
    if (number >= args.num_cells) return;
    const CellInPatch& at = args.cells[number];
    const Patch& patch = args.view.patches[at.patch];
    Cell cell;
    #pragma unroll
    for (int d = 0; d < DIM; d++) cell[d] = at.cell[d];
    const bool is_aux = thread % (M + A) >= M;
    const size_t m = thread % (M + A) - (is_aux ? M : 0);
    const Real* values = is_aux ? args.view.aux : args.view.q;
    args.out[thread] = double(values[place(patch, is_aux ? A : M, in_patch(patch, cell)) + m * patch.component]);
}
