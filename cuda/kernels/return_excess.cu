// return_excess.cu: returns to coarse cells what a finer step has taken beyond its allowance: amrclaw/src/exec/cpu/allowance.rs.
// Map     one warp per chunk of a run's faces, one coarse face a lane; of the faces of one block, which the other runs of the patch
//         tell, the first in the order of slots does all of them
// Bytes   2 Real per face and quantity; where something returns, 2 M Real per fine cell behind the face
// Order   of cells from the face inwards; faces ask at the same time: repeats bit for bit

// The fine cells of one patch over a coarse cell, and the slots of the faces around them, by axis and side.
struct Block {
    const AllowanceArgs& args;
    const Patch& patch;
    Cell first;
    unsigned slots[2 * DIM];

    // Behind face `i` of a run.
    __device__ __forceinline__ Block(const AllowanceArgs& args, const Work<FaceRun>& work, const Patch& patch, int i) : args(args), patch(patch)
    {
        const unsigned own = 2 * work.item.axis + work.item.coarse_side;
        Cell coarse = cell_of(work.item, i);
        #pragma unroll
        for (int d = 0; d < DIM; d++) coarse[d] += work.item.axis != unsigned(d) ? 0 : work.item.coarse_side == Lower ? 1 : -1;
        first = in_patch(patch, first_fine(coarse, args.ratio));
        #pragma unroll
        for (int k = 0; k < 2 * DIM; k++) {
            const int d = k / 2;
            const bool at_side = k % 2 == 0 ? first[d] == 0 : first[d] + args.ratio[d] == patch.size[d];
            slots[k] = unsigned(k) == own ? work.item.first_slot + i : at_side ? slot_of(work, coarse, k) : ~0u;
        }
    }

    // The slot of the face on side `k` of a coarse cell under the patch, or none.
    __device__ unsigned slot_of(const Work<FaceRun>& work, Cell coarse, int k) const
    {
        #pragma unroll
        for (int d = 0; d < DIM; d++) coarse[d] += k / 2 != d ? 0 : k % 2 == 0 ? -1 : 1;
        const FaceRun* runs = args.table.items;
        const unsigned last = args.table.chunks[args.table.num_chunks - 1].region;
        unsigned n = work.number;
        while (n > 0 && runs[n - 1].fine_patch == work.item.fine_patch) n--;
        for (; n <= last && runs[n].fine_patch == work.item.fine_patch; n++) {
            const FaceRun& run = runs[n];
            bool inside = run.axis == unsigned(k / 2) && run.coarse_side == unsigned(k % 2);
            int number = 0;
            #pragma unroll
            for (int d = DIM - 1; d >= 0; d--) {
                const int at = coarse[d] - run.lo[d];
                inside = inside && at >= 0 && at < run.size[d];
                number = number * run.size[d] + at;
            }
            if (inside) return run.first_slot + number;
        }
        return ~0u;
    }

    // Calls `act` for the cells behind face `k`, layer by layer.
    template <class Act> __device__ __forceinline__ void for_each_behind(int k, int from, int to, Act act) const
    {
        const unsigned axis = k / 2;
        for (int layer = from; layer < to; layer++) {
            Cell at = first;
            #pragma unroll
            for (int d = 0; d < DIM; d++) at[d] += axis != unsigned(d) ? 0 : k % 2 == 0 ? layer : args.ratio[d] - 1 - layer;
            for (int n = 0; n < faces_of(args.ratio, axis); n++) act(behind(at, args.ratio, axis, n));
        }
    }

    __device__ __forceinline__ Real& value(const Cell& cell, int m) const { return value_of(args.view, patch, cell, m); }

    __device__ __forceinline__ Real width(int k) const { return Real(args.dx[k / 2] / double(faces_of(args.ratio, k / 2))); }

    // The part that face `k` asks for of all that so many layers of cells behind it hold.
    __device__ __forceinline__ Real part(int k, int layers) const
    {
        const Real outward = Real(k % 2 == 0 ? -1 : 1);
        Real part = Real(0);
        int n = 0;
        #pragma unroll
        for (int m = 0; m < M; m++) {
            if (!(Solver::KEPT >> m & 1)) continue;
            const Real excess = -(outward * args.sums[size_t(m) * args.num_slots + slots[k]])
                - args.allowances[size_t(n++) * args.num_slots + slots[k]];
            Real held = Real(0);
            if (!(excess > held)) continue;
            for_each_behind(k, 0, layers, [&](const Cell& cell) { held += capacity_of(args.view, patch, cell) * value(cell, m); });
            if (held > Real(0)) part = real_max(part, real_min(excess / (held * width(k)), Real(1)));
        }
        return part;
    }

    // How many layers of the cells of the block behind face `k` no finer patch covers.
    __device__ int layers_behind(int k) const
    {
        const int size = args.ratio[k / 2], inward = k % 2 == 0 ? k + 1 : k - 1;
        for (int layer = 1; layer < size; layer++) {
            bool covered = false;
            for_each_behind(k, layer - 1, layer, [&](const Cell& cell) {
                unsigned faces[2 * DIM];
                faces_around(args, patch, cell, faces);
                covered = covered || faces[inward] != ~0u;
            });
            if (covered) return layer;
        }
        return size;
    }

    // The parts of a cell that its faces ask for together.
    __device__ __forceinline__ Real wanted(const Cell& cell, const Real (&asked)[2 * DIM], const int (&layers)[2 * DIM]) const
    {
        Real sum = Real(0);
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            const int at = cell[d] - first[d];
            sum = sum + ((at < layers[2 * d] ? asked[2 * d] : Real(0))
                + (at >= args.ratio[d] - layers[2 * d + 1] ? asked[2 * d + 1] : Real(0)));
        }
        return sum;
    }

    __device__ void give_back() const
    {
        // Where the cells at the faces have too little, all of the block.
        for (int pass = 0; pass < 2; pass++) {
            int layers[2 * DIM];
            Real asked[2 * DIM];
            bool any = false;
            for (int k = 0; k < 2 * DIM; k++) {
                layers[k] = slots[k] == ~0u ? 0 : pass == 0 ? 1 : layers_behind(k);
                asked[k] = slots[k] == ~0u ? Real(0) : part(k, layers[k]);
                any = any || asked[k] != Real(0);
            }
            if (!any) return;
            for (int k = 0; k < 2 * DIM; k++) {
                if (!(asked[k] > Real(0))) continue;
                const Real scale = Real(k % 2 == 0 ? -1 : 1) * width(k);
                for (int m = 0; m < M; m++) {
                    Real total = Real(0);
                    for_each_behind(k, 0, layers[k], [&](const Cell& cell) {
                        const Real part = asked[k] / real_max(wanted(cell, asked, layers), Real(1));
                        total += capacity_of(args.view, patch, cell) * (part * value(cell, m));
                    });
                    args.sums[size_t(m) * args.num_slots + slots[k]] += scale * total;
                }
            }
            // All layers behind a face are all cells.
            for_each_behind(0, 0, args.ratio[0], [&](const Cell& cell) {
                const Real part = real_min(wanted(cell, asked, layers), Real(1));
                for (int m = 0; m < M; m++) value(cell, m) = value(cell, m) - part * value(cell, m);
            });
        }
    }
};

extern "C" __global__ void return_excess(const AllowanceArgs args)
{
    start_next();
    if (warp_number() >= args.table.num_chunks) return;
    const Work<FaceRun> work(args.table);
    const Patch patch = args.view.patches[work.item.fine_patch];
    await_previous();
    for (int i = work.first; i < work.end; i += 32) {
        const Block block(args, work, patch, i);
        unsigned least = ~0u;
        for (int k = 0; k < 2 * DIM; k++) least = min(least, block.slots[k]);
        if (least == work.item.first_slot + i) block.give_back();
    }
}
