//! `memory doctor`, `prune`, `vacuum`, `delete`, `redact`, `export`, `import`: checking the memory, removing parts of
//! it, and the memory as JSON Lines.

use std::io::{BufWriter, Write};
use std::path::Path;

use regex::Regex;
use serde_json::json;

use super::search::nothing_has;
use super::{looked_into, many, opened, read, table, unreadable, unwritable};
use crate::cli::memory::{Delete, Export, Import, Prune, Redact, Stored};
use crate::config::{self, Settings};
use crate::error::{Code, Coded, Error, Exit, Result};
use crate::memory::stm::connect::Sessions;
use crate::memory::stm::{self, Filter, Session};
use crate::memory::{ImportError, Memory, PruneReport, Redacted, TimelineEntry};
use crate::project::{DATABASE, Project, open};
use crate::report::{Form, Report, Slashed};
use crate::rules::secrets;
use crate::skill::printable;
use crate::system::env::Env;
use crate::system::input;
use crate::system::os::files;
use crate::terminal::ui;
use crate::transaction::consent::{self, Consent};
use crate::transaction::objects;

/// Runs `hefesto memory doctor`. Damage is exit 1; a failed run is no damage.
pub(super) fn doctor(env: &mut Env, project: &Project) -> Result<Report> {
    let Some(memory) = looked_into(project)? else {
        return Ok(Report::done(json!({ "ok": true, "checks": [] }), "No memory yet; nothing to check.\n"));
    };
    let settings = config::load(env, project)?;
    let capacity = settings.fifo_capacity.value;
    let beside = |end: &str| {
        let file = project.rooted(&format!("{DATABASE}{end}"));
        file.and_then(|file| file.entry()).map(|meta| meta.len()).ok()
    };
    let leftover = beside("-journal").is_some_and(|size| size > 0);
    let mut checks = memory.examine(capacity, beside("-wal").unwrap_or(0), leftover).map_err(unreadable)?;
    let overfull = overfull(env, project, &settings);
    if let Some(limits) = checks.iter_mut().find(|check| check.name == "limits") {
        limits.ok &= overfull.is_empty();
        limits.found.extend(overfull);
    }
    let ok = checks.iter().all(|check| check.ok);
    let data = json!({ "ok": ok, "checks": checks });
    let style = env.style;
    let mut text = String::new();
    for check in &checks {
        let mark = if check.ok { style.tick() } else { style.mark() };
        text.push_str(&format!("{mark} {}\n", check.name));
        for found in &check.found {
            text.push_str(&style.fold(&format!("    {}\n", printable(found)), 4));
        }
    }
    if ok {
        text.push_str("\nNo problems found.\n");
        return Ok(Report::done(data, text));
    }
    let cure = "Skills are not affected. `hefesto memory export FILE` saves what can be read; then move .hefesto/memory.db \
                away, and `hefesto memory import FILE` takes it into a new one.";
    text.push_str(&style.fold(&format!("\n{}\n", env.spelled(cure.into())), 0));
    Ok(Report::done(data, text).exit(Exit::Refused))
}

/// The sessions of short-term memory beyond the limits. A server that cannot be reached reports none.
fn overfull(env: &Env, project: &Project, settings: &Settings) -> Vec<String> {
    let asked = Sessions::look(project, settings).map(|mut sessions| sessions.ask(env, |stm| stm.sessions()));
    let (Ok(Ok(sessions)), most) = (asked, settings.stm_limits()) else { return Vec::new() };
    let beyond = |one: &Session| one.entries > most.entries || one.bytes > most.session_bytes;
    let described = |one: &Session| {
        format!(
            "stm: session {} holds {} entries and {} bytes, and {} and {} are the limits",
            one.key.id, one.entries, one.bytes, most.entries, most.session_bytes
        )
    };
    sessions.iter().filter(|one| beyond(one)).map(described).collect()
}

/// Runs `hefesto memory prune`. Without `--yes` it is a dry run: the same work, rolled back.
pub(super) fn prune(env: &mut Env, project: &Project, args: &Prune, yes: bool) -> Result<Report> {
    let now = env.now().as_millisecond();
    let before = now.saturating_sub(super::stm::when::duration(&args.older_than)?);
    let mut gone = if project.exists(DATABASE) {
        opened(project, now)?.prune(args.store.map(Stored::word), before, now, yes).map_err(unwritable)?
    } else {
        PruneReport::default()
    };
    if args.store.is_none_or(|store| matches!(store, Stored::Runs)) {
        prune_objects(env, project, &mut gone, yes)?;
    }
    let row = |((store, kind), count): (&(&str, &str), &u64)| json!({ "store": store, "kind": kind, "count": count });
    let data = json!({
        "older_than": args.older_than,
        "dry_run": !yes,
        "rows": gone.rows.iter().map(row).collect::<Vec<_>>(),
        "total": gone.total(),
        "bytes": gone.bytes,
    });
    if gone.total() == 0 {
        return Ok(Report::done(data, format!("Nothing older than {} to prune.\n", args.older_than)));
    }
    let rows: Vec<_> = gone.rows.iter().collect();
    let row = |((store, kind), count): &(&(&str, &str), &u64)| row![store, kind, count];
    let mut text = table(env.style, &["STORE", "WHAT", "ROWS"], &rows, row);
    let size = ui::size(gone.bytes);
    text.push_str(&if yes {
        let hint = "`hefesto memory vacuum` frees the space.".to_owned();
        format!("\n{} deleted, {size} of text. {}\n", many(gone.total(), "row"), env.spelled(hint))
    } else {
        format!("\nDry run: {} would be deleted, {size} of text. Add `--yes` to delete.\n", many(gone.total(), "row"))
    });
    Ok(Report::done(data, text))
}

/// Removes the stored objects beyond the limit, to which nothing refers any more; without `really` only counts them.
fn prune_objects(env: &mut Env, project: &Project, gone: &mut PruneReport, really: bool) -> Result<()> {
    if objects::list(project.roots()).is_empty() {
        return Ok(());
    }
    let versions = config::load(env, project)?.history_versions.value;
    // References are looked up under the lock: another command may be about to add some.
    let lock = if really { Some(open::lock(env, project, "memory prune")?) } else { None };
    let Some(memory) = looked_into(project)? else { return Ok(()) };
    let kept = memory.kept_digests(versions).map_err(unreadable)?;
    let mut surplus = objects::list(project.roots());
    surplus.retain(|one| !kept.contains(&one.digest));
    if surplus.is_empty() {
        return Ok(());
    }
    gone.rows.insert(("history", "object"), surplus.len() as u64);
    gone.bytes += surplus.iter().map(|one| one.bytes).sum::<u64>();
    if let Some(lock) = lock {
        objects::remove(&lock, surplus.iter().map(|one| one.digest.as_str()));
    }
    Ok(())
}

pub(super) fn vacuum(env: &mut Env, project: &Project) -> Result<Report> {
    let (before, after) = if project.exists(DATABASE) {
        emptied(env, &mut opened(project, env.now().as_millisecond())?)?
    } else {
        (0, 0)
    };
    let data = json!({ "bytes_before": before, "bytes_after": after, "freed": before.saturating_sub(after) });
    let [was, is, freed] = [before, after, before.saturating_sub(after)].map(ui::size);
    Ok(Report::done(data, format!("{was} before, {is} after; {freed} freed.\n")))
}

fn emptied(env: &mut Env, memory: &mut Memory) -> Result<(u64, u64)> {
    let (before, after, whole) = memory.vacuum().map_err(unwritable)?;
    if !whole {
        let said =
            "another process reads the database, so its log still holds old pages; run `hefesto memory vacuum` again";
        env.warn(Code::LogInUse, said);
    }
    Ok((before, after))
}

fn limit(env: &Env, project: &Project) -> Result<std::time::Duration> {
    Ok(config::look(env, project)?.gate_limit())
}

pub(super) fn delete(env: &mut Env, project: &Project, args: &Delete, yes: bool) -> Result<Report> {
    let store = args.store.map(Stored::word);
    let memory = read(project)?;
    let found = memory.rows_of(&args.id, store).map_err(unreadable)?;
    let Some(first) = found.first() else { return delete_elsewhere(env, project, args, yes) };
    // Everything under the run's id is deleted with the run.
    let other = found.iter().find(|one| one.store != first.store && first.kind != "run");
    if let Some(other) = other {
        let said =
            format!("{:?} is in {} ({}) and in {} ({})", args.id, first.store, first.kind, other.store, other.kind);
        return Err(Error::new(Code::AmbiguousId, said));
    }
    let at_work = memory.runs(usize::MAX).map_err(unreadable)?;
    let at_work = at_work.into_iter().filter(|run| run.status == "running").map(|run| run.run_id);
    if let Some(run) = at_work.into_iter().find(|run| args.id.contains(run.as_str())) {
        return Err(Error::new(Code::StillNeeded, format!("run {run} is running")));
    }
    drop(memory);
    let mut preview = preview(env, &found);
    if first.kind == "run" {
        preview.push_str("Its checkpoints, its epoch and its undo data are deleted too.\n");
    }
    let limit = limit(env, project)?;
    let consent = consent::ask(env, &preview, yes, limit)?;
    let gone = opened(project, env.now().as_millisecond())?.forget_row(store, &args.id, true).map_err(unwritable)?;
    Ok(deleted(&args.id, &found, gone.total(), &consent))
}

fn deleted(id: &str, found: &[TimelineEntry], rows: u64, consent: &Consent) -> Report {
    let data = json!({ "id": id, "deleted": found, "rows": rows, "approved_by": consent.by().word() });
    let kind = found.first().map_or("", |first| first.kind);
    Report::done(data, format!("Deleted {kind} {}.\n", printable(id)))
}

fn preview(env: &Env, found: &[TimelineEntry]) -> String {
    let lines = found.iter().map(|one| format!("{} {}: {}\n", one.store, one.kind, printable(&one.what)));
    format!("{}\n{}", env.err_style().rule("memory delete"), lines.collect::<String>())
}

/// [`delete`] of a session or an entry if short-term memory is not in the project's database.
fn delete_elsewhere(env: &mut Env, project: &Project, args: &Delete, yes: bool) -> Result<Report> {
    let settings = config::load(env, project)?;
    let here = args.store.is_none_or(|store| store == Stored::Stm);
    let Some(mut sessions) = here.then(|| Sessions::elsewhere(project, &settings)).transpose()?.flatten() else {
        return Err(nothing_has(&args.id));
    };
    let copy = sessions.copy(env).map_err(|error| stm::connect::coded(env, project, error))?;
    let found = copy.rows_of(&args.id, Some("stm")).map_err(unreadable)?;
    if found.is_empty() {
        return Err(nothing_has(&args.id));
    }
    let limit = limit(env, project)?;
    let consent = consent::ask(env, &preview(env, &found), yes, limit)?;
    let removed = sessions.work(env, |stm| {
        let mut removed = 0;
        for session in stm.sessions()? {
            if session.key.id == args.id {
                removed += 1 + stm.purge(&session.key, None)?;
            } else {
                let of_id = Filter { id: Some(args.id.clone()), include_expired: true, ..Filter::default() };
                if matches!(stm.look(&session.key, &of_id), Ok(found) if !found.entries.is_empty()) {
                    removed += stm.purge(&session.key, Some(&args.id))?;
                }
            }
        }
        Ok(removed)
    });
    let removed = removed.map_err(|error| stm::connect::coded(env, project, error))?;
    Ok(deleted(&args.id, &found, removed, &consent))
}

/// Runs `hefesto memory redact`: shows the number of matches in each store, never the matches.
pub(super) fn redact(env: &mut Env, project: &Project, args: &Redact, yes: bool) -> Result<Report> {
    let source = if args.regex { args.pattern.clone() } else { regex::escape(&args.pattern) };
    let refused = |why: &str| Error::new(Code::PatternRefused, why);
    let pattern = Regex::new(&source).map_err(|error| {
        let why = error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        refused(&format!("the pattern is not a valid regular expression: {why}"))
            .suggest("Correct it, or leave out `--regex` to search for the text as it is.")
    })?;
    if pattern.is_match("") {
        return Err(refused("the pattern matches the empty string"));
    }
    let mask = |text: &str| {
        let count = pattern.find_iter(text).count() as u64;
        (count > 0).then(|| (pattern.replace_all(text, regex::NoExpand("[REDACTED]")).into_owned(), count))
    };
    let answer = |done: &Redacted, by: Option<&str>, sizes: (u64, u64)| {
        json!({
            "matches": done.matches,
            "total": done.matches.values().sum::<u64>(),
            "rows_removed": done.rows_removed,
            "resealed": done.resealed,
            "bytes_before": sizes.0,
            "bytes_after": sizes.1,
            "approved_by": by,
        })
    };
    let settings = config::load(env, project)?;
    let mut sessions = Sessions::elsewhere(project, &settings)?;
    let mut memory = if project.exists(DATABASE) { Some(opened(project, env.now().as_millisecond())?) } else { None };
    let would = redacted(env, project, memory.as_mut(), sessions.as_mut(), &mask, false)?;
    if would == Redacted::default() {
        return Ok(Report::done(answer(&would, None, (0, 0)), "No matches.\n"));
    }
    let rows = would.matches.iter().map(|(store, count)| [(*store).to_owned(), count.to_string()]);
    let table = ui::table(env.style, &["STORE", "MATCHES"], rows);
    let (gone, resealed) = (many(would.rows_removed, "matching row"), many(would.resealed, "checkpoint"));
    let said = format!("{gone} will be deleted, {resealed} re-sealed. The database file is rewritten.");
    let preview = format!("{}\n{table}\n{said}\n", env.style.rule("memory redact"));
    let limit = limit(env, project)?;
    let consent = consent::ask(env, &preview, yes, limit)?;
    let done = redacted(env, project, memory.as_mut(), sessions.as_mut(), &mask, true)?;
    let sizes = memory.as_mut().map_or(Ok((0, 0)), |memory| emptied(env, memory))?;
    let redacted = many(done.matches.values().sum(), "match");
    let text =
        format!("{redacted} redacted, and removed from the database file. Logs and archives are not searched.\n");
    Ok(Report::done(answer(&done, Some(consent.by().word()), sizes), text))
}

/// Redacts in the database and, if short-term memory is elsewhere, there too.
fn redacted(
    env: &mut Env,
    project: &Project,
    memory: Option<&mut Memory>,
    sessions: Option<&mut Sessions>,
    mask: &dyn Fn(&str) -> Option<(String, u64)>,
    really: bool,
) -> Result<Redacted> {
    let redacted = memory.map(|memory| memory.redact(mask, really)).transpose();
    let mut done = redacted.map_err(unwritable)?.unwrap_or_default();
    if let Some(sessions) = sessions {
        let erased = sessions.work(env, |stm| stm.redact(mask, really));
        let erased = erased.map_err(|error| stm::connect::coded(env, project, error))?;
        if erased.matches > 0 {
            *done.matches.entry("stm").or_default() += erased.matches;
            done.rows_removed += erased.removed;
        }
    }
    Ok(done)
}

const MOST: u64 = 256 << 20;

/// The text with credentials redacted; `None` if it contains none.
fn clean(text: &str) -> Option<String> {
    let (redacted, count) = secrets::redact(text);
    (count > 0).then(|| redacted.into_owned())
}

/// Runs `hefesto memory export`. Standard output gets the lines themselves; with `--json` the lines are in the
/// answer's `lines`.
pub(super) fn export(env: &mut Env, project: &Project, args: &Export) -> Result<Report> {
    let store = args.store.map(Stored::word);
    if config::load(env, project)?.stm_backend.value == "redis" {
        let said = "an export holds what is in memory.db, and short-term memory is on the Redis server of `stm.url`";
        match args.store {
            Some(Stored::Stm) => {
                let cure = "`hefesto memory stm recall --session ID --json` gives the entries of a session.";
                return Err(Error::new(Code::StmUnreachable, said).suggest(cure));
            }
            None => env.warn(Code::Stateless, format!("{said}; its entries are left out")),
            Some(_) => {}
        }
    }
    let (lines, redacted) = read(project)?.export(store, &env.stamp(), &clean).map_err(unreadable)?;
    let rows = lines.len() as u64 - 1;
    let to_file = args.file != Path::new("-");
    let shown = args.file.slashed();
    let mut data = json!({ "file": to_file.then_some(&shown), "rows": rows, "redacted": redacted });
    if !to_file {
        if env.json {
            data["lines"] = json!(lines);
        }
        return Ok(Report::done(data, lines.join("\n") + "\n").form(Form::Json));
    }
    let path = env.cwd.join(&args.file);
    let unwritten = || format!("{shown} cannot be written");
    let file = files::make_private(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Error::new(Code::Io, format!("{shown} is there already"))
            .suggest("Give another name, or remove it first: an export replaces no file."),
        _ => Error::new(Code::Io, unwritten()).because(error),
    })?;
    let mut file = BufWriter::new(file);
    for line in &lines {
        writeln!(file, "{line}").coded(Code::Io, unwritten())?;
    }
    file.into_inner()
        .map_err(std::io::IntoInnerError::into_error)
        .and_then(|file| files::sync(&file))
        .coded(Code::Io, unwritten())?;
    let left = match redacted {
        0 => String::new(),
        n => format!("; {n} held credentials, which are redacted or left out"),
    };
    let text = format!("{} exported to {}{left}.\n", many(rows, "row"), printable(&shown));
    Ok(Report::done(data, text))
}

pub(super) fn import(env: &mut Env, project: &Project, args: &Import) -> Result<Report> {
    let text = if args.file == Path::new("-") {
        input::read_stdin_up_to(env, MOST)?
    } else {
        input::read_text_up_to(&env.cwd.join(&args.file), MOST)?
    };
    let refused = |error: anyhow::Error| match error.downcast::<ImportError>() {
        Ok(refused) => Error::new(Code::ImportRefused, secrets::redact(&refused.to_string()).0),
        Err(error) => unwritable(error),
    };
    let done = opened(project, env.now().as_millisecond())?.import(&text, &clean).map_err(refused)?;
    let added: u64 = done.added.values().sum();
    let data = json!({ "added": added, "kept": done.kept, "redacted": done.redacted, "tables": done.added });
    let left = if done.redacted > 0 { format!(", {} held credentials", done.redacted) } else { String::new() };
    let text = format!("{} imported, {} already present{left}.\n", many(added, "row"), done.kept);
    Ok(Report::done(data, text))
}
