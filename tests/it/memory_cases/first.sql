-- The tables of the first schema, and a run that was made with them. Never edited.
CREATE TABLE runs (
  run_id      TEXT PRIMARY KEY,
  command     TEXT NOT NULL,
  status      TEXT NOT NULL,
  started_at  TEXT NOT NULL,
  ended_at    TEXT,
  lane        INTEGER NOT NULL,
  description TEXT,
  input_hash  TEXT,
  skill       TEXT,
  targets     TEXT,
  approved_by TEXT,
  digest      TEXT,
  error       TEXT,
  answers     TEXT
) STRICT;
CREATE INDEX runs_by_input ON runs(input_hash);
CREATE TABLE run_phases (
  run_id TEXT NOT NULL, phase TEXT NOT NULL, status TEXT NOT NULL, ms INTEGER NOT NULL,
  PRIMARY KEY (run_id, phase)
) STRICT, WITHOUT ROWID;
CREATE TABLE wm_lanes (
  lane INTEGER PRIMARY KEY, write_head INTEGER NOT NULL CHECK (write_head BETWEEN 0 AND 15), next_seq INTEGER NOT NULL
) STRICT;
CREATE TABLE wm_slots (
  lane INTEGER NOT NULL, slot INTEGER NOT NULL CHECK (slot BETWEEN 0 AND 15),
  run_id TEXT NOT NULL, phase TEXT NOT NULL, seq INTEGER NOT NULL, at TEXT NOT NULL,
  data TEXT NOT NULL, checksum TEXT NOT NULL,
  PRIMARY KEY (lane, slot)
) STRICT, WITHOUT ROWID;
CREATE TABLE wm_markers (
  run_id TEXT NOT NULL, phase TEXT NOT NULL, slot INTEGER NOT NULL, seq INTEGER NOT NULL,
  PRIMARY KEY (run_id, phase)
) STRICT, WITHOUT ROWID;
CREATE TABLE wm_aside (
  run_id TEXT NOT NULL, phase TEXT NOT NULL, lane INTEGER NOT NULL, slot INTEGER NOT NULL, seq INTEGER NOT NULL,
  at TEXT NOT NULL, data TEXT NOT NULL, checksum TEXT NOT NULL,
  PRIMARY KEY (run_id, phase)
) STRICT, WITHOUT ROWID;
CREATE TABLE changes (
  run_id TEXT NOT NULL, at TEXT NOT NULL, target TEXT NOT NULL, action TEXT NOT NULL,
  before TEXT, after TEXT, backup TEXT,
  PRIMARY KEY (run_id, at)
) STRICT, WITHOUT ROWID;
CREATE TABLE blobs (hash TEXT PRIMARY KEY, data TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO runs(run_id, command, status, started_at, ended_at, lane, description, skill)
  VALUES ('first', 'create', 'done', '2026-01-05T10:00:00Z', '2026-01-05T10:00:01Z', 0, 'Review code', 'review-code');
INSERT INTO changes(run_id, at, target, action) VALUES ('first', '.claude/skills/review-code', 'claude', 'create');
PRAGMA user_version = 1;
