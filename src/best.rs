//! The best few of many.

use std::ops::Range;

/// A score that about the `most` best reach, of scores that are about `within` bounds, by a histogram: sorting all would
/// take longer than scoring them.
pub fn least_of_best(scores: impl Iterator<Item = f32>, within: Range<f32>, most: usize) -> f32 {
    const PARTS: usize = 2_048;
    let (lowest, highest) = (within.start, within.end);
    let part = ((highest - lowest) / PARTS as f32).max(f32::MIN_POSITIVE);
    let mut counts = [0_u32; PARTS + 1];
    for score in scores {
        // What is above the bounds is in the first part.
        let at = (((highest - score) / part) as usize).min(PARTS);
        counts[at] += 1;
    }
    let mut sum = 0;
    let enough = counts.iter().take(PARTS).position(|count| {
        sum += *count as usize;
        sum >= most
    });
    enough.map_or(f32::MIN, |at| highest - part * (at + 1) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_reach_it_and_hardly_more(scores in proptest::collection::vec(-9.0_f32..8.0, 1..400), most in 1_usize..500) {
            // Some are below the bounds.
            let least = least_of_best(scores.iter().copied(), -8.0..8.0, most);
            let mut sorted = scores.clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            let reached = scores.iter().filter(|score| **score >= least).count();
            prop_assert!(reached >= most.min(scores.len()));
            // None far below the last that is wanted, but for those below all bounds.
            let last = sorted[most.min(scores.len()) - 1];
            prop_assert!(sorted[reached - 1] >= last - 0.1 || last < -7.9);
        }
    }
}
