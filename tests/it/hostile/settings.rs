//! A `config.toml` of the clone that asks for what only the user may say.

use super::clone::{Attack, Clone};
use super::journals::sparse;

const AT: &str = ".hefesto/config.toml";

fn asks(text: &'static str) -> Attack {
    Attack::new(format!("settings with {text:?}"), move |clone: &Clone| {
        clone.canary("run.sh");
        clone.canary("zed");
        clone.put(AT, text.replace("BASE", clone.base().to_str().unwrap()));
    })
}

/// Tables of targets, each with a directory of its own.
fn targets(name: &str, count: usize) -> Attack {
    let table = |one| format!("[targets.t{one}]\nskills_dir = \".t{one}/skills\"\nalso_reads = [\".claude/skills\"]\n");
    let tables: String = (0..count).map(table).collect();
    Attack::file(format!("settings of {name}"), AT, tables)
}

/// Control characters in settings.
pub(crate) fn control_characters() -> Vec<Attack> {
    let sequence = "\\u001b]0;owned\\u0007\\u009b31m\\u202e";
    let texts = [
        format!("author = \"{sequence}\""),
        format!("license = \"{sequence}\""),
        format!("template = \"{sequence}\""),
        format!("target = \"{sequence}\""),
        format!("layout = \"{sequence}\""),
        format!("\"{sequence}\" = 1"),
        format!("[targets.\"{sequence}\"]\nskills_dir = \".zed/skills\""),
        format!("[targets.zed]\nskills_dir = \".zed/{sequence}\""),
        format!("[targets.zed]\nskills_dir = \".zed/skills\"\nname = \"{sequence}\"\nbinaries = [\"{sequence}\"]"),
        format!("[draft]\ncommand = [\"{sequence}\"]"),
        format!("[stm]\nbackend = \"redis\"\nurl = \"redis://{sequence}/\"\nnamespace = \"{sequence}\""),
        "author = \"\u{1b}]0;owned\u{7}\"".to_owned(),
        "# \u{1b}]0;owned\u{7}\nbroken = ".to_owned(),
    ];
    let attack = |text: String| Attack::file(format!("settings with {text:?}"), AT, text);
    texts.into_iter().map(attack).collect()
}

pub(crate) fn attacks() -> Vec<Attack> {
    let mut all = vec![
        Attack::file("settings of brackets", AT, format!("a = {}", "[".repeat(100_000))),
        Attack::file("settings of dots", AT, format!("a{} = 1", ".a".repeat(100_000))),
        targets("as many targets as there may be", 100),
        targets("more targets than there may be", 2500),
        Attack::new("settings without an end", |clone| sparse(clone, AT)),
        Attack::new("settings of a target that is a link out", |clone| {
            clone.put(AT, "[targets.zed]\nskills_dir = \".zed/skills\"");
            clone.link(".zed", "BASE/victim");
        }),
        Attack::new("settings of a target whose skills are a link out", |clone| {
            clone.put(AT, "[targets.zed]\nskills_dir = \".zed/skills\"");
            clone.clear(".zed/skills");
            clone.link(".zed/skills", "BASE/victim");
        }),
    ];
    all.extend(include_str!("../../../fixtures/hostile/settings.txt").split("\n\n").map(asks));
    all.extend(control_characters());
    all
}
