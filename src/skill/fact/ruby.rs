//! Gemfile: the version of Ruby, Rails and the gems that tests and linters come from.

use super::lines::code;
use super::{Fact, Facts, Kind, Source};

const GEMS: &[(&str, &str, Kind)] = &[
    ("rails", "rails", Kind::Framework),
    ("sinatra", "sinatra", Kind::Framework),
    ("hanami", "hanami", Kind::Framework),
    ("sidekiq", "sidekiq", Kind::Framework),
    ("pg", "postgres", Kind::Framework),
    ("mysql2", "mysql", Kind::Framework),
    ("redis", "redis", Kind::Framework),
    ("mongoid", "mongodb", Kind::Framework),
    ("good_job", "good_job", Kind::Framework),
    ("solid_queue", "solid_queue", Kind::Framework),
    ("stimulus-rails", "stimulus", Kind::Framework),
    ("graphql", "graphql", Kind::Framework),
    ("prosopite", "prosopite", Kind::Framework),
    ("bullet", "bullet", Kind::Framework),
    ("devise", "devise", Kind::Framework),
    ("kamal", "kamal", Kind::Framework),
    ("stripe", "stripe", Kind::Framework),
    ("pundit", "pundit", Kind::Framework),
    ("strong_migrations", "strong_migrations", Kind::Framework),
    ("rspec-rails", "ruby.rspec", Kind::TestPlugin),
    ("rspec", "ruby.rspec", Kind::TestPlugin),
    ("minitest", "ruby.minitest", Kind::TestPlugin),
    ("capybara", "capybara", Kind::TestPlugin),
    ("factory_bot_rails", "factory-bot", Kind::TestPlugin),
    ("rspec-retry", "rspec-retry", Kind::TestPlugin),
    ("simplecov", "simplecov", Kind::TestPlugin),
    ("rubocop", "rubocop", Kind::LintConfig),
    ("standard", "standard", Kind::LintConfig),
    ("brakeman", "brakeman", Kind::LintConfig),
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
        if let Some((_, id, kind)) = GEMS.iter().find(|(known, ..)| *known == name) {
            let version = rest.split(['"', '\'']).nth(3).unwrap_or_default();
            let text = format!("`{name}` {version}");
            // It refuses what locks a table of Postgres.
            let about = if name == "strong_migrations" { "index postgres table lock" } else { "" };
            out.put(source, number + 1, Fact::new(*kind, text.trim()).id(*id).about(&name).about(about));
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{Source, read};

    #[test]
    fn a_gem_in_a_group_on_one_line_runs_the_tests() {
        let text = "gem \"rails\", \"~> 7.1\"\ngroup(:test) { gem \"rspec-rails\", \"~> 6.1\" }\n";
        let facts = read(&Source { path: "Gemfile", text, beside: &BTreeSet::new() });
        let commands: Vec<&str> = facts.all.iter().filter_map(|fact| fact.command.as_deref()).collect();
        assert_eq!(commands, ["bundle exec rspec"]);
    }
}
