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

/// The `most` best, best first; of equals those that came first. Thousands may be equal: sorting them would take longer
/// than finding them.
pub fn best_of<T>(scored: impl Iterator<Item = (T, f64)>, most: usize) -> Vec<(T, f64)> {
    let mut best: Vec<(T, f64)> = Vec::with_capacity(most + 1);
    for (one, score) in scored {
        if best.len() == most && best.last().is_none_or(|(_, least)| score <= *least) {
            continue;
        }
        let at = best.partition_point(|(_, better)| *better >= score);
        best.insert(at, (one, score));
        best.truncate(most);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_are_those_that_sorting_finds(scores in proptest::collection::vec(0_u8..6, 0..300), most in 0_usize..90) {
            let scored = || scores.iter().map(|score| f64::from(*score)).enumerate();
            let mut sorted: Vec<(usize, f64)> = scored().collect();
            sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            sorted.truncate(most);
            prop_assert_eq!(best_of(scored(), most), sorted);
        }

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
