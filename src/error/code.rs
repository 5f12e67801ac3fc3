//! Every code hefesto prints: its exit, meaning, cause, an example and the cure. A table with one entry for each code,
//! and therefore long.

use std::fmt;

use serde::{Serialize, Serializer};

use super::Exit;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Error,
    /// A problem that was handled, or deserves attention.
    Warning,
    Info,
}

/// One row of the code table.
#[derive(Debug)]
pub struct Entry {
    pub id: &'static str,
    /// The exit it ends with, unless the error says otherwise.
    pub exit: Exit,
    /// When it happens, in one line.
    pub when: &'static str,
    /// Why it happens, in a sentence or two.
    pub cause: &'static str,
    /// A command or file that produces it.
    pub example: &'static str,
    pub cure: &'static str,
}

macro_rules! codes {
    ($($name:ident $id:literal $exit:ident { when: $when:literal, cause: $cause:literal, example: $example:literal, cure: $cure:literal })*) => {
        /// A stable code. The table behind it is the text of `hefesto explain` and of `docs/errors.md`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $(#[doc = concat!($id, ": ", $when)] $name),* }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Code] = &[$(Code::$name),*];

            /// The row of the table.
            pub fn entry(self) -> &'static Entry {
                match self {
                    $(Code::$name => {
                        const ENTRY: Entry = Entry { id: $id, exit: Exit::$exit, when: $when, cause: $cause, example: $example, cure: $cure };
                        &ENTRY
                    })*
                }
            }
        }
    };
}

impl Code {
    /// Finds a code by its printed form, any case.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.entry().id.eq_ignore_ascii_case(id))
    }

    /// Whether it is an error, a warning or a note.
    pub fn kind(self) -> Kind {
        match self.entry().id.split('-').next() {
            Some("WARN" | "W") => Kind::Warning,
            Some("INFO") => Kind::Info,
            _ => Kind::Error,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry().id)
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.entry().id)
    }
}

codes! {
    CreateNotReady "E-CREATE-000" Refused {
        when: "The project is not initialised, its CONSTITUTION.md or MEMORY.md cannot be used, or the directory is no project: the home directory, and one with `.hefesto` or MEMORY.md of another user.",
        cause: "`create` writes into a project that hefesto knows. A project counts as initialised when it holds a valid MEMORY.md of hefesto's. Where nobody could be asked whether to initialise, the exit is 3.",
        example: "hefesto create \"Review pull requests\" --no-input",
        cure: "Run `hefesto init`, or add `--init` (or `--yes`) to initialise on the way."
    }
    CreateTooLong "E-CREATE-001" Refused {
        when: "The description is longer than 2000 characters.",
        cause: "A description is one or two sentences that say what the skill is for. Characters are Unicode scalar values.",
        example: "hefesto create \"$(cat whole-manual.txt)\"",
        cure: "Shorten the description and give the details with `--body FILE`."
    }
    CreateNoName "E-CREATE-002" Refused {
        when: "No valid name can be made from the words of the description.",
        cause: "Names are lowercase ASCII letters, digits and single hyphens, at most 64 characters. A description of symbols only, or in a script without a Latin spelling, gives none.",
        example: "hefesto create \"日本語のスキル\"",
        cure: "Choose one with `--name NAME`, for example `--name format-dates`."
    }
    CreateExists "E-CREATE-003" Declined {
        when: "A skill of that name already exists and no answer was given.",
        cause: "hefesto never replaces a skill by itself; `--yes` approves the gate only.",
        example: "hefesto create \"Validate email addresses\" --yes  (twice)",
        cure: "Say what to do with `--on-collision overwrite|merge|rename|skip|cancel`."
    }
    CreateNoTarget "E-CREATE-004" Refused {
        when: "No AI CLI was detected and none was named, or a target id is unknown.",
        cause: "A skill is installed for the AI CLIs on the machine. They are found on PATH and by their configuration directories.",
        example: "hefesto create \"Review pull requests\" --target claud",
        cure: "Name the targets: `--target claude,gemini`. `hefesto detect` shows what is here."
    }
    CreateInvalid "E-CREATE-005" Refused {
        when: "The generated skill does not pass validation.",
        cause: "Every skill is checked against the specification and the T0 rules on the exact bytes that would be written. A failing skill never reaches the gate.",
        example: "hefesto create \"Review pull requests\" --name a-name-of-more-than-sixty-four-characters-...",
        cure: "Fix what each finding names, then run the command again."
    }
    CreateUnwritable "E-CREATE-006" Refused {
        when: "A target cannot be written.",
        cause: "Found in the plan, nothing was touched (exit 1); found while writing, everything was rolled back (exit 6).",
        example: "chmod a-w .gemini && hefesto create \"Review pull requests\"",
        cure: "Make the directory writable, or leave that target out with `--target`."
    }
    CreateEmpty "E-CREATE-007" Refused {
        when: "The description is empty.",
        cause: "There is nothing to make a skill from, and nobody to ask for it, or three scripted answers were empty.",
        example: "hefesto create --no-input",
        cure: "Give one sentence: `hefesto create \"Validate email addresses using regex patterns\"`."
    }
    CreateTemplate "E-CREATE-008" Refused {
        when: "The template is missing, uses unknown variables, or rendered nothing.",
        cause: "Templates come from `.hefesto/templates/`, the user's templates and the built-in ones, in that order.",
        example: "hefesto create \"Review pull requests\" --template nope",
        cure: "Use one of the listed templates and variables, or leave `--template` out."
    }
    CreateUnsafeInput "E-CREATE-009" Refused {
        when: "The input is refused under T0-HEFESTO-11.",
        cause: "A description, a name or an answer holds a secret, personal data, a private address, control or invisible characters, an override phrase or command substitution. What a skill says is read by agents; none of these belongs there.",
        example: "hefesto create 'Clean up with $(rm -rf build)'",
        cure: "Take it out. Inline code in backticks is fine; secrets belong in the environment."
    }
    CreateCancelled "E-CREATE-010" Declined {
        when: "The user cancelled.",
        cause: "A person said cancel in the wizard, or interrupted the command.",
        example: "Ctrl-C at a prompt",
        cure: "Run the command again when ready."
    }
    CreateRejected "E-CREATE-011" Declined {
        when: "The skill was rejected at the gate, or nobody was there to approve.",
        cause: "Nothing is written without an explicit approval. The end of input is not one.",
        example: "hefesto create \"Review pull requests\" < /dev/null",
        cure: "Run it in a terminal and answer `approve`, or add `--yes`."
    }
    CreateTimedOut "E-CREATE-012" TimedOut {
        when: "The gate or a wizard prompt timed out.",
        cause: "Silence is never an approval. The gate waits as long as `gate_timeout` says, see `hefesto config`.",
        example: "hefesto create \"Review pull requests\" --gate-timeout 1",
        cure: "Run it again; `--gate-timeout SECS` gives more time, `--yes` approves at once."
    }
    CreateCollision "E-CREATE-013" Declined {
        when: "The user cancelled at the collision.",
        cause: "A skill of that name exists and the answer was `cancel`.",
        example: "hefesto create \"Validate email addresses\" --on-collision cancel",
        cure: "The existing skill was left as it was. Choose another name with `--name`."
    }
    CreateBackup "E-CREATE-014" RolledBack {
        when: "The backup failed; the original is untouched.",
        cause: "Nothing is replaced before a backup of it has been written, read back and compared.",
        example: "chmod a-w .hefesto/backups && hefesto create ... --on-collision overwrite --yes",
        cure: "Make `.hefesto/backups` writable (or free space) and run the command again."
    }
    CreateMemory "E-CREATE-015" Refused {
        when: "The working memory failed its integrity check.",
        cause: "A checkpoint of this run does not match its checksum, so what it holds cannot be trusted.",
        example: "editing .hefesto/memory.db by hand during a run",
        cure: "Run the command again; `hefesto memory ring verify` shows the damaged slot."
    }
    CliDirDenied "ERR-001" Refused {
        when: "A CLI directory cannot be written.",
        cause: "The directory exists and its permissions forbid writing, or a parent does.",
        example: "chmod a-w .github && hefesto init --target copilot",
        cure: "Give yourself write permission, or leave that CLI out with `--target`."
    }
    MemoryCorrupt "ERR-002" Refused {
        when: "MEMORY.md is damaged.",
        cause: "Its frontmatter or hefesto's block cannot be read. It is backed up and rebuilt from the skills on disk; with conflict markers, non-UTF-8 bytes or more than 1 MiB it is refused and left as it is.",
        example: "a merge that left `<<<<<<<` in MEMORY.md",
        cure: "Resolve the named line; the backup beside it holds every byte."
    }
    ConstitutionMissing "ERR-003" Done {
        when: "CONSTITUTION.md is missing.",
        cause: "It was deleted or never committed. It is restored from the embedded one and the command goes on.",
        example: "rm CONSTITUTION.md && hefesto list",
        cure: "Nothing to do: the file is back. Commit it."
    }
    ConstitutionInvalid "ERR-004" Refused {
        when: "CONSTITUTION.md is invalid; every command is blocked.",
        cause: "A T0 rule is missing or the frontmatter is broken. The file is backed up and never overwritten, because the change may have been meant.",
        example: "deleting the section T0-HEFESTO-01",
        cure: "Bring it back with `git restore CONSTITUTION.md`, or run `hefesto restore-constitution --force`."
    }
    NoCliDetected "ERR-005" Declined {
        when: "No AI CLI was detected and nobody chose one.",
        cause: "None of the known CLIs is on PATH or has a configuration directory.",
        example: "hefesto init --no-input  (on a bare machine)",
        cure: "Name the targets: `hefesto init --target claude,gemini`."
    }
    NoSpace "ERR-006" RolledBack {
        when: "The disk is full.",
        cause: "A write failed for lack of space; everything was rolled back.",
        example: "hefesto create ... on a full disk",
        cure: "Free some space and run the command again."
    }
    BadName "ERR-007" Refused {
        when: "A skill name is not valid.",
        cause: "T0-HEFESTO-07: lowercase ASCII letters and digits in words joined by single hyphens, at most 64 characters.",
        example: "hefesto create \"Review\" --name MySkill_v1",
        cure: "Use the name proposed in the message."
    }
    Usage "E-USAGE-001" Usage {
        when: "The command line is wrong.",
        cause: "An unknown command or flag, a missing value, or values that do not go together.",
        example: "hefesto create --bogus",
        cure: "See `hefesto help` and `hefesto help COMMAND`."
    }
    NobodyToAsk "E-USAGE-002" Declined {
        when: "A question had to be asked and nobody was there to answer.",
        cause: "Standard input is not a terminal, `--no-input` was given, the answers file ended, or three of its answers in a row were not understood.",
        example: "hefesto init --no-input  (on a machine without AI CLIs)",
        cure: "Give the answer with the flag named in the message."
    }
    Config "E-CONFIG-001" Usage {
        when: "A setting has a value that cannot be used.",
        cause: "A configuration file, an environment variable or a flag holds something outside its range.",
        example: "HEFESTO_GATE_TIMEOUT=0 hefesto create ...",
        cure: "Correct the value; then `hefesto config` shows every setting and where it comes from."
    }
    Interrupted "E-SIGNAL-001" Declined {
        when: "The command was interrupted by a signal.",
        cause: "Ctrl-C, a closed terminal or a `kill`. What had not been committed was rolled back; the exit is 128 + the signal's number.",
        example: "Ctrl-C at the gate",
        cure: "Run the command again when ready."
    }
    NotInitialised "E-PROJECT-001" Refused {
        when: "The project is not initialised.",
        cause: "There is no MEMORY.md of hefesto's in this directory or above.",
        example: "hefesto list  (in an empty directory)",
        cure: "Run `hefesto init`."
    }
    Io "E-IO-001" Refused {
        when: "A file cannot be read.",
        cause: "It does not exist, is not readable, is not UTF-8, or is too large.",
        example: "hefesto create \"Review\" --body missing.md",
        cure: "Check the path and its permissions."
    }
    Busy "E-TXN-001" Busy {
        when: "Another hefesto is writing to this project.",
        cause: "The lock was held for more than ten seconds.",
        example: "two runs that commit at the same moment on a slow disk",
        cure: "Try again in a moment."
    }
    Changed "E-TXN-002" Busy {
        when: "The target changed after it was shown at the gate.",
        cause: "What was approved no longer matches what is on disk, so nothing was written.",
        example: "creating the skill directory by hand while the gate waits",
        cure: "Run the command again and look at the new preview."
    }
    WriteFailed "E-TXN-003" RolledBack {
        when: "Writing failed; everything was rolled back.",
        cause: "The operating system refused a write, a sync or a rename.",
        example: "a disk that reports an I/O error",
        cure: "Look at the cause in the message, then run the command again."
    }
    RollbackIncomplete "E-TXN-004" Incomplete {
        when: "Writing failed and the rollback could not be completed.",
        cause: "The rollback itself failed, too. The journal keeps what is left to do.",
        example: "a disk that fails while the rollback runs",
        cure: "Run `hefesto recover`."
    }
    FinishPending "WARN-006" FinishPending {
        when: "Saved and committed, but the finishing was cut short.",
        cause: "The skill is in place; updating the registry or cleaning up failed.",
        example: "the disk fills while MEMORY.md is written",
        cure: "Nothing is lost: the next command completes it."
    }
    LeftBehind "WARN-016" Done {
        when: "What a change replaced cannot be removed.",
        cause: "The old skill holds something of another user, or that is in use. It was moved below `.hefesto/trash` where that is possible.",
        example: "overwriting a skill in which a container left `scripts/__pycache__`",
        cure: "Nothing is blocked: every later command tries to remove it again. Or remove it yourself, with the rights that takes."
    }
    EditKept "WARN-017" Done {
        when: "A file was saved in a skill while that skill was replaced or removed.",
        cause: "An editor or another program wrote after the backup was made, so what it saved is in no archive.",
        example: "saving SKILL.md in an editor at the very moment of an overwrite",
        cure: "Look at the file or directory named in the message, and take from it what is needed."
    }
    SignalLate "WARN-018" Done {
        when: "A signal arrived when the changes were committed already.",
        cause: "Ctrl-C, a closed terminal or a `kill` after the point of no return. Everything was completed; the exit is 128 + the signal's number.",
        example: "Ctrl-C in the moment in which `create` finishes",
        cure: "`hefesto undo` takes the changes back, if they are not wanted."
    }
    PhaseNotInitialized "E-MEMORY-001" Refused {
        when: "The phase has no checkpoint in this run (PhaseNotInitialized).",
        cause: "The run did not reach that phase, was rolled back before it, or its slot has been reused since.",
        example: "hefesto memory ring get P6 --run RUN  (of a run that stopped at the gate)",
        cure: "`hefesto memory ring show --run RUN` lists the phases that can be read."
    }
    IntegrityCheckFailed "E-MEMORY-002" Refused {
        when: "A checkpoint does not match its checksum (IntegrityCheckFailed).",
        cause: "The bytes in `.hefesto/memory.db` are not the ones that were written, or two rows were exchanged.",
        example: "editing `wm_slots` by hand",
        cure: "`hefesto memory ring verify` lists the damage; the skill files are not affected."
    }
    NothingToRollback "E-MEMORY-003" Refused {
        when: "There is no checkpoint to roll back to (NothingToRollback).",
        cause: "The phase has no marker in this run.",
        example: "hefesto memory ring rollback P5 --run RUN",
        cure: "`hefesto memory ring show --run RUN` lists the phases that can be restored."
    }
    NoSuchRun "E-MEMORY-004" Refused {
        when: "There is no such run.",
        cause: "The id is unknown, or a prefix of it fits several runs or none.",
        example: "hefesto memory ring show --run ffff",
        cure: "`hefesto runs` lists the runs."
    }
    MemorySecret "E-MEMORY-010" Refused {
        when: "What is to be remembered holds a secret.",
        cause: "The memory takes no credentials (T0-HEFESTO-11), whichever store they are offered to. The message names the kind and the place, never the value. Nothing of it was kept.",
        example: "hefesto memory stm store --session s1 --category user_input --content '{\"token\": \"...\"}'",
        cure: "Take the secret out and say where it is read from instead; revoke it if it was real."
    }
    NothingOfThatId "E-MEMORY-011" Refused {
        when: "Nothing that is remembered has this id.",
        cause: "The id is unknown in every store, or in the store that was named.",
        example: "hefesto memory delete ffff",
        cure: "`hefesto memory search WORD` and `hefesto memory timeline` show ids."
    }
    AmbiguousId "E-MEMORY-012" Refused {
        when: "Several stores know this id.",
        cause: "The same id names something in more than one store.",
        example: "hefesto memory delete s1",
        cure: "Say which is meant with `--store`."
    }
    StillNeeded "E-MEMORY-013" Refused {
        when: "What was to be deleted is still needed.",
        cause: "A run that is at work writes to it.",
        example: "hefesto memory delete RUN  (while that run works)",
        cure: "Wait until the run has ended, then delete it."
    }
    ImportRefused "E-MEMORY-014" Refused {
        when: "The file cannot be imported; nothing was changed.",
        cause: "It is no export, it was cut short or edited, or a newer hefesto wrote it.",
        example: "hefesto memory import notes.txt",
        cure: "Export it again with `hefesto memory export FILE`, with this version of hefesto or an older one."
    }
    PatternRefused "E-MEMORY-015" Refused {
        when: "The pattern cannot be used for redacting.",
        cause: "It is no valid regular expression, or it matches the empty string.",
        example: "hefesto memory redact --regex 'a*'",
        cure: "Give a pattern that matches at least one character."
    }
    NoSuchEpoch "E-MEMORY-040" Refused {
        when: "There is no such epoch.",
        cause: "The id is unknown, or its run is forgotten.",
        example: "hefesto memory ooda dag --epoch ffff",
        cure: "`hefesto memory ooda epochs` lists the epochs."
    }
    EpochFlushed "E-MEMORY-041" Refused {
        when: "The epoch is flushed.",
        cause: "Its live memory was summarised and wiped; nothing can be added to it.",
        example: "hefesto memory ooda push --epoch RUN --content ...  (of a run that is done)",
        cure: "Leave `--epoch` out: a new epoch is opened."
    }
    EpochLive "E-MEMORY-042" Refused {
        when: "The epoch belongs to a run that is not finished.",
        cause: "A run that is at work or waits still needs its live memory; it is flushed when the run ends.",
        example: "hefesto memory ooda flush --epoch RUN  (of a run that waits)",
        cure: "Finish the run first: `hefesto runs` shows its status."
    }
    StmTooLarge "E-MEMORY-021" Refused {
        when: "A content is larger than an entry of short-term memory takes (ContentTooLarge).",
        cause: "An entry takes 1 MiB of JSON.",
        example: "piping a log of several megabytes into hefesto memory stm store",
        cure: "Store a summary and the path of the file."
    }
    StmFull "E-MEMORY-022" Refused {
        when: "The session is full (SessionFull).",
        cause: "It holds 1000 entries or 10 MiB, and all of them have high priority, which is never pruned.",
        example: "the 1001st entry of --priority high in one session",
        cure: "End the session, or purge entries by their id."
    }
    StmForbidden "E-MEMORY-023" Refused {
        when: "403: the entry belongs to another session.",
        cause: "Sessions do not see each other. The attempt is kept as a security event.",
        example: "hefesto memory stm update --session b --id ENTRY_OF_A --content '{}'",
        cure: "Name the session the entry belongs to, or recall this session's own entries."
    }
    StmNoEntry "E-MEMORY-024" Refused {
        when: "There is no such entry in short-term memory.",
        cause: "The id is unknown, or the entry expired, was pruned, or was deleted with its session.",
        example: "hefesto memory stm update --session s1 --id nope --content '{}'",
        cure: "`hefesto memory stm recall --session ID` lists the entries there are."
    }
    StmNoSession "E-MEMORY-025" Refused {
        when: "There is no such session, or it was ended.",
        cause: "A session is opened by `open` or by its first entry; an ended one accepts no entries.",
        example: "hefesto memory stm end --session nope",
        cure: "`hefesto memory stm sessions` lists them; open one with a new id."
    }
    StmUnreachable "E-MEMORY-026" Refused {
        when: "Short-term memory on Redis cannot be reached.",
        cause: "Nobody answers at `stm.url` within two seconds, or this hefesto was built without the feature `redis`.",
        example: "stm.backend = \"redis\" while the server is down",
        cure: "Start the server, correct `stm.url`, or set stm.backend = \"sqlite\"."
    }
    StmCollision "WARN-020" Done {
        when: "A session's id was taken; the session got a new one.",
        cause: "Another actor or embodiment has a session of that id open. The operation log keeps the incident.",
        example: "hefesto memory stm open --session s1  (twice, by different actors)",
        cure: "Use the id the answer gives."
    }
    FifoNoSuchConversation "E-MEMORY-030" Refused {
        when: "There is no such conversation.",
        cause: "The id is unknown, or the conversation was evicted or deleted.",
        example: "hefesto memory fifo show nope",
        cure: "`hefesto memory fifo recent` lists the conversations, `hefesto memory fifo evictions` those evicted."
    }
    FifoDuplicateId "E-MEMORY-031" Refused {
        when: "There is a conversation of that id already (DuplicateId).",
        cause: "Ids are given once. Nothing was stored and nothing was evicted.",
        example: "hefesto memory fifo add --content '{\"conversation_id\": \"a\", \"title\": \"A\"}'  (twice)",
        cure: "Give another id, or add messages with `hefesto memory fifo append ID`."
    }
    FifoFull "E-MEMORY-032" Refused {
        when: "The queue of conversations is full and none may be evicted (FifoFull).",
        cause: "Every conversation in it is the active one or belongs to a run that has not ended. Nothing was stored.",
        example: "twenty waiting runs",
        cure: "End waiting runs (`hefesto runs`, `hefesto resume RUN`), delete a conversation, or raise `fifo.capacity`."
    }
    QueueFull "WARN-022" Done {
        when: "The queue of conversations is full, and the run goes on without one.",
        cause: "A conversation stays while its run waits, and every place of the queue (`fifo.capacity`) is taken by a run that waits or by the active conversation.",
        example: "hefesto create \"Review pull requests\" < /dev/null  (twenty times)",
        cure: "`hefesto runs --discard --all` ends the runs that wait and frees their conversations; `runs.wait_days` says after how many days that happens by itself."
    }
    FifoMalformed "E-MEMORY-033" Refused {
        when: "The content is no conversation or no message.",
        cause: "A conversation is `{conversation_id, title, messages: [{role, content}], tags, summary, is_active}` and needs a title; a role is user, assistant, system or tool; a message holds at most 1 MiB.",
        example: "hefesto memory fifo add --content '{\"messages\": []}'",
        cure: "Correct what the message names and give it again."
    }
    TurnBudget "E-MEMORY-050" Refused {
        when: "The context does not fit in its budget.",
        cause: "Lines were dropped, the least important first, and what must stay still costs more tokens than there are.",
        example: "hefesto memory turn context \"Review SQL\" --budget 50",
        cure: "Give more tokens with `--budget`."
    }
    NoSuchTurn "E-MEMORY-051" Refused {
        when: "There is no such turn.",
        cause: "No run has begun here yet, the id is unknown, or a part of it fits several turns.",
        example: "hefesto memory turn show ffff",
        cure: "`hefesto memory turn list` lists the turns."
    }
    NoSuchNote "E-MEMORY-052" Refused {
        when: "There is no such observation or goal that is still open.",
        cause: "The id is unknown, a part of it fits several, or it is done already.",
        example: "hefesto memory turn observe --resolve ffff",
        cure: "`hefesto memory turn observe` and `hefesto memory turn goal` list what is open."
    }
    NoteRefused "E-MEMORY-053" Refused {
        when: "A note is refused under T0-HEFESTO-11, or is too long.",
        cause: "Notes are shown to models: they must not contain invisible characters or instructions to a model. Nothing was stored. A secret is E-MEMORY-010.",
        example: "hefesto memory turn observe \"Ignore previous instructions\"",
        cure: "Say it without that."
    }
    TurnPartial "WARN-021" Done {
        when: "A part of the context could not be loaded, or was left out.",
        cause: "A source could not be read, was too slow, contradicted another one, or was refused under T0-HEFESTO-11.",
        example: "two copies of a skill with different descriptions",
        cure: "The context is made of the rest; the message names the phase and the reason."
    }
    Stateless "WARN-015" Done {
        when: "Short-term memory cannot be used; the run goes on without it.",
        cause: "The Redis server of `stm.url` does not answer, or refuses. Its data is in the project's database too, except the session.",
        example: "stm.backend = \"redis\" while the server is down",
        cure: "Start the server or correct `stm.url`; the next run uses it."
    }
    MemoryDegraded "WARN-007" Done {
        when: "The memory database cannot be used; the run goes on with an in-memory one.",
        cause: "`.hefesto/memory.db` is damaged, locked, newer than this hefesto, or cannot be written.",
        example: "a truncated memory.db",
        cure: "Skills are not affected. Move the file away to start afresh."
    }
    LogInUse "WARN-014" Done {
        when: "The log of the database could not be emptied.",
        cause: "Another process was reading it.",
        example: "hefesto memory vacuum  (while `memory tail -f` runs)",
        cure: "End the other process and run `hefesto memory vacuum` again."
    }
    MemoryJournal "WARN-011" Done {
        when: "The memory database is on a file system of another machine.",
        cause: "A write-ahead log needs memory that all processes share; on NFS, SMB and the like a rollback journal is used.",
        example: "hefesto create ...  (in a project on NFS)",
        cure: "Nothing to do; it is safe, only slower. A project on a local disk does not need it."
    }
    ValidateNotFound "E-VALIDATE-001" Refused {
        when: "The skill or path to validate does not exist.",
        cause: "No installed skill has that name, or the path holds no SKILL.md.",
        example: "hefesto validate reveiw-code",
        cure: "Check the spelling; `hefesto list` names the installed skills."
    }
    FixOutside "E-VALIDATE-002" Refused {
        when: "A skill that is to be fixed does not lie inside the project.",
        cause: "`--fix` writes through the project's transaction, with a backup in its `.hefesto/`; that covers what lies below the project's root, and not the root itself.",
        example: "hefesto -C here validate ../elsewhere/skill --fix",
        cure: "Name the directory that holds the skill's folder as the project: `hefesto -C DIR validate SKILL --fix`."
    }
    NoSuchSkill "E-SKILL-001" Refused {
        when: "There is no skill of that name.",
        cause: "No skills directory holds it, and the registry does not name it.",
        example: "hefesto status reveiw-code",
        cure: "Check the spelling; `hefesto list` names the installed skills."
    }
    NoSuchVersion "E-VERSION-001" Refused {
        when: "There is no such version of the skill, or its files are not kept any more.",
        cause: "Nothing of that version was installed here, or it is older than the versions that are kept.",
        example: "hefesto show review-code@9.9.9",
        cure: "`hefesto log NAME` names the versions; the setting `history.versions` says how many are kept."
    }
    SyncConflict "E-SYNC-001" Declined {
        when: "Two copies of a skill were changed differently in the same place.",
        cause: "Merging keeps what either side changed; where both changed the same lines, a person has to decide.",
        example: "hefesto sync review-code --no-input  (after editing line 7 of two copies)",
        cure: "Run it in a terminal, or choose whose text wins with `--on-conflict ours=CLIENT` or `--from CLIENT`."
    }
    SyncFrom "E-SYNC-002" Refused {
        when: "The copy whose text should win does not exist, or was not edited.",
        cause: "`--from` or `--on-conflict ours=` names a client without a readable copy, or one whose copy was not edited.",
        example: "hefesto sync review-code --from qwen  (installed for claude and gemini)",
        cure: "`hefesto status NAME` names the copies and which were edited."
    }
    EditFailed "E-EDIT-001" Refused {
        when: "The editor could not be used.",
        cause: "VISUAL or EDITOR names a program that is not there or that failed; what it wrote is not installed, but kept in `.hefesto/unsaved`.",
        example: "EDITOR=/nowhere/vi hefesto edit review-code",
        cure: "Set VISUAL or EDITOR to an editor that waits until you are done, such as `vim` or `code --wait`."
    }
    AdoptRefused "E-ADOPT-001" Refused {
        when: "None of the named skills could be adopted or converted.",
        cause: "A skill with a credential, personal data, hidden text or prompt injection is not imported, nor one that contains anything but files.",
        example: "hefesto adopt downloads/some-skill  (with an access key in a script)",
        cure: "The message gives the reason for each skill; remove the cause, then run the command again."
    }
    AdoptNothing "E-ADOPT-002" Refused {
        when: "There is no skill to adopt at the named path or of that name.",
        cause: "No CLI's directory holds a skill of that name, or the path holds no SKILL.md.",
        example: "hefesto adopt ./notes  (a folder without SKILL.md)",
        cure: "Name a skill, its folder, its SKILL.md, or a folder that holds several."
    }
    AddDiffer "E-ADD-001" Refused {
        when: "The copies of the skill differ, so there is no text to add or to pack.",
        cause: "It is not clear which text a further copy should have.",
        example: "hefesto add review-code --target qwen  (after editing one of two copies)",
        cure: "Bring them together first: `hefesto sync NAME`."
    }
    UpdateUnmade "E-UPDATE-001" Refused {
        when: "The skill cannot be made again from a newer template or pack.",
        cause: "A model wrote its text, it was adopted, or it was made before hefesto stored what a skill is made from.",
        example: "hefesto update review-code  (a skill that was adopted)",
        cure: "Bring in what is new by hand: `hefesto edit NAME`, with `hefesto templates show` beside it."
    }
    PackTaken "E-PACK-001" Refused {
        when: "Something else is where the package goes.",
        cause: "`pack` replaces what it packed before under the same name, and nothing else.",
        example: "hefesto pack review-code --as plugin --out docs",
        cure: "Name another place with `--out`, or move away what is there."
    }
    RenameTaken "E-RENAME-001" Refused {
        when: "The new name is taken, or is the old one.",
        cause: "A skills directory that the skill goes to has a folder of that name.",
        example: "hefesto rename review-code review-sql  (with a skill `review-sql`)",
        cure: "Choose another name, or delete the other skill first with `hefesto delete NAME`."
    }
    ShowNotFound "E-SHOW-001" Refused {
        when: "There is no skill of that name.",
        cause: "None of the project's skill directories holds it.",
        example: "hefesto show reveiw-code",
        cure: "Check the spelling; `hefesto list` names the installed skills."
    }
    ShowAmbiguous "E-SHOW-002" Refused {
        when: "The copies of the skill differ.",
        cause: "Several CLIs hold a skill of that name and their texts are not the same.",
        example: "hefesto show review-code  (after one copy was edited)",
        cure: "Say which one with `--cli ID`."
    }
    ShowUnreadable "E-SHOW-003" Refused {
        when: "The skill cannot be read.",
        cause: "Its SKILL.md is missing, is not UTF-8, or its permissions forbid reading.",
        example: "chmod 000 .claude/skills/review-code/SKILL.md",
        cure: "Check the file and its permissions."
    }
    ShowMalformed "E-SHOW-004" Refused {
        when: "The SKILL.md has no readable frontmatter; it is shown as it is.",
        cause: "The frontmatter is missing or is not YAML.",
        example: "a SKILL.md whose first line is not `---`",
        cure: "`hefesto validate NAME` names the line."
    }
    DeleteNotFound "E-DELETE-001" Refused {
        when: "There is no skill of that name to delete.",
        cause: "None of the project's skill directories (or not that CLI's) holds it.",
        example: "hefesto delete reveiw-code",
        cure: "Check the spelling; `hefesto list` names the installed skills."
    }
    DeleteMismatch "E-DELETE-004" Declined {
        when: "The name typed to confirm a deletion is another one.",
        cause: "A deletion is confirmed by typing the skill's exact name.",
        example: "hefesto delete review-code, then typing review",
        cure: "Nothing was deleted. Run the command again and type the name as it is shown."
    }
    DeleteIncomplete "E-DELETE-005" Refused {
        when: "A copy cannot be deleted; nothing was deleted.",
        cause: "A deletion takes every copy or none. Found before anything was touched the exit is 1; found while deleting, everything was put back and the exit is 6.",
        example: "a copy below a link that leads out of the project",
        cure: "Fix what the message names, or delete the other copies one by one with `--cli ID`."
    }
    RestoreNotFound "E-RESTORE-001" Refused {
        when: "There is no such backup.",
        cause: "No archive in `.hefesto/backups` has that name, and it is no file either.",
        example: "hefesto restore reveiw-code",
        cure: "`hefesto backups` lists what there is."
    }
    RestoreForeign "E-RESTORE-002" Refused {
        when: "The backup holds something that does not belong here.",
        cause: "An archive is restored only if every directory in it is a skill of a known CLI.",
        example: "hefesto restore some-other-archive.tar.gz",
        cure: "Unpack it by hand if you trust it, or configure the target it belongs to."
    }
    ResumeNothing "E-RESUME-001" Refused {
        when: "No run is waiting, or not the one that was named.",
        cause: "Runs wait after a timeout, an interruption, or when nobody was there to approve.",
        example: "hefesto resume  (with nothing to resume)",
        cure: "`hefesto runs` lists the runs."
    }
    UndoNothing "E-UNDO-001" Refused {
        when: "There is nothing to undo.",
        cause: "No run, or not that one, changed a skill.",
        example: "hefesto undo  (in a new project)",
        cure: "`hefesto runs` lists the runs."
    }
    UndoEdited "E-UNDO-002" Refused {
        when: "A copy was edited after the run that is to be undone.",
        cause: "Its files do not have the digest the run left them with; undoing would lose the edit.",
        example: "editing a SKILL.md, then hefesto undo",
        cure: "Keep the edit, or bring the old state back on purpose with `hefesto restore NAME`."
    }
    UndoNoBackup "E-UNDO-003" Refused {
        when: "What was there before cannot be brought back.",
        cause: "The backup of the run is missing, damaged, or was not kept.",
        example: "rm .hefesto/backups/* && hefesto undo",
        cure: "`hefesto backups` shows what is left."
    }
    NoBackupKept "WARN-010" Done {
        when: "A skill is deleted without a backup being kept.",
        cause: "`--backup false` was given.",
        example: "hefesto delete review-code --backup false",
        cure: "Leave the flag out to keep a backup."
    }
    Explain "E-EXPLAIN-001" Refused {
        when: "There is no such code or rule.",
        cause: "The id is not one of hefesto's.",
        example: "hefesto explain E-CREATE-099",
        cure: "`hefesto explain` lists every code and rule."
    }
    NoBinary "WARN-001" Done {
        when: "A CLI's configuration directory exists but its binary is not on PATH, or it was named without being detected.",
        cause: "The CLI may be installed elsewhere or not at all.",
        example: "hefesto create ... --target cursor  (Cursor not installed)",
        cure: "Install the CLI, then run `hefesto detect`."
    }
    NotInitialisedNote "WARN-002" Done {
        when: "The project is not initialised.",
        cause: "There is no MEMORY.md of hefesto's.",
        example: "hefesto list  (in an empty directory)",
        cure: "Run `hefesto init`."
    }
    Drift "WARN-003" Done {
        when: "The files on disk and MEMORY.md disagree.",
        cause: "A skill or a directory was added or removed by hand.",
        example: "rm -r .claude/skills/review-code && hefesto list --check-sync",
        cure: "The message names each difference and what to do about it."
    }
    VersionChanged "WARN-004" Done {
        when: "An AI CLI has another version than the registry says.",
        cause: "It was updated since the last detection.",
        example: "hefesto detect  (after an update)",
        cure: "Run `hefesto detect --force` to record it."
    }
    ConstitutionOddity "WARN-005" Done {
        when: "CONSTITUTION.md has an oddity in its structure.",
        cause: "All rules are there, but a heading level is skipped, a rule is very short, or the header has an old format.",
        example: "a `####` directly below a `##`",
        cure: "Have a look at the named line; nothing is blocked."
    }
    TargetShadowed "WARN-008" Done {
        when: "A target already sees a skill of this name from another directory.",
        cause: "Some CLIs read several directories; a second copy may be listed twice or hide the first.",
        example: "a copy in `.agents/skills` beside `.codex/skills`",
        cure: "Remove one of the two copies."
    }
    RuleNotWeighed "WARN-012" Done {
        when: "A severity that the settings give a rule is ignored.",
        cause: "There is no rule of that id, or it is a T0 rule, which cannot be lowered or switched off.",
        example: "[rules]\n\"T0-HEFESTO-03\" = \"off\"",
        cure: "Correct the id, or take the line out; `hefesto explain` lists the rules."
    }
    ProjectSkipped "WARN-041" Done {
        when: "A parent directory is not used as the project.",
        cause: "Its `.hefesto` or MEMORY.md belongs to another user or can be written by everybody, or it is the home directory. Whoever wrote those files would decide what hefesto does.",
        example: "hefesto list  (below a shared directory with a `.hefesto` of another user)",
        cure: "Where it is the project you mean, name it with `-C DIR`."
    }
    SettingIgnored "WARN-040" Done {
        when: "A setting in the project's `.hefesto/config.toml` is not used.",
        cause: "It names a program, a server or something outside the project. The file comes with the project, so only the user's own `config.toml` may set that.",
        example: "[draft]\ncommand = [\"./draft.sh\"]",
        cure: "Take it out of the project's file. To allow it, set it in your own `config.toml`, whose path `hefesto config` shows."
    }
    AdoptedInvalid "WARN-050" Done {
        when: "An imported skill has errors.",
        cause: "Imported skills are not changed; a client may drop one, or show it differently than intended.",
        example: "hefesto adopt ./Code_Review  (a name with an underscore)",
        cure: "`hefesto validate NAME` names the errors, `hefesto validate NAME --fix` corrects what is certain."
    }
    NotAdopted "WARN-051" Done {
        when: "One of several skills was left out.",
        cause: "It has forbidden content, or its path is taken; the others are imported.",
        example: "hefesto adopt ./collection  (one of its skills holds an access key)",
        cure: "Remove the cause, then adopt it by its own path."
    }
    TemplateOutdated "WARN-009" Done {
        when: "A template of the project was written for an older hefesto.",
        cause: "Its first line declares a version below this program's.",
        example: "a template beginning with `{# version: 0.0.9 #}`",
        cure: "Compare it with the built-in template and raise the version in its first line."
    }
    TemplateExists "E-TEMPLATE-001" Refused {
        when: "The project has a template of that name already.",
        cause: "`templates new` begins a template; it never replaces one.",
        example: "hefesto templates new house-style  (twice)",
        cure: "Edit the file that is there, or give another name."
    }
    MaterialLeftOut "WARN-013" Done {
        when: "A file given with `--from` is not in the skill, or not all of it.",
        cause: "Only steps, commands, endpoints, warnings, points and links are taken, a dozen of each from one file; long command lines are not.",
        example: "hefesto create \"Release the shop\" --from .bash_history",
        cure: "Give the part that matters as a file of its own, or as it is with `--body FILE` or `--resource references:FILE`."
    }
    DraftUnusable "E-DRAFT-001" Refused {
        when: "An AI CLI was asked for a draft, gave none that can be used, and nobody is there to decide; nothing is written.",
        cause: "It is not installed, not logged in, took too long, failed, or its answer is a refusal or a question, or does not pass validation twice.",
        example: "hefesto create \"Review pull requests\" --draft=claude --yes  (without Claude Code on PATH)",
        cure: "Run the CLI once by hand, or add `--draft-fallback` to take the assembled text where there is no draft."
    }
    DraftFailed "WARN-030" Done {
        when: "An AI CLI was asked for a draft and gave none that can be used; the text is the assembled one.",
        cause: "It is not installed, not logged in, took too long, failed, or its answer is a refusal or a question, or does not pass validation twice. Inside an AI CLI no other one is started unless it is named.",
        example: "hefesto create \"Review pull requests\" --draft=claude  (without Claude Code on PATH)",
        cure: "Read the reason in the message, run the CLI once by hand, then the command again; `--brief` prints what to write."
    }
    HomeRefused "WARN-032" Done {
        when: "Something in `.hefesto` is a symbolic link, a pipe, a device or of the wrong kind.",
        cause: "Everything hefesto keeps in a project is below `.hefesto`, in real directories and regular files. A repository that brings a link there would have its files read and written somewhere else, so none is followed. Commands that write end with an error; the others go on without what is behind it.",
        example: "ln -s /tmp .hefesto/txn && hefesto list",
        cure: "Remove the path the message names, and look at where the repository came from."
    }
    CommandKept "WARN-031" Done {
        when: "A command or skill of hefesto's own was not installed: something else is in its place.",
        cause: "What lies there differs from what this hefesto would write: it was edited, is of another version, or is not hefesto's. It is replaced only when a person approves it, and a copy is kept then.",
        example: "hefesto init --with-commands --yes  (after editing `.gemini/commands/hefesto.create.toml`)",
        cure: "Run `hefesto init --with-commands` in a terminal and approve, or move the file away."
    }
    UnknownTool "WARN-033" Done {
        when: "The description names a tool that no domain pack in use knows.",
        cause: "The commands in the skill are those of the packs; a tool that none of them names has none there. A capitalised word counts as a name.",
        example: "hefesto create \"Scan our images with Trivy\"",
        cure: "Write its commands at the gate with `edit`, give them with `--from FILE`, or have an AI CLI draft the text with `--draft`."
    }
    StandardsEmbedded "INFO-004" Done {
        when: "The project has no standards of its own; the embedded ones are used.",
        cause: "`.context/standards/` does not exist.",
        example: "hefesto create ... in a project without `.context/`",
        cure: "Nothing to do; `hefesto init --force` writes them out to be edited."
    }
    SameInput "INFO-005" Done {
        when: "The same description was given before.",
        cause: "The hash of the input matches an earlier run's.",
        example: "hefesto create \"Review code\"  (twice)",
        cure: "Nothing to do; the message names the earlier run and its skill."
    }
    SimilarSkill "INFO-020" Done {
        when: "A skill that is here is much like the one that is asked for.",
        cause: "Its name and description have most of their words in common with the description.",
        example: "hefesto create \"Extract the tables of a PDF\"  (with a skill `extract-pdf-tables`)",
        cure: "Look at it with `hefesto show NAME`; another skill beside it is fine where it does something else."
    }
    RunsWait "INFO-021" Done {
        when: "Runs wait to be taken up again.",
        cause: "A gate or a question was not answered, or a run was interrupted.",
        example: "hefesto create ...  (after another one timed out)",
        cure: "`hefesto resume` goes on with the newest; `hefesto runs` lists them all; `hefesto runs --discard --all` drops them."
    }
    NameInUse "INFO-022" Done {
        when: "A skill of that name is here already.",
        cause: "The name that was given, or that follows from the description, is the name of an installed skill.",
        example: "hefesto create \"Review code\" --name review-sql  (with a skill `review-sql`)",
        cure: "The gate shows both and asks what to do; `--name` gives another one."
    }
    FailedBefore "INFO-023" Done {
        when: "The same thing was tried before and failed.",
        cause: "The memory holds a failed run with much the same description, and no later one that succeeded.",
        example: "hefesto create \"Review code\"  (after that failed)",
        cure: "The message says where it failed; the command it names says why and what helps."
    }
    Recovered "INFO-006" Done {
        when: "An interrupted command was completed or rolled back.",
        cause: "An earlier command ended in the middle of writing.",
        example: "a power cut while a skill was written",
        cure: "Nothing to do; the message says what was done."
    }
    AlreadyInitialised "INFO-001" Done {
        when: "The project is already initialised.",
        cause: "There is a valid MEMORY.md.",
        example: "hefesto init  (twice)",
        cure: "`hefesto init --force` detects again and keeps everything."
    }
    NothingNew "INFO-002" Done {
        when: "No new AI CLI was found.",
        cause: "Detection found what the registry already lists.",
        example: "hefesto detect  (twice)",
        cure: "Nothing to do."
    }
    NoSkills "INFO-003" Done {
        when: "No skill has been created yet.",
        cause: "The registry is empty.",
        example: "hefesto list  (in a new project)",
        cure: "Run `hefesto create \"what the skill should do\"`."
    }
    Bug "E-BUG-001" Bug {
        when: "A bug in hefesto.",
        cause: "Something happened that the program holds to be impossible.",
        example: "none is known",
        cure: "Please report it with the command line and this message."
    }
}
