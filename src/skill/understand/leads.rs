//! The words that lead from one part of a sentence to the next, in three languages, and what each leads to.

use std::sync::LazyLock;

use super::facts::Role;
use super::lookup::Lookup;
use super::nouns::{EVERY, HELD, PEOPLE, TEXTS, TIMES, formed, named, noun_phrase, people, program, toned};
use super::verbs;
use super::words::Word;
use super::{Archetype, Language};

/// A word, or a few, that begin a new part of the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lead {
    pub(crate) role: Role,
    /// How many words it has.
    pub(crate) length: usize,
    /// Whether it belongs to the fact ("never …", "before …").
    pub(crate) keep: bool,
}

const ENGLISH: &[(Role, &str)] = &[
    (Role::Means, "by means of,based on,according to,using,with,via,following,through,against"),
    (Role::Source, "out of,from"),
    (Role::Result, "into,to"),
    (Role::Scope, "in,on,at,across,inside,between,among,that,which,whose,per,about,as,by"),
    (Role::Purpose, "in order to,so that,for,towards"),
    (
        Role::Limit,
        "with at least,with at most,with no more than,with zero,with no,at least,at most,no more than,more than,less than,\
         up to,but not,but never,never,without,only,within,must,always,except,excluding,unless,not,over,under,above,below,\
         keeping,preserving,avoiding,leaving",
    ),
    (Role::Occasion, "as soon as,whenever,when,if,before,after,during,while,until,once"),
];

const PORTUGUESE: &[(Role, &str)] = &[
    (
        Role::Means,
        "por meio de,com base em,com base no,com base na,de acordo com,usando,utilizando,com,via,seguindo,conforme,segundo,\
         mediante,contra",
    ),
    (Role::Source, "a partir de,a partir do,a partir da,a partir dos,a partir das,desde"),
    (Role::Result, "para o formato"),
    (Role::Scope, "em,no,na,nos,nas,sobre,entre,que,por"),
    (Role::Purpose, "a fim de,para,procurando,buscando"),
    (
        Role::Limit,
        "com no minimo,com pelo menos,com no maximo,com zero,pelo menos,ao menos,no minimo,no maximo,acima de,abaixo de,\
         mais de,menos de,em ate,em menos de,ate,sem,nunca,somente,apenas,exceto,sempre,nao,\
         mantendo,conservando,preservando,evitando",
    ),
    (Role::Occasion, "antes de,antes do,antes da,depois de,apos,a cada,quando,durante,enquanto,se"),
];

const SPANISH: &[(Role, &str)] = &[
    (
        Role::Means,
        "por medio de,con base en,de acuerdo con,a traves de,usando,utilizando,con,via,siguiendo,segun,mediante,contra",
    ),
    (Role::Source, "a partir de,a partir del,desde"),
    (Role::Result, "hacia"),
    (Role::Scope, "en,sobre,entre,que,por"),
    (Role::Purpose, "a fin de,para,buscando"),
    (
        Role::Limit,
        "con al menos,con un maximo de,con cero,por lo menos,al menos,como minimo,como maximo,mas de,menos de,\
         en menos de,hasta,sin,nunca,solamente,solo,excepto,salvo,siempre,no,manteniendo,conservando,preservando,evitando",
    ),
    (Role::Occasion, "antes de,antes del,despues de,tras,cada vez que,cuando,durante,mientras,si"),
];

/// The words after the first one of a lead, and what it leads to.
struct Entry {
    role: Role,
    rest: Vec<&'static str>,
}

/// The leads of a language by their first word.
fn table(language: Language) -> &'static Lookup<Entry> {
    static BY_FIRST: [LazyLock<Lookup<Entry>>; 3] = [
        LazyLock::new(|| by_first(ENGLISH)),
        LazyLock::new(|| by_first(PORTUGUESE)),
        LazyLock::new(|| by_first(SPANISH)),
    ];
    let [english, portuguese, spanish] = &BY_FIRST;
    match language {
        Language::En => english,
        Language::Pt => portuguese,
        Language::Es => spanish,
    }
}

fn by_first(table: &'static [(Role, &'static str)]) -> Lookup<Entry> {
    let entries = table.iter().flat_map(|(role, list)| list.split(',').map(move |entry| (*role, entry)));
    Lookup::of(entries.map(|(role, entry)| {
        let mut words = entry.split(' ');
        (words.next().unwrap_or_default(), Entry { role, rest: words.collect() })
    }))
}

/// Whether a part of a sentence can begin with this word.
pub(super) fn leads(key: &str, language: Language) -> bool {
    table(language).first(key).is_some()
}

/// The lead that begins at a word, if one does.
pub(crate) fn lead(words: &[Word], at: usize, language: Language, kind: Option<Archetype>) -> Option<Lead> {
    let first = words.get(at)?.key();
    let near = |at: usize, list: &[&str]| words.get(at).is_some_and(|word| word.is_any(list));
    // "up to date" leads nowhere; "every month" is an occasion by itself.
    if (first == "up" && near(at + 2, &["date"]))
        || (first == "to" && at > 0 && near(at - 1, &["up"]) && near(at + 1, &["date"]))
    {
        return None;
    }
    // "row by row" is one phrase.
    if first == "by" && at > 0 && words.get(at - 1).map(Word::key) == words.get(at + 1).map(Word::key) {
        return None;
    }
    let led = at > 0 && near(at - 1, &["de", "do", "before", "after", "of", "tras", "apos"]);
    if near(at, EVERY) && at > 0 && !led && (near(at + 1, TIMES) || near(at + 2, TIMES)) {
        return Some(Lead { role: Role::Occasion, length: 1, keep: true });
    }
    let mut best: Option<(Role, usize)> = None;
    for Entry { role, rest } in table(language).all(words.get(at)?.key()) {
        let length = 1 + rest.len();
        let follows = words.get(at + 1..at + length);
        let said = follows.is_some_and(|follows| follows.iter().map(Word::key).eq(rest.iter().copied()));
        if said && best.is_none_or(|(_, longest)| length > longest) {
            best = Some((*role, length));
        }
    }
    let (role, length) =
        best.or_else(|| from_to(words, at, language, kind)).or_else(|| to_people(words, at, language, kind))?;
    // A lead must lead somewhere, and "over" to a number.
    let next = words.get(at + length)?;
    let measures = words.get(at)?.is_any(&["over", "under", "above", "below"]);
    if measures && !next.text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    Some(settled(words, at, Lead { role, length, keep: false }, language, kind))
}

/// "de Excel para JSON", "del inglés al español": a plain "de" names a source where a target follows.
fn from_to(words: &[Word], at: usize, language: Language, kind: Option<Archetype>) -> Option<(Role, usize)> {
    // "extraer los datos de facturas a Excel"
    if kind == Some(Archetype::Extract) && language == Language::Es {
        let into = words.get(at)?.is_any(&["a"]) && named(words.get(at + 1)?);
        return into.then_some((Role::Result, 1));
    }
    if language == Language::En || !matches!(kind, Some(Archetype::Convert | Archetype::Migrate)) {
        return None;
    }
    let to: &[&str] = if language == Language::Pt { &["para", "ao", "a"] } else { &["a", "al", "para"] };
    let of: &[&str] = &["de", "do", "da", "dos", "das", "del"];
    let word = words.get(at)?;
    if word.is_any(to) && at > 1 {
        // An article "a" in Portuguese leads nowhere; a target is a word that follows a source.
        let after = words.get(..at)?.iter().rev().take(6).any(|word| word.is_any(of));
        return (after && (language == Language::Es || !word.is_any(&["a"]))).then_some((Role::Result, 1));
    }
    if !word.is_any(of) {
        return None;
    }
    // "de Excel", "do inglês"; not "receitas de cozinha".
    let named = words.get(at + 1).is_some_and(|next| {
        next.text.starts_with(char::is_uppercase)
            || next.is_any(&[
                "ingles", "espanol", "espanhol", "portugues", "frances", "aleman", "alemao", "italiano", "texto",
            ])
    });
    if !named {
        return None;
    }
    let target = words.iter().skip(at + 1).position(|word| word.is_any(to))?;
    let between = words.get(at + 1..at + 1 + target)?;
    (target > 0 && target <= 4 && !between.iter().any(|word| word.is_any(of))).then_some((Role::Source, 1))
}

/// "explica código a programadores nuevos", "explicar aos clientes".
fn to_people(words: &[Word], at: usize, language: Language, kind: Option<Archetype>) -> Option<(Role, usize)> {
    if language == Language::En || kind != Some(Archetype::Document) {
        return None;
    }
    let to = words.get(at)?.is_any(&["a", "al", "ao", "aos"]) && words.get(at + 1)?.is_any(PEOPLE);
    to.then_some((Role::Audience, 1))
}

/// What a lead means where it stands.
fn settled(words: &[Word], at: usize, lead: Lead, language: Language, kind: Option<Archetype>) -> Lead {
    let following = words.get(at + lead.length..).unwrap_or_default();
    let part: Vec<&Word> = following.iter().take(6).collect();
    let stop = part.iter().position(|word| word.closes).map_or(part.len(), |i| i + 1);
    let part = part.get(..stop).unwrap_or_default();
    let next_verb = verb_at(words, at + lead.length, language);
    let counted = part.iter().take(4).any(|word| word.text.chars().any(|c| c.is_ascii_digit()));
    let unit = part.iter().take(5).any(|word| {
        word.is_any(&[
            "days", "day", "hours", "hour", "minutes", "seconds", "weeks", "months", "words", "characters", "lines",
            "dias", "horas", "minutos", "segundos", "semanas", "meses", "palavras", "palabras", "lineas", "linhas",
            "euros",
        ])
    });
    let noun = noun_phrase(part, language);
    let people = people(noun, language);
    let made = kind.is_some_and(Archetype::makes);
    let near = |list: &[&str]| words.get(at).is_some_and(|word| word.is_any(list));
    let role = match lead.role {
        Role::Result if next_verb => Role::Purpose,
        Role::Result if people && near(&["to"]) && !matches!(kind, Some(Archetype::Deploy | Archetype::Migrate)) => {
            Role::Audience
        }
        Role::Scope | Role::Means if toned(noun) && near(&["in", "with", "em", "num", "numa", "com", "en", "con"]) => {
            Role::Tone
        }
        Role::Scope if near(&["about", "sobre"]) => Role::Topic,
        Role::Scope
            if near(&["on"])
                && at > 0
                && words.get(at - 1).is_some_and(|word| word.is_any(TEXTS))
                && !noun.last().is_some_and(|word| {
                    word.is_any(&["repo", "repository", "site", "website", "server", "github", "page", "app"])
                }) =>
        {
            Role::Topic
        }
        Role::Scope if counted && unit => Role::Limit,
        // "by caching", not "by date".
        Role::Scope if near(&["by"]) && following.first().is_some_and(|word| word.text.ends_with("ing")) => Role::Means,
        Role::Scope if language != Language::En && made && form(words, at, part) => Role::Result,
        Role::Scope
            if kind == Some(Archetype::Deploy)
                && noun.first().is_some_and(|word| named(word))
                && !near(&["by", "que", "that"]) =>
        {
            Role::Result
        }
        Role::Scope
            if near(&["em", "en"])
                && kind == Some(Archetype::Convert)
                && following.first().is_some_and(|word| !word.is_any(HELD)) =>
        {
            Role::Result
        }
        Role::Scope if near(&["in"]) && made && formed(noun) => Role::Result,
        Role::Scope if near(&["in", "em", "no", "en"]) && program(noun) => Role::Means,
        Role::Scope if language == Language::En && made && words.get(at).is_some_and(|w| w.is_any(&["as"])) => {
            Role::Result
        }
        Role::Purpose if people && !next_verb && !counted => Role::Audience,
        Role::Purpose
            if language != Language::En
                && !next_verb
                && !people
                && words.get(at).is_some_and(|w| w.is_any(&["para"]))
                && matches!(kind, Some(Archetype::Convert | Archetype::Migrate | Archetype::Extract)) =>
        {
            Role::Result
        }
        other => other,
    };
    let length = match role {
        // "to find …" keeps its verb, "para o inglês" loses its article.
        Role::Result | Role::Source if following.first().is_some_and(|word| word.is_any(&["o", "os", "as", "el"])) => {
            lead.length + 1
        }
        _ => lead.length,
    };
    let keep = matches!(role, Role::Limit | Role::Occasion | Role::Scope)
        && !(role == Role::Limit && words.get(at).is_some_and(|word| word.is_any(&["with", "con", "com"])));
    Lead { role, length, keep }
}

/// Whether "em PDF", "en una tabla" names a form: a word in capitals or a known kind of document.
fn form(words: &[Word], at: usize, part: &[&Word]) -> bool {
    let leads = words.get(at).is_some_and(|word| word.is_any(&["em", "en", "num", "numa"]));
    // "em uma lista", "en una tabla"
    if leads && words.get(at + 1).is_some_and(|word| word.is_any(&["um", "uma", "un", "una"])) {
        return true;
    }
    leads
        && part.iter().take(3).any(|word| {
            let capitals = word.text.len() > 1 && word.text.chars().all(|c| c.is_uppercase() || c.is_ascii_digit());
            capitals
                || word.is_any(&[
                    "markdown", "excel", "json", "tabela", "tabla", "planilha", "hoja", "texto", "slides", "formato",
                    "ingles", "portugues", "espanol", "espanhol", "word", "issues", "resumo", "resumen",
                ])
        })
}

/// Whether a word is a verb that can begin a part of this sentence.
pub(crate) fn verb_at(words: &[Word], at: usize, language: Language) -> bool {
    let Some(word) = words.get(at) else { return false };
    let key = word.key();
    match language {
        Language::En => verbs::english(key).is_some_and(|verb| {
            // "to test data" may be a noun; a determiner or nothing else shows the verb.
            !verb.noun || words.get(at + 1).is_some_and(|next| next.is_any(DETERMINERS))
        }),
        Language::Pt | Language::Es => {
            verbs::romance(key).is_some_and(|verb| verb.languages.contains(language.code()))
                || (verbs::command(key).is_some_and(|verb| verb.languages.contains(language.code()))
                    && (words.get(at + 1).is_some_and(|next| next.is_any(COMMANDED)) || commanded(words, at)))
                || (["ar", "er", "ir"].iter().any(|end| key.ends_with(end)) && key.len() > 4 && infinitive(words, at))
        }
    }
}

/// A word that looks like an infinitive and follows "para".
fn infinitive(words: &[Word], at: usize) -> bool {
    at > 0 && words.get(at - 1).is_some_and(|word| word.is_any(&["para", "e", "y"]))
}

/// Whether a command joined to what was commanded before is no noun: "e sugira melhorias", not "e teste".
fn commanded(words: &[Word], at: usize) -> bool {
    const NOUNS: &[&str] =
        &["teste", "base", "corte", "informe", "limite", "compra", "prueba", "aviso", "ajuste", "registre", "filtre"];
    let joined = at > 0 && words.get(at - 1).is_some_and(|word| word.is_any(&["e", "y"]));
    joined && words.get(at).is_some_and(|word| !word.is_any(NOUNS)) && at + 1 < words.len()
}

/// What shows that "teste", "gere", "avise" commands where it is not the first word.
const COMMANDED: &[&str] = &[
    "o", "os", "as", "um", "uma", "cada", "todos", "todas", "seu", "sua", "quando", "se", "el", "la", "los", "las",
    "un", "una", "cuando", "si", "su", "sus", "sobre", "antes",
];

const DETERMINERS: &[&str] =
    &["a", "an", "the", "them", "it", "each", "every", "all", "any", "their", "its", "our", "on", "with", "when"];
