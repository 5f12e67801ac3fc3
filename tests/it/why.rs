//! `why`: what each client makes of a skill, as clients were seen to do, and which skill each would choose.

mod plugins;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, World, write};

/// The clients that were run, and where each keeps its own skills in a project and at home.
const CLIENTS: &[(&str, &str, &str)] = &[
    ("claude", ".claude", ".claude"),
    ("codex", ".codex", ".codex"),
    ("gemini", ".gemini", ".gemini"),
    ("copilot", ".github", ".copilot"),
    ("opencode", ".opencode", ".config/opencode"),
    ("qwen", ".qwen", ".qwen"),
];

fn six() -> World {
    World::bare(&["claude", "codex", "gemini", "copilot", "opencode", "qwen"])
}

fn skill(description: &str) -> String {
    format!("---\nname: review-code\ndescription: \"{description}\"\n---\n\nRead it.\n")
}

/// What each client makes of a skill, by its id.
fn verdicts(world: &World, name: &str) -> BTreeMap<String, Value> {
    let data = world.data(&["why", name]);
    let all = data["clients"].as_array().unwrap().iter();
    all.map(|one| (one["client"].as_str().unwrap().to_owned(), one.clone())).collect()
}

fn word<'v>(verdicts: &'v BTreeMap<String, Value>, client: &str) -> &'v str {
    verdicts[client]["verdict"].as_str().unwrap()
}

/// The causes of a client's verdict in one line.
fn causes(verdicts: &BTreeMap<String, Value>, client: &str) -> String {
    let causes = verdicts[client]["causes"].as_array().unwrap();
    causes.iter().map(|cause| format!("{} -> {}", cause["what"], cause["cure"])).collect::<Vec<_>>().join("; ")
}

/// Every `FILL-N` becomes N characters.
fn filled(text: &str) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("FILL-") {
        let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        filled += before;
        filled += &"x".repeat(behind[..digits].parse().unwrap());
        rest = &behind[digits..];
    }
    filled + rest
}

#[test]
fn each_client_reads_a_head_as_it_was_seen_to() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/why/heads.toml");
    let cases: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
    let cases = cases["case"].as_array().unwrap();
    assert_eq!(cases.len(), 15);
    for case in cases {
        let said = |key: &str, default: &str| filled(case.get(key).and_then(toml::Value::as_str).unwrap_or(default));
        let folder = said("folder", "review-code");
        let mark = if case.get("mark").is_some() { "\u{feff}" } else { "" };
        let text = format!("{mark}---\n{}\n---\n\n{}\n", said("head", ""), said("body", "Read it."));
        let world = six();
        for (_, dir, _) in CLIENTS {
            let at = format!("{dir}/skills/{folder}");
            match said("link", "").as_str() {
                "folder" => {
                    world.write(&format!("kept{dir}/SKILL.md"), &text);
                    fs::create_dir_all(world.path(&at).parent().unwrap()).unwrap();
                    symlink(format!("../../kept{dir}"), world.path(&at)).unwrap();
                }
                "file" => {
                    world.write(&format!("kept{dir}.md"), &text);
                    fs::create_dir_all(world.path(&at)).unwrap();
                    symlink(format!("../../../kept{dir}.md"), world.path(&format!("{at}/SKILL.md"))).unwrap();
                }
                _ => _ = world.write_skill(&at, &text),
            }
        }
        let name = if folder.starts_with("xx") { folder.as_str() } else { "review-code" };
        let verdicts = verdicts(&world, name);
        for (client, ..) in CLIENTS {
            let wanted = said(client, "listed");
            let (is, why) = (word(&verdicts, client), causes(&verdicts, client));
            assert_eq!(is, wanted, "{} {client}: {why}", said("name", ""));
            assert!(wanted == "listed" || !why.is_empty(), "{} {client}", said("name", ""));
        }
    }
}

#[test]
fn each_layout_shows_as_many_entries_as_were_seen() {
    let own: Vec<String> = CLIENTS.iter().map(|(_, dir, _)| format!("{dir}/skills")).collect();
    let at_home: Vec<String> = CLIENTS.iter().map(|(.., dir)| format!("{dir}/skills")).collect();
    let all = |more: &[&str]| own.iter().cloned().chain(more.iter().map(ToString::to_string)).collect::<Vec<_>>();
    let shared = vec![".agents/skills".to_owned(), ".claude/skills".to_owned()];
    // The directories of the project, those at home, and who does not just list it, with the path it uses.
    type Layout = (&'static str, Vec<String>, Vec<String>, &'static [(&'static str, &'static str)]);
    let layouts: Vec<Layout> = vec![
        ("native", all(&[]), vec![], &[]),
        ("shared", shared.clone(), vec![], &[]),
        ("both", all(&[".agents/skills"]), vec![], &[("codex", "twice"), ("gemini", "complains")]),
        ("user and project", all(&[]), at_home.clone(), &[("codex", "twice"), ("gemini", "complains")]),
        ("user alone", vec![], at_home, &[]),
        ("user shared", vec![], shared, &[]),
    ];
    for (layout, project, home, odd) in layouts {
        let world = six();
        for dir in &project {
            world.write(&format!("{dir}/review-code/SKILL.md"), skill("Reviews code."));
        }
        for dir in &home {
            write(&world.home(&format!("{dir}/review-code/SKILL.md")), skill("Reviews code."));
        }
        let verdicts = verdicts(&world, "review-code");
        for (client, ..) in CLIENTS {
            let wanted = odd.iter().find(|(id, _)| id == client).map_or("listed", |(_, wanted)| wanted);
            let why = causes(&verdicts, client);
            match wanted {
                "complains" => {
                    assert!(word(&verdicts, client) == "listed" && why.contains("complains of"), "{layout} {why}");
                }
                wanted => assert_eq!(word(&verdicts, client), wanted, "{layout} {client}: {why}"),
            }
        }
    }
}

#[test]
fn two_copies_that_codex_lists_are_told_of_and_one_command_cures_it() {
    let world = six();
    for dir in [".agents", ".codex"] {
        world.write(&format!("{dir}/skills/review-code/SKILL.md"), skill("Reviews code."));
    }
    let said = world.run(&["why", "review-code", "--cli", "codex"]).ok();
    said.shows("[!] OpenAI Codex CLI lists it twice\n");
    said.shows("`$review-code` calls neither");
    said.shows("hefesto delete review-code --cli agents");
    let fit = world.data(&["validate", "review-code", "--cli", "codex", "--fit"])["fit"][0]["clients"][0].clone();
    assert!(fit["same_name"][0].as_str().unwrap().contains("calls neither"), "{fit}");
    assert_eq!(fit["budget"]["skills"], 2, "{fit}");
    world.run(&["init"]).is(0);
    world.run(&["delete", "review-code", "--cli", "agents", "--yes"]).is(0);
    assert_eq!(word(&verdicts(&world, "review-code"), "codex"), "listed");
}

#[test]
fn a_skill_of_the_users_own_that_wins_is_named() {
    let world = World::holding_the_skill();
    let path = format!("{CLAUDE}/SKILL.md");
    write(&world.home(&path), world.read(&path).replace("Validates", "Checks"));
    let verdicts = verdicts(&world, NAME);
    assert_eq!(word(&verdicts, "claude"), "other");
    assert_eq!(verdicts["claude"]["path"], format!("~/{CLAUDE}"));
    assert!(causes(&verdicts, "claude").contains(&format!("hefesto delete {NAME} --global --cli claude")));
    assert_eq!(word(&verdicts, "gemini"), "listed");
    world.run(&["validate", NAME, "--fit"]).shows("the user's own skills win.");
}

#[test]
fn a_cure_at_home_names_the_client_whose_copy_it_takes_away() {
    let world = six();
    for (_, dir, at_home) in CLIENTS {
        world.write(&format!("{dir}/skills/review-code/SKILL.md"), skill("Reviews code."));
        write(&world.home(&format!("{at_home}/skills/review-code/SKILL.md")), skill("Reviews code twice."));
    }
    let causes = causes(&verdicts(&world, "review-code"), "opencode");
    let cure = "hefesto delete review-code --global --cli opencode` takes ~/.config/opencode/skills/review-code away";
    assert!(causes.contains(cure) && !causes.contains("--global` takes"), "{causes}");
}

#[test]
fn a_name_in_the_head_is_not_called_the_folders() {
    let world = six();
    for (_, dir, _) in CLIENTS {
        world.write(&format!("{dir}/skills/folder-name/SKILL.md"), skill("Reviews code."));
    }
    let by = |name: &str, client: &str| causes(&verdicts(&world, name), client);
    assert!(by("folder-name", "gemini").contains("it goes by the head's name, `review-code`"));
    assert!(by("review-code", "claude").contains("it goes by the folder's name, `folder-name`"));
}

#[test]
fn of_a_skill_that_is_switched_off_it_is_not_said_what_is_cut() {
    let world = six();
    world.write(".claude/skills/review-code/SKILL.md", skill(&"Reviews code. ".repeat(120)));
    let claude = |world: &World| causes(&verdicts(world, "review-code"), "claude");
    assert!(claude(&world).contains("of the description it shows 1536"), "{}", claude(&world));
    world.write(".claude/settings.json", json!({ "skillOverrides": { "review-code": "off" } }).to_string());
    assert!(!claude(&world).contains("of the description"), "{}", claude(&world));
}

#[test]
fn what_settings_switch_off_is_named_with_the_file() {
    let world = World::with(&["claude", "codex", "gemini", "copilot", "opencode"]);
    world.create(&[EMAIL, "--yes"]).is(0);
    assert!(verdicts(&world, NAME).values().all(|one| one["verdict"] == "listed"));
    world.write(".claude/settings.json", json!({ "skillOverrides": { NAME: "off" } }).to_string());
    write(
        &world.home(".codex/config.toml"),
        format!(
            "[[skills.config]]\npath = \"{}\"\nenabled = false\n",
            world.path(&format!(".codex/skills/{NAME}/SKILL.md")).display()
        ),
    );
    world.write(
        ".gemini/settings.json",
        format!("{{\n  // off for now\n  \"skills\": {{ \"disabled\": [\"{NAME}\"], }},\n}}\n"),
    );
    write(&world.home(".copilot/config.json"), json!({ "disabledSkills": [NAME] }).to_string());
    world.write(
        "opencode.json",
        json!({ "permission": { "skill": { "*": "allow", "validate-*": "deny" } } }).to_string(),
    );
    let off = verdicts(&world, NAME);
    let files = [
        ("claude", ".claude/settings.json"),
        ("codex", "~/.codex/config.toml"),
        ("gemini", ".gemini/settings.json"),
        ("copilot", "~/.copilot/config.json"),
        ("opencode", "opencode.json"),
    ];
    for (client, file) in files {
        assert_eq!(word(&off, client), "not_listed", "{client} {}", causes(&off, client));
        assert!(causes(&off, client).contains(file), "{client} {}", causes(&off, client));
    }
    world.write(".claude/settings.local.json", json!({ "skillOverrides": { NAME: "name-only" } }).to_string());
    assert_eq!(word(&verdicts(&world, NAME), "claude"), "name_only");
    world.write(
        ".claude/settings.local.json",
        json!({ "permissions": { "deny": [format!("Skill({NAME})")] } }).to_string(),
    );
    world.write(".claude/settings.json", "{ \"skillOverrides\": ");
    let denied = verdicts(&world, NAME);
    assert_eq!(word(&denied, "claude"), "manual");
    assert!(causes(&denied, "claude").contains("settings.json cannot be read"), "{}", causes(&denied, "claude"));
    world.set("OPENCODE_DISABLE_EXTERNAL_SKILLS", "1");
    fs::remove_file(world.path("opencode.json")).unwrap();
    assert_eq!(word(&verdicts(&world, NAME), "opencode"), "listed", "its own directory is left");
    fs::remove_dir_all(world.path(".opencode")).unwrap();
    let left_out = verdicts(&world, NAME);
    assert_eq!(word(&left_out, "opencode"), "not_listed");
    assert!(causes(&left_out, "opencode").contains("OPENCODE_DISABLE_EXTERNAL_SKILLS is set"));
    world.write(&format!(".codex/skills/{NAME}/agents/openai.yaml"), "policy:\n  allow_implicit_invocation: false\n");
    fs::remove_file(world.home(".codex/config.toml")).unwrap();
    assert_eq!(word(&verdicts(&world, NAME), "codex"), "manual");
}

#[test]
fn a_skill_that_is_not_where_a_client_looks_is_said_to_be_missing_there() {
    let world = World::with(&["claude", "gemini"]);
    world.create(&[EMAIL, "--target", "claude", "--yes"]).is(0);
    let before = world.picture();
    let verdicts = verdicts(&world, NAME);
    assert_eq!((word(&verdicts, "claude"), word(&verdicts, "gemini")), ("listed", "not_listed"));
    let why = causes(&verdicts, "gemini");
    assert!(why.contains(".gemini/skills") && why.contains(&format!("hefesto add {NAME} --target gemini")), "{why}");
    let said = world.run(&["why", NAME]);
    said.shows(&format!("Claude Code lists it: {CLAUDE} (/{NAME})"));
    said.shows("[X] Gemini CLI does not list it\n");
    world.unchanged_since(&before);
    world.run(&["why", "validate-email-adresses"]).fails("E-SKILL-001", 1).says(&format!("Did you mean `{NAME}`?"));
    world.run(&["why", NAME, "--cli", "vi"]).fails("E-CREATE-004", 1);
    world.run(&["why"]).is(2);
}

#[test]
fn links_out_of_the_project_and_into_nothing_are_told_apart() {
    let world = World::with(&["claude", "gemini", "codex"]);
    write(&world.outside().join("kept/review-code/SKILL.md"), skill("Reviews code."));
    for dir in [".claude/skills", ".gemini/skills"] {
        fs::create_dir_all(world.path(dir)).unwrap();
    }
    symlink("../../../kept/review-code", world.path(".claude/skills/review-code")).unwrap();
    symlink("../../nowhere", world.path(".gemini/skills/review-code")).unwrap();
    world.write(".codex/skills/review-code", "../../.agents/skills/review-code");
    let verdicts = verdicts(&world, "review-code");
    assert_eq!((word(&verdicts, "claude"), word(&verdicts, "gemini")), ("unknown", "not_listed"));
    assert!(causes(&verdicts, "claude").contains("leads out of its project"), "{}", causes(&verdicts, "claude"));
    assert!(causes(&verdicts, "gemini").contains("leads to nothing"), "{}", causes(&verdicts, "gemini"));
    assert!(causes(&verdicts, "codex").contains("a checkout without links"), "{}", causes(&verdicts, "codex"));
}

#[test]
fn a_directory_above_counts_for_the_clients_that_look_there() {
    let world = World::with(&["claude", "gemini"]);
    fs::create_dir(world.outside().join(".git")).unwrap();
    for dir in [".claude", ".gemini"] {
        write(&world.outside().join(format!("{dir}/skills/review-code/SKILL.md")), skill("Reviews code."));
    }
    let above = |world: &World| world.run(&["why", "review-code", "--cli", "claude", "--json"]).json();
    let answer = above(&world);
    assert_eq!(answer["data"]["clients"][0]["verdict"], "listed", "{answer}");
    world.run(&["why", "review-code", "--cli", "gemini"]).is(0);
    let gemini = world.data(&["why", "review-code", "--cli", "gemini"]);
    assert_eq!(gemini["clients"][0]["verdict"], "not_listed");
    fs::remove_dir(world.outside().join(".git")).unwrap();
    world.run(&["why", "review-code"]).fails("E-SKILL-001", 1);
}

#[test]
fn a_full_list_says_for_which_model_it_is_too_long() {
    let world = World::bare(&["claude", "codex", "copilot"]);
    for number in 0..60 {
        for dir in [".claude", ".codex", ".github"] {
            let name = format!("skill-{number:02}");
            let text = format!("---\nname: {name}\ndescription: \"{}\"\n---\n\nDo it.\n", "d".repeat(220));
            world.write(&format!("{dir}/skills/{name}/SKILL.md"), text);
        }
    }
    let (first, last) = (verdicts(&world, "skill-00"), verdicts(&world, "skill-59"));
    assert_eq!((word(&first, "claude"), word(&last, "claude")), ("listed", "listed"));
    assert!(causes(&first, "claude").contains("too many for Sonnet 4.5 and Haiku 4.5"), "{}", causes(&first, "claude"));
    assert!(causes(&first, "codex").contains("200,000 tokens"), "{}", causes(&first, "codex"));
    assert!(!causes(&first, "codex").contains("its default model"), "{}", causes(&first, "codex"));
    assert_eq!((word(&first, "copilot"), word(&last, "copilot")), ("listed", "name_only"));
    let named_only = (0..60).filter(|number| {
        let data = world.data(&["why", &format!("skill-{number:02}"), "--cli", "copilot"]);
        data["clients"][0]["verdict"] == "name_only"
    });
    assert!((12..=15).contains(&named_only.count()), "13 of 60 were seen");
}

#[test]
fn a_prompt_is_answered_for_each_client_and_the_expected_skill_is_compared() {
    let world = World::holding_the_skill();
    world.write(
        ".claude/skills/clean-tables/SKILL.md",
        skill("Cleans CSV tables.").replace("review-code", "clean-tables"),
    );
    world.write(
        ".claude/skills/send-mail/SKILL.md",
        skill("Sends email to customers.").replace("review-code", "send-mail"),
    );
    let data = world.data(&["why", "--prompt", "is this email address valid?"]);
    let claude = &data["clients"][0];
    assert_eq!((&claude["client"], &claude["first"][0]["name"]), (&json!("claude"), &json!(NAME)), "{data}");
    assert!(claude["first"][0]["words"].as_array().unwrap().len() > 1 && claude["expected"].is_null(), "{data}");
    let behind = world.data(&["why", "send-mail", "--prompt", "is this email address valid?"]);
    let expected = &behind["clients"][0]["expected"];
    assert!(expected["what"].as_str().unwrap().contains(NAME), "{behind}");
    assert!(expected["cure"].as_str().unwrap().contains("into the description of `send-mail`"), "{behind}");
    assert!(
        behind["clients"][1]["expected"]["what"].as_str().unwrap().contains("does not offer `send-mail`"),
        "{behind}"
    );
    let said = world.run(&["why", "clean-tables", "--prompt", "is this email address valid?"]);
    let said_of_one = world.run(&["why", "--prompt", "knit socks", "--cli", "gemini"]);
    assert!(said_of_one.out.contains("its only skill does not answer this"), "{}", said_of_one.out);
    said.shows("`clean-tables` is not the first: no word of the prompt points to");
    world.write(".claude/settings.json", json!({ "skillOverrides": { NAME: "off" } }).to_string());
    let off = world.data(&["why", NAME, "--prompt", "is this email address valid?", "--cli", "claude"]);
    assert_ne!(off["clients"][0]["first"][0]["name"], NAME, "{off}");
}

#[test]
fn the_users_own_skills_are_asked_about_from_anywhere() {
    let world = World::with(&["claude", "gemini"]);
    let create: Vec<&str> = ["create", EMAIL, "--yes"].into();
    world.global(&create).is(0);
    let answer = world.global(&["why", NAME, "--json"]).ok().json();
    let clients = answer["data"]["clients"].as_array().unwrap();
    assert!(clients.iter().all(|one| one["verdict"] == "listed"), "{answer}");
    assert_eq!(clients[1]["path"], format!("~/{GEMINI}"));
}
