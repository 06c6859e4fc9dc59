//! Vectors as codes of eight bits a number, and the products that a search is made of.
//!
//! A code keeps a vector's direction only: its largest number becomes ±127. Products of two codes are exact
//! integers, so the same search gives the same answer natively and in wasm, whichever instructions did it.

/// Bytes that one step of the product takes.
const STEP: usize = 16;

/// The code of a vector. `None` if it has no direction: empty, all zero, or not finite.
pub fn encode(vector: &[f32]) -> Option<Vec<u8>> {
    let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    if largest <= 0.0 || !vector.iter().all(|x| x.is_finite()) {
        return None;
    }
    Some(vector.iter().map(|x| (x / largest * 127.0).round() as i8 as u8).collect())
}

/// The product of two codes of one length. Codes have at most a few thousand numbers, so the sum fits.
pub fn product(a: &[u8], b: &[u8]) -> i32 {
    let (a_steps, a_rest) = a.as_chunks::<STEP>();
    let (b_steps, b_rest) = b.as_chunks::<STEP>();
    steps(a_steps, b_steps) + a_rest.iter().zip(b_rest).map(|(&x, &y)| one(x, y)).sum::<i32>()
}

/// The length of a code as a vector.
pub fn norm(code: &[u8]) -> f32 {
    (product(code, code) as f32).sqrt()
}

/// The cosine of a vector, whose length is given, and a code: finer than between two codes.
pub fn cosine(vector: &[f32], length: f32, code: &[u8], norm: f32) -> f32 {
    let product: f32 = vector.iter().zip(code).map(|(x, &y)| x * f32::from(y as i8)).sum();
    (product / (length * norm).max(f32::MIN_POSITIVE)).clamp(-1.0, 1.0)
}

fn one(x: u8, y: u8) -> i32 {
    i32::from(x as i8) * i32::from(y as i8)
}

#[cfg(not(target_family = "wasm"))]
fn steps(a: &[[u8; STEP]], b: &[[u8; STEP]]) -> i32 {
    // Two products of eight bits fit into sixteen with their sum's sign: the compiler makes vector instructions of it.
    a.iter()
        .zip(b)
        .map(|(a, b)| {
            a.iter().zip(b).map(|(&x, &y)| i32::from(i16::from(x as i8) * i16::from(y as i8))).sum::<i32>()
        })
        .sum()
}

/// The same by the runtime's vector instructions: a build for size makes none of its own.
#[cfg(target_family = "wasm")]
#[target_feature(enable = "simd128")]
fn steps(a: &[[u8; STEP]], b: &[[u8; STEP]]) -> i32 {
    use core::arch::wasm32::{
        i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, i32x4_add, i32x4_dot_i16x8, i32x4_extract_lane,
        i32x4_splat, u64x2,
    };
    let load = |bytes: &[u8; STEP]| {
        let (halves, _) = bytes.as_chunks::<8>();
        match halves {
            [low, high] => u64x2(u64::from_le_bytes(*low), u64::from_le_bytes(*high)),
            _ => u64x2(0, 0),
        }
    };
    let mut sum = i32x4_splat(0);
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (load(a), load(b));
        let low = i32x4_dot_i16x8(i16x8_extend_low_i8x16(a), i16x8_extend_low_i8x16(b));
        let high = i32x4_dot_i16x8(i16x8_extend_high_i8x16(a), i16x8_extend_high_i8x16(b));
        sum = i32x4_add(sum, i32x4_add(low, high));
    }
    i32x4_extract_lane::<0>(sum)
        + i32x4_extract_lane::<1>(sum)
        + i32x4_extract_lane::<2>(sum)
        + i32x4_extract_lane::<3>(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_vector_without_direction_has_no_code() {
        for vector in [&[0.0, 0.0][..], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0], &[]] {
            assert_eq!(encode(vector), None);
        }
        assert_eq!(encode(&[0.5, -1.0]), Some(vec![64, 129]));
    }

    proptest! {
        #[test]
        fn the_product_is_the_plain_sum_at_every_length(
            pairs in proptest::collection::vec(any::<(i8, i8)>(), 0..100)
        ) {
            let (a, b): (Vec<u8>, Vec<u8>) = pairs.iter().map(|(x, y)| (*x as u8, *y as u8)).unzip();
            let plain: i32 = pairs.iter().map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
            prop_assert_eq!(product(&a, &b), plain);
        }

        #[test]
        fn a_code_points_where_its_vector_does(vector in proptest::collection::vec(-1.0_f32..1.0, 8..200)) {
            let Some(code) = encode(&vector) else { return Ok(()) };
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            prop_assert!(cosine(&vector, length, &code, norm(&code)) > 0.999);
        }
    }
}
