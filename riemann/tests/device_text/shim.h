// The definitions that a solver's text requires, for the host: see riemann::device_source.
#include <cmath>
#include <cstdio>
#include <cstring>
#define __device__
#define __forceinline__ inline
template <class T, int N> struct Array {
    T v[N > 0 ? N : 1];
    T& operator[](int i) { return v[i]; }
    const T& operator[](int i) const { return v[i]; }
};
enum Axis { X, Y, Z };
enum Side { Lower, Upper };
template <class T> T select(bool c, T a, T b) { return c ? a : b; }
template <class R> bool read(R* to, int count, FILE* in) { return count == 0 || fread(to, sizeof(R), count, in) == size_t(count); }
template <class R> void write(const R* from, int count, FILE* out) { fwrite(from, sizeof(R), count, out); }
