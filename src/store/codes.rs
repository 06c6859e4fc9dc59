//! Vectors as codes of eight bits a number.
//!
//! A code keeps a vector's direction only: its largest number becomes ±127.

/// The code of a vector. `None` if it has no direction: empty, all zero, or not finite.
pub fn encode(vector: &[f32]) -> Option<Vec<u8>> {
    let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    if largest <= 0.0 || !vector.iter().all(|x| x.is_finite()) {
        return None;
    }
    Some(vector.iter().map(|x| (x / largest * 127.0).round() as i8 as u8).collect())
}

/// The length of a code as a vector.
pub fn norm(code: &[u8]) -> f32 {
    let squares: i32 = code.iter().map(|&x| i32::from(x as i8).pow(2)).sum();
    (squares as f32).sqrt()
}

/// The vector of length one that a code stands for.
pub fn unit(code: &[u8]) -> Vec<f32> {
    let length = norm(code).max(f32::MIN_POSITIVE);
    code.iter().map(|&x| f32::from(x as i8) / length).collect()
}

/// The cosine of a vector of length one and a code: finer than between two codes.
pub fn cosine(vector: &[f32], code: &[u8], norm: f32) -> f32 {
    let product: f32 = vector.iter().zip(code).map(|(x, &y)| x * f32::from(y as i8)).sum();
    (product / norm.max(f32::MIN_POSITIVE)).clamp(-1.0, 1.0)
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
        fn a_code_points_where_its_vector_does(vector in proptest::collection::vec(-1.0_f32..1.0, 8..200)) {
            let Some(code) = encode(&vector) else { return Ok(()) };
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            let vector: Vec<f32> = vector.iter().map(|x| x / length).collect();
            prop_assert!(cosine(&vector, &code, norm(&code)) > 0.999);
            prop_assert!(cosine(&unit(&code), &code, norm(&code)) > 0.999);
        }
    }
}
