// return_excess.cu: returns to coarse cells what a finer step has taken beyond its allowance: amrclaw/src/exec/cpu/allowance.rs.
// Map     one warp per chunk of a run's faces, one coarse face a lane; of one normal and side, so that no two lanes share a cell
// Bytes   2 Real per face and quantity; where something returns, 2 M Real per fine cell behind the face
// Order   faces of an axis and side after those of others, cells x fastest: repeats bit for bit

// Calls `act` for the cells of a box, x fastest.
template <class Act> __device__ __forceinline__ void for_each_cell(const Cell& first, const int (&size)[3], Act act)
{
    const int volume = size[0] * size[1] * size[2];
    for (int k = 0; k < volume; k++) {
        Cell cell = first;
        cell[0] += k % size[0];
        if constexpr (DIM > 1) cell[DIM > 1] += k / size[0] % size[1];
        if constexpr (DIM > 2) cell[2 * (DIM > 2)] += k / (size[0] * size[1]);
        act(cell);
    }
}

extern "C" __global__ void return_excess(const AllowanceArgs args)
{
    start_next();
    if (warp_number() >= args.table.num_chunks) return;
    const Work<FaceRun> work(args.table);
    const Patch patch = args.view.patches[work.item.fine_patch];
    await_previous();
    const unsigned axis = args.axis;
    if (work.item.axis != axis || work.item.coarse_side != args.side) return;
    const bool lower = args.side == Lower;
    const Real outward = Real(lower ? -1 : 1);
    const Real width = Real(args.dx[axis] / double(faces_of(args.ratio, axis)));
    const size_t slots = args.num_slots;
    for (int i = work.first; i < work.end; i += 32) {
        const Cell ghost = in_patch(patch, first_behind(cell_of(work.item, i), args.ratio, axis, lower));
        Real* sums = args.sums + work.item.first_slot + i;
        const Real* allowances = args.allowances + work.item.first_slot + i;
        for (int pass = 0; pass < 2; pass++) {
            const int depth = pass == 0 ? 1 : args.ratio[axis];
            Cell first = ghost;
            int size[3] = {1, 1, 1};
            #pragma unroll
            for (int d = 0; d < DIM; d++) {
                size[d] = axis == d ? depth : args.ratio[d];
                first[d] += axis != d ? 0 : lower ? 1 : -depth;
            }
            Real part = Real(0);
            int n = 0;
            #pragma unroll
            for (int m = 0; m < M; m++) {
                if (!(Solver::KEPT >> m & 1)) continue;
                const Real excess = -(outward * sums[m * slots]) - allowances[n++ * slots];
                Real held = Real(0);
                if (!(excess > held)) continue;
                for_each_cell(first, size, [&](const Cell& cell) {
                    held += capacity_of(args.view, patch, cell) * args.view.q[place(patch, M, cell) + size_t(m) * patch.component];
                });
                if (held > Real(0)) part = real_max(part, real_min(excess / (held * width), Real(1)));
            }
            if (part == Real(0)) break;
            #pragma unroll
            for (int m = 0; m < M; m++) {
                Real total = Real(0);
                for_each_cell(first, size, [&](const Cell& cell) {
                    Real& value = args.view.q[place(patch, M, cell) + size_t(m) * patch.component];
                    const Real back = part * value;
                    value = value - back;
                    total += capacity_of(args.view, patch, cell) * back;
                });
                sums[m * slots] += outward * (total * width);
            }
            if (part < Real(1)) break;
        }
    }
}
