//! Facts from names in directories: where tests are, and which tool's migrations.

use super::lines::{at_root, code, name};
use super::{Fact, Facts, Kind, Risk, named};

/// A directory by its path and the names in it.
#[derive(Debug, Clone, Copy)]
pub struct Listing<'a> {
    /// Relative to the root of the repository, with `/`.
    pub path: &'a str,
    pub names: &'a [String],
}

/// Names of test directories.
const TESTS: &[&str] = &["test", "tests", "spec", "specs", "__tests__", "e2e", "cypress", "integration-tests"];

/// Names of directories of translations.
const TRANSLATIONS: &[&str] = &["locales", "locale", "i18n", "lang", "langs", "translations", "l10n", "messages"];

/// The endings of their files.
const CATALOGUES: &[&str] = &["json", "yml", "yaml", "po", "arb", "ftl", "xlf", "properties", "php", "ts", "js"];

/// Name patterns of test files, and their tools.
const PATTERNS: &[(&str, &str)] = &[
    ("test_*.py", "pytest"),
    ("*_test.py", "pytest"),
    ("*_spec.rb", "RSpec"),
    ("*_test.rb", "Minitest"),
    ("*.test.ts", ""),
    ("*.test.tsx", ""),
    ("*.test.js", ""),
    ("*.test.jsx", ""),
    ("*.spec.ts", ""),
    ("*.spec.js", ""),
    ("*.cy.ts", "Cypress"),
    ("*.cy.js", "Cypress"),
    ("*_test.go", "go test"),
    ("*Test.java", "JUnit"),
    ("*Test.kt", "JUnit"),
    ("*.feature", "Gherkin"),
    ("*.rs", "cargo test"),
];

/// Whether this path is a test directory.
pub fn is_tests(path: &str) -> bool {
    TESTS.contains(&name(path).to_ascii_lowercase().as_str())
}

/// Whether the names in this directory are needed.
pub fn is_known(path: &str) -> bool {
    let last = name(path).to_ascii_lowercase();
    is_tests(path)
        || named::is_known(path)
        || TRANSLATIONS.contains(&last.as_str())
        || matches!(last.as_str(), "features" | "migrations" | "migrate" | "migration" | "versions" | "changelog")
}

/// The facts from the names.
pub fn read(listing: &Listing<'_>) -> Facts {
    let mut out = Facts::default();
    tests(listing, &mut out);
    translations(listing, &mut out);
    migrations(listing, &mut out);
    named::read(listing, &mut out);
    out
}

fn fits(pattern: &str, file: &str) -> bool {
    pattern.split_once('*').is_some_and(|(begin, end)| {
        file.len() > begin.len() + end.len() && file.starts_with(begin) && file.ends_with(end)
    })
}

fn tests(listing: &Listing<'_>, out: &mut Facts) {
    let count = |pattern: &str| listing.names.iter().filter(|file| fits(pattern, file)).count();
    // A directory of features may also hold product code.
    let described = name(listing.path).eq_ignore_ascii_case("features") && count("*.feature") > 0;
    if !is_tests(listing.path) && !described {
        return;
    }
    let most = PATTERNS.iter().map(|(pattern, tool)| (count(pattern), *pattern, *tool));
    let most = most.filter(|(count, ..)| *count > 0).max_by_key(|(count, ..)| *count);
    let parts = listing.names.iter().filter(|one| one.ends_with('/') && !one.starts_with(['.', '_']));
    let parts: Vec<String> = parts.take(8).map(|one| code(one)).collect();
    let mut text = format!("tests lie in {}", code(&format!("{}/", listing.path)));
    if let Some((_, pattern, tool)) = most {
        text.push_str(&format!(", files {}", code(pattern)));
        if !tool.is_empty() {
            text.push_str(&format!(" ({tool})"));
        }
    }
    if !parts.is_empty() {
        text.push_str(&format!(", with {}", parts.join(", ")));
    }
    if most.is_some() || !parts.is_empty() {
        let fact = Fact::new(Kind::TestDirectory, text).at(listing.path, 0).about("test tests");
        out.all.push(fact.about(listing.path).about(&parts.join(" ")));
    }
}

/// The catalogues of a directory of translations: two files or directories named after languages.
fn translations(listing: &Listing<'_>, out: &mut Facts) {
    if !TRANSLATIONS.contains(&name(listing.path).to_ascii_lowercase().as_str()) {
        return;
    }
    let of_language = |one: &&String| {
        let (stem, ending) = one.trim_end_matches('/').rsplit_once('.').unwrap_or((one.trim_end_matches('/'), ""));
        let code = stem.split(['-', '_']).next().unwrap_or_default();
        let known = one.ends_with('/') || CATALOGUES.contains(&ending);
        known && stem.len() <= 7 && code.len() == 2 && code.bytes().all(|b| b.is_ascii_lowercase())
    };
    let all: Vec<String> = listing.names.iter().filter(of_language).map(|one| code(one)).collect();
    if all.len() > 1 {
        let shown = all.get(..all.len().min(8)).unwrap_or_default().join(", ");
        let text = format!("translations lie in {}: {shown}", code(&format!("{}/", listing.path)));
        let fact = Fact::new(Kind::Translations, text).at(listing.path, 0);
        out.all.push(fact.about("translate translation translations locale language i18n").about(listing.path));
    }
}

/// A tool's migrations: how they are recognised, the fact's id, the tool's name, the command that applies them.
fn tool(listing: &Listing<'_>) -> Option<(&'static str, &'static str, &'static str)> {
    let ends = |end: &str| named::ends(listing.path, end);
    let any = |test: fn(&str) -> bool| listing.names.iter().any(|name| test(name));
    let stamped = |least: usize, ending: &str| {
        let digits = |name: &String| name.bytes().take_while(u8::is_ascii_digit).count();
        listing.names.iter().any(|name| digits(name) >= least && name.ends_with(ending))
    };
    Some(match () {
        () if ends("db/migrate") && any(|name| name.ends_with(".rb")) => {
            ("migrations-rails", "Rails", "bin/rails db:migrate")
        }
        () if ends("prisma/migrations") => ("migrations-prisma", "Prisma", "npx prisma migrate deploy"),
        () if (ends("alembic/versions") || ends("migrations/versions")) && any(|name| name.ends_with(".py")) => {
            ("migrations-alembic", "Alembic", "alembic upgrade head")
        }
        () if ends("migrations") && stamped(4, ".py") => ("migrations-django", "Django", "python manage.py migrate"),
        () if any(|name| name.starts_with('V') && name.contains("__") && name.ends_with(".sql")) => {
            // An application that has them among its resources applies them when it starts.
            let applied = listing.path.contains("src/main/resources");
            ("migrations-flyway", "Flyway", if applied { "" } else { "flyway migrate" })
        }
        () if any(|name| name.ends_with(".up.sql")) => ("migrations-sql", "pairs of `.up.sql` and `.down.sql`", ""),
        () if (ends("migrations") || ends("migrate")) && stamped(3, ".sql") => ("migrations-sql", "plain SQL", ""),
        () if ends("migrations") && any(|name| name.ends_with(".ts") || name.ends_with(".js")) => {
            ("migrations-js", "JavaScript", "")
        }
        () => return None,
    })
}

fn migrations(listing: &Listing<'_>, out: &mut Facts) {
    let Some((id, tool, command)) = tool(listing) else { return };
    let files = listing.names.iter().filter(|name| {
        name.starts_with(|c: char| c.is_ascii_digit() || c == 'V')
            || id == "migrations-alembic" && name.ends_with(".py")
    });
    let newest = files.filter(|name| !name.starts_with("__")).max().map(|name| name.trim_end_matches('/'));
    let mut text = format!("migrations lie in {} ({tool})", code(&format!("{}/", listing.path)));
    // The names of Alembic's files are digests and have no order.
    if let Some(newest) = newest.filter(|_| id != "migrations-alembic") {
        text.push_str(&format!(", the newest is {}", code(newest)));
    }
    let fact = Fact::new(Kind::Migrations, text).id(id).at(listing.path, 0);
    out.all.push(fact.about("migration migrations migrate database schema").about(tool));
    // `db/migrate`, `shop/migrations` and their like are two steps below where the tool is called; Flyway has a configured place.
    let package = listing.path.rsplitn(3, '/').nth(2).filter(|_| id != "migrations-flyway").unwrap_or_default();
    let command = if command.is_empty() { None } else { at_root(&format!("{package}/x"), command) };
    if let Some(command) = command {
        let fact = Fact::new(Kind::DbCommand, format!("`{command}` applies the migrations")).id("migrate");
        let fact = fact.at(listing.path, 0).command(command).risk(Some(Risk::Writes));
        out.all.push(fact.about("migration migrations migrate apply database schema"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(path: &str, names: &[&str]) -> Vec<String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        read(&Listing { path, names: &names }).all.into_iter().map(|fact| fact.text).collect()
    }

    #[test]
    fn the_names_of_migrations_tell_their_tool() {
        for (path, names, tool) in [
            (
                "db/migrate",
                &["20240611120000_add_state.rb"][..],
                "(Rails), the newest is `20240611120000_add_state.rb`",
            ),
            (
                "shop/migrations",
                &["__init__.py", "0001_initial.py", "0002_state.py"],
                "(Django), the newest is `0002_state.py`",
            ),
            ("prisma/migrations", &["20240101_init/"], "(Prisma), the newest is `20240101_init`"),
            ("alembic/versions", &["3f2a_x.py"], "(Alembic)"),
            ("src/main/resources/db/migration", &["V1__init.sql", "V2__x.sql"], "(Flyway), the newest is `V2__x.sql`"),
            ("migrations", &["001_a.sql"], "(plain SQL), the newest is `001_a.sql`"),
        ] {
            assert_eq!(texts(path, names)[0], format!("migrations lie in `{path}/` {tool}"));
        }
        assert!(texts("migrations", &["README.md"]).is_empty());
        let flyway = |path| texts(path, &["V1__init.sql"]).len();
        assert_eq!((flyway("src/main/resources/db/migration"), flyway("sql")), (1, 2));
    }

    #[test]
    fn translations_are_told_by_the_names_of_languages() {
        let told = texts("web/locales", &["de.json", "en.json", "pt-BR.json", "index.ts"]);
        assert_eq!(told, ["translations lie in `web/locales/`: `de.json`, `en.json`, `pt-BR.json`"]);
        assert_eq!(texts("locale", &["de/", "fr/"]), ["translations lie in `locale/`: `de/`, `fr/`"]);
        assert!(texts("lang", &["parser.ts", "en.json"]).is_empty());
    }

    #[test]
    fn a_directory_of_tests_is_told_by_its_files_and_parts() {
        assert!(texts("src/Api/Features", &["Orders/"]).is_empty(), "product code");
        assert_eq!(texts("features", &["pay.feature"]), ["tests lie in `features/`, files `*.feature` (Gherkin)"]);
        assert_eq!(
            texts("tests", &["unit/", "conftest.py", "test_a.py"]),
            ["tests lie in `tests/`, files `test_*.py` (pytest), with `unit/`"]
        );
        assert!(texts("tests", &["README.md"]).is_empty());
    }
}
