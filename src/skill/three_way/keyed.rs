//! Merging lists whose items have a key: the keys of a YAML mapping, the sections of a text.

/// Merges three lists by key. `one` is called for every key with the three values.
///
/// The order is that of the side that changed it; an item only in the other side keeps its predecessor.
pub(super) fn merge<K: PartialEq + Clone, T, M>(
    base: &[(K, T)],
    ours: &[(K, T)],
    theirs: &[(K, T)],
    mut one: impl FnMut(&K, [Option<&T>; 3]) -> Option<M>,
) -> Vec<(K, M)> {
    let has = |list: &[(K, T)], key: &K| list.iter().any(|(known, _)| known == key);
    let common = |list: &[(K, T)], other: &[(K, T)]| -> Vec<K> {
        list.iter().map(|(key, _)| key.clone()).filter(|key| has(other, key)).collect()
    };
    let kept_its_order = common(ours, base) == common(base, ours);
    let (first, second) = if kept_its_order { (theirs, ours) } else { (ours, theirs) };
    let mut keys: Vec<K> = first.iter().map(|(key, _)| key.clone()).collect();
    for (index, (key, _)) in second.iter().enumerate() {
        if keys.contains(key) {
            continue;
        }
        let mut before = second.iter().take(index).rev().map(|(key, _)| key);
        let behind = before.find_map(|known| keys.iter().position(|key| key == known));
        keys.insert(behind.map_or(0, |at| at + 1), key.clone());
    }
    let mut merged = |key: K| {
        let found =
            [base, ours, theirs].map(|list| list.iter().find(|(known, _)| *known == key).map(|(_, value)| value));
        one(&key, found).map(|value| (key, value))
    };
    keys.into_iter().filter_map(&mut merged).collect()
}
