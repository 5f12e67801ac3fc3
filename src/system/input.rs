//! Reading what a person gives: text, resources, templates, the times of files. Capped, never followed outside. A template
//! that a stranger may have written is worked on on a stack of its own, and no longer than a template may take.

#![expect(clippy::disallowed_methods, reason = "access to what a person names")]

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::client::target::Arguments;
use crate::error::{Code, Coded, Error, Result};
use crate::project::Project;
use crate::report::Slashed;
use crate::skill::pack::Source;
use crate::skill::template::{Origin, Template, TemplateError, Values, built_in};
use crate::skill::version::semver;
use crate::system::env::Env;
use crate::system::os::places;
use crate::system::rooted::{self, Root, Rooted};

/// The largest text taken, in bytes.
pub const MAX_TEXT: u64 = 1 << 20;

/// The largest resource taken, in bytes.
pub const MAX_RESOURCE: u64 = 8 << 20;

/// Reads a text file.
/// Errors: E-IO-001 when it is missing, no regular file, not UTF-8 or larger than [`MAX_TEXT`].
pub fn read_text(at: &Rooted) -> Result<String> {
    text(at.read(limit(MAX_TEXT)), &at.path())
}

/// Reads a text file that a person names and that is not larger than this, in bytes.
/// Errors: E-IO-001 when it is missing, no regular file, not UTF-8 or larger.
pub fn read_text_up_to(path: &Path, most: u64) -> Result<String> {
    text(rooted::anywhere(path).and_then(|at| at.read(limit(most))), path)
}

fn text(bytes: io::Result<Vec<u8>>, path: &Path) -> Result<String> {
    utf8(bytes.coded(Code::Io, format!("{} cannot be read", path.slashed()))?, path)
}

fn utf8(bytes: Vec<u8>, path: &Path) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| {
        Error::new(Code::Io, format!("{} is not UTF-8", path.slashed())).suggest("Give a text file in UTF-8.")
    })
}

fn limit(most: u64) -> usize {
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// Reads text from whatever a person names: a file, a pipe, a device. Never more than [`MAX_TEXT`].
/// Errors: E-IO-001 when it cannot be read, is not UTF-8 or holds more.
pub fn read_given(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(MAX_TEXT + 1).read_to_end(&mut bytes));
    read.coded(Code::Io, format!("{} cannot be read", path.slashed()))?;
    if bytes.len() as u64 > MAX_TEXT {
        return Err(Error::new(Code::Io, format!("{} holds more than {MAX_TEXT} bytes", path.slashed())));
    }
    utf8(bytes, path)
}

/// Reads all of standard input as text.
/// Errors: E-IO-001 when it is not UTF-8 or larger than [`MAX_TEXT`].
pub fn read_stdin(env: &mut Env) -> Result<String> {
    read_stdin_up_to(env, MAX_TEXT)
}

/// Reads all of standard input as text, where it is not longer than this.
/// Errors: E-IO-001 when it is not UTF-8 or larger.
pub fn read_stdin_up_to(env: &mut Env, most: u64) -> Result<String> {
    let mut bytes = Vec::new();
    (&mut env.input).take(most + 1).read_to_end(&mut bytes).coded(Code::Io, "standard input cannot be read")?;
    if bytes.len() as u64 > most {
        return Err(Error::new(Code::Io, format!("standard input holds more than {most} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| Error::new(Code::Io, "standard input is not UTF-8"))
}

/// Reads a file that, with every link resolved, lies below one of these directories.
/// Errors: E-IO-001 when it cannot be read, E-CREATE-009 when it lies elsewhere.
pub fn read_inside(directories: &[&Path], path: &Path) -> Result<Vec<u8>> {
    let cannot = || format!("{} cannot be read", path.slashed());
    let mut outside = true;
    for dir in directories {
        let Ok(root) = Root::open(dir) else { continue };
        let Some(at) = below(&root, dir, path) else { continue };
        match at.read(limit(MAX_RESOURCE)) {
            Err(error) if rooted::refused(&error).is_some_and(|refused| refused.why == rooted::OUTSIDE) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => outside = false,
            read => return read.coded(Code::Io, cannot()),
        }
    }
    if !outside || places::real(path).is_err() {
        return Err(Error::new(Code::Io, format!("there is no file {}", path.slashed())));
    }
    Err(Error::new(Code::CreateUnsafeInput, format!("{} lies outside the project (T0-HEFESTO-11)", path.slashed()))
        .suggest("Copy the file into the project first."))
}

/// A path below a directory, by whichever of its names the directory is part of the path.
fn below(root: &Root, dir: &Path, path: &Path) -> Option<Rooted> {
    let inside = |path: &Path| path.strip_prefix(dir).or_else(|_| path.strip_prefix(root.path())).map(|at| root.at(at));
    inside(path).ok().or_else(|| inside(&places::real(path).ok()?).ok())
}

/// When a skill's directory was made and its files last changed, as far as the file system knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Times {
    /// RFC 3339 UTC.
    pub created: Option<String>,
    /// RFC 3339 UTC.
    pub modified: Option<String>,
}

pub fn times(dir: &Rooted, tree: &crate::skill::Tree) -> Times {
    let stamp = |time: std::time::SystemTime| jiff::Timestamp::try_from(time).ok().map(crate::system::env::stamp);
    let files = tree.iter().filter_map(|(path, _)| stamp(dir.join(path).times().1?)).max();
    let (created, modified) = dir.times();
    Times { created: created.and_then(stamp), modified: files.or_else(|| modified.and_then(stamp)) }
}

/// Directories templates are looked for in, in order, and whose they are.
pub type Places = Vec<(Rooted, Origin)>;

/// Where templates are looked for, in order, before the built-in ones. A project's may be no links, the user's own may
/// lead anywhere.
pub fn template_places(env: &Env, project: &Project) -> Places {
    let user = env.hefesto_home().and_then(|dir| rooted::anywhere(&dir.join("templates")).ok());
    let own = own_templates(project).filter(|_| !project.is_user());
    let own = own.map(|dir| (dir, Origin::Project));
    // Most projects have none, which is asked once and not for every name that a template may have.
    let there = |(dir, _): &(Rooted, Origin)| !matches!(dir.kind(), Ok(None));
    [own, user.map(|dir| (dir, Origin::User))].into_iter().flatten().filter(there).collect()
}

fn own_templates(project: &Project) -> Option<Rooted> {
    project.rooted(".hefesto/templates").ok()
}

/// The template of this name.
/// Errors: E-IO-001 when there is one and it cannot be read.
pub fn find_template(places: &[(Rooted, Origin)], name: &str) -> Result<Option<Template>> {
    if crate::skill::name::well_formed(name) {
        for (dir, origin) in places {
            for file in template_files(dir, name) {
                if file.exists() {
                    let source = read_text(&file)?;
                    let (version, source, above) = match declared_version(&source) {
                        Some((version, rest)) => (version.to_owned(), rest.to_owned(), 1),
                        None => (blake3::hash(source.as_bytes()).to_hex()[..12].to_owned(), source, 0),
                    };
                    return Ok(Some(Template { name: name.to_owned(), source, version, origin: *origin, above }));
                }
            }
        }
    }
    Ok(built_in(name))
}

/// The files a template of this name may be in, the first one wins.
fn template_files(dir: &Rooted, name: &str) -> [Rooted; 3] {
    [format!("{name}/SKILL.md"), format!("{name}/SKILL.md.template"), format!("{name}.md")].map(|file| dir.join(file))
}

pub fn template_file(places: &[(Rooted, Origin)], template: &Template) -> Option<PathBuf> {
    let dirs = places.iter().filter(|(_, origin)| *origin == template.origin);
    dirs.flat_map(|(dir, _)| template_files(dir, &template.name)).find(Rooted::exists).map(|at| at.path())
}

/// The hefesto version a template says it was written for, by a first line `{# version: 0.1.0 #}`, and what follows.
fn declared_version(source: &str) -> Option<(&str, &str)> {
    let (line, rest) = source.split_once('\n')?;
    let version = line.trim().strip_prefix("{#")?.strip_suffix("#}")?.trim().strip_prefix("version:")?;
    Some((version.trim(), rest))
}

/// Whether a version is one and comes before another.
pub fn older(version: &str, than: &str) -> bool {
    semver(version).is_some_and(|version| Some(version) < semver(than))
}

/// The project's templates that were written for an older hefesto: name and the version they declare.
pub fn outdated_templates(project: &Project) -> Vec<(String, String)> {
    let there = own_templates(project).filter(|dir| !matches!(dir.kind(), Ok(None)));
    let places: Places = there.map(|dir| (dir, Origin::Project)).into_iter().collect();
    let own = template_names(&places).into_iter().filter_map(|name| find_template(&places, &name).ok().flatten());
    own.filter(|template| template.origin == Origin::Project)
        .filter(|template| older(&template.version, env!("CARGO_PKG_VERSION")))
        .map(|template| (template.name, template.version))
        .collect()
}

/// The names of all templates, built-in ones first.
pub fn template_names(places: &[(Rooted, Origin)]) -> Vec<String> {
    let mut names: Vec<String> = crate::skill::template::BUILT_IN.iter().map(ToString::to_string).collect();
    for (dir, _) in places {
        for (file, _) in dir.list().unwrap_or_default() {
            let file = file.to_string_lossy().into_owned();
            let name = file.strip_suffix(".md").unwrap_or(&file);
            if name != DOMAINS && crate::skill::name::well_formed(name) && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    names[crate::skill::template::BUILT_IN.len()..].sort();
    names
}

const DOMAINS: &str = "domains";
/// At most so many packs are read from one directory.
const MOST: usize = 64;

/// Every pack; a later one stands in place of an earlier one of the same id, so the project's comes
/// last.
/// Errors: E-IO-001 for a file that cannot be read, E-CONFIG-001 for more than 64 in a directory.
pub fn packs(places: &Places) -> Result<Vec<Source>> {
    let mut packs: Vec<Source> = Source::built_in().collect();
    for (dir, _) in places.iter().rev() {
        let dir = dir.join(DOMAINS);
        let names = dir.list().unwrap_or_default().into_iter().filter_map(|(name, _)| name.into_string().ok());
        let mut ids: Vec<String> = names.filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned())).collect();
        ids.sort();
        if ids.len() > MOST {
            return Err(Error::new(Code::Config, format!("{} holds more than {MOST} packs", dir.path().slashed()))
                .suggest("Keep the packs that are needed there."));
        }
        for id in ids {
            let text = read_text(&dir.join(format!("{id}.toml")))?;
            packs.push(Source::own(id, text));
        }
    }
    Ok(packs)
}

/// The file of a pack; none if it comes with hefesto.
pub fn pack_file(places: &Places, id: &str) -> Option<Rooted> {
    let mut files = places.iter().map(|(dir, _)| dir.join(DOMAINS).join(format!("{id}.toml")));
    files.find(Rooted::is_file)
}

/// Enough for the longest tag and for the most tags that a template may have.
const STACK: usize = 64 << 20;
const TIME: Duration = Duration::from_millis(800);

/// [`Template::render`] within these limits; the program's own templates need none.
/// Errors: those of [`Template::render`], and [`TemplateError::Broken`] when it takes too long.
pub fn render(template: &Template, values: &Values, arguments: Arguments) -> Result<String, TemplateError> {
    if template.origin == Origin::BuiltIn {
        return template.render(values, arguments);
    }
    let (own, values) = (template.clone(), values.clone());
    within(&template.name, move || own.render(&values, arguments))?
}

/// Does something with a template within these limits.
/// Errors: [`TemplateError::Broken`] when it takes too long.
pub fn within<T: Send + 'static>(
    template: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, TemplateError> {
    let broken =
        |why: &str| TemplateError::Broken { template: template.to_owned(), line: None, message: why.to_owned() };
    let (sender, receiver) = std::sync::mpsc::channel();
    let done = move || {
        let _too_late = sender.send(work());
    };
    thread::Builder::new().stack_size(STACK).spawn(done).map_err(|_| broken("no thread can be started for it"))?;
    receiver.recv_timeout(TIME).map_err(|_| broken("it takes too long"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::skill::sentence::read;

    #[cfg(unix)]
    #[test]
    fn a_file_outside_or_behind_a_link_that_leads_outside_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, outside) = (dir.path().join("in"), dir.path().join("out"));
        for made in [&inside, &outside] {
            fs::create_dir(made).unwrap();
            fs::write(made.join("f"), "text").unwrap();
        }
        std::os::unix::fs::symlink(outside.join("f"), inside.join("link")).unwrap();
        assert_eq!(read_inside(&[&inside], &inside.join("f")).unwrap(), b"text");
        for refused in [outside.join("f"), inside.join("link"), inside.join("../out/f")] {
            assert_eq!(read_inside(&[&inside], &refused).unwrap_err().code(), Code::CreateUnsafeInput);
        }
        assert_eq!(read_inside(&[&inside], &inside.join("none")).unwrap_err().code(), Code::Io);
    }

    #[test]
    fn a_template_may_say_for_which_hefesto_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::at(dir.path());
        fs::create_dir_all(project.hefesto().join("templates")).unwrap();
        for (name, text) in
            [("old", "{# version: 0.0.9 #}\n---\n"), ("new", "{# version: 99.0.0 #}\nx\n"), ("own", "x\n")]
        {
            fs::write(project.hefesto().join("templates").join(format!("{name}.md")), text).unwrap();
        }
        assert_eq!(outdated_templates(&project), [("old".to_owned(), "0.0.9".to_owned())]);
        let places = [(project.rooted(".hefesto/templates").unwrap(), Origin::Project)];
        let old = find_template(&places, "old").unwrap().unwrap();
        assert_eq!((old.version.as_str(), old.source.as_str()), ("0.0.9", "---\n"));
        assert_eq!(find_template(&places, "../old").unwrap(), None);
        assert_eq!(template_names(&places)[1..], ["new", "old", "own"].map(str::to_owned));
    }

    #[test]
    fn text_is_capped_and_utf8() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let (path, at) = (dir.path().join("f"), root.at("f"));
        fs::write(&path, vec![b'a'; MAX_TEXT as usize]).unwrap();
        assert_eq!(read_text(&at).unwrap().len() as u64, MAX_TEXT);
        fs::write(&path, vec![b'a'; MAX_TEXT as usize + 1]).unwrap();
        assert!(read_text(&at).unwrap_err().message().contains("more than"));
        fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(read_text(&at).unwrap_err().message().contains("UTF-8"));
        assert_eq!(read_text(&root.at("")).unwrap_err().code(), Code::Io);
    }

    #[test]
    fn a_template_that_costs_without_end_is_refused_in_no_time() {
        let text = "Validate email addresses";
        let values = Values::new("validate-emails", text, &read(text), &[], "2026-11-21");
        let loops = |depth: usize, inside: &str| {
            let open: String = (0..depth).map(|n| format!("{{% for x{n} in TAGS %}}")).collect();
            format!("{open}{inside}{}", "{% endfor %}".repeat(depth))
        };
        let doubled = |begin: &str, step: &str| format!("{begin}{}{{{{ x }}}}", step.repeat(60));
        for source in [
            format!("{{{{ {}1 }}}}", "-".repeat(50_000)),
            format!("{{{{ {}1 }}}}", "-".repeat(1_900)),
            format!("{{{{ {}1{} }}}}", "(".repeat(900), ")".repeat(900)),
            format!("{{{{ 1{} }}}}", "|string".repeat(280)),
            format!("{{% if NAME %}}{}{{% endif %}}", "{% elif NAME %}".repeat(1_990)),
            "{% if SKILL_NAME %}".repeat(1_990),
            "{{ SKILL_NAME|indent(1000000000) }}".into(),
            "{{ 'x' * 100000000 }}".into(),
            "{{ '%100000000s'|format(SKILL_NAME) }}".into(),
            "{{ [1]|batch(1000000000, 'x') }}".into(),
            loops(9, "x{{ SKILL_NAME }}"),
            format!("{{% set y %}}{}{{% endset %}}", loops(9, &"x".repeat(50_000))),
            doubled("{% set x = SKILL_NAME %}", "{% set x = x ~ x %}"),
            doubled("{% set x = SKILL_NAME %}", "{% set x %}{{ x }}{{ x }}{% endset %}"),
            doubled("{% set x = [SKILL_NAME] %}", "{% set x = [x, x] %}"),
            doubled("{% set x = SKILL_NAME %}", "{% set x = x|replace('', x) %}"),
            format!("{{% set x = '\\\\\\\\' %}}{}{{{{ x }}}}", "{% set x = x|yaml|yaml|yaml %}".repeat(20)),
            format!(
                "{}{{% if x == y %}}{{% endif %}}",
                doubled("{% set x = [1] %}{% set y = [1] %}", "{% set x = [x, x] %}{% set y = [y, y] %}")
            ),
        ] {
            let begin = std::time::Instant::now();
            let (name, version) = ("mine".to_owned(), "1".to_owned());
            let template = Template { name, source: source.clone(), version, origin: Origin::Project, above: 0 };
            let outcome = render(&template, &values, Arguments::Dollar);
            let start: String = source.chars().take(60).collect();
            let harmless =
                ["{{ 1|string", "{{ ----", "{% if NAME %}{% elif"].iter().any(|begin| start.starts_with(begin));
            assert!(outcome.is_err() || harmless, "{start}");
            assert!(begin.elapsed() < Duration::from_secs(30), "{start}: {:?}", begin.elapsed());
        }
    }
}
