// leaves_above.cu: flags leaves where a field is not zero, bit 0 to be divided, bit 1, with means of families, not to be joined.
// Map     one thread per leaf
// Bytes   24 bytes per leaf
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void leaves_above(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.before.tables.num_cells) return;
    add_flags(args, leaf, unsigned(fabs(args.field[leaf]) > args.tolerance) | unsigned(fabs(args.coarse[leaf]) > args.kept) << 1);
}
