// cluster_long.cu: as cluster.cu, for candidates with more planes than fit in shared memory: signatures are in device memory.

extern "C" __global__ void cluster_long(const ClusterArgs args)
{
    __shared__ Shared shared;
    start_next();
    await_previous();
    Division(args, shared, args.scratch + size_t(blockIdx.x) * args.scratch_words, args.num_planes).run();
}
