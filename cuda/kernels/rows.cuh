// rows.cuh: rows of a tile copied to shared memory ahead of their use, so that no register waits for them.

constexpr int ROWS_AHEAD = 2;
// A row's place is reused once the row before the present one is finished.
constexpr int ROW_PLACES = 4;
constexpr int ROW_NUMBERS = ROW_PLACES * M * 32;

// Every lane reads and writes its own column only, so it waits only for its own copies.
struct RowsAhead {
    Real* own; // [place, component, lane]

    __device__ __forceinline__ RowsAhead(const Lane& at, Real* shared) : own(shared + at.lane) {}

    __device__ __forceinline__ Real* place(int k, int m) const { return own + ((k & (ROW_PLACES - 1)) * M + m) * 32; }

    // Starts the copy of the lane's state in row K.
    __device__ __forceinline__ void ask(const Lane& at, int k) const
    {
        const Real* cell = at.args.q + at.first_state + at.offset(min(k, at.end_row() + 1));
#pragma unroll
        for (int m = 0; m < M; m++) {
            const Real* from = cell + (long long)m * at.patch.component;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
            const unsigned to = unsigned(__cvta_generic_to_shared(place(k, m)));
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(sizeof(Real)) : "memory");
#else
            *place(k, m) = *from;
#endif
        }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        asm volatile("cp.async.commit_group;" ::: "memory");
#endif
    }

    // The state in row K, whose copy was started ROWS_AHEAD rows earlier.
    __device__ __forceinline__ State take(int k) const
    {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        asm volatile("cp.async.wait_group %0;" ::"n"(ROWS_AHEAD) : "memory");
#endif
        State q;
#pragma unroll
        for (int m = 0; m < M; m++) q[m] = *place(k, m);
        return q;
    }
};
