// settle_debts.cu: what the conservation fix has left coarse cells to owe is paid by the cells beside them: amrclaw/src/exec/cpu/debt.rs.
// Map     as reflux.cu; three launches: what cells ask for, what they get, and both sides' new states
// Bytes   2 DIM words of the map and 2 DIM slots, the kept quantities; where something is owed, 4 DIM M Real more
// Order   sides of an axis, then axes; of a cell that gives, the first of those who ask does all: repeats bit for bit

// A coarse patch of which some cells ask.
struct Debts {
    const AllowanceArgs& args;
    const Patch& patch;

    __device__ __forceinline__ Real& value(const Cell& cell, int m) const { return value_of(args.view, patch, cell, m); }

    // All of equation `m` in a cell.
    __device__ __forceinline__ Real holds(const Cell& cell, int m) const { return capacity_of(args.view, patch, cell) * value(cell, m); }

    // Moves to the cell on side `k`; whether it is of the patch.
    __device__ __forceinline__ bool move(Cell& cell, int k) const
    {
        bool inside = true;
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            cell[d] += k / 2 != d ? 0 : k % 2 == 0 ? -1 : 1;
            inside = inside && cell[d] >= 0 && cell[d] < patch.size[d];
        }
        return inside;
    }

    // The sum over sides, in an order in which neither mirrors nor the exchange of two axes change it.
    template <class Of> static __device__ __forceinline__ Real total(Of of)
    {
        Real sum = Real(0);
        for (int d = 0; d < DIM; d++) {
            const Real lower = of(2 * d), upper = of(2 * d + 1);
            sum = sum + (lower + upper);
        }
        return sum;
    }

    // The first face of a cell if it is one that asks, or none; and the part that it asks for.
    __device__ unsigned asker(const Cell& cell, Real& asked) const
    {
        unsigned faces[2 * DIM];
        const unsigned first = faces_around(args, patch, cell, faces);
        asked = first == ~0u ? Real(0) : args.allowances[first];
        return asked > Real(0) ? first : ~0u;
    }

    // All parts of a cell that are asked for, and the first face of those who ask.
    __device__ Real wanted(const Cell& lender, unsigned& first) const
    {
        first = ~0u;
        return total([&](int k) {
            Cell beside = lender;
            Real asked = Real(0);
            if (move(beside, k)) first = min(first, asker(beside, asked));
            return asked;
        });
    }

    // Moves to the cell on side `k` of one with these faces; whether it is of the patch, no finer patch covers it, and it owes nothing.
    __device__ bool lender(Cell& cell, const unsigned (&faces)[2 * DIM], int k) const
    {
        bool lends = move(cell, k) && faces[k] == ~0u;
        for (int m = 0; m < M; m++) lends = lends && (!(Solver::KEPT >> m & 1) || value(cell, m) >= Real(0));
        return lends;
    }

    // The sum over the lenders of a cell.
    template <class Of> __device__ __forceinline__ Real from_lenders(const Cell& cell, const unsigned (&faces)[2 * DIM], Of of) const
    {
        return total([&](int k) {
            Cell beside = cell;
            return lender(beside, faces, k) ? of(beside) : Real(0);
        });
    }

    // The part of the cells beside it that a cell asks for.
    __device__ Real part(const Cell& cell, const unsigned (&faces)[2 * DIM]) const
    {
        Real part = Real(0);
        #pragma unroll
        for (int m = 0; m < M; m++) {
            if (!(Solver::KEPT >> m & 1)) continue;
            const Real owed = -holds(cell, m);
            if (!(owed > Real(0))) continue;
            const Real held = from_lenders(cell, faces, [&](const Cell& beside) { return holds(beside, m); });
            if (held > Real(0)) part = real_max(part, real_min(owed / held, Real(1)));
        }
        return part;
    }

    __device__ void get(const Cell& cell, const unsigned (&faces)[2 * DIM], unsigned slot, Real asked) const
    {
        for (int m = 0; m < M; m++) {
            const Real given = from_lenders(cell, faces, [&](const Cell& beside) {
                unsigned first;
                return asked / real_max(wanted(beside, first), Real(1)) * holds(beside, m);
            });
            args.sums[size_t(m) * args.num_slots + slot] = given / capacity_of(args.view, patch, cell);
        }
    }

    __device__ void pay(const Cell& cell, const unsigned (&faces)[2 * DIM], unsigned slot) const
    {
        for (int m = 0; m < M; m++) value(cell, m) = value(cell, m) + args.sums[size_t(m) * args.num_slots + slot];
        for (int k = 0; k < 2 * DIM; k++) {
            Cell beside = cell;
            if (!lender(beside, faces, k)) continue;
            // Who asks lends nothing, though it owes nothing any more.
            unsigned first;
            Real asked;
            const Real part = real_min(wanted(beside, first), Real(1));
            if (first != slot || asker(beside, asked) != ~0u) continue;
            for (int m = 0; m < M; m++) value(beside, m) = value(beside, m) - part * value(beside, m);
        }
    }
};

extern "C" __global__ void settle_debts(const AllowanceArgs args)
{
    start_next();
    if (warp_number() >= args.table.num_chunks) return;
    const Work<FaceRun> work(args.table);
    const Patch patch = args.view.patches[work.item.coarse_patch];
    await_previous();
    const Debts debts{args, patch};
    for (int i = work.first; i < work.end; i += 32) {
        const Cell cell = in_patch(patch, cell_of(work.item, i), work.item.shift);
        unsigned faces[2 * DIM];
        const unsigned slot = faces_around(args, patch, cell, faces);
        if (slot != work.item.first_slot + i) continue;
        if (args.pass == 0) args.allowances[slot] = debts.part(cell, faces);
        else if (!(args.allowances[slot] > Real(0))) continue;
        else if (args.pass == 1) debts.get(cell, faces, slot, args.allowances[slot]);
        else debts.pay(cell, faces, slot);
    }
}
