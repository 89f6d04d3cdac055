// divide_plan.cu: what one rank has of the tables of a level's plans that a single rank would have: what it does alone, what it sends and what
// it receives, each in the single rank's order.
// Map     one block per part, a warp for items that follow one another
// Shared  sums of warps, items and cells for each rank
// Bytes   the single rank's items, three times, mostly from the cache; the part's items, blocks and chunks, written
// Floor   a launch; bounded by the latency of three passes of one block over the longest list
// Order   no atomics: repeats bit for bit

constexpr unsigned MAX_RANKS = sizeof(PartReport::cells) / sizeof(unsigned);

// Totals before an item: for its part and rank, and of the faces of which this rank owns at least one side.
struct Before { unsigned items, cells, chunks, slots, fine; };

// Counts of the warps that have items.
struct Warps {
    unsigned* counted;
    unsigned count;

    // The sum of a number of all threads.
    __device__ __forceinline__ unsigned sum(unsigned number) const
    {
        unsigned all;
        sum_up_to_of_block(number, counted, all, count);
        return all;
    }

    // The sum over all warps before this one, and over all.
    __device__ __forceinline__ unsigned before(unsigned number, unsigned& all) const
    {
        return __shfl_sync(0xffffffffu, sum_up_to_of_block(number, counted, all, count) - number, 0);
    }
};

// The totals before a lane's item, given those before the warp's, to which the warp's items are added.
template <bool RUNS> __device__ __forceinline__ Before before_lane(const Before& item, Before& before)
{
    Before here = before;
    const auto add = [&](unsigned Before::*number) {
        const unsigned up_to = sum_up_to(item.*number);
        here.*number += up_to - item.*number;
        before.*number += __shfl_sync(0xffffffffu, up_to, 31);
    };
    add(&Before::items), add(&Before::cells), add(&Before::chunks);
    if (RUNS) add(&Before::slots), add(&Before::fine);
    return here;
}

// Where an item is written: in the part's table, and in its messages.
struct Place { unsigned item, chunk, block, cell; };

// One part, as a thread works on it.
struct Divider {
    const DivideArgs& args;
    const PlanPart& part;
    unsigned chunk_cells;

    // True if the part has items from or to a rank; for a part without messages the rank is this one.
    __device__ __forceinline__ bool has(unsigned peer) const
    {
        const bool crosses = part.whose == Whose::Sent || part.whose == Whose::Received;
        return peer < args.num_ranks && crosses != (peer == args.rank);
    }

    __device__ __forceinline__ bool is_of(unsigned from, unsigned to, unsigned peer) const
    {
        const unsigned rank = args.rank;
        switch (part.whose) {
        case Whose::Here: return from == rank && to == rank;
        case Whose::SourceHere: return from == rank;
        case Whose::TargetHere: return to == rank;
        case Whose::Sent: return from == rank && to == peer;
        default: return from == peer && to == rank;
        }
    }

    // Adds an item to the totals, and returns whether it belongs to the part of a peer.
    template <bool RUNS> __device__ __forceinline__ bool count(unsigned item, unsigned kind, unsigned peer, Before& before) const
    {
        unsigned from, to, cells;
        if (RUNS) {
            const FaceRun& run = part.runs[item];
            from = part.source_owners[0][run.coarse_patch], to = part.target_owners[run.fine_patch], cells = num_cells(run);
            if (from == args.rank || to == args.rank)
                before.slots += cells, before.fine += cells * faces_of(args.ratio, run.axis);
        } else {
            const Region& region = part.regions[item];
            from = part.source_owners[kind][region.source], to = part.target_owners[region.target], cells = num_cells(region);
        }
        const bool is_own = is_of(from, to, peer);
        before.items += is_own, before.cells += is_own ? cells : 0;
        if (is_own && chunk_cells) before.chunks += (cells + chunk_cells - 1) / chunk_cells;
        return is_own;
    }

    // The same for all items from one on that belong to this lane; several at a time, so that their loads of owners overlap.
    template <bool RUNS> __device__ __forceinline__ Before count_all(unsigned begin, unsigned end, unsigned kind, unsigned peer) const
    {
        Before all = {};
        #pragma unroll 4
        for (unsigned k = begin + lane_number(); k < end; k += 32) count<RUNS>(k, kind, peer, all);
        return all;
    }

    // A box of cells in a message, behind `cells_before` others; kernels count from the first ghost cell, which here is the first cell.
    __device__ __forceinline__ static Patch block_of(const int* lo, const int* size, unsigned cells_before)
    {
        Patch block = {};
        block.first = cells_before, block.component = 1;
        #pragma unroll
        for (int d = 0; d < 3; d++) {
            block.lo[d] = d < DIM ? lo[d] + NUM_GHOST : 0, block.size[d] = size[d];
            block.component *= size[d];
        }
        block.stride[0] = 1;
        block.stride[1] = DIM > 1 ? size[0] : block.component;
        block.stride[2] = DIM > 2 ? size[0] * size[1] : block.component;
        return block;
    }

    // Faces as cells in a row.
    __device__ __forceinline__ static Patch row_of(unsigned faces, unsigned faces_before)
    {
        const int lo[3] = {0, 0, 0}, size[3] = {int(faces), 1, 1};
        return block_of(lo, size, faces_before);
    }

    // Writes an item to its place.
    template <bool RUNS> __device__ __forceinline__ void write(unsigned item, const Place& place, unsigned peer, const Before& before) const
    {
        unsigned cells;
        if (RUNS) {
            FaceRun run = part.runs[item];
            cells = num_cells(run);
            run.first_slot = before.slots, run.first_fine = before.fine;
            if (part.form == Form::Unchanged) part.part_runs[place.item] = run;
            else part.part_regions[place.item] = crossing(run.first_slot, before.cells, cells, peer);
        } else {
            Region region = part.regions[item];
            cells = num_cells(region);
            if (part.form != Form::Unchanged) part.blocks[place.block] = block_of(region.lo, region.size, place.cell);
            if (part.form == Form::Packed) region.target = place.block;
            if (part.form == Form::Unpacked) region.source = place.block, region.shift[0] = region.shift[1] = region.shift[2] = 0;
            part.part_regions[place.item] = region;
            if (part.origins) part.part_origins[place.item] = part.origins[item];
        }
        for (unsigned first = 0; first < cells; first += chunk_cells) {
            Chunk chunk;
            chunk.region = place.item, chunk.first = first;
            part.chunks[place.chunk + first / chunk_cells] = chunk;
        }
    }

    // The region that copies faces between their slots and a rank's message.
    __device__ __forceinline__ Region crossing(unsigned slot, unsigned in_message, unsigned faces, unsigned peer) const
    {
        const bool is_packed = part.form == Form::Packed;
        Region region = {};
        region.target = is_packed ? peer : 0, region.source = is_packed ? 0 : peer;
        region.lo[0] = int(is_packed ? in_message : slot);
        region.shift[0] = is_packed ? int(in_message) - int(slot) : int(slot) - int(in_message);
        region.size[0] = int(faces), region.size[1] = region.size[2] = 1;
        return region;
    }
};

// Divides a list. By a block, of which each warp takes items that follow one another.
template <bool RUNS> __device__ void divide(const DivideArgs& args, const PlanPart& part)
{
    __shared__ unsigned of_warps[DIVIDE_THREADS / 32];
    // Items and cells of a rank in each kind.
    __shared__ unsigned num_items[MAX_RANKS][2], num_cells[MAX_RANKS][2];
    // Warps without items return: sums over fewer warps are faster.
    const Warps warps = {of_warps, max(1u, min(DIVIDE_THREADS / 32u, (max(part.num_items[0], part.num_items[1]) + 31) / 32))};
    if (threadIdx.x / 32 >= warps.count) return;
    Divider divider = {args, part, 0};
    unsigned begin[2], end[2];
    for (unsigned kind = 0, start = 0; kind < 2; start += part.num_items[kind++]) {
        const unsigned count = part.num_items[kind], at_once = 32 * warps.count, each = (count + at_once - 1) / at_once * 32;
        begin[kind] = start + min(threadIdx.x / 32 * each, count);
        end[kind] = start + min((threadIdx.x / 32 + 1) * each, count);
    }
    unsigned total = 0;
    for (unsigned n = 0; n < 2 * MAX_RANKS; n++) {
        const unsigned peer = n / 2, kind = n % 2;
        unsigned items = 0, cells = 0;
        if (divider.has(peer)) {
            const Before own = divider.count_all<RUNS>(begin[kind], end[kind], kind, peer);
            items = warps.sum(own.items), cells = warps.sum(own.cells);
        }
        if (threadIdx.x == 0) num_items[peer][kind] = items, num_cells[peer][kind] = cells;
        total += cells;
    }
    __syncthreads();
    PartReport report = {};
    report.chunk_cells = divider.chunk_cells = max(32u, min(1024u, (total / CHUNK_WARPS + 31) / 32 * 32));
    unsigned num_written = 0;
    for (unsigned n = 0; n < 2 * MAX_RANKS; n++) {
        // Kind by kind where a kernel distinguishes the kinds; rank by rank where it takes each rank's message separately.
        const bool by_kind = part.form != Form::Unpacked;
        const unsigned peer = by_kind ? n % MAX_RANKS : n / 2, kind = by_kind ? n / MAX_RANKS : n % 2;
        if (!divider.has(peer)) continue;
        // Totals before a rank: messages hold one rank's cells after another's.
        unsigned blocks = 0, cells = 0;
        for (unsigned m = 0; m < 2 * peer + kind; m++) blocks += num_items[m / 2][m % 2], cells += num_cells[m / 2][m % 2];
        const Before own = divider.count_all<RUNS>(begin[kind], end[kind], kind, peer);
        Before all = {}, before = {};
        before.items = warps.before(own.items, all.items);
        before.cells = warps.before(own.cells, all.cells);
        before.chunks = warps.before(own.chunks, all.chunks);
        if (RUNS && kind == 0) {
            before.slots = warps.before(own.slots, all.slots);
            before.fine = warps.before(own.fine, all.fine);
            report.num_slots = all.slots, report.num_fine = all.fine;
            if (part.blocks && threadIdx.x == 0) part.blocks[peer] = Divider::row_of(all.cells, cells);
        }
        for (unsigned first = begin[kind]; first < end[kind]; first += 32) {
            const unsigned k = first + lane_number();
            Before item = {};
            const bool is_own = k < end[kind] && divider.count<RUNS>(k, kind, peer, item);
            const Before here = before_lane<RUNS>(item, before);
            if (!is_own) continue;
            const Place place = {num_written + here.items, report.num_chunks + here.chunks, blocks + here.items, cells + here.cells};
            divider.write<RUNS>(k, place, peer, here);
        }
        num_written += all.items;
        if (!by_kind || kind == 0) report.num_first = num_written;
        report.num_chunks += all.chunks, report.chunks[peer] += all.chunks, report.cells[peer] += all.cells;
    }
    if (threadIdx.x != 0) return;
    *part.report = report;
    if (part.slots) *part.slots = Divider::row_of(report.num_slots, 0);
}

extern "C" __global__ void __launch_bounds__(DIVIDE_THREADS) divide_plan(const __grid_constant__ DivideArgs args)
{
    start_next();
    await_previous();
    const PlanPart& part = args.parts[blockIdx.x];
    if (part.runs) divide<true>(args, part);
    else divide<false>(args, part);
}
