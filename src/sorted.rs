//! Maps and sets as sorted lists.
//!
//! The library's trees are made anew for every type of key and value, two kilobytes of the download each. What is kept
//! in order here is small or made at once, and for that a list that is sorted does as well: finding takes as many
//! steps, and only a new key in the middle of a long list costs more.

use std::borrow::Borrow;
use std::cmp::Ordering;

use crate::order;

/// Keys with their values, in the order of the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedMap<K, V>(Vec<(K, V)>);

impl<K: Ord, V> SortedMap<K, V> {
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().and_then(|at| self.0.get(at)).map(|(_, value)| value)
    }

    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().and_then(|at| self.0.get_mut(at)).map(|(_, value)| value)
    }

    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }

    /// Sets the key's value and returns the one before.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(at) => self.0.get_mut(at).map(|(_, old)| std::mem::replace(old, value)),
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().map(|at| self.0.remove(at).1)
    }

    /// The key's value; if there is none, this one becomes it.
    pub fn or_insert(&mut self, key: K, value: V) -> &mut V {
        let at = self.place(&key).unwrap_or_else(|at| {
            self.0.insert(at, (key, value));
            at
        });
        &mut self.0[at].1
    }

    /// The key's value, which is made if there is none.
    pub fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.or_insert(key, V::default())
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn retain(&mut self, mut keeps: impl FnMut(&K, &mut V) -> bool) {
        self.0.retain_mut(|(key, value)| keeps(key, value));
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> {
        self.0.into_iter().map(|(_, value)| value)
    }

    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        place(self.0.len(), &|at| self.0[at].0.borrow().cmp(key))
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// The last of several values for a key stays.
impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut pairs: Vec<(K, V)> = pairs.into_iter().collect();
        pairs.reverse();
        order::by(&mut pairs, |a, b| a.0.cmp(&b.0));
        pairs.dedup_by(|later, first| later.0 == first.0);
        Self(pairs)
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        for (key, value) in pairs {
            self.insert(key, value);
        }
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Different items in their order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SortedSet<T>(Vec<T>);

impl<T: Ord> SortedSet<T> {
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.place(item).is_ok()
    }

    /// Whether the item is new.
    pub fn insert(&mut self, item: T) -> bool {
        let place = self.place(&item);
        if let Err(at) = place {
            self.0.insert(at, item);
        }
        place.is_err()
    }

    /// Whether the item was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.place(item).is_ok_and(|at| {
            self.0.remove(at);
            true
        })
    }

    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// What is in both.
    pub fn intersection<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a T> {
        self.0.iter().filter(|item| other.contains(*item))
    }

    /// What is only in the first.
    pub fn difference<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a T> {
        self.0.iter().filter(|item| !other.contains(*item))
    }

    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().all(|item| other.contains(item))
    }

    pub fn is_disjoint(&self, other: &Self) -> bool {
        !self.0.iter().any(|item| other.contains(item))
    }

    fn place<Q: Ord + ?Sized>(&self, item: &Q) -> Result<usize, usize>
    where
        T: Borrow<Q>,
    {
        place(self.0.len(), &|at| self.0[at].borrow().cmp(item))
    }
}

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut items: Vec<T> = items.into_iter().collect();
        order::by(&mut items, T::cmp);
        items.dedup();
        Self(items)
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.insert(item);
        }
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a SortedSet<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// Where in a sorted list of `count` something is, or belongs: `compare` says how what stands at a place compares to it.
#[inline(never)]
fn place(count: usize, compare: &dyn Fn(usize) -> Ordering) -> Result<usize, usize> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        match compare(middle) {
            Ordering::Less => low = middle + 1,
            Ordering::Equal => return Ok(middle),
            Ordering::Greater => high = middle,
        }
    }
    Err(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[derive(Clone, Debug)]
    enum Step {
        Set(u8, u16),
        Remove(u8),
        Default(u8),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            (0u8..30, any::<u16>()).prop_map(|(key, value)| Step::Set(key, value)),
            (0u8..30).prop_map(Step::Remove),
            (0u8..30).prop_map(Step::Default),
        ];
        prop::collection::vec(step, 0..60)
    }

    proptest! {
        #[test]
        fn a_sorted_map_is_what_the_librarys_is(pairs in prop::collection::vec((0u8..30, any::<u16>()), 0..40), steps in steps()) {
            let mut here: SortedMap<u8, u16> = pairs.iter().copied().collect();
            let mut there: BTreeMap<u8, u16> = pairs.into_iter().collect();
            for step in steps {
                match step {
                    Step::Set(key, value) => prop_assert_eq!(here.insert(key, value), there.insert(key, value)),
                    Step::Remove(key) => prop_assert_eq!(here.remove(&key), there.remove(&key)),
                    Step::Default(key) => prop_assert_eq!(here.or_default(key), there.entry(key).or_default()),
                }
                prop_assert!(here.iter().eq(there.iter()));
            }
            prop_assert!((0..30).all(|key| here.get(&key) == there.get(&key)));
        }

        #[test]
        fn a_sorted_set_is_what_the_librarys_is(a in prop::collection::vec(0u8..30, 0..40), b in prop::collection::vec(0u8..30, 0..40)) {
            let (here, other): (SortedSet<u8>, SortedSet<u8>) = (a.iter().copied().collect(), b.iter().copied().collect());
            let (there, that): (BTreeSet<u8>, BTreeSet<u8>) = (a.into_iter().collect(), b.iter().copied().collect());
            prop_assert!(here.iter().eq(there.iter()));
            prop_assert!(here.intersection(&other).eq(there.intersection(&that)));
            prop_assert!(here.difference(&other).eq(there.difference(&that)));
            prop_assert_eq!(here.is_subset(&other), there.is_subset(&that));
            prop_assert_eq!(here.is_disjoint(&other), there.is_disjoint(&that));
            let (mut here, mut there) = (here, there);
            for item in b {
                prop_assert_eq!(here.insert(item), there.insert(item));
                prop_assert_eq!(here.remove(&(item / 2)), there.remove(&(item / 2)));
            }
            prop_assert!(here.iter().eq(there.iter()));
        }
    }
}
