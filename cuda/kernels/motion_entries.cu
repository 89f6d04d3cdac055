// motion_entries.cu: what the cells of a mesh that moves see across their faces half way of a step, as unstructured::step::stencil, and whether their volumes
// change by what faces sweep.
// Map     one thread per cell
// Bytes   24 DIM + 16 per cell; 24 DIM + 8 per face
// Order   faces in the order of the cell's list; every number is written by one thread: repeats bit for bit

extern "C" __global__ void motion_entries(const MotionArgs args)
{
    start_next();
    const unsigned cell = item_of_thread(), cells = args.tables.num_cells, entries = args.tables.num_entries;
    await_previous();
    if (cell >= cells) return;
    const unsigned row = args.tables.slices[cell / 32] + cell % 32, end = args.tables.slices[cell / 32 + 1];
    const Vector centroid = vector_at(args.half_way.centroid + cell, cells);
    const double volume = args.half_way.volume[cell];
    Value *to_face = reinterpret_cast<Value*>(args.tables.to_face), *weights = reinterpret_cast<Value*>(args.tables.weight);
    LeastSquares squares;
    double gained = -0.0;
    // Twice, since weights are known when all are added.
    for (int turn = 0; turn < 2; turn++) {
        for (unsigned place = row; place < end; place += 32) {
            const unsigned entry = args.tables.entries[place], face = entry / 2, side = entry % 2, behind = args.tables.neighbours[place];
            if (entry == NO_ITEM) break;
            if (turn == 0) gained += side ? -args.swept[face] : args.swept[face];
            if (!to_face) continue;
            const Vector moved = shift_of_face(args, face), normal = vector_in(args.normal, face);
            const Vector near = vector_in(args.centre, face) + double(side) * moved - centroid;
            Vector weight;
            if (args.is_green_gauss) {
                weight = (side ? -0.5 : 0.5) * args.face_size[face] / volume * normal;
            } else {
                Vector far = to_mirror_image(near, normal);
                if (behind < cells) far = vector_at(args.half_way.centroid + behind, cells) + (side ? 1.0 : -1.0) * moved - centroid;
                weight = turn == 0 ? squares.add(far) : squares.solved(over_square(far));
            }
            for (int d = 0; d < DIM && turn > 0; d++) {
                to_face[size_t(d) * entries + place] = Value(near[d]);
                weights[size_t(d) * entries + place] = Value(weight[d]);
            }
        }
        if (turn == 0) squares.solve();
    }
    const double before = args.before.volume[cell];
    if (args.num_periodic > 0 && fabs(args.after.volume[cell] - before - gained) > args.open * before) note(args, Wrong::Open, cell);
}
