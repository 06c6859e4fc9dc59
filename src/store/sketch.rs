//! Sketches: one bit a number, enough to tell which vectors are worth looking at.
//!
//! A vector is taken relative to a centre, turned so that its numbers are about equally large, and kept as their signs
//! with two numbers that make the estimate of its product with a question unbiased. An eighth of a code's bytes, so that
//! a large memory's sketches are read in milliseconds when an object comes back, and stay in memory. Products with a
//! question of four bits a number are counts of bits: exact integers, the same natively and in wasm.

/// Bytes that one step of a product takes; widths are multiples of it.
const STEP: usize = 16;
/// Bits of a question's number, the highest of which is its sign.
const PLANES: usize = 4;
/// The largest number of a question in [`PLANES`] bits.
const LARGEST: f32 = 7.0;
const ROUNDS: u32 = 3;

/// Bytes of a sketch's two numbers.
pub const SCALES: usize = 8;

/// A vector's sketch.
pub struct Sketch {
    pub bits: Vec<u8>,
    /// What the product of the signs is multiplied with.
    scale: f32,
    /// The vector's product with the centre.
    offset: f32,
}

/// Bytes of signs for so many numbers.
pub fn width(dimensions: usize) -> usize {
    dimensions.next_multiple_of(STEP * 8) / 8
}

impl Sketch {
    /// Its two numbers, as they are stored.
    pub fn scales(&self) -> [u8; SCALES] {
        let (scale, offset) = (u64::from(self.scale.to_bits()), u64::from(self.offset.to_bits()));
        (scale | offset << 32).to_le_bytes()
    }

    /// Of a vector of length one; a centre that is missing is zero.
    pub fn of(vector: &[f32], centre: &[f32]) -> Self {
        let turned = turned(vector, centre);
        let sum: f32 = turned.iter().map(|x| x.abs()).sum();
        let squares: f32 = turned.iter().map(|x| x * x).sum();
        Self {
            bits: turned.chunks(8).map(|eight| bits(eight, |x| *x > 0.0)).collect(),
            scale: if sum > 0.0 { squares / sum } else { 0.0 },
            offset: vector.iter().zip(centre).map(|(x, c)| x * c).sum(),
        }
    }
}

/// A question, ready for products with sketches around the same centre.
pub struct Asked {
    planes: [Vec<u8>; PLANES],
    unit: f32,
    sum: i32,
}

impl Asked {
    /// Of a vector of length one.
    pub fn of(question: &[f32], centre: &[f32]) -> Self {
        let turned = turned(question, centre);
        let unit = turned.iter().fold(0.0_f32, |largest, x| largest.max(x.abs())) / LARGEST;
        let small: Vec<i32> =
            turned.iter().map(|x| (x / unit.max(f32::MIN_POSITIVE)).round() as i32).collect();
        Self {
            planes: std::array::from_fn(|plane| {
                small.chunks(8).map(|eight| bits(eight, |number| number >> plane & 1 == 1)).collect()
            }),
            unit,
            sum: small.iter().sum(),
        }
    }

    /// About the product of the question with each vector, less what is the same for all of them: of their bits one after
    /// the other, and of their [`Sketch::scales`].
    pub fn estimates(&self, bits: &[u8], scales: &[u8]) -> Vec<f32> {
        let mut products = Vec::with_capacity(scales.len() / SCALES);
        let planes = self.planes.each_ref().map(|plane| plane.as_chunks().0);
        products_of(&planes, bits, &mut products);
        let estimate = |(product, scales): (i32, &[u8; SCALES])| {
            let both = u64::from_le_bytes(*scales);
            let (scale, offset) = (f32::from_bits(both as u32), f32::from_bits((both >> 32) as u32));
            scale * self.unit * (2 * product - self.sum) as f32 + offset
        };
        products.into_iter().zip(scales.as_chunks().0).map(estimate).collect()
    }
}

/// Eight flags as a byte, the first one lowest.
fn bits<T>(eight: &[T], is_set: impl Fn(&T) -> bool) -> u8 {
    eight.iter().enumerate().fold(0, |byte, (at, x)| byte | u8::from(is_set(x)) << at)
}

/// The vector without the centre, turned by a fixed rotation into numbers of about equal size. Products stay what they are.
fn turned(vector: &[f32], centre: &[f32]) -> Vec<f32> {
    let mut x = vec![0.0; width(vector.len()) * 8];
    for (at, (to, from)) in x.iter_mut().zip(vector).enumerate() {
        *to = from - centre.get(at).unwrap_or(&0.0);
    }
    // The largest power of two that fits; at other widths the last numbers take part in a second, overlapping one.
    let part = (x.len() / 2 + 1).next_power_of_two();
    for round in 0..ROUNDS {
        for (x, at) in x.iter_mut().zip(0_u32..) {
            if mixed(at, round) {
                *x = -*x;
            }
        }
        let rest = x.len() - part;
        hadamard(x.get_mut(..part).unwrap_or_default());
        if rest > 0 {
            hadamard(x.get_mut(rest..).unwrap_or_default());
        }
    }
    x
}

/// A fixed coin for each place and round.
fn mixed(at: u32, round: u32) -> bool {
    let mut x = (at + 1).wrapping_mul(0x9E37_79B9) ^ (round + 1).wrapping_mul(0x85EB_CA6B);
    x ^= x >> 15;
    x = x.wrapping_mul(0x2C1B_3C6D);
    x ^= x >> 12;
    x = x.wrapping_mul(0x297A_2D39);
    (x ^ x >> 15) & 1 == 1
}

/// The Walsh-Hadamard transform, scaled so that lengths stay.
fn hadamard(x: &mut [f32]) {
    let mut half = 1;
    while half < x.len() {
        for both in x.chunks_exact_mut(2 * half) {
            let (one, other) = both.split_at_mut(half);
            for (a, b) in one.iter_mut().zip(other) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
    let scale = 1.0 / (x.len() as f32).sqrt();
    for x in x.iter_mut() {
        *x *= scale;
    }
}

type Steps<'a> = &'a [[u8; STEP]];

/// For each sketch the sum of the question's numbers where its bit is set.
#[cfg(not(target_family = "wasm"))]
fn products_of(planes: &[Steps<'_>; PLANES], bits: &[u8], products: &mut Vec<i32>) {
    let [ones, twos, fours, eights] = planes;
    for sketch in bits.as_chunks().0.chunks_exact(ones.len().max(1)) {
        let mut sum = 0;
        for ((((x, a), b), c), d) in sketch.iter().zip(*ones).zip(*twos).zip(*fours).zip(*eights) {
            let x = u128::from_le_bytes(*x);
            let count = |plane: &[u8; STEP]| (x & u128::from_le_bytes(*plane)).count_ones() as i32;
            sum += count(a) + 2 * count(b) + 4 * count(c) - 8 * count(d);
        }
        products.push(sum);
    }
}

/// The same by the runtime's vector instructions.
#[cfg(target_family = "wasm")]
#[target_feature(enable = "simd128")]
fn products_of(planes: &[Steps<'_>; PLANES], bits: &[u8], products: &mut Vec<i32>) {
    use core::arch::wasm32::{
        i8x16_add, i8x16_popcnt, i8x16_shl, i8x16_sub, i16x8_add, i16x8_extadd_pairwise_i8x16, i16x8_splat,
        i32x4_extadd_pairwise_i16x8, i32x4_extract_lane, u64x2, v128, v128_and,
    };
    let load = |bytes: &[u8; STEP]| -> v128 {
        let (halves, _) = bytes.as_chunks::<8>();
        match halves {
            [low, high] => u64x2(u64::from_le_bytes(*low), u64::from_le_bytes(*high)),
            _ => u64x2(0, 0),
        }
    };
    let at = |step: usize| planes.map(|plane| plane.get(step).map_or(u64x2(0, 0), load));
    let planes: Vec<[v128; PLANES]> = (0..planes[0].len()).map(at).collect();
    for sketch in bits.as_chunks().0.chunks_exact(planes.len().max(1)) {
        let mut sum = i16x8_splat(0);
        for (x, [a, b, c, d]) in sketch.iter().zip(&planes) {
            let x = load(x);
            let count = |plane: &v128| i8x16_popcnt(v128_and(x, *plane));
            // A byte's sum is between −64 and 56.
            let low = i8x16_add(count(a), i8x16_shl(count(b), 1));
            let high = i8x16_sub(i8x16_shl(count(c), 2), i8x16_shl(count(d), 3));
            sum = i16x8_add(sum, i16x8_extadd_pairwise_i8x16(i8x16_add(low, high)));
        }
        let sum = i32x4_extadd_pairwise_i16x8(sum);
        products.push(
            i32x4_extract_lane::<0>(sum)
                + i32x4_extract_lane::<1>(sum)
                + i32x4_extract_lane::<2>(sum)
                + i32x4_extract_lane::<3>(sum),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit(vector: &[f32]) -> Vec<f32> {
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        vector.iter().map(|x| x / length).collect()
    }

    fn product(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    fn vectors() -> impl Strategy<Value = (Vec<f32>, Vec<f32>)> {
        prop_oneof![Just(8_usize), Just(192), Just(384), Just(1_024)].prop_flat_map(|dimensions| {
            let vector = proptest::collection::vec(-1.0_f32..1.0, dimensions);
            (vector.clone(), vector)
        })
    }

    proptest! {
        #[test]
        fn turning_keeps_products((a, b) in vectors()) {
            let (a, b) = (unit(&a), unit(&b));
            prop_assert!((product(&turned(&a, &[]), &turned(&b, &[])) - product(&a, &b)).abs() < 1e-4);
        }

        #[test]
        fn an_estimate_is_near_the_product_and_right_for_the_vector_itself((a, b) in vectors(), near in 0.0_f32..1.0) {
            let question = unit(&a);
            let mixed: Vec<f32> = a.iter().zip(&b).map(|(a, b)| near * a + (1.0 - near) * b).collect();
            let vector = unit(&mixed);
            for centre in [&[][..], &unit(&b)] {
                let asked = Asked::of(&question, centre);
                let sketch = Sketch::of(&vector, centre);
                let estimate = asked.estimates(&sketch.bits, &sketch.scales())[0];
                let beside = product(&question, centre) - product(centre, centre);
                let exact = product(&question, &vector);
                let allowed = 6.0 / (sketch.bits.len() as f32 * 8.0).sqrt();
                prop_assert!((estimate + beside - exact).abs() < allowed, "{} {exact}", estimate + beside);
            }
        }

        #[test]
        fn products_are_plain_sums_at_every_width(
            numbers in proptest::collection::vec((-8_i32..8, any::<bool>()), 1..400)
        ) {
            let width = width(numbers.len());
            let mut padded = numbers.clone();
            padded.resize(width * 8, (0, false));
            let planes: Vec<Vec<u8>> = (0..PLANES)
                .map(|plane| padded.chunks(8).map(|eight| bits(eight, |(n, _)| n >> plane & 1 == 1)).collect())
                .collect();
            let sketch: Vec<u8> = padded.chunks(8).map(|eight| bits(eight, |(_, set)| *set)).collect();
            let mut products = Vec::new();
            let steps: [Steps<'_>; PLANES] = std::array::from_fn(|plane| planes[plane].as_chunks().0);
            products_of(&steps, &[sketch.clone(), sketch].concat(), &mut products);
            let plain: i32 = numbers.iter().filter(|(_, set)| *set).map(|(number, _)| number).sum();
            prop_assert_eq!(products, [plain, plain]);
        }
    }
}
