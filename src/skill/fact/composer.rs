//! composer.json: the version of PHP, the framework, scripts and test tools.

use serde_json::Value;

use super::lines::{code, line_of};
use super::packages::{Packages, known, other};
use super::{Fact, Facts, Kind, Source, purpose};

const PACKAGES: &Packages = &[
    (
        Kind::Framework,
        "laravel/framework=laravel symfony/framework-bundle=symfony doctrine/orm=doctrine \
         livewire/livewire=livewire laravel/horizon=horizon laravel/sanctum=sanctum filament/filament=filament \
         twig/twig=twig symfony/messenger=messenger doctrine/migrations=doctrine-migrations",
    ),
    (Kind::TestPlugin, "phpunit/phpunit=phpunit pestphp/pest=pest"),
    (
        Kind::LintConfig,
        "vimeo/psalm=psalm friendsofphp/php-cs-fixer=php-cs-fixer rector/rector=rector laravel/pint=pint \
         phpstan/phpstan=phpstan larastan/larastan=phpstan squizlabs/php_codesniffer=phpcs",
    ),
];

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let Ok(Value::Object(file)) = serde_json::from_str(source.text) else { return };
    let all = || ["require", "require-dev"].into_iter().filter_map(|key| file.get(key)?.as_object()).flatten();
    let php = all().find(|(name, _)| *name == "php").and_then(|(_, version)| version.as_str());
    let text = php.map_or_else(|| "PHP".to_owned(), |version| format!("PHP {}", code(version)));
    let line = php.map_or(0, |_| line_of(source.text, &["\"php\""]));
    out.put(source, line, Fact::new(Kind::Language, text).id("lang-php").about("php"));
    for (name, version) in all() {
        let text = format!("`{name}` {}", version.as_str().unwrap_or_default());
        let fact = known(PACKAGES, |package| package == name)
            .map(|(id, kind)| Fact::new(kind, text.trim()).id(id).about(&name.replace('/', " ")));
        if let Some(fact) = fact.or_else(|| other(name.split_once('/')?.1, &text)) {
            out.put(source, line_of(source.text, &[&format!("\"{name}\"")]), fact);
        }
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
