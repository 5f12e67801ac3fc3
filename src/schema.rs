//! The shape of every `--json` answer, as one table; `hefesto schema` prints it as JSON Schema.
//!
//! A line of the table is `name: type`, with `name?` for a field that may be missing. A type is `text`, `number` (whole),
//! `decimal`, `flag`, `any`, `map`, the name of a record, `[type]` for a list, and `type|null` for a value that may be null.

use serde_json::{Map, Value, json};

/// The records that answers are made of: name, fields.
const RECORDS: &[(&str, &str)] = &[
    (
        "finding",
        "layer: text, rule: text, severity: text, file: text, line: number, column: number, message: text, why: text, \
         fix: text, client: text|null",
    ),
    ("warning", "code: text, message: text"),
    ("error", "code: text, message: text, suggestion: text, exit: number, findings: [finding]"),
    ("place", "id: text, path: text, action: text"),
    ("origin", "path: text|null, remote: text|null, commit: text|null"),
    ("incoming", "name: text, path: text, origin: origin, copies: [place], errors: [finding], notes: [text]"),
    ("refused", "name: text, path: text, why: text, findings: [finding]"),
    ("grade", "verdict: text, critical: number, warnings: number, gaps: number"),
    ("phase", "phase: text, status: text, ms: number"),
    (
        "markers",
        "P0: number|null, P1: number|null, P2: number|null, P3: number|null, P4: number|null, P5: number|null, P6: number|null",
    ),
    ("working_memory", "lane: number, write_head: number, slots_used: number, markers: markers"),
    ("cli", "id: text, method: text, skills_dir: text, version: text|null, status: text"),
    ("skill_row", "name: text, clis: [text], created: text, modified: text"),
    (
        "detected",
        "id: text, title: text, method: text, status: text, binary: text|null, config_dir: text|null, version: text|null, \
         skills_dir: text, new: flag, serves: [text]",
    ),
    (
        "known_client",
        "id: text, title: text, target: text, project_dir: text, user_dir: text|null, drafts: flag, here: flag",
    ),
    ("totals", "skills: number, clis: number, active: number"),
    ("drift", "kind: text, cli: text, skill: text|null, what: text, action: text"),
    ("checked", "name: text, path: text, verdict: text, findings: [finding], suppressed: [suppressed]"),
    (
        "suppressed",
        "layer: text, rule: text, severity: text, file: text, line: number, column: number, message: text, why: text, \
         fix: text, client: text|null, reason: text",
    ),
    ("point", "number: number, title: text, verdict: text, reasons: [text]"),
    ("fitted", "name: text, path: text, clients: [fit]"),
    (
        "fit",
        "client: text, title: text, loaded: flag, reasons: [text], name: text, listing: text|null, listing_chars: number, \
         whole_chars: number, ignored: [text], budget: budget, same_name: [text]",
    ),
    (
        "budget",
        "chars: number|null, own_chars: number|null, basis: text|null, skills: number, used_chars: number, \
         used_tokens: number, over: flag, models: [model_limit]",
    ),
    ("model_limit", "model: text, chars: number, over: flag"),
    ("cause", "what: text, cure: text|null"),
    (
        "verdict_of_client",
        "client: text, title: text, verdict: text, says: text, path: text|null, places: [text], causes: [cause]",
    ),
    ("chosen", "name: text, path: text, score: decimal, words: [text]"),
    ("expected", "place: number|null, what: text|null, cure: text|null"),
    ("choice", "client: text, title: text, considered: number, first: [chosen], expected: expected|null"),
    ("seen_at", "path: text, scope: text"),
    (
        "repository_fact",
        "kind: text, id: text|null, text: text, command: text|null, file: text, line: number, risk: text|null, words: [text]",
    ),
    ("matched", "name: text, description: text, score: decimal, words: [text], clis: [text], places: [seen_at]"),
    ("nearest", "name: text, shared: [text], here: [text], there: [text]"),
    ("twin", "client: text, path: text, scope: text, effect: text"),
    ("client_list", "client: text, budget: budget"),
    ("used_pack", "id: text, because: text, lines: number"),
    ("open_question", "key: text, ask: text"),
    ("remembered", "id: text, text: text, who: text, at: number, because: text, key: text|null, if_asked: flag"),
    ("learned_answer", "id: text, kind: text, key: text, text: text, subject: text, skill: text, at: text"),
    ("body", "packs: [used_pack], questions: [open_question], lines: number, specific: number"),
    ("reach", "others: number, nearest: nearest|null, same_name: [twin], lists: [client_list]"),
    ("summary", "total: number, valid: number, invalid: number, errors: number, warnings: number, suppressed: number"),
    ("mended", "path: text, rule: text, what: text, diff: text"),
    ("file", "path: text, bytes: number, executable: flag"),
    (
        "backup",
        "name: text, at: text, why: text, bytes: number, run_id: text|null, verified: flag, path: text, holds: [text]",
    ),
    (
        "run",
        "run_id: text, command: text, status: text, started_at: text, ended_at: text|null, description: text|null, \
         skill: text|null, targets: text|null, approved_by: text|null, error: text|null",
    ),
    ("recovered", "run: text, command: text, outcome: text, detail: map|null, paths: [text]"),
    (
        "slot",
        "slot: number, run_id: text, phase: text, seq: number, at: text, bytes: number, checksum: text, ok: flag, stale: flag",
    ),
    ("ring", "lane: number, capacity: number, write_head: number, slots: [slot], markers: markers, run_id: text|null"),
    ("windows", "input: map, processing: map, approval: map"),
    ("damage", "lane: number, slot: number, run_id: text, phase: text"),
    ("health", "status: text, reasons: [text], damaged: [damage]"),
    ("verdict", "stopped_in: text|null, code: text|null, what: text|null, cure: text|null, next: [text]"),
    ("moment", "at: text, store: text, kind: text, id: text, what: text"),
    ("hit", "at: text, store: text, kind: text, id: text, what: text, score: decimal, snippet: text"),
    ("check", "name: text, ok: flag, found: [text]"),
    ("forgotten", "store: text, kind: text, count: number"),
    ("phase_took", "phase: text, runs: number, mean_ms: number, longest_ms: number"),
    ("usage", "store: text, what: text, used: number, limit: number"),
    ("of_session", "session_id: text, embodiment: text, state: text, entries: number, bytes: number"),
    ("of_queue", "last_said: text|null"),
    ("of_epoch", "epoch_id: text, dags: [dag]"),
    ("of_turn", "turn_id: text, tokens: number, total: number"),
    ("of_long", "episode: text|null"),
    ("stores", "stm: of_session|null, fifo: of_queue, ooda: of_epoch|null, turn: of_turn|null, long: of_long"),
    (
        "dag",
        "dag_id: text, total_nodes: number, completed_count: number, failed_count: number, pending_count: number, \
         running_count: number, parked_count: number, node_statuses: map, completion_percentage: decimal, \
         failed_node_ids: [text], estimated_remaining_steps: number",
    ),
    ("event", "event_id: text, source: text, description: text, payload: map, timestamp_utc: text, priority: number"),
    ("cached_entity", "key: text, value: any, ttl_seconds: number|null, created_utc: text, source_event_id: text|null"),
    ("evicted_event", "epoch_id: text, event_id: text, description: text, evicted_utc: text, why: text"),
    ("epoch", "epoch_id: text, run_id: text|null, opened_utc: text, flushed_utc: text|null, summary: map|null"),
    ("standing", "epoch_id: text|null, dags: [dag], decision: map|null, flushed: flag"),
    (
        "context_slice",
        "dag_snapshots: [dag], recent_events: [event], cached_entities: map, total_events_in_history: number, \
         total_entities_cached: number, truncated: flag",
    ),
    (
        "stm_session",
        "session_id: text, embodiment: text, actor: text, run_id: text|null, state: text, opened_at: text, active_at: text, \
         ended_at: text|null, purge_after: text|null, duration_ms: number, entries: number, bytes: number, recalls: number, \
         expired: number, pruned: number",
    ),
    ("stm_metadata", "created_at: text, expires_at: text, priority: text, volatile: flag"),
    (
        "stm_entry",
        "id: text, tier: text, category: text, actor: text, embodiment: text, session_id: text, content: any, \
         metadata: stm_metadata, tags: [text]",
    ),
    (
        "stm_filters",
        "categories: [text], actor: text|null, tags: [text], since: text|null, id: text|null, include_expired: flag, \
         limit: number",
    ),
    (
        "stm_metrics",
        "entry_count: number, sessions_open: number, sessions_ended: number, average_session_duration_ms: number|null, \
         expiry_rate_percent: number, retrievals: number, stored: number, expired: number, pruned: number, purged: number",
    ),
    ("stm_indicator", "name: text, value: number, level: text, warning: number, critical: number"),
    ("stm_health", "level: text, indicators: [stm_indicator]"),
    ("stm_category", "category: text, count: number"),
    ("stm_peak", "hour: text, count: number"),
    (
        "stm_analytics",
        "average_session_length_ms: number|null, sessions: number, categories: [stm_category], peaks: [stm_peak]",
    ),
    ("stm_limits", "entries: number, bytes: number"),
    (
        "conversation",
        "conversation_id: text, title: text, created_at: text, updated_at: text, message_count: number, is_active: flag, \
         pinned_by_run: text|null, summary: text|null, tags: [text]",
    ),
    (
        "conversation_found",
        "conversation_id: text, title: text, created_at: text, updated_at: text, message_count: number, is_active: flag, \
         pinned_by_run: text|null, summary: text|null, tags: [text], matched: text, excerpt: text|null",
    ),
    ("message", "role: text, content: text, timestamp: text"),
    ("mention", "type: text, name: text, relevance_score: decimal, new?: flag"),
    (
        "entity",
        "entity_type: text, entity_name: text, file_path: text, first_seen: text, last_accessed: text, \
         access_count: number, conversation_count: number, pattern_count: number",
    ),
    ("eviction", "conversation_id: text, event_type: text, timestamp: text, details: text"),
    ("queue", "count: number, capacity: number, available: number, at_capacity: flag"),
    ("message_count", "total: number, bytes: number, by_role: map"),
    ("entity_count", "total: number, by_type: map"),
    ("eviction_count", "total: number, last: eviction|null"),
    (
        "turn",
        "turn_id: text, run_id: text|null, parent_turn_id: text|null, agent_id: text, user_id: text, mode: text, \
         urgency: text, status: text, started_at: text, ended_at: text|null, init_us: number, timed_out: flag, \
         total_tokens: number, context_hash: text, warnings: [text]",
    ),
    (
        "turn_budget",
        "total: number, consciousness: number, fc: number, conversation: number, episodic: number, semantic: number, \
         scratch_page: number, working_memory: number, tools: number, buffer: number",
    ),
    (
        "breakdown",
        "consciousness: number, fc: number, conversation: number, episodic: number, semantic: number, scratch_page: number, \
         working_memory: number, tools: number",
    ),
    ("kept_fragment", "part: text, source: text, version: text|null, tokens: number, hash: text, items: [text]"),
    (
        "wm_item",
        "position: number, id: text, type: text, source: text, tokens: number, importance: decimal, step_index: number, \
         hash: text",
    ),
    (
        "span",
        "seq: number, name: text, start_us: number, took_us: number, target_ms: number|null, status: text, tokens: number",
    ),
    ("trace_event", "seq: number, at_us: number, component: text, kind: text, message: text"),
    ("line_score", "similarity: decimal, recency: decimal, importance: decimal, duplication: decimal, total: decimal"),
    ("context_line", "id: text, text: text, source: text, why: text, tokens: number, score: line_score|null"),
    (
        "fragment",
        "part: text, heading: text, source: text, version: text|null, why: text, text: text, tokens: number, hash: text, \
         items: [context_line]",
    ),
    (
        "observation",
        "id: text, type: text, content: text, source: text, owner: text, status: text, confidence: decimal, \
         tags: [text], created_at: text, expires_at: text",
    ),
    (
        "goal",
        "id: text, kind: text, text: text, priority: text, due: text|null, blocking: flag, status: text, \
         created_at: text, done_at: text|null",
    ),
    (
        "episode",
        "run_id: text, kind: text, subject: text, text: text, skill: text|null, error_code: text|null, phase: text, \
         cure: text|null, importance: decimal, at: text",
    ),
    (
        "fact",
        "key: text, version: number, text: text, source: text, importance: decimal, updated_at: text, access_count: number",
    ),
    ("long_pattern", "kind: text, key: text, count: number, last_seen: text"),
    ("long_limits", "episodes: number, facts: number"),
    ("setting", "name: text, value: text, origin: text, set_by: text"),
    ("ignored_setting", "file: text, key: text, why: text, user_file: text|null"),
    (
        "template",
        "name: text, origin: text, version: text, path: text|null, shadows: [text], outdated: flag, problem: text|null",
    ),
    ("variable", "name: text, meaning: text, used: flag"),
    ("problem", "line: number|null, column: number|null, message: text"),
    (
        "tried",
        "name: text, origin: text, version: text, path: text|null, ok: flag, problems: [problem], findings: [finding]",
    ),
    ("build", "version: text, commit: text|null, target: text, features: [text]"),
    ("files", "project: text, user: text|null"),
    ("code", "code: text, when: text"),
    ("rule", "rule: text, title: text"),
    ("part", "about: text, concluded: text, from: text"),
    ("clause", "text: text, verb: text|null, written: text, object: text, words: [text]"),
    (
        "copy",
        "client: text, path: text, state: text, reason: text|null, version: text|null, what: text, action: text|null",
    ),
    ("newer", "kind: text, id: text"),
    ("out_of_date", "name: text, newer: [newer], drafted: flag"),
    (
        "updated",
        "name: text, copies: [place], newer: [newer], kept: [text], version: text|null, backup: text|null, run_id: text",
    ),
    ("of_skill", "name: text, copies: [copy]"),
    (
        "skill_version",
        "version: text|null, name: text, at: text, command: text, why: text|null, clients: [text], run_id: text, kept: flag",
    ),
    ("changed_file", "path: text, change: text, diff: text|null"),
    ("difference", "from: text, to: text, files: [changed_file]"),
    ("synced", "name: text, copies: [place], version: text|null, why: text, backup: text|null, run_id: text"),
    (
        "explained",
        "language: text, archetype: text, head: clause|null, clauses: [clause], rules: [text], parts: [part]",
    ),
];

const CREATE: &str = "run_id: text, name: text, description: text, category: text, tags: [text], template: text, \
    targets: [place], files_created: [text], backup: text|null, approved_by: text|null, grade: grade, digest: text, \
    phases: [phase], working_memory: working_memory, reach: reach, dry_run?: flag, explain?: explained, \
    drafted_by?: text, added_commands?: [text], amended?: [text], body?: body, remembered?: [remembered]";

/// The `data` of every command: its words, its fields.
const ANSWERS: &[(&str, &str)] = &[
    ("create", CREATE),
    ("create brief", "name: text, brief: text, command: text"),
    ("resume", CREATE),
    ("approve", CREATE),
    (
        "init",
        "root: text, initialized: flag, created: [text], clis: [cli], standards?: number, since?: text, skills?: number, \
         commands?: [place]",
    ),
    ("detect", "clis: [detected], not_found: [text], supported: number, known: [known_client]"),
    (
        "validate",
        "skills: [checked], summary: summary, profile: text, fit?: [fitted], fixed?: [mended], fix_runs?: [text], \
         dry_run?: flag, left?: [checked]",
    ),
    ("grade", "name: text, path: text, places: [text], grade: grade, points: [point]"),
    ("facts", "root: text, sentence: text|null, facts: [repository_fact], runners: map, unread: [text]"),
    ("match", "prompt: text, cli: text|null, considered: number, skills: [matched]"),
    ("why", "name: text, clients: [verdict_of_client]"),
    ("why prompt", "prompt: text, name: text|null, clients: [choice]"),
    (
        "list",
        "root: text, clis: [cli], skills: [skill_row], initialized: text, last_updated: text, version: text, \
         totals: totals, drift?: [drift]",
    ),
    (
        "show",
        "name: text, places: [text], clis: [text], metadata: map, body: text, files: [file], \
         origin: text|null, created: text|null, modified: text|null",
    ),
    ("status", "skills: [of_skill], differing: number"),
    ("outdated", "skills: [out_of_date], checked: number"),
    ("update", "skills: [updated], approved_by: text|null"),
    (
        "edit",
        "name: text, copies: [place], version: text|null, backup: text|null, run_id: text|null, approved_by: text|null",
    ),
    ("sync", "skills: [synced], approved_by: text|null"),
    (
        "adopt",
        "skills: [incoming], refused: [refused], backup: text|null, run_id: text|null, approved_by: text|null, \
         dry_run: flag",
    ),
    (
        "convert",
        "skills: [incoming], refused: [refused], backup: text|null, run_id: text|null, approved_by: text|null, \
         dry_run: flag",
    ),
    ("add", "name: text, copies: [place], run_id: text|null, approved_by: text|null"),
    (
        "rename",
        "name: text, was: text, copies: [place], linked: [text], backup: text|null, run_id: text, approved_by: text",
    ),
    ("log", "name: text, versions: [skill_version]"),
    ("diff", "name: text, differences: [difference]"),
    ("pack", "form: text, out: text, skills: [text], files: [text], differing: [text], foreign: [text], digest: text"),
    ("delete", "name: text, deleted: [place], backup: text|null, run_id: text, approved_by: text"),
    (
        "restore",
        "name: text, from: text, restored: [place], backup: text|null, run_id: text|null, approved_by: text|null",
    ),
    ("backups", "backups: [backup], pruned?: [text]"),
    ("undo", "undone: text, name: text, steps: [place], backup: text|null, run_id: text, approved_by: text"),
    ("runs", "runs: [run], discarded?: [text]"),
    ("recover", "recovered: [recovered], put_aside: [text]"),
    (
        "memory inspect",
        "run: run|null, verdict: verdict|null, phases: [phase], ring: ring, windows: windows, stores: stores, \
         limits: [usage], health: health",
    ),
    (
        "memory inspect ring",
        "lane: number, capacity: number, write_head: number, slots: [slot], markers: markers, run_id: text|null",
    ),
    ("memory inspect windows", "run_id: text|null, windows: windows"),
    (
        "memory ring show",
        "lane: number, capacity: number, write_head: number, slots: [slot], markers: markers, run_id: text|null",
    ),
    (
        "memory ring get",
        "run_id: text, phase: text, slot: number, seq: number, at: text, checksum: text, state: any, dropped?: flag",
    ),
    ("memory ring verify", "checked: number, damaged: [damage]"),
    ("memory ring diff", "run_id: text|null, from: text, to: text, added: number, removed: number, diff: text"),
    (
        "memory ring rollback",
        "lane: number, capacity: number, write_head: number, slots: [slot], markers: markers, run_id: text|null",
    ),
    ("memory inspect ooda", "dag: standing, context: context_slice, summary: map|null"),
    ("memory ooda dag", "epoch_id: text|null, dags: [dag], decision: map|null, flushed: flag"),
    ("memory ooda register", "epoch_id: text, dag: dag, decision: map"),
    ("memory ooda update", "epoch_id: text, dag: dag, decision: map"),
    ("memory ooda push", "epoch_id: text, event: event, evicted: [text]"),
    ("memory ooda events", "events?: [event], total?: number, evicted?: [evicted_event]"),
    ("memory ooda cache", "epoch_id: text, entity: cached_entity, evicted: [text]"),
    ("memory ooda get", "key: text, entity: cached_entity|null"),
    (
        "memory ooda context",
        "dag_snapshots: [dag], recent_events: [event], cached_entities: map, total_events_in_history: number, \
         total_entities_cached: number, truncated: flag",
    ),
    ("memory ooda flush", "summary: map"),
    ("memory ooda evict", "evicted: number"),
    ("memory ooda epochs", "epochs: [epoch]"),
    (
        "memory inspect stm",
        "backend: text, sessions: [stm_session], session: stm_session|null, entries: [stm_entry], limits: stm_limits, \
         health: stm_health",
    ),
    ("memory stm sessions", "backend: text, sessions: [stm_session], total: number"),
    (
        "memory stm open",
        "session_id: text, embodiment: text, actor: text, run_id: text|null, state: text, opened_at: text, active_at: text, \
         ended_at: text|null, purge_after: text|null, duration_ms: number, entries: number, bytes: number, recalls: number, \
         expired: number, pruned: number, is_new: flag, collided_with: text|null",
    ),
    (
        "memory stm store",
        "id: text, tier: text, category: text, actor: text, embodiment: text, session_id: text, content: any, \
         metadata: stm_metadata, tags: [text], pruned: number",
    ),
    (
        "memory stm recall",
        "session_id: text, embodiment: text, entries: [stm_entry], total_matches: number, took_us: number, \
         tiers_queried: [text], filters: stm_filters",
    ),
    (
        "memory stm update",
        "id: text, tier: text, category: text, actor: text, embodiment: text, session_id: text, content: any, \
         metadata: stm_metadata, tags: [text]",
    ),
    (
        "memory stm prune",
        "session_id: text, embodiment: text, removed: number, pruned: number, expired: number, left: number",
    ),
    ("memory stm purge", "session_id: text, embodiment: text, removed: number"),
    ("memory stm sweep", "sessions_purged: number, entries_purged: number"),
    (
        "memory stm stats",
        "backend: text, period: text, since: text, metrics: stm_metrics, health: stm_health, analytics: stm_analytics",
    ),
    (
        "memory stm end",
        "session_id: text, embodiment: text, actor: text, run_id: text|null, state: text, opened_at: text, active_at: text, \
         ended_at: text|null, purge_after: text|null, duration_ms: number, entries: number, bytes: number, recalls: number, \
         expired: number, pruned: number",
    ),
    ("memory stm tail", "session_id: text, embodiment: text, entries: [stm_entry]"),
    (
        "memory inspect fifo",
        "queue: queue, active: text|null, pinned: number, oldest: text|null, newest: text|null, messages: message_count, \
         entities: entity_count, patterns: number, evictions: eviction_count, conversations: [conversation]",
    ),
    ("memory fifo add", "conversation: conversation, evicted: [text], redacted: number"),
    ("memory fifo append", "conversation: conversation, redacted: number"),
    ("memory fifo recent", "conversations: [conversation]"),
    ("memory fifo show", "conversation: conversation, messages: [message], entities: [mention]"),
    ("memory fifo update", "conversation: conversation"),
    ("memory fifo activate", "conversation: conversation, deactivated: text|null"),
    ("memory fifo extract", "conversation_id: text|null, entities: [mention]"),
    ("memory fifo search", "query: text, results: [conversation_found]"),
    ("memory fifo entities", "entities: [entity]"),
    ("memory fifo find", "type: text, name: text, conversations: [conversation]"),
    ("memory fifo range", "from: text|null, to: text, conversations: [conversation]"),
    (
        "memory fifo stats",
        "queue: queue, active: text|null, pinned: number, oldest: text|null, newest: text|null, messages: message_count, \
         entities: entity_count, patterns: number, evictions: eviction_count",
    ),
    ("memory fifo evictions", "evictions: [eviction]"),
    ("memory fifo delete", "conversation_id: text, deleted: flag"),
    ("memory inspect turn", "turns: [turn], in_skill: [text], observations: [observation], goals: [goal]"),
    ("memory inspect long", "episodes: [episode], facts: [fact], patterns: [long_pattern], limits: long_limits"),
    ("memory turn list", "turns: [turn]"),
    (
        "memory turn show",
        "turn: turn, budget: turn_budget, source_breakdown: breakdown, fragments: [kept_fragment], items: [wm_item]",
    ),
    ("memory turn budget", "turn_id: text, budget: turn_budget, caps: breakdown"),
    ("memory turn trace", "turn_id: text, run_id: text|null, spans: [span], events: [trace_event]"),
    (
        "memory turn context",
        "context: text, total_tokens: number, context_hash: text, mode: text, urgency: text, budget: turn_budget, \
         fragments: [fragment], spans: [span], events: [trace_event], timed_out: flag",
    ),
    ("memory turn observe", "observations: [observation], added?: text, archived?: [text], resolved?: text"),
    ("memory turn goal", "goals: [goal], added?: text, done?: text"),
    ("memory facts list", "facts: [fact], answers: [learned_answer]"),
    ("memory facts forget", "id: text, deleted: [moment], rows: number, approved_by: text"),
    ("memory search", "query: text, results: [hit]"),
    ("memory timeline", "moments: [moment]"),
    ("memory tail", "moments: [moment]"),
    (
        "memory stats",
        "period: text, since: text|null, runs: number, outcomes: map, errors: map, phases: [phase_took], stores: [forgotten]",
    ),
    ("memory doctor", "ok: flag, checks: [check]"),
    ("memory prune", "older_than: text, dry_run: flag, rows: [forgotten], total: number, bytes: number"),
    ("memory vacuum", "bytes_before: number, bytes_after: number, freed: number"),
    ("memory export", "file: text|null, rows: number, redacted: number, lines?: [text]"),
    ("memory import", "added: number, kept: number, redacted: number, tables: map"),
    ("memory delete", "id: text, deleted: [moment], rows: number, approved_by: text"),
    (
        "memory redact",
        "matches: map, total: number, rows_removed: number, resealed: number, bytes_before: number, bytes_after: number, \
         approved_by: text|null",
    ),
    ("repair", "repaired: flag, backup: text|null, approved_by: text|null"),
    ("memory repair", "repaired: flag, backup: text|null, approved_by: text|null"),
    (
        "explain",
        "codes?: [code], rules?: [rule], code?: text, when?: text, cause?: text, example?: text, cure?: text, exit?: number, \
         rule?: text, layer?: text, severity?: text, title?: text, why?: text, fix?: text, source?: text, enforced?: text, \
         mended?: [text]",
    ),
    ("config", "project: text, files: files, settings: [setting], ignored: [ignored_setting]"),
    ("templates list", "templates: [template]"),
    ("templates show", "template: template|null, source: text|null, variables: [variable]"),
    ("templates new", "name: text, path: text, from: text, approved_by: text"),
    ("templates check", "templates: [tried]"),
    ("schema", "schemas: map"),
    ("restore-constitution", "restored: flag, backup: text|null, version?: text"),
    ("completions", "shell: text, script: text"),
    ("man", "page: text"),
    ("help", "text: text, build?: build"),
];

/// The commands that have an answer of their own, in the order of the table.
pub fn commands() -> impl Iterator<Item = &'static str> {
    ANSWERS.iter().map(|(command, _)| *command)
}

/// The JSON Schema of a command's whole answer. `None` for a command there is not.
pub fn of(command: &str) -> Option<Value> {
    let (words, fields) = ANSWERS.iter().find(|(words, _)| *words == command)?;
    let verb = words.split(' ').next().unwrap_or(words);
    let data = json!({ "oneOf": [object(fields), { "type": "null" }] });
    Some(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("hefesto {words} --json"),
        "type": "object",
        "properties": {
            "schema": { "const": "hefesto/1" },
            "command": { "const": verb },
            "ok": { "type": "boolean" },
            "data": data,
            "warnings": { "type": "array", "items": record("warning") },
            "error": { "oneOf": [record("error"), { "type": "null" }] },
            "root": { "type": "string" },
        },
        "required": ["schema", "command", "ok", "data", "warnings", "error"],
        "additionalProperties": false,
    }))
}

fn record(name: &str) -> Value {
    RECORDS.iter().find(|(known, _)| *known == name).map_or(Value::Null, |(_, fields)| object(fields))
}

fn object(fields: &str) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields.split(',').map(str::trim).filter(|field| !field.is_empty()) {
        let Some((name, kind)) = field.split_once(':') else { continue };
        let (name, optional) = match name.strip_suffix('?') {
            Some(name) => (name, true),
            None => (name, false),
        };
        properties.insert(name.to_owned(), kind_of(kind.trim()));
        if !optional {
            required.push(name);
        }
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn kind_of(kind: &str) -> Value {
    if let Some(kind) = kind.strip_suffix("|null") {
        return json!({ "oneOf": [kind_of(kind), { "type": "null" }] });
    }
    if let Some(item) = kind.strip_prefix('[').and_then(|kind| kind.strip_suffix(']')) {
        return json!({ "type": "array", "items": kind_of(item) });
    }
    match kind {
        "text" => json!({ "type": "string" }),
        "number" => json!({ "type": "integer" }),
        "decimal" => json!({ "type": "number" }),
        "flag" => json!({ "type": "boolean" }),
        "map" => json!({ "type": "object" }),
        "any" => json!({}),
        name => record(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_in_the_table_is_known() {
        const PLAIN: [&str; 6] = ["text", "number", "decimal", "flag", "any", "map"];
        let known = |kind: &str| PLAIN.contains(&kind) || RECORDS.iter().any(|(name, _)| *name == kind);
        for (name, fields) in RECORDS.iter().chain(ANSWERS) {
            for field in fields.split(", ").filter(|field| !field.is_empty()) {
                let (_, kind) = field.split_once(": ").unwrap_or_else(|| panic!("{name}: {field}"));
                let kind = kind.trim_end_matches("|null").trim_start_matches('[').trim_end_matches(']');
                assert!(known(kind.trim_end_matches("|null")), "{name}: {field}");
            }
        }
        assert_eq!(of("nope"), None);
    }

    #[test]
    fn a_field_may_be_missing_or_null() {
        let schema = object("a: text, b?: [number|null]");
        assert_eq!(schema["required"], json!(["a"]));
        assert_eq!(schema["properties"]["b"]["items"]["oneOf"][0]["type"], "integer");
    }
}
