// cluster_long.cu: as cluster.cu, where candidates have more planes than there is shared memory for: signatures lie in the device's.

extern "C" __global__ void cluster_long(const ClusterArgs args)
{
    __shared__ Shared shared;
    start_next();
    await_previous();
    Division(args, shared, args.scratch + size_t(blockIdx.x) * args.scratch_words, args.num_planes).run();
}
