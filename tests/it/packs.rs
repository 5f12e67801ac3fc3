//! Domain packs: their form, what chooses them, and what they give to a body.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hefesto::client::target::Arguments;
use hefesto::skill::body::MOST_LINES;
use hefesto::skill::name::fold;
use hefesto::skill::pack::{Line, LineKind, Pack, Source};
use hefesto::skill::{Language, sentence};
use serde::Deserialize;

use crate::support::made::{chosen, made};

/// What a pack is tried on.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sentences {
    /// Sentences that choose it; the first one's body is read.
    choose: Vec<String>,
    /// Sentences that share words with it and do not.
    refuse: Vec<String>,
    /// What the body of the first sentence holds, and what it does not.
    expect: Vec<String>,
    #[serde(default)]
    never: Vec<String>,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn packs() -> Vec<Pack> {
    Source::built_in().map(|source| Pack::read(&source).unwrap_or_else(|error| panic!("{error:?}"))).collect()
}

fn sentences(id: &str) -> Sentences {
    let path = root().join(format!("fixtures/packs/{id}.toml"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All problems at once: a pack is corrected in one go.
fn none(problems: &[String]) {
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn every_pack_of_the_folder_is_built_in_and_has_sentences() {
    let files = |dir: &Path| -> BTreeSet<String> {
        let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
        entries.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
    };
    let built_in: BTreeSet<String> = Source::built_in().map(|source| source.id().to_owned()).collect();
    assert_eq!(built_in, files(&root().join("templates/domains")));
    assert_eq!(built_in, files(&root().join("fixtures/packs")));
    for source in Source::built_in() {
        let id = source.id();
        let text = fs::read_to_string(root().join(format!("templates/domains/{id}.toml"))).unwrap();
        assert_eq!(source.digest(), Source::own(id.to_owned(), text).digest(), "{id}");
        assert_eq!(Pack::read(&source).unwrap().head.id, id);
    }
}

#[test]
fn every_sentence_chooses_its_pack_and_no_near_miss_does() {
    let mut problems = Vec::new();
    for source in Source::built_in() {
        let id = source.id();
        let tried = sentences(id);
        if tried.choose.len() < 3 || tried.refuse.len() < 3 {
            problems.push(format!("{id}: three sentences that choose it and three that do not"));
        }
        let ids = |text: &String| {
            chosen(&sentence::read(text)).iter().map(|one| one.pack.head.id.clone()).collect::<Vec<_>>()
        };
        for (texts, wanted) in [(&tried.choose, true), (&tried.refuse, false)] {
            let wrong = texts.iter().filter(|text| ids(text).iter().any(|one| one == id) != wanted);
            problems.extend(wrong.map(|text| format!("{id}: {text:?} chooses {:?}", ids(text))));
        }
    }
    none(&problems);
}

#[test]
fn the_body_of_the_first_sentence_holds_what_is_expected() {
    let mut problems = Vec::new();
    for source in Source::built_in() {
        let id = source.id();
        let tried = sentences(id);
        let Some(first) = tried.choose.first() else { continue };
        let body = made(first, Arguments::Dollar).body;
        let text = body.markdown();
        let missing = tried.expect.iter().filter(|part| !text.contains(part.as_str()));
        problems.extend(missing.map(|part| format!("{id}: {part:?} is missing")));
        let present = tried.never.iter().filter(|part| text.contains(part.as_str()));
        problems.extend(present.map(|part| format!("{id}: {part:?} is there")));
        if body.content() > MOST_LINES || body.specific() < 6 {
            problems.push(format!("{id}: {} lines, {} specific", body.content(), body.specific()));
        }
    }
    none(&problems);
}

#[test]
fn no_pack_excludes_what_it_is_chosen_by() {
    let mut problems = Vec::new();
    for Pack { head, lines, .. } in packs() {
        let excluded = |phrase: &String| {
            let padded = |text: &str| {
                let plain = fold(text).to_lowercase();
                let words = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
                format!(" {} ", words.collect::<Vec<_>>().join(" "))
            };
            head.not.iter().any(|not| padded(phrase).contains(&padded(not)))
        };
        let dead = head.topic.iter().flatten().filter(|phrase| excluded(phrase));
        problems.extend(dead.map(|phrase| format!("{}: {phrase:?} of its topic", head.id)));
        let dead = lines.iter().filter(|line| !line.mentions.is_empty() && line.mentions.iter().all(excluded));
        problems.extend(dead.map(|line| format!("{}: never said: {}", head.id, line.text)));
    }
    none(&problems);
}

#[test]
fn every_line_stands_alone_and_says_something_that_can_be_checked() {
    let mut problems = Vec::new();
    let mut seen: BTreeMap<String, (String, Vec<String>, bool)> = BTreeMap::new();
    let telling = [
        // A command, a number, a quotation, a name.
        r#"`|\d|"|[A-Za-z][A-Z]|\s[A-Z][a-z]+|(?i:\b(two|three|four|five|six|seven|eight|nine|ten|half|third|twice)\b)"#,
        // A reason, or what belongs to it item by item.
        r"\b(since|because|so that)\b|[^.;:,]+,[^.;:,]+,[^.;:,]+",
    ];
    let telling = regex::Regex::new(&telling.join("|")).unwrap();
    // What a limit or a trap forbids, and why.
    let reason = regex::Regex::new(r"[:;] (\S+ ){3}").unwrap();
    let leaning = regex::Regex::new(r"^(It|This|That|Then|They|These|Those|The same|Also)\b").unwrap();
    for pack in packs() {
        let id = &pack.head.id;
        let slots: BTreeSet<&str> = steps(&pack).filter_map(|line| line.slot.as_deref()).collect();
        let mut add = |line: &Line, what: &str| problems.push(format!("{id}: {what}: {}{}", line.text, line.sign));
        for line in &pack.lines {
            let known = |slot: &String| slots.contains(slot.as_str());
            if !line.at.iter().all(known) || !line.needs.iter().all(known) {
                add(line, "names a slot that is not there");
            }
            match line.kind {
                LineKind::Case if line.case(Language::En).is_none_or(|cells| cells.contains(&"")) => {
                    add(line, "a cell is empty");
                }
                LineKind::Step if line.slot.is_none() || line.verbs.is_empty() => add(line, "no slot or no verb"),
                LineKind::Limit | LineKind::Trap if reason.is_match(&line.text) => {}
                LineKind::Step | LineKind::Limit | LineKind::Trap if !telling.is_match(&line.text) => {
                    add(line, "nothing specific");
                }
                _ if leaning.is_match(&line.text) => add(line, "leans on another line"),
                _ => {}
            }
            if line.source.is_empty() && line.kind != LineKind::Check {
                add(line, "no source");
            }
            for language in [Language::En, Language::Pt, Language::Es] {
                let Some(text) = line.text(language) else { continue };
                // Two lines of one pack may have a text in common: for other verbs, or one by a word of the sentence and
                // one by a fact of the repository.
                let named = !line.mentions.is_empty();
                let apart = |verbs: &[String]| !verbs.is_empty() && !verbs.iter().any(|verb| line.verbs.contains(verb));
                let twin = |of: &String, verbs: &[String], by: bool| of == id && (by != named || apart(verbs));
                let before = seen.insert(text.to_owned(), (id.clone(), line.verbs.clone(), named));
                if let Some((before, ..)) = before.filter(|(before, verbs, by)| !twin(before, verbs, *by)) {
                    add(line, &format!("stands in {before} too"));
                }
            }
        }
        for question in pack.questions.iter().filter(|question| !slots.contains(question.slot.as_str())) {
            problems.push(format!("{id}: question {} has no step {}", question.key, question.slot));
        }
        if pack.head.reviewed.is_empty() || pack.head.words.len() > 6 || pack.questions.len() > 3 {
            problems.push(format!("{id}: not reviewed, more than six words or more than three questions"));
        }
    }
    none(&problems);
}

#[test]
fn a_pack_is_translated_as_a_whole_or_not_at_all() {
    let mut problems = Vec::new();
    let mut translated = BTreeMap::from([("pt", 0), ("es", 0)]);
    for pack in packs() {
        for (code, language) in [("pt", Language::Pt), ("es", Language::Es)] {
            let said = |line: &&Line| {
                if line.kind == LineKind::Case { line.case(language).is_some() } else { line.text(language).is_some() }
            };
            let count = pack.lines.iter().filter(said).count();
            let asked = pack.questions.iter().filter(|question| question.ask(language).is_some()).count();
            let input = usize::from(pack.head.input(language).is_some());
            let (all, some) = (pack.lines.len() + pack.questions.len() + 1, count + asked + input);
            if some == all {
                *translated.get_mut(code).unwrap() += 1;
            } else if some > 0 {
                problems.push(format!("{}: {code}: {some} of {all} lines", pack.head.id));
            }
        }
    }
    none(&problems);
    assert!(translated.values().all(|count| *count >= 12), "{translated:?}");
}

#[test]
fn every_command_parses() {
    let mut problems = Vec::new();
    for pack in packs() {
        let texts = pack.lines.iter().flat_map(|line| [line.text.as_str(), line.remedy.as_str()]);
        let spans = texts.flat_map(|text| text.split('`').skip(1).step_by(2));
        let first =
            |span: &&str| span.split_whitespace().next().is_some_and(|word| pack.head.tools.iter().any(|t| t == word));
        for span in spans.filter(first) {
            let mut shell = Command::new("sh").arg("-n").stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            std::io::Write::write_all(&mut shell.stdin.take().unwrap(), span.replace('…', "x").as_bytes()).unwrap();
            if !shell.wait().unwrap().success() {
                problems.push(format!("{}: {span}", pack.head.id));
            }
        }
    }
    none(&problems);
}

fn steps(pack: &Pack) -> impl Iterator<Item = &Line> {
    pack.lines.iter().filter(|line| line.kind == LineKind::Step)
}
