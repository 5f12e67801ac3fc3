//! Compresses the domain packs of `templates/domains`. In the program, the phrases of a pack's topic are plain text; its
//! head and its lines are deflated apart, because only the packs that serve a sentence are read whole.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::Compression;
use flate2::write::DeflateEncoder;

const PACKS: &str = "templates/domains";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={PACKS}");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut table = String::from("&[\n");
    let mut deflated = Vec::new();
    for file in packs()? {
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let id = file.file_stem().and_then(|stem| stem.to_str()).ok_or("the name of a pack is not UTF-8")?;
        let (head, lines) = text.split_at(text.find("\n[[").map_or(text.len(), |at| at + 1));
        let mut places = Vec::new();
        for part in [head, lines] {
            let from = deflated.len();
            let mut encoder = DeflateEncoder::new(deflated, Compression::best());
            encoder.write_all(part.as_bytes())?;
            deflated = encoder.finish()?;
            places.push(from..deflated.len());
        }
        let topic = topic(head);
        writeln!(table, "    BuiltIn {{ id: {id:?}, topic: {topic:?}, parts: {places:?} }},")?;
    }
    table.push_str("]\n");
    write(&out.join("packs.rs"), table.as_bytes())?;
    write(&out.join("packs.deflate"), &deflated)
}

fn packs() -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let all = fs::read_dir(PACKS)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let mut packs: Vec<PathBuf> =
        all.into_iter().filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    packs.sort();
    Ok(packs)
}

/// The phrases of `topic` and `topic_repo_words`, a line each, as words in lowercase with a space between. Their lists may
/// span lines. An apostrophe leaves nothing.
fn topic(head: &str) -> String {
    let mut phrases = BTreeSet::new();
    let mut inside = false;
    for line in head.lines() {
        if line.starts_with(|c: char| c.is_ascii_lowercase()) {
            inside = line.starts_with("topic");
        }
        let quoted = line.split('"').skip(1).step_by(2).filter(|_| inside);
        phrases.extend(quoted.map(|phrase| {
            let phrase = phrase.replace('\'', "");
            let words = phrase.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
        }));
    }
    phrases.into_iter().collect::<Vec<_>>().join("\n")
}

fn write(path: &Path, content: &[u8]) -> Result<(), Box<dyn Error>> {
    fs::write(path, content).map_err(|error| format!("{}: {error}", path.display()).into())
}
