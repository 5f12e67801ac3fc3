//! Turns each source into lines in order of importance, each with its source and reason.

use super::{
    Agenda, Episode, Fact, Fragment, FragmentHead, Identity, InitPhase, Initialisation, Item, Part, SessionNote, Setup,
    Terms,
};
use crate::memory::turn::buffer::ItemKind;
use crate::memory::turn::rank::{SAME, Score};
use crate::memory::turn::source::summary;
use crate::memory::turn::{
    Capability, Conversation, Goal, GoalKind, GoalPriority, NoteKind, Observation, Outcome, Request,
};

/// The importance of goals as items of the working memory (TURN-10).
const WANTED: f64 = 0.7;
const SAID: f64 = 0.6;
const NOTICED: f64 = 0.5;
const POLICY: f64 = 0.9;

/// How many goals, pending actions, questions and stories are used (TURN-3).
const GOALS: usize = 5;
const QUESTIONS: usize = 3;
const TURNS: usize = 10;

pub(super) fn episodic() -> FragmentHead {
    FragmentHead::of(Part::Episodic, "memory.db episodes", "runs that are like this one")
}

pub(super) fn semantic() -> FragmentHead {
    FragmentHead::of(Part::Semantic, "the skills here", "what is known of the same subject")
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lines {
    pub(super) about: FragmentHead,
    pub(super) items: Vec<(Item, Option<Score>)>,
}

impl Lines {
    fn of(about: FragmentHead, items: Vec<Item>) -> Self {
        Self { about, items: items.into_iter().map(|item| (item, None)).collect() }
    }

    /// Keeps the lines that fit, in order; a line too long for the rest is skipped.
    pub(super) fn fitted(self, phase: InitPhase, at: &mut Initialisation<'_>) -> Self {
        let most = self.about.part.cap();
        self.fitted_within(most, phase, at)
    }

    /// [`Self::fitted`] within a number of tokens.
    pub(super) fn fitted_within(mut self, most: usize, phase: InitPhase, at: &mut Initialisation<'_>) -> Self {
        let items = std::mem::take(&mut self.items).into_iter().map(|(item, _)| item).collect();
        let mut room = self.about.room().min(most.saturating_sub(self.about.part.cap() - self.about.room()));
        let mut left_out = 0;
        for item in at.fit_for_a_model(phase, items) {
            if item.tokens <= room {
                room -= item.tokens;
                self.items.push((item, None));
            } else {
                left_out += 1;
            }
        }
        at.left_out(phase, left_out, 0);
        self
    }

    pub(super) fn fragment(&self) -> Option<Fragment> {
        Fragment::of(&self.about, self.items.clone())
    }

    pub(super) fn tokens(&self) -> usize {
        self.fragment().map_or(0, |fragment| fragment.tokens)
    }

    /// Its items for the working memory: identity, goals and conversation as one item each, memories one by one.
    pub(super) fn for_buffer(&self) -> Vec<Item> {
        let (kind, importance) = match self.about.part {
            Part::Episodic | Part::Semantic | Part::ScratchPage => {
                let scored = |(item, score): &(Item, Option<Score>)| {
                    let importance = score.map_or(item.importance, |score| score.total.clamp(0.0, 1.0));
                    Item { importance, ..item.clone() }
                };
                return self.items.iter().map(scored).collect();
            }
            Part::Identity => (ItemKind::Custom, POLICY),
            Part::Goals => (ItemKind::Goal, WANTED),
            _ => (ItemKind::Conversation, SAID),
        };
        let at = self.items.iter().map(|(item, _)| item.at).max().unwrap_or_default();
        let whole = self.fragment().map(|fragment| {
            let item = Item::new(fragment.part.word(), kind, &fragment.text).weighing(importance, at);
            Item { tokens: fragment.tokens, ..item.from(fragment.source, fragment.why) }
        });
        whole.into_iter().collect()
    }
}

/// Phase 2.
pub(super) fn identity(setup: &Setup, mind: &Identity) -> Lines {
    let about = FragmentHead::of(Part::Identity, &mind.source, "who acts, what holds, what can be done here");
    let about = FragmentHead { version: mind.version.clone(), ..about };
    let item = |id: &str, text: &str, source: &str, why: &str| {
        Item::new(id, ItemKind::Custom, text).from(source, why).weighing(POLICY, setup.now)
    };
    let who = format!("{} forges Agent Skills; files change only after an approval", setup.agent_id);
    let mode = format!("mode {}: {}", setup.mode, setup.mode.constraint());
    let mut items = vec![
        item("identity", &who, &setup.agent_id, "identity"),
        item("mode", &mode, "this run", "how this run is driven"),
    ];
    if !mind.mandates.is_empty() {
        let named: Vec<String> = mind.mandates.iter().map(|rule| format!("{} {}", rule.id, rule.title)).collect();
        items.push(item("rules", &format!("rules: {}", named.join("; ")), &mind.source, "rules in force"));
    }
    Lines::of(about, items)
}

/// Phase 9: the available capabilities.
pub(super) fn tools(capabilities: &[Capability]) -> Lines {
    let items = capabilities.iter().map(|one| {
        let version = one.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        Item::new(format!("tool:{}", one.name), ItemKind::Custom, &format!("{}{version}", one.name))
            .from("detection, templates", "it is here")
    });
    Lines::of(FragmentHead::of(Part::Tools, "detection, templates", "what can be used"), items.collect())
}

/// Phase 9: the entries of the joined session.
pub(super) fn session(notes: &[SessionNote]) -> Lines {
    let items = notes.iter().map(|note| {
        let what = match note.kind {
            NoteKind::Input => "asked for",
            NoteKind::Reasoning => "concluded",
            NoteKind::Reference => "see",
        };
        Item::new(format!("session:{}", note.id), ItemKind::Conversation, &format!("{what}: {}", note.text))
            .from(format!("session {}", note.session), "the session that was joined holds it")
            .weighing(WANTED, note.at)
    });
    Lines::of(FragmentHead::of(Part::WorkingMemory, "memory stm", "the session that was joined"), items.collect())
}

/// Phase 3. An urgent goal is included whatever its subject.
pub(super) fn agenda(setup: &Setup, request: &Request, agenda: &Agenda) -> Lines {
    let mut goals = agenda.goals.clone();
    goals
        .retain(|goal| goal.priority == GoalPriority::Critical || goal.overdue(setup.now) || request.bears(&goal.text));
    Goal::in_order(&mut goals);
    let mut said: Vec<Terms> = Vec::new();
    goals.retain(|goal| fresh(&mut said, &goal.text));
    let noted = |aim: GoalKind, most: usize| {
        goals.iter().filter(move |goal| goal.kind == aim).take(most).map(move |goal| {
            let late = if goal.overdue(setup.now) { ", overdue" } else { "" };
            let blocks = if goal.blocking { ", blocks others" } else { "" };
            let text = format!("{} ({}{late}{blocks}): {}", aim.word(), goal.priority.word(), goal.text);
            Item::new(format!("goal:{}", goal.id), ItemKind::Goal, &text)
                .from("memory turn goal", "noted and still wanted")
                .weighing(WANTED, goal.created)
        })
    };
    let mut pending = agenda.pending.clone();
    pending.sort_by(|a, b| (a.priority, a.at, &a.id).cmp(&(b.priority, b.at, &b.id)));
    let waits = pending.into_iter().take(GOALS).map(|one| {
        Item::new(format!("pending:{}", one.id), ItemKind::Action, &format!("pending: {}", one.text))
            .from(one.source, "not finished yet")
            .weighing(WANTED, one.at)
    });
    let mut items: Vec<Item> =
        noted(GoalKind::Goal, GOALS).chain(waits).chain(noted(GoalKind::Question, QUESTIONS)).collect();
    let asked = items.iter().filter(|item| item.text.starts_with("question")).count();
    let open = agenda.questions.iter().filter(|one| request.bears(&one.text) && fresh(&mut said, &one.text));
    items.extend(open.take(QUESTIONS.saturating_sub(asked)).map(|one| {
        Item::new(format!("question:{}", one.id), ItemKind::Goal, &format!("open question: {}", one.text))
            .from(one.source.as_str(), "nobody has answered it yet")
            .weighing(WANTED, setup.now)
    }));
    items.extend(noted(GoalKind::Story, QUESTIONS));
    let progress = [
        ("completed", &agenda.progress.completed),
        ("changed", &agenda.progress.updated),
        ("new", &agenda.progress.new),
    ];
    items.extend(progress.into_iter().filter(|(_, what)| !what.is_empty()).map(|(how, what)| {
        let text = format!("since the last turn {how}: {}", what.join(", "));
        Item::new(format!("progress:{how}"), ItemKind::Action, &text)
            .from("memory.db runs", "what changed since the last turn")
            .weighing(WANTED, setup.now)
    }));
    Lines::of(FragmentHead::of(Part::Goals, "memory.db, the skills here", "what is wanted and what waits"), items)
}

/// Phase 4.
pub(super) fn conversation(past: &Conversation) -> Lines {
    let about = FragmentHead::of(Part::Conversation, "memory.db", "what was asked before and what came of it");
    let item = |id: String, kind: ItemKind, text: String, why: &str, at: i64| {
        Item::new(id, kind, &text).from("memory.db runs", why).weighing(SAID, at)
    };
    let newest = past.recent.first().map_or(0, |turn| turn.at);
    let mut items = Vec::new();
    if let Some(previous) = &past.previous {
        let met = previous.errors.iter().map(|error| ("previous-error", ItemKind::Error, format!("met: {error}")));
        let left = previous.pending.iter().map(|left| ("previous", ItemKind::Action, format!("left: {left}")));
        items.extend(met.chain(left).map(|(id, kind, what)| {
            let (id, text) = (format!("{id}:{}", previous.turn_id), format!("the turn before this one {what}"));
            item(id, kind, text, "this turn continues it", newest)
        }));
    }
    let mut recent: Vec<_> = past.recent.iter().take(TURNS).cloned().collect();
    if let Some(summary) = summary(&recent) {
        items.push(item("summary".into(), ItemKind::Conversation, summary, "rolling summary", newest));
    }
    items.extend(past.excerpts.iter().map(|one| {
        let text = format!("{}: in \"{}\" the {} said: {}", day(one.at), one.title, one.by, one.text);
        Item::new(format!("excerpt:{}", one.id), ItemKind::Conversation, &text)
            .from(format!("conversation {}", one.id), "said about the same subject")
            .weighing(SAID, one.at)
    }));
    let mut said: Vec<Terms> = Vec::new();
    recent.retain(|turn| fresh(&mut said, &turn.asked));
    items.extend(recent.into_iter().map(|turn| {
        let text = format!("{}: \"{}\" ({})", day(turn.at), turn.asked, turn.outcome);
        item(format!("turn:{}", turn.id), ItemKind::Conversation, text, "one of the last ten", turn.at)
    }));
    Lines::of(about, items)
}

/// An episode's words, importance and time, for ranking.
pub(super) fn episode_words(episode: &Episode) -> (String, f64, i64) {
    (format!("{} {}", episode.subject, episode.text), episode.importance, episode.at)
}

/// What distinguishes an episode: its subject and its outcome.
pub(super) fn episode_essence(episode: &Episode) -> String {
    let about = if episode.subject.is_empty() { &episode.text } else { &episode.subject };
    format!("{about} {}", episode.kind.word())
}

/// A fact's words, importance and time, for ranking.
pub(super) fn fact_words(fact: &Fact) -> (String, f64, i64) {
    (fact.text.clone(), fact.importance, fact.updated_at)
}

pub(super) fn episode(episode: &Episode) -> Item {
    let cure = episode.cure.as_ref().map(|cure| format!(" Cure: {cure}")).unwrap_or_default();
    let kind = if episode.kind == Outcome::Failed { ItemKind::Error } else { ItemKind::Action };
    let text = format!("{}: {}{cure}", day(episode.at), episode.text);
    Item::new(format!("episode:{}", episode.run_id), kind, &text)
        .from(format!("run {}", episode.run_id), "a run on the same subject")
        .weighing(episode.importance, episode.at)
}

pub(super) fn fact(fact: &Fact) -> Item {
    let kind = match fact.key.split(':').next() {
        Some("skill") => ItemKind::Skill,
        Some("pattern") => ItemKind::Pattern,
        _ => ItemKind::Fact,
    };
    Item::new(fact.key.clone(), kind, &fact.text)
        .from(fact.source.clone(), "known of the same subject")
        .weighing(fact.importance, fact.updated_at)
}

/// Phase 7: observations relevant to the request by tags or words (TURN-7), without duplicates.
pub(super) fn scratch(observations: &[Observation], request: &Request, taken: &[Terms], now: i64) -> Lines {
    let bears = |one: &&Observation| one.open(now) && (request.is_empty() || request.noticed(one).is_some());
    let mut open: Vec<Observation> = observations.iter().filter(bears).cloned().collect();
    Observation::in_order(&mut open);
    let mut said = taken.to_vec();
    open.retain(|one| fresh(&mut said, &one.content));
    let items = open.iter().map(|one| {
        let text = format!("{}: {}", one.kind.word().replace('_', " "), one.content);
        Item::new(format!("observation:{}", one.id), ItemKind::Observation, &text)
            .from(one.source.as_str(), "noticed and still open")
            .weighing(NOTICED, one.created_at)
    });
    Lines::of(FragmentHead::of(Part::ScratchPage, "memory turn observe", "noticed and still open"), items.collect())
}

/// Whether the text is new; then its words are recorded.
fn fresh(said: &mut Vec<Terms>, text: &str) -> bool {
    let terms = Terms::of(text);
    let fresh = terms.is_empty() || said.iter().all(|known| known.cosine(&terms) < SAME);
    said.push(terms);
    fresh
}

fn day(at: i64) -> String {
    jiff::Timestamp::from_millisecond(at).map_or_else(|_| "?".to_owned(), |time| time.strftime("%Y-%m-%d").to_string())
}
