// allowances.cu: what the steps of a finer level may take from the coarse cells beside it: amrclaw/src/exec/cpu/allowance.rs.
// Map     as reflux.cu
// Bytes   at most 2 DIM words of the map and 2 DIM slots, 2 Real per face and quantity
// Order   a cell's faces in the order of their slots, by one lane: repeats bit for bit

extern "C" __global__ void allowances(const AllowanceArgs args)
{
    start_next();
    if (warp_number() >= args.table.num_chunks) return;
    const Work<FaceRun> work(args.table);
    const Patch patch = args.view.patches[work.item.coarse_patch];
    await_previous();
    const Real margin = Real(sizeof(Real) == 8 ? 1e-14 : 5e-6);
    for (int i = work.first; i < work.end; i += 32) {
        const Cell cell = in_coarse(patch, cell_of(work.item, i), work.item);
        unsigned faces[2 * DIM];
        if (faces_around(args, patch, cell, faces) != work.item.first_slot + i) continue;
        const Real kappa = capacity_of(args.view, patch, cell);
        int n = 0;
        #pragma unroll
        for (int m = 0; m < M; m++) {
            if (!(Solver::KEPT >> m & 1)) continue;
            const Real* sums = args.sums + size_t(m) * args.num_slots;
            Real* allowances = args.allowances + size_t(n++) * args.num_slots;
            // What the fix would add if the finer steps took nothing.
            const auto change = [&](int face, unsigned slot, double dx) {
                const Real outward = face % 2 == 0 ? Real(1) : Real(-1);
                return outward * sums[slot] / (Real(dx) * kappa);
            };
            Real brought = Real(0), moved = Real(0);
            int count = 0;
            in_order(args.dx, faces, [&](int face, unsigned slot, double dx) {
                const Real changed = change(face, slot, dx);
                brought += real_max(-changed, Real(0));
                moved += real_max(changed, -changed);
                count++;
            });
            const Real held = value_of(args.view, patch, cell, m);
            const Real rest = held - brought - margin * (held + moved);
            const Real part = rest / Real(count);
            in_order(args.dx, faces, [&](int face, unsigned slot, double dx) {
                allowances[slot] = (real_max(-change(face, slot, dx), Real(0)) + part) * (Real(dx) * kappa);
            });
        }
    }
}
