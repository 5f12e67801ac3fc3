//! What a skill tells an agent to run or to read and that the project has no more is warned of, and nothing else.

use serde_json::Value;

use crate::support::world::World;

const AT: &str = ".claude/skills/build-shop/SKILL.md";

fn with_body(world: &World, body: &str) {
    let head = "---\nname: build-shop\ndescription: Builds the shop. Use when asked to build the shop.\n---\n";
    world.write(AT, format!("{head}\n# Build the shop\n\n{body}\n"));
}

/// The messages of the rule, line by line.
fn stale(world: &World, args: &[&str]) -> Vec<String> {
    let said = world.run(&[&["validate", "--json"], args].concat());
    let skills = said.json()["data"]["skills"].clone();
    let findings = skills.as_array().unwrap().iter().flat_map(|one| one["findings"].as_array().unwrap().clone());
    let of = |one: Value| {
        (one["rule"] == "STALE-01").then(|| format!("{}: {}", one["line"], one["message"].as_str().unwrap()))
    };
    findings.filter_map(of).collect()
}

const BODY: &str = "Run `make build`, then `make lint`.\n\n```bash\nnpm run test\n$ npm run deploy -- --dry\n\
    python tools/check.py\npython tools/gone.py src\n```\n\nThe result is in `out/report.md`. Read `docs/style.md`, see `docs/gone.md`.\n\
    `scripts/run.sh` and `scripts/gone.sh` help.";

#[test]
fn what_is_gone_is_warned_of_in_the_project_it_is_installed_in() {
    let world = World::two();
    world.write("Makefile", "build:\n\tcc x.c\n").write("package.json", "{\"scripts\": {\"test\": \"jest\"}}");
    world.write("tools/check.py", "").write("docs/style.md", "").write("out/old.md", "");
    world.write(".claude/skills/build-shop/scripts/run.sh", "#!/bin/sh\n");
    with_body(&world, BODY);
    let found = stale(&world, &[]);
    assert_eq!(
        found,
        [
            "8: The Makefile of the project has no target `lint`",
            "12: package.json of the project has no script `deploy`",
            "14: `tools/gone.py` is neither in the skill nor in the project",
            "17: `docs/gone.md` is neither in the skill nor in the project",
            "18: `scripts/gone.sh` is neither in the skill nor in the project",
        ]
    );
    world.run(&["validate"]).is(0);
    world.write("package.json", "{\"scripts\": {}}");
    with_body(&world, "Run `npm test` and `bun test`.");
    assert_eq!(stale(&world, &[]), ["8: package.json of the project has no script `test`"]);
    world.write("package.json", "{\"scripts\": {\"test\": \"jest\"}}");
    with_body(&world, BODY);
    assert_eq!(stale(&world, &["--profile", "spec"]), [] as [String; 0], "the specification says nothing of it");
    assert_eq!(
        stale(&world, &["./.claude/skills/build-shop/SKILL.md"]),
        [] as [String; 0],
        "by its path, out of context"
    );
    with_body(&world, &format!("<!-- hefesto: ignore STALE-01 reason: made on the way -->\n\n{BODY}"));
    let left = stale(&world, &[]);
    assert!(left.len() == 4 && !left.iter().any(|one| one.contains("Makefile")), "accepted where it stands: {left:?}");
}

#[test]
fn nothing_is_said_where_it_cannot_be_known() {
    let world = World::two();
    with_body(&world, BODY);
    assert_eq!(stale(&world, &[]), [] as [String; 0], "no Makefile, no package.json, none of the folders");
    world.write("Makefile", "include more.mk\n").write("package.json", "{\"workspaces\": [\"a\"]}");
    with_body(
        &world,
        "`make build`, `npm run build -w app`.\n\n```bash\ncd app && make test\nmake -C app test\nbash scripts/$NAME.sh\n```\n\n\
         Write `docs/out.md`, name it `docs/<name>.md`.\n\n```text\nmake nothing\n```",
    );
    world.write("docs/x.md", "").write("scripts/x.sh", "");
    assert_eq!(stale(&world, &[]), [] as [String; 0]);
}
