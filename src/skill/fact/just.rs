//! justfiles: recipes with their comments, parameters and variables.

use super::lines::{code, plain};
use super::{Fact, Facts, Risk, Source, purpose};

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let lines: Vec<&str> = source.text.lines().collect();
    let variables: Vec<(&str, &str)> = lines
        .iter()
        .filter_map(|line| line.trim_start_matches("export ").split_once(":="))
        .map(|(name, value)| (name.trim(), value.trim().trim_matches(['"', '\''])))
        .collect();
    let mut above = "";
    let mut private = false;
    for (at, line) in lines.iter().enumerate() {
        if let Some(comment) = line.strip_prefix('#') {
            above = comment.trim_start_matches('!').trim();
            continue;
        }
        if line.starts_with('[') {
            private |= line.contains("private");
            continue;
        }
        let head = line.split_once(':').filter(|(_, rest)| !line.starts_with([' ', '\t']) && !rest.starts_with('='));
        if let Some((head, _)) = head.filter(|_| !private) {
            let body = lines.get(at + 1..).unwrap_or_default().iter().take_while(|line| line.starts_with([' ', '\t']));
            let body: Vec<String> = body.take(6).map(|line| expanded(line, &variables)).collect();
            recipe(source, at + 1, head, above, &body, out);
        }
        (above, private) = ("", false);
    }
}

fn expanded(line: &str, variables: &[(&str, &str)]) -> String {
    let mut line = line.trim().trim_start_matches(['@', '-']).to_owned();
    for (name, value) in variables {
        line = line.replace(&format!("{{{{{name}}}}}"), value).replace(&format!("{{{{ {name} }}}}"), value);
    }
    line
}

fn recipe(source: &Source<'_>, line: usize, head: &str, about: &str, body: &[String], out: &mut Facts) {
    let mut words = head.trim_start_matches('@').split_whitespace();
    let name = words.next().unwrap_or_default();
    if !plain(name) || name.starts_with('_') || matches!(name, "set" | "alias" | "mod" | "import" | "export") {
        return;
    }
    let needed: Vec<String> =
        words.filter(|word| !word.contains('=') && !word.starts_with('*')).map(str::to_uppercase).collect();
    let command = [vec![format!("just {name}")], needed].concat().join(" ");
    let runs = body.join("; ");
    let what = if about.is_empty() { String::new() } else { format!(" {}", about.trim_end_matches('.')) };
    let shown = if runs.is_empty() || body.first().is_some_and(|line| line.starts_with("#!")) {
        String::new()
    } else {
        format!(": {}", code(&runs))
    };
    let risk = Risk::of_name(name).max(Risk::of_command(&body.join("\n")));
    let fact =
        Fact::new(purpose::of(name, &runs), format!("`{command}`{what}{shown}")).about(name).about(about).about(&runs);
    out.command(source, line, fact.risk(risk), &command);
}
