//! Drafting by an AI CLI, through the program as it is installed: stand-ins record how they are called and print what
//! the real ones print, when they succeed and when they fail.

use std::fs;

use serde_json::{Value, json};

use crate::support::stage::{Ran, Stage};
use crate::support::world::holds;

const SENTENCE: &str = "Validate email addresses using regex patterns";
const SKILL: &str = ".claude/skills/validate-email-addresses/SKILL.md";
pub(crate) const HEAD: &str = "---\nname: other\ndescription: \"Checks e-mail addresses against patterns. Use when the user asks to \
    check an address or a mailing list.\"\nallowed-tools: Bash\ntags: [email, regex, lists]\n---\n\n";
pub(crate) const BODY: &str = "## Check an address\n\n1. Split it at the last `@`: two parts, or it is none.\n\
    2. Match the local part against `^[A-Za-z0-9._%+-]{1,64}$`.\n\n## Limits\n\n- RFC 5321 allows 254 octets in all.\n";
/// What stands in no text that is assembled without a drafter.
pub(crate) const TELLING: &str = "RFC 5321 allows 254 octets";

/// The whole answer.
pub(crate) fn answer() -> String {
    format!("{HEAD}{BODY}")
}

/// The same as Claude Code prints it.
pub(crate) fn claude(result: &str) -> String {
    json!({ "type": "result", "is_error": false, "result": result }).to_string()
}

/// Prints what was put down as the answer.
const PRINTS: &str = "cat \"$HOME/answer\"";

/// Keeps arguments, input, directory and variables of the Nth call in `$HOME`.
const RECORD: &str = r#"n=0; while [ -e "$HOME/argv$n" ]; do n=$((n+1)); done
for a in "$@"; do printf '%s\n' "$a"; done > "$HOME/argv$n"
cat > "$HOME/stdin$n"; pwd > "$HOME/cwd$n"; ls -A > "$HOME/files$n"; env > "$HOME/env$n"
"#;

/// A stage whose stand-in of this name records its calls and then runs this script.
pub(crate) fn with(program: &str, script: &str) -> Stage {
    let mut stage = Stage::new(&[]);
    let scratch = stage.home().join("scratch");
    fs::create_dir(&scratch).unwrap();
    stage.set("TMPDIR", scratch.to_str().unwrap());
    stage.stubs(&[&format!("{program}!{RECORD}{script}")]);
    stage
}

/// A stage whose Claude Code gives these answers, one after the other.
pub(crate) fn answers(texts: &[&str]) -> Stage {
    let stage = with("claude", "cat \"$HOME/answer$n\"");
    for (n, text) in texts.iter().enumerate() {
        put(&stage, &format!("answer{n}"), &claude(text));
    }
    stage
}

/// A stage whose Claude Code always gives this answer.
pub(crate) fn always(text: &str) -> Stage {
    let stage = with("claude", PRINTS);
    put(&stage, "answer", &claude(text));
    stage
}

pub(crate) fn put(stage: &Stage, name: &str, text: &str) {
    fs::write(stage.home().join(name), text).unwrap();
}

pub(crate) fn kept(stage: &Stage, name: &str) -> String {
    fs::read_to_string(stage.home().join(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
}

pub(crate) fn skill(stage: &Stage) -> String {
    stage.read(SKILL)
}

pub(crate) fn create(stage: &Stage, draft: &str) -> Ran {
    stage.hefesto(&["create", SENTENCE, "--target", "claude", "--yes", draft, "--draft-fallback"], b"")
}

/// How the last run's draft went, from the operation log.
pub(crate) fn logged(stage: &Stage) -> Value {
    let log = stage.read(".hefesto/logs/operations.jsonl");
    serde_json::from_str::<Value>(log.lines().last().unwrap()).unwrap()["details"]["draft"].take()
}

/// The skill is the template's, and a warning says why.
#[track_caller]
fn fell_back(stage: &Stage, ran: &Ran, why: &str) {
    assert_eq!(ran.exit, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("WARN-030") && ran.stderr.contains(why), "{why:?} was not said\n{}", ran.stderr);
    assert!(!ran.stderr.contains("Drafted by") && !ran.stderr.contains("?."), "{}", ran.stderr);
    let kept = logged(stage)["why"].as_str().unwrap_or_default().to_owned();
    assert!(kept.contains(why.trim_end_matches('.')), "the log says {kept:?}");
    let seen = stage.hefesto(&["memory", "inspect"], b"").stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(seen.contains("draft none, the assembled text is used: "), "{seen}");
    let text = skill(stage);
    assert!(text.contains("[FILL IN: ") && !text.contains(TELLING), "{text}");
    let scratch = stage.home().join("scratch");
    assert_eq!(fs::read_dir(scratch).map_or(0, Iterator::count), 0, "a desk was left");
}

/// The shape of success of each CLI, and how it is called. `SIDE` stands for the directory beside the one it works in,
/// `SYSTEM` for the system prompt.
fn clis() -> Vec<(&'static str, &'static str, &'static str, String, &'static str)> {
    let events = |body: &str| {
        let (one, two) = body.split_at(20);
        let part = |text: &str| json!({ "type": "text", "part": { "type": "text", "text": text } }).to_string();
        format!(
            "{{\"type\":\"step_start\"}}\n{}\n{}\n{{\"type\":\"step_finish\",\"part\":{{}}}}\n",
            part(one),
            part(two)
        )
    };
    let result =
        json!({ "type": "result", "subtype": "success", "is_error": false, "result": answer(), "total_cost_usd": 0.5 });
    vec![
        (
            "claude",
            "claude",
            PRINTS,
            result.to_string(),
            "-p|--output-format|json|--tools||--safe-mode|--no-session-persistence|--system-prompt|SYSTEM",
        ),
        (
            "gemini",
            "gemini",
            "cp \"$7\" \"$HOME/policy\"; cp \"$GEMINI_SYSTEM_MD\" \"$HOME/system\"; cat \"$HOME/answer\"",
            serde_json::to_string_pretty(&json!({ "session_id": "s", "response": answer(), "stats": {} })).unwrap(),
            "-o|json|--skip-trust|-e|none|--policy|SIDE/deny-all.toml",
        ),
        (
            "codex",
            "codex",
            "cp \"$HOME/answer\" \"${16}\"; echo '{\"type\":\"turn.completed\",\"usage\":{}}'",
            format!("```markdown\n{HEAD}{BODY}```\n"),
            "exec|--json|--ephemeral|--skip-git-repo-check|-s|read-only|--disable|shell_tool|--disable|unified_exec|-c|\
             web_search=disabled|-c|developer_instructions=SYSTEM|-o|SIDE/last.md|-",
        ),
        (
            "copilot",
            "copilot",
            PRINTS,
            format!("Here is the skill.\n\n{HEAD}{BODY}"),
            "-s|--available-tools=none|--no-custom-instructions|--disable-builtin-mcps|--no-ask-user|--no-auto-update|\
             --no-color",
        ),
        ("opencode", "opencode", PRINTS, events(&answer()), "run|--format|json|--agent|hefesto|--pure|--title|hefesto"),
        ("cursor", "cursor-agent", PRINTS, result.to_string(), "-p|--output-format|json|--mode|ask|--trust"),
        (
            "qwen",
            "qwen",
            PRINTS,
            json!([{ "type": "system" }, { "type": "assistant" }, result]).to_string(),
            "--bare|--chat-recording|false|-o|json|--system-prompt|SYSTEM|--exclude-tools|\
             run_shell_command,edit,write_file,notebook_edit,read_file,get_goal,update_goal|--max-wall-time|170s",
        ),
    ]
}

#[test]
fn each_cli_is_called_exactly_so_and_its_answer_becomes_the_skill() {
    let system = hefesto::client::drafting::SYSTEM;
    for (id, program, script, answer, args) in clis() {
        let stage = with(program, script);
        put(&stage, "answer", &answer);
        let ran = create(&stage, &format!("--draft={id}")).exits(0);
        assert!(!ran.stderr.contains("WARN-030"), "{id}: {}", ran.stderr);
        assert!(ran.stderr.contains("Drafted by"), "{id}: the gate does not say who wrote it\n{}", ran.stderr);
        let text = skill(&stage);
        assert!(text.contains(BODY.trim_end()) && !text.contains("[FILL IN: "), "{id}: {text}");
        assert!(
            text.starts_with("---\nname: \"validate-email-addresses\"\ndescription: \"Checks e-mail"),
            "{id}: {text}"
        );
        assert!(text.contains("tags: \"email, regex, lists\"") && text.contains("$ARGUMENTS"), "{id}: {text}");
        assert!(!text.contains("allowed-tools") && !text.contains("other"), "{id}: {text}");

        let cwd = kept(&stage, "cwd0");
        let side = format!("{}/files", cwd.trim_end().strip_suffix("/work").unwrap());
        let called = kept(&stage, "argv0").replace(&side, "SIDE").replace(system, "SYSTEM");
        assert_eq!(called.trim_end_matches('\n').replace('\n', "|"), args, "{id}");
        assert_eq!(kept(&stage, "files0"), "", "{id}: its directory is not empty");
        assert!(cwd.contains("/scratch/hefesto-") && !fs::exists(cwd.trim_end()).unwrap(), "{id}: {cwd}");
        let (stdin, env) = (kept(&stage, "stdin0"), kept(&stage, "env0"));
        assert!(stdin.contains(&format!("> {SENTENCE}\n")), "{id}: {stdin}");
        assert_eq!(stdin.starts_with(system), matches!(id, "copilot" | "cursor"), "{id}: {stdin}");
        if id == "gemini" {
            assert_eq!(kept(&stage, "system").trim_end(), system);
            assert!(kept(&stage, "policy").contains("toolName = \"*\"\ndecision = \"deny\""));
        }
        if id == "opencode" {
            let told = env.lines().find_map(|line| line.strip_prefix("OPENCODE_CONFIG_CONTENT=")).unwrap();
            let agent = &serde_json::from_str::<Value>(told).unwrap()["agent"]["hefesto"];
            assert_eq!((agent["prompt"].as_str(), &agent["permission"]), (Some(system), &json!({ "*": "deny" })));
        }
        let log = logged(&stage);
        assert_eq!((&log["by"], &log["used"], &log["rounds"]), (&json!(id), &json!(true), &json!(1)), "{log}");
        let cost = if answer.contains("total_cost_usd") { json!(0.5) } else { Value::Null };
        assert_eq!(log["cost_usd"], cost, "{id}");
    }
}

#[test]
fn whatever_goes_wrong_the_template_is_used_and_it_is_said() {
    let key = ["AK", "IA", "QWERTYUIOPASDFGH"].concat();
    let not_in = r#"{"type":"result","subtype":"success","is_error":true,"result":"Not logged in"}"#;
    let cases = [
        ("cat \"$HOME/answer\"; exit 1", not_in.to_owned(), "Claude Code: Not logged in."),
        ("echo 'the key was refused' >&2; exit 1", String::new(), "the key was refused"),
        (PRINTS, claude("I cannot help with that."), "wrote no skill and says: I cannot help with that"),
        (PRINTS, claude("Which list?"), "wrote no skill and asks: Which list?"),
        (PRINTS, "<html>no JSON</html>".into(), "cannot be read"),
        (PRINTS, claude(&format!("{HEAD}{BODY}\nUse {key}.\n")), "it holds a credential, which is masked"),
        ("echo \"bad key $(cat \"$HOME/answer\")\" >&2; exit 1", key.clone(), "holds a credential and is not shown"),
        (PRINTS, claude(&format!("{HEAD}{BODY}{}", "More of it.\n".repeat(9000))), "49152 is the most"),
        ("exec cat /dev/zero", String::new(), "printed more than"),
        ("printf '\\377'", String::new(), "not UTF-8"),
        ("echo waiting for the server >&2; exec sleep 300", String::new(), "waiting for the server"),
    ];
    for (script, answer, why) in cases {
        let stage = with("claude", script);
        if script.contains("sleep") {
            stage.write(".hefesto/config.toml", "[draft]\ntimeout = 1\n");
        }
        put(&stage, "answer", &answer);
        let ran = create(&stage, "--draft=claude");
        fell_back(&stage, &ran, why);
        assert!(!ran.stderr.contains(&key) && !logged(&stage).to_string().contains(&key), "a secret was said");
        assert_eq!(logged(&stage)["used"], false, "{why}");
    }
    let stage = Stage::new(&[]);
    fell_back(&stage, &create(&stage, "--draft=claude"), "`claude` is not on PATH");
    let stage = Stage::new(&[]);
    fell_back(&stage, &create(&stage, "--draft"), "is on PATH");
}

#[test]
fn without_a_person_a_failed_draft_is_an_error_and_nothing_is_written() {
    for (script, why) in [("echo 'not logged in' >&2; exit 1", "not logged in"), ("exit 0", "cannot be read")] {
        let stage = with("claude", script);
        let ran = stage.hefesto(&["create", SENTENCE, "--target", "claude", "--yes", "--draft=claude"], b"").exits(1);
        assert!(ran.stderr.contains("E-DRAFT-001") && ran.stderr.contains(why), "{}", ran.stderr);
        assert!(ran.stderr.contains("--draft-fallback") && !stage.project().join(SKILL).exists());
        assert!(ran.stderr.contains("Run Claude Code once by hand"), "{}", ran.stderr);
    }
    let stage = always("May I ask which list?");
    let ran = stage.hefesto(&["create", SENTENCE, "--target", "claude", "--yes", "--draft=claude"], b"");
    assert!(ran.exit == Some(1) && ran.stderr.contains("asks: May I ask which list?\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("in other words") && !ran.stderr.contains("by hand"), "{}", ran.stderr);
}

#[test]
fn a_draft_that_breaks_a_rule_is_asked_for_once_more() {
    let broken = format!("{HEAD}{BODY}\nNow: !`git status`\n");
    let stage = answers(&[&broken, &answer()]);
    let ran = create(&stage, "--draft=claude");
    assert!(ran.stderr.contains("Drafted by"), "{ran:?}");
    assert!(skill(&stage).contains(TELLING) && !skill(&stage).contains("git status"));
    let second = kept(&stage, "stdin1");
    assert!(second.starts_with(&kept(&stage, "stdin0")), "{second}");
    assert!(second.contains("> Now: !`git status`") && second.contains("## What is wrong with it"), "{second}");
    assert!(!second.contains("T0-HEFESTO"), "{second}");
    assert_eq!(logged(&stage)["rounds"], 2);

    let stage = always(&broken);
    fell_back(&stage, &create(&stage, "--draft=claude"), "its answer cannot be used");
    assert!(!fs::exists(stage.home().join("argv2")).unwrap(), "it was asked a third time");
}

#[test]
fn files_it_writes_go_with_its_directory() {
    let stage = with("claude", "mkdir -p .claude/skills/x; echo x > .claude/skills/x/SKILL.md; cat \"$HOME/answer\"");
    put(&stage, "answer", &claude(&answer()));
    assert_eq!(create(&stage, "--draft=claude").exit, Some(0));
    assert!(skill(&stage).contains(TELLING) && !fs::exists(stage.project().join(".claude/skills/x")).unwrap());
    assert_eq!(fs::read_dir(stage.home().join("scratch")).unwrap().count(), 0);
}

#[test]
fn a_signal_ends_it_and_everything_it_started() {
    let stage = with(
        "claude",
        "trap '' TERM; sleep 300 & echo $! > \"$HOME/sleeper\"; mv \"$HOME/sleeper\" \"$HOME/pid\"; wait",
    );
    let wait = "while [ ! -e \"$HOME/pid\" ]; do sleep 0.02; done; kill -TERM $p; wait $p; echo $? > \"$HOME/exit\"";
    stage.shell(&format!("hefesto -C . create '{SENTENCE}' --target claude --yes --draft=claude & p=$!; {wait}"));
    assert_eq!(kept(&stage, "exit").trim_end(), "143");
    let pid = kept(&stage, "pid");
    let id = rustix::process::Pid::from_raw(pid.trim_end().parse().unwrap()).unwrap();
    let gone = || {
        let dead = fs::read_to_string(format!("/proc/{}/stat", pid.trim_end())).is_ok_and(|stat| stat.contains(") Z "));
        dead || rustix::process::test_kill_process(id) == Err(rustix::io::Errno::SRCH)
    };
    for _ in 0..500 {
        if gone() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20)); // the kernel kills when it gets to it
    }
    assert!(gone());
    assert!(!fs::exists(stage.project().join(SKILL)).unwrap());
    assert_eq!(fs::read_dir(stage.home().join("scratch")).unwrap().count(), 0);
}

#[test]
fn nothing_is_started_unasked_or_from_inside_another() {
    let mut stage = always(&answer());
    let args = ["create", SENTENCE, "--target", "claude", "--yes"];
    assert_eq!(stage.hefesto(&args, b"").exit, Some(0));
    assert!(!fs::exists(stage.home().join("argv0")).unwrap());

    stage.set("GEMINI_CLI", "1");
    let ran = stage.hefesto(&["create", SENTENCE, "--name", "one", "--target", "claude", "--yes", "--draft"], b"");
    assert!(ran.stderr.contains("runs inside an AI CLI (gemini)"), "{}", ran.stderr);
    assert!(!fs::exists(stage.home().join("argv0")).unwrap());

    let named = ["create", SENTENCE, "--name", "two", "--target", "claude", "--yes", "--draft=claude", "--json"];
    let ran = stage.hefesto(&named, b"");
    let answer = ran.json();
    assert_eq!(answer["data"]["drafted_by"], "Claude Code", "{answer}");
    assert!(fs::exists(stage.home().join("argv0")).unwrap());
}

#[test]
fn the_users_command_is_asked_and_a_projects_own_never() {
    let mut stage = with("my-model", PRINTS);
    put(&stage, "answer", &answer());
    let config = "[draft]\ncommand = [\"my-model\", \"--quiet\", \"two words\"]\n";
    stage.write(".hefesto/config.toml", config);
    let with_name = |stage: &Stage, name: &str, draft: &str| {
        let args = ["create", SENTENCE, "--name", name, "--target", "claude", "--yes", draft, "--draft-fallback"];
        stage.hefesto(&args, b"")
    };
    for (name, draft) in [("one", "--draft"), ("two", "--draft=command")] {
        let ran = with_name(&stage, name, draft);
        assert!(ran.stderr.contains("draft.command is ignored") && ran.stderr.contains("WARN-030"), "{ran:?}");
        assert!(!fs::exists(stage.home().join("argv0")).unwrap());
    }

    let user = stage.home().join("settings");
    fs::create_dir(&user).unwrap();
    fs::write(user.join("config.toml"), config).unwrap();
    stage.write(".hefesto/config.toml", "[draft]\ncommand = [\"their-model\"]\n");
    stage.set("HEFESTO_HOME", user.to_str().unwrap());
    for (name, draft) in [("three", "--draft"), ("four", "--draft=command")] {
        assert!(with_name(&stage, name, draft).stderr.contains("Drafted by"));
    }
    assert_eq!(kept(&stage, "argv0"), "--quiet\ntwo words\n");
}

#[test]
fn the_brief_goes_out_and_the_body_comes_back() {
    let mut stage = Stage::new(&["claude"]);
    stage.set("CLAUDECODE", "1");
    let ran = stage.hefesto(&["create", SENTENCE, "--brief", "--json"], b"").exits(0);
    assert_eq!(fs::read_dir(stage.project()).unwrap().count(), 0, "the brief wrote something");
    let answer = ran.json();
    let (brief, command) = (answer["data"]["brief"].as_str().unwrap(), answer["data"]["command"].as_str().unwrap());
    let plain = stage.hefesto(&["create", SENTENCE, "--brief"], b"");
    assert_eq!(plain.stdout.trim_end(), brief.trim_end());
    for part in
        [SENTENCE, "\n## Still open\n", "Claude Code", "hefesto approve RUN", hefesto::client::drafting::MARK, command]
    {
        assert!(brief.contains(part), "{part:?} is missing\n{brief}");
    }

    stage.write("CONTRIBUTING.md", "- Email addresses must be checked on the server.\n");
    put(&stage, "body", &format!("{}\n{HEAD}{BODY}", hefesto::client::drafting::MARK));
    let command = command.replace("[PROJECT]", ".");
    let ran = stage.shell(&format!("{command} < \"$HOME/body\"")).exits(3);
    assert!(ran.stderr.contains("hefesto approve [RUN]"), "{}", ran.stderr);
    let ran = stage.hefesto(&["approve", "--yes"], b"");
    assert!(ran.stderr.contains("Drafted by"), "{ran:?}");
    let text = skill(&stage);
    assert!(text.contains(BODY.trim_end()) && !text.contains("hefesto: whole body"), "{text}");
    assert!(text.contains("- Email addresses must be checked on the server"), "{text}");
    assert!(!text.contains("## Instructions") && !text.contains("[FILL IN: "), "{text}");

    let short = format!("{}\nOnly a line.\n", hefesto::client::drafting::MARK);
    let ran = stage.hefesto(&["create", SENTENCE, "--name", "short", "--body", "-"], short.as_bytes());
    assert!(ran.exit == Some(1) && ran.stderr.contains("it is no skill"), "{ran:?}");
}

#[test]
fn the_brief_carries_what_was_given_and_the_command_hands_it_in_again() {
    let mut stage = Stage::new(&["claude"]);
    stage.set("CLAUDECODE", "1");
    put(&stage, "notes.md", "# Import\n\n1. Count the rows of the file\n2. Refuse a file without a header\n");
    let notes = stage.home().join("notes.md");
    let url = "https://example.org/csv";
    let args = ["create", SENTENCE, "--from", notes.to_str().unwrap(), "--source", url, "--evals", "--brief", "--json"];
    let ran = stage.hefesto(&args, b"").exits(0);
    let answer = ran.json();
    let (brief, command) = (answer["data"]["brief"].as_str().unwrap(), answer["data"]["command"].as_str().unwrap());
    assert!(brief.contains(" Refuse a file without a header (notes.md:4)\n"), "{brief}");
    assert!(brief.contains(&format!("> {url}\n")), "{brief}");
    holds(command, &["--from ", "--source ", "--evals", "notes.md"]);

    put(&stage, "body", &format!("{}\n{HEAD}{BODY}", hefesto::client::drafting::MARK));
    let command = command.replace("[HOME]", stage.home().to_str().unwrap()).replace("[PROJECT]", ".");
    stage.shell(&format!("{command} < \"$HOME/body\"")).exits(3);
    let ran = stage.hefesto(&["approve", "--yes"], b"");
    assert!(ran.stderr.contains("Drafted by"), "{ran:?}");
    let text = skill(&stage);
    assert_eq!(text.matches("Refuse a file without a header").count(), 1, "{text}");
    assert_eq!(text.matches(url).count(), 1, "{text}");

    put(&stage, "notes.md", &format!("- the key is AKIA{}\n", "IOSFODNN7EXAMPLQ"));
    let ran = stage.hefesto(&args, b"");
    assert!(ran.exit == Some(1) && !ran.stderr.contains("IOSFODNN7"), "{ran:?}");
}

#[test]
fn an_agent_is_told_what_it_can_do() {
    let mut stage = Stage::new(&["claude"]);
    let args = ["create", SENTENCE, "--init"];
    assert!(!stage.hefesto(&args, b"").stderr.contains("--brief"));
    stage.set("COPILOT_CLI", "1");
    let ran = stage.hefesto(&args, b"").exits(3);
    assert!(ran.stderr.contains(&format!("hefesto create --brief '{SENTENCE}'")), "{}", ran.stderr);
    assert!(stage.hefesto(&["create"], b"").stderr.contains("(copilot)"));
    let named = ["create", SENTENCE, "--yes", "--name", "yes"];
    assert!(stage.hefesto(&named, b"").stderr.contains("Inside an AI CLI"));
}
