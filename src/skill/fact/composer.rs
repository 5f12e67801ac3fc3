//! composer.json: the version of PHP, the framework, scripts and test tools.

use serde_json::Value;

use super::lines::{code, line_of};
use super::{Fact, Facts, Kind, Source, purpose};

const PACKAGES: &[(&str, &str, Kind)] = &[
    ("laravel/framework", "laravel", Kind::Framework),
    ("symfony/framework-bundle", "symfony", Kind::Framework),
    ("doctrine/orm", "doctrine", Kind::Framework),
    ("livewire/livewire", "livewire", Kind::Framework),
    ("laravel/horizon", "horizon", Kind::Framework),
    ("laravel/sanctum", "sanctum", Kind::Framework),
    ("filament/filament", "filament", Kind::Framework),
    ("twig/twig", "twig", Kind::Framework),
    ("symfony/messenger", "messenger", Kind::Framework),
    ("doctrine/migrations", "doctrine-migrations", Kind::Framework),
    ("phpunit/phpunit", "phpunit", Kind::TestPlugin),
    ("pestphp/pest", "pest", Kind::TestPlugin),
    ("vimeo/psalm", "psalm", Kind::LintConfig),
    ("friendsofphp/php-cs-fixer", "php-cs-fixer", Kind::LintConfig),
    ("rector/rector", "rector", Kind::LintConfig),
    ("laravel/pint", "pint", Kind::LintConfig),
    ("phpstan/phpstan", "phpstan", Kind::LintConfig),
    ("larastan/larastan", "phpstan", Kind::LintConfig),
    ("squizlabs/php_codesniffer", "phpcs", Kind::LintConfig),
];

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let Ok(Value::Object(file)) = serde_json::from_str(source.text) else { return };
    let all = || ["require", "require-dev"].into_iter().filter_map(|key| file.get(key)?.as_object()).flatten();
    let php = all().find(|(name, _)| *name == "php").and_then(|(_, version)| version.as_str());
    let text = php.map_or_else(|| "PHP".to_owned(), |version| format!("PHP {}", code(version)));
    let line = php.map_or(0, |_| line_of(source.text, &["\"php\""]));
    out.put(source, line, Fact::new(Kind::Language, text).id("lang-php").about("php"));
    for (name, version) in all() {
        let Some((_, id, kind)) = PACKAGES.iter().find(|(known, ..)| known == name) else { continue };
        let text = format!("`{name}` {}", version.as_str().unwrap_or_default());
        let line = line_of(source.text, &[&format!("\"{name}\"")]);
        out.put(source, line, Fact::new(*kind, text.trim()).id(*id).about(&name.replace('/', " ")));
    }
    for program in ["phpunit", "pest", "pint", "phpstan", "phpcs"] {
        out.run(program, format!("vendor/bin/{program}"));
    }
    for (name, runs) in file.get("scripts").and_then(Value::as_object).into_iter().flatten() {
        let Some(runs) = runs.as_str().filter(|_| !name.starts_with("post-") && !name.starts_with("pre-")) else {
            continue;
        };
        let fact = Fact::new(purpose::of(name, runs), format!("`composer {name}`: {}", code(runs)));
        let line = line_of(source.text, &["\"scripts\"", &format!("\"{name}\"")]);
        out.command(source, line, fact.about(name).about(runs), &format!("composer {name}"));
    }
    let tests = [("laravel", "php artisan test"), ("pest", "vendor/bin/pest"), ("phpunit", "vendor/bin/phpunit")];
    if let Some((_, command)) = tests.iter().find(|(id, _)| out.has(id)) {
        let fact = Fact::new(Kind::TestCommand, format!("`{command}` runs the tests")).about("test tests phpunit");
        out.command(source, 0, fact, command);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{Source, read};

    #[test]
    fn composer_says_the_framework_and_how_tests_are_run() {
        let text = r#"{"require": {"php": "^8.3", "laravel/framework": "^11.0"}, "require-dev": {"laravel/pint": "^1.0"},
            "scripts": {"lint": "pint --test", "post-install-cmd": "x"}}"#;
        let facts = read(&Source { path: "composer.json", text, beside: &BTreeSet::new() });
        let texts: Vec<&str> = facts.all.iter().map(|fact| fact.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "PHP `^8.3`",
                "`laravel/framework` ^11.0",
                "`laravel/pint` ^1.0",
                "`composer lint`: `pint --test`",
                "`php artisan test` runs the tests",
            ]
        );
        assert_eq!(facts.runner("pint"), "vendor/bin/pint");
    }
}
