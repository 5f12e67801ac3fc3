//! What `--fix` would leave: asked for before anything is mended, to say what a run of it comes to.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::render::Told;
use super::select::Place;
use super::work::{Ask, Checked};
use super::{data, fix};
use crate::client::target::Targets;
use crate::project::Project;
use crate::rules;
use crate::rules::finding::{Finding, Severity};
use crate::rules::fix as rules_fix;
use crate::skill::printable;
use crate::terminal::ui::{self, Style};

/// What would still be found, by the folder it is found in.
pub(super) type Left = BTreeMap<PathBuf, Remains>;

/// A skill as it would be after mending.
pub(super) struct Remains {
    /// The name of its folder then.
    pub(super) name: String,
    pub(super) checked: rules::Checked,
}

/// How many of the findings that are shown fixing resolves, and how many there are.
pub(super) fn resolved(left: &Left, told: &[Told<'_>], remarks: bool) -> (usize, usize) {
    let mut cured_of: HashMap<&Path, Vec<bool>> = HashMap::new();
    let (mut count, mut all) = (0, 0);
    for said in told.iter().flat_map(|one| &one.said).filter(|said| remarks || !said.is_remark()) {
        let goes = cured_of.entry(&said.copy.dir).or_insert_with(|| cured(left, said.copy));
        let index = said.copy.findings.iter().position(|one| std::ptr::eq(one, said.finding));
        count += usize::from(index.and_then(|index| goes.get(index)).is_some_and(|goes| *goes));
        all += 1;
    }
    (count, all)
}

/// Which of a skill's findings mending would take away, one answer for each of them.
fn cured(left: &Left, one: &Checked) -> Vec<bool> {
    let Some(remains) = left.get(&one.dir) else { return vec![false; one.findings.len()] };
    let fact = |finding: &Finding| (finding.rule.clone(), finding.client.clone(), finding.message.clone());
    let mut stay: BTreeMap<_, usize> = BTreeMap::new();
    remains.checked.findings.iter().for_each(|finding| *stay.entry(fact(finding)).or_default() += 1);
    let goes = |finding: &Finding| match stay.get_mut(&fact(finding)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    one.findings.iter().map(goes).collect()
}

/// What would be left of these skills, of copies of the first; only those are looked at of which a finding is one that
/// can be mended. Nothing where one lies outside the project, because `--fix` refuses them all then.
pub(super) fn left(
    project: &Project,
    targets: &Targets,
    ask: Ask<'_>,
    places: &[Place],
    checked: &[Checked],
    told: &[Told<'_>],
) -> Left {
    let mendable: BTreeSet<&str> = rules_fix::rules().collect();
    let speaks = |one: &Checked| one.findings.iter().any(|finding| mendable.contains(finding.rule.as_str()));
    let first: HashSet<&Path> = told.iter().filter_map(|one| Some(one.copies.first()?.dir.as_path())).collect();
    let wanted = |one: &Checked| first.contains(one.dir.as_path()) && speaks(one);
    let some: Vec<&Place> = places.iter().zip(checked).filter(|(_, one)| wanted(one)).map(|(place, _)| place).collect();
    // Where one of them lies, its neighbours lie too.
    let mut folders = HashSet::new();
    let mut apart = checked.iter().filter(|one| folders.insert(one.dir.parent()));
    if some.is_empty() || apart.any(|one| fix::inside(project, &one.dir, &one.path).is_err()) {
        return Left::new();
    }
    fix::work(project, targets, ask, some).map_or_else(|_| Left::new(), |found| found.left)
}

/// What would be found after a mending, every skill under the path it has now.
pub(super) fn listed(left: &Left, ask: Ask<'_>, checked: &[Checked]) -> Value {
    let skill = |one: &Checked| match left.get(&one.dir) {
        Some(Remains { name, checked: rules::Checked { findings, suppressed, .. } }) => {
            data::skill(name, &one.path, ask.accepts(findings), findings, suppressed)
        }
        None => data::skill(&one.name, &one.path, one.valid, &one.findings, &one.suppressed),
    };
    checked.iter().map(skill).collect()
}

/// Which errors a mending would leave, skill by skill, and how many skills it would make valid.
pub(super) fn told(left: &Left, style: Style, strict: bool, checked: &[Checked]) -> String {
    let (mut told, mut cured, mut known) = (String::new(), 0, BTreeSet::new());
    for one in checked.iter().filter(|one| !one.valid && known.insert(&one.dir)) {
        let stays = left.get(&one.dir).map_or(&one.findings, |left| &left.checked.findings);
        let counts = |one: &&Finding| one.severity == Severity::Error || strict && one.severity == Severity::Warning;
        let stays: Vec<&Finding> = stays.iter().filter(counts).collect();
        if stays.is_empty() {
            cured += 1;
            continue;
        }
        told.push_str(&format!("{} would stay invalid:\n", style.path(&printable(&one.path))));
        for finding in stays {
            let at = format!("{}:{}:{}", printable(&finding.file), finding.line, finding.column);
            let line = format!("  {at} {} [{}] {}", finding.severity.word(), finding.rule, printable(&finding.message));
            told.push_str(&format!("{}\n", style.fold(&line, 4)));
        }
    }
    let mut text = String::new();
    if !told.is_empty() {
        let stay = ui::count(known.len() - cured, "skill");
        text.push_str(&format!("\nNot fixed, because the right value is not certain ({stay}):\n{told}"));
    }
    if cured > 0 {
        text.push_str(&format!("\nFixing makes {} valid.\n", ui::count(cured, "invalid skill")));
    }
    text
}
