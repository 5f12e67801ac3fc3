//! The copies that are not what was installed, as differences between registry and disk.

use super::Copies;
use crate::registry::{CopyState, Drift, Kind};
use crate::rules::Severities;
use crate::transaction::Roots;

/// The differences in these skills, except missing copies and those never installed: these the registry alone tells.
pub fn drift(skills: &[Copies], roots: &Roots, severities: &Severities) -> Vec<Drift> {
    let mut all = Vec::new();
    for skill in skills {
        let states = skill.states(roots, severities);
        for (copy, status) in skill.all.iter().zip(states).filter_map(|(copy, status)| Some((copy, status?))) {
            let kind = match status.state {
                CopyState::Edited | CopyState::Invalid => Kind::EditedSkill,
                CopyState::Outdated => Kind::OutdatedSkill,
                CopyState::Same | CopyState::Missing | CopyState::Foreign => continue,
            };
            let cli = copy.target.id.clone();
            all.push(Drift {
                kind,
                skill: Some(skill.name.clone()),
                what: format!("`{}` for {cli} {}.", skill.name, status.what),
                action: status.action.clone().unwrap_or_default(),
                cli,
            });
        }
    }
    all
}
