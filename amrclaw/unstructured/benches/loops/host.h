// host.h: kernels of loops.cu as C++, a loop over the items of a thread.

#include <cstddef>
using std::size_t;

#define ASSERT_OFFSET(TYPE, FIELD, OFFSET) static_assert(offsetof(TYPE, FIELD) == OFFSET, "offset")
#define FUNCTION static inline
#define KERNEL(NAME, ITEM) \
    FUNCTION void NAME##_of(const LoopArgs& args, unsigned ITEM); \
    extern "C" void NAME(const LoopArgs* args) \
    { \
        for (unsigned item = args->first; item < args->end; item++) NAME##_of(*args, item); \
    } \
    FUNCTION void NAME##_of(const LoopArgs& args, unsigned ITEM)

template <class Change> FUNCTION void change(double* to, const Change& changed)
{
    double old;
    __atomic_load(to, &old, __ATOMIC_RELAXED);
    double next = changed(old);
    while (!__atomic_compare_exchange(to, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) next = changed(old);
}
FUNCTION void atomic_add(double* to, double value)
{
    change(to, [=](double old) { return old + value; });
}
FUNCTION void atomic_least(double* to, double value)
{
    change(to, [=](double old) { return value < old ? value : old; });
}
FUNCTION void atomic_most(double* to, double value)
{
    change(to, [=](double old) { return value > old ? value : old; });
}
