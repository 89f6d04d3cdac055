// leaves_families.cu: of each leaf the first of its brothers, if all are leaves.
// Map     one thread per leaf
// Bytes   16 per leaf
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void leaves_families(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.before.num_cells) return;
    const LeafMesh& mesh = args.before;
    const unsigned own = mesh.level[leaf], first = leaf - son_of(max(own, 1u), mesh.place[leaf]);
    bool are_leaves = own > 0 && first + SONS <= mesh.num_cells;
    // What comes before a leaf and has its level is the brother before it, and so on.
    for (unsigned son = 0; are_leaves && son < SONS; son++) are_leaves = mesh.level[first + son] == own;
    args.families[leaf] = are_leaves ? first : NONE;
}
