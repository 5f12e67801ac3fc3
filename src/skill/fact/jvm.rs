//! build.gradle and pom.xml: the language and its version, important libraries, how tests are run.

use super::effect::{Risk, purpose};
use super::formats::{behind, code, directory, plain};
use super::packages::{self, Packages};
use super::{Fact, Kind, Reading, mobile};

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

pub(super) fn gradle(file: &mut Reading<'_>) {
    let mut version = (0, String::new());
    for (number, line) in file.lines() {
        let line = line.trim();
        if ["JavaLanguageVersion.of(", "jvmToolchain(", "sourceCompatibility"].iter().any(|key| line.contains(key)) {
            // `JavaLanguageVersion.of(21)`
            let digits = line.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit);
            version = (number, digits.collect());
        }
        let mut quoted = line.split(['"', '\'']).skip(1).step_by(2);
        if let (Some(name), false) = (quoted.next(), line.starts_with("//")) {
            // `id("org.springframework.boot") version "3.3.4"`
            let version = quoted.next().filter(|_| line.contains("version")).unwrap_or_default();
            artifact(file, number, name, version);
        }
    }
    mobile::gradle(file);
    let holds = |signs: &[&str]| signs.iter().any(|one| file.text.contains(one));
    let language = if holds(&["kotlin(\"jvm\")", "kotlin(\"android\")", "org.jetbrains.kotlin", "libs.plugins.kotlin"])
    {
        "Kotlin"
    } else if holds(&["com.android.application", "com.android.library", "libs.plugins.android"]) {
        // Android's own plugin compiles both.
        "Kotlin/Java"
    } else {
        "Java"
    };
    let tool = if file.has("gradlew") { "./gradlew" } else { "gradle" };
    runs(file, language, &version, tool);
    tasks(file, tool);
}

/// How a build file registers a task; its name follows.
const REGISTERS: &[&str] = &["tasks.register", "tasks.create", "task "];
/// How many lines below its name a task's description is searched.
const NEAR: usize = 6;

/// The tasks that the build file itself registers.
fn tasks(file: &mut Reading<'_>, tool: &str) {
    let lines: Vec<&str> = file.text.lines().map(str::trim).collect();
    let registers = |line: &&str| REGISTERS.iter().find_map(|begin| line.strip_prefix(begin)).map(str::to_owned);
    for (at, line) in lines.iter().enumerate() {
        let Some(rest) = registers(line) else { continue };
        let rest = if rest.starts_with('<') { rest.split_once('>').map_or("", |(_, rest)| rest) } else { &rest };
        let rest = rest.trim_start_matches(['(', ' ', '"', '\'']);
        let name = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().unwrap_or_default();
        if !plain(name) || name == "wrapper" {
            continue;
        }
        let mut below = lines.iter().skip(at + 1).take(NEAR).take_while(|line| registers(line).is_none());
        let about = below.find_map(|line| line.strip_prefix("description")?.split(['"', '\'']).nth(1));
        let about = about.unwrap_or_default();
        // A task of a module is called at the root by its path; the wrapper is there.
        let module = directory(file.path).replace('/', ":");
        let command = if module.is_empty() { format!("{tool} {name}") } else { format!("./gradlew :{module}:{name}") };
        let text = format!("{}{}", code(&command), behind(" ", about.trim_end_matches('.')));
        // `replayDeadLetters` is "replay Dead Letters".
        let begins = |c: char| if c.is_ascii_uppercase() { format!(" {c}") } else { c.to_string() };
        let spaced: String = name.chars().map(begins).collect();
        let fact = Fact::new(purpose(&spaced, ""), text).about(&spaced).about(about).about("gradle");
        file.put(at + 1, fact.command(command).risk(Risk::of_name(&spaced)));
    }
}

pub(super) fn maven(file: &mut Reading<'_>) {
    let mut version = (0, String::new());
    let element = |line: &str, name: &str| {
        let inner = line.strip_prefix(&format!("<{name}>"))?.strip_suffix(&format!("</{name}>"))?;
        Some(inner.to_owned())
    };
    let literal = |said: &String| !said.starts_with('$');
    let mut lines = file.lines().map(|(number, line)| (number, line.trim())).peekable();
    while let Some((number, line)) = lines.next() {
        let java = ["java.version", "maven.compiler.release", "maven.compiler.source"];
        if let Some(said) = java.iter().find_map(|name| element(line, name)).filter(literal) {
            version = (number, said);
        }
        if let Some(name) = element(line, "artifactId") {
            let said = lines.peek().and_then(|(_, next)| element(next, "version")).filter(literal);
            artifact(file, number, &name, &said.unwrap_or_default());
        }
    }
    let language = if file.text.contains("kotlin-maven-plugin") { "Kotlin" } else { "Java" };
    runs(file, language, &version, if file.has("mvnw") { "./mvnw" } else { "mvn" });
}

fn artifact(file: &mut Reading<'_>, line: usize, name: &str, version: &str) {
    let text = format!("{} {version}", code(name));
    let short = name.rsplit_once(':').map(|(_, short)| short);
    let fact = packages::fact(ARTIFACTS, &|part| name.contains(part), &text, &format!("{name} {{}}"), short);
    if let Some(fact) = fact.filter(|fact| packages::is_new(fact, &file.facts)) {
        file.put(line, fact);
    }
}

/// The language, and how its tests are run from the root.
fn runs(file: &mut Reading<'_>, name: &str, version: &(usize, String), tool: &str) {
    let id = if name == "Java" { "lang-java" } else { "lang-kotlin" };
    let text = match (version.1.as_str(), name) {
        ("", _) => name.to_owned(),
        (version, "Kotlin") => format!("{name}, Java {}", code(version)),
        (version, _) => format!("{name} {}", code(version)),
    };
    file.put(version.0, Fact::new(Kind::Language, text).id(id).about("java kotlin jvm"));
    if !file.path.contains('/') {
        file.facts.run(tool.trim_start_matches("./").trim_end_matches('w'), tool.to_owned());
        // Maven runs integration tests in a later phase.
        let integrated = tool.ends_with("mvn") || tool.ends_with("mvnw");
        let integrated = integrated && ["failsafe", "testcontainers"].iter().any(|one| file.text.contains(one));
        let command = format!("{tool} {}", if integrated { "verify" } else { "test" });
        let fact = Fact::new(Kind::TestCommand, format!("`{command}` runs the tests")).about("test tests junit");
        file.command(0, fact, &command);
    }
}
