//! The picture of the README: the wizard and the gate on a real terminal, drawn as SVG. `HEFESTO_UPDATE=1 cargo test
//! --test it picture::` draws it anew.
#![cfg(target_os = "linux")]

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::gate_terminal::Project;
use crate::support::pty::Pty;

const ROWS: u16 = 36;
const COLUMNS: u16 = 84;
/// Of one cell, in pixels.
const WIDTH: f32 = 8.4;
const HEIGHT: u16 = 18;
const MARGIN: u16 = 16;
const BACKGROUND: &str = "#1b1f27";
const FOREGROUND: &str = "#d5dae3";
const DIM: &str = "#8a93a3";
/// Black, red, green, yellow, blue, magenta, cyan, white.
const COLOURS: [&str; 8] = ["#596273", "#ef7a7a", "#7fc98a", "#e2b86b", "#74a9ec", "#c792ea", "#62c4cf", "#ffffff"];

/// The screen after the wizard's last question and after the gate's, a skill asked for in a repository.
fn screens() -> [vt100::Parser; 2] {
    let project = Project::new();
    fs::write(project.root().join("package.json"), PACKAGE).unwrap();
    fs::write(project.root().join("AGENTS.md"), "# Rules\n\n- Every skipped test names an open issue.\n").unwrap();
    let mut pty = Pty::new();
    pty.resize(ROWS, COLUMNS);
    let root = project.root();
    let now = [("HEFESTO_NOW", "2026-02-05T10:00:00Z"), ("USER", "you")];
    pty.hefesto(&root, &["create"], &now);
    pty.answer("What should the skill do?", b"Find flaky tests in the jest suite and quarantine them\n");
    for question in ["Name (Enter", "Main instructions", "Resource"] {
        pty.answer(question, "\n");
    }
    pty.see("(agents)");
    pty.write(b"\n");
    pty.see("Continue?");
    pty.see("cancel");
    let wizard = drawn(&pty);
    pty.write(b"\n");
    pty.asks("Write this?");
    [wizard, drawn(&pty)]
}

const PACKAGE: &str = "{\n  \"name\": \"shop\",\n  \"scripts\": {\n    \"test\": \"jest\"\n  },\n  \
                       \"devDependencies\": {\n    \"jest\": \"^30.0.0\"\n  }\n}\n";

fn drawn(pty: &Pty) -> vt100::Parser {
    let mut parser = vt100::Parser::new(ROWS, COLUMNS, 0);
    parser.process(pty.seen().as_bytes());
    parser
}

/// The screens below each other, without their empty rows at the end.
fn svg(screens: &[vt100::Parser]) -> String {
    let last = |screen: &vt100::Screen| {
        let empty =
            |row: &u16| (0..COLUMNS).all(|column| !screen.cell(*row, column).is_some_and(vt100::Cell::has_contents));
        ROWS - u16::try_from((0..ROWS).rev().take_while(empty).count()).unwrap()
    };
    let rows: Vec<u16> = screens.iter().map(|parser| last(parser.screen())).collect();
    let height = |rows: u16| rows * HEIGHT + 2 * MARGIN;
    let total: u16 = rows.iter().map(|rows| height(*rows)).sum::<u16>() + MARGIN;
    let width = f32::from(COLUMNS) * WIDTH + 2.0 * f32::from(MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{total}\" viewBox=\"0 0 {width:.0} {total}\" \
         font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\">\n\
         <title>The wizard of hefesto create, and the gate before anything is written</title>\n"
    );
    let mut top = 0;
    for (parser, rows) in screens.iter().zip(&rows) {
        let high = height(*rows);
        writeln!(out, "<rect y=\"{top}\" width=\"{width:.0}\" height=\"{high}\" rx=\"8\" fill=\"{BACKGROUND}\"/>")
            .unwrap();
        for row in 0..*rows {
            let y = top + MARGIN + row * HEIGHT + 13;
            for (column, text, style) in runs(parser.screen(), row) {
                let x = f32::from(MARGIN) + f32::from(column) * WIDTH;
                let length = f32::from(u16::try_from(text.chars().count()).unwrap()) * WIDTH;
                let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                writeln!(
                    out,
                    "<text x=\"{x:.1}\" y=\"{y}\" textLength=\"{length:.1}\" {style} xml:space=\"preserve\">{text}</text>"
                )
                .unwrap();
            }
        }
        top += high + MARGIN;
    }
    out.push_str("</svg>\n");
    out
}

/// The words of a row that look alike, each with its first column.
fn runs(screen: &vt100::Screen, row: u16) -> Vec<(u16, String, String)> {
    let mut runs: Vec<(u16, String, String)> = Vec::new();
    for column in 0..COLUMNS {
        let Some(cell) = screen.cell(row, column) else { continue };
        let (text, style) = (if cell.has_contents() { cell.contents() } else { " " }, style(cell));
        match runs.last_mut() {
            Some((_, run, of)) if *of == style => run.push_str(text),
            _ => runs.push((column, text.to_owned(), style)),
        }
    }
    for (_, text, _) in &mut runs {
        text.truncate(text.trim_end().len());
    }
    runs.retain(|(_, text, _)| !text.is_empty());
    runs
}

fn style(cell: &vt100::Cell) -> String {
    let fill = match cell.fgcolor() {
        vt100::Color::Idx(colour) => COLOURS.get(usize::from(colour % 8)).copied().unwrap_or(FOREGROUND),
        _ if cell.dim() => DIM,
        _ => FOREGROUND,
    };
    format!("fill=\"{fill}\"{}", if cell.bold() { " font-weight=\"bold\"" } else { "" })
}

#[test]
fn the_picture_shows_what_the_program_shows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/create.svg");
    let now = svg(&screens());
    if std::env::var_os("HEFESTO_UPDATE").is_some() {
        fs::write(&path, &now).unwrap();
    }
    let held = fs::read_to_string(&path).unwrap_or_default();
    assert!(held == now, "docs/create.svg is not current: HEFESTO_UPDATE=1 cargo test --test it picture::");
    assert!(now.contains("Write this?") && now.contains("Continue?"), "{now}");
}
