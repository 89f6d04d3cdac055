// calls.cuh: the functions' names in formulas, for numbers in double and in single precision.
__device__ __forceinline__ double real_exp(double a) { return elementary::Elementary().exp(a); }
__device__ __forceinline__ float real_exp(float a) { return float(elementary::Elementary().exp(double(a))); }
__device__ __forceinline__ double real_ln(double a) { return elementary::Elementary().log(a); }
__device__ __forceinline__ float real_ln(float a) { return float(elementary::Elementary().log(double(a))); }
__device__ __forceinline__ double real_sin(double a) { return elementary::Elementary().sin(a); }
__device__ __forceinline__ float real_sin(float a) { return float(elementary::Elementary().sin(double(a))); }
__device__ __forceinline__ double real_cos(double a) { return elementary::Elementary().cos(a); }
__device__ __forceinline__ float real_cos(float a) { return float(elementary::Elementary().cos(double(a))); }
__device__ __forceinline__ double real_tan(double a) { return elementary::Elementary().tan(a); }
__device__ __forceinline__ float real_tan(float a) { return float(elementary::Elementary().tan(double(a))); }
__device__ __forceinline__ double real_asin(double a) { return elementary::Elementary().asin(a); }
__device__ __forceinline__ float real_asin(float a) { return float(elementary::Elementary().asin(double(a))); }
__device__ __forceinline__ double real_acos(double a) { return elementary::Elementary().acos(a); }
__device__ __forceinline__ float real_acos(float a) { return float(elementary::Elementary().acos(double(a))); }
__device__ __forceinline__ double real_atan(double a) { return elementary::Elementary().atan(a); }
__device__ __forceinline__ float real_atan(float a) { return float(elementary::Elementary().atan(double(a))); }
__device__ __forceinline__ double real_sinh(double a) { return elementary::Elementary().sinh(a); }
__device__ __forceinline__ float real_sinh(float a) { return float(elementary::Elementary().sinh(double(a))); }
__device__ __forceinline__ double real_cosh(double a) { return elementary::Elementary().cosh(a); }
__device__ __forceinline__ float real_cosh(float a) { return float(elementary::Elementary().cosh(double(a))); }
__device__ __forceinline__ double real_tanh(double a) { return elementary::Elementary().tanh(a); }
__device__ __forceinline__ float real_tanh(float a) { return float(elementary::Elementary().tanh(double(a))); }
__device__ __forceinline__ double real_asinh(double a) { return elementary::Elementary().asinh(a); }
__device__ __forceinline__ float real_asinh(float a) { return float(elementary::Elementary().asinh(double(a))); }
__device__ __forceinline__ double real_acosh(double a) { return elementary::Elementary().acosh(a); }
__device__ __forceinline__ float real_acosh(float a) { return float(elementary::Elementary().acosh(double(a))); }
__device__ __forceinline__ double real_atanh(double a) { return elementary::Elementary().atanh(a); }
__device__ __forceinline__ float real_atanh(float a) { return float(elementary::Elementary().atanh(double(a))); }
__device__ __forceinline__ double real_exp_m1(double a) { return elementary::Elementary().expm1(a); }
__device__ __forceinline__ float real_exp_m1(float a) { return float(elementary::Elementary().expm1(double(a))); }
__device__ __forceinline__ double real_ln_1p(double a) { return elementary::Elementary().log1p(a); }
__device__ __forceinline__ float real_ln_1p(float a) { return float(elementary::Elementary().log1p(double(a))); }
__device__ __forceinline__ double real_cbrt(double a) { return elementary::Elementary().cbrt(a); }
__device__ __forceinline__ float real_cbrt(float a) { return float(elementary::Elementary().cbrt(double(a))); }
__device__ __forceinline__ double real_floor(double a) { return elementary::Elementary().floor(a); }
__device__ __forceinline__ float real_floor(float a) { return float(elementary::Elementary().floor(double(a))); }
__device__ __forceinline__ double real_ceil(double a) { return elementary::Elementary().ceil(a); }
__device__ __forceinline__ float real_ceil(float a) { return float(elementary::Elementary().ceil(double(a))); }
__device__ __forceinline__ double real_atan2(double a, double b) { return elementary::Elementary().atan2(a, b); }
__device__ __forceinline__ float real_atan2(float a, float b) { return float(elementary::Elementary().atan2(double(a), double(b))); }
__device__ __forceinline__ double real_powf(double a, double b) { return elementary::Elementary().pow(a, b); }
__device__ __forceinline__ float real_powf(float a, float b) { return float(elementary::Elementary().pow(double(a), double(b))); }
__device__ __forceinline__ double real_hypot(double a, double b) { return elementary::Elementary().hypot(a, b); }
__device__ __forceinline__ float real_hypot(float a, float b) { return float(elementary::Elementary().hypot(double(a), double(b))); }
__device__ __forceinline__ double real_remainder(double a, double b) { return elementary::remainder_of(a, b); }
__device__ __forceinline__ float real_remainder(float a, float b) { return float(elementary::remainder_of(double(a), double(b))); }
