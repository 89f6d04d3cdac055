// device.cuh: kernels of loops.cu on a device, a thread for each item.

#define FUNCTION __device__ __forceinline__
#define KERNEL(NAME, ITEM) \
    FUNCTION void NAME##_of(const LoopArgs& args, unsigned ITEM); \
    extern "C" __global__ void NAME(const LoopArgs args) \
    { \
        const unsigned item = args.first + blockIdx.x * blockDim.x + threadIdx.x; \
        if (item < args.end) NAME##_of(args, item); \
    } \
    FUNCTION void NAME##_of(const LoopArgs& args, unsigned ITEM)

FUNCTION void atomic_add(double* to, double value) { atomicAdd(to, value); }
// Bits of positive numbers have their order.
FUNCTION void atomic_least(double* to, double value) { atomicMin((unsigned long long*)to, (unsigned long long)__double_as_longlong(value)); }
FUNCTION void atomic_most(double* to, double value) { atomicMax((unsigned long long*)to, (unsigned long long)__double_as_longlong(value)); }
