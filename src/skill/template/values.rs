//! The variables of templates, their meanings and their values.

use minijinja::Value;

use crate::client::target::Arguments;
use crate::skill::body::heading;
use crate::skill::sentence::{Archetype, Category, Clause, Language, Sentence, describe};

/// `{{args}}`, which templates may write as some clients do.
pub(super) const ARGS: &str = "args";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    pub name: String,
    pub title: String,
    /// `SKILL_DESCRIPTION`: the frontmatter's, one line, at most 1024 scalars.
    pub description: String,
    pub full_description: String,
    /// `SKILL_BODY`: the person's own instructions, Markdown; may be empty.
    pub body: String,
    /// Further input that may answer a question of the template; no variable.
    pub known: String,
    /// `INPUT`: the line that names the request.
    pub input: String,
    /// `INSTRUCTIONS`: the assembled body below the title.
    pub instructions: String,
    /// `INSTRUCTIONS` written by another program, in place of the assembled ones.
    pub drafted: Option<String>,
    /// `CREATED_DATE`: `YYYY-MM-DD`.
    pub created_date: String,
    pub version: String,
    pub author: String,
    pub license: String,
    pub category: Category,
    pub tags: Vec<String>,
    pub platforms: Vec<String>,
    /// `DEPENDENCIES`: required software.
    pub dependencies: Vec<String>,
    /// `RESOURCES`: paths inside the skill, such as `references/rules.md`.
    pub resources: Vec<String>,
    /// `RULES`: the rules in the author's words.
    pub rules: Vec<String>,
    pub archetype: Archetype,
    pub verb: String,
    pub object: String,
    pub task: String,
    /// `LANGUAGE`: of the description; decides the language of the built-in texts.
    pub language: Language,
}

impl Values {
    /// The values that follow from a name and a description; `words` are phrases people use for this work.
    ///
    /// `version` is `1.0.0`, `license` MIT, `author` `user`; lists and texts of a body are empty until set.
    pub fn new(name: &str, description: &str, sentence: &Sentence, words: &[String], created_date: &str) -> Self {
        let first = sentence.head.iter().chain(&sentence.clauses).next();
        let text = |of: fn(&Clause) -> &String| first.map(|clause| inert(of(clause))).unwrap_or_default();
        Self {
            name: name.to_owned(),
            title: inert(&heading(sentence)),
            description: describe(sentence, words),
            full_description: description.trim().to_owned(),
            body: String::new(),
            known: String::new(),
            input: String::new(),
            instructions: String::new(),
            drafted: None,
            created_date: created_date.to_owned(),
            version: "1.0.0".to_owned(),
            author: "user".to_owned(),
            license: "MIT".to_owned(),
            category: sentence.category,
            tags: sentence.tags.clone(),
            platforms: Vec::new(),
            dependencies: Vec::new(),
            resources: Vec::new(),
            rules: sentence.rules.iter().map(|rule| inert(rule)).collect(),
            archetype: sentence.archetype,
            verb: text(|clause| &clause.written),
            object: text(|clause| &clause.object),
            task: text(|clause| &clause.text),
            language: sentence.language,
        }
    }

    /// The values by their names in templates, which are those of [`MEANINGS`].
    pub(super) fn context(&self, arguments: Arguments) -> Value {
        let text = |text: &str| Value::from(text);
        let list = |items: &[String]| Value::from(items.to_vec());
        let map = [
            ("ARCHETYPE", text(self.archetype.word())),
            ("ARGUMENTS", text(arguments.placeholder())),
            (ARGS, text(arguments.placeholder())),
            ("AUTHOR", text(&self.author)),
            ("CATEGORY", text(self.category.word())),
            ("CREATED_DATE", text(&self.created_date)),
            ("DEPENDENCIES", list(&self.dependencies)),
            ("FULL_DESCRIPTION", text(&self.full_description)),
            ("INPUT", text(&self.input)),
            ("INSTRUCTIONS", text(self.drafted.as_deref().unwrap_or(&self.instructions).trim())),
            ("LANGUAGE", text(self.language.code())),
            ("LICENSE", text(&self.license)),
            ("OBJECT", text(&self.object)),
            ("PLATFORMS", list(&self.platforms)),
            ("RESOURCES", list(&self.resources)),
            ("RULES", list(&self.rules)),
            ("SKILL_BODY", text(&sections(&self.body))),
            ("SKILL_DESCRIPTION", text(&self.description)),
            ("SKILL_NAME", text(&self.name)),
            ("SKILL_TITLE", text(&self.title)),
            ("TAGS", list(&self.tags)),
            ("TASK", text(&self.task)),
            ("VERB", text(&self.verb)),
            ("VERSION", text(&self.version)),
        ];
        Value::from_pairs(map)
    }
}

/// Makes a text inert: no shell command that a client would run.
fn inert(text: &str) -> String {
    text.replace("!`", "! `")
}

/// The person's text as part of a skill: LF line ends, headings from the second level on.
fn sections(body: &str) -> String {
    let body = body.replace("\r\n", "\n").replace('\r', "\n");
    let body = body.trim_matches('\n').trim_end();
    let level = |line: &str| line.len() - line.trim_start_matches('#').len();
    let heading = |line: &str| {
        (1..=6).contains(&level(line)) && line.get(level(line)..).is_some_and(|rest| rest.starts_with(' '))
    };
    let mut fence: Option<&str> = None;
    let mut lines: Vec<(bool, &str)> = Vec::new();
    for line in body.lines() {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        lines.push((fence.is_none() && mark.is_none() && heading(line), line));
        fence = match (fence, mark) {
            (None, found) => found,
            (Some(open), Some(found)) if open == found => None,
            (open, _) => open,
        };
    }
    let highest = lines.iter().filter(|(is, _)| *is).map(|(_, line)| level(line)).min().unwrap_or(2);
    let deeper = "#".repeat(2_usize.saturating_sub(highest));
    let lines = lines.iter().map(|(is, line)| if *is { format!("{deeper}{line}") } else { (*line).to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}

/// Every variable with its meaning, in the order of the names.
pub const MEANINGS: [(&str, &str); 23] = [
    ("ARCHETYPE", "the kind of work, such as `validate`"),
    ("ARGUMENTS", "where the client puts the request: `$ARGUMENTS` or `{{args}}`"),
    ("AUTHOR", "who makes the skill"),
    ("CATEGORY", "one of the six categories"),
    ("CREATED_DATE", "the day it is made, YYYY-MM-DD"),
    ("DEPENDENCIES", "list: what has to be installed; may be empty"),
    ("FULL_DESCRIPTION", "the description as it was given"),
    ("INPUT", "the line that names the request: label, placeholder and what a request names"),
    (
        "INSTRUCTIONS",
        "what follows that line: made of the sentence, the repository, domain packs and answers, or drafted",
    ),
    ("LANGUAGE", "the language of the description: en, pt or es"),
    ("LICENSE", "the licence's id"),
    ("OBJECT", "what the work is done to"),
    ("PLATFORMS", "list: the ids of the targets"),
    ("RESOURCES", "list: paths of files that come along; may be empty"),
    ("RULES", "list: what must hold, in the author's words; may be empty"),
    ("SKILL_BODY", "the person's own instructions; may be empty"),
    ("SKILL_DESCRIPTION", "the frontmatter's description"),
    ("SKILL_NAME", "the name"),
    ("SKILL_TITLE", "the first sentence of the description as a heading"),
    ("TAGS", "list: three to eight tags"),
    ("TASK", "the first thing that is to be done"),
    ("VERB", "the verb in its base form; may be empty"),
    ("VERSION", "the skill's version"),
];
