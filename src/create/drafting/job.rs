//! One drafting job: what the drafter is asked for, and the skill made from its answer.

use crate::client::drafting::{self, Assignment, Line, Origin, Skill};
use crate::create::compose::{Drafted, compose, understand};
use crate::create::{Draft, Run, assignment::assignment, draft::SkillRequest, drafter::Drafter};
use crate::error::Result;
use crate::skill::body;

pub(in crate::create) struct Job<'j> {
    pub(in crate::create) request: SkillRequest,
    /// The skill as it is assembled without a drafter.
    pub(in crate::create) first: Draft,
    /// For a revision: the text to change, and the author's note.
    pub(super) revision: Option<(&'j Draft, &'j str)>,
    /// The drafter's questions that the author left open.
    pub(super) left_open: Vec<String>,
}

impl<'j> Job<'j> {
    pub(super) fn new(request: SkillRequest, first: Draft) -> Self {
        Self { request, first, revision: None, left_open: Vec::new() }
    }

    pub(in crate::create) fn revising(request: SkillRequest, first: Draft, present: &'j Draft, note: &'j str) -> Self {
        Self { revision: Some((present, note)), ..Self::new(request, first) }
    }

    pub(super) fn assignment(&self, run: &mut Run<'_>) -> Result<Assignment> {
        let understood = understand(run.env, &run.project, &self.request)?;
        let mut assignment = assignment(&understood, &self.first, &self.request, &run.skills());
        assignment.open.extend(self.left_open.iter().cloned());
        Ok(assignment)
    }

    pub(super) fn prompt(&self, assignment: &Assignment) -> String {
        let text = assignment.text();
        let Some((present, note)) = self.revision else { return text };
        let files = present.resources.iter().filter(|file| !file.path.starts_with("evals/"));
        let files = files.filter(|file| file.blob.bytes.len() <= drafting::MOST_FILE);
        let files = files.filter_map(|file| Some((file.path.as_str(), std::str::from_utf8(&file.blob.bytes).ok()?)));
        drafting::revision(&text, &present.text, files, note)
    }

    /// The skill without a drafter, with all answers so far.
    pub(super) fn assembled(&self, run: &Run<'_>) -> Result<Draft> {
        compose(run.env, &run.project, &run.settings, &self.request, None)
    }

    pub(super) fn compose(&self, run: &Run<'_>, drafter: &Drafter, skill: &Skill) -> Result<Draft> {
        let mut request = self.request.clone();
        if let Some((present, _)) = self.revision {
            request.name = Some(present.name.clone());
            request.resources =
                present.resources.iter().filter(|file| !file.path.starts_with("evals/")).cloned().collect();
            request.targets.clone_from(&present.targets);
        }
        let drafted = Drafted { by: &drafter.title, skill };
        compose(run.env, &run.project, &run.settings, &request, Some(&drafted))
    }

    /// Completes the draft: adds missing lines of the author and the house rules, and marks commands only the drafter
    /// supplied.
    pub(super) fn finish(&self, mut draft: Draft, assignment: &Assignment) -> Draft {
        let missing: Vec<String> = drafting::left_out(&draft.text, assignment).into_iter().map(whole).collect();
        draft.text = body::with_lines(&draft.text, missing.iter().map(String::as_str), assignment.language);
        draft.amended.extend(missing.into_iter().map(|line| format!("left out, and added to the limits: {line}")));
        let facts: String = self.request.facts.all.iter().map(|fact| format!("{}\n", fact.text)).collect();
        let known = format!("{}\n{}\n{facts}", assignment.known(), self.first.text);
        let references = draft.resources.iter().filter(|file| file.path.starts_with("references/"));
        let references = references.filter_map(|file| std::str::from_utf8(&file.blob.bytes).ok());
        let written = [draft.text.as_str()].into_iter().chain(references).collect::<Vec<_>>().join("\n");
        draft.added_commands = drafting::unknown_commands(&written, &known);
        if let Some((present, note)) = self.revision {
            draft.added_commands.retain(|command| {
                let own = present.text.contains(command) && !present.added_commands.contains(command);
                !own && !note.contains(command)
            });
        }
        draft.answers = self.request.attachments.answers.clone();
        draft
    }

    /// The text to change with the answers given meanwhile; none if there were none.
    pub(in crate::create) fn with_answers(&self, present: &Draft) -> Option<Draft> {
        let attachments = &self.request.attachments;
        let language = crate::skill::read(&self.request.description).language;
        let new = attachments.answers.iter().filter(|(key, _)| !present.answers.contains_key(*key));
        let line = |(key, answer): (&String, &String)| {
            body::with_question(&body::question(key, &[], &attachments.asked, language), answer)
        };
        let lines: Vec<String> = new.map(line).collect();
        (!lines.is_empty()).then(|| Draft {
            text: body::with_lines(&present.text, lines.iter().map(String::as_str), language),
            answers: attachments.answers.clone(),
            ..present.clone()
        })
    }
}

/// A line of the author or the house rules as written in a body; an answer with its question.
fn whole(line: &Line) -> String {
    let answers = line.origin == Origin::Author && !line.place.is_empty();
    if answers { body::with_question(&line.place, &line.text) } else { line.text.clone() }
}
