// cluster.cu: boxes around tags: M. Berger & I. Rigoutsos 1991, doi:10.1109/21.120081; the same boxes as regrid::cluster makes.
// Map     one block per candidate, as long as there are any: the block continues with the larger part of a candidate that it cuts, and puts
//         the other part into the queue, from which all blocks take candidates
// Shared  the candidate's signatures, those of the part cut off, and the planes that hold tags, as bits
// Bytes   of each part cut off 128 bytes a tile that lies inside it and 512 a tile that it shares, for each axis, from the cache
// Floor   the longest line of cuts, one after another: 1 us each
// Order   the boxes depend on the tags alone; their order in the list is undefined

// A candidate and how it is divided. By a block.
struct Division : Signature {
    using Signature::Signature;

    // Cuts the candidate, and the parts that it continues with, until it accepts a box.
    __device__ __forceinline__ void divide(const CellBox& candidate)
    {
        begin(candidate);
        // The region to count: all of the candidate, then what is cut off along an axis.
        CellBox part = box;
        int axis = -1, at = 0;
        for (;;) {
            if (axis < 0 && shared.holds_all) take_all();
            else count(part, axis < 0 ? counts : cut_off, axis);
            __syncthreads();
            shrink(axis);
            find_cut(axis, at);
            if (axis < 0) return;
            part = cut(axis, at);
            // By a thread of the last warp, which has the least to count, so that the other warps do not wait for the queue.
            if (threadIdx.x == CLUSTER_THREADS - 1) put(part);
        }
    }

    // The rank of a cut: cuts at gaps come before others, then the greater merit, then the nearest to the middle, then the later axis,
    // then the lower plane. The largest rank is the best, 0 is no cut. The merit has 29 bits.
    static __device__ __forceinline__ Word rank(bool at_gap, unsigned merit, int distance, int axis)
    {
        return Word(at_gap) << 63 | Word(merit) << 34 | Word(0x7fffffff - abs(distance)) << 3 | Word(axis) << 1 | Word(distance <= 0);
    }

    __device__ __forceinline__ int middle(int axis) const { return floor_divide(box.lo[axis] + box.hi[axis] - 1, 2); }

    // Finds the best cut of a warp's planes, at a gap between planes with tags or where a second difference changes its sign.
    __device__ __forceinline__ void rank_cuts() const
    {
        const int margin = max(args.min_size, 2);
        Word best = 0;
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            const int size = box.hi[d] - box.lo[d], to_middle = box.lo[d] - middle(d);
            const unsigned* planes = counts + start[d] + first[d];
            #pragma unroll 1
            for (int k = first_of_thread(d); k < size; k += CLUSTER_THREADS) {
                if (k == 0) continue;
                const unsigned* here = planes + k;
                const int own = here[0], below = here[-1];
                if (own != 0 && below == 0) best = max(best, rank(true, k - tagged_before(d, k), to_middle + k, d));
                if (k < margin || k > size - margin) continue;
                const int before = int(here[-2]) - 2 * below + own, after = below - 2 * own + int(here[1]);
                if ((before ^ after) >= 0 || before == 0 || after == 0) continue;
                best = max(best, rank(false, abs(before - after), to_middle + k, d));
            }
        }
        best = largest_of_warp(best);
        if (lane_number() == 0) shared.best[threadIdx.x / 32] = best;
    }

    // Where to cut: before cell `at` of an axis, which is −1 if the candidate is not to be cut.
    __device__ __forceinline__ void find_cut(int& axis, int& at)
    {
        axis = -1;
        if (tags == 0) return;
        // Cuts are searched while the quotient is being computed.
        const double efficiency = double(tags) / double(volume(box));
        rank_cuts();
        __syncthreads();
        if (efficiency >= args.cutoff) return;
        const Word best = largest_of_warp(lane_number() < WARPS ? shared.best[lane_number()] : 0);
        if (best) {
            axis = int(best >> 1 & 3);
            const int distance = 0x7fffffff - int(best >> 3 & 0x7fffffff);
            #pragma unroll
            for (int d = 0; d < DIM; d++)
                if (d == axis) at = middle(d) + (best & 1 ? -distance : distance);
        } else if (efficiency < args.halved_below) bisect(axis, at);
    }

    // In the middle of the longest axis along which halves, shrunk to their tags, save more cells than the ghost cells of their new sides take.
    __device__ void bisect(int& axis, int& at) const
    {
        const Word cells = volume(box);
        bool tried[DIM] = {};
        #pragma unroll 1
        for (int n = 0; n < DIM; n++) {
            int longest = -1, size = 0, half_way = 0;
            #pragma unroll
            for (int d = 0; d < DIM; d++) {
                const int length = box.hi[d] - box.lo[d];
                if (!tried[d] && length > size) longest = d, size = length, half_way = box.lo[d] + length / 2;
            }
            if (size < 2 * args.min_size) return;
            #pragma unroll
            for (int d = 0; d < DIM; d++) tried[d] = tried[d] || d == longest;
            Word kept = 0;
            #pragma unroll 1
            for (int upper = 0; upper < 2; upper++)
                kept += volume(hull_of(half(box, longest, half_way, upper), args.map, shared.hull,
                    [&](unsigned number, const Cell&, int row) { return number == NO_TILE ? 0 : args.turned[number].lines[64 + row]; }));
            if (kept + 2 * cells / size >= cells) continue;
            axis = longest, at = half_way;
            return;
        }
    }

    // Writes a candidate to its place in the queue, each number together with the number of the run, which shows that it has been
    // written. By a thread.
    __device__ __forceinline__ void put(const CellBox& candidate) const
    {
        atomicAdd(&args.state->pending, 1u);
        const unsigned place = atomicAdd(&args.state->added, 1u);
        if (place >= args.room) {
            args.state->failed = 1;
            atomicSub(&args.state->pending, 1u);
            return;
        }
        volatile Word* ends = args.queue[place].ends;
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            ends[2 * d] = Word(args.run) << 32 | unsigned(candidate.lo[d]);
            ends[2 * d + 1] = Word(args.run) << 32 | unsigned(candidate.hi[d]);
        }
    }

    // Takes the next candidate from the queue and waits for it while other blocks may still add some; false if there are none. By a
    // thread.
    __device__ __forceinline__ bool take(CellBox& candidate) const
    {
        const unsigned number = atomicAdd(&args.state->taken, 1u);
        if (number >= args.room) return false;
        shared.holds_all = number == 0;
        const volatile Word* ends = args.queue[number].ends;
        for (unsigned look = 1;; look++) {
            bool is_there = true;
            #pragma unroll
            for (int d = 0; d < DIM; d++) {
                const Word lo = ends[2 * d], hi = ends[2 * d + 1];
                is_there = is_there && lo >> 32 == args.run && hi >> 32 == args.run;
                candidate.lo[d] = int(unsigned(lo)), candidate.hi[d] = int(unsigned(hi));
            }
            if (is_there) return true;
            // All waiting blocks read this word, so they do so rarely.
            if (look % 8 == 0 && *(volatile unsigned*)&args.state->pending == 0) return false;
            __nanosleep(40);
        }
    }

    // Accepts the candidate as a box. By a thread.
    __device__ __forceinline__ void accept() const
    {
        if (tags != 0) {
            const unsigned number = atomicAdd(&args.state->accepted, 1u);
            if (number < args.room) args.boxes[number] = box;
            else args.state->failed = 1;
        }
        atomicSub(&args.state->pending, 1u);
    }

    __device__ __forceinline__ void run()
    {
        for (;;) {
            if (threadIdx.x == 0) shared.is_there = take(shared.taken);
            __syncthreads();
            if (!shared.is_there) return;
            divide(shared.taken);
            if (threadIdx.x == 0) accept();
            __syncthreads();
        }
    }
};

// Of candidates with up to BLOCK_PLANES planes.
extern "C" __global__ void cluster(const ClusterArgs args)
{
    __shared__ unsigned memory[2 * BLOCK_PLANES + BLOCK_PLANES / 32 + 3];
    __shared__ Shared shared;
    start_next();
    await_previous();
    Division(args, shared, memory, BLOCK_PLANES).run();
}
