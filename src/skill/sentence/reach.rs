//! How far a ban reaches: "never age, photo or name" forbids all three.

use super::clauses::{Part, Reader};
use super::verb::{Form, Met};
use super::words::Word;

impl Reader<'_> {
    /// A ban that begins at this word: its first word behind "never" or "without", and whether all of a list belongs to
    /// it. "No pets, garden": only with "or".
    pub(super) fn ban(&self, at: usize) -> Option<(usize, bool)> {
        let (skip, length) = self.rule(at, true)?;
        let whole = self.is("bans", at + skip);
        let forbids = whole || self.lexicon.phrase("after", self.words, at + skip).is_some();
        forbids.then_some((at + skip + length, whole))
    }

    /// Where the ban ends that begins at this word: before another rule, or before a task. Nouns belong to it: all of
    /// them if it is `whole`, else those of a list that "or" ends.
    pub(super) fn reach(&self, from: usize, to: usize, whole: bool) -> usize {
        // "no root, layer cache, no secrets": said again, it holds for its own item alone.
        let opening = from.checked_sub(1).and_then(|at| self.words.get(at)).map(Word::key);
        let again = |at: usize| self.closed(at) && self.words.get(at).map(Word::key) == opening;
        let whole = whole && !(1..to).any(|at| at + 1 != from && again(at));
        let ends = |at: &usize| {
            let next = self.joins(*at, to);
            if next >= to || !(self.closed(*at) || next > *at) {
                return false;
            }
            let listed = next == *at && self.alternatives(next, to);
            // "never age or name, experience": the list ended with its own "or".
            let ended = !listed && self.closed(*at) && (from..*at).any(|at| self.is("alternatives", at));
            match self.acts(next, to, true) {
                _ if ended || self.ends(*at - 1, &[';']) || self.rule(next, true).is_some() => true,
                Some(met) => !self.belongs(&met, (from, *at, next), to, listed),
                None => !whole && !listed && self.closed(*at),
            }
        };
        (from + 1..to).find(ends).unwrap_or(to)
    }

    /// Whether a ban that began in an item of a list goes on behind the item.
    pub(super) fn forbids_still(&self, begin: usize, at: usize, to: usize) -> bool {
        let goes_on = |ban: usize| {
            let (from, whole) = self.ban(ban)?;
            (from <= at && self.reach(from, to, whole && ban == begin) > at).then_some(())
        };
        at < to && (begin..at).any(|ban| goes_on(ban).is_some())
    }

    /// Inflects a further verb of a ban like its first one: "never deletes files, moves folders or renames them".
    pub(super) fn forbid_also(&self, part: &mut Part, at: usize, to: usize) {
        let next = self.joins(at, to) + usize::from(self.is("or", at));
        let Some(from) = part.verb.as_ref().map(|(place, _)| *place).filter(|place| *place < at) else { return };
        let met = (self.closed(at) || next > at).then(|| self.acts(next, to, true)).flatten();
        let acts = |met: &Met| !met.verb.noun || self.acted_on(next + met.length) || self.only_verbs(from, at, to);
        part.or.extend(met.filter(acts).map(|met| (next, met)));
    }

    /// Whether a verb behind a comma or "and" belongs to the ban before it: it is a noun ("email addresses"), or one of
    /// the forbidden acts.
    fn belongs(&self, met: &Met, (from, at, next): (usize, usize, usize), to: usize, listed: bool) -> bool {
        let first = self.closed(at) && next > at && !(from + 1..at).any(|at| self.closed(at));
        if met.verb.noun && !first && !self.acted_on(next + met.length) {
            return true;
        }
        let alike = self.met(from, to).is_some_and(|first| first.form == met.form && met.form != Form::Third);
        alike && (listed || self.only_verbs(from, at, to))
    }

    fn only_verbs(&self, from: usize, to: usize, end: usize) -> bool {
        (from..to).all(|at| self.is("or", at) || self.joins(at, to) > at || self.met(at, end).is_some())
    }

    /// Whether what begins here is listed with "or" before the last, and not with "and".
    fn alternatives(&self, from: usize, to: usize) -> bool {
        let joined = (from + 1..to).find(|at| self.is("joins", *at) || self.is("alternatives", *at));
        joined.is_some_and(|at| self.is("alternatives", at))
    }
}

#[cfg(test)]
mod tests {
    use crate::skill::sentence::read;

    #[test]
    fn a_ban_reaches_over_its_list_and_no_further() {
        for (text, rules, tasks) in [
            (
                "Score grant applications: impact, budget, never gender, nationality or university",
                &["Never gender, nationality or university."][..],
                &["Impact", "Budget"][..],
            ),
            (
                "Rate essays: structure, spelling, without mentioning marks, class or email addresses",
                &["Without mentioning marks, class or email addresses."],
                &["Structure", "Spelling"],
            ),
            (
                "Tidy the shared drive: rename scans, never delete, move or overwrite originals, list doubles",
                &["Never delete, move or overwrite originals."],
                &["Rename scans", "List doubles"],
            ),
            (
                "Fix the spreadsheet, but never delete rows, merge cells or hide columns, and send me a summary",
                &["Never delete rows, merge cells or hide columns."],
                &["Fix the spreadsheet", "Send the user a summary"],
            ),
            (
                "Condense the minutes without naming guests, email the board",
                &["Without naming guests."],
                &["Condense the minutes", "Email the board"],
            ),
            (
                "Describe the rooms: size, furniture without scratches, storage",
                &["Without scratches."],
                &["Size", "Furniture", "Storage"],
            ),
            (
                "Avaliar bolsistas: notas, projeto, nunca renda, bairro ou religião",
                &["Nunca renda, bairro ou religião."],
                &["Notas", "Projeto"],
            ),
            (
                "Corregir el texto sin borrar citas, cambiar nombres ni tocar fechas",
                &["Sin borrar citas, cambiar nombres ni tocar fechas."],
                &["Corregir el texto"],
            ),
        ] {
            let found = read(text);
            assert_eq!(found.rules, rules, "{text}");
            assert_eq!(found.clauses.iter().map(|clause| clause.text.as_str()).collect::<Vec<_>>(), tasks, "{text}");
        }
    }

    #[test]
    fn every_forbidden_act_is_inflected() {
        let spoken = read("Sort the photos, but never crop, rotate or rename them").spoken;
        assert_eq!(spoken, "Sorts the photos, but never crops, rotates or renames them.");
    }
}
