//! What a person gives beside the sentence: files with facts, sources to cite, whether to write evaluations, and files
//! the skill brings along in `scripts/`, `references/` or `assets/`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Draft, Run, ask::until_taken, checks, validate};
use crate::cli::Create;
use crate::error::{Code, Error, Result};
use crate::project::Project;
use crate::rules::input::{Field, Refusal, refuse};
use crate::skill::fact::{Given, Kind, given};
use crate::skill::pack::{Choice, Chosen};
use crate::skill::{Blob, Sentence, evals, printable, sentence::Language, sources};
use crate::system::{self, env::Env};

/// Limit of the files read, and of the sources cited.
const MOST: usize = 20;

/// Everything given, as stored with the run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attachments {
    /// What the files say, file by file.
    pub files: Vec<Given>,
    /// Addresses to cite, exactly as they were given.
    pub sources: Vec<String>,
    pub evals: bool,
    /// The author's answers by the key of their question.
    pub answers: BTreeMap<String, String>,
    /// The drafter's questions, by the same keys.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub asked: BTreeMap<String, String>,
    /// Domain packs requested with `--pack` and excluded with `--no-pack`.
    pub packs: Choice,
}

/// Reads `--from`, `--source`, `--answer` and the other arguments beside the sentence, and asks again for unusable
/// ones. Errors: E-IO-001 if a file cannot be read, E-CREATE-009 if one contains a secret, E-USAGE-001 for a source
/// that cannot be cited.
pub(super) fn take(run: &mut Run<'_>) -> Result<Attachments> {
    let args = run.args.clone();
    let mut all = Attachments::without_texts(&args)?;
    for given in &args.from {
        let read = |run: &mut Run<'_>, file: &str| read_facts(run.env, Some(&run.project), file);
        all.files.push(until_taken(run, ("Another file", "--from FILE"), given, read)?);
    }
    for (index, given) in args.source.iter().enumerate() {
        let cite = |run: &mut Run<'_>, url: &str| source(run.env, Some(&run.project), index, url);
        all.sources.push(until_taken(run, ("Another source", "--source URL"), given, cite)?);
    }
    for given in &args.answer {
        let split = |run: &mut Run<'_>, given: &str| answer(run.env, Some(&run.project), given);
        all.answers.extend([until_taken(run, ("Another answer KEY=TEXT", "--answer KEY=TEXT"), given, split)?]);
    }
    Ok(all)
}

/// [`take`] without a run: nothing is asked again, and no refusal is logged.
pub(super) fn alone(env: &mut Env, args: &Create) -> Result<Attachments> {
    let mut all = Attachments::without_texts(args)?;
    for given in &args.from {
        all.files.push(read_facts(env, None, given)?);
    }
    for (index, given) in args.source.iter().enumerate() {
        all.sources.push(source(env, None, index, given)?);
    }
    for given in &args.answer {
        all.answers.extend([answer(env, None, given)?]);
    }
    Ok(all)
}

/// An address that may be cited.
fn source(env: &mut Env, project: Option<&Project>, index: usize, url: &str) -> Result<String> {
    checks::admit_in(env, project, "source", Field::Answer, url)?;
    // The address is not repeated: it may hold a password.
    sources::check(url).map_err(|why| {
        Error::new(Code::Usage, format!("source {} cannot be cited: {why}", index + 1))
            .suggest("Give a public https:// address without credentials, percent-encoded.")
            .usage("hefesto create ... --source URL")
    })?;
    Ok(url.to_owned())
}

/// `KEY=TEXT`.
fn answer(env: &mut Env, project: Option<&Project>, given: &str) -> Result<(String, String)> {
    let (key, text) = given.split_once('=').map(|(key, text)| (key.trim(), text.trim())).unwrap_or_default();
    if key.is_empty() || text.is_empty() {
        let keys =
            "The keys of the open questions are in `hefesto create ... --dry-run --json`, `data.body.questions`.";
        return Err(Error::new(Code::Usage, format!("`{}` is not KEY=TEXT", printable(given))).suggest(keys));
    }
    checks::admit_in(env, project, &format!("answer {}", printable(key)), Field::Answer, text)?;
    Ok((key.to_owned(), text.to_owned()))
}

fn read_facts(env: &mut Env, project: Option<&Project>, file: &str) -> Result<Given> {
    let text = system::input::read_given(&env.cwd.join(file))?;
    let name = std::path::Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    checks::admit_in(env, project, "name of the file given with `--from`", Field::Name, &name)?;
    checks::admit_in(env, project, "file given with `--from`", Field::Body, &text)?;
    let read = given(file, &text);
    if read.facts.is_empty() && read.links.is_empty() {
        let message = format!("{name} holds no steps, commands, endpoints, rules, points or links; nothing is taken.");
        env.warn(Code::MaterialLeftOut, message);
    } else if read.left_out > 0 {
        let message = format!("{name} holds more than a skill should; {} facts are left out.", read.left_out);
        env.warn(Code::MaterialLeftOut, message);
    }
    Ok(read)
}

impl Attachments {
    /// What needs no reading: whether to write evaluations, and the packs. Errors: E-USAGE-001 for too many files or
    /// sources.
    fn without_texts(args: &Create) -> Result<Self> {
        for (flag, count) in [("--from", args.from.len()), ("--source", args.source.len())] {
            if count > MOST {
                let error = Error::new(Code::Usage, format!("`{flag}` is given {count} times; {MOST} is the most"));
                return Err(error.suggest("Give the most important ones."));
            }
        }
        let packs =
            Choice { wanted: args.pack.iter().cloned().collect(), refused: args.no_pack.iter().cloned().collect() };
        Ok(Self { evals: args.evals, packs, ..Self::default() })
    }

    /// The subject according to the files, which the wizard proposes as the description.
    pub(super) fn summary(&self) -> Option<&str> {
        self.files.iter().map(|file| file.summary.as_str()).find(|summary| !summary.is_empty())
    }

    /// One line per file: how much was taken from it.
    pub(super) fn summaries(&self) -> Vec<String> {
        let counted = |file: &Given| {
            let of = |wanted: &dyn Fn(Kind) -> bool| file.facts.iter().filter(|fact| wanted(fact.kind)).count();
            let commands = file.facts.iter().filter(|fact| fact.command.is_some()).count();
            let prose = of(&|kind| matches!(kind, Kind::Step | Kind::Rule | Kind::Note | Kind::ApiEndpoint));
            let counts = [
                (of(&|kind| kind == Kind::Step), "step"),
                (commands, "command"),
                (of(&|kind| kind == Kind::ApiEndpoint), "endpoint"),
                (of(&|kind| kind == Kind::Rule), "rule"),
                (of(&|kind| kind == Kind::Note), "note"),
                (file.facts.len().saturating_sub(prose + commands), "other fact"),
                (file.links.len(), "link"),
            ];
            let counts = counts.into_iter().filter(|(count, _)| *count > 0);
            counts.map(|(count, word)| crate::terminal::ui::count(count, word)).collect::<Vec<_>>().join(", ")
        };
        let some = self.files.iter().filter(|file| !file.facts.is_empty() || !file.links.is_empty());
        some.map(|file| format!("From {}: {}", file.from, counted(file))).collect()
    }

    /// All texts of the files, to find the questions they answer.
    pub(super) fn words(&self) -> String {
        self.files.iter().flat_map(|file| &file.facts).map(|fact| format!("{}\n", fact.text)).collect()
    }

    /// The cited addresses: those given, then those the files link to, without duplicates.
    pub(super) fn cited(&self) -> Vec<String> {
        let links = self.files.iter().flat_map(|file| &file.links);
        let mut all: Vec<String> = Vec::new();
        for url in self.sources.iter().chain(links) {
            if !all.contains(url) {
                all.push(url.clone());
            }
        }
        all
    }

    /// SKILL.md with the sources at its end.
    pub(super) fn cite(&self, text: &str, language: Language) -> String {
        let linked = self.files.iter().flat_map(|file| file.links.iter().map(|url| (url.as_str(), file.from.as_str())));
        sources::cited(text, &self.sources, &linked.collect::<Vec<_>>(), language)
    }

    pub(super) fn evals(&self, name: &str, found: &Sentence, packs: &[Chosen], skill: &str) -> Vec<Resource> {
        if !self.evals {
            return Vec::new();
        }
        let file = |(path, text): (&str, String)| Resource {
            path: path.to_owned(),
            blob: Blob { bytes: text.into_bytes(), executable: false },
        };
        evals::files(name, found, packs, skill).into_iter().map(file).collect()
    }
}

/// Updates the evaluations of a draft to its name.
pub(super) fn rename_evals(draft: &mut Draft) {
    for resource in draft.resources.iter_mut().filter(|resource| resource.path == evals::TASKS) {
        let text = std::str::from_utf8(&resource.blob.bytes).ok();
        if let Some(renamed) = text.and_then(|text| evals::renamed(text, &draft.name)) {
            resource.blob.bytes = renamed.into_bytes();
        }
    }
}

/// A file brought along in `scripts/`, `references/` or `assets/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its path inside the skill, such as `scripts/run.sh`.
    pub path: String,
    /// Its content. Scripts are executable.
    pub blob: Blob,
}

impl Resource {
    /// The form in the working memory: text as text, anything else in hexadecimal.
    pub fn json(&self) -> Value {
        let executable = self.blob.executable;
        match std::str::from_utf8(&self.blob.bytes) {
            Ok(text) => json!({ "path": self.path, "executable": executable, "text": text }),
            Err(_) => {
                let hex: String = self.blob.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                json!({ "path": self.path, "executable": executable, "hex": hex })
            }
        }
    }

    /// Reads back what [`Resource::json`] wrote.
    pub fn from_json(kept: &Value) -> Option<Self> {
        let bytes = match (kept["text"].as_str(), kept["hex"].as_str()) {
            (Some(text), _) => text.as_bytes().to_vec(),
            (None, Some(hex)) => {
                let pairs = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
                pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect::<Option<_>>()?
            }
            (None, None) => return None,
        };
        let blob = Blob { bytes, executable: kept["executable"].as_bool()? };
        Some(Self { path: kept["path"].as_str()?.to_owned(), blob })
    }
}

/// Reads `KIND:PATH`. Errors: E-USAGE-001 for another form, E-IO-001 when the file cannot be read, E-CREATE-009 when
/// its name or place is refused, E-CREATE-005 when it contains what must not be stored.
pub(super) fn read_resource(run: &mut Run<'_>, spec: &str) -> Result<Resource> {
    let wrong = || {
        Error::new(Code::Usage, format!("`{}` is not KIND:PATH, e.g. `scripts:run.sh`", printable(spec)))
            .suggest("KIND is scripts, references or assets.")
            .usage("hefesto create ... --resource KIND:PATH")
    };
    if let Some(refusal) = secret(spec) {
        checks::note_refused(run.env, &run.project, "resource", spec, refusal.kind);
        return Err(checks::refusal_error("resource", &refusal));
    }
    let (kind, path) = spec.split_once(':').ok_or_else(wrong)?;
    let kind = kind_of(kind).ok_or_else(wrong)?;
    let full = run.env.cwd.join(path);
    let bytes = system::input::read_inside(&[&run.env.cwd, run.project.root()], &full)?;
    let name = full.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    make(kind, &name, bytes)
        .and_then(|resource| keepable(run, [(resource.path.as_str(), &resource.blob)]).map(|()| resource))
}

/// Checks files before their content is stored with the run.
/// Errors: E-CREATE-005 with every credential, piece of personal data and private address.
pub(super) fn keepable<'b>(run: &mut Run<'_>, files: impl IntoIterator<Item = (&'b str, &'b Blob)>) -> Result<()> {
    let mut findings = Vec::new();
    for (path, blob) in files {
        let of_file = crate::rules::unkeepable(path, blob);
        if let Some(first) = of_file.first() {
            checks::note_refused(run.env, &run.project, path, &String::from_utf8_lossy(&blob.bytes), &first.rule);
        }
        findings.extend(of_file);
    }
    if findings.is_empty() {
        return Ok(());
    }
    Err(validate::invalid(findings))
}

/// Refuses a path or a name that contains a credential.
fn secret(path: &str) -> Option<Refusal> {
    refuse(path, Field::Answer).filter(|refusal| refusal.kind == "T0-HEFESTO-11.secret")
}

/// The directory of a kind of resource, named in full or in the singular.
fn kind_of(word: &str) -> Option<&'static str> {
    match word.trim().to_ascii_lowercase().as_str() {
        "scripts" | "script" => Some("scripts"),
        "references" | "reference" => Some("references"),
        "assets" | "asset" => Some("assets"),
        _ => None,
    }
}

/// Makes a resource of this kind and file name; the name is one plain path component.
/// Errors: E-CREATE-009 when the name is anything else.
pub(super) fn make(kind: &'static str, name: &str, bytes: Vec<u8>) -> Result<Resource> {
    if let Some(refusal) = secret(name) {
        return Err(checks::refusal_error("name of the resource", &refusal));
    }
    let plain = !name.is_empty()
        && name.len() <= 100
        && !name.starts_with(['.', '-'])
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    if !plain {
        let why = "is not a plain file name (T0-HEFESTO-11): no directories, no leading dot or hyphen";
        return Err(Error::new(Code::CreateUnsafeInput, format!("{name:?} {why}"))
            .suggest("Use letters, digits, `.`, `-` and `_`, for example `run.sh`."));
    }
    Ok(Resource { path: format!("{kind}/{name}"), blob: Blob { bytes, executable: kind == "scripts" } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_is_kept_byte_for_byte() {
        for bytes in [b"#!/bin/sh\n".to_vec(), vec![0, 0xff, 0x0a], Vec::new()] {
            let resource = Resource { path: "scripts/a".into(), blob: Blob { bytes, executable: true } };
            assert_eq!(Resource::from_json(&resource.json()), Some(resource));
        }
        assert_eq!(Resource::from_json(&json!({ "path": "a", "executable": false, "hex": "0g" })), None);
    }
}
