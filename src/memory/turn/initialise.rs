//! The initialisation of a turn in eleven phases (TURN): a failing phase is skipped with a warning, a late one is
//! cancelled.

use std::collections::BTreeMap;

use super::buffer::{Buffer, Item};
use super::context::{Budget, Context, Fragment, FragmentHead, Part};
use super::long::{Episode, Fact, resolve};
use super::rank::{Packed, nearest};
use super::source::{Agenda, Identity, SessionNote, Setup, Sources, Urgency, query};
use super::trace::{EventKind, InitPhase, Span, SpanStatus, Trace};
use crate::skill::ranking::Terms;
use parts::Lines;

mod parts;

/// After how many milliseconds nothing more is loaded (TURN-13).
pub(super) const DEADLINE_MS: u64 = 1000;

/// Why a turn cannot be initialised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InitialiseError {
    /// Phase 1 was given no turn, no agent or no tokens.
    Setup(&'static str),
    /// Phase 8: the mandatory context costs more than the budget.
    Budget { needed: usize, total: usize },
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Warning {
    pub phase: String,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Initialised {
    pub setup: Setup,
    pub urgency: Urgency,
    pub budget: Budget,
    pub context: Context,
    pub buffer: Buffer,
    pub trace: Trace,
    pub warnings: Vec<Warning>,
    /// Whether the deadline passed before everything was loaded.
    pub timed_out: bool,
    pub took_us: u64,
}

/// Runs the eleven phases. `clock` returns the microseconds since the turn began; with a fixed clock and the same
/// sources, the context has the same hash.
pub fn initialise(sources: Sources<'_>, clock: &mut dyn FnMut() -> u64) -> Result<Initialised, InitialiseError> {
    let setup = sources.setup.clone();
    let (trace, warnings) = (Trace::default(), Vec::new());
    let mut at = Initialisation { clock, now: setup.now, trace, warnings, timed_out: false };
    at.run(InitPhase::ContextSetup, |_| Ok(((), 0)));
    if setup.turn_id.is_empty() || setup.agent_id.is_empty() {
        return Err(InitialiseError::Setup("a turn needs an id and somebody who acts"));
    }
    if setup.total == 0 {
        return Err(InitialiseError::Setup("a turn needs tokens"));
    }
    let mut loaded = at.load_all(sources);
    let (budget, context) = at.assemble(&mut loaded, setup.total)?;
    let buffer = at.buffer(&loaded.bundles, setup.now);
    let urgency = loaded.agenda.urgency(setup.now);
    at.run(InitPhase::Finalise, |at| {
        let (count, tokens, Setup { total, mode, .. }) = (context.fragments.len(), context.tokens(), &setup);
        let said = format!("{count} fragments, {tokens} of {total} tokens, urgency {urgency}, mode {mode}");
        at.event(InitPhase::Finalise, EventKind::Summary, &said);
        Ok(((), 0))
    });
    let took_us = (at.clock)();
    let Initialisation { trace, warnings, timed_out, .. } = at;
    Ok(Initialised { setup, urgency, budget, context, buffer, trace, warnings, timed_out, took_us })
}

/// What phases 2 to 7 load.
struct Loaded {
    bundles: Vec<Lines>,
    mind: Identity,
    agenda: Agenda,
    session: Vec<SessionNote>,
}

struct Initialisation<'c> {
    clock: &'c mut dyn FnMut() -> u64,
    now: i64,
    trace: Trace,
    warnings: Vec<Warning>,
    timed_out: bool,
}

impl Initialisation<'_> {
    /// Phases 2 to 7: each source becomes a part of the context.
    fn load_all(&mut self, sources: Sources<'_>) -> Loaded {
        let Sources { setup, identity, agenda, conversation, episodes, facts, observations, session } = sources;
        let request = super::bearing::Request::of(&setup.asked);
        let mut bundles: Vec<Lines> = Vec::new();
        let mind = self.load(InitPhase::Identity, &mut bundles, identity, |mind, at| {
            parts::identity(&setup, mind).fitted(InitPhase::Identity, at)
        });
        let agenda = self.load(InitPhase::Goals, &mut bundles, agenda, |agenda, at| {
            parts::agenda(&setup, &request, agenda).fitted(InitPhase::Goals, at)
        });
        let past = self.load(InitPhase::Conversation, &mut bundles, conversation, |past, at| {
            parts::conversation(past).fitted(InitPhase::Conversation, at)
        });
        let (agenda, past) = (agenda.unwrap_or_default(), past.unwrap_or_default());
        let query = query(&setup, &request, &agenda, &past);
        let mut taken: Vec<Terms> =
            bundles.iter().flat_map(|bundle| &bundle.items).map(|(item, _)| Terms::of(&item.text)).collect();
        self.load(InitPhase::Episodic, &mut bundles, episodes, |episodes, at| {
            let bears = |one: &&Episode| request.bears(&parts::episode_words(one).0);
            let near = nearest(&query, episodes, parts::episode_words, setup.now).into_iter().filter(bears);
            let candidates = near.map(|one| (parts::episode(one), parts::episode_essence(one))).collect();
            at.chosen(InitPhase::Episodic, parts::episodic(), &query, candidates, &mut taken)
        });
        self.load(InitPhase::Semantic, &mut bundles, facts, |facts, at| {
            let (facts, inconsistent) = resolve(facts.clone());
            for conflict in inconsistent {
                let said = format!("{conflict}; the newest is used");
                at.warn(InitPhase::Semantic, EventKind::Observation, &said);
            }
            let bears = |one: &&Fact| request.bears(&one.text);
            let near = nearest(&query, &facts, parts::fact_words, setup.now).into_iter().filter(bears);
            let candidates = near.map(|one| (parts::fact(one), one.text.clone())).collect();
            at.chosen(InitPhase::Semantic, parts::semantic(), &query, candidates, &mut taken)
        });
        self.load(InitPhase::ScratchPage, &mut bundles, observations, |observations, at| {
            parts::scratch(observations, &request, &taken, setup.now).fitted(InitPhase::ScratchPage, at)
        });
        Loaded { bundles, mind: mind.unwrap_or_default(), agenda, session }
    }

    /// Phases 8 and 9: the shares of the tokens, and the context.
    fn assemble(&mut self, loaded: &mut Loaded, total: usize) -> Result<(Budget, Context), InitialiseError> {
        let bundles = &mut loaded.bundles;
        let budget = self.run(InitPhase::Budget, |at| {
            at.shrink(bundles, total);
            let context = Context { fragments: bundles.iter().filter_map(Lines::fragment).collect() };
            match Budget::allocate(total, context.loaded()) {
                Some(budget) => Ok((budget, 0)),
                None => Err(context.tokens().to_string()),
            }
        });
        let fragments = self.run(InitPhase::Assembly, |at| {
            if let Some(budget) = &budget {
                let tools = parts::tools(&loaded.mind.capabilities);
                for (lines, share) in [(parts::session(&loaded.session), budget.working_memory), (tools, budget.tools)]
                {
                    bundles.push(lines.fitted_within(share, InitPhase::Assembly, at));
                }
            }
            let fragments: Vec<Fragment> = bundles.iter().filter_map(Lines::fragment).collect();
            if fragments.is_empty() {
                at.warn(InitPhase::Assembly, EventKind::Error, "nothing could be loaded; the context is empty");
            }
            let tokens = fragments.iter().map(|fragment| fragment.tokens).sum();
            Ok((fragments, tokens))
        });
        let context = Context { fragments: fragments.unwrap_or_default() };
        let budget = budget.ok_or(InitialiseError::Budget { needed: context.tokens(), total })?;
        Ok((budget, context))
    }

    /// Phase 10: the working memory.
    fn buffer(&mut self, bundles: &[Lines], now: i64) -> Buffer {
        let buffer = self.run(InitPhase::Buffer, |at| {
            let mut buffer = Buffer::default();
            for item in bundles.iter().flat_map(Lines::for_buffer) {
                let id = item.id.clone();
                if !buffer.push(Item { at: now, ..item }) {
                    at.warn(InitPhase::Buffer, EventKind::Error, &format!("there is no room for {id}"));
                }
            }
            let tokens = buffer.tokens();
            Ok((buffer, tokens))
        });
        buffer.unwrap_or_default()
    }

    /// Runs one phase and records its result. A failure is a warning and `None`.
    fn run<T>(&mut self, phase: InitPhase, work: impl FnOnce(&mut Self) -> Result<(T, usize), String>) -> Option<T> {
        let start_us = (self.clock)();
        self.overdue(phase, start_us);
        let worked = work(self);
        let took_us = (self.clock)().saturating_sub(start_us);
        let (status, tokens, result) = match worked {
            Ok((result, tokens)) if took_us > phase.target_ms() * 1000 => (SpanStatus::Late, tokens, Some(result)),
            Ok((result, tokens)) => (SpanStatus::Ok, tokens, Some(result)),
            Err(_) => (SpanStatus::Failed, 0, None),
        };
        self.span(phase, start_us, took_us, status, tokens);
        result
    }

    /// Runs a phase that loads: it fails alone, and is cancelled when the deadline has passed.
    fn load<T>(
        &mut self,
        phase: InitPhase,
        bundles: &mut Vec<Lines>,
        load: super::source::Load<'_, T>,
        build: impl FnOnce(&T, &mut Self) -> Lines,
    ) -> Option<T> {
        let start_us = (self.clock)();
        if self.overdue(phase, start_us) {
            self.span(phase, start_us, 0, SpanStatus::Skipped, 0);
            return None;
        }
        self.run(phase, |at| {
            let loaded = load().inspect_err(|why| {
                at.warn(phase, EventKind::Error, &format!("cannot be loaded: {why}"));
            })?;
            let bundle = build(&loaded, at);
            let tokens = bundle.tokens();
            bundles.push(bundle);
            Ok((loaded, tokens))
        })
    }

    /// Whether the deadline has passed. The first time, a warning says so.
    fn overdue(&mut self, phase: InitPhase, now_us: u64) -> bool {
        let overdue = now_us > DEADLINE_MS * 1000;
        if overdue && !self.timed_out {
            self.timed_out = true;
            let said = format!("{DEADLINE_MS} ms have passed; nothing more is loaded");
            self.warn(phase, EventKind::Error, &said);
        }
        overdue
    }

    fn span(&mut self, phase: InitPhase, start_us: u64, took_us: u64, status: SpanStatus, tokens: usize) {
        let (name, status) = (phase.word().to_owned(), status.word().to_owned());
        let (seq, target_ms) = (phase.number(), Some(phase.target_ms()));
        self.trace.spans.push(Span { seq, name, start_us, took_us, target_ms, status, tokens: tokens as u64 });
    }

    fn event(&mut self, phase: InitPhase, kind: EventKind, message: &str) {
        let at = (self.clock)();
        self.trace.event(at, phase.word(), kind, message);
    }

    fn warn(&mut self, phase: InitPhase, kind: EventKind, message: &str) {
        self.event(phase, kind, message);
        let message = crate::rules::secrets::redact(message).0.into_owned();
        self.warnings.push(Warning { phase: phase.word().to_owned(), message });
    }

    /// Records what was left out for lack of room, or as a duplicate.
    fn left_out(&mut self, phase: InitPhase, left_out: usize, duplicates: usize) {
        if left_out > 0 {
            self.event(phase, EventKind::Decision, &format!("{left_out} did not fit in the budget and were left out"));
        }
        if duplicates > 0 {
            self.event(phase, EventKind::Decision, &format!("{duplicates} were duplicates"));
        }
    }

    /// Ranks candidates and packs them into a part; their words count as used in later parts.
    fn chosen(
        &mut self,
        phase: InitPhase,
        about: FragmentHead,
        query: &Terms,
        candidates: Vec<(Item, String)>,
        taken: &mut Vec<Terms>,
    ) -> Lines {
        let (candidates, words): (Vec<Item>, Vec<String>) = candidates.into_iter().unzip();
        let words: BTreeMap<String, String> = candidates.iter().map(|item| item.id.clone()).zip(words).collect();
        let candidates = self.fit_for_a_model(phase, candidates).into_iter();
        let words = |item: &Item| words.get(&item.id).map_or(item.text.clone(), Clone::clone);
        let candidates = candidates.map(|item| (Terms::of(&words(&item)), item)).collect();
        let packed = Packed::choose(query, candidates, taken, self.now, about.room());
        self.left_out(phase, packed.left_out, packed.duplicates);
        taken.extend(packed.terms);
        let items = packed.kept.into_iter().map(|(item, score)| {
            let why = format!("{} (score {:.2}: {:.0} % similar)", item.why, score.total, score.similarity * 100.0);
            (Item { why, ..item }, Some(score))
        });
        Lines { about, items: items.collect() }
    }

    /// Leaves out items that try to instruct a model.
    fn fit_for_a_model(&mut self, phase: InitPhase, items: Vec<Item>) -> Vec<Item> {
        let (good, bad): (Vec<_>, Vec<_>) = items.into_iter().partition(|item| item.refused().is_none());
        for item in bad {
            let rule = item.refused().unwrap_or_default();
            self.warn(phase, EventKind::Policy, &format!("{} is left out under {rule}", item.id));
        }
        good
    }

    /// Drops the least important lines until everything fits: the end of the scratch page first, then facts, episodes,
    /// conversation, and goals; identity and rules are kept.
    fn shrink(&mut self, bundles: &mut [Lines], total: usize) {
        let mut dropped = 0;
        for part in Part::ALL.iter().skip(1).rev() {
            let Some(at) = bundles.iter().position(|bundle| bundle.about.part == *part) else { continue };
            while bundles.iter().map(Lines::tokens).sum::<usize>() > total {
                let Some(bundle) = bundles.get_mut(at) else { break };
                if bundle.items.pop().is_none() {
                    break;
                }
                dropped += 1;
            }
        }
        if dropped > 0 {
            let said = format!("{dropped} lines were dropped to fit {total} tokens");
            self.warn(InitPhase::Budget, EventKind::Decision, &said);
        }
    }
}

#[cfg(test)]
mod tests;
