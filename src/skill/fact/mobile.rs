//! Mobile apps: Android in Gradle files, fastlane, Flutter, Swift and Xcode.

use super::effect::{Risk, purpose};
use super::formats::{at_root, behind, code, codes, directory, map, parsed, plain, scalar};
use super::{Fact, Kind, Reading};

/// The letters, digits and underscores that a text begins with.
fn symbols(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    text.get(..end).filter(|name| !name.is_empty())
}

const SIGNS: &str = "the key that signs the app is read from {}";

/// What a line is about that reads a credential from a variable: the Play Store, or the key that signs the app.
const CREDENTIALS: &[(&str, &str)] = &[
    ("serviceAccountCredentials", "the credentials of the Play Store are read from {}"),
    ("storeFile", SIGNS),
    ("storePassword", SIGNS),
    ("keyAlias", SIGNS),
    ("keyPassword", SIGNS),
];

/// How a variable of the environment is read.
const READS: &[&str] = &["System.getenv(", "environmentVariable(", "System.env."];
const VERSIONS: [&str; 2] = ["versionCode", "versionName"];

/// What a build file says of an Android app: its version, how it is uploaded, and which variables hold its credentials.
pub(super) fn gradle(file: &mut Reading<'_>) {
    if !file.text.contains("com.android.application") {
        return;
    }
    let mut holders: Vec<(usize, &str, Vec<&str>)> = Vec::new();
    for (number, line) in file.lines() {
        let line = line.trim();
        let key = line.split([' ', '=']).next().unwrap_or_default();
        if VERSIONS.contains(&key) && line.chars().count() < 80 {
            app_version(file, number, line, key, key);
        }
        // A plugin that is only declared for the modules uploads nothing.
        if line.contains("com.github.triplet.play") && !line.contains("apply false") {
            let text = "`./gradlew publishReleaseBundle` uploads the app to the Play Store";
            let fact = Fact::new(Kind::ReleaseCommand, text).id("gradle-play-publisher");
            file.put(number, fact.about("android play store release upload").risk(Some(Risk::Publishes)));
        }
        if let Some(track) = line.split_once("track.set(").and_then(|(_, rest)| rest.split('"').nth(1)) {
            let fact = Fact::new(Kind::Variable, format!("Play Store track {}", code(track))).id("play-track");
            file.put(number, fact.about("android play store track"));
        }
        let about = CREDENTIALS.iter().find(|(key, _)| line.contains(key));
        let (Some((_, text)), Some(name)) = (about, variable(line)) else { continue };
        match holders.iter_mut().find(|(_, known, _)| known == text) {
            Some((_, _, names)) if !names.contains(&name) => names.push(name),
            Some(_) => {}
            None => holders.push((number, text, vec![name])),
        }
    }
    for (line, text, names) in holders {
        let fact = Fact::new(Kind::Variable, text.replace("{}", &codes(&names)));
        file.put(line, fact.about("android play store release credentials key").about(&names.join(" ")));
    }
}

fn app_version(file: &mut Reading<'_>, line: usize, said: &str, name: &str, key: &str) {
    let fact = Fact::new(Kind::Variable, format!("Android {}", code(said))).id(format!("android-{key}"));
    file.put(line, fact.about("android release app version").about(name));
}

/// The variable of the environment that a line reads.
fn variable(line: &str) -> Option<&str> {
    let rest = READS.iter().find_map(|reads| line.split_once(reads))?.1;
    symbols(rest.trim_start_matches(['"', '\'']))
}

/// gradle.properties: the version of the app.
pub(super) fn gradle_properties(file: &mut Reading<'_>) {
    for (number, line) in file.lines() {
        let Some((name, value)) = line.split_once('=').map(|(name, value)| (name.trim(), value.trim())) else {
            continue;
        };
        let lower = name.to_lowercase().replace(['_', '.'], "");
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
        let key = VERSIONS.into_iter().find(|key| lower.ends_with(&key.to_lowercase()));
        if let Some(key) = key.filter(|_| !value.is_empty() && value.chars().all(plain)) {
            app_version(file, number, &format!("{name}={value}"), name, key);
        }
    }
}

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

/// fastlane/Fastfile: its lanes as commands, and the variables that it reads.
pub(super) fn fastlane(file: &mut Reading<'_>) {
    let default = file.text.lines().find_map(|line| line.trim().strip_prefix("default_platform")).and_then(symbol);
    for lane in lanes(file.text) {
        let platform = lane.platform.filter(|platform| Some(*platform) != default);
        let platform = platform.map_or(String::new(), |platform| format!("{platform} "));
        let command = format!("bundle exec fastlane {platform}{}", lane.name);
        let does = |all: &[&str]| lane.actions.iter().any(|action| all.contains(action));
        let risk = lane.risk.max(does(UPLOADS).then_some(Risk::Publishes)).max(Risk::of_name(lane.name));
        let kind = match purpose(lane.name, "") {
            Kind::Command if risk == Some(Risk::Deploys) => Kind::DeployCommand,
            Kind::Command if risk == Some(Risk::Publishes) => Kind::ReleaseCommand,
            Kind::Command => ACTIONS.iter().find(|(_, all)| does(all)).map_or(Kind::Command, |(kind, _)| *kind),
            kind => kind,
        };
        let fact = Fact::new(kind, format!("{}{}", code(&command), behind(" ", &lane.about)));
        let fact = fact.about(lane.name).about(&lane.about).about(lane.platform.unwrap_or_default());
        let fact = fact.about("fastlane lane").risk(risk);
        // fastlane is called beside its directory.
        let typed = at_root(&format!("{}/x", directory(directory(file.path))), &command);
        file.put(lane.line, typed.map_or(fact.clone(), |typed| fact.command(typed)));
    }
    let (mut names, mut first) = (Vec::<String>::new(), 0);
    for (number, line) in file.lines() {
        for rest in line.split("ENV").skip(1) {
            let quoted = rest.strip_prefix('[').or_else(|| rest.strip_prefix(".fetch("));
            let name = quoted.and_then(|rest| rest.split(['"', '\'']).nth(1)).map(code);
            if let Some(name) = name.filter(|name| !names.contains(name) && names.len() < MOST) {
                first = if names.is_empty() { number } else { first };
                names.push(name);
            }
        }
    }
    if !names.is_empty() {
        let fact = Fact::new(Kind::Variable, format!("fastlane reads {}", names.join(", ")));
        file.put(first, fact.about("fastlane variable credentials release").about(&names.join(" ")));
    }
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
    symbols(text.split_once(':')?.1)
}

/// Packages of Flutter that are named.
const PUB: &[(Kind, &[&str])] = &[
    (
        Kind::TestPlugin,
        &["golden_toolkit", "alchemist", "mocktail", "mockito", "bloc_test", "integration_test", "patrol"],
    ),
    (Kind::LintConfig, &["flutter_lints", "very_good_analysis", "lints"]),
    (Kind::Framework, &["flutter_bloc", "flutter_riverpod", "provider", "go_router", "dio", "drift"]),
];

pub(super) fn pubspec(file: &mut Reading<'_>) {
    let Some(root) = parsed(file.text) else { return };
    let all = || map(&root, "dependencies").chain(map(&root, "dev_dependencies"));
    let flutter = all().any(|(name, _)| name == "flutter");
    let sdk = root.get("environment").and_then(|all| scalar(all.get("sdk")?));
    let sdk = sdk.map_or(String::new(), |sdk| format!(" {}", code(&sdk)));
    let fact = Fact::new(Kind::Language, format!("Dart{sdk}")).id("lang-dart").about("dart flutter");
    file.put(file.line_of(&["sdk:"]), fact);
    if let Some(version) = root.get("version").and_then(scalar) {
        let fact = Fact::new(Kind::Variable, format!("version {}", code(&version))).id("pubspec-version");
        file.put(file.line_of(&["version:"]), fact.about("app version release build store"));
    }
    let tool = if flutter { "flutter" } else { "dart" };
    for (kind, command) in [(Kind::TestCommand, "test"), (Kind::LintCommand, "analyze")] {
        let command = format!("{tool} {command}");
        file.command(0, Fact::new(kind, code(&command)).about(&command).about("flutter dart"), &command);
    }
    if flutter {
        let fact = Fact::new(Kind::Framework, "Flutter").id("flutter").about("flutter dart");
        file.put(file.line_of(&["flutter:"]), fact);
    }
    for (name, version) in all() {
        let Some((kind, _)) = PUB.iter().find(|(_, names)| names.contains(&name.as_str())) else { continue };
        let text = format!("{} {}", code(name), scalar(version).unwrap_or_default());
        let fact = Fact::new(*kind, text.trim()).id(name).about(&name.replace('_', " ")).about("flutter");
        file.put(file.line_of(&[&format!("{name}:")]), fact);
    }
}

fn swift(file: &mut Reading<'_>, version: &str) {
    file.put(1, Fact::new(Kind::Language, format!("Swift{version}")).id("lang-swift").about("swift"));
}

pub(super) fn swift_package(file: &mut Reading<'_>) {
    let version = file.text.lines().next().and_then(|first| first.split_once("swift-tools-version:"));
    swift(file, &version.map_or(String::new(), |(_, version)| format!(" {}", code(version))));
    for (kind, command) in [(Kind::BuildCommand, "swift build"), (Kind::TestCommand, "swift test")] {
        file.command(0, Fact::new(kind, code(command)).about(command), command);
    }
}

pub(super) fn xcode(file: &mut Reading<'_>) {
    if file.text.contains(".swift ") {
        swift(file, "");
    }
}

/// The version and the build of an app for Apple's devices, where they are no variables.
pub(super) fn bundle(file: &mut Reading<'_>) {
    let mut key = "";
    for (number, line) in file.lines() {
        let between = |tag: &str| line.split_once(&format!("<{tag}>"))?.1.split_once("</").map(|(inner, _)| inner);
        key = between("key").unwrap_or(key);
        let known = matches!(key, "CFBundleVersion" | "CFBundleShortVersionString");
        if let Some(value) = between("string").filter(|value| known && !value.contains('$')) {
            let fact = Fact::new(Kind::Variable, code(&format!("{key} = {value}"))).id(key);
            file.put(number, fact.about("ios app version build release crash"));
        }
    }
}
