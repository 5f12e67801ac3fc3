//! Interactive prompts of `dialoguer`: a menu, a menu of several, or an editable line.

use std::fmt;
use std::io::{self, Write};

use console::{Term, measure_text_width, truncate_str};
use dialoguer::{Input, MultiSelect, Select};

use super::answers::show;
use super::keyboard::Key;
use super::keyboard::{self, Act, Ended};
use super::line_reader::CUT_AT;
use super::{Answer, Asking};
use super::{broken, printable, seconds, shown};
use crate::terminal::ui::Style;

/// Asks once, and leaves question and answer on the screen.
/// Errors: when there is no pseudo-terminal or the terminal cannot be read.
pub(super) fn ask(asking: &Asking<'_>, screen: &mut dyn Write) -> io::Result<Answer> {
    let Asking { question, style, .. } = *asking;
    let ended = if question.choices.is_empty() { input(asking, screen)? } else { menu(asking)? };
    let answer = match ended {
        // An empty selection is not the default.
        Ended::Answered(text) if question.several => Answer::Given(text),
        Ended::Answered(text) | Ended::Typed(text) => Answer::from_line(text.as_bytes(), question),
        Ended::Late => Answer::TimedOut,
        Ended::Closed => Answer::NobodyThere,
        Ended::Signal(signal) => Answer::Signal(signal),
    };
    let answered = if let Answer::Given(text) = &answer { printable(text) } else { String::new() };
    let line = format!("{} > {answered}\n", style.strong(question.text));
    show(screen, &style.fold(if question.text.is_empty() { line.trim_start() } else { &line }, 2));
    Ok(answer)
}

/// A menu: arrow keys and Enter, and Space if several entries may be chosen. A typed word answers as well.
fn menu(asking: &Asking<'_>) -> io::Result<Ended> {
    let Asking { question, style, .. } = *asking;
    let keys = if question.several { "arrow keys, Space, Enter" } else { "arrow keys, Enter" };
    let limit = asking.left().map(|left| format!("{} s; ", seconds(left))).unwrap_or_default();
    let text = fitting(&format!("{} ({limit}{keys})", question.text), style);
    let words: Vec<String> = question.choices.iter().map(ToString::to_string).collect();
    let labels = if question.labels.is_empty() { &words } else { question.labels };
    let labels: Vec<String> = labels.iter().map(|label| fitting(&printable(label), style)).collect();
    let chosen: Vec<&str> = question.default.unwrap_or_default().split(',').collect();
    let checked: Vec<bool> = words.iter().map(|word| chosen.contains(&word.as_str())).collect();
    let several = question.several;
    let prompt = move || {
        let look = Look(style);
        let picked = if several {
            let menu = MultiSelect::with_theme(&look).with_prompt(text).items(&labels).defaults(&checked);
            menu.report(false).clear(true).interact_on_opt(&Term::stderr())
        } else {
            let first = checked.iter().position(|checked| *checked).unwrap_or(0);
            let menu = Select::with_theme(&look).with_prompt(text).items(&labels).default(first);
            let picked = menu.report(false).clear(true).interact_on_opt(&Term::stderr());
            picked.map(|picked| picked.map(|one| vec![one]))
        };
        let picked = failing(picked)?.unwrap_or_default().into_iter().filter_map(|at| words.get(at).cloned());
        Ok(picked.collect::<Vec<_>>().join(","))
    };
    let escape = question.escape.map(str::to_owned);
    let mut typed = String::new();
    let mut act = |key: Key| match key {
        Key::Enter if !typed.is_empty() => Act::Answer(std::mem::take(&mut typed)),
        Key::Enter => Act::Pass(b"\r".to_vec()),
        Key::Arrow(letter @ ('A' | 'B')) => {
            typed.clear();
            Act::Pass(format!("\u{1b}[{letter}").into_bytes())
        }
        Key::Char(' ') if several && typed.is_empty() => Act::Pass(b" ".to_vec()),
        Key::Char(c) => {
            typed.push(c);
            Act::Ignore
        }
        Key::Backspace => {
            typed.pop();
            Act::Ignore
        }
        Key::Escape => escape.clone().map_or(Act::Ignore, Act::Answer),
        _ => Act::Ignore,
    };
    keyboard::run(Box::new(prompt), b"\x1b", asking, &mut act)
}

/// An editable line. A paste is one answer, with its lines joined.
fn input(asking: &Asking<'_>, screen: &mut dyn Write) -> io::Result<Ended> {
    let Asking { question, style, .. } = *asking;
    let bare = Style { colour: false, ..style };
    let (above, text) = broken(&shown(question, asking.left(), bare), bare);
    let lines_above = above.matches('\n').count();
    show(screen, &style.strong(&above));
    let columns = usize::from(Term::stderr().size().1).max(2);
    let prompt_width = measure_text_width(&text);
    let prompt = move || {
        let look = Look(style);
        let line = Input::<String>::with_theme(&look).with_prompt(text).allow_empty(true).report(false);
        let term = Term::stderr();
        let line = failing(line.interact_text_on(&term))?;
        // A long line takes several rows; only the last is cleared.
        let rows = (prompt_width + measure_text_width(&line)).saturating_sub(1) / columns;
        term.move_cursor_up(rows + lines_above)?;
        term.clear_to_end_of_screen()?;
        Ok(line)
    };
    let escape = question.escape.map(str::to_owned);
    let (mut length, mut moved) = (0, false);
    let mut act = |key: Key| match key {
        // The cursor must be at the end to clear the rows.
        Key::Enter if moved => Act::Pass([b"\x1b[C".repeat(length), b"\r".to_vec()].concat()),
        Key::Enter => Act::Pass(b"\r".to_vec()),
        Key::Arrow(letter @ ('C' | 'D')) => {
            moved = true;
            Act::Pass(format!("\u{1b}[{letter}").into_bytes())
        }
        Key::LineStart => {
            moved = true;
            Act::Pass(b"\x1b[D".repeat(length))
        }
        Key::LineEnd => Act::Pass(b"\x1b[C".repeat(length)),
        Key::Clear => Act::Pass([b"\x1b[C".repeat(length), b"\x7f".repeat(length)].concat()),
        Key::Backspace => Act::Pass(b"\x7f".to_vec()),
        Key::Char(c) if length < CUT_AT => {
            length += 1;
            Act::Pass(c.to_string().into_bytes())
        }
        Key::Paste(text) => {
            let line = question.joined(&text);
            let line: String = line.chars().filter(|c| !c.is_control()).take(CUT_AT.saturating_sub(length)).collect();
            length += line.chars().count();
            Act::Pass(line.into_bytes())
        }
        Key::Escape => escape.clone().map_or(Act::Ignore, Act::Answer),
        _ => Act::Ignore,
    };
    keyboard::run(Box::new(prompt), b"\r", asking, &mut act)
}

fn failing<T>(prompted: dialoguer::Result<T>) -> io::Result<T> {
    prompted.map_err(|dialoguer::Error::IO(error)| error)
}

/// A line of a menu, cut to the screen: a wrapped one could not be cleared.
fn fitting(line: &str, style: Style) -> String {
    truncate_str(line, style.width.saturating_sub(8), "...").into_owned()
}

/// The theme of menus and lines; the marks are ASCII if the locale is not UTF-8.
struct Look(Style);

impl Look {
    fn paint(&self, text: &str, paint: fn(console::Style) -> console::Style) -> String {
        paint(console::Style::new().for_stderr()).force_styling(self.0.colour).apply_to(text).to_string()
    }

    fn pointer(&self, active: bool) -> &'static str {
        match (active, self.0.unicode) {
            (true, true) => "❯",
            (true, false) => ">",
            (false, _) => " ",
        }
    }
}

impl dialoguer::theme::Theme for Look {
    fn format_input_prompt(&self, f: &mut dyn fmt::Write, prompt: &str, _: Option<&str>) -> fmt::Result {
        f.write_str(&self.paint(prompt, console::Style::bold))
    }

    fn format_select_prompt(&self, f: &mut dyn fmt::Write, prompt: &str) -> fmt::Result {
        f.write_str(&self.paint(prompt, console::Style::bold))
    }

    fn format_multi_select_prompt(&self, f: &mut dyn fmt::Write, prompt: &str) -> fmt::Result {
        self.format_select_prompt(f, prompt)
    }

    fn format_select_prompt_item(&self, f: &mut dyn fmt::Write, text: &str, active: bool) -> fmt::Result {
        let line = format!("{} {text}", self.pointer(active));
        f.write_str(&if active { self.paint(&line, console::Style::cyan) } else { line })
    }

    fn format_multi_select_prompt_item(
        &self,
        f: &mut dyn fmt::Write,
        text: &str,
        checked: bool,
        active: bool,
    ) -> fmt::Result {
        self.format_select_prompt_item(f, &format!("{} {text}", if checked { "[x]" } else { "[ ]" }), active)
    }
}
