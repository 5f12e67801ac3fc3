//! The table of all rules: what each requires, why, an example, the fix, and the source.

use crate::rules::{Layer, Severity};

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// For example `S4`, `T0-HEFESTO-07`, `T0-HEFESTO-11.secret`.
    pub id: &'static str,
    /// The body of rules it belongs to.
    pub layer: Layer,
    /// The highest severity of its findings.
    pub severity: Severity,
    /// What it requires, in a few words.
    pub title: &'static str,
    /// Why it exists.
    pub why: &'static str,
    /// What breaks it.
    pub example: &'static str,
    /// The fix.
    pub fix: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// How it is enforced.
    pub enforced: Enforced,
}

/// How a rule is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enforced {
    /// By checking the files of a skill.
    OnFiles,
    /// By the way the program works; no file can break it.
    ByProcedure,
}

/// Reads the table below: the name of the rule in the code, its id, its layer, the highest severity of its findings,
/// what it requires, why, an example that breaks it, the fix, and after `@` where it comes from if that is not the id
/// itself.
macro_rules! rules {
    ($($name:ident $id:literal $layer:ident $severity:ident $($enforced:ident)? $title:literal
        why $why:literal example $example:literal fix $fix:literal $(@ $source:tt)?)*) => {
        /// The rules as an enum, so that every finding has a row.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Id { $(#[doc = concat!($id, ": ", $title)] $name),* }

        const _: () = assert!(Id::ALL.len() == RULES.len());

        impl Id {
            const ALL: &[Self] = &[$(Self::$name),*];

            pub(crate) fn rule(self) -> &'static Rule {
                RULES.get(self as usize).unwrap_or(&RULES[0])
            }
        }

        /// Every rule, the specification's first.
        pub const RULES: &[Rule] = &[$(Rule {
            id: $id, layer: Layer::$layer, severity: Severity::$severity, title: $title, why: $why, example: $example,
            fix: $fix, source: [$($source,)? $id][0], enforced: [$(Enforced::$enforced,)? Enforced::OnFiles][0],
        }),*];
    };
}

/// Finds a rule by its id, any case.
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id.eq_ignore_ascii_case(id))
}

const NAME_FIELD: &str = "Agent Skills specification, name field";
const MEASURED: &str = "Hefesto, portability: measured with the clients' command lines, 2026";
const DOCUMENTED: &str = "Hefesto, portability: the client's documentation, 2026";

rules! {
    S1 "S1" Spec Error "A skill is a folder with a file SKILL.md"
        why "Clients look for exactly this file name; without it the folder is not a skill."
        example "my-skill/skill.md"
        fix "Add a file SKILL.md (in capitals) that begins with name and description; `hefesto create` makes one."
        @ "Agent Skills specification, directory structure"
    S2 "S2" Spec Error "SKILL.md is YAML frontmatter followed by Markdown"
        why "T0-HEFESTO-01: a client that cannot read the frontmatter skips the skill or loads it without a description."
        example "description: Use when: the user asks"
        fix "Begin with a line `---`, write valid YAML, and close it with a line `---`."
        @ "Agent Skills specification, SKILL.md format"
    S3 "S3" Spec Warning "Top-level fields are the six of the specification"
        why "Other fields are read by single clients at best, and some validators and uploads refuse them."
        example "author: Ana" fix "Move it under `metadata`, or remove it." @ "Agent Skills specification, frontmatter"
    S4 "S4" Spec Error "The name has 1 to 64 characters"
        why "The name is how a skill is called and listed; longer names are cut or refused." example "name:"
        fix "Write a line such as `name: review-code`: the folder's name, two to four words." @ NAME_FIELD
    S5 "S5" Spec Error "The name is lowercase letters, digits and hyphens"
        why "The name is a folder name and a command; other characters break one or the other."
        example "name: Code_Review" fix "Use lowercase letters, digits and single hyphens." @ NAME_FIELD
    S6 "S6" Spec Error "The name neither begins nor ends with a hyphen, nor has two in a row"
        why "Clients refuse such names." example "name: -testing" fix "Remove the extra hyphens." @ NAME_FIELD
    S7 "S7" Spec Error "The name matches the folder"
        why "Some clients call a skill by its folder and some by its name; they must agree."
        example "reviewing/SKILL.md with name: code-review"
        fix "Use one name for both: rename the folder, or change `name`." @ NAME_FIELD
    S8 "S8" Spec Error "The description has 1 to 1024 characters"
        why "T0-HEFESTO-01: the description is all a client reads before it decides to use the skill; some skip a skill whose description is missing or longer."
        example "description: \"\""
        fix "Write a `description` of one or two sentences: what the skill does and when to use it."
        @ "Agent Skills specification, description field"
    S9 "S9" Spec Warning "The licence is a short text"
        why "It names a licence or the file that holds it; readers show it as text."
        example "license: [MIT, Apache-2.0]" fix "Write one line such as `license: MIT OR Apache-2.0`."
        @ "Agent Skills specification, license field"
    S10 "S10" Spec Error "The compatibility note has 1 to 500 characters"
        why "It is shown in listings; the specification limits it." example "compatibility: \"\""
        fix "Name the environment needed in one sentence, or leave the field out."
        @ "Agent Skills specification, compatibility field"
    S11 "S11" Spec Error "The metadata is a map of text to text"
        why "Clients with typed readers refuse the whole file when it is anything else." example "metadata: v1"
        fix "Write `metadata:` with indented `key: \"value\"` lines." @ "Agent Skills specification, metadata field"
    S12 "S12" Spec Warning "The allowed tools are one line of text"
        why "The specification asks for one space-separated text; some clients refuse a list."
        example "allowed-tools: [Read, Grep]" fix "Write `allowed-tools: Read Grep`."
        @ "Agent Skills specification, allowed-tools field"
    Unused "S14.unused" Quality Info "SKILL.md mentions every resource"
        why "An agent opens only files it is pointed to; a file that nothing mentions is never read."
        example "references/old-notes.md, mentioned nowhere in the skill"
        fix "Say in SKILL.md when to read or run it, or remove it." @ "Agent Skills specification, optional directories"
    Contents "S14.contents" Quality Info "Long references begin with a list of contents"
        why "An agent that reads only the first lines of a file should see what else it contains."
        example "references/api.md of 400 lines without a list of its sections"
        fix "Begin it with a heading `Contents` and a list of its sections."
        @ "Agent Skills specification, optional directories: focused reference files"
    S15 "S15" Spec Info "Name and description cost about 100 tokens, the body less than 5000"
        why "Name and description are loaded for every skill in every session, used or not; the body with every use."
        example "a description of 900 characters, or a body of 25,000"
        fix "Keep what decides whether the skill is used in the description, and long material in references/."
        @ "Agent Skills specification, progressive disclosure"
    S16 "S16" Spec Warning "SKILL.md stays under 500 lines"
        why "The whole body is loaded when the skill is used." example "a SKILL.md of 700 lines"
        fix "Move material to references/ and say when to read it."
        @ "Agent Skills specification, progressive disclosure"
    S17 "S17" Spec Warning "File references are relative, exist, and are one level deep"
        why "An agent cannot follow a broken reference, and may stop before a nested one."
        example "[guide](references/missing.md)" fix "Correct the path or add the file."
        @ "Agent Skills specification, file references"
    T001 "T0-HEFESTO-01" T0 Error "Agent Skills standard"
        why "A skill is only portable where it follows the standard: a readable frontmatter with name and description, and a body of instructions."
        example "a SKILL.md with frontmatter and no body" fix "Write the instructions below the frontmatter."
    T002 "T0-HEFESTO-02" T0 Error ByProcedure "Human gate"
        why "Nothing is written before a person has seen and approved it."
        example "a tool that saves a skill before it asks"
        fix "Nothing to change in a skill: hefesto writes only after approval."
    T003 "T0-HEFESTO-03" T0 Error "Progressive disclosure"
        why "A long body takes context from the task itself: at most 500 lines and 5000 tokens."
        example "a SKILL.md of 501 lines" fix "Move material to references/ and say in SKILL.md when to read it."
    T004 "T0-HEFESTO-04" T0 Error ByProcedure "Detection before questions"
        why "hefesto detects which AI CLIs are installed instead of asking."
        example "a tool that asks which CLI to write for while one is on PATH"
        fix "Nothing to change in a skill: hefesto detects first."
    T005 "T0-HEFESTO-05" T0 Error "Local storage in the known places"
        why "A skill keeps its files in its own folder: SKILL.md, metadata.yaml, scripts/, references/, assets/, evals/."
        example "my-skill/../other/file.md" fix "Move the file into scripts/, references/ or assets/."
    T006 "T0-HEFESTO-06" T0 Error ByProcedure "Validation before writing"
        why "Every rule is checked on the exact bytes that would be written; one error and nothing is written."
        example "a tool that validates what it has already saved" fix "Fix the findings of the other rules."
    T007 "T0-HEFESTO-07" T0 Error "Naming"
        why "Names are lowercase ASCII letters and digits joined by single hyphens, at most 64 characters: they work in every client and on every file system."
        example "Code-Review, -testing, api--docs" fix "Use a name such as `review-code`."
    T008 "T0-HEFESTO-08" T0 Error ByProcedure "Idempotence"
        why "An existing skill is never replaced without a question and a backup."
        example "a tool that overwrites a skill of the same name"
        fix "Nothing to change in a skill: hefesto asks and keeps a backup."
    T009 "T0-HEFESTO-09" T0 Error "Compatibility with the client it is installed for"
        why "Gemini CLI and Qwen Code write arguments as {{args}}, the others as $ARGUMENTS; a client leaves the other spelling in the text, where it confuses the agent."
        example "$ARGUMENTS in .gemini/skills/review/SKILL.md" fix "Use the client's own placeholder."
    T010 "T0-HEFESTO-10" T0 Info "Technical skills cite sources"
        why "Instructions that name their sources can be checked and renewed. Links are never invented."
        example "a skill about a library without a link to its documentation"
        fix "Link two sources, official documentation first."
    T011 "T0-HEFESTO-11" T0 Error "Security by default: least privilege"
        why "A skill asks for no more access than it needs, and leaves safeguards and logs alone."
        example "allowed-tools: \"*\""
        fix "Name the tools and commands the skill needs, and keep the client's safeguards on."
    Secret "T0-HEFESTO-11.secret" T0 Error "No secrets"
        why "Skills are committed, shared and read by agents; a credential in one is public."
        example "a real access key in an example command"
        fix "Remove it, revoke it, and read it from the environment instead." @ "T0-HEFESTO-11"
    Pii "T0-HEFESTO-11.pii" T0 Error "No personal data"
        why "Skills are committed and shared; personal data in one is published."
        example "a real tax number in an example"
        fix "Replace it with an invented value that cannot belong to anyone, such as ana@example.com." @ "T0-HEFESTO-11"
    PrivateUrl "T0-HEFESTO-11.private-url" T0 Error "No private addresses"
        why "Internal host names reveal a network to outsiders and are useless to them."
        example "https://wiki.example.internal/runbook" fix "Use a public address, example.com, or a placeholder."
        @ "T0-HEFESTO-11"
    Injection "T0-HEFESTO-11.injection" T0 Error "No text that takes over the agent"
        why "Everything in a skill is read as instructions; text that overrides earlier instructions, hides what it does or exfiltrates secrets harms whoever installs it."
        example "a line that tells the agent to drop its earlier instructions"
        fix "Remove the passage, or describe it without spelling it out." @ "T0-HEFESTO-11"
    Hidden "T0-HEFESTO-11.hidden-text" T0 Error "No invisible text"
        why "An agent reads characters that a person cannot see; what a person approves must be all there is."
        example "zero-width characters between letters" fix "Remove the characters, or write the text visibly."
        @ "T0-HEFESTO-11"
    RemoteExec "T0-HEFESTO-11.remote-exec" T0 Error "No code that runs unreviewed"
        why "Code that is fetched, decoded or started by the client runs before anybody has read it."
        example "a download piped into a shell"
        fix "Download, check, then run in separate steps; ship scripts as readable text." @ "T0-HEFESTO-11"
    T101 "T1-HEFESTO-01" T1 Warning "The description says when to use the skill"
        why "Clients choose a skill by its description; without a trigger they choose too rarely."
        example "description: Formats dates." fix "Add `Use when ...` to the description."
    T102 "T1-HEFESTO-02" T1 Warning "Complex skills have examples"
        why "An agent follows more than three steps better where a step shows a command, a path or a form, or an example shows the result."
        example "a body of five steps without an example or a code span" fix "Write the command, path or form of a step in backticks, or add an example with realistic data."
    T103 "T1-HEFESTO-03" T1 Info "The skill has a version"
        why "Only a version tells copies in several places apart."
        example "neither metadata.version nor metadata.yaml" fix "Add `version` under `metadata`, in quotes."
    T201 "T2-HEFESTO-01" T2 Info "The category is a known one"
        why "development, testing, documentation, devops, review and security are the categories skills are listed by."
        example "category: misc" fix "Write the nearest one under `metadata`, such as `category: review`."
    T202 "T2-HEFESTO-02" T2 Info "The skill has three to eight tags"
        why "Tags make a skill easy to find; with too many, all skills look alike." example "tags: [java]"
        fix "Write three to eight under `metadata`, such as `tags: \"java, review, style\"`."
    Markdown "T1-QUALITY-01" T1 Warning "The Markdown is well formed"
        why "An agent reads the structure: a skipped heading level, an open fence or a code block without a language hides the structure."
        example "## Check, then #### Details"
        fix "Close every fence, name its language, and do not skip heading levels."
    Section "QUALITY-03" Quality Warning "No section has more than 100 lines"
        why "An agent follows only part of a long section and misses what matters."
        example "a section `Reference` of 300 lines"
        fix "Split it, or move it to references/ and say when to read it." @ "Quality checklist, point 3"
    Verb "QUALITY-04.verb" Quality Info "The description begins with what the skill does"
        why "Clients compare the description with what the user asks for; a leading verb matches best."
        example "description: A powerful tool for PDF files." fix "Begin with a verb: `Extracts text from PDF files.`"
        @ "Quality checklist, point 4"
    Repeats "QUALITY-04.name" Quality Warning "The description says more than the name"
        why "The name is listed beside it; a description that repeats it tells a client nothing."
        example "name: review-code, description: Review code." fix "Say what is done, with what, and when to use it."
        @ "Quality checklist, point 4"
    Person "QUALITY-04.person" Quality Warning "The description speaks of the skill, in the third person"
        why "It is put into the client's own instructions, where `I` and `you` mean somebody else."
        example "description: I can help you with PDF files." fix "Write `Extracts ...` and `Use when ...`."
        @ "Quality checklist, point 4"
    WhenToUse "QUALITY-05" Quality Info "The description, not the body, says when to use the skill"
        why "The body is read after the skill is chosen; a section on when to choose it comes too late."
        example "## When to use this skill" fix "Move it to the description as `Use when ...`."
        @ "Quality checklist, point 5"
    Generic "QUALITY-06" Quality Info "Sections are named after tasks"
        why "An agent looks for the task at hand; `Instructions` and `Step 3` do not name one." example "## Instructions"
        fix "Name the task: `How to check a link`." @ "Quality checklist, point 6"
    Filler "QUALITY-08" Quality Info "The text is concise"
        why "Phrases that say nothing cost tokens every time the skill is used."
        example "It is important to note that, in order to ..." fix "Delete the phrase." @ "Quality checklist, point 8"
    Unreal "QUALITY-09" Quality Info "Examples use realistic data"
        why "An agent learns the shape of real data from an example; foo and bar have none."
        example "parse(\"foo\", \"bar\")" fix "Use data that a user would have." @ "Quality checklist, point 9"
    Alone "QUALITY-12" Quality Info "A SKILL.md of more than 200 lines has references/"
        why "Details in references/ are read only when they are needed."
        example "a SKILL.md of 350 lines and no other file"
        fix "Move details to references/ and say in SKILL.md when to read each." @ "Quality checklist, point 12"
    Stale "STALE-01" Quality Warning "What the body tells an agent to run or to read is there"
        why "Makefiles, scripts and files change; a step that names what is gone fails in the middle of the work."
        example "`make lint`, in a project whose Makefile has no target `lint`"
        fix "Name what is there now, or remove the step." @ "Hefesto, validate"
    Ignore "IGNORE-01" Quality Warning "An ignore comment gives a reason and names no T0 rule"
        why "Without a reason, a later reader cannot judge whether ignoring the finding is right."
        example "<!-- hefesto: ignore S16 -->"
        fix "Write `<!-- hefesto: ignore S16 reason: one table, read as a whole -->`." @ "Hefesto, validate"
    PortNameMissing "PORT-NAME-MISSING" Portability Error "The client needs a name"
        why "Some clients use the folder's name instead; others do not load the skill."
        example "a frontmatter with a description only" fix "Give a name, the same as the folder's." @ MEASURED
    PortNameLength "PORT-NAME-LENGTH" Portability Error "The name is within the client's limit"
        why "Clients with a limit do not load a skill with a longer name."
        example "a name of 65 characters, for Copilot and Codex" fix "Shorten the name to 64 characters." @ MEASURED
    PortNameForm "PORT-NAME-FORM" Portability Error "The client accepts the name's characters"
        why "Clients replace or refuse characters outside their own pattern, most of them silently."
        example "name: Review_Code, for Copilot" fix "Use lowercase ASCII letters, digits and single hyphens."
        @ MEASURED
    PortFolder "PORT-NAME-FOLDER" Portability Warning "The client calls the skill by its `name`"
        why "Clients that use the folder's name do not show the name in the file."
        example "reviewing/SKILL.md with name: review-code, for Claude Code"
        fix "Use one name for the folder and the skill." @ MEASURED
    PortReserved "PORT-NAME-RESERVED" Portability Error "The name is not reserved by the client"
        why "A reserved name is refused, or hides the skill behind the client's own."
        example "name: claude-helper, for the Claude API" fix "Choose another name." @ DOCUMENTED
    PortDescriptionMissing "PORT-DESCRIPTION-MISSING" Portability Error "The client needs a description"
        why "Without one a client drops the skill, hides it from the model, or shows a line of the body."
        example "a frontmatter with a name only" fix "Say what the skill does and when to use it." @ MEASURED
    PortDescriptionLength "PORT-DESCRIPTION-LENGTH" Portability Error "The description is within the client's limit"
        why "Clients with a limit skip the skill, some of them silently."
        example "a description of 1100 characters, for Copilot"
        fix "Shorten it to 1024 characters; give the details in the body." @ MEASURED
    PortDescriptionCut "PORT-DESCRIPTION-CUT" Portability Warning "The client shows the whole description"
        why "Text after the cut does not count when a skill is chosen."
        example "a description and `when_to_use` of 1600 characters, for Claude Code"
        fix "Put the deciding words first, and shorten the rest." @ MEASURED
    PortTags "PORT-TAGS" Portability Error "Name and description contain no tags"
        why "The Claude API refuses the upload." example "description: Makes <b>bold</b> text"
        fix "Use words instead of the tag." @ DOCUMENTED
    PortBom "PORT-BOM" Portability Error "The file does not begin with a byte order mark"
        why "Clients that look for `---` at the first byte find no frontmatter and drop the skill."
        example "EF BB BF before ---, for Codex and Gemini CLI" fix "Save the file as UTF-8 without a byte order mark."
        @ MEASURED
    PortColon "PORT-YAML-COLON" Portability Error "A value with a colon is quoted"
        why "Most clients repair it; Copilot does not load the skill." example "description: Use when: the user asks"
        fix "Put the value in quotes." @ MEASURED
    PortYaml "PORT-YAML" Portability Error "The client can read the frontmatter"
        why "Some clients drop frontmatter that is not YAML; others guess line by line." example "description: \"open"
        fix "Write valid YAML." @ "Hefesto, portability: the clients' code and documentation, 2026"
    PortNested "PORT-NESTED" Portability Error "The skill is where the client looks"
        why "Claude Code, Gemini CLI and Qwen Code look one folder deep; a skill in a group of skills is not found."
        example ".claude/skills/team/review-code/SKILL.md"
        fix "Move the skill's folder directly below the skills directory." @ MEASURED
    PortField "PORT-FIELD" Portability Info "The client reads the field"
        why "A field that a client does not read changes nothing there." example "argument-hint, for Codex"
        fix "Do not rely on it in this client." @ MEASURED
    PortFieldRefused "PORT-FIELD-REFUSED" Portability Error "The client accepts every field"
        why "The Claude API accepts only the six fields of the specification."
        example "model: opus, for the Claude API" fix "Move it under `metadata`, or remove it." @ DOCUMENTED
    PortInvocation "PORT-INVOCATION" Portability Warning "The client respects disable-model-invocation"
        why "Where it is ignored, the model can use the skill without being asked."
        example "disable-model-invocation: true, for Codex"
        fix "Tell the agent in the body to ask first, or do not install the skill there." @ MEASURED
    PortList "PORT-LIST" Portability Warning "A field is a list where the client reads lists"
        why "A value of another kind is ignored." example "paths: src/**, for Qwen Code"
        fix "Write one entry on each line, with `- ` in front." @ "Hefesto, portability: the client's code, 2026"
    PortSyntax "PORT-SYNTAX" Portability Warning "The body has no syntax of another client"
        why "Claude Code replaces variables and runs commands in a body; other clients pass them to the model as text."
        example "Run ${CLAUDE_SKILL_DIR}/scripts/check.sh, for Codex"
        fix "Use words: `Run scripts/check.sh of this skill`." @ MEASURED
    PortArguments "PORT-ARGUMENTS" Portability Warning "The body explains a placeholder for arguments"
        why "Most clients do not replace a placeholder in a skill; the model reads it as text."
        example "Review $ARGUMENTS, for Codex"
        fix "Say in brackets after it what it is: `Request: $ARGUMENTS (what the user asks for)`." @ MEASURED
    PortValidators "PORT-VALIDATORS" Portability Warning "Validators agree about the file"
        why "A file that one validator accepts and another refuses may be rejected somewhere. Checked by the profile `strict`."
        example "metadata: {version: \"1\"}" fix "Write it in the form that all of them accept."
        @ "Hefesto, portability: the validators' code, 2026"
    NotExecutable "W-VALIDATE-001" Quality Warning "Scripts are executable"
        why "A script with a `#!` line is meant to be run directly, which fails without the executable bit; an executable script without the line fails too."
        example "scripts/check.sh with mode 0644" fix "Run `chmod +x` on the script." @ "Hefesto, validate"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_rows_complete() {
        let mut ids: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), RULES.len());
        for rule in RULES {
            for text in [rule.title, rule.why, rule.example, rule.fix, rule.source] {
                assert!(text.len() > 4, "{}", rule.id);
            }
        }
    }

    #[test]
    fn a_rule_is_found_in_any_case() {
        assert_eq!(find("t0-hefesto-11.SECRET").map(|rule| rule.id), Some("T0-HEFESTO-11.secret"));
        assert!(find("T0-HEFESTO-99").is_none());
    }
}
