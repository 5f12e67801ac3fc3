//! `pack NAME…`: installed skills as an archive, a plugin or an extension that others install.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::{add, skills::Skills};
use crate::cli;
use crate::client::{adapt, target::Target};
use crate::error::{Code, Coded, Error, Exit, Result};
use crate::project::Project;
use crate::report::{Report, Slashed};
use crate::skill::package::{self, About, Form, Named};
use crate::skill::{
    Tree, name, printable, printable_line,
    version::{self, semver},
};
use crate::system::{env::Env, output::Output};

/// The version of skills without one.
const FIRST: &str = "1.0.0";

struct Package {
    /// The path, ready to paste.
    shown: String,
    dir: PathBuf,
    files: Tree,
    /// The manifest and its name, which identify an earlier package; none for archives.
    manifest: Option<(&'static str, String)>,
}

impl Package {
    /// What people call it: its archives, else the directory.
    fn called(&self) -> String {
        if self.manifest.is_some() || self.shown.ends_with(".skill") {
            return self.shown.clone();
        }
        let file = |(path, _)| Path::new(&self.shown).join::<&str>(path).slashed().trim_start_matches("./").to_owned();
        self.files.iter().map(file).collect::<Vec<_>>().join(", ")
    }
}

#[derive(Default)]
struct Present {
    differing: Vec<String>,
    /// Files in the package's skills directory that are not part of it.
    foreign: Vec<String>,
}

/// Runs `hefesto pack`. Errors: E-SKILL-001 if no skill has this name, E-ADD-001 if its copies differ, E-CREATE-005 if
/// it breaks a rule, E-PACK-001 if something else is at the path, E-IO-001 if it cannot be written.
pub(super) fn pack(env: &mut Env, project: &Project, args: &cli::Pack) -> Result<Report> {
    let skills = Skills::open(env, project)?;
    let names: std::collections::BTreeSet<&String> = args.names.iter().collect();
    let packed: Vec<Named> = names.into_iter().map(|name| named(&skills, name, args.form)).collect::<Result<_>>()?;
    let package = match args.form.plugin() {
        Some(form) => plugin(env, &skills, args, form, &packed)?,
        None => archives(args, env, &packed)?,
    };
    let there = Output::open(&package.dir).coded_with(Code::Io, || unwritable(&package.shown))?;
    let present = match &there {
        Some(there) => compare(there, &package)?,
        None => {
            Present { differing: package.files.iter().map(|(path, _)| path.to_owned()).collect(), ..Present::default() }
        }
    };
    let current = present.differing.is_empty() && present.foreign.is_empty();
    let data = json!({
        "form": args.form.word(), "out": package.shown,
        "skills": packed.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "files": package.files.iter().map(|(path, _)| path).collect::<Vec<_>>(), "differing": present.differing,
        "foreign": present.foreign, "digest": package.files.digest(),
    });
    if args.check {
        let text = if current {
            format!("{} {} is up to date.\n", env.style.tick(), printable(&package.called()))
        } else {
            stale(&package, &present)
        };
        return Ok(Report::done(data, text).exit(if current { Exit::Done } else { Exit::Refused }));
    }
    if !present.differing.is_empty() {
        let missing = || unwritable(&package.shown);
        Output::make(&package.dir).and_then(|out| out.write(&package.files)).coded_with(Code::Io, missing)?;
    }
    let mut text = if present.differing.is_empty() {
        format!("{} {} is up to date; nothing to do.\n", env.style.tick(), printable(&package.called()))
    } else {
        made(env, &package, args.form)
    };
    if !present.foreign.is_empty() {
        text.push_str("Not part of the package, and left there:\n");
        text.extend(present.foreign.iter().map(|path| format!("  {}\n", printable_line(path))));
    }
    Ok(Report::done(data, text))
}

/// The text of a skill in the form for these clients.
fn named(skills: &Skills<'_>, name: &str, form: cli::PackForm) -> Result<Named> {
    let skill = skills.named(name)?;
    let neutral = add::agreed(skills.project, &skill)?;
    let target = form.client().and_then(|id| skills.settings.targets.get(id));
    let tree = match target {
        Some(target) => adapt::adapted(&neutral, target, false),
        None => neutral,
    };
    let step = crate::transaction::operation::Step {
        target: target.map_or_else(String::new, |it: &Target| it.id.clone()),
        at: name.to_owned(),
        before: None,
        after: Some(tree.clone()),
    };
    skills.accept(name, &[step])?;
    Ok((skill.name, tree))
}

/// One archive for each skill: in the given directory, or for a single skill at the given file.
fn archives(args: &cli::Pack, env: &Env, skills: &[Named]) -> Result<Package> {
    if args.name.is_some() {
        let error =
            Error::new(Code::Usage, "`--name` names a plugin or an extension, and an archive has its skill's name");
        return Err(
            error.suggest("Leave `--name` out, or choose a form: `--as plugin`, `claude`, `codex` or `gemini`.")
        );
    }
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from("."));
    let file = out.extension().is_some_and(|extension| extension == "skill").then(|| out.file_name()).flatten();
    let (dir, file) = match (file, skills) {
        (Some(file), [_]) => {
            (out.parent().map(Path::to_path_buf).unwrap_or_default(), file.to_str().map(str::to_owned))
        }
        (Some(_), _) => {
            let message = format!("{} is one file, and {} skills were named", out.slashed(), skills.len());
            return Err(
                Error::new(Code::Usage, message).suggest("Name a directory: each skill gets its archive in it.")
            );
        }
        (None, _) => (out.clone(), None),
    };
    let mut files = Tree::new();
    for skill in skills {
        let bytes = package::archive(skill).map_err(io::Error::from).coded(Code::Io, "the archive cannot be made")?;
        files.put(file.clone().unwrap_or_else(|| format!("{}.skill", skill.0)), bytes);
    }
    Ok(Package { shown: out.slashed(), dir: env.cwd.join(dir), files, manifest: None })
}

fn plugin(env: &Env, of: &Skills<'_>, args: &cli::Pack, form: Form, skills: &[Named]) -> Result<Package> {
    let name = plugin_name(of.project, args, skills)?;
    let about = about(name.clone(), || crate::config::author(env, &of.settings, of.project).value, skills);
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{name}-{}", args.form.word())));
    Ok(Package {
        shown: out.slashed(),
        dir: env.cwd.join(&out),
        files: form.package(&about, skills),
        manifest: Some((form.manifest(), name)),
    })
}

/// The given name, the name of the only skill, or the project's.
fn plugin_name(project: &Project, args: &cli::Pack, skills: &[Named]) -> Result<String> {
    let given = match (&args.name, skills) {
        (Some(given), _) => {
            return name::Name::parse(given).map(|name| name.to_string()).map_err(|_| {
                Error::new(Code::Usage, format!("`{}` is no name for a plugin", printable(given)))
                    .suggest("Use lower-case letters, digits and hyphens, such as `--name team-skills`.")
            });
        }
        (None, [(name, _)]) => return Ok(name.clone()),
        (None, _) => project.root().file_name().and_then(|name| name.to_str()).and_then(name::Name::sanitise),
    };
    given.map(|name| name.to_string()).ok_or_else(|| {
        Error::new(Code::Usage, "several skills need a name for the plugin they become")
            .suggest("Give it one: `--name team-skills`.")
    })
}

/// What the manifest says: what all skills state alike, and for the author else the project's.
fn about(name: String, author: impl FnOnce() -> String, skills: &[Named]) -> About {
    let all = |key: &str| {
        let mut values = skills.iter().map(|(_, tree)| version::stated(tree, key));
        let first = values.next().flatten();
        first.filter(|first| values.all(|value| value.as_ref() == Some(first)))
    };
    let description = match skills {
        [_] => all("description").unwrap_or_default(),
        _ => {
            let names: Vec<&str> = skills.iter().map(|(name, _)| name.as_str()).collect();
            format!("Skills: {}.", names.join(", "))
        }
    };
    let versions = skills.iter().filter_map(|(_, tree)| version::version(tree));
    let newest = versions.max_by_key(|version| semver(version));
    About {
        name,
        version: newest.unwrap_or_else(|| FIRST.to_owned()),
        description,
        author: all("author").unwrap_or_else(author),
        license: all("license"),
    }
}

fn compare(there: &Output, package: &Package) -> Result<Present> {
    let unreadable = |path: &str| format!("{}/{path} cannot be read", package.shown);
    let mut present = Present::default();
    let mut other = None;
    for (path, blob) in package.files.iter() {
        let bytes = there.read(path, blob.bytes.len() as u64 + 1).or_else(|error| match error.kind() {
            io::ErrorKind::InvalidData => Ok(Some(Vec::new())),
            _ => Err(error),
        });
        match bytes.coded_with(Code::Io, || unreadable(path))? {
            Some(bytes) if bytes == blob.bytes => {}
            Some(_) => {
                other.get_or_insert_with(|| path.to_owned());
                present.differing.push(path.to_owned());
            }
            None => present.differing.push(path.to_owned()),
        }
    }
    if let Some(path) = other
        && !ours(there, package, &path)
    {
        let message = format!("{}/{path} is there and is no package of this name", package.shown);
        return Err(Error::new(Code::PackTaken, message));
    }
    if package.manifest.is_some() {
        let files = there.files("skills").coded_with(Code::Io, || unreadable("skills"))?;
        present.foreign = files.into_iter().filter(|path| package.files.get(path).is_none()).collect();
    }
    Ok(present)
}

/// Whether the existing files are an earlier package: a manifest with the same name, or an archive.
fn ours(there: &Output, package: &Package, path: &str) -> bool {
    match &package.manifest {
        Some((manifest, name)) => {
            let text = there.read(manifest, 1 << 20).ok().flatten().unwrap_or_default();
            let known: Option<serde_json::Value> = serde_json::from_slice(&text).ok();
            known.is_some_and(|known| known["name"] == **name)
        }
        None => there.read(path, 1 << 30).ok().flatten().is_some_and(|bytes| bytes.starts_with(b"PK\x03\x04")),
    }
}

fn stale(package: &Package, present: &Present) -> String {
    let mut text = format!("{} is not what `hefesto pack` makes now:\n", printable(&package.called()));
    for path in &present.differing {
        text.push_str(&format!("  {path}: missing or different\n"));
    }
    for path in &present.foreign {
        text.push_str(&format!("  {}: not part of it\n", printable_line(path)));
    }
    text.push_str("Run the same command without --check.\n");
    text
}

fn made(env: &Env, package: &Package, form: cli::PackForm) -> String {
    let files = crate::terminal::ui::count(package.files.len(), "file");
    let mut text = format!("{} {}: {files}\n", env.style.tick(), printable(&package.called()));
    // A path without `/` may be taken for a name.
    let at = match Path::new(&package.shown).is_absolute() {
        true => package.shown.clone(),
        false => format!("./{}", package.shown.trim_start_matches("./")),
    };
    let name = package.manifest.as_ref().map_or("", |(_, name)| name);
    text.push_str(&match form {
        cli::PackForm::Skill => {
            "Unpack it into a skills directory, or upload it where a `.skill` file is asked for.\n".into()
        }
        cli::PackForm::Plugin => "Any client of Agent Plugins 1.0 takes this directory.\n".into(),
        cli::PackForm::Claude => format!(
            "To try it: claude --plugin-dir {at}\nTo install it: claude plugin marketplace add {at}, then claude plugin \
             install {name}@{name}\n"
        ),
        cli::PackForm::Codex => {
            format!("To install it: codex plugin marketplace add {at}, then codex plugin add {name}@{name}\n")
        }
        cli::PackForm::Gemini => format!("To install it: gemini extensions install {at}\n"),
    });
    text
}

fn unwritable(shown: &str) -> String {
    format!("{} cannot be used", printable(shown))
}
