//! What a description says besides verb and object: sources, results, means, limits, each by its role.

use std::ops::Range;

use serde::Serialize;

use super::clause::{Clause, clean};
use super::leads::{Lead, lead, verb_at};
use super::verbs::{self, Form};
use super::words::Word;
use super::{Archetype, Language};
use crate::skill::name::fold;

/// What a part of the description is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Where the input comes from.
    Source,
    /// What form or place the result has.
    Result,
    /// By what means: a tool, a method, a standard.
    Means,
    /// Which part of the world the work is limited to: "in monorepos", "of every release".
    Scope,
    /// What the work is for, or what it looks for.
    Purpose,
    Audience,
    /// What must hold: "never …", "at least 80%".
    Limit,
    /// What a text is about.
    Topic,
    /// How it is to sound.
    Tone,
    /// On what occasion: "before every release".
    Occasion,
    Step,
    /// Anything else, kept in its own words.
    Detail,
}

impl Role {
    /// The word that is printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Result => "result",
            Self::Means => "means",
            Self::Scope => "scope",
            Self::Purpose => "purpose",
            Self::Audience => "audience",
            Self::Limit => "limit",
            Self::Topic => "topic",
            Self::Tone => "tone",
            Self::Occasion => "occasion",
            Self::Step => "step",
            Self::Detail => "detail",
        }
    }

    /// What stands before a fact of this role, whatever its words are.
    fn label(self, language: Language, kind: Archetype) -> &'static str {
        let [en, pt, es] = match self {
            Self::Result if kind == Archetype::Deploy => ["Where", "Onde", "Dónde"],
            Self::Result if matches!(kind, Archetype::Convert | Archetype::Migrate) => ["To", "Para", "A"],
            Self::Topic => ["Topic", "Tema", "Tema"],
            Self::Tone => ["Tone", "Tom", "Tono"],
            Self::Source => ["From", "De", "De"],
            Self::Result => ["Result", "Resultado", "Resultado"],
            Self::Means => ["With", "Com", "Con"],
            Self::Scope => ["Scope", "Escopo", "Alcance"],
            Self::Purpose => ["Aim", "Objetivo", "Objetivo"],
            Self::Audience => ["For", "Para", "Para"],
            Self::Limit => ["Limit", "Limite", "Límite"],
            Self::Occasion => ["When", "Quando", "Cuándo"],
            Self::Step => ["Also", "Também", "También"],
            Self::Detail => ["Detail", "Detalhe", "Detalle"],
        };
        match language {
            Language::En => en,
            Language::Pt => pt,
            Language::Es => es,
        }
    }
}

/// One thing the description says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    pub role: Role,
    /// The fact without the word that leads to it, as written.
    pub text: String,
    /// The words of the description it was read from.
    pub from: String,
    /// Which words of the first sentence it was read from; empty for a later sentence.
    #[serde(skip)]
    pub(super) span: Range<usize>,
}

impl Fact {
    /// What stands before the fact in a skill of this language and kind.
    #[must_use]
    pub fn label(&self, language: Language, kind: Archetype) -> &'static str {
        let first: String = self.text.split(' ').next().map(fold).unwrap_or_default();
        let infinitive = ["ar", "er", "ir"].iter().any(|end| first.ends_with(end));
        let acts = match language {
            Language::En => verbs::english(&first).is_some_and(|verb| !verb.noun && verb.form != Form::Third),
            Language::Pt | Language::Es => infinitive || verbs::romance(&first).is_some(),
        };
        let clause = ["so that", "in order", "a fim", "que"].iter().any(|lead| self.from.starts_with(lead));
        let [en, pt, es] = match (self.role, kind) {
            (Role::Purpose, _) if acts || clause => return self.role.label(language, kind),
            (Role::Purpose, Archetype::Validate | Archetype::Review | Archetype::Analyse)
                if !self.text.starts_with(char::is_uppercase) =>
            {
                ["Look for", "Procurar", "Buscar"]
            }
            (Role::Purpose, _) => ["For", "Para", "Para"],
            _ => return self.role.label(language, kind),
        };
        match language {
            Language::En => en,
            Language::Pt => pt,
            Language::Es => es,
        }
    }
}

/// Reads what follows verb and object in the first sentence. Nothing that was said is left out.
pub(super) fn facts(sentence: &str, words: &[Word], clause: &Clause, language: Language) -> Vec<Fact> {
    let mut found: Vec<Fact> = Vec::new();
    let mut at = clause.object_end;
    while at < words.len() {
        let reading = lead(words, at, language, clause.kind());
        let (mut role, skip) = match reading {
            Some(Lead { role, length, .. }) => (role, length),
            None => (Role::Detail, 0),
        };
        let end = end_of(words, at, role, skip, language, clause);
        let from = slice(sentence, words, at, end);
        let listed = role == Role::Detail
            && at > 0
            && words.get(at - 1).is_some_and(|word| word.closes)
            && !verb_at(words, at, language)
            && found.last().is_some_and(|last| !matches!(last.role, Role::Limit | Role::Detail));
        let mut begin = at + skip;
        if reading.is_none() && joins(words, at) {
            begin = at + 1;
        }
        if reading.is_none() && verb_at(words, begin, language) {
            role = Role::Step;
        }
        if listed && let Some(last) = found.last_mut() {
            // A list that goes on: "PDF, HTML and Markdown".
            last.text = format!("{}, {from}", last.text);
            last.from = format!("{}, {from}", last.from);
            last.span.end = end;
        } else {
            let keep = reading.is_some_and(|lead| lead.keep);
            let text = slice(sentence, words, if keep { at } else { begin }, end);
            let text = if role == Role::Step { plainly(&text, words.get(begin), language) } else { text };
            let text = if role == Role::Tone { toned(&text) } else { text };
            if !text.is_empty() {
                found.push(Fact { role, text, from, span: at..end });
            }
        }
        at = end;
    }
    // "Extraia os dados das notas em PDF": what stands in PDF is read.
    if clause.kind() == Some(Archetype::Extract)
        && language != Language::En
        && let [only] = found.iter_mut().filter(|fact| fact.role == Role::Result).collect::<Vec<_>>().as_mut_slice()
        && ["PDF", "imagem", "imagen", "foto", "papel"].contains(&only.text.as_str())
    {
        only.role = Role::Source;
    }
    // "de notas em PDF para uma planilha": where two forms are named, the first is the source's.
    let of_result = |fact: &&mut Fact| fact.role == Role::Result;
    if found.iter().filter(|fact| fact.role == Role::Result).count() > 1
        && !found.iter().any(|fact| fact.role == Role::Source)
        && matches!(clause.kind(), Some(Archetype::Extract | Archetype::Convert | Archetype::Migrate))
        && let Some(first) = found.iter_mut().find(of_result)
    {
        first.role = Role::Source;
    }
    found
}

/// Where the part that begins here ends.
fn end_of(words: &[Word], at: usize, role: Role, skip: usize, language: Language, clause: &Clause) -> usize {
    let step = role == Role::Detail && skip == 0 && joins(words, at) && verb_at(words, at + 1, language);
    let mut end = at + skip.max(1);
    while end < words.len() {
        let closed = words.get(end - 1).is_some_and(|word| word.closes);
        let joined = joins(words, end) && verb_at(words, end + 1, language);
        let next = lead(words, end, language, clause.kind()).map(|lead| lead.role);
        // "never more than 2 pages" is one limit, "after every merge to main" one occasion, "and alert on spikes" one step.
        let goes_on = match role {
            Role::Limit => end == at + skip && next == Some(Role::Limit),
            // "that complies with the law" is one part.
            Role::Scope if words.get(at).is_some_and(|word| word.is_any(&["that", "which", "whose", "que"])) => {
                matches!(next, Some(Role::Means | Role::Result | Role::Scope | Role::Source | Role::Purpose))
            }
            // "alert the user" and when is two facts of a watch; "avise quando …" alone would say nothing.
            _ if step && next == Some(Role::Occasion) => clause.kind() != Some(Archetype::Monitor) || end <= at + 2,
            _ if step => matches!(next, Some(Role::Result | Role::Scope)),
            // "quando estiver para vencer"
            Role::Occasion if next == Some(Role::Purpose) => {
                words.get(end - 1).is_some_and(|word| word.is_any(&["estiver", "estiverem", "esta", "este", "estan"]))
            }
            Role::Occasion => matches!(next, Some(Role::Result | Role::Scope | Role::Source)),
            _ => false,
        };
        if closed || joined || (next.is_some() && !goes_on) {
            break;
        }
        end += 1;
    }
    end
}

/// What a later sentence says: a rule when it commands or forbids, otherwise a detail in its own words.
pub(super) fn stated(sentence: &str, words: &[Word]) -> Fact {
    const RULES: &[&str] = &[
        "never", "always", "only", "must", "do", "don-t", "dont", "no", "avoid", "nunca", "sempre", "siempre",
        "somente", "apenas", "solo", "nao", "evite", "evita", "jamais", "jamas",
    ];
    let text = sentence.trim().trim_end_matches(['.', ' ']).to_owned();
    let rule = words.first().is_some_and(|first| first.is_any(RULES))
        || words.iter().any(|word| word.is_any(&["must", "deve", "debe", "never", "nunca"]));
    Fact { role: if rule { Role::Limit } else { Role::Detail }, from: text.clone(), text, span: 0..0 }
}

/// A further step by its verb's base form: "sugerir melhorias", "label them".
fn plainly(text: &str, first: Option<&Word>, language: Language) -> String {
    let Some(word) = first else { return text.to_owned() };
    let own = |verb: &verbs::Romance| verb.languages.contains(language.code());
    let base = match language {
        Language::En => verbs::english(word.key()).filter(|verb| verb.form != Form::Base).map(|verb| verb.base),
        Language::Pt | Language::Es => {
            let command = || verbs::command(word.key()).filter(own);
            verbs::romance(word.key()).filter(own).or_else(command).map(|verb| verb.base)
        }
    };
    match (base, text.strip_prefix(word.text.as_str())) {
        (Some(base), Some(rest)) => format!("{base}{rest}"),
        _ => text.to_owned(),
    }
}

/// "a polite tone" as it follows "Tone:"; "a warm and simple style" keeps its noun.
fn toned(text: &str) -> String {
    let mut bare = text;
    for article in ["a ", "an ", "um ", "uma ", "un ", "una "] {
        bare = bare.strip_prefix(article).unwrap_or(bare);
    }
    for noun in [" tone", "tom ", "tono "] {
        bare = bare.strip_suffix(noun).or_else(|| bare.strip_prefix(noun)).unwrap_or(bare);
    }
    bare.to_owned()
}

fn joins(words: &[Word], at: usize) -> bool {
    words.get(at).is_some_and(|word| word.is_any(&["and", "or", "then", "e", "y", "ou"]))
}

/// The raw text from one word to the one before another, asides included, without punctuation at its end.
fn slice(sentence: &str, words: &[Word], from: usize, to: usize) -> String {
    let Some(first) = words.get(from).filter(|_| from < to) else { return String::new() };
    let end = words.get(to).map_or(sentence.len(), |next| next.start);
    clean(sentence.get(first.start..end).unwrap_or_default())
}

/// The words of the first sentence that are neither a limit nor an occasion nor another step: what the work is about.
pub(super) fn about(words: &[Word], facts: &[Fact]) -> Vec<Word> {
    let aside = |i: usize| {
        facts
            .iter()
            .any(|fact| fact.span.contains(&i) && matches!(fact.role, Role::Limit | Role::Occasion | Role::Step))
    };
    words.iter().enumerate().filter(|(i, _)| !aside(*i)).map(|(_, word)| word.clone()).collect()
}

/// The texts of one role, joined as a list.
pub(super) fn of(facts: &[Fact], role: Role) -> String {
    facts.iter().filter(|fact| fact.role == role).map(|fact| fact.text.as_str()).collect::<Vec<_>>().join("; ")
}

impl Archetype {
    /// Whether "in X" or "de X para Y" names the form of a result.
    pub(super) fn makes(self) -> bool {
        matches!(self, Self::Generate | Self::Convert | Self::Extract | Self::Migrate | Self::Document)
    }
}

#[cfg(test)]
mod tests {
    use super::super::understand;
    use super::Role::{self, *};

    fn read(text: &str) -> Vec<(Role, String)> {
        understand(text).facts.into_iter().map(|fact| (fact.role, fact.text)).collect()
    }

    #[test]
    fn every_part_has_its_role() {
        for (text, expected) in [
            (
                "Extract tables from PDF invoices into CSV files with pdfplumber for the accounting team",
                vec![
                    (Source, "PDF invoices"),
                    (Result, "CSV files"),
                    (Means, "pdfplumber"),
                    (Audience, "the accounting team"),
                ],
            ),
            (
                "Roll back a failed Kubernetes deployment with Helm, never touching the production database",
                vec![(Means, "Helm"), (Limit, "never touching the production database")],
            ),
            ("Triage incoming support tickets and assign priority P1 to P4", vec![(Step, "assign priority P1 to P4")]),
            ("Onboard a new backend developer in their first 5 days", vec![(Limit, "in their first 5 days")]),
            (
                "Write unit tests for Go handlers using testify, at least 80% coverage",
                vec![(Purpose, "Go handlers"), (Means, "testify"), (Limit, "at least 80% coverage")],
            ),
            (
                "Gera relatórios mensais de vendas a partir do PostgreSQL em PDF",
                vec![(Source, "PostgreSQL"), (Result, "PDF")],
            ),
            ("Extraia os dados das notas fiscais em PDF", vec![(Source, "PDF")]),
            ("Sort my invoices every month", vec![(Occasion, "every month")]),
            ("Keep my changelog up to date", vec![]),
            ("Traducir documentos técnicos del inglés al español", vec![(Source, "inglés"), (Result, "español")]),
            ("Converter planilhas de Excel para JSON", vec![(Source, "Excel"), (Result, "JSON")]),
            ("Analiza los logs de nginx para encontrar errores 500", vec![(Purpose, "encontrar errores 500")]),
        ] {
            let expected: Vec<(Role, String)> =
                expected.into_iter().map(|(role, text)| (role, text.to_owned())).collect();
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
