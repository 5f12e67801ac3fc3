//! Signals while something waits. They are the whole process's, so these tests take turns in one of their own.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hefesto::system::search_path::SearchPath;
use hefesto::terminal::prompt::{Answer, Edited, Prompter, Question, Scripted, Text, edit};
use hefesto::terminal::signal::Watch;
use rustix::process::{Signal, getpid, kill_process};

static TURN: Mutex<()> = Mutex::new(());
const AGES: Duration = Duration::from_secs(60);

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn send(signal: Signal) {
    kill_process(getpid(), signal).unwrap();
}

#[test]
fn every_open_watch_notices_a_signal_and_the_last_one_counts() {
    let _turn = turn();
    let (first, second) = (Watch::open().unwrap(), Watch::open().unwrap());
    assert_eq!(first.received(), None);
    send(Signal::HUP);
    assert_eq!(first.within(AGES), Some(1));
    drop(first);
    send(Signal::TERM);
    while second.received() == Some(1) || second.received().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let later = Watch::open().unwrap();
    assert_eq!(second.close(), Some(15));
    assert_eq!(later.within(Duration::from_millis(1)), None, "what came before it was opened is not noticed");
    send(Signal::INT);
    assert_eq!(later.within(AGES), Some(2));
}

#[test]
fn a_pipe_that_is_silent_lets_signals_through() {
    let _turn = turn();
    let _keep = Watch::open().unwrap();
    let (from, _to) = std::io::pipe().unwrap();
    let question = Question { text: "Approve?", limit: Some(AGES), ..Question::default() };
    let answered = AtomicBool::new(false);
    let answer = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !answered.load(Ordering::SeqCst) {
                send(Signal::TERM);
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let answer = Scripted::receiving(std::os::fd::OwnedFd::from(from)).ask(&question, &mut std::io::sink());
        answered.store(true, Ordering::SeqCst);
        answer.unwrap()
    });
    assert_eq!(answer, Answer::Signal(15));
}

/// Runs an editor that first says in a file that it is there, while this process is sent `signal`.
fn edit_under(signal: Signal, script: &str) -> (std::io::Result<Edited>, Duration) {
    let directory = tempfile::tempdir().unwrap();
    let desk = directory.path().join("desk");
    std::fs::create_dir(&desk).unwrap();
    let there = directory.path().join("there");
    let command = format!("sh -c 'echo there > {}; {script}' editor", there.display());
    let _keep = Watch::open().unwrap();
    let sender = std::thread::spawn(move || {
        while !there.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        send(signal);
    });
    let begun = Instant::now();
    let search = SearchPath::new(Some("/usr/bin:/bin".as_ref()), None, &[]);
    let edited = edit(&command, &search, Text { text: "old", extension: "md", line: None }, &desk);
    sender.join().unwrap();
    assert!(is_empty(&desk), "something was left behind");
    (edited, begun.elapsed())
}

fn is_empty(directory: &Path) -> bool {
    std::fs::read_dir(directory).unwrap().next().is_none()
}

#[test]
fn an_editor_is_ended_with_the_process_and_leaves_nothing() {
    let _turn = turn();
    let (edited, took) = edit_under(Signal::TERM, "echo half > \"$1\"; exec sleep 300");
    assert_eq!(edited.unwrap(), Edited::Signal(15));
    assert!(took < AGES);
}

#[test]
fn an_editor_that_does_not_listen_is_ended_too() {
    let _turn = turn();
    let (edited, took) = edit_under(Signal::HUP, "trap \"\" TERM; while :; do sleep 1; done");
    assert_eq!(edited.unwrap(), Edited::Signal(1));
    assert!(took < AGES);
}

#[test]
fn an_interrupt_that_the_editor_survives_is_the_editors_own_affair() {
    let _turn = turn();
    let (edited, _) = edit_under(Signal::INT, "sleep 1; echo new > \"$1\"");
    assert_eq!(edited.unwrap(), Edited::Changed("new\n".into()));
}
