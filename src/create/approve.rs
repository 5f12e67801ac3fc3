//! P4: the plan, which is what would be written where; its collisions, and the gate. The plan is shown at the gate,
//! printed by a dry run, executed by the transaction.

use std::path::Path;

use serde_json::{Value, json};

use super::{Copy, Run, Valid, Verdict, collision, drafter, gate, trigger};
use crate::error::{Code, Error, Result};
use crate::memory::{Facts, ring::Phase};
use crate::report::slashed::Slashed;
use crate::skill::body::Body;
use crate::skill::{Tree, metadata::Metadata};
use crate::system::{input, rooted};
use crate::transaction::{self, Roots};

/// Runs P4. Errors: E-CREATE-003/006/010/011/012/013, or a signal. Nothing has been written.
pub(super) fn approve(run: &mut Run<'_>, valid: Valid) -> Result<Verdict> {
    run.enter(Phase::Approve);
    let copies = valid.draft().copies();
    let roots = run.project.roots().of_one_moment();
    all_writable(run, &roots, &copies)?;
    let entries = copies.into_iter().map(|copy| planned(run, &roots, copy)).collect::<Result<Vec<_>>>()?;
    let mut plan = Plan { name: valid.draft().name.clone(), entries };
    // It is only said of a text that holds little, and asks for seven programs in every directory of PATH.
    let can_draft = valid.draft().body.as_ref().is_some_and(Body::is_generic) && drafter::can_draft(run);
    if run.args.approve.as_ref().is_some_and(|digest| plan.in_place(digest)) {
        plan.decide(Action::Skip);
        let trigger = trigger::trigger(run, &plan, valid.draft());
        return Ok(Verdict::InPlace(Box::new(valid.propose(plan, trigger, can_draft))));
    }
    let resolved = collision::resolve(run, &mut plan, &valid)?;
    if let Some(renamed) = resolved {
        return Ok(Verdict::Revise(renamed));
    }
    let trigger = trigger::trigger(run, &plan, valid.draft());
    trigger.callable(run, &plan)?;
    let (digest, collided) = (plan.digest(), plan.collisions().next());
    let details = collided.map(|entry| {
        json!({
            "existing_path": format!("{}/", entry.display_path),
            "created": entry.existing.as_ref().and_then(|existing| existing.created.clone()),
            "modified": entry.existing.as_ref().and_then(|existing| existing.modified.clone()),
            "provenance": entry.existing.as_ref().map(Existing::provenance),
            "paths": plan.collisions().map(|entry| format!("{}/", entry.display_path)).collect::<Vec<_>>(),
        })
    });
    let action = collided.map(|entry| entry.action.word());
    let archive = plan.written().any(|entry| entry.existing.is_some()).then(|| plan.name.clone());
    let (response, decided) = gate::gate(run, valid.propose(plan, trigger, can_draft))?;
    run.record.decided_at = run.env.now();
    let at = run.env.stamp();
    let by = match &decided {
        Some(Verdict::Approved(approved)) => Some(approved.by().word()),
        _ => None,
    };
    // Without an approval no backup is made.
    let backup = archive
        .filter(|_| by.is_some())
        .map(|name| run.project.display(&format!(".hefesto/backups/{name}-{}.tar.gz", run.decided())));
    let state = json!({
        "collision_detected": details.is_some(), "collision_details": details, "action_chosen": action,
        "backup_path": backup, "new_skill_name": run.collision.renamed(), "human_gate_response": response,
        "human_gate_timestamp": at, "approved_by": by, "digest": digest, "persistence_ready": by.is_some(),
    });
    let facts = Facts { approved_by: by.map(str::to_owned), digest: by.map(|_| digest.clone()), ..Facts::default() };
    run.checkpoint_with(&state, &facts)?;
    gate::verdict(run, decided)
}

/// Every target must be writable before any is touched.
fn all_writable(run: &Run<'_>, roots: &Roots, copies: &[Copy]) -> Result<()> {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    let root = run.project.root();
    if !run.project.is_there() {
        let (above, missing) = first_missing(root);
        transaction::writable(above, &missing).map_err(|unwritable| {
            let message = format!("{} cannot be made: {}: {}", root.slashed(), unwritable.path, unwritable.why);
            let how = if run.project.is_user() { "in HEFESTO_HOME" } else { "with `-C DIR`" };
            Error::new(Code::CreateUnwritable, message).suggest(format!("Name another directory {how}."))
        })?;
        if !run.project.is_user() {
            return Ok(());
        }
    }
    for copy in copies {
        match transaction::writable(roots, &copy.at) {
            Ok(()) => good.push(copy.target.id.as_str()),
            Err(unwritable) => bad.push(format!("{} ({}: {})", copy.target.id, unwritable.path, unwritable.why)),
        }
    }
    for file in ["MEMORY.md", ".hefesto/txn"].iter().filter(|_| run.project.is_there()) {
        if let Err(unwritable) = transaction::writable(roots, file) {
            good.clear();
            bad.push(format!("{} ({})", unwritable.path, unwritable.why));
        }
    }
    if bad.is_empty() {
        return Ok(());
    }
    let error =
        Error::new(Code::CreateUnwritable, format!("cannot be written: {}; nothing was touched", bad.join("; ")));
    let place = match run.project.is_user() {
        true => "--global".to_owned(),
        false => format!("-C {}", shell_words::quote(&root.slashed())),
    };
    let sentence = shell_words::quote(run.args.description.as_deref().unwrap_or("..."));
    let all = run.record.targets.join(",");
    let outside = format!("or run this outside the sandbox: `hefesto {place} create {sentence} --target {all}`.");
    Err(match good.as_slice() {
        [] => error.suggest(format!("Fix that, {outside}")),
        good => {
            let here = good.join(",");
            error.suggest(format!("`--target {here}` works here. For the others, fix that, {outside}"))
        }
    })
}

/// The nearest existing ancestor directory, and the name of the first missing one below it.
fn first_missing(root: &Path) -> (&Path, String) {
    let above =
        root.ancestors().find(|dir| rooted::anywhere(dir).is_ok_and(|dir| dir.exists())).unwrap_or(Path::new("/"));
    let below = root.strip_prefix(above).unwrap_or(root).components().next();
    (above, below.map(|name| name.as_os_str().to_string_lossy().into_owned()).unwrap_or_default())
}

/// A copy before collisions are decided.
fn planned(run: &Run<'_>, roots: &Roots, copy: Copy) -> Result<PlannedCopy> {
    let existing = existing(run, roots, &copy)?;
    let action = if existing.is_some() { Action::Undecided } else { Action::Create };
    let (display_path, local_path) = (run.project.display(&copy.at), run.project.shown(&copy.at));
    let Copy { target, at, tree } = copy;
    Ok(PlannedCopy { target, at, display_path, local_path, action, tree, existing })
}

/// What exists where a copy would go. Any directory counts, with or without a SKILL.md: its files must not be lost.
fn existing(run: &Run<'_>, roots: &Roots, copy: &Copy) -> Result<Option<Existing>> {
    if !run.project.is_user() && !run.project.is_there() {
        return Ok(None);
    }
    let Some(tree) = transaction::scan(roots, &copy.at)? else { return Ok(None) };
    let metadata = tree.text("metadata.yaml").and_then(|text| Metadata::parse(text).ok());
    let times = run.project.rooted(&copy.at).map(|dir| input::times(&dir, &tree)).unwrap_or_default();
    let created = metadata.as_ref().map(|metadata| metadata.created.clone()).filter(|text| !text.is_empty());
    let origin = run.memory().and_then(|memory| memory.provenance(&copy.at).ok().flatten());
    // If the last run left nothing, hefesto did not write what exists.
    let origin = origin.filter(|(_, changed)| changed.after.is_some());
    let origin = origin.map(|(run, changed)| Origin { run, edited: changed.after != Some(tree.digest()) });
    Ok(Some(Existing {
        origin,
        created: created.or(times.created),
        modified: times.modified,
        version: metadata.as_ref().map(|metadata| metadata.version.clone()),
        author: metadata.map(|metadata| metadata.author),
        tree,
    }))
}

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
    pub target: crate::client::target::Target,
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

impl PlannedCopy {
    /// The files of the existing copy that are gone after the run; a backup keeps them.
    pub fn removed(&self) -> impl Iterator<Item = &str> {
        let existing = self.existing.iter().filter(|_| self.action.writes());
        existing
            .flat_map(|existing| existing.tree.iter())
            .map(|(path, _)| path)
            .filter(|path| self.tree.get(path).is_none())
    }
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
