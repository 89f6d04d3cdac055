//! Packs in the registers of AVX and AVX-512.

use super::*;
use std::arch::x86_64::*;

pack! {
    /// Four `f64` in one AVX register.
    F64x4, Mask64x4, f64, 4, __m256d, __m256d,
    splat: |x| _mm256_set1_pd(x), load: |p| _mm256_loadu_pd(p), store: |p, v| _mm256_storeu_pd(p, v),
    store_where: |p, m, v| _mm256_maskstore_pd(p, _mm256_castpd_si256(m), v),
    lanes_between: |first: usize, end: usize| {
        let lane = _mm256_setr_pd(0.0, 1.0, 2.0, 3.0);
        let from_first = _mm256_cmp_pd::<_CMP_GE_OQ>(lane, _mm256_set1_pd(first as f64));
        _mm256_and_pd(from_first, _mm256_cmp_pd::<_CMP_LT_OQ>(lane, _mm256_set1_pd(end as f64)))
    },
    add: |a, b| _mm256_add_pd(a, b), sub: |a, b| _mm256_sub_pd(a, b),
    mul: |a, b| _mm256_mul_pd(a, b), div: |a, b| _mm256_div_pd(a, b),
    abs: |a| _mm256_andnot_pd(_mm256_set1_pd(-0.0), a),
    neg: |a| _mm256_xor_pd(_mm256_set1_pd(-0.0), a),
    sqrt: |a| _mm256_sqrt_pd(a),
    lt: |a, b| _mm256_cmp_pd::<_CMP_LT_OQ>(a, b), le: |a, b| _mm256_cmp_pd::<_CMP_LE_OQ>(a, b),
    select: |m, a, b| _mm256_blendv_pd(b, a, m),
    shift_up: |before, here| _mm256_shuffle_pd::<0b0101>(_mm256_permute2f128_pd::<0x21>(before, here), here),
    shift_down: |here, after| _mm256_shuffle_pd::<0b0101>(here, _mm256_permute2f128_pd::<0x21>(here, after)),
    and: |a, b| _mm256_and_pd(a, b), or: |a, b| _mm256_or_pd(a, b),
    not: |a| _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(-1))),
    any: |a| _mm256_movemask_pd(a) != 0,
    double: (own
        and: |a, b| _mm256_and_pd(a, b), or: |a, b| _mm256_or_pd(a, b),
        left: |a, count: u32| {
            _mm256_castsi256_pd(_mm256_sll_epi64(_mm256_castpd_si256(a), _mm_cvtsi32_si128(count as i32)))
        },
        right: |a, count: u32| {
            _mm256_castsi256_pd(_mm256_srl_epi64(_mm256_castpd_si256(a), _mm_cvtsi32_si128(count as i32)))
        },
    ),
    features: "avx2,bmi2",
}

pack! {
    /// Eight `f32` in one AVX register.
    F32x8, Mask32x8, f32, 8, __m256, __m256,
    splat: |x| _mm256_set1_ps(x), load: |p| _mm256_loadu_ps(p), store: |p, v| _mm256_storeu_ps(p, v),
    store_where: |p, m, v| _mm256_maskstore_ps(p, _mm256_castps_si256(m), v),
    lanes_between: |first: usize, end: usize| {
        let lane = _mm256_setr_ps(0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0);
        let from_first = _mm256_cmp_ps::<_CMP_GE_OQ>(lane, _mm256_set1_ps(first as f32));
        _mm256_and_ps(from_first, _mm256_cmp_ps::<_CMP_LT_OQ>(lane, _mm256_set1_ps(end as f32)))
    },
    add: |a, b| _mm256_add_ps(a, b), sub: |a, b| _mm256_sub_ps(a, b),
    mul: |a, b| _mm256_mul_ps(a, b), div: |a, b| _mm256_div_ps(a, b),
    abs: |a| _mm256_andnot_ps(_mm256_set1_ps(-0.0), a),
    neg: |a| _mm256_xor_ps(_mm256_set1_ps(-0.0), a),
    sqrt: |a| _mm256_sqrt_ps(a),
    lt: |a, b| _mm256_cmp_ps::<_CMP_LT_OQ>(a, b), le: |a, b| _mm256_cmp_ps::<_CMP_LE_OQ>(a, b),
    select: |m, a, b| _mm256_blendv_ps(b, a, m),
    shift_up: |before, here| {
        let middle = _mm256_permute2f128_ps::<0x21>(before, here);
        let (middle, here) = (_mm256_castps_si256(middle), _mm256_castps_si256(here));
        _mm256_castsi256_ps(_mm256_alignr_epi8::<12>(here, middle))
    },
    shift_down: |here, after| {
        let middle = _mm256_permute2f128_ps::<0x21>(here, after);
        let (middle, here) = (_mm256_castps_si256(middle), _mm256_castps_si256(here));
        _mm256_castsi256_ps(_mm256_alignr_epi8::<4>(middle, here))
    },
    and: |a, b| _mm256_and_ps(a, b), or: |a, b| _mm256_or_ps(a, b),
    not: |a| _mm256_xor_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(-1))),
    any: |a| _mm256_movemask_ps(a) != 0,
    double: (halves of F64x4,
        lower: |a| _mm256_cvtps_pd(_mm256_castps256_ps128(a)),
        upper: |a| _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(a)),
        join: |a, b| _mm256_set_m128(_mm256_cvtpd_ps(b), _mm256_cvtpd_ps(a)),
    ),
    features: "avx2,bmi2",
}

pack! {
    /// Eight `f64` in one AVX-512 register.
    F64x8, Mask64x8, f64, 8, __m512d, __mmask8,
    splat: |x| _mm512_set1_pd(x), load: |p| _mm512_loadu_pd(p), store: |p, v| _mm512_storeu_pd(p, v),
    store_where: |p, m, v| _mm512_mask_storeu_pd(p, m, v),
    lanes_between: |first: usize, end: usize| (((1u32 << end) - 1) & (u32::MAX << first)) as __mmask8,
    add: |a, b| _mm512_add_pd(a, b), sub: |a, b| _mm512_sub_pd(a, b),
    mul: |a, b| _mm512_mul_pd(a, b), div: |a, b| _mm512_div_pd(a, b),
    abs: |a| _mm512_abs_pd(a), neg: |a| _mm512_xor_pd(_mm512_set1_pd(-0.0), a),
    sqrt: |a| _mm512_sqrt_pd(a),
    lt: |a, b| _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b), le: |a, b| _mm512_cmp_pd_mask::<_CMP_LE_OQ>(a, b),
    select: |m, a, b| _mm512_mask_blend_pd(m, b, a),
    shift_up: |before, here| {
        let (before, here) = (_mm512_castpd_si512(before), _mm512_castpd_si512(here));
        _mm512_castsi512_pd(_mm512_alignr_epi64::<7>(here, before))
    },
    shift_down: |here, after| {
        let (here, after) = (_mm512_castpd_si512(here), _mm512_castpd_si512(after));
        _mm512_castsi512_pd(_mm512_alignr_epi64::<1>(after, here))
    },
    and: |a: __mmask8, b| a & b, or: |a: __mmask8, b| a | b, not: |a: __mmask8| !a,
    any: |a: __mmask8| a != 0,
    double: (own
        and: |a, b| _mm512_and_pd(a, b), or: |a, b| _mm512_or_pd(a, b),
        left: |a, count: u32| {
            _mm512_castsi512_pd(_mm512_sll_epi64(_mm512_castpd_si512(a), _mm_cvtsi32_si128(count as i32)))
        },
        right: |a, count: u32| {
            _mm512_castsi512_pd(_mm512_srl_epi64(_mm512_castpd_si512(a), _mm_cvtsi32_si128(count as i32)))
        },
    ),
    features: "avx512f,avx512dq,avx2,bmi2",
}

pack! {
    /// Sixteen `f32` in one AVX-512 register.
    F32x16, Mask32x16, f32, 16, __m512, __mmask16,
    splat: |x| _mm512_set1_ps(x), load: |p| _mm512_loadu_ps(p), store: |p, v| _mm512_storeu_ps(p, v),
    store_where: |p, m, v| _mm512_mask_storeu_ps(p, m, v),
    lanes_between: |first: usize, end: usize| (((1u32 << end) - 1) & (u32::MAX << first)) as __mmask16,
    add: |a, b| _mm512_add_ps(a, b), sub: |a, b| _mm512_sub_ps(a, b),
    mul: |a, b| _mm512_mul_ps(a, b), div: |a, b| _mm512_div_ps(a, b),
    abs: |a| _mm512_abs_ps(a), neg: |a| _mm512_xor_ps(_mm512_set1_ps(-0.0), a),
    sqrt: |a| _mm512_sqrt_ps(a),
    lt: |a, b| _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b), le: |a, b| _mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b),
    select: |m, a, b| _mm512_mask_blend_ps(m, b, a),
    shift_up: |before, here| {
        let (before, here) = (_mm512_castps_si512(before), _mm512_castps_si512(here));
        _mm512_castsi512_ps(_mm512_alignr_epi32::<15>(here, before))
    },
    shift_down: |here, after| {
        let (here, after) = (_mm512_castps_si512(here), _mm512_castps_si512(after));
        _mm512_castsi512_ps(_mm512_alignr_epi32::<1>(after, here))
    },
    and: |a: __mmask16, b| a & b, or: |a: __mmask16, b| a | b, not: |a: __mmask16| !a,
    any: |a: __mmask16| a != 0,
    double: (halves of F64x8,
        lower: |a| _mm512_cvtps_pd(_mm512_castps512_ps256(a)),
        upper: |a| _mm512_cvtps_pd(_mm512_extractf32x8_ps::<1>(a)),
        join: |a, b| _mm512_insertf32x8::<1>(_mm512_castps256_ps512(_mm512_cvtpd_ps(a)), _mm512_cvtpd_ps(b)),
    ),
    features: "avx512f,avx512dq,avx2,bmi2",
}
