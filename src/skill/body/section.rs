//! The sections of a repository's documents: the rules under one heading stand or fall together.

use std::collections::BTreeMap;

use super::Material;
use super::near::Near;
use crate::skill::fact::Fact;

/// A section with so few rules is about one subject: if one bears, so do the others.
const SHORT: usize = 10;

/// Of a document about another kind of work, at least one in so many must, and two.
const ONE_IN: usize = 3;

/// What the rules that stand together with one have to do with the task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// Its heading names the task.
    Own,
    /// Some of its rules are about the task.
    Bears,
    Other,
}

impl Section {
    pub(super) fn bears(self) -> bool {
        self != Self::Other
    }
}

/// The file and the heading of a rule.
pub(super) fn key(fact: &Fact) -> (&str, &str) {
    (&fact.file, &fact.section)
}

/// The rules of a section or of a document, and those about the task.
#[derive(Clone, Copy, Default)]
struct Count {
    all: usize,
    bearing: usize,
}

/// What the sections of the repository's documents have to do with the task.
pub(super) fn all<'f>(
    material: &Material<'_>,
    near: &Near<'_>,
    rules: &[&'f Fact],
) -> BTreeMap<(&'f str, &'f str), Section> {
    let mut counts: BTreeMap<(&str, &str), Count> = BTreeMap::new();
    for fact in rules {
        let count = counts.entry(key(fact)).or_default();
        count.all += 1;
        count.bearing += usize::from(near.bears(material, fact) || (!near.office && near.is_of_packs(fact)));
    }
    let of_file = |file: &str| {
        let own = counts.iter().filter(|((of, _), _)| *of == file).map(|(_, count)| count);
        let whole = own.clone().map(|count| count.all).sum::<usize>();
        (whole, own.filter(|count| count.bearing > 0).map(|count| count.all).sum::<usize>())
    };
    let section = |(file, heading): (&'f str, &'f str), count: Count| {
        let of_work = rules.iter().any(|fact| key(fact) == (file, heading) && fact.work.is_some());
        let least = match () {
            () if near.office && near.is_named => count.all.div_ceil(2).max(2),
            () if near.office => count.all.div_ceil(2),
            () if of_work => count.all.div_ceil(ONE_IN).max(2),
            () => 1,
        };
        let (whole, own) = of_file(file);
        match () {
            () if !heading.is_empty() && near.is_headed(heading) => Section::Own,
            () if count.all <= SHORT && count.bearing >= least => Section::Bears,
            // Most of a short document is about the task.
            () if whole <= SHORT && own * 2 > whole => Section::Bears,
            () => Section::Other,
        }
    };
    counts.iter().map(|(at, count)| (*at, section(*at, *count))).collect()
}
