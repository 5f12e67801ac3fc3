//! What a template can name.

use minijinja::Value;

use crate::client::target::Arguments;
use crate::skill::describe::{Telling, use_when};
use crate::skill::name::Name;
use crate::skill::understand::{Archetype, Category, Language, Role, Understanding};

/// Every variable a template may use.
pub const VARIABLES: &[&str] = &[
    "ARCHETYPE", "ARGUMENTS", "ASSIGNMENT", "AUDIENCE", "AUTHOR", "CATEGORY", "CREATED_DATE", "DEPENDENCIES",
    "EXAMPLE_PROMPT", "FULL_DESCRIPTION", "INSTRUCTIONS", "LANGUAGE", "LICENSE", "OBJECT", "OVERFLOW", "OVERVIEW",
    "PLATFORMS", "PURPOSE", "RESOURCES", "RESULT", "SKILL_BODY", "SKILL_DESCRIPTION", "SKILL_NAME", "SKILL_TITLE",
    "SOURCE", "TAGS", "TASK", "TECHNIQUE", "TOOLS", "USE_WHEN", "VERB", "VERSION",
];

/// `{{args}}`, which templates may write as some clients do.
pub(super) const ARGS: &str = "args";

/// The values of one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    /// `SKILL_NAME`
    pub name: String,
    /// `SKILL_TITLE`
    pub title: String,
    /// `SKILL_DESCRIPTION`: the frontmatter's, one line, at most 1024 scalars.
    pub description: String,
    /// `FULL_DESCRIPTION`: as the person gave it.
    pub full_description: String,
    /// `OVERVIEW`: what the body begins with; holds the full description when the frontmatter's is shortened.
    pub overview: String,
    /// `SKILL_BODY`: the person's own instructions, Markdown; may be empty.
    pub body: String,
    /// What else the person gave, where it answers a question of the template; no variable of its own.
    pub known: String,
    /// `INSTRUCTIONS` written for this skill, in place of those of its kind of work.
    pub drafted: Option<String>,
    /// `CREATED_DATE`: `YYYY-MM-DD`.
    pub created_date: String,
    /// `VERSION`
    pub version: String,
    /// `AUTHOR`
    pub author: String,
    /// `LICENSE`
    pub license: String,
    /// `CATEGORY`
    pub category: Category,
    /// `TAGS`
    pub tags: Vec<String>,
    /// `PLATFORMS`: target ids.
    pub platforms: Vec<String>,
    /// `DEPENDENCIES`: what has to be installed.
    pub dependencies: Vec<String>,
    /// `RESOURCES`: paths inside the skill, such as `references/rules.md`.
    pub resources: Vec<String>,
    /// `ARCHETYPE`, and the choice of `INSTRUCTIONS`.
    pub archetype: Archetype,
    /// `USE_WHEN`: the sentence that says when.
    pub use_when: String,
    /// `EXAMPLE_PROMPT`: something a person would ask.
    pub example_prompt: String,
    /// `VERB`: may be empty.
    pub verb: String,
    /// `OBJECT`: what is acted on.
    pub object: String,
    /// `TASK`: what can follow "how to".
    pub task: String,
    /// `TECHNIQUE`: may be empty.
    pub technique: String,
    /// `ASSIGNMENT`: what the description says, one line for each fact, its role before it.
    pub assignment: Vec<String>,
    /// `OVERFLOW`: the whole description where the frontmatter's and the assignment leave some of it out; mostly empty.
    pub overflow: String,
    /// `SOURCE`: where the input comes from; may be empty.
    pub source: String,
    /// `RESULT`: the form or place of the result; may be empty.
    pub result: String,
    /// `AUDIENCE`: for whom; may be empty.
    pub audience: String,
    /// `PURPOSE`: what for; may be empty.
    pub purpose: String,
    /// `TOOLS`: tools the description names.
    pub tools: Vec<String>,
    /// `LANGUAGE`: of the description; decides the language of the built-in texts.
    pub language: Language,
}

impl Values {
    /// The values that follow from a name and a description; the fields hold what else is known.
    ///
    /// `version` is `1.0.0`, `license` MIT, `author` `user`; lists and the body are empty until set.
    #[must_use]
    pub fn new(name: &str, full_description: &str, understood: &Understanding, created_date: &str) -> Self {
        let own_name = understood.name.as_ref().is_some_and(|own| own.as_str() == name);
        let given = || Name::parse(name).map_or_else(|_| name.to_owned(), |name| name.title());
        let task = &understood.task;
        let mut letters = task.chars();
        let object = match (understood.object.as_str(), understood.language) {
            ("", Language::En) => "the input",
            ("", Language::Pt) => "a entrada",
            ("", Language::Es) => "la entrada",
            (object, _) => object,
        };
        let telling = Telling::of(full_description, understood);
        let (overview, assignment, overflow) = (telling.overview(), telling.assignment(), telling.overflow());
        // "a weekly menu" keeps its article: a sentence that names it would stumble without one.
        let whole = ["a", "an", "the", "every", "each"].iter().map(|article| format!("{article} {object}"));
        let named = |whole: &String| understood.language == Language::En && task.ends_with(&format!(" {whole}"));
        let whole = whole.into_iter().find(named);
        let object = whole.as_deref().unwrap_or(object);
        Self {
            name: name.to_owned(),
            title: if own_name { understood.title.clone() } else { given() },
            description: telling.description,
            full_description: full_description.trim().to_owned(),
            overview,
            body: String::new(),
            known: String::new(),
            drafted: None,
            created_date: created_date.to_owned(),
            version: "1.0.0".to_owned(),
            author: "user".to_owned(),
            license: "MIT".to_owned(),
            category: understood.category,
            tags: understood.tags.clone(),
            platforms: Vec::new(),
            dependencies: Vec::new(),
            resources: Vec::new(),
            archetype: understood.archetype,
            use_when: use_when(full_description, understood),
            example_prompt: letters
                .next()
                .map(|first| first.to_uppercase().chain(letters).collect())
                .unwrap_or_default(),
            verb: understood.verb.clone().unwrap_or_default(),
            object: inert(object),
            task: inert(task),
            technique: inert(understood.technique.as_deref().unwrap_or_default()),
            assignment,
            overflow,
            source: inert(&understood.said(Role::Source)),
            result: inert(&understood.said(Role::Result)),
            audience: inert(&understood.said(Role::Audience)),
            purpose: inert(&understood.said(Role::Purpose)),
            tools: understood.tools.iter().map(|tool| inert(tool)).collect(),
            language: understood.language,
        }
    }

    /// Everything by its name in templates.
    pub(super) fn context(&self, arguments: Arguments, instructions: &str) -> Value {
        let text = |text: &str| Value::from(text);
        let list = |items: &[String]| Value::from(items.to_vec());
        let map = [
            ("ARCHETYPE", text(self.archetype.word())),
            ("ARGUMENTS", text(arguments.placeholder())),
            (ARGS, text(arguments.placeholder())),
            ("ASSIGNMENT", list(&self.assignment)),
            ("AUDIENCE", text(&self.audience)),
            ("AUTHOR", text(&self.author)),
            ("CATEGORY", text(self.category.word())),
            ("CREATED_DATE", text(&self.created_date)),
            ("DEPENDENCIES", list(&self.dependencies)),
            ("EXAMPLE_PROMPT", text(&self.example_prompt)),
            ("FULL_DESCRIPTION", text(&self.full_description)),
            ("INSTRUCTIONS", text(self.drafted.as_deref().map_or(instructions, str::trim))),
            ("LANGUAGE", text(self.language.code())),
            ("LICENSE", text(&self.license)),
            ("OBJECT", text(&self.object)),
            ("OVERFLOW", text(&self.overflow)),
            ("OVERVIEW", text(&self.overview)),
            ("PLATFORMS", list(&self.platforms)),
            ("PURPOSE", text(&self.purpose)),
            ("RESOURCES", list(&self.resources)),
            ("RESULT", text(&self.result)),
            ("SKILL_BODY", text(&sections(&self.body))),
            ("SKILL_DESCRIPTION", text(&self.description)),
            ("SKILL_NAME", text(&self.name)),
            ("SKILL_TITLE", text(&self.title)),
            ("SOURCE", text(&self.source)),
            ("TAGS", list(&self.tags)),
            ("TASK", text(&self.task)),
            ("TECHNIQUE", text(&self.technique)),
            ("TOOLS", list(&self.tools)),
            ("USE_WHEN", text(&self.use_when)),
            ("VERB", text(&self.verb)),
            ("VERSION", text(&self.version)),
        ];
        Value::from_pairs(map)
    }
}

/// A piece of a sentence that starts no shell command where a client would run one.
fn inert(text: &str) -> String {
    text.replace("!`", "! `")
}

/// The person's text as part of a skill: LF line ends, headings one level below the section it stands in.
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
    let highest = lines.iter().filter(|(is, _)| *is).map(|(_, line)| level(line)).min().unwrap_or(3);
    let deeper = "#".repeat(3_usize.saturating_sub(highest));
    lines
        .iter()
        .map(|(is, line)| if *is { format!("{deeper}{line}") } else { (*line).to_owned() })
        .collect::<Vec<_>>()
        .join("\n")
}
