//! The plan: what would be written where. Shown at the gate, printed by a dry run, executed by the transaction.

use serde_json::{Value, json};

use crate::client::target::Target;
use crate::skill::Tree;

word_enum! {
    /// What is done about one target.
    Action {
        Create = "create",
        /// The copy there is replaced, after a verified backup.
        Overwrite = "overwrite",
        /// The copy there and the new one become one, after a verified backup.
        Merge = "merge",
        Skip = "skip",
        /// There is a copy and nobody has said what to do (dry run only).
        Undecided = "collision",
    }
}

impl Action {
    pub fn writes(self) -> bool {
        matches!(self, Self::Create | Self::Overwrite | Self::Merge)
    }
}

/// What exists where a copy would go.
#[derive(Debug, Clone)]
pub struct Existing {
    pub tree: Tree,
    /// Its creation time according to its metadata, else to the file system.
    pub created: Option<String>,
    /// When one of its files was last changed.
    pub modified: Option<String>,
    pub version: Option<String>,
    pub author: Option<String>,
    /// The run that wrote it, if the memory knows.
    pub origin: Option<Origin>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The run that wrote it last.
    pub run: String,
    /// Whether its files differ from what that run wrote.
    pub edited: bool,
}

impl Existing {
    pub fn provenance(&self) -> String {
        match &self.origin {
            None => "not made by hefesto, as far as this project's memory goes".into(),
            Some(Origin { run, edited: false }) => format!("hefesto, run {run}; not edited since"),
            Some(Origin { run, edited: true }) => format!("hefesto, run {run}; edited since"),
        }
    }
}

#[derive(Debug, Clone)]
pub struct PlannedCopy {
    pub target: Target,
    /// The path relative to the root.
    pub at: String,
    /// The path in messages and answers.
    pub display_path: String,
    /// The path relative to the current directory, for people.
    pub local_path: String,
    pub action: Action,
    /// The files after the run.
    pub tree: Tree,
    pub existing: Option<Existing>,
}

#[derive(Debug, Clone)]
pub struct Plan {
    pub name: String,
    pub entries: Vec<PlannedCopy>,
}

impl Plan {
    /// The entries whose path exists already.
    pub fn collisions(&self) -> impl Iterator<Item = &PlannedCopy> {
        self.entries.iter().filter(|entry| entry.existing.is_some())
    }

    pub fn written(&self) -> impl Iterator<Item = &PlannedCopy> {
        self.entries.iter().filter(|entry| entry.action.writes())
    }

    /// Gives every collision the same action.
    pub fn decide(&mut self, action: Action) {
        for entry in self.entries.iter_mut().filter(|entry| entry.existing.is_some()) {
            entry.action = action;
        }
    }

    /// Every file that is written, `target directory/inner path`.
    pub fn files(&self) -> Vec<String> {
        self.written()
            .flat_map(|entry| entry.tree.iter().map(move |(path, _)| format!("{}/{path}", entry.display_path)))
            .collect()
    }

    /// BLAKE3 over the paths, actions and bytes, creation times left out, and over what would be replaced: what
    /// `--approve` takes.
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("hefesto create plan v2");
        for entry in &self.entries {
            let before = entry.existing.as_ref().map(|existing| existing.tree.digest()).unwrap_or_default();
            for part in [entry.at.as_str(), entry.action.word(), &timeless(&entry.tree).digest(), &before] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part.as_bytes());
            }
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Whether every copy is installed already as it would be written, and this is the digest of the plan that created
    /// them.
    pub fn in_place(&self, approved: &str) -> bool {
        let same = |entry: &PlannedCopy| {
            entry
                .existing
                .as_ref()
                .is_some_and(|there| timeless(&there.tree).digest() == timeless(&entry.tree).digest())
        };
        let mut first = self.clone();
        for entry in &mut first.entries {
            (entry.existing, entry.action) = (None, Action::Create);
        }
        self.entries.iter().all(same) && first.digest() == approved
    }

    pub fn targets_json(&self) -> Value {
        let targets = self.entries.iter();
        targets
            .map(|entry| json!({ "id": entry.target.id, "path": entry.display_path, "action": entry.action.word() }))
            .collect()
    }
}

fn timeless(tree: &Tree) -> Tree {
    let mut without = tree.clone();
    if let Some(text) = tree.text("metadata.yaml") {
        let lines = text.lines().filter(|line| !line.starts_with("created:") && !line.starts_with("updated:"));
        without.put("metadata.yaml", lines.collect::<Vec<_>>().join("\n"));
    }
    without
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::target::Targets;

    fn plan(metadata: &str, text: &str) -> Plan {
        let targets = Targets::with(Vec::new());
        let target = targets.get("claude").cloned().unwrap();
        let mut tree = Tree::new();
        tree.put("SKILL.md", text);
        tree.put("metadata.yaml", metadata);
        let at = target.skill_dir("x");
        let (display_path, local_path, action, existing) = (at.clone(), at.clone(), Action::Create, None);
        let entry = PlannedCopy { target, at, display_path, local_path, action, tree, existing };
        Plan { name: "x".to_owned(), entries: vec![entry] }
    }

    #[test]
    fn the_digest_leaves_creation_times_out_and_sees_everything_else() {
        let first = plan("version: \"1\"\ncreated: \"2026-01-01T00:00:00Z\"\n", "a").digest();
        assert_eq!(first, plan("version: \"1\"\ncreated: \"2027-01-01T00:00:00Z\"\n", "a").digest());
        assert_ne!(first, plan("version: \"2\"\ncreated: \"2026-01-01T00:00:00Z\"\n", "a").digest());
        assert_ne!(first, plan("version: \"1\"\ncreated: \"2026-01-01T00:00:00Z\"\n", "b").digest());
        let mut skipped = plan("version: \"1\"\n", "a");
        let before = skipped.digest();
        skipped.entries[0].action = Action::Skip;
        assert_ne!(before, skipped.digest());
    }

    #[test]
    fn the_digest_sees_what_would_be_replaced() {
        let over = |text: &str| {
            let mut plan = plan("version: \"1\"\n", "new");
            let mut tree = Tree::new();
            tree.put("SKILL.md", text);
            let (created, modified, version, author, origin) = (None, None, None, None, None);
            plan.entries[0].existing = Some(Existing { tree, created, modified, version, author, origin });
            plan.decide(Action::Overwrite);
            plan.digest()
        };
        assert_eq!(over("old"), over("old"));
        assert_ne!(over("old"), over("edited"));
    }
}
