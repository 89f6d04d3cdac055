// settle_debts.cu: what the conservation fix has left coarse cells to owe is paid by the cells beside them: amrclaw/src/exec/cpu/debt.rs.
// Map     as reflux.cu; three launches: what cells ask for, what they get, and both sides' new states
// Bytes   2 DIM words of the map and 2 DIM slots, the kept quantities; where something is owed, 4 DIM M Real more
// Order   sides of an axis, then axes; of a cell that gives, the first of those who ask does all: repeats bit for bit

// How far from a cell others pay for it at most, in cells.
constexpr int FARTHEST = 8;

// A coarse patch of which some cells ask.
struct Debts {
    const AllowanceArgs& args;
    const Patch& patch;

    __device__ __forceinline__ Real& value(const Cell& cell, int m) const { return value_of(args.view, patch, cell, m); }

    // All of equation `m` in a cell.
    __device__ __forceinline__ Real holds(const Cell& cell, int m) const { return capacity_of(args.view, patch, cell) * value(cell, m); }

    // Moves so far on side `k` of a cell that no finer patch covers; whether that is of the patch, and none covers it or what lies between.
    __device__ bool reach(Cell& cell, int k, int far) const
    {
        while (far-- > 0) {
            unsigned faces[2 * DIM];
            faces_around(args, patch, cell, faces);
            bool inside = faces[k] == ~0u;
            #pragma unroll
            for (int d = 0; d < DIM; d++) {
                cell[d] += k / 2 != d ? 0 : k % 2 == 0 ? -1 : 1;
                inside = inside && cell[d] >= 0 && cell[d] < patch.size[d];
            }
            if (!inside) return false;
        }
        return true;
    }

    // The sum over places so far off, in an order in which neither mirrors nor the exchange of two axes change it.
    template <class Of> static __device__ __forceinline__ Real total(int farthest, Of of)
    {
        Real sum = Real(0);
        for (int far = 1; far <= farthest; far++) {
            Real around = Real(0);
            for (int d = 0; d < DIM; d++) {
                const Real lower = of(2 * d, far), upper = of(2 * d + 1, far);
                around = around + (lower + upper);
            }
            sum = sum + around;
        }
        return sum;
    }

    // What the debtor whose first face this is asks for of others, and how far off; nothing if it is no debtor.
    __device__ __forceinline__ Real asked_at(unsigned slot, int& far) const
    {
        Real asked = slot == ~0u ? Real(0) : args.allowances[slot];
        for (far = 1; asked > Real(1); far++) asked = asked - Real(1);
        return asked;
    }

    // The first face of a debtor, or none.
    __device__ __forceinline__ unsigned asks_at(const Cell& cell, Real& asked, int& far) const
    {
        unsigned faces[2 * DIM];
        const unsigned first = faces_around(args, patch, cell, faces);
        asked = asked_at(first, far);
        return asked > Real(0) ? first : ~0u;
    }

    // All parts of a lender that are asked for, and the first face of those who ask.
    __device__ Real wanted(const Cell& lender, unsigned& first) const
    {
        first = ~0u;
        return total(FARTHEST, [&](int k, int far) {
            Cell other = lender;
            if (!reach(other, k, far)) return Real(0);
            Real asked = Real(0);
            int farthest;
            const unsigned slot = asks_at(other, asked, farthest);
            if (far > farthest) return Real(0);
            first = min(first, slot);
            return asked;
        });
    }

    // Moves to the cell that can be reached there; whether there is one that owes nothing.
    __device__ bool lender(Cell& cell, int k, int far) const
    {
        bool lends = reach(cell, k, far);
        for (int m = 0; m < M; m++) lends = lends && (!(Solver::KEPT >> m & 1) || value(cell, m) >= Real(0));
        return lends;
    }

    // The sum over the lenders so far from a cell.
    template <class Of> __device__ __forceinline__ Real from_lenders(const Cell& cell, int far, Of of) const
    {
        return total(far, [&](int k, int far) {
            Cell other = cell;
            return lender(other, k, far) ? of(other) : Real(0);
        });
    }

    // The part of what lies so far from it that a cell owes.
    __device__ Real part(const Cell& cell, int far) const
    {
        Real part = Real(0);
        #pragma unroll
        for (int m = 0; m < M; m++) {
            if (!(Solver::KEPT >> m & 1)) continue;
            const Real owed = -holds(cell, m);
            if (!(owed > Real(0))) continue;
            const Real held = from_lenders(cell, far, [&](const Cell& other) { return holds(other, m); });
            if (held > Real(0)) part = real_max(part, real_min(owed / held, Real(1)));
        }
        return part;
    }

    // What a cell asks for; nothing if it owes nothing. It asks as far off as a quarter of what lies there is enough.
    __device__ Real ask(const Cell& cell) const
    {
        // Not lost beside how far.
        const Real least = Real(sizeof(Real) == 8 ? 1e-15 : 1e-6);
        Real asked = Real(0);
        for (int far = 1; far <= FARTHEST; far++) {
            const Real found = part(cell, far);
            if (found > Real(0)) asked = far > 1 ? Real(far - 1) + real_max(found, least) : found;
            if (found < Real(0.25) && found > Real(0)) break;
        }
        return asked;
    }

    __device__ void get(const Cell& cell, unsigned slot) const
    {
        int far;
        const Real asked = asked_at(slot, far);
        for (int m = 0; m < M; m++) {
            const Real given = from_lenders(cell, far, [&](const Cell& other) {
                unsigned first;
                return asked / real_max(wanted(other, first), Real(1)) * holds(other, m);
            });
            args.sums[size_t(m) * args.num_slots + slot] = given / capacity_of(args.view, patch, cell);
        }
    }

    __device__ void pay(const Cell& cell, unsigned slot) const
    {
        int farthest;
        asked_at(slot, farthest);
        for (int m = 0; m < M; m++) value(cell, m) = value(cell, m) + args.sums[size_t(m) * args.num_slots + slot];
        for (int far = 1; far <= farthest; far++) for (int k = 0; k < 2 * DIM; k++) {
            Cell other = cell;
            if (!lender(other, k, far)) continue;
            // Who asks lends nothing, though it owes nothing any more.
            unsigned first;
            Real asked;
            int its;
            const Real part = real_min(wanted(other, first), Real(1));
            if (first != slot || asks_at(other, asked, its) != ~0u) continue;
            for (int m = 0; m < M; m++) value(other, m) = value(other, m) - part * value(other, m);
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
        const Cell cell = in_coarse(patch, cell_of(work.item, i), work.item);
        unsigned faces[2 * DIM];
        const unsigned slot = faces_around(args, patch, cell, faces);
        if (slot != work.item.first_slot + i) continue;
        if (args.pass == 0) args.allowances[slot] = debts.ask(cell);
        else if (!(args.allowances[slot] > Real(0))) continue;
        else if (args.pass == 1) debts.get(cell, slot);
        else debts.pay(cell, slot);
    }
}
