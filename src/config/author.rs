//! The default author of skills: git's `user.name`.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Origin, Setting, Settings, default};
use crate::project::Project;
use crate::system::env::Env;
use crate::system::rooted::{self, Kind, Rooted};

/// The most that is read of a configuration.
const MOST: usize = 1 << 20;

/// The effective author: the setting, else git's `user.name` as seen from the project, else `user`. git is run once.
pub fn author(env: &Env, settings: &Settings, project: &Project) -> Setting<String> {
    if let Some(author) = &settings.author.value {
        return Setting { value: author.clone(), origin: settings.author.origin.clone() };
    }
    match settings.git.get_or_init(|| git_user(env, project)) {
        Some(value) => Setting { value: value.clone(), origin: Origin::Git },
        None => default("user".into()),
    }
}

/// `user.name` of the project's repository, else of the user's own configuration. git is only asked where reading its
/// files does not settle it.
///
/// git runs in the root directory and finds no repository there, so the project's configuration can make it run or
/// include nothing. From the project's configuration it reads only this value, without includes.
fn git_user(env: &Env, project: &Project) -> Option<String> {
    let above = project.root().ancestors().filter_map(|dir| project.reach(&dir.join(".git")).ok());
    let repository = above.into_iter().find(Rooted::exists);
    let repository = repository.filter(|dir| matches!(dir.entry_kind(), Ok(Some(Kind::Dir))));
    let file = repository.map(|dir| dir.join("config"));
    let file = file.filter(|file| file.entry().is_ok_and(|meta| meta.is_file() && meta.len() < 1 << 20));
    let names_somebody = |file: &Rooted| file.head(MOST).map_or(true, |text| names_a_user(&text));
    let file = file.filter(names_somebody).map(|file| file.path());
    let own = file.and_then(|file| ask(env, &[OsStr::new("--no-includes"), OsStr::new("--file"), file.as_os_str()]));
    own.or_else(|| at_home(env)).or_else(|| ask(env, &[]))
}

/// Whether a configuration may have a section about the user.
fn names_a_user(text: &[u8]) -> bool {
    text.windows(4).any(|part| part.eq_ignore_ascii_case(b"user"))
}

/// The name in `~/.gitconfig`, which comes before every other file, where it is certain what git makes of it.
fn at_home(env: &Env) -> Option<String> {
    let is_set =
        |name: &OsStr| name.to_str().is_none_or(|name| name.starts_with("GIT_") && name != "GIT_CONFIG_NOSYSTEM");
    if env.vars.keys().any(|name| is_set(name)) {
        return None;
    }
    let home = env.var("HOME").filter(|_| env.search_path().find("git").is_some())?;
    let text = rooted::anywhere(&Path::new(home).join(".gitconfig")).and_then(|file| file.read(MOST)).ok()?;
    plain_name(std::str::from_utf8(&text).ok()?)
}

/// `user.name` of a configuration that includes no other and in which nothing is quoted, continued or followed by a
/// comment in that place.
fn plain_name(text: &str) -> Option<String> {
    let (mut section, mut name) = ("", None);
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])) {
        if line.ends_with('\\') {
            return None;
        }
        if let Some(head) = line.strip_prefix('[') {
            section = head.strip_suffix(']')?;
            if section.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("include")) {
                return None;
            }
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, "\""));
        if section.eq_ignore_ascii_case("user") && key.trim().eq_ignore_ascii_case("name") {
            let value = value.trim();
            let certain = !value.is_empty() && !value.contains(['"', '\\', '#', ';']);
            name = Some(value).filter(|value| certain && !value.contains(char::is_control));
            name?;
        }
    }
    name.map(str::to_owned)
}

#[expect(clippy::disallowed_methods, reason = "access to git, asked for the author's name")]
fn ask(env: &Env, source: &[&OsStr]) -> Option<String> {
    let search = env.search_path();
    // GIT_DIR and the like would select a repository; the path of the user's configuration may be set.
    let vars = env.vars.iter().filter(|(name, _)| {
        let name = name.to_string_lossy();
        !name.starts_with("GIT_") || name.starts_with("GIT_CONFIG")
    });
    let git = Command::new(search.find("git")?)
        .arg("config")
        .args(source)
        .args(["--get", "user.name"])
        .current_dir("/")
        .env_clear()
        .envs(vars)
        .env("PATH", search.value())
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let name =
        git.ok().filter(|output| output.status.success()).and_then(|output| String::from_utf8(output.stdout).ok())?;
    let name = name.trim();
    (!name.is_empty() && !name.contains(char::is_control)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_only_taken_where_git_would_say_the_same() {
        let name = |text: &str| plain_name(text);
        let known = "# me\n[core]\n\tname = other\n[User]\n\tName = Ada Lovelace \n[user \"x\"]\n\tname = no\n";
        assert_eq!(name(known).as_deref(), Some("Ada Lovelace"));
        assert_eq!(name("[user]\nname = one\n[user]\nname=two").as_deref(), Some("two"));
        for unsure in [
            "[user]\nname = \"Ada\"",
            "[user]\nname = Ada # me",
            "[user]\nname = Ada\\\n Lovelace",
            "[user]\nname = Ada\tL",
            "[user] name = Ada",
            "[user]\nname",
            "[user]\nname =",
            "[user]\nname = Ada\n[include]\npath = other",
            "[IncludeIf \"gitdir:/x\"]\npath = other\n[user]\nname = Ada",
            "[user]\nemail = a@b.example",
            "",
        ] {
            assert_eq!(name(unsure), None, "{unsure:?}");
        }
        assert!(names_a_user(b"[USER]\nname = x") && !names_a_user(b"[core]\nbare = false"));
    }
}
