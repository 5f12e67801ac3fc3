//! Programs, hooks and settings of git that a clone brings along, and a `.hefesto` above it that is somebody else's.

use std::fs;

use rustix::fs::FileType;

use super::clone::{Attack, Clone};

/// A repository whose configuration says this.
fn git(clone: &Clone, config: &str) {
    clone.put(".git/HEAD", "ref: refs/heads/main\n");
    fs::create_dir_all(clone.path(".git/objects")).unwrap();
    fs::create_dir_all(clone.path(".git/refs")).unwrap();
    let config = config.replace("LINE", &clone.line()).replace("BASE", clone.base().to_str().unwrap());
    clone.put(".git/config", format!("[core]\n\trepositoryformatversion = 0\n{config}\n"));
}

fn programs(clone: &Clone) {
    for name in [
        "git", "claude", "gemini", "codex", "cursor", "copilot", "opencode", "qwen", "less", "sh", "vi", "my-drafter",
        "hefesto",
    ] {
        clone.canary(name);
        clone.canary(&format!("node_modules/.bin/{name}"));
        clone.canary(&format!("mine-too/{name}"));
    }
}

/// The project lies below a directory in which somebody put a `.hefesto`.
fn above(name: &str, below: &'static str, lay: impl Fn(&Clone) + 'static) -> Attack {
    Attack::new(format!("a .hefesto above the project {name}"), lay).called_in(below)
}

pub(crate) fn attacks() -> Vec<Attack> {
    let mut all = Vec::new();
    for path in [
        ":STUBS:/usr/bin:/bin",
        "STUBS:/usr/bin:/bin:",
        "STUBS::/usr/bin:/bin",
        ".:STUBS:/usr/bin:/bin",
        "./node_modules/.bin:STUBS:/usr/bin:/bin",
        "node_modules/.bin:mine-too:STUBS:/usr/bin:/bin",
        "../project:STUBS:/usr/bin:/bin",
    ] {
        all.push(Attack::new(format!("programs, and the PATH is {path}"), programs).with("PATH", path));
    }
    all.push(Attack::new("programs, and the PATH is empty", programs).with("PATH", ""));
    all.push(Attack::new("programs in node_modules", programs));
    all.push(Attack::new("programs, and no git elsewhere", programs).with("PATH", "STUBS::."));
    let config = |name: &str, config: &'static str| {
        Attack::new(format!("git settings with {name}"), move |clone| git(clone, config))
    };
    all.extend([
        config("aliases", "[alias]\n\tconfig = !LINE\n\trev-parse = !LINE\n\tlog = !LINE"),
        config("a monitor", "[core]\n\tfsmonitor = \"LINE\"\n\tpager = \"LINE\"\n\teditor = \"LINE\"\n\tsshCommand = \"LINE\"\n\thooksPath = hooks"),
        config("an include of a private file", "[include]\n\tpath = BASE/victim/notes.txt"),
        config("a name that is a sequence", "[user]\n\tname = \"\\u001b\u{1b}]0;owned\u{7}\u{202e}\"\n\temail = \"\u{1b}[2J\""),
        config("a name of lines", "[user]\n\tname = \"a\\nb\\nc\""),
        config("a helper", "[credential]\n\thelper = !LINE\n[diff]\n\texternal = \"LINE\""),
        config("a filter", "[filter \"x\"]\n\tclean = LINE\n\tsmudge = LINE"),
        config("nothing of the form", "[[["),
    ]);
    all.push(Attack::new("git settings that include a FIFO", |clone| {
        git(clone, "[include]\n\tpath = fifo");
        assert!(clone.node(".git/fifo", FileType::Fifo), "no FIFO can be made");
    }));
    all.push(Attack::new("git settings that include a device", |clone| {
        git(clone, "[include]\n\tpath = /dev/zero");
    }));
    all.push(Attack::new("hooks of git", |clone| {
        git(clone, "");
        for hook in ["post-checkout", "pre-commit", "post-index-change", "fsmonitor-watchman"] {
            clone.canary(&format!(".git/hooks/{hook}"));
        }
    }));
    all.push(Attack::new("a .git that leads outside", |clone| {
        clone.put(".git", format!("gitdir: {}/victim\n", clone.base().display()));
    }));
    all.push(Attack::new("variables of a project's editor", |clone| {
        clone.canary("run.sh");
        clone.put(".env", "EDITOR=./run.sh\nPATH=.\n");
        clone.put(".envrc", "export PATH=.:$PATH\n");
        clone.put(".tool-versions", "claude 1\n");
    }));
    all.push(above("in a repository of its own", "inner", |clone| {
        clone.put("inner/.git/HEAD", "ref: refs/heads/main\n");
        clone.canary("run.sh");
        clone.put(
            ".hefesto/config.toml",
            "[targets.zed]\nskills_dir = \".zed/skills\"\nbinaries = [\"/proc/self/cwd/../run.sh\"]",
        );
    }));
    all.push(above("that links out", "inner/deep", |clone| {
        clone.put("inner/deep/notes.txt", "text\n");
        clone.clear("MEMORY.md");
        clone.link(".hefesto/txn", "BASE/victim");
        clone.link(".hefesto/backups", "BASE/victim");
    }));
    all
}
