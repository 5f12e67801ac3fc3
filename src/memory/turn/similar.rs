//! Finds installed skills similar to a description.

use crate::skill::ranking::Terms;

/// A skill of at least this similarity, in percent, is mentioned before another is made.
const WORTH_MENTIONING: u32 = 60;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillSummary {
    pub name: String,
    pub description: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Similar {
    pub name: String,
    pub percent: u32,
}

/// The skills worth mentioning before this one is made: at least 60 % similar, most similar first,
/// then by name. The description is compared with a skill's first sentence, with that and its name, and with all of its
/// description; the best of these counts.
pub fn similar(description: &str, skills: &[SkillSummary]) -> Vec<Similar> {
    let wanted = Terms::of(description);
    let mut found: Vec<Similar> = skills
        .iter()
        .map(|skill| {
            let first = skill.description.split_inclusive(['.', '!', '?']).next().unwrap_or_default();
            let named = format!("{} {first}", skill.name);
            let whole = (first.len() < skill.description.len()).then_some(skill.description.as_str());
            let ways = [first, &named].into_iter().chain(whole);
            let alike = ways.map(|way| wanted.cosine(&Terms::of(way))).fold(0.0, f64::max);
            Similar { name: skill.name.clone(), percent: percent(alike) }
        })
        .filter(|one| one.percent >= WORTH_MENTIONING)
        .collect();
    found.sort_by(|a, b| b.percent.cmp(&a.percent).then_with(|| a.name.cmp(&b.name)));
    found
}

fn percent(share: f64) -> u32 {
    (share.clamp(0.0, 1.0) * 100.0).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skills_worth_mentioning_come_the_most_alike_first() {
        let skill = |name: &str, description: &str| SkillSummary { name: name.into(), description: description.into() };
        let skills = [
            skill("review-code", "Reviews code. Use when reviewing code."),
            skill("extract-pdf-tables", "Extracts tables from PDF files. Use when the user wants tables out of a PDF."),
            skill("extract-pdf-text", "Extracts text from PDF files."),
        ];
        let found = similar("Extract the tables of PDF documents", &skills);
        assert_eq!(found[0].name, "extract-pdf-tables");
        assert!(found.iter().all(|one| one.name != "review-code" && one.percent >= 60), "{found:?}");
        assert_eq!(similar("Extract tables from PDF files", &skills)[0].percent, 100);
    }
}
