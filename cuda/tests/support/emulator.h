// emulator.h: runs a kernel on the host. The threads of a block are coroutines, of which one runs at a time; operations that wait for
// other threads on a device (a shuffle, a barrier) switch to another coroutine here.
// Few headers are included, since they are compiled with each of hundreds of texts.
#include <cmath>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define __device__
#define __global__
#define __constant__
#define __grid_constant__
#define __shared__ static
// Not always: a kernel in space that has all of its solver inlined takes the compiler five times as long, and the emulator little less.
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)

// Symbols that the library exports.
#define EXPORTED extern "C" __attribute__((visibility("default")))

struct Dim3 {
    unsigned x, y, z;
};
static Dim3 blockIdx, gridDim, blockDim, threadIdx;

namespace emulator {
// A jump buffer of the compiler's setjmp.
typedef void* Place[5];

constexpr size_t STACK = 1 << 18;
constexpr unsigned MOST_THREADS = 1024;

struct Thread {
    ucontext_t context;
    Place here;
    void* stack;    // never freed
    void (*runs)(); // the function that the coroutine runs, in which it waits for the next block
    bool started, done;
    bool rests; // done, or waiting at a barrier that others have not reached
    unsigned exchanges;
    uint64_t offered[2];
};
static Thread threads[MOST_THREADS];
static Place scheduler;
static unsigned num_threads, current, waiting, running;

// Switches by jumps, since swapcontext makes a system call each time. These are separate functions, so that no caller contains a setjmp
// itself.
__attribute__((noinline)) static void give_turn()
{
    threadIdx = Dim3{current, 0, 0};
    Thread& thread = threads[current];
    if (thread.started) __builtin_longjmp(thread.here, 1);
    thread.started = true;
    setcontext(&thread.context);
}
__attribute__((noinline)) static void turn_over(Place& here, void (*to)())
{
    if (__builtin_setjmp(here) == 0) to();
}
__attribute__((noinline)) static void end_block() { __builtin_longjmp(scheduler, 1); }

// Switches to the next thread from BEGIN to END that does not rest, cyclically after this one.
inline bool pass_among(unsigned begin, unsigned end)
{
    const unsigned mine = current;
    for (unsigned k = 1; k <= end - begin; k++) {
        const unsigned next = mine + k < end ? mine + k : mine + k - (end - begin);
        if (threads[next].rests) continue;
        if (next == mine) return true;
        current = next;
        turn_over(threads[mine].here, give_turn);
        return true;
    }
    return false;
}
// Switches to any thread of the block, in turn.
inline void pass()
{
    if (!pass_among(0, num_threads)) turn_over(threads[current].here, end_block);
}
// Switches to a thread of the same warp if one can run: a warp runs until it has to wait for others.
inline void pass_in_warp()
{
    const unsigned begin = current / 32 * 32, end = begin + 32 < num_threads ? begin + 32 : num_threads;
    if (!pass_among(begin, end)) pass();
}

// Releases the threads that wait at a barrier, once all running threads have reached it.
inline bool let_go_on()
{
    if (waiting < running) return false;
    waiting = 0;
    for (unsigned k = 0; k < num_threads; k++) threads[k].rests = threads[k].done;
    return true;
}
inline void end_thread()
{
    threads[current].done = threads[current].rests = true;
    running--;
    let_go_on();
    pass();
}

// Prepares the threads of a block for a kernel.
inline void prepare(unsigned count, void (*runs)())
{
    num_threads = count;
    if (count > MOST_THREADS) abort();
    for (unsigned k = 0; k < count; k++) {
        Thread& thread = threads[k];
        if (thread.runs == runs) continue;
        if (!thread.stack) thread.stack = malloc(STACK);
        thread.runs = runs, thread.started = false;
        getcontext(&thread.context);
        thread.context.uc_stack.ss_sp = thread.stack;
        thread.context.uc_stack.ss_size = STACK;
        thread.context.uc_link = nullptr;
        makecontext(&thread.context, runs, 0);
    }
}
inline void run_block()
{
    running = num_threads, waiting = current = 0;
    for (unsigned k = 0; k < num_threads; k++) threads[k].done = threads[k].rests = false, threads[k].exchanges = 0;
    turn_over(scheduler, give_turn);
}

// Offers VALUE to the warp and returns the value that lane LANE offers. Two slots are used in turn, since a lane may be one exchange
// ahead of another.
template <class T> T exchange(T value, unsigned lane)
{
    Thread& mine = threads[current];
    const unsigned place = mine.exchanges++ & 1;
    memcpy(&mine.offered[place], &value, sizeof(T));
    pass_in_warp();
    T taken;
    memcpy(&taken, &threads[current / 32 * 32 + lane].offered[place], sizeof(T));
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
    using namespace emulator;
    threads[current].rests = true;
    waiting++;
    if (!let_go_on()) pass_in_warp();
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
    return unsigned((uint64_t(high) << 32 | low) >> (by & 31));
}
inline int __clzll(long long v) { return v ? __builtin_clzll(v) : 64; }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline int __clz(int v) { return v ? __builtin_clz(unsigned(v)) : 32; }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline void __threadfence() {}
// A thread that polls lets the other threads run, which may do what it waits for.
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
    memcpy(&to, &from, sizeof(To));
    return to;
}
inline long long __double_as_longlong(double v) { return as_bits<long long>(v); }
inline double __longlong_as_double(long long v) { return as_bits<double>(v); }
inline int __double2hiint(double v) { return int(as_bits<uint64_t>(v) >> 32); }
inline int __float_as_int(float v) { return as_bits<int>(v); }

#define EMULATE(KERNEL, ARGS)                                                                                                   \
    static const ARGS* args_of_##KERNEL;                                                                                        \
    /* A block's thread, which is that of the next block too. */                                                                \
    static void thread_of_##KERNEL()                                                                                            \
    {                                                                                                                           \
        for (;;) {                                                                                                              \
            KERNEL(*args_of_##KERNEL);                                                                                          \
            emulator::end_thread();                                                                                             \
        }                                                                                                                       \
    }                                                                                                                           \
    EXPORTED void emulate_##KERNEL(const unsigned* blocks, unsigned num_threads, const void* args)                              \
    {                                                                                                                           \
        args_of_##KERNEL = static_cast<const ARGS*>(args);                                                                      \
        gridDim = Dim3{blocks[0], blocks[1], blocks[2]};                                                                        \
        blockDim = Dim3{num_threads, 1, 1};                                                                                     \
        emulator::prepare(num_threads, thread_of_##KERNEL);                                                                     \
        for (unsigned block = 0; block < blocks[0] * blocks[1] * blocks[2]; block++) {                                          \
            blockIdx = Dim3{block % blocks[0], block / blocks[0] % blocks[1], block / blocks[0] / blocks[1]};                   \
            emulator::run_block();                                                                                              \
        }                                                                                                                       \
    }
