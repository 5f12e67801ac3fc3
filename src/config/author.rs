//! The default author of skills: git's `user.name`.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use super::{Origin, Setting, Settings, default};
use crate::project::Project;
use crate::system::env::Env;
use crate::system::rooted::{Kind, Rooted};

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

/// `user.name` of the project's repository, else of the user's own configuration.
///
/// git runs in the root directory and finds no repository there, so the project's configuration can make it run or
/// include nothing. From the project's configuration it reads only this value, without includes.
fn git_user(env: &Env, project: &Project) -> Option<String> {
    let above = project.root().ancestors().filter_map(|dir| project.reach(&dir.join(".git")).ok());
    let repository = above.into_iter().find(Rooted::exists);
    let repository = repository.filter(|dir| matches!(dir.entry_kind(), Ok(Some(Kind::Dir))));
    let file = repository.map(|dir| dir.join("config"));
    let file = file.filter(|file| file.entry().is_ok_and(|meta| meta.is_file() && meta.len() < 1 << 20));
    let file = file.map(|file| file.path());
    let own = file.and_then(|file| ask(env, &[OsStr::new("--no-includes"), OsStr::new("--file"), file.as_os_str()]));
    own.or_else(|| ask(env, &[]))
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
