//! What a person gives beside the sentence: files with facts, sources to cite, the wish for evaluations.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Draft, Resource, Run, intake};
use crate::error::{Code, Error, Result, Warning};
use crate::evals;
use crate::rules::input::{self, Field};
use crate::skill::material::{self, Kind, Material};
use crate::skill::understand::Language;
use crate::skill::{Blob, Understanding, sources};

/// How many files are read, and how many sources are cited.
const MOST: usize = 20;

/// All of it, as it is kept with the run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Given {
    /// What the files say, file by file.
    pub material: Vec<Material>,
    /// Addresses to cite, exactly as they were given.
    pub sources: Vec<String>,
    /// Whether evaluations are written.
    pub evals: bool,
}

/// Reads `--from`, `--source` and `--evals`.
///
/// # Errors
/// E-IO-001 where a file cannot be read, E-CREATE-009 where one holds a secret, E-USAGE-001 for a source that cannot be
/// cited.
pub(super) fn take(run: &mut Run<'_>) -> Result<Given> {
    let args = run.request.args.clone();
    for (flag, count) in [("--from", args.from.len()), ("--source", args.source.len())] {
        if count > MOST {
            return Err(Error::new(Code::Usage, format!("`{flag}` is given {count} times; {MOST} is the most"))
                .suggest("Give the most important ones."));
        }
    }
    let material = args.from.iter().map(|file| read(run, file)).collect::<Result<_>>()?;
    for (index, url) in args.source.iter().enumerate() {
        if let Some(refusal) = input::refuse(url, Field::Answer) {
            return Err(intake::refused(run, "source", url, &refusal));
        }
        // The address is not repeated: it may hold a password.
        sources::check(url).map_err(|why| {
            Error::new(Code::Usage, format!("source {} cannot be cited: {why}", index + 1))
                .suggest("Give a public https:// address without credentials, percent-encoded.")
                .usage("hefesto create ... --source URL")
        })?;
    }
    Ok(Given { material, sources: args.source, evals: args.evals })
}

fn read(run: &mut Run<'_>, file: &str) -> Result<Material> {
    let text = crate::door::read_given(&run.env.cwd.join(file))?;
    let name = Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    for (field, given, kind) in [("name of the file", &name, Field::Name), ("file", &text, Field::Body)] {
        if let Some(refusal) = input::refuse(given, kind) {
            return Err(intake::refused(run, &format!("{field} given with `--from`"), given, &refusal));
        }
    }
    let read = material::read(&name, &text);
    if read.pieces.is_empty() {
        let message =
            format!("{name} holds no steps, commands, endpoints, warnings, points or links; nothing is taken.");
        run.env.note(Warning::new(Code::MaterialLeftOut, message));
    } else if read.left_out > 0 {
        let message = format!("{name} holds more than a skill should; {} facts are left out.", read.left_out);
        run.env.note(Warning::new(Code::MaterialLeftOut, message));
    }
    Ok(read)
}

impl Given {
    /// What the files say of their subject: what the wizard proposes.
    pub(super) fn summary(&self) -> Option<&str> {
        self.material.iter().map(|material| material.summary.as_str()).find(|summary| !summary.is_empty())
    }

    /// One line for each file: how much was taken of what.
    pub(super) fn told(&self) -> Vec<String> {
        let counted = |material: &Material| {
            let kinds = [
                (Kind::Step, "step"),
                (Kind::Command, "command"),
                (Kind::Endpoint, "endpoint"),
                (Kind::Warning, "warning"),
                (Kind::Note, "note"),
                (Kind::Link, "link"),
            ];
            let count = |kind| material.pieces.iter().filter(|piece| piece.kind == kind).count();
            let counts = kinds.into_iter().map(|(kind, word)| (count(kind), word)).filter(|(count, _)| *count > 0);
            counts.map(|(count, word)| crate::ui::count(count, word)).collect::<Vec<_>>().join(", ")
        };
        let some = self.material.iter().filter(|material| !material.pieces.is_empty());
        some.map(|material| format!("From {}: {}", material.from, counted(material))).collect()
    }

    /// Everything the files say, for the questions it answers.
    pub(super) fn words(&self) -> String {
        let pieces = self.material.iter().flat_map(|material| &material.pieces);
        let text = |piece: &material::Piece| match piece.kind {
            Kind::Command | Kind::Endpoint => format!("`{}` {}\n", piece.text, piece.about),
            Kind::Link => String::new(),
            Kind::Step | Kind::Warning | Kind::Note => format!("{}\n", piece.text),
        };
        pieces.map(text).collect()
    }

    /// SKILL.md with the facts in its sections and the sources at its end.
    pub(super) fn put_into(&self, text: &str, language: Language) -> String {
        let text = material::placed(text, &self.material, language);
        material::cited(&text, &self.sources, &self.material, language)
    }

    /// The evaluations, where they are wished for.
    pub(super) fn evals(&self, name: &str, description: &str, found: &Understanding, skill: &str) -> Vec<Resource> {
        if !self.evals {
            return Vec::new();
        }
        let file = |(path, text): (&str, String)| Resource {
            path: path.to_owned(),
            blob: Blob { bytes: text.into_bytes(), executable: false },
        };
        evals::files(name, description, found, skill).into_iter().map(file).collect()
    }
}

/// The evaluations of a draft follow its name.
pub(super) fn rename_evals(draft: &mut Draft) {
    for resource in draft.resources.iter_mut().filter(|resource| resource.path == evals::TASKS) {
        let text = std::str::from_utf8(&resource.blob.bytes).ok();
        if let Some(renamed) = text.and_then(|text| evals::renamed(text, &draft.name)) {
            resource.blob.bytes = renamed.into_bytes();
        }
    }
}
