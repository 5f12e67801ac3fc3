//! `memory turn observe` and `memory turn goal`: the scratch page and what is wanted.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{UNREADABLE, share, when};
use crate::cli;
use crate::command::memory::content::content;
use crate::command::memory::{looked_into, opened};
use crate::error::{Code, Coded, Error, Result};
use crate::memory::Memory;
use crate::memory::turn::{Aim, DAYS, Goal, Observation, ObservationKind, Priority, Standing, Status};
use crate::project::Project;
use crate::report::Report;
use crate::rules::input::{self, Field, Refusal};
use crate::system::env::Env;
use crate::system::rooted::HOME;
use crate::terminal::ui;

/// The longest note, in Unicode scalar values.
const LONGEST: usize = 2000;
const DAY_MS: i64 = 86_400_000;

/// An observation as JSON gives it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ObservationGiven {
    content: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    source: Option<String>,
    confidence: Option<f64>,
    #[serde(default)]
    tags: Vec<String>,
    days: Option<i64>,
}

/// A goal as JSON gives it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GoalGiven {
    text: String,
    kind: Option<String>,
    priority: Option<String>,
    due: Option<String>,
    #[serde(default)]
    blocking: bool,
}

/// Runs `hefesto memory turn observe`.
///
/// # Errors
/// E-MEMORY-052 where there is none to resolve, E-MEMORY-010 or -053 for a text that is refused.
pub(super) fn observe(env: &mut Env, project: &Project, given: &cli::Observe) -> Result<Report> {
    let now = env.now().as_millisecond();
    if let Some(wanted) = &given.resolve {
        let id = one_id(wanted, observations(project)?.iter().filter(|one| one.open(now)).map(|one| &one.id))?;
        opened(project)?.resolve_observation(&id).coded(Code::Io, UNREADABLE)?;
        return page(env, project, false, json!({ "resolved": id }), format!("Resolved {id}.\n"));
    }
    let one = match (&given.text, &given.content) {
        (None, None) => return page(env, project, given.all, json!({}), String::new()),
        (Some(text), _) => Observation {
            kind: given.kind.unwrap_or(ObservationKind::Observation),
            source: given.source.clone().unwrap_or_else(|| "user".into()),
            confidence: given.confidence.unwrap_or(0.5),
            tags: given.tag.clone(),
            expires_at: now + given.days.unwrap_or(DAYS) * DAY_MS,
            ..blank(env, text)
        },
        (None, Some(json)) => {
            let read: ObservationGiven = from_json(content(env, Some(json))?)?;
            let kind = read.kind.as_deref().map(|word| known(word, "type", ObservationKind::find(word))).transpose()?;
            let confidence = read.confidence.unwrap_or(0.5);
            if !(0.0..=1.0).contains(&confidence) || !(1..=365).contains(&read.days.unwrap_or(DAYS)) {
                return Err(Error::new(Code::Usage, "`confidence` is 0 to 1 and `days` is 1 to 365"));
            }
            Observation {
                kind: kind.unwrap_or(ObservationKind::Observation),
                source: read.source.unwrap_or_else(|| "user".into()),
                confidence,
                tags: read.tags,
                expires_at: now + read.days.unwrap_or(DAYS) * DAY_MS,
                ..blank(env, &read.content)
            }
        }
    };
    for (field, text) in [("observation", &one.content), ("source", &one.source), ("tag", &one.tags.join(" "))] {
        fit(env, project, field, text)?;
    }
    let noted = opened(project)?.observe(&one, now).coded(Code::Io, "the observation cannot be kept")?;
    let mut told = format!("Noted {}.\n", one.id);
    for id in &noted.archived {
        told.push_str(&format!("Set aside {id}: a hundred are enough.\n"));
    }
    page(env, project, false, json!({ "added": one.id, "archived": noted.archived }), told)
}

fn blank(env: &mut Env, text: &str) -> Observation {
    let now = env.now().as_millisecond();
    Observation {
        id: env.new_id(),
        kind: ObservationKind::Observation,
        content: text.trim().to_owned(),
        source: "user".into(),
        owner: "agent".into(),
        status: Standing::Active,
        confidence: 0.5,
        tags: Vec::new(),
        created_at: now,
        expires_at: now + DAYS * DAY_MS,
    }
}

fn observations(project: &Project) -> Result<Vec<Observation>> {
    looked_into(project)?.map_or_else(|| Ok(Vec::new()), |memory| memory.observations().coded(Code::Io, UNREADABLE))
}

fn page(env: &Env, project: &Project, all: bool, mut data: Value, mut text: String) -> Result<Report> {
    let now = env.now().as_millisecond();
    let mut page = observations(project)?;
    page.retain(|one| all || one.open(now));
    data["observations"] = page.iter().map(observation_json).collect();
    let rows: Vec<Vec<String>> = page
        .iter()
        .map(|one| {
            vec![
                one.id.clone(),
                one.kind.word().to_owned(),
                one.content.clone(),
                one.source.clone(),
                one.status.word().to_owned(),
                ui::ago(now, one.created_at),
                ui::ago(now, one.expires_at),
            ]
        })
        .collect();
    text.push_str(&if rows.is_empty() {
        "The scratch page is empty.\n".to_owned()
    } else {
        ui::table(env.style, &["ID", "TYPE", "WHAT", "FROM", "STATUS", "NOTED", "GOES"], &rows)
    });
    Ok(Report::done(data, text))
}

pub(in crate::command::memory) fn observation_json(one: &Observation) -> Value {
    json!({
        "id": one.id,
        "type": one.kind,
        "content": one.content,
        "source": one.source,
        "owner": one.owner,
        "status": one.status,
        "confidence": share(one.confidence),
        "tags": one.tags,
        "created_at": when(one.created_at),
        "expires_at": when(one.expires_at),
    })
}

/// Runs `hefesto memory turn goal`.
///
/// # Errors
/// E-MEMORY-052 where there is none to be done with, E-MEMORY-010 or -053 for a text that is refused.
pub(super) fn goal(env: &mut Env, project: &Project, given: &cli::Goal) -> Result<Report> {
    let now = env.now().as_millisecond();
    if let Some(wanted) = &given.done {
        let all = goals(project)?;
        let id = one_id(wanted, all.iter().filter(|goal| goal.status == Status::Active).map(|goal| &goal.id))?;
        opened(project)?.goal_done(&id, now).coded(Code::Io, UNREADABLE)?;
        return wanted_list(env, project, false, json!({ "done": id }), format!("Done: {id}.\n"));
    }
    let goal = match (&given.text, &given.content) {
        (None, None) => return wanted_list(env, project, given.all, json!({}), String::new()),
        (Some(text), _) => Goal {
            kind: given.kind.unwrap_or(Aim::Goal),
            priority: given.priority.unwrap_or(Priority::Medium),
            due: given.due.map(end_of).transpose()?,
            blocking: given.blocking,
            ..fresh(env, text)
        },
        (None, Some(json)) => {
            let read: GoalGiven = from_json(content(env, Some(json))?)?;
            let due =
                read.due.as_deref().map(|due| known(due, "due", due.parse::<jiff::civil::Date>().ok())).transpose()?;
            Goal {
                kind: read.kind.as_deref().map_or(Ok(Aim::Goal), |word| known(word, "kind", Aim::find(word)))?,
                priority: (read.priority.as_deref())
                    .map_or(Ok(Priority::Medium), |word| known(word, "priority", Priority::find(word)))?,
                due: due.map(end_of).transpose()?,
                blocking: read.blocking,
                ..fresh(env, &read.text)
            }
        }
    };
    fit(env, project, "goal", &goal.text)?;
    opened(project)?.note_goal(&goal).coded(Code::Io, "the goal cannot be kept")?;
    wanted_list(env, project, false, json!({ "added": goal.id }), format!("Noted {}.\n", goal.id))
}

fn fresh(env: &mut Env, text: &str) -> Goal {
    Goal {
        id: env.new_id(),
        kind: Aim::Goal,
        text: text.trim().to_owned(),
        priority: Priority::Medium,
        due: None,
        blocking: false,
        status: Status::Active,
        created: env.now().as_millisecond(),
        done: None,
    }
}

/// The last moment of a day, UTC: a goal is not late on the day it is due.
fn end_of(day: jiff::civil::Date) -> Result<i64> {
    let start = day.to_zoned(jiff::tz::TimeZone::UTC).coded(Code::Usage, "the day cannot be reached")?;
    Ok(start.timestamp().as_millisecond() + DAY_MS - 1)
}

fn goals(project: &Project) -> Result<Vec<Goal>> {
    looked_into(project)?.map_or_else(|| Ok(Vec::new()), |memory| memory.goals().coded(Code::Io, UNREADABLE))
}

fn wanted_list(env: &Env, project: &Project, all: bool, mut data: Value, mut text: String) -> Result<Report> {
    let now = env.now().as_millisecond();
    let mut goals = goals(project)?;
    goals.retain(|goal| all || goal.status == Status::Active);
    data["goals"] = goals.iter().map(goal_json).collect();
    let rows: Vec<Vec<String>> = goals
        .iter()
        .map(|goal| {
            let due = goal.due.map(|due| if goal.overdue(now) { "overdue".into() } else { ui::ago(now, due) });
            vec![
                goal.id.clone(),
                goal.kind.word().to_owned(),
                goal.text.clone(),
                goal.priority.word().to_owned(),
                due.unwrap_or_default(),
                if goal.blocking { "yes".into() } else { String::new() },
                goal.status.word().to_owned(),
            ]
        })
        .collect();
    text.push_str(&if rows.is_empty() {
        "Nothing is noted.\n".to_owned()
    } else {
        ui::table(env.style, &["ID", "KIND", "WHAT", "PRIORITY", "DUE", "BLOCKS", "STATUS"], &rows)
    });
    Ok(Report::done(data, text))
}

pub(in crate::command::memory) fn goal_json(goal: &Goal) -> Value {
    json!({
        "id": goal.id,
        "kind": goal.kind,
        "text": goal.text,
        "priority": goal.priority,
        "due": goal.due.map(when),
        "blocking": goal.blocking,
        "status": goal.status,
        "created_at": when(goal.created),
        "done_at": goal.done.map(when),
    })
}

/// What `inspect turn` shows besides the turns.
pub(in crate::command::memory) fn noted(memory: &Memory, now: i64) -> Result<(Vec<Observation>, Vec<Goal>)> {
    let mut page = memory.observations().coded(Code::Io, UNREADABLE)?;
    page.retain(|one| one.open(now));
    let mut goals = memory.goals().coded(Code::Io, UNREADABLE)?;
    goals.retain(|goal| goal.status == Status::Active);
    Ok((page, goals))
}

fn from_json<T: serde::de::DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value).map_err(|error| Error::new(Code::Usage, format!("the JSON does not fit: {error}")))
}

fn known<T>(word: &str, field: &str, found: Option<T>) -> Result<T> {
    found.ok_or_else(|| {
        Error::new(Code::Usage, format!("{word:?} is no {field}")).suggest("`--help` lists what there is.")
    })
}

/// The one id that begins or ends with what was given.
fn one_id<'a>(wanted: &str, ids: impl Iterator<Item = &'a String>) -> Result<String> {
    let mut fits = ids.filter(|id| !wanted.is_empty() && (id.starts_with(wanted) || id.ends_with(wanted)));
    match (fits.next(), fits.next()) {
        (Some(id), None) => Ok(id.clone()),
        _ => Err(Error::new(Code::NoSuchNote, format!("none that is open, or more than one, has the id {wanted:?}"))),
    }
}

/// A note goes before a model: it is refused under T0-HEFESTO-11 like any input.
fn fit(env: &mut Env, project: &Project, field: &str, text: &str) -> Result<()> {
    if field != "tag" && text.trim().is_empty() {
        return Err(Error::new(Code::Usage, format!("the {field} is empty")));
    }
    let length = text.chars().count();
    if length > LONGEST {
        return Err(Error::new(
            Code::NoteRefused,
            format!("the {field} has {length} characters; {LONGEST} is the most"),
        )
        .suggest("Say it in fewer words."));
    }
    match input::refuse(text, Field::Answer) {
        Some(refusal) => Err(refused(env, project, field, text, &refusal)),
        None => Ok(()),
    }
}

/// E-MEMORY-010 for a secret, else E-MEMORY-053; and a line in the log that does not hold the text.
pub(super) fn refused(env: &mut Env, project: &Project, field: &str, text: &str, refusal: &Refusal) -> Error {
    if project.is_dir(HOME) {
        let event = crate::registry::oplog::Security::refused(&env.stamp(), field, text, refusal.kind);
        let line = event.line().unwrap_or_default();
        crate::registry::audit::append(env, project, &line);
    }
    let place = format!("line {}, column {}", refusal.line, refusal.column);
    let secret = refusal.kind == "T0-HEFESTO-11.secret";
    Error::new(
        if secret { Code::MemorySecret } else { Code::NoteRefused },
        format!("the {field} is refused under {} ({place}): {}", refusal.kind, refusal.message),
    )
    .suggest(refusal.suggestion.clone())
}
