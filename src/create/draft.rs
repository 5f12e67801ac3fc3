//! The request P1 makes and the draft P2 makes of it: a skill's text, its resources, and one copy per target.

use serde_json::{Value, json};

use super::{Attachments, Resource, Run, generate::Made};
use crate::client::target::{Target, Targets};
use crate::skill::body::{Body, Remembered};
use crate::skill::{Tree, fact::Facts, metadata::Metadata, template};

pub enum Source {
    /// A request: the template makes the text.
    Request(Box<SkillRequest>),
    /// A draft that was changed at the gate.
    Draft(Box<Draft>),
}

/// What P1 makes: everything the user asked for, checked.
#[derive(Debug, Clone, Default)]
pub struct SkillRequest {
    /// The sentence, trimmed, ≤ 2000 characters.
    pub description: String,
    /// The name, if one was given. It may be too long: P3 checks that.
    pub name: Option<String>,
    /// The body's main part, if one was given.
    pub body: Option<String>,
    pub resources: Vec<Resource>,
    pub targets: Vec<Target>,
    pub template: String,
    pub license: String,
    /// Files with facts, sources, evaluations, answers, packs.
    pub attachments: Attachments,
    /// What the repository says.
    pub facts: Facts,
    /// What the memory has on the subject.
    pub remembered: Vec<Remembered>,
    /// Further texts from the memory for a drafter, each with its source.
    pub background: Vec<(String, String)>,
    /// The original author, when the skill is made again.
    pub author: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub struct Draft {
    pub name: String,
    pub description: String,
    pub category: String,
    pub tags: Vec<String>,
    pub template: String,
    /// The text of SKILL.md, arguments written `$ARGUMENTS`.
    pub text: String,
    /// metadata.yaml without the platforms.
    pub metadata: Metadata,
    pub resources: Vec<Resource>,
    pub targets: Vec<Target>,
    /// The AI CLI that wrote the text, if one did.
    pub drafted_by: Option<String>,
    /// Why no AI CLI wrote it although one was asked.
    pub undrafted: Option<String>,
    /// Commands in a drafted text that are in no input of the drafter.
    pub added_commands: Vec<String>,
    /// What was changed in a drafted text before it was used, a line each.
    pub amended: Vec<String>,
    /// The author's note for a revision that was interrupted.
    pub note: Option<String>,
    /// The author's answers by the key of their question.
    pub answers: std::collections::BTreeMap<String, String>,
    /// The assembled body, if the text contains it.
    pub body: Option<Body>,
    /// The lines from the memory, in the order the gate numbers them.
    pub remembered: Vec<Remembered>,
    /// What it was assembled from, and the resulting text.
    pub made: Option<Made>,
}

/// One target's copy, byte for byte as it would be written.
#[derive(Debug, Clone)]
pub struct Copy {
    pub target: Target,
    /// Its path relative to the root.
    pub at: String,
    pub tree: Tree,
}

impl Draft {
    /// The copy of every target, with the argument placeholder of that target (T0-HEFESTO-09). If one of them goes to
    /// the shared directory, which clients with either placeholder read, no copy has one: some clients read two copies,
    /// and all must be the same.
    pub fn copies(&self) -> Vec<Copy> {
        let metadata = self.metadata.to_yaml();
        let shared = self.targets.iter().any(|target| target.id == "agents").then(|| template::unprompted(&self.text));
        self.targets
            .iter()
            .map(|target| {
                let mut tree = Tree::new();
                let text = shared.clone().unwrap_or_else(|| template::adapt(&self.text, target.arguments));
                tree.put("SKILL.md", text);
                tree.put("metadata.yaml", metadata.clone());
                for resource in &self.resources {
                    tree.put_blob(resource.path.clone(), resource.blob.clone());
                }
                Copy { target: target.clone(), at: target.skill_dir(&self.name), tree }
            })
            .collect()
    }

    /// The state P2 leaves in the working memory (RING-3).
    pub fn state(&self, at: &str) -> Value {
        json!({
            "skill_name": self.name, "skill_content": self.text, "metadata": self.metadata,
            "template_used": self.template, "drafted_by": self.drafted_by, "draft_failed": self.undrafted,
            "added_commands": self.added_commands, "amended": self.amended, "note": self.note, "answers": self.answers,
            "body": self.body, "remembered": self.remembered, "made_from": self.made.as_ref().map(|made| &made.from),
            "made_text": self.made.as_ref().map(|made| &made.text).filter(|text| **text != self.text),
            "category_inferred": self.category, "tags_inferred": self.tags,
            "resources": self.resources.iter().map(Resource::json).collect::<Vec<_>>(), "generated_at": at,
        })
    }

    /// Reads the draft back from a state of P2. `None` when it is incomplete.
    pub fn from_state(state: &Value, targets: Vec<Target>) -> Option<Self> {
        let text = |key: &str| state[key].as_str().map(str::to_owned);
        let metadata: Metadata = serde_json::from_value(state["metadata"].clone()).ok()?;
        Some(Self {
            name: text("skill_name")?,
            description: metadata.description.clone(),
            category: text("category_inferred")?,
            tags: metadata.tags.clone(),
            template: text("template_used")?,
            drafted_by: text("drafted_by"),
            undrafted: text("draft_failed"),
            added_commands: serde_json::from_value(state["added_commands"].clone()).unwrap_or_default(),
            amended: serde_json::from_value(state["amended"].clone()).unwrap_or_default(),
            note: text("note"),
            answers: serde_json::from_value(state["answers"].clone()).unwrap_or_default(),
            body: serde_json::from_value(state["body"].clone()).unwrap_or_default(),
            remembered: serde_json::from_value(state["remembered"].clone()).unwrap_or_default(),
            made: made_of(state),
            text: text("skill_content")?,
            resources: resources_of(state)?,
            metadata,
            targets: (!targets.is_empty()).then_some(targets)?,
        })
    }
}

impl SkillRequest {
    /// A request with the flags and settings that have a default, and nothing else.
    pub(super) fn unfilled(run: &Run<'_>) -> Self {
        Self {
            template: run.args.template.clone().unwrap_or_else(|| run.settings.template.value.clone()),
            license: run.args.license.clone().unwrap_or_else(|| run.settings.license.value.clone()),
            ..Self::default()
        }
    }

    /// A hash of everything the skill is made from but the template, the clock and the targets: BLAKE3, hexadecimal.
    pub fn hash(&self) -> String {
        let input = json!([
            self.description,
            self.name,
            self.body,
            self.license,
            self.attachments,
            self.resources.iter().map(Resource::json).collect::<Vec<_>>(),
        ]);
        blake3::hash(input.to_string().as_bytes()).to_hex().to_string()
    }

    /// Reads the request back from a state of P1, with what the repository says. `None` when it is incomplete.
    pub fn from_state(state: &Value, targets: Vec<Target>, facts: Facts) -> Option<Self> {
        let text = |key: &str| state[key].as_str().map(str::to_owned);
        Some(Self {
            description: text("description")?,
            name: text("name"),
            body: text("body"),
            resources: resources_of(state)?,
            targets: (!targets.is_empty()).then_some(targets)?,
            template: text("template_name")?,
            license: text("license")?,
            attachments: serde_json::from_value(state["given"].clone()).unwrap_or_default(),
            facts,
            remembered: serde_json::from_value(state["remembered"].clone()).unwrap_or_default(),
            background: serde_json::from_value(state["background"].clone()).unwrap_or_default(),
            author: text("author"),
        })
    }
}

/// Reads what a draft was assembled from. The text is omitted in the state when it equals the draft's.
fn made_of(state: &Value) -> Option<Made> {
    let from = serde_json::from_value(state["made_from"].clone()).ok()?;
    let text = state["made_text"].as_str().or(state["skill_content"].as_str())?;
    Some(Made { from, text: text.to_owned() })
}

/// The targets of a state of P1, as far as the table knows them.
pub(super) fn targets_of(state: &Value, all: &Targets) -> Vec<Target> {
    let ids = state["targets"].as_array().into_iter().flatten().filter_map(Value::as_str);
    ids.filter_map(|id| all.get(id)).cloned().collect()
}

pub(super) fn resources_of(state: &Value) -> Option<Vec<Resource>> {
    state["resources"].as_array()?.iter().map(Resource::from_json).collect()
}
