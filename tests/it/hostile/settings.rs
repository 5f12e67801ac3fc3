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
    Attack::new(format!("settings of {name}"), move |clone| clone.put(AT, &tables))
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
    let attack = |text: String| Attack::new(format!("settings with {text:?}"), move |clone| clone.put(AT, &text));
    texts.into_iter().map(attack).collect()
}

pub(crate) fn attacks() -> Vec<Attack> {
    let mut all = vec![
        asks("[targets.zed]\nskills_dir = \".zed/skills\"\nbinaries = [\"/proc/self/cwd/run.sh\"]"),
        asks("[targets.zed]\nskills_dir = \".zed/skills\"\nbinaries = [\"./run.sh\"]"),
        asks("[targets.zed]\nskills_dir = \".zed/skills\"\nbinaries = [\"../project/run.sh\", \"zed\"]"),
        asks("[targets.zed]\nskills_dir = \".zed/skills\"\nbinaries = [\"BASE/project/run.sh\"]"),
        asks("[targets.claude]\nskills_dir = \".claude/skills\"\nbinaries = [\"/proc/self/cwd/run.sh\"]"),
        asks("[targets.zed]\nskills_dir = \".zed/skills\"\nbinaries = [\"../../../../proc/self/cwd/run.sh\"]"),
        asks("[draft]\ncommand = [\"/proc/self/cwd/run.sh\"]"),
        asks("[draft]\ncommand = [\"./run.sh\"]"),
        asks("[draft]\ncommand = [\"sh\", \"-c\", \"echo ran >> BASE/canary\"]\nmode = \"always\""),
        asks("[draft]\nmode = \"always\"\ntimeout = 600"),
        asks("draft.command = [\"BASE/project/run.sh\"]"),
        asks("editor = \"BASE/project/run.sh\"\nvisual = \"BASE/project/run.sh\"\npager = \"BASE/project/run.sh\""),
        asks("[targets.zed]\nskills_dir = \"../victim\""),
        asks("[targets.zed]\nskills_dir = \"BASE/victim\""),
        asks("[targets.zed]\nskills_dir = \"~/.ssh\""),
        asks("[targets.zed]\nskills_dir = \".zed/../../victim\""),
        asks("[targets.zed]\nskills_dir = \".git/hooks\""),
        asks("[targets.zed]\nskills_dir = \".hefesto/txn\""),
        asks("[targets.zed]\nskills_dir = \"\""),
        asks("[targets.zed]\nskills_dir = \".\""),
        asks(
            "[targets.zed]\nskills_dir = \".zed/skills\"\ndirectories = [\"../victim\"]\nmarkers = [\"/etc\"]\ndetect = [\"run.sh\"]",
        ),
        asks("target = \"../victim\""),
        asks("template = \"../../../victim/base\""),
        asks("template = \"BASE/victim/base.md\""),
        asks("[stm]\nbackend = \"redis\"\nurl = \"redis://127.0.0.1:1/\""),
        asks("[stm]\nbackend = \"redis\"\nurl = \"unix://BASE/victim/notes.txt\""),
        asks("gate_timeout = 9223372036854775807\nwizard_timeout = -1"),
        asks("[stm]\nentries = 99999999999\nentry_bytes = -5\nhours = 0"),
        asks("[fifo]\ncapacity = 9223372036854775807"),
        asks("gate_timeout = 1e300\ntargets = 7\ndraft = []"),
        asks("a.b.c.d.e.f = [[[[[[[[[]]]]]]]]]"),
        Attack::new("settings of brackets", |clone| clone.put(AT, format!("a = {}", "[".repeat(100_000)))),
        Attack::new("settings of dots", |clone| clone.put(AT, format!("a{} = 1", ".a".repeat(100_000)))),
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
    all.extend(control_characters());
    all
}
