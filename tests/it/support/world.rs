//! A project in a directory of its own, stub CLIs, a fixed time, and a person whose answers were written beforehand.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hefesto::error::Exit;
use hefesto::system::env::Env;
use hefesto::terminal::prompt::{Answer, Prompter, Question};
use serde_json::Value;

/// The sentence of the first scenario and its skill.
pub(crate) const EMAIL: &str = "Validate email addresses using regex patterns";
pub(crate) const NAME: &str = "validate-email-addresses";
pub(crate) const CLAUDE: &str = ".claude/skills/validate-email-addresses";
pub(crate) const GEMINI: &str = ".gemini/skills/validate-email-addresses";

/// A home, a PATH with stubs and a project, in memory where there is such a directory.
pub(crate) struct World {
    dir: tempfile::TempDir,
    now: RefCell<String>,
    vars: RefCell<Vec<(String, String)>>,
    runs: Cell<u64>,
}

impl World {
    /// These CLIs are installed; the project is an empty directory.
    pub(crate) fn bare(clis: &[&str]) -> Self {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        for made in ["home", "bin", "project"] {
            fs::create_dir(dir.path().join(made)).unwrap();
        }
        let now = RefCell::new("2026-02-05T10:00:00Z".to_owned());
        let world = Self { dir, now, vars: RefCell::default(), runs: Cell::new(0) };
        for cli in clis {
            world.script(cli, "echo 1.2.3");
        }
        world
    }

    /// The same, and the project is initialised.
    pub(crate) fn with(clis: &[&str]) -> Self {
        let world = Self::bare(clis);
        world.run(&["init"]).is(0);
        world
    }

    /// Claude Code and Gemini CLI in an initialised project.
    pub(crate) fn two() -> Self {
        Self::with(&["claude", "gemini"])
    }

    /// Two CLIs, and the skill of the first scenario in both.
    pub(crate) fn holding_the_skill() -> Self {
        let world = Self::two();
        world.create(&[EMAIL, "--yes"]).is(0);
        world
    }

    /// From now on it is this time.
    pub(crate) fn at(&self, now: &str) -> &Self {
        now.clone_into(&mut self.now.borrow_mut());
        self
    }

    /// The time it is.
    pub(crate) fn now(&self) -> String {
        self.now.borrow().clone()
    }

    /// From now on the environment holds this variable.
    pub(crate) fn set(&self, name: &str, value: &str) -> &Self {
        self.vars.borrow_mut().push((name.to_owned(), value.to_owned()));
        self
    }

    /// An executable shell script on PATH; its path.
    pub(crate) fn script(&self, name: &str, text: &str) -> String {
        let path = self.dir.path().join("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The project's root.
    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    /// A directory beside the project.
    pub(crate) fn outside(&self) -> PathBuf {
        self.dir.path().to_owned()
    }

    pub(crate) fn path(&self, at: &str) -> PathBuf {
        self.root().join(at)
    }

    pub(crate) fn exists(&self, at: &str) -> bool {
        self.path(at).symlink_metadata().is_ok()
    }

    #[track_caller]
    pub(crate) fn read(&self, at: &str) -> String {
        fs::read_to_string(self.path(at)).unwrap_or_else(|error| panic!("{at}: {error}"))
    }

    /// SKILL.md of a copy.
    #[track_caller]
    pub(crate) fn skill(&self, copy: &str) -> String {
        self.read(&format!("{copy}/SKILL.md"))
    }

    pub(crate) fn write_skill(&self, copy: &str, text: impl AsRef<[u8]>) -> &Self {
        self.write(&format!("{copy}/SKILL.md"), text)
    }

    pub(crate) fn write(&self, at: &str, text: impl AsRef<[u8]>) -> &Self {
        write(&self.path(at), text);
        self
    }

    /// A place below the home directory.
    pub(crate) fn home(&self, at: &str) -> PathBuf {
        self.dir.path().join("home").join(at)
    }

    /// `hefesto -C . ARGS`, with nobody there.
    pub(crate) fn run(&self, args: &[&str]) -> Said {
        self.run_by(args, Person::nobody())
    }

    /// The same with this person.
    pub(crate) fn run_by(&self, args: &[&str], person: impl Into<Person>) -> Said {
        self.called(&["-C", "."], args, person.into())
    }

    /// `hefesto ARGS --global`, called in the project, with nobody there.
    pub(crate) fn global(&self, args: &[&str]) -> Said {
        self.called(args, &["--global"], Person::nobody())
    }

    /// `hefesto FIRST ARGS` with this person.
    pub(crate) fn called(&self, first: &[&str], args: &[&str], person: Person) -> Said {
        let mut vars = vec![
            ("HOME".to_owned(), self.dir.path().join("home").to_str().unwrap().to_owned()),
            ("PATH".to_owned(), format!("{}/bin:/usr/bin:/bin", self.dir.path().display())),
            ("LANG".to_owned(), "C".to_owned()),
            ("HEFESTO_NOW".to_owned(), self.now.borrow().clone()),
            ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".to_owned()),
        ];
        vars.extend(self.vars.borrow().iter().cloned());
        let vars: Vec<(&str, &str)> = vars.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let now = self.now.borrow().parse().unwrap();
        let (root, before) = (self.root(), self.picture());
        let mut env = Env::made(root.clone(), &vars, now);
        self.runs.set(self.runs.get() + 1);
        env.counted = Some(self.runs.get() * 1000);
        let (out, err) = (Caught::default(), Caught::default());
        env.set_streams(Box::new(out.clone()), Box::new(err.clone()));
        let (asked, left) = (Rc::clone(&person.asked), Rc::clone(&person.script));
        env.prompter = Box::new(person);
        let words = ["hefesto"].iter().chain(first).chain(args).map(Into::into).collect::<Vec<_>>();
        let exit = hefesto::run(words, &mut env);
        let asked = asked.borrow().clone();
        assert!(left.borrow().is_empty(), "{} answers were not asked for\n{}", left.borrow().len(), err.text());
        Said { exit, out: out.text(), err: err.text(), asked, root, before }
    }

    /// `hefesto create ARGS`, with nobody there.
    pub(crate) fn create(&self, args: &[&str]) -> Said {
        self.create_by(args, Person::nobody())
    }

    /// The same with this person.
    pub(crate) fn create_by(&self, args: &[&str], person: impl Into<Person>) -> Said {
        self.run_by(&[&["create"], args].concat(), person)
    }

    /// `data` of `hefesto ARGS --json`, which ends with 0.
    #[track_caller]
    pub(crate) fn data(&self, args: &[&str]) -> Value {
        self.run(&[args, &["--json"]].concat()).data()
    }

    /// What the newest run left of a phase in the ring.
    #[track_caller]
    pub(crate) fn state(&self, phase: &str) -> Value {
        self.data(&["memory", "ring", "get", phase])["state"].clone()
    }

    /// The slots the newest run's markers point at, P0–P6.
    #[track_caller]
    pub(crate) fn markers(&self) -> Vec<Option<u64>> {
        let ring = self.data(&["memory", "ring", "show"]);
        (0..7).map(|phase| ring["markers"][format!("P{phase}")].as_u64()).collect()
    }

    /// The last line of the operation log.
    #[track_caller]
    pub(crate) fn logged(&self) -> Value {
        let log = self.read(".hefesto/logs/operations.jsonl");
        serde_json::from_str(log.lines().last().unwrap()).unwrap()
    }

    /// The rows of MEMORY.md's tables.
    #[track_caller]
    pub(crate) fn rows(&self) -> Vec<String> {
        self.read("MEMORY.md").lines().filter(|line| line.starts_with("| ")).map(str::to_owned).collect()
    }

    /// The project's files but MEMORY.md, which says when it was last changed.
    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        let mut files = self.picture();
        files.remove("MEMORY.md");
        files
    }

    /// The id of the newest run.
    #[track_caller]
    pub(crate) fn newest(&self) -> String {
        self.data(&["runs"])["runs"][0]["run_id"].as_str().unwrap().to_owned()
    }

    /// The archives, newest name last.
    pub(crate) fn archives(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path(".hefesto/backups")).into_iter().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// What an archive of the project holds of a file, as `tar` reads it.
    pub(crate) fn archived(&self, archive: &str, file: &str) -> Vec<u8> {
        let mut tar = std::process::Command::new("tar");
        tar.args(["-xzOf", archive, file]).current_dir(self.root()).output().unwrap().stdout
    }

    /// Unpacks an archive of the project where its files were, as `tar` does.
    pub(crate) fn unpack(&self, archive: &str) {
        let mut tar = std::process::Command::new("tar");
        assert!(tar.args(["-xzf", archive, "-C", "."]).current_dir(self.root()).status().unwrap().success());
    }

    /// The project's memory.
    pub(crate) fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.path(".hefesto/memory.db")).unwrap()
    }

    /// Everything the memory holds is in its file, and no log beside it.
    pub(crate) fn write_log_back(&self) {
        self.database().query_row("SELECT count(*) FROM runs", [], |_| Ok(())).unwrap();
        assert!(!self.exists(".hefesto/memory.db-wal"));
    }

    /// The files of the project that hold this in any byte, the log of the database included.
    pub(crate) fn files_with(&self, words: &str) -> Vec<PathBuf> {
        let files = walkdir::WalkDir::new(self.root()).into_iter().map(|entry| entry.unwrap().into_path());
        let holds =
            |path: &PathBuf| memchr::memmem::find(&fs::read(path).unwrap_or_default(), words.as_bytes()).is_some();
        files.filter(|path| path.is_file()).filter(holds).collect()
    }

    /// No file of the project holds this.
    #[track_caller]
    pub(crate) fn is_nowhere(&self, words: &str) {
        assert_eq!(self.files_with(words), Vec::<PathBuf>::new());
    }

    /// The project's files, modes and bytes outside `.hefesto/`.
    pub(crate) fn picture(&self) -> BTreeMap<String, String> {
        picture(&self.root(), &[".hefesto"])
    }

    /// Nothing outside `.hefesto/` differs from the picture, and nothing is left of an attempt inside it.
    #[track_caller]
    pub(crate) fn unchanged_since(&self, before: &BTreeMap<String, String>) {
        assert_eq!(&self.picture(), before);
        self.nothing_left_over();
    }

    /// No staging directory, no temporary file, no desk of an editor.
    #[track_caller]
    pub(crate) fn nothing_left_over(&self) {
        nothing_left_over(&self.root());
    }

    /// Something a person does between two answers.
    pub(crate) fn meanwhile(&self, action: impl FnOnce(&Path) + 'static) -> impl FnOnce() + 'static {
        let root = self.root();
        move || action(&root)
    }
}

#[track_caller]
fn nothing_left_over(root: &Path) {
    for (path, _) in picture(root, &[]) {
        let Some(inside) = path.strip_prefix(".hefesto/") else { continue };
        let known = [".gitignore", "lock", "memory.db", "memory.db-wal", "memory.db-shm", "txn", "config.toml", "id"];
        let below = ["backups", "lanes", "logs", "objects", "templates", "unsaved"];
        let first = inside.split('/').next().unwrap_or_default();
        assert!(known.contains(&inside) || below.contains(&first), "{path} was left behind");
        assert!(!inside.contains("tmp"), "{path} was left behind");
    }
}

/// Writes a file and the directories above it.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Every one of these parts is in a text.
#[track_caller]
pub(crate) fn holds(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing\n{text}");
    }
}

/// Makes a pipe.
pub(crate) fn pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Every path below `root` but these, with its mode and bytes.
pub(crate) fn picture(root: &Path, without: &[&str]) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let entries = walkdir::WalkDir::new(root).min_depth(1).into_iter();
    for entry in entries.filter_entry(|entry| !without.iter().any(|not| entry.file_name() == *not)) {
        let entry = entry.unwrap();
        let meta = entry.path().symlink_metadata().unwrap();
        // A pipe that nobody writes to has no end.
        let bytes = entry.path().is_file().then(|| fs::read(entry.path()).ok()).flatten();
        let kind = if meta.is_dir() { "dir".into() } else { format!("{bytes:?}") };
        let name = entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        all.insert(name, format!("{:o} {kind}", meta.permissions().mode()));
    }
    all
}

/// What a run came to.
pub(crate) struct Said {
    pub(crate) exit: Exit,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) asked: Vec<Asked>,
    root: PathBuf,
    before: BTreeMap<String, String>,
}

impl Said {
    /// Nothing outside `.hefesto/` differs from before, and nothing is left of an attempt inside it.
    #[track_caller]
    pub(crate) fn changes_nothing(&self) -> &Self {
        assert_eq!(picture(&self.root, &[".hefesto"]), self.before);
        nothing_left_over(&self.root);
        self
    }

    /// It ended with this exit.
    #[track_caller]
    pub(crate) fn is(&self, exit: u8) -> &Self {
        assert_eq!(self.exit.number(), exit, "\n--- out\n{}\n--- err\n{}", self.out, self.err);
        self
    }

    /// It ended with this code and exit, in the documented form.
    #[track_caller]
    pub(crate) fn fails(&self, code: &str, exit: u8) -> &Self {
        self.is(exit);
        // What a person chose is no error.
        let words: &[&str] = if [3, 129, 130, 143].contains(&exit) { &["ERROR", "note"] } else { &["ERROR"] };
        let named = words.iter().any(|word| self.err.contains(&format!("{word} [{code}]: ")));
        let known = named && self.err.contains("\nSuggestion: ");
        assert!(known, "no {code}\n{}", self.err);
        self
    }

    /// This was said on standard error.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) -> &Self {
        assert!(self.err.contains(text), "{text:?} was not said\n{}", self.err);
        self
    }

    /// This was not said anywhere.
    #[track_caller]
    pub(crate) fn never_says(&self, text: &str) -> &Self {
        assert!(!self.err.contains(text) && !self.out.contains(text), "{text:?} was said\n{}{}", self.err, self.out);
        self
    }

    /// How often a question with this text was asked.
    pub(crate) fn times(&self, text: &str) -> usize {
        self.asked.iter().filter(|asked| asked.text == text).count()
    }

    /// The questions with this text.
    pub(crate) fn questions(&self, text: &str) -> Vec<&Asked> {
        self.asked.iter().filter(|asked| asked.text == text).collect()
    }

    /// It ended with 0.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        self.exits(0)
    }

    /// It ended with this exit.
    #[track_caller]
    pub(crate) fn exits(self, exit: u8) -> Self {
        self.is(exit);
        self
    }

    /// This was shown on standard output.
    #[track_caller]
    pub(crate) fn shows(&self, text: &str) -> &Self {
        assert!(self.out.contains(text), "{text:?} is not shown\n{}", self.out);
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}\n{}{}", self.out, self.err))
    }

    /// `data` of the answer, which ended with 0.
    #[track_caller]
    pub(crate) fn data(&self) -> Value {
        self.is(0).json()["data"].take()
    }
}

/// A question as it was put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) text: String,
    pub(crate) default: Option<String>,
    pub(crate) choices: Vec<String>,
    pub(crate) limit: Option<Duration>,
    pub(crate) typed: bool,
    pub(crate) flag: String,
}

struct Step {
    before: Option<Box<dyn FnOnce()>>,
    answer: Answer,
}

/// Answers in order, doing things in between. After the last answer nobody is there any more.
#[derive(Default)]
pub(crate) struct Person {
    script: Rc<RefCell<VecDeque<Step>>>,
    asked: Rc<RefCell<Vec<Asked>>>,
    absent: bool,
    /// Whether the answers count as a file of answers, which may be wrong three times in a row.
    scripted: bool,
}

impl Person {
    /// Nobody at all.
    pub(crate) fn nobody() -> Self {
        Self { absent: true, ..Self::default() }
    }

    /// Says these lines.
    pub(crate) fn saying(lines: &[&str]) -> Self {
        Self::default().then(lines)
    }

    /// A file of answers with these lines.
    pub(crate) fn scripted(lines: &[&str]) -> Self {
        Self { scripted: true, ..Self::default() }.then(lines)
    }

    /// Says these lines next.
    pub(crate) fn then(self, lines: &[&str]) -> Self {
        for line in lines {
            self.script.borrow_mut().push_back(Step { before: None, answer: Answer::Given((*line).to_owned()) });
        }
        self
    }

    /// Next comes this.
    pub(crate) fn ends(self, answer: Answer) -> Self {
        self.script.borrow_mut().push_back(Step { before: None, answer });
        self
    }

    /// Does something while the next question waits, then says this.
    pub(crate) fn does(self, action: impl FnOnce() + 'static, line: &str) -> Self {
        let answer = Answer::Given(line.to_owned());
        self.script.borrow_mut().push_back(Step { before: Some(Box::new(action)), answer });
        self
    }
}

/// Says these lines, as [`Person::saying`].
impl<const N: usize> From<[&str; N]> for Person {
    fn from(lines: [&str; N]) -> Self {
        Self::saying(&lines)
    }
}

impl Prompter for Person {
    fn ask(&mut self, question: &Question<'_>, screen: &mut dyn Write) -> io::Result<Answer> {
        self.asked.borrow_mut().push(Asked {
            text: question.text.to_owned(),
            default: question.default.map(ToOwned::to_owned),
            choices: question.choices.iter().map(ToString::to_string).collect(),
            limit: question.limit,
            typed: question.typed,
            flag: question.flag.to_owned(),
        });
        let step = self.script.borrow_mut().pop_front();
        let Some(step) = step else { return Ok(Answer::NobodyThere) };
        if let Some(action) = step.before {
            action();
        }
        writeln!(screen, "{} > {:?}", question.text, step.answer)?;
        Ok(match step.answer {
            Answer::Given(line) if question.verbatim => Answer::Given(line),
            Answer::Given(line) => match (line.trim(), question.default) {
                ("", Some(default)) => Answer::Given(default.to_owned()),
                (given, _) => Answer::Given(given.to_owned()),
            },
            other => other,
        })
    }

    fn present(&self) -> bool {
        !self.absent
    }

    fn attempts(&self) -> usize {
        if self.scripted { 3 } else { usize::MAX }
    }
}

/// A stream that can be read afterwards.
#[derive(Clone, Default)]
pub(crate) struct Caught(Arc<Mutex<Vec<u8>>>);

impl Caught {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Caught {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
