//! The tables of the memory as one list: the store, keys, time and text of each. Search, timeline, prune, delete,
//! redact and export all read this list, so that none of them can miss a table.

#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) store: &'static str,
    /// The word for its rows in a list; empty if they are parts of other rows and never listed.
    pub(super) kind: &'static str,
    /// SQL: the id a person deletes a row by.
    pub(super) id: &'static str,
    /// SQL: when it happened, milliseconds UTC.
    pub(super) at: &'static str,
    /// SQL: one line about it.
    pub(super) what: &'static str,
    /// SQL: whether it may be pruned by age alone; `?2` is now.
    pub(super) over: &'static str,
    /// SQL: whether it is shown; rows of an ended session are not (STM-3).
    pub(super) shown: &'static str,
    /// Text columns with content from outside.
    pub(super) words: &'static [&'static str],
    /// JSON columns with content from outside.
    pub(super) json: &'static [&'static str],
    /// Columns that identify a row; a match in them deletes the row.
    pub(super) keys: &'static [&'static str],
    /// The row's surrogate key, which differs between databases.
    pub(super) surrogate: Option<&'static str>,
    /// The natural key of the row; empty: all columns.
    pub(super) natural: &'static [&'static str],
    /// Columns that hold the surrogate of a row of another table.
    pub(super) refers: &'static [(&'static str, &'static str)],
    /// Rows are imported only with a new row of that table, referenced by this column.
    pub(super) follows: Option<(&'static str, &'static str)>,
}

const NONE: Table = Table {
    name: "",
    store: "",
    kind: "",
    id: "",
    at: "",
    what: "",
    over: "0",
    shown: "1",
    words: &[],
    json: &[],
    keys: &[],
    surrogate: None,
    natural: &[],
    refers: &[],
    follows: None,
};

/// A run that is neither running nor waiting.
const RUN_IS_OVER: &str =
    "NOT EXISTS (SELECT 1 FROM runs r WHERE r.run_id = t.run_id AND r.status IN ('running', 'paused'))";

macro_rules! tables {
    ($($name:literal of $store:literal { $($field:ident: $value:expr),+ $(,)? })+) => {
        &[$(Table { name: $name, store: $store, $($field: $value,)+ ..NONE }),+]
    };
}

/// All tables except the key of the security events, which never leaves its database. Parents come before children.
pub(super) const TABLES: &[Table] = tables! {
    "runs" of "runs" {
        kind: "run", id: "t.run_id", at: "unixepoch(t.started_at) * 1000",
        what: "t.command || ' ' || t.status || coalesce(': ' || coalesce(t.skill, t.description), '')
               || coalesce(' (' || t.error || ')', '')",
        over: "t.status NOT IN ('running', 'paused')",
        words: &["description", "skill", "targets"], json: &["answers", "registry"], keys: &["run_id"],
        natural: &["run_id"],
    }
    "run_phases" of "runs" { keys: &["run_id"], natural: &["run_id", "phase"] }
    "changes" of "runs" { words: &["target"], keys: &["run_id", "at", "backup"], natural: &["run_id", "at"] }
    "installed" of "runs" {
        words: &["skill", "target", "version", "why"], keys: &["at", "run_id"], natural: &["at", "seq"],
    }
    "recipes" of "runs" {
        words: &["skill", "text"], json: &["brief", "made_from"], keys: &["run_id"], natural: &["run_id"],
    }
    "wm_lanes" of "ring" { natural: &["lane"] }
    "blobs" of "ring" { natural: &["hash"] }
    "wm_slots" of "ring" {
        kind: "checkpoint", id: "t.run_id || ':' || t.phase || ':' || t.seq", at: "unixepoch(t.at) * 1000",
        what: "t.phase || ' of run ' || t.run_id || ' in slot ' || t.slot || ' of lane ' || t.lane", over: RUN_IS_OVER,
        keys: &["run_id"], natural: &["lane", "slot"], follows: Some(("lane", "wm_lanes")),
    }
    "wm_markers" of "ring" { keys: &["run_id"], natural: &["run_id", "phase"] }
    "wm_aside" of "ring" { keys: &["run_id"], natural: &["run_id", "phase"] }
    "stm_sessions" of "stm" {
        kind: "session", id: "t.session_id", at: "t.opened_at",
        what: "'session ' || t.session_id || ' of ' || t.actor || ' (' || t.embodiment || '), ' || t.entries || iif(t.entries = 1, ' entry', ' entries')",
        over: "t.ended_at IS NOT NULL", shown: "t.ended_at IS NULL",
        words: &["actor"], keys: &["embodiment", "session_id", "run_id"], surrogate: Some("sid"),
        natural: &["embodiment", "session_id"],
    }
    "stm_entries" of "stm" {
        kind: "entry", id: "t.id", at: "t.created_at", what: "t.category || ': ' || t.content",
        over: "t.expires_at <= ?2",
        shown: "EXISTS (SELECT 1 FROM stm_sessions s WHERE s.sid = t.sid AND s.ended_at IS NULL)",
        words: &["actor"], json: &["tags", "content"], keys: &["id"], surrogate: Some("seq"), natural: &["id"],
        refers: &[("sid", "stm_sessions")],
    }
    "stm_hours" of "stm" { natural: &["hour", "what"] }
    "conversations" of "fifo" {
        kind: "conversation", id: "t.conversation_id", at: "t.created_at", what: "t.title",
        over: "t.is_active = 0 AND NOT EXISTS
               (SELECT 1 FROM runs r WHERE r.run_id = t.pinned_by_run AND r.status IN ('running', 'paused'))",
        words: &["title", "summary"], json: &["tags"], keys: &["conversation_id", "pinned_by_run"],
        surrogate: Some("id"), natural: &["conversation_id"],
    }
    "messages" of "fifo" {
        kind: "message", id: "t.conversation_id || '#' || t.id", at: "t.timestamp", what: "t.role || ': ' || t.content",
        words: &["content"], keys: &["conversation_id"], surrogate: Some("id"),
        follows: Some(("conversation_id", "conversations")),
    }
    "entities" of "fifo" {
        kind: "entity", id: "t.entity_type || ':' || t.entity_name", at: "t.last_accessed",
        what: "t.entity_type || ' ' || t.entity_name || ', named ' || t.access_count || iif(t.access_count = 1, ' time', ' times')",
        keys: &["entity_name", "file_path"], surrogate: Some("id"),
        natural: &["entity_type", "entity_name", "file_path"],
    }
    "conversation_entities" of "fifo" {
        keys: &["conversation_id"], natural: &["conversation_id", "entity_id"], refers: &[("entity_id", "entities")],
    }
    "eviction_log" of "fifo" {
        kind: "eviction", id: "'eviction:' || t.id", at: "t.timestamp",
        what: "t.conversation_id || ' left: ' || t.details", over: "1",
        words: &["details"], keys: &["conversation_id"], surrogate: Some("id"),
    }
    "patterns" of "long" {
        kind: "pattern", id: "'pattern:' || t.kind || ':' || t.key", at: "t.last_seen",
        what: "t.kind || ' ' || t.key || ', seen ' || t.count || ' times'", over: "1",
        keys: &["key"], natural: &["kind", "key"],
    }
    "epochs" of "ooda" {
        kind: "epoch", id: "t.epoch_id", at: "t.opened_at",
        what: "'epoch ' || t.epoch_id || coalesce(' of run ' || t.run_id, '')",
        over: "t.flushed_at IS NOT NULL AND coalesce((SELECT r.status FROM runs r WHERE r.run_id = t.run_id), '')
               NOT IN ('running', 'paused')",
        json: &["summary"], keys: &["epoch_id", "run_id"], natural: &["epoch_id"],
    }
    "ooda_dags" of "ooda" { keys: &["epoch_id", "dag_id"], natural: &["epoch_id", "dag_id"] }
    "ooda_nodes" of "ooda" {
        keys: &["epoch_id", "dag_id", "node_id"], natural: &["epoch_id", "dag_id", "node_id"],
    }
    "ooda_events" of "ooda" {
        kind: "event", id: "t.event_id", at: "t.at", what: "t.source || ': ' || t.description",
        words: &["description"], json: &["payload"], keys: &["epoch_id", "event_id"],
        natural: &["epoch_id", "event_id"],
    }
    "ooda_entities" of "ooda" {
        kind: "cached", id: "t.epoch_id || ':' || t.key", at: "t.created", what: "t.key || ' = ' || t.value",
        json: &["value"], keys: &["epoch_id", "key", "source_event_id"], natural: &["epoch_id", "key"],
    }
    "ooda_evicted" of "ooda" {
        kind: "evicted", id: "'evicted:' || t.seq", at: "t.at", what: "t.description || ' (evicted: ' || t.why || ')'",
        over: "1", words: &["description"], keys: &["epoch_id", "event_id"], surrogate: Some("seq"),
    }
    "turns" of "turn" {
        kind: "turn", id: "t.turn_id", at: "t.started_at",
        what: "'turn ' || t.turn_id || coalesce(' of run ' || t.run_id, '') || ', ' || t.mode || ', ' || t.status",
        over: "t.status <> 'running'", words: &["user_id"], json: &["fragments", "warnings"],
        keys: &["turn_id", "run_id", "parent_turn_id", "agent_id"], surrogate: Some("id"), natural: &["turn_id"],
    }
    "trace_spans" of "turn" { natural: &["turn", "seq"], refers: &[("turn", "turns")] }
    "trace_events" of "turn" { words: &["message"], natural: &["turn", "seq"], refers: &[("turn", "turns")] }
    "wm_items" of "turn" {
        words: &["source"], keys: &["item_id"], natural: &["turn", "position"], refers: &[("turn", "turns")],
    }
    "observations" of "turn" {
        kind: "observation", id: "t.id", at: "t.created_at", what: "t.type || ': ' || t.content",
        over: "t.status IN ('resolved', 'archived') OR t.expires_at <= ?2",
        words: &["content", "source", "owner"], json: &["tags"], keys: &["id"], natural: &["id"],
    }
    "goals" of "turn" {
        kind: "goal", id: "t.id", at: "t.created_at",
        what: "t.kind || ' (' || t.priority || ', ' || t.status || '): ' || t.text", over: "t.status = 'done'",
        words: &["text"], keys: &["id"], natural: &["id"],
    }
    "rejected" of "turn" {
        kind: "rejected", id: "'rejected:' || t.id", at: "t.at", what: "'in no skill any more: ' || t.text", over: "1",
        words: &["text"], keys: &["id"], natural: &["id"],
    }
    "episodes" of "long" {
        kind: "episode", id: "'episode:' || t.run_id", at: "t.ts", what: "t.text", over: "1",
        words: &["subject", "text", "skill", "cure"], keys: &["run_id"], surrogate: Some("id"), natural: &["run_id"],
    }
    "facts" of "long" {
        kind: "fact", id: "t.key", at: "t.updated_at", what: "t.text", over: "1",
        words: &["text", "source"], keys: &["key"], natural: &["key"],
    }
    "answers" of "long" {
        kind: "answer", id: "'answer:' || t.id", at: "t.at",
        what: "t.key || ': ' || t.text || ' (for `' || t.skill || '`)'", over: "1",
        words: &["key", "text", "subject"], keys: &["id", "skill"], natural: &["id"],
    }
    "security_events" of "security" {
        kind: "refused", id: "'security:' || t.seq", at: "t.ts",
        what: "t.kind || ' by ' || t.rule || ' at ' || t.place", over: "1", words: &["place"], surrogate: Some("seq"),
    }
};

pub(super) fn tables(store: Option<&str>) -> impl Iterator<Item = &'static Table> {
    TABLES.iter().filter(move |table| store.is_none_or(|store| store == table.store))
}

/// The tables whose rows have an id, a time and a line about them.
pub(super) fn listed(store: Option<&str>) -> impl Iterator<Item = &'static Table> {
    tables(store).filter(|table| !table.kind.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;

    /// Text columns written by the program itself, from a fixed set of words or as a digest: no text of a person.
    const OURS: &[(&str, &[&str])] = &[
        ("runs", &["command", "status", "started_at", "ended_at", "input_hash", "approved_by", "digest", "error"]),
        ("run_phases", &["phase", "status"]),
        ("changes", &["action", "before", "after"]),
        ("installed", &["command", "digest", "recipe", "stamp"]),
        ("blobs", &["hash", "data"]),
        ("wm_slots", &["phase", "at", "data", "checksum"]),
        ("wm_markers", &["phase"]),
        ("wm_aside", &["phase", "at", "data", "checksum"]),
        ("stm_entries", &["category"]),
        ("stm_hours", &["what"]),
        ("messages", &["role"]),
        ("entities", &["entity_type"]),
        ("eviction_log", &["event_type"]),
        ("patterns", &["kind"]),
        ("ooda_nodes", &["status"]),
        ("ooda_events", &["source"]),
        ("ooda_evicted", &["why"]),
        ("turns", &["mode", "urgency", "status", "budget", "context_hash"]),
        ("trace_spans", &["name", "status"]),
        ("trace_events", &["component", "kind"]),
        ("wm_items", &["type", "hash"]),
        ("observations", &["type", "status"]),
        ("goals", &["kind", "priority", "status"]),
        ("answers", &["kind"]),
        ("episodes", &["kind", "error_code", "phase"]),
        ("security_events", &["kind", "rule", "hash8"]),
    ];

    #[test]
    fn every_table_and_every_column_of_text_is_accounted_for() {
        let memory = Memory::in_memory().unwrap();
        let sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
                   AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'fifo_%' AND name <> 'security_key' ORDER BY name";
        let mut statement = memory.db.prepare(sql).unwrap();
        let there: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        let mut known: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        known.sort_unstable();
        assert_eq!(there, known);
        for table in TABLES {
            let ours = OURS.iter().find(|(name, _)| *name == table.name).map_or(&[][..], |(_, columns)| columns);
            let sql = format!("SELECT name FROM pragma_table_info('{}') WHERE type = 'TEXT' ORDER BY name", table.name);
            let mut statement = memory.db.prepare(&sql).unwrap();
            let text: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
            let mut known: Vec<&str> = [table.words, table.json, table.keys, ours].concat();
            known.sort_unstable();
            assert_eq!(text, known, "{}", table.name);
        }
    }

    #[test]
    fn every_expression_is_sql() {
        let memory = Memory::in_memory().unwrap();
        for table in listed(None) {
            let sql = format!(
                "SELECT {}, {}, {}, {} FROM {} t WHERE ?1 AND ?2",
                table.id, table.at, table.what, table.over, table.name
            );
            memory.db.prepare(&sql).unwrap_or_else(|error| panic!("{}: {error}", table.name));
        }
    }
}
