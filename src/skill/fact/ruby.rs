//! Gemfile: the version of Ruby, Rails and the gems that tests and linters come from.

use super::lines::code;
use super::packages::{Packages, known, other};
use super::{Fact, Facts, Kind, Source};

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

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let (mut version, mut rails, mut rspec) = ((0, "Ruby".to_owned()), false, false);
    for (number, line) in source.text.lines().enumerate() {
        let line = line.trim();
        let quoted = |text: &str| text.split(['"', '\'']).nth(1).map(str::to_owned);
        if let Some(ruby) = line.strip_prefix("ruby ").and_then(quoted) {
            version = (number + 1, format!("Ruby {}", code(&ruby)));
        }
        // `group(:test) { gem "rspec-rails" }`
        let line = line.split_once("{ ").map_or(line, |(_, inside)| inside);
        let Some(rest) = line.strip_prefix("gem ") else { continue };
        let Some(name) = quoted(rest) else { continue };
        (rails, rspec) = (rails || name == "rails", rspec || name.starts_with("rspec"));
        let version = rest.split(['"', '\'']).nth(3).unwrap_or_default();
        let text = format!("`{name}` {version}");
        // It refuses what locks a table of Postgres.
        let about = if name == "strong_migrations" { "index postgres table lock" } else { "" };
        let fact = known(GEMS, |gem| gem == name)
            .map(|(id, kind)| Fact::new(kind, text.trim()).id(id).about(&name).about(about));
        if let Some(fact) = fact.or_else(|| other(&name, &text)) {
            out.put(source, number + 1, fact);
        }
    }
    out.put(source, version.0, Fact::new(Kind::Language, version.1).id("lang-ruby").about("ruby"));
    for program in ["rspec", "rubocop", "rake"] {
        out.run(program, format!("bundle exec {program}"));
    }
    let command = match (rspec, rails) {
        (true, _) => "bundle exec rspec",
        (false, true) => "bin/rails test",
        _ => return,
    };
    let fact = Fact::new(Kind::TestCommand, format!("`{command}` runs the tests")).about("test tests spec rspec rails");
    out.command(source, 0, fact, command);
    if rails {
        out.run("rails", "bin/rails".to_owned());
    }
}
