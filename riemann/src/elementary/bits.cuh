// bits.cuh: numbers in double precision taken apart into their bits, as riemann::elementary::Double has it.
namespace elementary {
#ifdef __CUDACC__
__device__ __forceinline__ unsigned long long bits_of(double x) { return (unsigned long long)__double_as_longlong(x); }
__device__ __forceinline__ double from_bits(unsigned long long bits) { return __longlong_as_double((long long)bits); }
// Never contracted with a sum, whatever the options are.
__device__ __forceinline__ double separate_product(double a, double b) { return __dmul_rn(a, b); }
__device__ __forceinline__ double real_abs(double a) { return fabs(a); }
__device__ __forceinline__ double real_sqrt(double a) { return __dsqrt_rn(a); }
__device__ __forceinline__ double remainder_of(double a, double b) { return fmod(a, b); }
#else
inline unsigned long long bits_of(double x)
{
    unsigned long long bits;
    __builtin_memcpy(&bits, &x, sizeof(bits));
    return bits;
}
inline double from_bits(unsigned long long bits)
{
    double x;
    __builtin_memcpy(&x, &bits, sizeof(x));
    return x;
}
inline double separate_product(double a, double b) { return a * b; }
inline double real_abs(double a) { return __builtin_fabs(a); }
inline double real_sqrt(double a) { return __builtin_sqrt(a); }
inline double remainder_of(double a, double b) { return __builtin_fmod(a, b); }
#endif
__device__ __forceinline__ double real_head(double x) { return from_bits(bits_of(x) & ~0x7ffffffull); }
__device__ __forceinline__ double real_power_of_two(double k) { return from_bits(bits_of(k + (6755399441055744.0 + 1023.0)) << 52); }
__device__ __forceinline__ double real_exponent(double x)
{
    return from_bits(bits_of(x) << 1 >> 53 | bits_of(4503599627370496.0)) - (4503599627370496.0 + 1023.0);
}
__device__ __forceinline__ double real_significand(double x)
{
    return from_bits((bits_of(x) & 0xfffffffffffffull) | bits_of(1.0));
}
__device__ __forceinline__ double real_copysign(double x, double sign)
{
    return from_bits((bits_of(x) & ~(1ull << 63)) | (bits_of(sign) & 1ull << 63));
}
// 2/pi in pieces of 24 bits.
__device__ const double two_over_pi_pieces[] = {TWO_OVER_PI_PIECES};
__device__ __forceinline__ double real_two_over_pi(double index) { return two_over_pi_pieces[int(index)]; }
}
