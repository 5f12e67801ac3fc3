//! The manifests of Go, Ruby, PHP and .NET: the version of the language, important packages, how tests are run.

use serde_json::Value;

use super::effect::purpose;
use super::formats::{behind, code, codes, map, word};
use super::packages::{self, Packages};
use super::{Fact, Kind, Reading};

const MODULES: &Packages = &[
    (
        Kind::Framework,
        "github.com/gin-gonic/gin=gin github.com/labstack/echo=echo github.com/go-chi/chi=chi \
         github.com/gofiber/fiber=fiber gorm.io/gorm=gorm github.com/jackc/pgx=postgres \
         github.com/lib/pq=postgres github.com/spf13/cobra=cobra github.com/go-sql-driver/mysql=mysql \
         go.mongodb.org/mongo-driver=mongodb github.com/redis/go-redis=redis github.com/segmentio/kafka-go=kafka \
         github.com/IBM/sarama=kafka github.com/golang-migrate/migrate=golang-migrate \
         github.com/pressly/goose=goose go.uber.org/zap=zap github.com/rs/zerolog=zerolog \
         github.com/prometheus/client_golang=prometheus github.com/oapi-codegen/runtime=oapi-codegen \
         github.com/hashicorp/terraform-plugin-framework=terraform-plugin google.golang.org/grpc=grpc \
         k8s.io/client-go=kubernetes",
    ),
    (
        Kind::TestPlugin,
        "github.com/stretchr/testify=testify go.uber.org/goleak=goleak pgregory.net/rapid=rapid \
         github.com/onsi/ginkgo=ginkgo go.uber.org/mock=gomock \
         github.com/testcontainers/testcontainers-go=testcontainers",
    ),
];

/// go.mod
pub(super) fn go(file: &mut Reading<'_>) {
    for (number, line) in file.lines() {
        let line = line.trim().trim_start_matches("require ").trim();
        if let Some(version) = line.strip_prefix("go ") {
            let fact = Fact::new(Kind::Language, format!("Go {}", code(version))).id("lang-go");
            file.put(number, fact.about("go golang"));
            let fact = Fact::new(Kind::TestCommand, "`go test ./...` runs the tests").id("go.test");
            file.command(0, fact.about("go test tests"), "go test ./...");
        }
        let mut words = line.split_whitespace();
        let (Some(module), Some(version)) = (words.next(), words.next()) else { continue };
        let is = |path: &str| module.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if line.ends_with("// indirect") || !version.starts_with('v') {
            continue;
        }
        let major = |part: &&str| part.strip_prefix('v').is_none_or(|rest| rest.parse::<u32>().is_err());
        let short = module.rsplit('/').find(major).filter(|_| module.contains('.'));
        if let Some(fact) = packages::fact(MODULES, &is, &format!("`{module}` {version}"), "{}", short) {
            file.put(number, fact);
        }
    }
}

const GEMS: &Packages = &[
    (
        Kind::Framework,
        "rails sinatra hanami sidekiq pg=postgres mysql2=mysql redis mongoid=mongodb good_job solid_queue \
         stimulus-rails=stimulus graphql prosopite bullet devise kamal stripe pundit strong_migrations",
    ),
    (
        Kind::TestPlugin,
        "rspec-rails=ruby.rspec rspec=ruby.rspec minitest=ruby.minitest capybara factory_bot_rails=factory-bot \
         rspec-retry simplecov",
    ),
    (Kind::LintConfig, "rubocop standard brakeman"),
];

/// Gemfile
pub(super) fn ruby(file: &mut Reading<'_>) {
    let (mut version, mut rails, mut rspec) = ((0, "Ruby".to_owned()), false, false);
    for (number, line) in file.lines() {
        let line = line.trim();
        let quoted = |text: &'_ str, nth: usize| text.split(['"', '\'']).nth(nth).map(str::to_owned);
        if let Some(ruby) = line.strip_prefix("ruby ").and_then(|rest| quoted(rest, 1)) {
            version = (number, format!("Ruby {}", code(&ruby)));
        }
        // `group(:test) { gem "rspec-rails" }`
        let line = line.split_once("{ ").map_or(line, |(_, inside)| inside);
        let Some(rest) = line.strip_prefix("gem ") else { continue };
        let Some(name) = quoted(rest, 1) else { continue };
        (rails, rspec) = (rails || name == "rails", rspec || name.starts_with("rspec"));
        let text = format!("`{name}` {}", quoted(rest, 3).unwrap_or_default());
        // It refuses what locks a table of Postgres.
        let more = if name == "strong_migrations" { "index postgres table lock" } else { "" };
        if let Some(fact) = packages::fact(GEMS, &|gem| gem == name, &text, &format!("{name} {more}"), Some(&name)) {
            file.put(number, fact);
        }
    }
    file.put(version.0, Fact::new(Kind::Language, version.1).id("lang-ruby").about("ruby"));
    for program in ["rspec", "rubocop", "rake"] {
        file.facts.run(program, format!("bundle exec {program}"));
    }
    let command = match (rspec, rails) {
        (true, _) => "bundle exec rspec",
        (false, true) => "bin/rails test",
        _ => return,
    };
    let fact = Fact::new(Kind::TestCommand, format!("`{command}` runs the tests")).about("test tests spec rspec rails");
    file.command(0, fact, command);
    if rails {
        file.facts.run("rails", "bin/rails".to_owned());
    }
}

const COMPOSER: &Packages = &[
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

/// composer.json
pub(super) fn composer(file: &mut Reading<'_>) {
    let Some(root) = serde_json::from_str::<Value>(file.text).ok().filter(Value::is_object) else { return };
    let all = || map(&root, "require").chain(map(&root, "require-dev"));
    let php = all().find(|(name, _)| *name == "php").and_then(|(_, version)| version.as_str());
    let text = php.map_or_else(|| "PHP".to_owned(), |version| format!("PHP {}", code(version)));
    let line = php.map_or(0, |_| file.line_of(&["\"php\""]));
    file.put(line, Fact::new(Kind::Language, text).id("lang-php").about("php"));
    for (name, version) in all() {
        let text = format!("`{name}` {}", version.as_str().unwrap_or_default());
        let short = name.split_once('/').map(|(_, short)| short);
        if let Some(fact) = packages::fact(COMPOSER, &|package| package == name, &text, name, short) {
            file.put(file.line_of(&[&format!("\"{name}\"")]), fact);
        }
    }
    for program in ["phpunit", "pest", "pint", "phpstan", "phpcs"] {
        file.facts.run(program, format!("vendor/bin/{program}"));
    }
    for (name, runs) in
        map(&root, "scripts").filter(|(name, _)| !name.starts_with("post-") && !name.starts_with("pre-"))
    {
        let Some(runs) = runs.as_str() else { continue };
        let fact = Fact::new(purpose(name, runs), format!("`composer {name}`: {}", code(runs)));
        let line = file.line_of(&["\"scripts\"", &format!("\"{name}\"")]);
        file.command(line, fact.about(name).about(runs), &format!("composer {name}"));
    }
    let tests = [("laravel", "php artisan test"), ("pest", "vendor/bin/pest"), ("phpunit", "vendor/bin/phpunit")];
    if let Some((_, command)) = tests.iter().find(|(id, _)| file.facts.has(id)) {
        let fact = Fact::new(Kind::TestCommand, format!("`{command}` runs the tests")).about("test tests phpunit");
        file.command(0, fact, command);
    }
}

/// Beginnings of package names; the first match counts.
const DOTNET: &Packages = &[
    (
        Kind::Framework,
        "FluentValidation=fluentvalidation MediatR=mediatr Microsoft.EntityFrameworkCore.SqlServer=sql-server \
         Microsoft.EntityFrameworkCore=entity-framework Microsoft.Data.SqlClient=sql-server \
         MassTransit=masstransit Polly=polly Serilog=serilog Hangfire=hangfire StackExchange.Redis=redis \
         AspNetCore.HealthChecks=health-checks Dapper=dapper Npgsql=postgres Swashbuckle.AspNetCore=swashbuckle \
         Microsoft.AspNetCore.OpenApi=aspnet-openapi",
    ),
    (
        Kind::TestPlugin,
        "Microsoft.AspNetCore.Mvc.Testing=aspnet-testing Testcontainers=testcontainers xunit NUnit=nunit \
         MSTest=mstest Moq=moq NSubstitute=nsubstitute",
    ),
];

/// Settings of all projects below a Directory.Build.props.
const SETTINGS: &[&str] = &["LangVersion", "Nullable", "TreatWarningsAsErrors", "AnalysisLevel", "ImplicitUsings"];
/// Words about any project of .NET; the name of the platform is one word of a text.
const ABOUT: &str = "csharp dotnet net aspnet";

/// The project files of .NET
pub(super) fn dotnet(file: &mut Reading<'_>) {
    let of_all = file.path.to_ascii_lowercase().ends_with("directory.build.props");
    let web = if file.text.contains("Microsoft.NET.Sdk.Web") { ", ASP.NET Core" } else { "" };
    for (number, line) in file.lines() {
        let versions = between(line, "<TargetFramework>", "<").or_else(|| between(line, "<TargetFrameworks>", "<"));
        if let Some(versions) = versions.filter(|versions| !versions.contains('$')) {
            let all: Vec<&str> = versions.split(';').collect();
            let fact = Fact::new(Kind::Language, format!("C#, {}{web}", codes(&all))).id("lang-csharp");
            file.put(number, fact.about(ABOUT).about("target framework version"));
        }
        for key in SETTINGS.iter().filter(|_| of_all) {
            if let Some(value) = between(line, &format!("<{key}>"), "<") {
                let fact = Fact::new(Kind::LintConfig, code(&format!("{key}: {value}"))).id(format!("dotnet-{key}"));
                file.put(number, fact.about(ABOUT).about("style warnings").about(key));
            }
        }
        // A line may hold several.
        for reference in line.split("<Package").skip(1) {
            let Some(name) = between(reference, "Include=\"", "\"") else { continue };
            let text = format!("{} {}", code(name), between(reference, "Version=\"", "\"").unwrap_or_default());
            // "FluentValidation" is about validation.
            let about = format!("{name} {} aspnet dotnet", name.trim_start_matches("Fluent"));
            let fact = packages::fact(DOTNET, &|begin| name.starts_with(begin), &text, &about, Some(name));
            if let Some(fact) = fact.filter(|fact| packages::is_new(fact, &file.facts)) {
                file.put(number, fact);
            }
        }
    }
}

/// global.json: the SDK that every command uses.
pub(super) fn dotnet_sdk(file: &mut Reading<'_>) {
    let Ok(root) = serde_json::from_str::<Value>(file.text) else { return };
    let of = |key: &str| word(root.get("sdk")?, key);
    let Some(version) = of("version") else { return };
    let forward = of("rollForward").map_or(String::new(), |policy| code(&format!("rollForward: {policy}")));
    let fact =
        Fact::new(Kind::Framework, format!(".NET SDK {}{}", code(version), behind(", ", &forward))).id("dotnet-sdk");
    file.put(file.line_of(&["\"sdk\"", "\"version\""]), fact.about(ABOUT).about("sdk version"));
}

fn between<'t>(text: &'t str, begin: &str, end: &str) -> Option<&'t str> {
    text.split_once(begin)?.1.split_once(end).map(|(inner, _)| inner)
}
