//! The installed skills: the description of each, and the open questions of its text.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::client::target::Targets;
use crate::memory::turn::{Fact, SkillSummary};
use crate::project::Project;
use crate::project::inventory::{self, Seen, SkillRead};
use crate::skill::metadata::{self, Metadata};
use crate::skill::{Tree, template};

const MOST: usize = 256 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstalledSkill {
    pub name: String,
    pub description: String,
    /// Its first copy, relative to the root.
    pub place: String,
    pub clis: Vec<String>,
    /// Whether hefesto made it: its metadata names the template.
    pub ours: bool,
    /// Its creation time according to its metadata, RFC 3339.
    pub created: Option<String>,
    /// When it was changed, milliseconds UTC: according to its metadata, else the file system.
    pub changed: i64,
    pub questions: Vec<String>,
    /// Copies with another description: path and that description.
    pub others: Vec<(String, String)>,
}

impl InstalledSkill {
    pub fn known(&self) -> SkillSummary {
        SkillSummary { name: self.name.clone(), description: self.description.clone() }
    }

    pub fn fact(&self) -> Fact {
        Fact {
            key: fact_key(&self.name),
            version: 1,
            text: fact_text(&self.name, &self.description),
            source: self.place.clone(),
            importance: if self.ours { 0.6 } else { 0.5 },
            updated_at: self.changed,
            access_count: 0,
        }
    }
}

pub fn fact_key(name: &str) -> String {
    format!("skill:{name}")
}

pub fn fact_text(name: &str, description: &str) -> String {
    format!("skill {name}: {description}")
}

/// Every skill in the skills directories of the targets, by name.
pub(super) fn here(project: &Project, targets: &Targets, seen: &Seen) -> Vec<InstalledSkill> {
    let mut skills: BTreeMap<String, (InstalledSkill, std::rc::Rc<[u8]>)> = BTreeMap::new();
    let mut looked: BTreeSet<&str> = BTreeSet::new();
    let top = inventory::Top::of(project);
    for target in targets.iter().filter(|target| looked.insert(&target.skills_dir) && top.may_hold(target)) {
        for name in inventory::skills_in(project, &target.skills_dir) {
            let place = target.skill_dir(name.as_str());
            let file = project.rooted(&format!("{place}/SKILL.md")).ok();
            let Some(text) = file.and_then(|file| seen.read(&file, MOST)) else { continue };
            if let Some((known, first)) = skills.get_mut(name.as_str()) {
                known.clis.push(target.id.clone());
                if *first != text.bytes
                    && let Some(description) = described(&text).filter(|other| *other != known.description)
                {
                    known.others.push((project.display(&place), fact_text(name.as_str(), &description)));
                }
                continue;
            }
            let (Some(description), Some(doc)) = (described(&text), &text.doc) else { continue };
            let skill = read(project, name.as_str(), &place, description, &doc.text, &target.id);
            skills.insert(name.to_string(), (skill, text.bytes));
        }
    }
    skills.into_values().map(|(skill, _)| skill).collect()
}

fn described(text: &SkillRead) -> Option<String> {
    let field = text.doc.as_ref()?.field("description");
    Some(field.and_then(|field| field.value.scalar()).unwrap_or_default().to_owned())
}

fn read(project: &Project, name: &str, place: &str, description: String, text: &str, target: &str) -> InstalledSkill {
    let metadata = project.head(&format!("{place}/{}", metadata::FILE), 1 << 16).ok();
    let metadata =
        metadata.and_then(|bytes| Metadata::parse(&String::from_utf8_lossy(&bytes)).ok()).unwrap_or_default();
    let time = |text: &str| (!text.is_empty()).then(|| super::millis(text)).filter(|at| *at > 0);
    let changed = time(&metadata.updated).or_else(|| {
        let mut tree = Tree::new();
        tree.put("SKILL.md", "");
        time(&project.rooted(place).map(|dir| crate::system::input::times(&dir, &tree)).ok()?.modified?)
    });
    InstalledSkill {
        name: name.to_owned(),
        description,
        place: project.display(place),
        clis: vec![target.to_owned()],
        ours: !metadata.template_used.is_empty(),
        created: Some(metadata.created).filter(|text| time(text).is_some()),
        changed: changed.unwrap_or_default(),
        questions: template::questions(text).into_iter().map(str::to_owned).collect(),
        others: Vec::new(),
    }
}
