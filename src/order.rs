//! Sorting short lists of large things.
//!
//! The library's sort is made anew for every type and comparison, 5 KB each in the wasm. Here the places are sorted,
//! which is one sort for all, and then the items are moved.

use std::cmp::Ordering;

/// Sorts like `slice::sort_by`: what is equal keeps its order.
pub fn by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut from = places(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    arrange(&mut from, &mut |a, b| items.swap(a, b));
}

/// Sorts like `slice::sort_by_key`.
pub fn by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    by(items, |a, b| key(a).cmp(&key(b)));
}

/// The places `0..count` in the order of what stands at them.
#[inline(never)]
fn places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}

/// Swaps until every place `at` has what stood at `from[at]`, following each cycle once.
#[inline(never)]
fn arrange(from: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..from.len() {
        let mut at = start;
        while let Some(wanted) = from.get_mut(at) {
            let next = std::mem::replace(wanted, at);
            if next == start || next == at {
                break;
            }
            swap(at, next);
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_list_is_sorted_as_the_library_sorts_it(list in prop::collection::vec((0u8..20, any::<u8>()), 0..120)) {
            let (mut here, mut there) = (list.clone(), list);
            by(&mut here, |a, b| b.0.cmp(&a.0));
            there.sort_by_key(|there| std::cmp::Reverse(there.0));
            prop_assert_eq!(&here, &there);
            by_key(&mut here, |item| item.1 / 8);
            there.sort_by_key(|item| item.1 / 8);
            prop_assert_eq!(&here, &there);
        }
    }
}
