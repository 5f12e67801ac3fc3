//! Selects remembered items for the context, scored, packed greedily, ties by id; and finds installed skills similar to
//! a description.

use super::buffer::Item;
use crate::skill::ranking::Terms;

/// The time constant of recency: after two hours it is about a third.
const FADING_HOURS: f64 = 2.0;
pub(super) const SAME: f64 = 0.95;

/// The score of an item. Each term is 0 to 1; the total is their weighted sum.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Score {
    /// Similarity to the request, weight 0.40.
    #[serde(serialize_with = "crate::memory::json::as_share")]
    pub similarity: f64,
    /// Weight 0.25.
    #[serde(serialize_with = "crate::memory::json::as_share")]
    pub recency: f64,
    /// Weight 0.25.
    #[serde(serialize_with = "crate::memory::json::as_share")]
    pub importance: f64,
    /// Similarity to what is in the context already, weight −0.10.
    #[serde(serialize_with = "crate::memory::json::as_share")]
    pub duplication: f64,
    #[serde(serialize_with = "crate::memory::json::as_share")]
    pub total: f64,
}

impl Score {
    fn of(similarity: f64, recency: f64, importance: f64, duplication: f64) -> Self {
        let total = 0.40 * similarity + 0.25 * recency + 0.25 * importance - 0.10 * duplication;
        Self { similarity, recency, importance, duplication, total }
    }
}

/// The recency of an item of this age: 1 now, with exponential decay.
pub(super) fn recency(age_ms: i64) -> f64 {
    let hours = age_ms.max(0) as f64 / 3_600_000.0;
    (-hours / FADING_HOURS).exp()
}

/// How many of a long list are examined in detail.
const CLOSE: usize = 64;

/// The sixty-four of a list that would score best alone, in the order of the list. `view` gives the words, the
/// importance and the time of an entry. Sanitising is then done for these only.
pub(super) fn nearest<'t, T>(
    query: &Terms,
    list: &'t [T],
    view: impl Fn(&T) -> (String, f64, i64),
    now: i64,
) -> Vec<&'t T> {
    let mut scored: Vec<(usize, f64)> = Vec::new();
    for (at, entry) in list.iter().enumerate() {
        let (words, importance, time) = view(entry);
        let similarity = query.cosine(&Terms::of(&words));
        if query.is_empty() || similarity > 0.0 {
            scored.push((at, Score::of(similarity, recency(now - time), importance, 0.0).total));
        }
    }
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scored.truncate(CLOSE);
    scored.sort_by_key(|one| one.0);
    scored.into_iter().filter_map(|(at, _)| list.get(at)).collect()
}

#[derive(Debug, Clone, Default)]
pub(super) struct Packed {
    pub kept: Vec<(Item, Score)>,
    pub terms: Vec<Terms>,
    pub left_out: usize,
    pub duplicates: usize,
}

impl Packed {
    /// Chooses within a number of tokens: repeatedly the best that still fits. Each item comes with the words it is
    /// compared by: its text without additions such as a day. With a query, items without a common word are no
    /// candidates. An item at least 95 % similar to a chosen one is a duplicate.
    pub(super) fn choose(query: &Terms, items: Vec<(Terms, Item)>, taken: &[Terms], now: i64, tokens: usize) -> Self {
        struct Open {
            item: Item,
            terms: Terms,
            similarity: f64,
            duplication: f64,
        }
        let mut packed = Self::default();
        let mut room = tokens;
        let candidate = |(terms, item): (Terms, Item)| {
            let similarity = query.cosine(&terms);
            let duplication = taken.iter().map(|one| one.cosine(&terms)).fold(0.0, f64::max);
            Open { item, terms, similarity, duplication }
        };
        let mut open: Vec<Open> = items.into_iter().map(candidate).collect();
        open.retain(|one| query.is_empty() || one.similarity > 0.0);
        open.sort_by(|a, b| a.item.id.cmp(&b.item.id));
        loop {
            let before = open.len();
            open.retain(|one| one.duplication < SAME);
            packed.duplicates += before - open.len();
            let before = open.len();
            open.retain(|one| one.item.tokens <= room);
            packed.left_out += before - open.len();
            let mut best: Option<(usize, Score)> = None;
            for (at, one) in open.iter().enumerate() {
                let age = recency(now - one.item.at);
                let score = Score::of(one.similarity, age, one.item.importance, one.duplication);
                // In the order of ids, so the first of equals wins.
                if best.is_none_or(|(_, known)| score.total > known.total) {
                    best = Some((at, score));
                }
            }
            let Some((at, score)) = best else { return packed };
            let chosen = open.remove(at);
            room -= chosen.item.tokens;
            for one in &mut open {
                one.duplication = one.duplication.max(chosen.terms.cosine(&one.terms));
            }
            packed.kept.push((chosen.item, score));
            packed.terms.push(chosen.terms);
        }
    }
}

/// A skill of at least this similarity, in percent, is mentioned before another is made.
const WORTH_MENTIONING: u32 = 60;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillSummary {
    pub name: String,
    pub description: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Similar {
    pub name: String,
    pub percent: u32,
}

/// The skills worth mentioning before this one is made: at least 60 % similar, most similar first,
/// then by name. The description is compared with a skill's first sentence, with that and its name, and with all of its
/// description; the best of these counts.
pub fn similar(description: &str, skills: &[SkillSummary]) -> Vec<Similar> {
    let wanted = Terms::of(description);
    let mut found: Vec<Similar> = skills
        .iter()
        .map(|skill| {
            let first = skill.description.split_inclusive(['.', '!', '?']).next().unwrap_or_default();
            let named = format!("{} {first}", skill.name);
            let whole = (first.len() < skill.description.len()).then_some(skill.description.as_str());
            let ways = [first, &named].into_iter().chain(whole);
            let alike = ways.map(|way| wanted.cosine(&Terms::of(way))).fold(0.0, f64::max);
            Similar { name: skill.name.clone(), percent: percent(alike) }
        })
        .filter(|one| one.percent >= WORTH_MENTIONING)
        .collect();
    found.sort_by(|a, b| b.percent.cmp(&a.percent).then_with(|| a.name.cmp(&b.name)));
    found
}

fn percent(share: f64) -> u32 {
    (share.clamp(0.0, 1.0) * 100.0).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::turn::buffer::ItemKind;

    const NOW: i64 = 1_770_000_000_000;
    const HOUR: i64 = 3_600_000;

    fn candidate(id: &str, text: &str, importance: f64, hours: i64) -> (Terms, Item) {
        (Terms::of(text), Item::new(id, ItemKind::Fact, text).weighing(importance, NOW - hours * HOUR))
    }

    fn ids(packed: &Packed) -> Vec<&str> {
        packed.kept.iter().map(|(item, _)| item.id.as_str()).collect()
    }

    #[test]
    fn the_total_is_the_weighted_sum_and_recency_keeps_the_bounds_of_the_origin() {
        assert!((recency(0) - 1.0).abs() < 1e-9);
        assert!((0.5..0.7).contains(&recency(HOUR)));
        assert!(recency(24 * HOUR) <= 0.1);
        assert!((recency(-HOUR) - 1.0).abs() < 1e-9, "a clock that went back makes nothing fresher than now");
        let score = Score::of(1.0, 1.0, 1.0, 1.0);
        assert!((score.total - 0.8).abs() < 1e-9);
        assert!((Score::of(0.5, 0.0, 0.0, 0.0).total - 0.2).abs() < 1e-9);
    }

    #[test]
    fn the_similar_the_fresh_and_the_important_come_first() {
        let query = Terms::of("extract tables from pdf files");
        let candidates = vec![
            candidate("c", "review pull requests", 1.0, 0),
            candidate("b", "extract text from pdf scans", 0.2, 100),
            candidate("a", "extract tables from pdf documents", 0.5, 1),
        ];
        let packed = Packed::choose(&query, candidates, &[], NOW, 1000);
        assert_eq!(ids(&packed), ["a", "b"], "nothing in common with the query is no candidate");
        assert!(packed.kept[0].1.total > packed.kept[1].1.total);
    }

    #[test]
    fn ties_go_by_id_a_smaller_thing_takes_the_room_a_larger_one_cannot() {
        let query = Terms::default();
        let three = || ["c", "a", "b"].map(|id| candidate(id, &format!("one {id}{id}{id} thing"), 0.5, 0)).to_vec();
        let cost = three()[0].1.tokens;
        let packed = Packed::choose(&query, three(), &[], NOW, 2 * cost + 1);
        assert_eq!((ids(&packed), packed.left_out), (vec!["a", "b"], 1));
        assert_eq!(Packed::choose(&query, three(), &[], NOW, 0).left_out, 3);
        let long = candidate("a", "pdf tables with many more words than there is room for in this budget", 1.0, 0);
        let short = candidate("b", "pdf", 0.1, 50);
        let packed = Packed::choose(&Terms::of("pdf"), vec![long, short.clone()], &[], NOW, short.1.tokens);
        assert_eq!((ids(&packed), packed.left_out), (vec!["b"], 1));
    }

    #[test]
    fn what_is_said_already_is_left_out_and_what_is_close_loses() {
        let query = Terms::of("pdf tables");
        let twice = vec![candidate("a", "pdf tables", 0.5, 0), candidate("b", "tables pdf", 0.5, 0)];
        let packed = Packed::choose(&query, twice, &[], NOW, 1000);
        assert_eq!((ids(&packed), packed.duplicates), (vec!["a"], 1));
        let taken = [Terms::of("pdf tables")];
        let packed = Packed::choose(&query, vec![candidate("a", "pdf tables", 0.5, 0)], &taken, NOW, 1000);
        assert_eq!((packed.kept.len(), packed.duplicates), (0, 1));
        let close = Packed::choose(&query, vec![candidate("a", "pdf tables merged", 0.5, 0)], &taken, NOW, 1000);
        assert!(close.kept[0].1.duplication > 0.5);
    }

    #[test]
    fn skills_worth_mentioning_come_the_most_alike_first() {
        let skill = |name: &str, description: &str| SkillSummary { name: name.into(), description: description.into() };
        let skills = [
            skill("review-code", "Reviews code. Use when reviewing code."),
            skill("extract-pdf-tables", "Extracts tables from PDF files. Use when the user wants tables out of a PDF."),
            skill("extract-pdf-text", "Extracts text from PDF files."),
        ];
        let found = similar("Extract the tables of PDF documents", &skills);
        assert_eq!(found[0].name, "extract-pdf-tables");
        assert!(found.iter().all(|one| one.name != "review-code" && one.percent >= 60), "{found:?}");
        assert_eq!(similar("Extract tables from PDF files", &skills)[0].percent, 100);
    }
}
