//! Splits a sentence into tasks and rules.

use super::language::{Language, Lexicon};
use super::verb::{Form, Met, guessed, met};
use super::words::Word;

/// A part of a sentence: a range of words.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) rule: bool,
    /// The verb and the index of its word.
    pub(super) verb: Option<(usize, Met)>,
    /// Verbs joined to it by "or", which take the same object.
    pub(super) or: Vec<(usize, Met)>,
    /// Whether its verb is not inflected because it is in a list of nouns: "bump, changelog, tag".
    pub(super) listed: bool,
}

impl Part {
    /// The first word after the verb.
    pub(super) fn after_verb(&self) -> usize {
        self.or.last().or(self.verb.as_ref()).map_or(self.from, |(at, met)| at + met.length)
    }

    /// Whether it is only a verb.
    pub(super) fn bare(&self) -> bool {
        self.verb.is_some() && self.after_verb() >= self.to
    }
}

/// A sentence split into parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    /// The part before a colon with a list.
    pub(super) head: Option<Part>,
    pub(super) parts: Vec<Part>,
}

/// Reads a sentence.
pub(super) struct Reader<'w> {
    pub(super) words: &'w [Word],
    pub(super) line: &'w str,
    pub(super) lexicon: &'static Lexicon,
    pub(super) language: Language,
    pub(super) form: Option<Form>,
}

impl<'w> Reader<'w> {
    pub(super) fn new(words: &'w [Word], line: &'w str, language: Language) -> Self {
        Self { words, line, lexicon: language.lexicon(), language, form: None }
    }

    pub(super) fn read(mut self) -> Parts {
        let (skipped, end) = (0, self.words.len());
        if end == 0 {
            return Parts::default();
        }
        let first = self.opening(skipped, end);
        self.form = first.as_ref().map(|(_, met)| met.form);
        let colon = (skipped..end.saturating_sub(1)).find(|at| self.opens_list(*at));
        if let Some(colon) = colon {
            let (mut before, list) = (self.split(skipped, colon + 1, first.as_ref()), self.list(colon + 1, end));
            let tasks = list.iter().filter(|part| !part.rule).count();
            let acts = list.first().is_some_and(|part| part.verb.is_some() || self.orders(part.from, part.to));
            if (tasks > 1 || acts) && !before.is_empty() && !before.iter().any(Part::bare) {
                let head = before.remove(0);
                before.extend(list);
                return Parts { head: Some(head), parts: before };
            }
        }
        Parts { head: None, parts: self.split(skipped, end, first.as_ref()) }
    }

    pub(super) fn ends(&self, at: usize, marks: &[char]) -> bool {
        self.words.get(at).and_then(|word| self.line.get(word.start..word.end)).is_some_and(|raw| raw.ends_with(marks))
    }

    /// Whether a name or a number stands here: "return `Retry-After`", "answer 200".
    pub(super) fn names(&self, at: usize) -> bool {
        let raw = self.words.get(at).and_then(|word| self.line.get(word.start..word.end)).unwrap_or_default();
        raw.chars().next().is_some_and(|first| !first.is_lowercase())
    }

    /// Whether a list may begin behind this word: after a colon or a dash.
    fn opens_list(&self, at: usize) -> bool {
        let next = self.words.get(at + 1).map_or(self.line.len(), |next| next.start);
        let gap = self.words.get(at).and_then(|word| self.line.get(word.end..next)).unwrap_or_default();
        let closes = self.words.get(at).is_some_and(|word| word.closes);
        (closes && self.ends(at, &[':']))
            || ["\u{2014}", "\u{2013}", " - ", " -- "].iter().any(|dash| gap.contains(dash))
    }

    pub(super) fn is(&self, key: &str, at: usize) -> bool {
        self.lexicon.is(key, self.words, at)
    }

    pub(super) fn closed(&self, at: usize) -> bool {
        at > 0 && self.words.get(at - 1).is_some_and(|word| word.closes)
    }

    /// The verb at this word, in any form, if it must be one.
    pub(super) fn met(&self, at: usize, to: usize) -> Option<Met> {
        met(self.words.get(at..to)?, self.language)
    }

    pub(super) fn paired(&self, at: usize) -> bool {
        let [one, next] = [at, at + 1].map(|at| self.words.get(at).map_or("", Word::key));
        self.lexicon.set("pairs").contains(format!("{one} {next}").as_str())
    }

    /// The first word after conjunctions.
    pub(super) fn joins(&self, at: usize, to: usize) -> usize {
        let count = (at..to).take_while(|at| self.is("joins", *at)).count();
        at + count
    }

    /// The verb at the start of a further part: in the same form as the first one, and no noun. `bare`: the previous
    /// part is only a verb and shares this one's object.
    pub(super) fn acts(&self, at: usize, to: usize, bare: bool) -> Option<Met> {
        // "and invalidate it", "e assinalar o que falta": a verb with its object, in a file or not.
        let unknown = || {
            let acted_on = at > 0 && (self.is("before_object", at + 1) || self.infinitive(at, to));
            guessed(self.words.get(at..to)?, self.language).filter(|_| acted_on && !self.is("foremost", at))
        };
        let met = self.met(at, to).or_else(unknown)?;
        let alike = match (self.form, met.form) {
            (None, Form::Third) => self.language != Language::En || !met.verb.noun || self.is("before_object", at + 1),
            (None, form) => form != Form::Gerund,
            (Some(Form::Third | Form::Command), Form::Third | Form::Command) => true,
            (Some(first), form) => first == form,
        };
        let next = at + met.length;
        // "ignore or Any": joined to a name it is one itself.
        let joined = self.is("or", next) && next + 1 < to && self.names(next + 1);
        // "type: ignore": so is a single word behind a colon.
        let valued = at > 0 && next == self.words.len() && self.ends(at - 1, &[':']);
        if joined || valued {
            return None;
        }
        let lonely = next >= to || self.closed(next) || self.joins(next, to) > next || self.is("or", next);
        let noun = met.verb.noun && met.length == 1 && (self.paired(at) || (lonely && !bare) || self.is("lone", next));
        (alike && !noun).then_some(met)
    }

    /// Whether "and" joins two words after "to" or "that": "to find and replace".
    fn guarded(&self, at: usize, to: usize) -> bool {
        let infinitive =
            |at: &usize| self.met(*at, to).is_some_and(|met| met.form != Form::Gerund) || self.infinitive(*at, to);
        let before = at.checked_sub(1).filter(infinitive);
        before.is_some_and(|before| before > 0 && self.is("guards", before - 1) && !self.closed(at))
    }

    /// A rule that begins at this word: the number of words before it, and of words that open it.
    pub(super) fn rule(&self, at: usize, apart: bool) -> Option<(usize, usize)> {
        let opens =
            |at: usize| self.lexicon.phrase("anywhere", self.words, at).filter(|length| at + length < self.words.len());
        if self.is("with", at) {
            let inner = opens(at + 1).or_else(|| self.lexicon.phrase("after", self.words, at + 1));
            return inner.filter(|_| at + 2 < self.words.len()).map(|length| (1, length));
        }
        if apart && self.lexicon.phrase("after", self.words, at).is_some() && at + 1 < self.words.len() {
            return Some((0, 1));
        }
        // "and only tell me if …": what is done under a condition.
        let acts = || self.met(at + 1, self.words.len()).is_some_and(|met| met.form == Form::Base);
        if apart && self.form == Some(Form::Base) && self.is("only", at) && opens(at).is_none() && acts() {
            return Some((0, 1));
        }
        let follows = !apart && at > 0 && self.is("prepositions", at - 1);
        opens(at).filter(|length| !follows && !self.is("joins", at + length)).map(|length| (0, length))
    }

    /// Whether what begins here belongs to the previous part: it says when ("warn me before it is full", "ask before
    /// deleting"), or which objects ("reject changes without tests", "dates stored without a zone").
    fn tied(&self, part: &Part, at: usize) -> bool {
        let verb = |key| {
            let set = Language::En.lexicon().set(key);
            part.verb.as_ref().is_some_and(|(_, met)| set.contains(met.verb.english.as_str()))
        };
        let manner = if self.language == Language::En { Form::Gerund } else { Form::Base };
        let manner = self.met(at + 1, self.words.len()).is_some_and(|met| met.form == manner);
        let due = self.is("tie", at) && (verb("asks") || self.is("bound", at + 1));
        // "fechas guardadas sin zona horaria"
        let stem = |word: &Word| word.key().trim_end_matches('s').trim_end_matches(['a', 'o']).to_owned();
        let before = at.checked_sub(1).filter(|before| *before > part.after_verb()).and_then(|at| self.words.get(at));
        let infinitive = |word: &Word| ["ar", "er", "ir"].iter().any(|end| word.key().ends_with(end));
        let participle = self.language != Language::En
            && !self.words.get(at + 1).is_some_and(infinitive)
            && before.is_some_and(|word| stem(word).ends_with("ad") || stem(word).ends_with("id"));
        // ": portas abertas, regras sem uso"
        let name = self.language != Language::En && part.verb.is_none() && self.form.is_some() && at > part.from;
        due || (self.is("lacks", at) && (verb("selects") || participle || name) && !manner)
    }

    /// The verb of a rule that is inflected like the others: "but never delete them".
    fn forbidden(&self, at: usize, length: usize, to: usize) -> Option<(usize, Met)> {
        let behind = at + length;
        let inflects = length == 1 && (self.is("inflects", at) || self.is("only", at));
        let met = self.met(behind, to).filter(|_| inflects)?;
        (met.form == Form::Base && self.form == Some(Form::Base)).then_some((behind, met))
    }

    fn part(&self, from: usize, rule: bool, verb: Option<(usize, Met)>) -> Part {
        Part { from, to: from, rule, verb, or: Vec::new(), listed: false }
    }

    /// Splits these words at verbs joined to the first one and at rules.
    fn split(&self, from: usize, to: usize, verb: Option<&(usize, Met)>) -> Vec<Part> {
        let mut found: Vec<Part> = Vec::new();
        let opened = self.rule(from, true).filter(|_| verb.is_some_and(|(at, _)| *at > from && self.closed(*at)));
        let main = verb.map_or(from, |(at, _)| *at);
        let (mut part, mut at) = match opened {
            // "Before merging, run …": the rule ends where the verb begins.
            Some((skip, length)) if main > from => (self.part(from + skip, true, None), from + skip + length),
            _ => (self.part(from, false, verb.cloned()), main + verb.map_or(1, |(_, met)| met.length)),
        };
        let mut held = 0;
        while at < to {
            if at < held {
                self.forbid_also(&mut part, at, to);
                at += 1;
                continue;
            }
            if part.bare() || part.after_verb() == at {
                // "create or update": one part, both verbs are inflected.
                if self.is("or", at)
                    && let Some(met) = self.acts(at + 1, to, true).filter(|_| !part.rule)
                {
                    let length = met.length;
                    part.or.push((at + 1, met));
                    at += 1 + length;
                    continue;
                }
            }
            let next = self.joins(at, to);
            let apart = self.closed(at) || next > at;
            if next < to
                && (apart || !part.rule)
                && !self.tied(&part, next)
                && let Some((skip, length)) = self.rule(next, apart)
            {
                found.push(Part { to: at, ..part });
                part = self.part(next + skip, true, self.forbidden(next + skip, length, to));
                at = next + skip + length;
                held = self.ban(next).map_or(0, |(from, whole)| self.reach(from, to, whole));
                continue;
            }
            if let Some(met) = self.due(&part, at, to) {
                part.verb = Some((at, met));
            } else if let Some(met) = self.further(&part, at, to) {
                found.push(Part { to: at, ..part });
                at = next + met.length;
                part = self.part(next, false, Some((next, met)));
                continue;
            }
            at += 1;
        }
        found.push(Part { to, ..part });
        found
    }

    /// The verb of what is done under a condition that stands before it: "and only if it is late, mention the fee".
    fn due(&self, part: &Part, at: usize, to: usize) -> Option<Met> {
        // As few words has a condition: "only if it fails".
        const SHORTEST: usize = 4;
        let before =
            part.from.checked_sub(1).filter(|_| part.rule && part.verb.is_none() && self.is("only", part.from))?;
        let stands = self.is("joins", before) && at >= part.from + SHORTEST && self.joins(at, to) == at;
        let met = self.acts(at, to, false).filter(|met| stands && met.form == Form::Base)?;
        let bound = |key: &str| self.is(key, at - 1);
        let loose = self.language == Language::En
            && self.acted_on(at + met.length)
            && !["guards", "articles", "pronouns", "conjunctions", "leads"].into_iter().any(bound);
        (self.closed(at) || loose).then_some(met)
    }

    /// The verb of a further part that begins at this word.
    fn further(&self, part: &Part, at: usize, to: usize) -> Option<Met> {
        let next = self.joins(at, to);
        let apart = self.closed(at) || next > at;
        let bare = part.verb.is_some() && part.after_verb() == at;
        let met = (apart && next < to && !self.guarded(at, to)).then(|| self.acts(next, to, bare)).flatten()?;
        // "into decisions, actions and open questions": the end of a list of nouns.
        let listed = (part.after_verb() + 1..at).any(|at| self.closed(at));
        // "for speed, cost and risk, and leave a note": the list ended with its own "and".
        let ended = self.closed(at) && next > at && (part.after_verb()..at).any(|at| self.is("joins", at));
        // "a command with flags, help text and tests"
        let listed = listed || (self.closed(at) && (part.after_verb()..at).any(|at| self.is("with", at)));
        // "only if the changelog and tag match": "and" joins nouns of the condition.
        let listed = listed || (part.rule && !self.closed(at));
        (!listed || ended || !met.verb.noun || self.acted_on(next + met.length)).then_some(met)
    }

    /// Whether what begins here can only be the object of a verb.
    pub(super) fn acted_on(&self, at: usize) -> bool {
        self.is("before_object", at) || self.names(at)
    }

    /// Whether "and" joins the last word of a list of names to the one before: "boxes, contracts for light and water".
    fn shares(&self, begin: usize, at: usize, next: usize, to: usize) -> bool {
        let linked =
            |at: usize| self.words.get(at).is_some_and(|word| self.lexicon.set("grammar").contains(word.key()));
        !self.closed(at) && next > at && next + 1 == to && (begin + 1..at).any(linked)
    }

    /// Whether an item without a verb says in which order things come: "reachable ones first", "patch before major".
    fn orders(&self, from: usize, to: usize) -> bool {
        to > from + 1 && (self.is("foremost", to - 1) || (from + 1..to - 1).any(|at| self.is("orders", at)))
    }

    /// The items of a list after a colon: split at every comma if there is no verb among them, else at a verb, at a
    /// rule, or after a single verb.
    fn list(&self, from: usize, to: usize) -> Vec<Part> {
        // "Plan a party: budget, venue and music": before a name the verb is one itself.
        let only = |at: usize| self.acts(self.joins(at, to), to, true).is_some_and(|met| !met.verb.noun);
        let named = |met: &Met| {
            let next = from + met.length;
            let acts = self.acts(self.joins(next, to), to, true).is_some();
            met.verb.noun && self.closed(next) && !acts && !(next..to).any(|at| self.closed(at) && only(at))
        };
        let acting = self.acts(from, to, true).is_some_and(|met| !named(&met));
        let mut found: Vec<Part> = Vec::new();
        let mut begin = from;
        let mut at = from + 1;
        while at <= to {
            let next = self.joins(at, to);
            let apart = at == to || self.closed(at) || next > at;
            let apart = apart && (acting || !self.shares(begin, at, next, to));
            let alone = self.met(begin, at).is_some_and(|met| begin + met.length == at);
            let item = apart
                && (at == to
                    || !acting
                    || alone
                    || self.acts(next, to, true).is_some()
                    || self.rule(next, true).is_some());
            let item = item && !self.forbids_still(begin, at, to);
            if item && begin < at {
                let acted_on = |met: &Met| self.is("before_object", begin + met.length);
                let verb = self.acts(begin, at, true).filter(|met| acting || !met.verb.noun || acted_on(met));
                let verb = verb.map(|met| (begin, met));
                // "breaking changes first, then the steps": the first of several.
                let begins = self.is("foremost", at - 1) && self.is("follows", at);
                if verb.is_none() && !begins && self.orders(begin, at) {
                    found.push(Part { to: at, ..self.part(begin, true, None) });
                    (begin, at) = (next, next + 1);
                    continue;
                }
                match self.rule(begin, true).filter(|_| verb.is_none()) {
                    Some((skip, length)) => {
                        let forbidden = self.forbidden(begin + skip, length, at);
                        let mut part = self.part(begin + skip, true, forbidden);
                        (begin..at).for_each(|further| self.forbid_also(&mut part, further, at));
                        found.push(Part { to: at, ..part });
                    }
                    None => found.extend(self.split(begin, at, verb.as_ref())),
                }
                begin = next;
                at = next;
            }
            at += 1;
        }
        // "bump, changelog, tag": beside a single noun, the verbs are nouns too.
        if found.iter().any(|part| !part.rule && part.verb.is_none() && part.to == part.from + 1) {
            found.iter_mut().for_each(|part| part.listed = true);
        }
        found
    }
}
