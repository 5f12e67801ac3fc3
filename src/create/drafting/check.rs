//! Checks an answer of a drafter: what must not reach the gate, and what is worth another round.

use super::Job;
use crate::client::drafting::{self, Assignment, Problem, Skill};
use crate::create::{Draft, Run, compose::with_files, drafter::Drafter, validate};
use crate::error::Result;
use crate::rules::finding::{Finding, Severity};
use crate::rules::input::{self, Field};
use crate::skill::printable_line;

/// Rules whose warnings are worth another round: commands, links, filler, the description, broken Markdown.
const WEIGHTY: &[&str] = &[
    "T0-HEFESTO-11", "T0-HEFESTO-05", "S17", "QUALITY-04", "QUALITY-05", "QUALITY-08", "T1-HEFESTO-01",
    "T1-QUALITY-01", "PORT-SYNTAX",
];

/// A checked answer.
pub(super) struct Checked {
    /// The draft; none if it must not reach the gate.
    pub(super) draft: Option<Draft>,
    pub(super) problems: Vec<Problem>,
}

/// Checks the skill in an answer, in which credentials are masked. Errors: A template that does not render.
pub(super) fn check(
    run: &Run<'_>,
    job: &Job<'_>,
    drafter: &Drafter,
    skill: &Skill,
    assignment: &Assignment,
    masked: &str,
) -> Result<Checked> {
    let mut problems = Vec::new();
    if masked.contains("[REDACTED:") {
        problems.push(Problem::new(
            "It holds a credential, shown here as [REDACTED:...]: leave it out, also as an example.",
            "it holds a credential, which is masked",
        ));
    }
    let texts = std::iter::once(skill.body.as_str()).chain(skill.files.iter().map(|file| file.text.as_str()));
    let refusals = texts.filter_map(|text| input::refuse(text, Field::Body));
    problems.extend(
        refusals.map(|refusal| Problem::new(format!("{}. {}", refusal.message, refusal.suggestion), refusal.message)),
    );
    let grave = !problems.is_empty();
    let mut skill = skill.clone();
    keep_fit_files(&mut skill, &mut problems);
    let draft = job.compose(run, drafter, &skill)?;
    let severities = &run.settings.severities;
    let before = validate::findings(&job.first, severities);
    let found = validate::findings(&draft, severities);
    let problem = |one: &Finding| Problem::new(format!("{} {}", one.message, one.fix), one.message.clone());
    let errors: Vec<Problem> = found.iter().filter(|one| one.severity == Severity::Error).map(problem).collect();
    let weighty = found.iter().filter(|one| {
        one.severity != Severity::Error
            && WEIGHTY.iter().any(|rule| one.rule.starts_with(rule))
            && !before.iter().any(|other| other.rule == one.rule && other.message == one.message)
    });
    let weighty: Vec<Problem> = weighty.map(problem).collect();
    let grave = grave || !errors.is_empty();
    problems.extend(errors.into_iter().chain(weighty).chain(drafting::problems(&skill, assignment)));
    Ok(Checked { draft: (!grave).then_some(draft), problems })
}

/// Removes files that are not allowed, and says why.
fn keep_fit_files(skill: &mut Skill, problems: &mut Vec<Problem>) {
    let files = std::mem::take(&mut skill.files);
    for file in files {
        let only = Skill { files: vec![file.clone()], ..Skill::default() };
        let why = if file.text.len() > drafting::MOST_FILE {
            Some(format!("has more than {} bytes", drafting::MOST_FILE))
        } else if skill.files.len() == drafting::MOST_FILES {
            Some(format!("is one too many: {} is the most", drafting::MOST_FILES))
        } else {
            with_files(Vec::new(), &only).err().map(|error| error.message())
        };
        match why {
            Some(why) => {
                let path = printable_line(&file.path);
                problems.push(Problem::new(format!("The file {path} {why}."), format!("the file {path} {why}")));
            }
            None => skill.files.push(file),
        }
    }
}
