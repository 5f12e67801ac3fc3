//! The scope of a command: the current project, or with `--global` the user's own skills.

use std::path::{Path, PathBuf};

use crate::client::target::{Targets, UserDir, user_dirs};
use crate::error::{Code, Error, Result, Warning};
use crate::project::{Project, Skipped, Why};
use crate::report::Slashed;
use crate::system::env::Env;
use crate::transaction::Moved;

#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// The root given with `-C`.
    pub project: Option<PathBuf>,
    pub global: bool,
    pub could: bool,
    /// Whether the command works anywhere and creates nothing, so that it needs no project.
    pub anywhere: bool,
}

impl Scope {
    /// Finds the project. Errors: E-CREATE-000 in the home directory, and if files there may be somebody else's.
    /// E-CONFIG-001 with `--global`, if there is no home directory or a variable that moves a directory is no absolute
    /// path. E-USAGE-001 without it, in the directory that governs the user's own skills: one registry cannot keep
    /// both.
    pub fn project(&self, env: &mut Env) -> Result<Project> {
        let found = Project::find(&env.cwd, self.project.as_deref(), env.home().as_deref());
        let project = found.project.seen_from(&env.cwd);
        let known = env.root.replace(project.root().to_owned()).is_some();
        if self.global {
            return user(env);
        }
        for skipped in &found.skipped {
            env.note_once(Warning::new(
                Code::ProjectSkipped,
                format!("{}; it is skipped. {}", skipped.text(), named(skipped)),
            ));
        }
        let project = match found.refused {
            Some(refused) if !self.anywhere => {
                return Err(Error::new(Code::CreateNotReady, refused.text()).suggest(named(&refused)));
            }
            Some(_) => project.detached(),
            None => project,
        };
        if !known && !project.is_at(&env.cwd) {
            env.tell(&format!("Project: {}", project.root().slashed()));
            env.elsewhere = true;
        }
        let kept = env.hefesto_home().map(|dir| env.cwd.join(dir));
        if self.could && kept.is_some_and(|kept| project.is_at(&kept)) {
            let what = format!("{} governs your own skills and is no project", project.root().slashed());
            return Err(Error::new(Code::Usage, what).suggest("Add `--global`, or name a project with `-C DIR`."));
        }
        Ok(project)
    }
}

/// The hint for using a skipped directory anyway.
fn named(skipped: &Skipped) -> String {
    let dir = skipped.dir.slashed();
    match skipped.why {
        Why::Home => format!(
            "For skills that every project sees, add `--global`; to make it a project anyway, name it: `-C {dir}`."
        ),
        Why::Foreign(_) | Why::Shared => format!("To use it, name it: `-C {dir}`."),
    }
}

/// The targets of a project: with the user's directories for the user's own skills.
pub fn targets(env: &Env, project: &Project, targets: Targets) -> Targets {
    if !project.is_user() {
        return targets;
    }
    targets.of_user(|dir| place(env, dir).is_some_and(|path| path == project.path(dir.home)))
}

fn place(env: &Env, dir: &UserDir) -> Option<PathBuf> {
    dir.path(|name| env.var(name).map(PathBuf::from), env.home().as_deref())
}

fn user(env: &Env) -> Result<Project> {
    let home = env.home().filter(|home| home.is_absolute() && home.parent().is_some());
    let home = home.ok_or_else(|| {
        Error::new(Code::Config, "`--global` is about the skills in your home directory, and HOME names none")
            .suggest("Set HOME to your home directory, as an absolute path that is not `/`.")
    })?;
    let root = env.hefesto_home().unwrap_or_else(|| home.join(".config/hefesto"));
    absolute("HEFESTO_HOME", &root)?;
    let mut moved = Vec::new();
    for (variable, prefix, below) in user_dirs().filter_map(UserDir::moves) {
        let Some(value) = env.var(variable) else { continue };
        let base = Path::new(value);
        absolute(variable, base)?;
        moved.push(Moved { prefix: prefix.to_owned(), base: base.to_owned(), below: below.to_owned() });
    }
    Ok(Project::of_user(root.components().collect(), home, moved))
}

/// Refuses a relative path, and the root directory.
fn absolute(variable: &str, dir: &Path) -> Result<()> {
    if dir.is_absolute() && dir.parent().is_some() {
        return Ok(());
    }
    let why = if dir.is_absolute() { "the root of all files" } else { "no absolute path" };
    Err(Error::new(Code::Config, format!("{variable} is {dir:?}, which is {why}"))
        .suggest(format!("Set {variable} to the absolute path of a directory, or unset it.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(vars: &[(&str, &str)]) -> Result<Project> {
        let mut env = Env::made("/work".into(), vars, jiff::Timestamp::UNIX_EPOCH);
        Scope { global: true, ..Scope::default() }.project(&mut env)
    }

    #[test]
    fn the_users_own_skills_are_at_home_unless_a_variable_moves_them() {
        let vars = [("HOME", "/home/u"), ("CODEX_HOME", "/c"), ("CLAUDE_CONFIG_DIR", "/home/u/cl")];
        let project = found(&vars).unwrap();
        assert_eq!(project.root(), Path::new("/home/u/.config/hefesto"));
        assert_eq!(project.display(".gemini/skills/x"), "/home/u/.gemini/skills/x");
        assert_eq!(project.display(".codex/skills/x"), "/c/skills/x");
        let env = Env::made("/work".into(), &vars, jiff::Timestamp::UNIX_EPOCH);
        let targets = targets(&env, &project, Targets::with(Vec::new()));
        let reads = |id: &str| targets.get(id).map(|target| target.also_reads.join(" "));
        // OpenCode reads ~/.claude/skills, even if Claude Code's own directory is moved.
        assert_eq!(reads("opencode").as_deref(), Some(".agents/skills"));
        assert_eq!(reads("codex").as_deref(), Some(".agents/skills"));
    }

    #[test]
    fn where_home_is_not_known_it_is_said() {
        let moved = |variable, to| vec![("HOME", "/h"), (variable, to)];
        for vars in [
            vec![],
            vec![("HOME", "here")],
            vec![("HOME", "/")],
            moved("QWEN_HOME", "here"),
            moved("CODEX_HOME", "/"),
            moved("HEFESTO_HOME", "here"),
        ] {
            assert_eq!(found(&vars).unwrap_err().code(), Code::Config, "{vars:?}");
        }
    }

    #[test]
    fn the_directory_that_governs_them_is_no_project() {
        let mut env = Env::made("/home/u/.config/hefesto".into(), &[("HOME", "/home/u")], jiff::Timestamp::UNIX_EPOCH);
        let mut here = |could| Scope { could, ..Scope::default() }.project(&mut env).map(|project| project.is_user());
        assert_eq!(here(true).unwrap_err().code(), Code::Usage);
        // Commands about templates or hefesto itself work there, too.
        assert_eq!(here(false).ok(), Some(false));
    }
}
