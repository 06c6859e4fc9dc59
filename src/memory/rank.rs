//! Fusing lists of hits into one order.
//!
//! Scores are fused, each as a share of its list's best: on long real conversations that found two of a hundred
//! questions more than reciprocal ranks did (61.9 to 60.6 in the first five), because a list's lead says how sure
//! it is. What is in no list has no score. The order is total: equal scores fall to the newer one.

use crate::sorted::SortedMap;

/// A list of hits, best first, and what it counts.
#[derive(Clone, Debug)]
pub struct List<Id> {
    pub hits: Vec<(Id, f64)>,
    pub weight: f64,
}

/// The part of the question that a text holds, which a frequent word in it can't outweigh.
pub const HELD_WEIGHT: f64 = 1.0;
/// Spelling counts less than words: it also finds what only looks alike.
pub const GRAM_WEIGHT: f64 = 0.5;
pub const VECTOR_WEIGHT: f64 = 0.5;
/// Facts, and messages, that a question is near to: as good as a hundred, and half of what reading their vectors costs.
pub const NEAR: usize = 48;
/// What a message's score lends to the next ones, which often answer it, and to those before; nearest first.
pub const LENT_AFTER: [f64; 2] = [0.45, 0.2];
pub const LENT_BEFORE: [f64; 2] = [0.3, 0.1];

/// What the cosines of an embedding model say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// A question's best text has about this cosine where none answers it.
    pub noise: f32,
    /// From here on a text speaks of the same thing as the question.
    pub threshold: f32,
}

impl Scale {
    /// 0 for a text as near as any, 1 at the threshold.
    pub fn nearness(self, cosine: f32) -> f32 {
        (cosine - self.noise) / (self.threshold - self.noise).max(0.01)
    }
}

/// What a nearness counts in an order, where a text farther than the noise still comes before one that is farther.
pub fn weight_of(nearness: f32) -> f64 {
    f64::from(nearness + 1.0).max(0.0)
}

/// The scale of a model, as `npm run calibrate` finds it. Unknown models get one that few texts reach.
pub fn scale(model: &str) -> Scale {
    const KNOWN: &[(&str, f32, f32)] = &[
        ("embedded", 0.42, 0.84),
        ("bge-m3", 0.45, 0.58),
        ("embeddinggemma", 0.35, 0.50),
        ("e5", 0.82, 0.88),
        ("text-embedding-3", 0.25, 0.42),
    ];
    let model = model.to_ascii_lowercase();
    let known = KNOWN.iter().find(|(name, ..)| model.contains(name));
    known.map_or(Scale { noise: 0.6, threshold: 0.85 }, |(_, noise, threshold)| Scale {
        noise: *noise,
        threshold: *threshold,
    })
}

/// The fused score of everything in any list.
pub fn fuse<Id: Ord + Clone>(lists: &[List<Id>]) -> SortedMap<Id, f64> {
    let mut scores = SortedMap::new();
    for list in lists {
        let best = list.hits.iter().map(|(_, score)| *score).fold(0.0, f64::max);
        if best <= 0.0 {
            continue;
        }
        for (id, score) in &list.hits {
            if *score > 0.0 {
                *scores.or_default(id.clone()) += list.weight * score / best;
            }
        }
    }
    scores
}

/// Best first; equal scores newest (greatest id) first.
pub fn ordered<Id: Ord + Clone>(scores: &SortedMap<Id, f64>) -> Vec<(Id, f64)> {
    let mut order: Vec<(Id, f64)> = scores.iter().map(|(id, score)| (id.clone(), *score)).collect();
    crate::order::by(&mut order, |a, b| b.1.total_cmp(&a.1).then_with(|| b.0.cmp(&a.0)));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_lists_agree_on_comes_first() {
        let lists = [
            List { hits: vec![(1, 9.0), (2, 8.0)], weight: 1.0 },
            List { hits: vec![(2, 3.0), (3, 2.9)], weight: 1.0 },
            List { hits: vec![(9, 0.0)], weight: 1.0 },
            List { hits: vec![], weight: 1.0 },
        ];
        let order: Vec<i64> = ordered(&fuse(&lists)).into_iter().map(|(id, _)| id).collect();
        assert_eq!(order, [2, 1, 3]);
    }

    #[test]
    fn an_unknown_model_is_believed_least_of_those_with_wide_scores() {
        let threshold = |model| scale(model).threshold;
        assert!(threshold("somebody/new-model") > threshold("@cf/baai/bge-m3"));
        assert!(threshold("text-embedding-3-small") < threshold("intfloat/multilingual-e5-small"));
        let near = scale("embedded").nearness(0.84);
        assert!((near - 1.0).abs() < 1e-5 && scale("embedded").nearness(0.2) < 0.0);
    }
}
