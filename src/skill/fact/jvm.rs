//! build.gradle and pom.xml: the language and its version, important libraries, how tests are run.

use super::lines::{code, directory, plain};
use super::packages::{Packages, known, other};
use super::{Fact, Facts, Kind, Risk, Source, android, purpose};

/// Parts of coordinates; the first match counts.
const ARTIFACTS: &Packages = &[
    (
        Kind::Framework,
        "data-jpa=jpa hibernate-core=jpa springframework.boot=spring-boot spring-boot quarkus micronaut \
         ktor-server=ktor postgresql=postgres mysql-connector=mysql flyway liquibase profileinstaller kafka \
         lombok resilience4j springdoc mapstruct mongodb lettuce=redis data-redis=redis compose.ui=compose \
         hilt-android=hilt",
    ),
    (
        Kind::TestPlugin,
        "benchmark-macro=macrobenchmark jqwik archunit wiremock rest-assured junit mockito assertj testcontainers \
         kotest mockk",
    ),
    (Kind::LintConfig, "spotless checkstyle detekt ktlint"),
];

pub(super) fn gradle(source: &Source<'_>, out: &mut Facts) {
    let mut version = (0, String::new());
    for (number, line) in source.text.lines().enumerate() {
        let line = line.trim();
        if ["JavaLanguageVersion.of(", "jvmToolchain(", "sourceCompatibility"].iter().any(|key| line.contains(key)) {
            version = (number + 1, digits(line));
        }
        let mut quoted = line.split(['"', '\'']).skip(1).step_by(2);
        if let (Some(name), false) = (quoted.next(), line.starts_with("//")) {
            // `id("org.springframework.boot") version "3.3.4"`
            let version = quoted.next().filter(|_| line.contains("version")).unwrap_or_default();
            put(source, number + 1, name, version, out);
        }
    }
    android::read(source, out);
    let holds = |signs: &[&str]| signs.iter().any(|one| source.text.contains(one));
    let language = if holds(&["kotlin(\"jvm\")", "kotlin(\"android\")", "org.jetbrains.kotlin", "libs.plugins.kotlin"])
    {
        "Kotlin"
    } else if holds(&["com.android.application", "com.android.library", "libs.plugins.android"]) {
        // Android's own plugin compiles both.
        "Kotlin/Java"
    } else {
        "Java"
    };
    let tool = if source.has("gradlew") { "./gradlew" } else { "gradle" };
    runs(source, language, &version, tool, out);
    tasks(source, tool, out);
}

/// How a build file registers a task; its name follows.
const REGISTERS: &[&str] = &["tasks.register", "tasks.create", "task "];

/// How many lines below its name a task's description is searched.
const NEAR: usize = 6;

/// The tasks that the build file itself registers.
fn tasks(source: &Source<'_>, tool: &str, out: &mut Facts) {
    let lines: Vec<&str> = source.text.lines().map(str::trim).collect();
    let registers = |line: &str| REGISTERS.iter().find_map(|begin| line.strip_prefix(begin)).map(str::to_owned);
    for (number, line) in lines.iter().enumerate() {
        let Some(rest) = registers(line) else { continue };
        let rest = if rest.starts_with('<') { rest.split_once('>').map_or("", |(_, rest)| rest) } else { &rest };
        let rest = rest.trim_start_matches(['(', ' ', '"', '\'']);
        let name = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().unwrap_or_default();
        if !plain(name) || name == "wrapper" {
            continue;
        }
        let below = lines.iter().skip(number + 1).take(NEAR).take_while(|line| registers(line).is_none());
        let about =
            below.filter_map(|line| line.strip_prefix("description")).find_map(|line| line.split(['"', '\'']).nth(1));
        // A task of a module is called at the root by its path; the wrapper is there.
        let module = directory(source.path).replace('/', ":");
        let command = if module.is_empty() { format!("{tool} {name}") } else { format!("./gradlew :{module}:{name}") };
        let text = about.map_or(code(&command), |about| format!("{} {}", code(&command), about.trim_end_matches('.')));
        let fact =
            Fact::new(purpose::of(&spaced(name), ""), text).about(&spaced(name)).about(about.unwrap_or_default());
        out.put(source, number + 1, fact.about("gradle").command(command).risk(Risk::of_name(&spaced(name))));
    }
}

/// The words of a task's name: `replayDeadLetters` is `replay Dead Letters`.
fn spaced(name: &str) -> String {
    let begins = |c: char| if c.is_ascii_uppercase() { format!(" {c}") } else { c.to_string() };
    name.chars().map(begins).collect()
}

pub(super) fn maven(source: &Source<'_>, out: &mut Facts) {
    let mut version = (0, String::new());
    let element = |line: &str, name: &str| {
        let inner = line.strip_prefix(&format!("<{name}>"))?.strip_suffix(&format!("</{name}>"))?;
        Some(inner.to_owned())
    };
    let lines: Vec<&str> = source.text.lines().map(str::trim).collect();
    for (number, line) in lines.iter().enumerate() {
        let java = ["java.version", "maven.compiler.release", "maven.compiler.source"];
        if let Some(said) = java.iter().find_map(|name| element(line, name)).filter(|said| !said.starts_with('$')) {
            version = (number + 1, said);
        }
        if let Some(name) = element(line, "artifactId") {
            let said = lines.get(number + 1).and_then(|next| element(next, "version"));
            put(source, number + 1, &name, &said.filter(|said| !said.starts_with('$')).unwrap_or_default(), out);
        }
    }
    let language = if source.text.contains("kotlin-maven-plugin") { "Kotlin" } else { "Java" };
    runs(source, language, &version, if source.has("mvnw") { "./mvnw" } else { "mvn" }, out);
}

fn put(source: &Source<'_>, line: usize, name: &str, version: &str, out: &mut Facts) {
    let text = format!("{} {version}", code(name));
    let fact = match known(ARTIFACTS, |part| name.contains(part)) {
        Some((id, _)) if out.has(id) => return,
        Some((id, kind)) => {
            let fact = Fact::new(kind, text.trim()).id(id);
            Some(fact.about(&name.replace([':', '.', '-'], " ")).about(id))
        }
        None => name.rsplit_once(':').and_then(|(_, artifact)| other(artifact, &text)),
    };
    if let Some(fact) = fact {
        out.put(source, line, fact);
    }
}

/// The language, and how its tests are run from the root.
fn runs(source: &Source<'_>, name: &str, version: &(usize, String), tool: &str, out: &mut Facts) {
    let id = if name == "Java" { "lang-java" } else { "lang-kotlin" };
    let text = match (version.1.as_str(), name) {
        ("", _) => name.to_owned(),
        (version, "Kotlin") => format!("{name}, Java {}", code(version)),
        (version, _) => format!("{name} {}", code(version)),
    };
    out.put(source, version.0, Fact::new(Kind::Language, text).id(id).about("java kotlin jvm"));
    if !source.path.contains('/') {
        out.run(tool.trim_start_matches("./").trim_end_matches('w'), tool.to_owned());
        // Maven runs integration tests in a later phase.
        let integrated = tool.ends_with("mvn") || tool.ends_with("mvnw");
        let integrated = integrated && ["failsafe", "testcontainers"].iter().any(|one| source.text.contains(one));
        let command = format!("{tool} {}", if integrated { "verify" } else { "test" });
        let fact = Fact::new(Kind::TestCommand, format!("`{command}` runs the tests")).about("test tests junit");
        out.command(source, 0, fact, &command);
    }
}

/// The first number of a line: `JavaLanguageVersion.of(21)`.
fn digits(line: &str) -> String {
    line.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect()
}
