//! What a person gives beside the sentence: files with facts, sources to cite, whether to write evaluations.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Draft, Resource, Run, ask::until_taken, checks};
use crate::cli::Create;
use crate::error::{Code, Error, Result};
use crate::rules::input::{self, Field, Refusal};
use crate::skill::fact::{Given, Kind, given};
use crate::skill::pack::{Choice, Chosen};
use crate::skill::{Blob, Sentence, evals, printable, sentence::Language, sources};
use crate::system::env::Env;

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
    few(&args)?;
    let mut all = Attachments::without_texts(&args);
    let said = |run: &mut Run<'_>, stop| match stop {
        Stop::Refused(input) => checks::refused(run, &input.0, &input.1, &input.2),
        Stop::Failed(error) => error,
    };
    for given in &args.from {
        let read = |run: &mut Run<'_>, file: &str| read(run.env, file).map_err(|stop| said(run, stop));
        all.files.push(until_taken(run, ("Another file", "--from FILE"), given, read)?);
    }
    for (index, given) in args.source.iter().enumerate() {
        let cite = |run: &mut Run<'_>, url: &str| source(index, url).map_err(|stop| said(run, stop));
        all.sources.push(until_taken(run, ("Another source", "--source URL"), given, cite)?);
    }
    for given in &args.answer {
        let split = |run: &mut Run<'_>, given: &str| answer(given).map_err(|stop| said(run, stop));
        all.answers.extend([until_taken(run, ("Another answer KEY=TEXT", "--answer KEY=TEXT"), given, split)?]);
    }
    Ok(all)
}

/// [`take`] without a run to log a refusal in.
pub(super) fn alone(env: &mut Env, args: &Create) -> Result<Attachments> {
    few(args)?;
    gather(env, args).map_err(|stop| match stop {
        Stop::Refused(input) => checks::refusal_error(&input.0, &input.2),
        Stop::Failed(error) => error,
    })
}

enum Stop {
    /// An input that may not be stored: which, its text, and why.
    Refused(Box<(String, String, Refusal)>),
    Failed(Error),
}

fn admit(field: &str, kind: Field, text: &str) -> Result<(), Stop> {
    let refused = |refusal| Err(Stop::Refused(Box::new((field.to_owned(), text.to_owned(), refusal))));
    input::refuse(text, kind).map_or(Ok(()), refused)
}

fn gather(env: &mut Env, args: &Create) -> Result<Attachments, Stop> {
    let mut all = Attachments::without_texts(args);
    for given in &args.from {
        all.files.push(read(env, given)?);
    }
    for (index, given) in args.source.iter().enumerate() {
        all.sources.push(source(index, given)?);
    }
    for given in &args.answer {
        all.answers.extend([answer(given)?]);
    }
    Ok(all)
}

fn few(args: &Create) -> Result<()> {
    for (flag, count) in [("--from", args.from.len()), ("--source", args.source.len())] {
        if count > MOST {
            let error = Error::new(Code::Usage, format!("`{flag}` is given {count} times; {MOST} is the most"));
            return Err(error.suggest("Give the most important ones."));
        }
    }
    Ok(())
}

/// An address that may be cited.
fn source(index: usize, url: &str) -> Result<String, Stop> {
    admit("source", Field::Answer, url)?;
    // The address is not repeated: it may hold a password.
    sources::check(url).map_err(|why| {
        let error = Error::new(Code::Usage, format!("source {} cannot be cited: {why}", index + 1))
            .suggest("Give a public https:// address without credentials, percent-encoded.")
            .usage("hefesto create ... --source URL");
        Stop::Failed(error)
    })?;
    Ok(url.to_owned())
}

/// `KEY=TEXT`.
fn answer(given: &str) -> Result<(String, String), Stop> {
    let (key, text) = given.split_once('=').map(|(key, text)| (key.trim(), text.trim())).unwrap_or_default();
    if key.is_empty() || text.is_empty() {
        let error = Error::new(Code::Usage, format!("`{}` is not KEY=TEXT", printable(given)));
        return Err(Stop::Failed(error.suggest(
            "The keys of the open questions are in `hefesto create ... --dry-run --json`, `data.body.questions`.",
        )));
    }
    admit(&format!("answer {}", printable(key)), Field::Answer, text)?;
    Ok((key.to_owned(), text.to_owned()))
}

fn read(env: &mut Env, file: &str) -> Result<Given, Stop> {
    let text = crate::system::input::read_given(&env.cwd.join(file)).map_err(Stop::Failed)?;
    let name = Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    admit("name of the file given with `--from`", Field::Name, &name)?;
    admit("file given with `--from`", Field::Body, &text)?;
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
    /// What needs no reading: whether to write evaluations, and the packs.
    fn without_texts(args: &Create) -> Self {
        let packs =
            Choice { wanted: args.pack.iter().cloned().collect(), refused: args.no_pack.iter().cloned().collect() };
        Self { evals: args.evals, packs, ..Self::default() }
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
