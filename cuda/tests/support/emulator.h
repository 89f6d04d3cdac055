// emulator.h: runs a kernel on the host. The threads of a block are coroutines that take turns; whatever waits for other
// threads on a device (a shuffle, a barrier) passes the turn on here.
#undef _FORTIFY_SOURCE // Its check of jumps knows one stack only.
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#include <vector>

#define __device__
#define __global__
#define __constant__
#define __grid_constant__
#define __shared__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)

// What the library is asked for.
#define EXPORTED extern "C" __attribute__((visibility("default")))

struct Dim3 {
    unsigned x, y, z;
};
static Dim3 blockIdx, gridDim, blockDim, threadIdx;

namespace emulator {
struct Thread {
    ucontext_t context;
    std::jmp_buf here;
    std::vector<char> stack;
    bool started, done;
    unsigned exchanges;
    std::uint64_t offered[2];
};
static std::vector<Thread> threads;
static std::jmp_buf scheduler;
static unsigned current, waiting, generation;

// Jumps within the process: swapcontext would ask the system each time. Functions of their own, so that no caller is one that a
// jump comes back to.
__attribute__((noinline)) static void pass()
{
    if (_setjmp(threads[current].here) == 0) _longjmp(scheduler, 1);
}
__attribute__((noinline)) static void resume(Thread& thread)
{
    if (_setjmp(scheduler) != 0) return;
    if (thread.started) _longjmp(thread.here, 1);
    thread.started = true;
    setcontext(&thread.context);
}

// Offers VALUE to the warp and returns what lane LANE of it offers. Two places take turns, since a lane may be one exchange
// ahead of the next.
template <class T> T exchange(T value, unsigned lane)
{
    Thread& mine = threads[current];
    const unsigned place = mine.exchanges++ & 1;
    std::memcpy(&mine.offered[place], &value, sizeof(T));
    pass();
    T taken;
    std::memcpy(&taken, &threads[current / 32 * 32 + lane].offered[place], sizeof(T));
    return taken;
}
inline unsigned lane() { return current % 32; }
} // namespace emulator

template <class T> T __shfl_sync(unsigned, T v, int lane) { return emulator::exchange(v, lane & 31); }
template <class T> T __shfl_up_sync(unsigned, T v, int by)
{
    const int from = int(emulator::lane()) - by;
    return emulator::exchange(v, from < 0 ? emulator::lane() : from);
}
template <class T> T __shfl_down_sync(unsigned, T v, int by)
{
    const int from = int(emulator::lane()) + by;
    return emulator::exchange(v, from > 31 ? emulator::lane() : from);
}
template <class T> T __shfl_xor_sync(unsigned, T v, int mask) { return emulator::exchange(v, emulator::lane() ^ mask); }
inline unsigned __ballot_sync(unsigned, bool is)
{
    using namespace emulator;
    const unsigned place = threads[current].exchanges & 1;
    exchange(is, 0);
    unsigned all = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        all |= unsigned(threads[current / 32 * 32 + lane].offered[place] & 1) << lane;
    return all;
}
inline bool __any_sync(unsigned all, bool is) { return __ballot_sync(all, is) != 0; }
inline void __syncwarp(unsigned = 0) { emulator::exchange(0, 0); }
inline void __syncthreads()
{
    const unsigned mine = emulator::generation;
    if (++emulator::waiting == emulator::threads.size()) emulator::waiting = 0, emulator::generation++;
    while (mine == emulator::generation) emulator::pass();
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
    return unsigned((std::uint64_t(high) << 32 | low) >> (by & 31));
}
inline int __clzll(long long v) { return v ? __builtin_clzll(v) : 64; }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline int __clz(int v) { return v ? __builtin_clz(unsigned(v)) : 32; }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline void __threadfence() {}
// What another thread of the block is waited for may do is done when it has its turn.
inline void __nanosleep(unsigned) { emulator::pass(); }
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __ffs(int v) { return __builtin_ffs(v); }
template <class T> T __ldg(const T* p) { return *p; }
template <class T> T atomicMax(T* p, T v)
{
    T old = *p;
    *p = v > old ? v : old;
    return old;
}
template <class T> T atomicMin(T* p, T v)
{
    T old = *p;
    *p = v < old ? v : old;
    return old;
}
template <class T> T atomicSub(T* p, T v)
{
    T old = *p;
    *p = old - v;
    return old;
}
template <class T> T atomicAdd(T* p, T v)
{
    T old = *p;
    *p = old + v;
    return old;
}
template <class T> T atomicOr(T* p, T v)
{
    T old = *p;
    *p = old | v;
    return old;
}
template <class T> T min(T a, T b) { return b < a ? b : a; }
template <class T> T max(T a, T b) { return a < b ? b : a; }
template <class To, class From> To as_bits(From from)
{
    To to;
    std::memcpy(&to, &from, sizeof(To));
    return to;
}
inline long long __double_as_longlong(double v) { return as_bits<long long>(v); }
inline double __longlong_as_double(long long v) { return as_bits<double>(v); }
inline int __double2hiint(double v) { return int(as_bits<std::uint64_t>(v) >> 32); }
inline int __float_as_int(float v) { return as_bits<int>(v); }

#define EMULATE(KERNEL, ARGS)                                                                                                    \
    static const ARGS* args_of_##KERNEL;                                                                                         \
    /* A block's thread, which is that of the next block too. */                                                                 \
    static void thread_of_##KERNEL()                                                                                             \
    {                                                                                                                            \
        for (;;) {                                                                                                               \
            KERNEL(*args_of_##KERNEL);                                                                                           \
            emulator::threads[emulator::current].done = true;                                                                    \
            emulator::pass();                                                                                                    \
        }                                                                                                                        \
    }                                                                                                                            \
    EXPORTED void emulate_##KERNEL(const unsigned* blocks, unsigned num_threads, const void* args)                               \
    {                                                                                                                            \
        using namespace emulator;                                                                                                \
        args_of_##KERNEL = static_cast<const ARGS*>(args);                                                                       \
        gridDim = Dim3{blocks[0], blocks[1], blocks[2]};                                                                         \
        blockDim = Dim3{num_threads, 1, 1};                                                                                      \
        threads.resize(num_threads);                                                                                             \
        for (Thread& thread : threads) {                                                                                         \
            thread.stack.resize(1 << 18);                                                                                        \
            thread.started = false;                                                                                              \
            getcontext(&thread.context);                                                                                         \
            thread.context.uc_stack.ss_sp = thread.stack.data();                                                                 \
            thread.context.uc_stack.ss_size = thread.stack.size();                                                               \
            thread.context.uc_link = nullptr;                                                                                    \
            makecontext(&thread.context, thread_of_##KERNEL, 0);                                                                 \
        }                                                                                                                        \
        for (unsigned block = 0; block < blocks[0] * blocks[1] * blocks[2]; block++) {                                           \
            blockIdx = Dim3{block % blocks[0], block / blocks[0] % blocks[1], block / blocks[0] / blocks[1]};                    \
            waiting = 0;                                                                                                         \
            for (Thread& thread : threads) thread.done = false, thread.exchanges = 0;                                            \
            for (bool busy = true; busy;) {                                                                                      \
                busy = false;                                                                                                    \
                for (current = 0; current < threads.size(); current++) {                                                         \
                    if (threads[current].done) continue;                                                                         \
                    busy = true;                                                                                                 \
                    threadIdx = Dim3{current, 0, 0};                                                                             \
                    resume(threads[current]);                                                                                    \
                }                                                                                                                \
            }                                                                                                                    \
        }                                                                                                                        \
    }
