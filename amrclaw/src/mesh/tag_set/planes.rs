//! Loops over the planes across an axis, compiled for several kinds of processors.

/// Planes taken at a time, as many as a vector register holds words.
const LANES: usize = 8;

/// Instructions that a function is compiled for. All give the same result, since they only count.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Instructions {
    /// Whatever every processor of the target has.
    Baseline,
    /// Four words at a time.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Eight words at a time, whose bits are counted at once.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Instructions {
    /// The widest that this processor has.
    #[inline(always)]
    fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("popcnt") {
            // No processor has these without `avx512f`.
            let avx512 = is_x86_feature_detected!("avx512vpopcntdq") && is_x86_feature_detected!("avx512dq");
            return if avx512 { Instructions::Avx512 } else { Instructions::Avx2 };
        }
        Instructions::Baseline
    }
}

/// Defines functions that are compiled for several instruction sets; a call runs the widest version that the processor has.
macro_rules! widest {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),*) $(-> $out:ty)? $body:block)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name($($arg: $type),*) $(-> $out)? {
            with::$name(Instructions::detect(), $($arg),*)
        }
    )*
    /// The same functions for instructions that the processor is known to have.
    mod with {
        use super::*;
        $(pub(super) fn $name(instructions: Instructions, $($arg: $type),*) $(-> $out)? {
            #[inline(always)]
            fn any($($arg: $type),*) $(-> $out)? $body
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq,avx2,bmi2,popcnt")]
            fn avx512($($arg: $type),*) $(-> $out)? {
                any($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi2,popcnt")]
            fn avx2($($arg: $type),*) $(-> $out)? {
                any($($arg),*)
            }
            match instructions {
                // SAFETY: `detect` saw that the processor has the instructions.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512 => unsafe { avx512($($arg),*) },
                // SAFETY: likewise.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => unsafe { avx2($($arg),*) },
                Instructions::Baseline => any($($arg),*),
            }
        })*
    } };
}

widest! {
    /// Adds to each count the bits that its word and the mask have in common.
    fn add_counts(counts: &mut [u32], words: &[u64], mask: u64) {
        for (count, word) in counts.iter_mut().zip(words) {
            *count += (word & mask).count_ones();
        }
    }

    /// Adds a short count to each count.
    fn add_short_counts(counts: &mut [u32], more: &[u8]) {
        for (count, &more) in counts.iter_mut().zip(more) {
            *count += u32::from(more);
        }
    }

    /// The number of bits in each word.
    fn bits_of(words: &[u64; 64]) -> [u8; 64] {
        let mut bits = [0; 64];
        for (count, word) in bits.iter_mut().zip(words) {
            *count = word.count_ones() as u8;
        }
        bits
    }

    /// Rows and columns exchanged: bit `i` of word `k` becomes bit `k` of word `i`.
    fn transposed(words: &[u64; 64]) -> [u64; 64] {
        let mut words = *words;
        exchange::<32>(&mut words);
        exchange::<16>(&mut words);
        exchange::<8>(&mut words);
        exchange::<4>(&mut words);
        exchange::<2>(&mut words);
        exchange::<1>(&mut words);
        words
    }

    /// True if a plane is without tags.
    fn has_empty_plane(signature: &[u32]) -> bool {
        signature.iter().fold(u32::MAX, |least, &count| least.min(count)) == 0
    }

    /// The [`key`] of the sign change of a signature's second difference with the largest jump. Zero if the second difference
    /// never changes sign.
    ///
    /// Place `k` is between planes `k + 1` and `k + 2`, and `middle` the preferred one.
    fn strongest_bend(signature: &[u32], middle: i32) -> u64 {
        let places = signature.len().saturating_sub(3);
        if places < LANES {
            // The signature is padded with zeros; places in the padding are not taken.
            let mut planes = [0; LANES + 3];
            planes[..signature.len()].copy_from_slice(signature);
            return bends(&planes, -middle).into_iter().take(places).fold(0, u64::max);
        }
        // The last chunk may overlap the one before: a maximum may take a value twice.
        let mut most = [0; LANES];
        let mut first = 0;
        loop {
            let planes: &[u32; LANES + 3] = signature[first..].first_chunk().expect("a chunk and three planes");
            let keys = bends(planes, first as i32 - middle);
            for (most, key) in most.iter_mut().zip(keys) {
                *most = (*most).max(key);
            }
            if first + LANES == places {
                return most.into_iter().fold(0, u64::max);
            }
            first = (first + LANES).min(places - LANES);
        }
    }
}

/// The keys of some places, the first at a distance from the middle; zero where the second difference keeps its sign.
#[inline(always)]
fn bends(planes: &[u32; LANES + 3], distance: i32) -> [u64; LANES] {
    let from = |first: usize| planes[first..].first_chunk::<LANES>().expect("three more planes than lanes");
    let (a, b, c, d) = (from(0), from(1), from(2), from(3));
    let mut keys = [0; LANES];
    for n in 0..LANES {
        let (a, b, c, d) = (a[n] as i32, b[n] as i32, c[n] as i32, d[n] as i32);
        let (before, after) = (a - 2 * b + c, b - 2 * c + d);
        // All bits set where the signs differ and neither is zero.
        let changes_sign = (i64::from(before) * i64::from(after)) >> 63;
        keys[n] = key((before - after).unsigned_abs(), distance + n as i32) & changes_sign as u64;
    }
    keys
}

/// Exchanges the upper right with the lower left quarter of every block of 2 `HALF` rows and columns.
#[inline(always)]
fn exchange<const HALF: usize>(words: &mut [u64; 64]) {
    // The lower half of the columns of every block.
    let low = u64::MAX / ((1 << HALF) + 1);
    for block in words.chunks_exact_mut(2 * HALF) {
        let (upper, lower) = block.split_at_mut(HALF);
        for (upper, lower) in upper.iter_mut().zip(lower) {
            let differ = (*upper >> HALF ^ *lower) & low;
            *upper ^= differ << HALF;
            *lower ^= differ;
        }
    }
}

/// A jump and a distance from the middle, `-2³⁰ <= distance < 2³⁰`, as one key that is larger the better the place: first by the
/// jump, then by nearness to the middle, then the lower place.
#[inline(always)]
fn key(jump: u32, distance: i32) -> u64 {
    let rank = (distance << 1 ^ distance >> 31) as u32;
    u64::from(jump) << 32 | u64::from(!rank)
}

/// The jump and the distance from the middle of a key.
pub(crate) fn jump_and_distance(key: u64) -> (u32, i32) {
    let rank = !(key as u32);
    ((key >> 32) as u32, (rank >> 1) as i32 ^ -((rank & 1) as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that this processor has.
    fn available() -> Vec<Instructions> {
        let mut available = vec![Instructions::Baseline];
        #[cfg(target_arch = "x86_64")]
        available.extend([Instructions::Avx2, Instructions::Avx512]);
        let widest = available.iter().position(|&i| i == Instructions::detect()).expect("it is one of them");
        available.truncate(widest + 1);
        available
    }

    /// Numbers without a pattern.
    fn noise(n: u64) -> u64 {
        let mixed = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ mixed >> 32
    }

    /// For all instructions and lengths, each function agrees with a plain loop over planes.
    #[test]
    fn all_instructions_give_the_same() {
        let words: [u64; 64] = std::array::from_fn(|k| noise(k as u64));
        for instructions in available() {
            let columns = with::transposed(instructions, &words);
            for (k, i) in (0..64).flat_map(|k| (0..64).map(move |i| (k, i))) {
                assert_eq!(columns[i] >> k & 1, words[k] >> i & 1, "{instructions:?}");
            }
            let bits = with::bits_of(instructions, &words);
            assert_eq!(bits, words.map(|word| word.count_ones() as u8), "{instructions:?}");
            for length in 0..64 {
                let mut counts = vec![7; length];
                with::add_short_counts(instructions, &mut counts, &bits[..length]);
                assert!(counts.iter().zip(bits).all(|(count, bits)| *count == 7 + u32::from(bits)), "{instructions:?}");

                let mut counts = vec![7; length];
                with::add_counts(instructions, &mut counts, &words[..length], !0 << 9);
                let expected: Vec<u32> = words[..length].iter().map(|w| 7 + (w >> 9).count_ones()).collect();
                assert_eq!(counts, expected, "{instructions:?}");

                let signature: Vec<u32> = (0..length).map(|k| noise(k as u64) as u32 % 5).collect();
                assert_eq!(with::has_empty_plane(instructions, &signature), signature.contains(&0));
                let middle = length as i32 / 2 - 1;
                let bends = signature.windows(4).enumerate().filter_map(|(k, planes)| {
                    let [a, b, c, d] = [0, 1, 2, 3].map(|n| planes[n] as i32);
                    let (before, after) = (a - 2 * b + c, b - 2 * c + d);
                    let distance = k as i32 - middle;
                    (before * after < 0).then_some(((before - after).abs(), -distance.abs(), -distance))
                });
                let found = jump_and_distance(with::strongest_bend(instructions, &signature, middle));
                match bends.max() {
                    Some((jump, _, distance)) => assert_eq!(found, (jump as u32, -distance), "{signature:?}"),
                    None => assert_eq!(found.0, 0, "{signature:?}"),
                }
            }
        }
    }
}
