//! The default author of skills: git's `user.name`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Origin, Setting, Settings, default};
use crate::project::Project;
use crate::system::env::Env;
use crate::system::os::places::of_system;
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
    let names_somebody = |file: &Rooted| file.head(MOST).map_or(true, |text| mentions(&text, b"user"));
    let file = file.filter(names_somebody).map(|file| file.path());
    let own = file.and_then(|file| ask(env, &[OsStr::new("--no-includes"), OsStr::new("--file"), file.as_os_str()]));
    match own.map_or_else(|| configured(env), Configured::Name) {
        Configured::Name(name) => Some(name),
        Configured::Nobody => None,
        Configured::Unsure => ask(env, &[]),
    }
}

/// Where packages and builds with the default prefix install git on Linux, and the configurations of the system that
/// such a git reads. Another git may read one from anywhere.
const PACKAGED: &str = of_system("/bin:/usr/bin:/usr/local/bin", "", "");
const SYSTEM: [&str; 3] = ["/etc/gitconfig", "/usr/etc/gitconfig", "/usr/local/etc/gitconfig"];

/// What reading the user's and the system's configuration of git settles.
#[derive(Debug, PartialEq, Eq)]
enum Configured {
    Name(String),
    Nobody,
    Unsure,
}

fn mentions(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word))
}

/// The name in `~/.gitconfig`, which comes before every other file, where it is certain what git makes of it; nobody
/// where no file that git reads says anything about a user.
fn configured(env: &Env) -> Configured {
    let Some((home, git)) = env.var("HOME").map(Path::new).zip(env.search_path().find_listed("git")) else {
        return Configured::Unsure;
    };
    let is_set =
        |name: &OsStr| name.to_str().is_none_or(|name| name.starts_with("GIT_CONFIG") && name != "GIT_CONFIG_NOSYSTEM");
    if env.vars.keys().any(|name| is_set(name)) {
        return Configured::Unsure;
    }
    let read = |path: &Path| rooted::found(rooted::anywhere(path).and_then(|file| file.read(MOST)));
    let silent = |file: &Path| {
        let says = |text: Vec<u8>| mentions(&text, b"user") || mentions(&text, b"include");
        read(file).is_ok_and(|text| !text.is_some_and(says))
    };
    match read(&home.join(".gitconfig")) {
        Ok(Some(text)) => {
            std::str::from_utf8(&text).ok().and_then(plain_name).map_or(Configured::Unsure, Configured::Name)
        }
        Ok(None) if PACKAGED.split(':').any(|dir| git.parent() == Some(Path::new(dir))) => {
            let own = env.var("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
            let all = SYSTEM.iter().all(|file| silent(Path::new(file))) && silent(&own.join("git/config"));
            if all { Configured::Nobody } else { Configured::Unsure }
        }
        _ => Configured::Unsure,
    }
}

/// `user.name` of a configuration without includes, where it is not quoted, continued or followed by a comment.
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
    let name = String::from_utf8(git.ok().filter(|output| output.status.success())?.stdout).ok()?;
    let name = name.trim();
    (!name.is_empty() && !name.contains(char::is_control)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_only_taken_where_git_would_say_the_same() {
        let known = "# me\n[core]\n\tname = other\n[User]\n\tName = Ada Lovelace \n[user \"x\"]\n\tname = no\n";
        assert_eq!(plain_name(known).as_deref(), Some("Ada Lovelace"));
        assert_eq!(plain_name("[user]\nname = one\n[user]\nname=two").as_deref(), Some("two"));
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
            assert_eq!(plain_name(unsure), None, "{unsure:?}");
        }
        assert!(mentions(b"[USER]\nname = x", b"user") && !mentions(b"[core]\nbare = false", b"user"));
    }

    #[test]
    fn git_is_not_asked_where_no_configuration_speaks_of_a_user() {
        let home = tempfile::tempdir().unwrap();
        let vars = |path| [("PATH", path), ("HOME", home.path().to_str().unwrap())];
        let made = |path| Env::made(home.path().into(), &vars(path), jiff::Timestamp::UNIX_EPOCH);
        let env = made("/usr/bin:/usr/local/bin");
        let has_git = env.search_path().find("git").is_some();
        let silent = |at: &&str| std::fs::read(at).map_or(!Path::new(at).exists(), |text| !mentions(&text, b"user"));
        if SYSTEM.iter().all(silent) && !PACKAGED.is_empty() && has_git {
            assert_eq!(configured(&env), Configured::Nobody);
        }
        let other = home.path().join("bin");
        std::fs::create_dir_all(home.path().join(".config/git")).unwrap();
        std::fs::write(home.path().join(".config/git/config"), "[user]\nname = Ada\n").unwrap();
        assert_eq!(configured(&env), Configured::Unsure);
        assert_eq!(configured(&made(other.to_str().unwrap())), Configured::Unsure, "no git at all");
        std::fs::write(home.path().join(".gitconfig"), "[user]\nname = Bea\n").unwrap();
        if has_git {
            assert_eq!(configured(&env), Configured::Name("Bea".to_owned()));
        }
    }
}
