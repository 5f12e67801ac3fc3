//! fastlane/Fastfile: its lanes as commands, and the variables that it reads.

use super::lines::{at_root, code, directory, plain};
use super::{Fact, Facts, Kind, Risk, Source, purpose};

/// Actions that upload what a lane has built.
const UPLOADS: &[&str] = &[
    "upload_to_testflight", "upload_to_app_store", "upload_to_play_store", "pilot", "testflight", "deliver",
    "appstore", "supply", "firebase_app_distribution", "appcenter_upload", "push_to_git_remote", "set_github_release",
];

/// Actions and what they are for.
const ACTIONS: &[(Kind, &[&str])] = &[
    (Kind::TestCommand, &["run_tests", "scan"]),
    (Kind::LintCommand, &["swiftlint"]),
    (Kind::BuildCommand, &["build_app", "gym", "build_ios_app", "build_android_app"]),
];

/// The most variables that are named.
const MOST: usize = 8;

/// A lane as far as it is read.
struct Lane<'t> {
    name: &'t str,
    platform: Option<&'t str>,
    about: String,
    line: usize,
    actions: Vec<&'t str>,
    risk: Option<Risk>,
}

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let default = source.text.lines().find_map(|line| line.trim().strip_prefix("default_platform")).and_then(symbol);
    for lane in lanes(source.text) {
        let platform = lane.platform.filter(|platform| Some(*platform) != default);
        let platform = platform.map_or(String::new(), |platform| format!("{platform} "));
        let command = format!("bundle exec fastlane {platform}{}", lane.name);
        let about = if lane.about.is_empty() { String::new() } else { format!(" {}", lane.about) };
        let does = |all: &[&str]| lane.actions.iter().any(|action| all.contains(action));
        let risk = lane.risk.max(does(UPLOADS).then_some(Risk::Publishes)).max(Risk::of_name(lane.name));
        let kind = match purpose::of(lane.name, "") {
            Kind::Command if risk == Some(Risk::Deploys) => Kind::DeployCommand,
            Kind::Command if risk == Some(Risk::Publishes) => Kind::ReleaseCommand,
            Kind::Command => ACTIONS.iter().find(|(_, all)| does(all)).map_or(Kind::Command, |(kind, _)| *kind),
            kind => kind,
        };
        let fact = Fact::new(kind, format!("{}{about}", code(&command))).about(lane.name).about(&lane.about);
        let fact = fact.about(lane.platform.unwrap_or_default()).about("fastlane lane").risk(risk);
        // fastlane is called beside its directory.
        let typed = at_root(&format!("{}/x", directory(directory(source.path))), &command);
        out.put(source, lane.line, typed.map_or(fact.clone(), |typed| fact.command(typed)));
    }
    variables(source, out);
}

fn lanes(text: &str) -> Vec<Lane<'_>> {
    let (mut all, mut platform, mut about, mut open) = (Vec::<Lane<'_>>::new(), None, String::new(), false);
    for (number, line) in text.lines().enumerate() {
        let (indent, line) = (line.starts_with([' ', '\t']), line.trim());
        if let Some(name) = line.strip_prefix("platform ").and_then(symbol) {
            platform = Some(name);
        } else if line == "end" && !indent {
            (platform, open) = (None, false);
        } else if let Some(said) = line.strip_prefix("desc ") {
            about = said.trim_matches(['"', '\'', '(', ')', ' ', '.']).to_owned();
        } else if let Some(name) = line.strip_prefix("lane ").and_then(symbol).filter(|name| plain(name)) {
            let about = std::mem::take(&mut about);
            all.push(Lane { name, platform, about, line: number + 1, actions: Vec::new(), risk: None });
            open = true;
        } else if line.starts_with("private_lane ") {
            (open, about) = (false, String::new());
        } else if let Some(lane) = all.last_mut().filter(|_| open) {
            let action = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
            lane.actions.push(action);
            let shell = line.strip_prefix("sh").filter(|rest| rest.starts_with(['(', ' ']));
            let command = shell.map(|rest| rest.trim_matches(['(', ')', ' ', '"', '\'']));
            lane.risk = lane.risk.max(command.and_then(Risk::of_command));
        }
    }
    all
}

/// The name in `:beta do`, `(:ios)`.
fn symbol(text: &str) -> Option<&str> {
    let rest = text.split_once(':')?.1;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    rest.get(..end).filter(|name| !name.is_empty())
}

/// The variables of the environment, by name.
fn variables(source: &Source<'_>, out: &mut Facts) {
    let (mut names, mut first) = (Vec::<String>::new(), 0);
    for (number, line) in source.text.lines().enumerate() {
        for rest in line.split("ENV").skip(1) {
            let quoted = rest.strip_prefix('[').or_else(|| rest.strip_prefix(".fetch("));
            let name = quoted.and_then(|rest| rest.split(['"', '\'']).nth(1)).map(code);
            if let Some(name) = name.filter(|name| !names.contains(name) && names.len() < MOST) {
                first = if names.is_empty() { number + 1 } else { first };
                names.push(name);
            }
        }
    }
    if !names.is_empty() {
        let fact = Fact::new(Kind::Variable, format!("fastlane reads {}", names.join(", ")));
        out.put(source, first, fact.about("fastlane variable credentials release").about(&names.join(" ")));
    }
}
