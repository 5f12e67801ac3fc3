//! What P2 makes and the gate may revise: a skill's text, its resources, and one copy of it per target.

use serde_json::{Value, json};

use crate::skill::metadata::Metadata;
use crate::skill::{Blob, Tree, template};
use crate::target::Target;

/// Where a draft comes from.
pub enum Source {
    /// Words: the template makes the text.
    Brief(Box<Brief>),
    /// A draft a person changed at the gate.
    Draft(Box<Draft>),
}

/// What P1 makes: everything that was asked for, checked.
#[derive(Debug, Clone)]
pub struct Brief {
    /// The sentence, trimmed, ≤ 2000 characters.
    pub description: String,
    /// The name, where one was given. May still be too long: P3 says so.
    pub name: Option<String>,
    /// The body's main part, where one was given.
    pub body: Option<String>,
    /// Files to bring along.
    pub resources: Vec<Resource>,
    /// For whom.
    pub targets: Vec<Target>,
    /// The template's name.
    pub template: String,
    /// The licence.
    pub license: String,
}

/// A file brought along in `scripts/`, `references/` or `assets/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its path inside the skill, such as `scripts/run.sh`.
    pub path: String,
    /// Its content. Scripts are executable.
    pub blob: Blob,
}

/// A generated skill, before anybody judged it.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The name, also the directory's.
    pub name: String,
    /// The description of the frontmatter.
    pub description: String,
    /// The category.
    pub category: String,
    /// The tags.
    pub tags: Vec<String>,
    /// The template it was made with.
    pub template: String,
    /// The text of SKILL.md, arguments written `$ARGUMENTS`.
    pub text: String,
    /// The sidecar, without the platforms.
    pub metadata: Metadata,
    /// Files brought along.
    pub resources: Vec<Resource>,
    /// For whom.
    pub targets: Vec<Target>,
}

/// One target's copy, byte for byte as it would be written.
#[derive(Debug, Clone)]
pub struct Copy {
    /// Whose.
    pub target: Target,
    /// Where, relative to the root.
    pub at: String,
    /// What.
    pub tree: Tree,
}

impl Draft {
    /// The copy of every target, with that target's way to write arguments (T0-HEFESTO-09).
    #[must_use]
    pub fn copies(&self) -> Vec<Copy> {
        let metadata = self.metadata.to_yaml();
        self.targets
            .iter()
            .map(|target| {
                let mut tree = Tree::new();
                tree.put("SKILL.md", template::adapt(&self.text, target.arguments));
                tree.put("metadata.yaml", metadata.clone());
                for resource in &self.resources {
                    tree.put_blob(resource.path.clone(), resource.blob.clone());
                }
                Copy { target: target.clone(), at: target.skill_dir(&self.name), tree }
            })
            .collect()
    }

    /// The state P2 leaves in the working memory.
    #[must_use]
    pub fn state(&self, at: &str) -> Value {
        json!({
            "skill_name": self.name,
            "skill_content": self.text,
            "metadata": self.metadata,
            "template_used": self.template,
            "category_inferred": self.category,
            "tags_inferred": self.tags,
            "resources": self.resources.iter().map(|resource| &resource.path).collect::<Vec<_>>(),
            "generated_at": at,
        })
    }
}
