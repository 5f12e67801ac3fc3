//! Compiles the data of `templates` into tables that the program searches without parsing: the files of the languages, an
//! index of the concepts' phrases, and the domain packs with an index of their topics. The head and the lines of a pack
//! are deflated apart, because only the packs that serve a sentence are read whole.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::{self, Debug, Formatter, Write as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::Compression;
use flate2::write::DeflateEncoder;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The tables of a file with the texts of their keys, both in alphabetical order.
type Sections = BTreeMap<String, BTreeMap<String, String>>;

/// The sections of the concepts, in the order of their kinds.
const KINDS: [&str; 5] = ["questions", "acts", "aspects", "settings", "subjects"];

/// Written as a slice, where a vector is written as an array.
struct Slice<T>(Vec<T>);

impl<T: Debug> Debug for Slice<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "&{:?}", self.0)
    }
}

fn main() -> Outcome<()> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    languages(&out)?;
    concepts(&out)?;
    packs(&out)
}

/// For each language its code, its sections, and the lines of its verbs by the first two letters of the forms that the
/// file gives: the archetype and the entry.
fn languages(out: &Path) -> Outcome<()> {
    let mut table = String::from("&[\n");
    for (code, text) in files("templates/languages")? {
        let sections = sections(&text).map_err(|error| format!("templates/languages/{code}.toml: {error}"))?;
        let mut verbs: BTreeMap<String, String> = BTreeMap::new();
        for (archetype, list) in sections.get("verbs").into_iter().flatten() {
            for entry in list.split_whitespace() {
                let forms = entry.split(['=', '*']).next().unwrap_or(entry).split('/');
                for letters in forms.map(|form| beginning(form, 2)).collect::<Outcome<BTreeSet<_>>>()? {
                    writeln!(verbs.entry(letters).or_default(), "{archetype} {entry}")?;
                }
            }
        }
        let sections: Vec<_> = sections.iter().map(|(name, keys)| (name, Slice(keys.iter().collect()))).collect();
        let verbs: Vec<_> = verbs.iter().collect();
        writeln!(table, "    ({code:?}, &{sections:?}, &{verbs:?}),")?;
    }
    table.push_str("]\n");
    write(&out.join("languages.rs"), table.as_bytes())
}

/// The number of concepts up to the end of each kind, and each language's index of phrases: lines of the first letters,
/// the number of the concept and the phrase. The English file defines the concepts.
fn concepts(out: &Path) -> Outcome<()> {
    let mut files: Vec<(String, Sections)> = Vec::new();
    for (code, text) in self::files("templates/concepts")? {
        let sections = sections(&text).map_err(|error| format!("templates/concepts/{code}.toml: {error}"))?;
        files.push((code, sections));
    }
    let english = files.iter().find(|(code, _)| code == "en").map(|(_, english)| english.clone()).unwrap_or_default();
    let empty = BTreeMap::new();
    let kinds = KINDS.map(|kind| english.get(kind).unwrap_or(&empty));
    let numbers: BTreeMap<&str, usize> =
        kinds.iter().flat_map(|kind| kind.keys()).map(String::as_str).zip(0..).collect();
    let ends = (1..=kinds.len()).map(|many| kinds.iter().take(many).map(|kind| kind.len()).sum::<usize>());
    let mut table = format!("({:?}, &[\n", ends.collect::<Vec<_>>());
    for (code, sections) in &files {
        let mut lines = Vec::new();
        for (name, phrases) in sections.values().flatten() {
            let number =
                numbers.get(name.as_str()).ok_or_else(|| format!("{name} is no concept of the English file"))?;
            for phrase in phrases.split(',').map(str::trim) {
                // A word is looked up in English without its plural, in the other languages by its stem.
                let letters = beginning(phrase, if code == "en" { 3 } else { 2 })?;
                if let Some(singular) = letters.strip_suffix('s').filter(|rest| code == "en" && rest.len() == 2) {
                    lines.push(format!("{singular} {number} {phrase}"));
                }
                lines.push(format!("{letters} {number} {phrase}"));
            }
        }
        writeln!(table, "    ({code:?}, {:?}),", sorted(lines))?;
    }
    table.push_str("])\n");
    write(&out.join("concepts.rs"), table.as_bytes())
}

/// A word that one of so many packs has says little about what a text is about.
const COMMON: usize = 12;

/// The packs, deflated, the index of their topics (lines of a word, the number of the pack and the phrase), and the words
/// that many packs have.
fn packs(out: &Path) -> Outcome<()> {
    let mut table = String::new();
    let mut deflated = Vec::new();
    let mut topics: BTreeSet<(Vec<String>, usize)> = BTreeSet::new();
    let mut having: BTreeMap<String, usize> = BTreeMap::new();
    for (number, (id, text)) in files("templates/domains")?.iter().enumerate() {
        let (head, lines) = text.split_at(text.find("\n[[").map_or(text.len(), |at| at + 1));
        let mut parts = Vec::new();
        // Where a line comes from is for its reviewers.
        let unsourced = |line: &str| if line.starts_with("source = ") { "source = \"-\"\n" } else { line }.to_owned();
        let lines: String = lines.split_inclusive('\n').map(unsourced).collect();
        for part in [head, &lines] {
            let from = deflated.len();
            let mut encoder = DeflateEncoder::new(deflated, Compression::best());
            encoder.write_all(part.as_bytes())?;
            deflated = encoder.finish()?;
            parts.push((from..deflated.len(), part.len()));
        }
        for word in words_of_lines(&lines) {
            *having.entry(word).or_default() += 1;
        }
        writeln!(table, "    BuiltIn::at({id:?}, {parts:?}),")?;
        for phrase in topic(head) {
            let words = phrase.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            topics.insert((words.map(folded).collect::<Outcome<_>>()?, number));
        }
    }
    let many = table.lines().count() / COMMON;
    let common: Vec<&str> = having.iter().filter(|(_, packs)| **packs >= many).map(|(word, _)| word.as_str()).collect();
    write(&out.join("common.txt"), common.join("\n").as_bytes())?;
    let packs = table.lines().count();
    let table =
        format!("/// All built-in packs, by id.\npub(super) static BUILT_IN: [BuiltIn; {packs}] = [\n{table}];\n");
    let mut often: BTreeMap<&String, usize> = BTreeMap::new();
    topics.iter().flat_map(|(words, _)| words).for_each(|word| *often.entry(word).or_default() += 1);
    let rarest = |words: &[String]| words.iter().min_by_key(|word| often.get(word)).cloned().unwrap_or_default();
    let lines = topics.iter().map(|(words, pack)| format!("{} {pack} {}", rarest(words), words.join(" "))).collect();
    write(&out.join("topics.txt"), sorted(lines).as_bytes())?;
    write(&out.join("packs.rs"), table.as_bytes())?;
    write(&out.join("packs.deflate"), &deflated)
}

/// The words of a pack's lines in all languages, in lowercase without accents.
fn words_of_lines(lines: &str) -> BTreeSet<String> {
    let said = lines.lines().filter_map(|line| line.split_once(" = "));
    let said = said.filter(|(key, _)| ["text", "pt", "es"].contains(key)).map(|(_, text)| text);
    // A word that cannot be folded is in few packs.
    said.flat_map(|text| text.split(|c: char| !c.is_alphanumeric())).filter_map(|word| folded(word).ok()).collect()
}

/// The files of a folder by their names without `.toml`, in order.
fn files(folder: &str) -> Outcome<Vec<(String, String)>> {
    println!("cargo::rerun-if-changed={folder}");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "toml") {
            let name = path.file_stem().and_then(|stem| stem.to_str()).ok_or("the name of a file is not UTF-8")?;
            files.push((
                name.to_owned(),
                fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?,
            ));
        }
    }
    files.sort();
    Ok(files)
}

/// Reads a file whose values are all strings without escapes.
fn sections(text: &str) -> Outcome<Sections> {
    let mut sections = Sections::new();
    let mut section = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.to_owned();
        } else if let Some((key, value)) = line.split_once(" = \"").filter(|_| !line.starts_with('#')) {
            let text = if value == "\"\"" {
                lines.by_ref().take_while(|line| *line != "\"\"\"").map(|line| format!("{line}\n")).collect()
            } else {
                value.strip_suffix('"').ok_or_else(|| format!("`{line}` does not end with a quote"))?.to_owned()
            };
            sections.entry(section.clone()).or_default().insert(key.trim_matches('"').to_owned(), text);
        } else if !line.is_empty() && !line.starts_with('#') {
            return Err(format!("`{line}` is no comment, no table and no text").into());
        }
    }
    Ok(sections)
}

/// The phrases of the first group of `topic`, without which no sentence names it, and of `topic_repo_words`. Their lists
/// may span lines. An apostrophe leaves nothing.
fn topic(head: &str) -> Vec<String> {
    let list = |key: &str| {
        let (_, list) = head.split_once(&format!("\n{key} = ["))?;
        let list = list.trim_start_matches(|c: char| c == '[' || c.is_whitespace());
        Some(list.split_once(']')?.0.replace('\'', ""))
    };
    let lists = [list("topic"), list("topic_repo_words")];
    lists.iter().flatten().flat_map(|list| list.split('"').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// The first letters of the first word.
fn beginning(text: &str, letters: usize) -> Outcome<String> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    text.chars().take_while(|c| c.is_alphanumeric()).take(letters).map(plain).collect()
}

fn folded(word: &str) -> Outcome<String> {
    word.chars().map(plain).collect()
}

/// A letter in lowercase without its accent.
fn plain(letter: char) -> Outcome<char> {
    let letter = letter.to_lowercase().next().unwrap_or(letter);
    Ok(match letter {
        'á' | 'à' | 'â' | 'ã' | 'ä' | 'ª' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'õ' | 'ö' | 'º' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        _ if letter.is_ascii() => letter,
        _ => return Err(format!("`{letter}` has no plain letter here").into()),
    })
}

/// The lines of an index, which `LineIndex` searches by their first word.
fn sorted(mut lines: Vec<String>) -> String {
    // By the word alone, so that the order within it stays.
    lines.sort_by(|one, other| one.split(' ').next().cmp(&other.split(' ').next()));
    lines.join("\n")
}

fn write(path: &Path, content: &[u8]) -> Outcome<()> {
    fs::write(path, content).map_err(|error| format!("{}: {error}", path.display()).into())
}
