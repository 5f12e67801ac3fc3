//! `memory turn observe` and `memory turn goal`.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::cli;
use crate::command::memory::{MAX_TEXT, content, opened, read, table_or, unreadable};
use crate::error::{Code, Coded, Error, Result};
use crate::memory::Memory;
use crate::memory::turn::{
    ACTIVE, DAYS, Goal, GoalKind, GoalPriority, GoalStatus, Observation, ObservationKind, ObservationStatus,
};
use crate::project::Project;
use crate::registry::{audit, oplog};
use crate::report::Report;
use crate::rules::input::{self, Field, Refusal};
use crate::system::env::Env;
use crate::terminal::ui;

const LONGEST: usize = 2000;
const DAY_MS: i64 = 86_400_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ObservationGiven {
    content: String,
    #[serde(rename = "type")]
    kind: Option<ObservationKind>,
    source: Option<String>,
    confidence: Option<f64>,
    #[serde(default)]
    tags: Vec<String>,
    days: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GoalGiven {
    text: String,
    kind: Option<GoalKind>,
    priority: Option<GoalPriority>,
    due: Option<jiff::civil::Date>,
    #[serde(default)]
    blocking: bool,
}

pub(super) fn observe(env: &mut Env, project: &Project, given: &cli::Observe) -> Result<Report> {
    let now = env.now().as_millisecond();
    if let Some(wanted) = &given.resolve {
        let id = one_id(wanted, open_notes(&read(project)?, now)?.0.iter().map(|one| &one.id))?;
        opened(project, now)?.resolve_observation(&id).map_err(unreadable)?;
        return page(env, project, false, json!({ "resolved": id }), format!("Resolved {id}.\n"));
    }
    let noted = match (&given.text, &given.content) {
        (None, None) => return page(env, project, given.all, json!({}), String::new()),
        (Some(text), _) => ObservationGiven {
            content: text.clone(),
            kind: given.kind,
            source: given.source.clone(),
            confidence: given.confidence,
            tags: given.tag.clone(),
            days: given.days,
        },
        (None, Some(json)) => from_json(content(env, Some(json), MAX_TEXT)?)?,
    };
    let (confidence, days) = (noted.confidence.unwrap_or(0.5), noted.days.unwrap_or(DAYS));
    if !(0.0..=1.0).contains(&confidence) || !(1..=365).contains(&days) {
        return Err(Error::new(Code::Usage, "`confidence` is 0 to 1 and `days` is 1 to 365"));
    }
    let one = Observation {
        id: env.new_id(),
        kind: noted.kind.unwrap_or_default(),
        content: noted.content.trim().to_owned(),
        source: noted.source.unwrap_or_else(|| "user".into()),
        owner: "agent".into(),
        status: ObservationStatus::Active,
        confidence,
        tags: noted.tags,
        created_at: now,
        expires_at: now + days * DAY_MS,
    };
    for (field, text) in [("observation", &one.content), ("source", &one.source), ("tag", &one.tags.join(" "))] {
        fit(env, project, field, text)?;
    }
    let archived = opened(project, now)?.observe(&one, now).coded(Code::Io, "the observation cannot be kept")?;
    let mut text = format!("Noted {}.\n", one.id);
    for id in &archived {
        text.push_str(&format!("Archived {id}: the page holds {ACTIVE}.\n"));
    }
    page(env, project, false, json!({ "added": one.id, "archived": archived }), text)
}

fn page(env: &Env, project: &Project, all: bool, mut data: Value, mut text: String) -> Result<Report> {
    let now = env.now().as_millisecond();
    let mut page = read(project)?.observations().map_err(unreadable)?;
    page.retain(|one| all || one.open(now));
    data["observations"] = json!(page);
    let headings = ["ID", "TYPE", "WHAT", "FROM", "STATUS", "NOTED", "EXPIRES"];
    text.push_str(&table_or("The scratch page is empty.", env.style, &headings, &page, |one| {
        let (noted, expires) = (ui::ago(now, one.created_at), ui::ago(now, one.expires_at));
        row![one.id, one.kind, one.content, one.source, one.status, noted, expires]
    }));
    Ok(Report::done(data, text))
}

pub(super) fn goal(env: &mut Env, project: &Project, given: &cli::Goal) -> Result<Report> {
    let now = env.now().as_millisecond();
    if let Some(wanted) = &given.done {
        let id = one_id(wanted, open_notes(&read(project)?, now)?.1.iter().map(|goal| &goal.id))?;
        opened(project, now)?.goal_done(&id, now).map_err(unreadable)?;
        return goal_list(env, project, false, json!({ "done": id }), format!("Done: {id}.\n"));
    }
    let noted = match (&given.text, &given.content) {
        (None, None) => return goal_list(env, project, given.all, json!({}), String::new()),
        (Some(text), _) => GoalGiven {
            text: text.clone(),
            kind: given.kind,
            priority: given.priority,
            due: given.due,
            blocking: given.blocking,
        },
        (None, Some(json)) => from_json(content(env, Some(json), MAX_TEXT)?)?,
    };
    let goal = Goal {
        id: env.new_id(),
        kind: noted.kind.unwrap_or_default(),
        text: noted.text.trim().to_owned(),
        priority: noted.priority.unwrap_or_default(),
        due: noted.due.map(end_of).transpose()?,
        blocking: noted.blocking,
        created: now,
        ..Goal::default()
    };
    fit(env, project, "goal", &goal.text)?;
    opened(project, now)?.note_goal(&goal).coded(Code::Io, "the goal cannot be kept")?;
    goal_list(env, project, false, json!({ "added": goal.id }), format!("Noted {}.\n", goal.id))
}

/// The last moment of a day, UTC: a goal is not late on the day it is due.
fn end_of(day: jiff::civil::Date) -> Result<i64> {
    let start = day.to_zoned(jiff::tz::TimeZone::UTC).coded(Code::Usage, "the day cannot be reached")?;
    Ok(start.timestamp().as_millisecond() + DAY_MS - 1)
}

fn goal_list(env: &Env, project: &Project, all: bool, mut data: Value, mut text: String) -> Result<Report> {
    let now = env.now().as_millisecond();
    let mut goals = read(project)?.goals().map_err(unreadable)?;
    goals.retain(|goal| all || goal.status == GoalStatus::Active);
    data["goals"] = json!(goals);
    let headings = ["ID", "KIND", "WHAT", "PRIORITY", "DUE", "BLOCKS", "STATUS"];
    text.push_str(&table_or("No goals.", env.style, &headings, &goals, |goal| {
        let due = goal.due.map(|due| if goal.overdue(now) { "overdue".into() } else { ui::ago(now, due) });
        let blocks = if goal.blocking { "yes" } else { "" };
        row![goal.id, goal.kind, goal.text, goal.priority, due.unwrap_or_default(), blocks, goal.status]
    }));
    Ok(Report::done(data, text))
}

pub(in crate::command::memory) fn open_notes(memory: &Memory, now: i64) -> Result<(Vec<Observation>, Vec<Goal>)> {
    let mut page = memory.observations().map_err(unreadable)?;
    page.retain(|one| one.open(now));
    let mut goals = memory.goals().map_err(unreadable)?;
    goals.retain(|goal| goal.status == GoalStatus::Active);
    Ok((page, goals))
}

fn from_json<T: serde::de::DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value).map_err(|error| Error::new(Code::Usage, format!("the JSON does not match: {error}")))
}

/// The one id that begins or ends with the given text.
fn one_id<'a>(wanted: &str, ids: impl Iterator<Item = &'a String>) -> Result<String> {
    let mut fits = ids.filter(|id| !wanted.is_empty() && (id.starts_with(wanted) || id.ends_with(wanted)));
    match (fits.next(), fits.next()) {
        (Some(id), None) => Ok(id.clone()),
        _ => Err(Error::new(Code::NoSuchNote, format!("no open note, or more than one, has the id {wanted:?}"))),
    }
}

/// A note is shown to a model: it is checked against T0-HEFESTO-11 like any input.
fn fit(env: &mut Env, project: &Project, field: &str, text: &str) -> Result<()> {
    if field != "tag" && text.trim().is_empty() {
        return Err(Error::new(Code::Usage, format!("the {field} is empty")));
    }
    let length = text.chars().count();
    if length > LONGEST {
        let said = format!("the {field} has {length} characters; {LONGEST} is the most");
        return Err(Error::new(Code::NoteRefused, said).suggest("Say it in fewer words."));
    }
    match input::refuse(text, Field::Answer) {
        Some(refusal) => Err(refused(env, project, field, text, &refusal)),
        None => Ok(()),
    }
}

/// E-MEMORY-010 for a secret, else E-MEMORY-053; and a line in the log without the text.
pub(super) fn refused(env: &mut Env, project: &Project, field: &str, text: &str, refusal: &Refusal) -> Error {
    if project.is_dir(crate::system::rooted::HOME) {
        let event = oplog::Security::refused(&env.stamp(), field, text, refusal.kind);
        audit::append(env, project, &event);
    }
    let place = format!("line {}, column {}", refusal.line, refusal.column);
    let secret = refusal.kind == "T0-HEFESTO-11.secret";
    Error::new(
        if secret { Code::MemorySecret } else { Code::NoteRefused },
        format!("the {field} is refused under {} ({place}): {}", refusal.kind, refusal.message),
    )
    .suggest(refusal.suggestion.clone())
}
