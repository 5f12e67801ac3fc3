//! What Gradle files say of an Android app: its version, how it is uploaded, and which variables hold its credentials.

use super::lines::code;
use super::{Fact, Facts, Kind, Risk, Source};

/// What a line is about that reads a credential from a variable: the Play Store, or the key that signs the app.
const CREDENTIALS: &[(&str, &str)] = &[
    ("serviceAccountCredentials", "the credentials of the Play Store are read from {}"),
    ("storeFile", "the key that signs the app is read from {}"),
    ("storePassword", "the key that signs the app is read from {}"),
    ("keyAlias", "the key that signs the app is read from {}"),
    ("keyPassword", "the key that signs the app is read from {}"),
];

/// How a variable of the environment is read.
const READS: &[&str] = &["System.getenv(", "environmentVariable(", "System.env."];

/// A build file.
pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    const KEYS: &[&str] = &["versionCode", "versionName"];
    if !source.text.contains("com.android.application") {
        return;
    }
    let mut holders: Vec<(usize, &str, Vec<String>)> = Vec::new();
    for (number, line) in source.text.lines().enumerate() {
        let line = line.trim();
        let key = line.split([' ', '=']).next().unwrap_or_default();
        if KEYS.contains(&key) && line.chars().count() < 80 {
            let fact = Fact::new(Kind::Variable, format!("Android {}", code(line))).id(format!("android-{key}"));
            out.put(source, number + 1, fact.about("android release app version").about(key));
        }
        // A plugin that is only declared for the modules uploads nothing.
        if line.contains("com.github.triplet.play") && !line.contains("apply false") {
            let command = "./gradlew publishReleaseBundle";
            let text = format!("{} uploads the app to the Play Store", code(command));
            let fact = Fact::new(Kind::ReleaseCommand, text).id("gradle-play-publisher");
            out.put(source, number + 1, fact.about("android play store release upload").risk(Some(Risk::Publishes)));
        }
        if let Some(track) = line.split_once("track.set(").and_then(|(_, rest)| rest.split('"').nth(1)) {
            let fact = Fact::new(Kind::Variable, format!("Play Store track {}", code(track))).id("play-track");
            out.put(source, number + 1, fact.about("android play store track"));
        }
        let (Some((_, text)), Some(name)) = (CREDENTIALS.iter().find(|(key, _)| line.contains(key)), variable(line))
        else {
            continue;
        };
        match holders.iter_mut().find(|(_, known, _)| known == text) {
            Some((_, _, names)) if !names.contains(&name) => names.push(name),
            Some(_) => {}
            None => holders.push((number + 1, text, vec![name])),
        }
    }
    for (line, text, names) in holders {
        let names: Vec<String> = names.iter().map(|name| code(name)).collect();
        let fact = Fact::new(Kind::Variable, text.replace("{}", &names.join(", ")));
        out.put(source, line, fact.about("android play store release credentials key").about(&names.join(" ")));
    }
}

/// The variable of the environment that a line reads.
fn variable(line: &str) -> Option<String> {
    let rest = READS.iter().find_map(|reads| line.split_once(reads))?.1;
    let name: String =
        rest.trim_start_matches(['"', '\'']).chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// gradle.properties: the version of the app.
pub(super) fn properties(source: &Source<'_>, out: &mut Facts) {
    for (number, line) in source.text.lines().enumerate() {
        let Some((name, value)) = line.split_once('=').map(|(name, value)| (name.trim(), value.trim())) else {
            continue;
        };
        let lower = name.to_lowercase().replace(['_', '.'], "");
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
        let key = ["versionCode", "versionName"].into_iter().find(|key| lower.ends_with(&key.to_lowercase()));
        if let Some(key) = key.filter(|_| !value.is_empty() && value.chars().all(plain)) {
            let text = format!("Android {}", code(&format!("{name}={value}")));
            let fact = Fact::new(Kind::Variable, text).id(format!("android-{key}"));
            out.put(source, number + 1, fact.about("android release app version").about(name));
        }
    }
}
