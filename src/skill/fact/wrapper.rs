//! Tools that the repository runs by a script of its own.

use std::sync::LazyLock;

use regex::Regex;

use super::{Fact, Facts, Kind};
use crate::skill::prose::code_spans;

/// Tools with a wrapper that a repository may bring along.
const WRAPPERS: &[(&str, &str)] = &[("mvn", "./mvnw"), ("gradle", "./gradlew")];

/// Tools that repositories wrap in a script with the tool in its name.
const WRAPPED: &[&str] =
    &["terraform", "tofu", "kubectl", "ansible-playbook", "dbt", "helm", "alembic", "flyway", "pulumi"];

/// The most letters that a script's name has beside the tool's: `kdbt`.
const BESIDE: usize = 2;

/// The script of the repository that is named like the tool.
fn script<'f>(facts: &'f Facts, tool: &str) -> Option<&'f str> {
    let named = |script: &str| {
        let name = script.rsplit('/').next().unwrap_or_default();
        name.contains(tool) && name.len() <= tool.len() + BESIDE
    };
    facts.all.iter().find_map(|fact| {
        let programs = code_spans(&fact.text).filter_map(|(_, code)| code.split(' ').next());
        let mut scripts = programs.filter(|program| program.starts_with("bin/") || program.starts_with("./"));
        scripts.find(|script| named(script))
    })
}

/// A rule that a tool is not called by itself: "Never call `terraform` itself", "calling `manage.py` directly skips …".
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "the pattern is a constant, and tests use it")]
    Regex::new(concat!(
        r"(?i)\b(?:(?:never|not|don't|n\S+o|nunca|no) (?:call|run|use|invoke|chame|chamar|rode|rodar|use|usar|llame|llamar|ejecute|ejecutar)",
        r" `?(?P<never>[a-z][\w.-]*)`? (?:itself|directly|on its own|direc?t[oa]|directamente|diretamente)",
        r"|(?:calling|running|chamar|llamar(?: a)?|rodar|ejecutar) `?(?P<calling>[a-z][\w.-]*)`? (?:itself|directly|direc?t[oa]|directamente|diretamente)",
        r"|`(?P<is>[a-z][\w.-]*)` is never (?:called|run|used) (?:itself|directly))",
    ))
    .expect("a valid pattern")
});

/// The program and what stands before the command in a form that is shown: `./tf STACK` of `./tf <stack> <command>`.
fn form(span: &str) -> Option<String> {
    let own = ["./", "bin/", "script/", "scripts/"].iter().any(|begin| span.starts_with(begin));
    let mut words: Vec<&str> = span.split(' ').collect();
    let is_place = |word: &&str| word.starts_with('<') && word.ends_with('>');
    // The last place is that of the command.
    if words.len() > 1 && words.last().is_some_and(is_place) {
        words.pop();
    }
    let whole = words.iter().skip(1).all(is_place);
    let words = words.iter().map(|word| match word.strip_prefix('<').and_then(|word| word.strip_suffix('>')) {
        Some(place) => place.to_uppercase(),
        None => (*word).to_owned(),
    });
    (own && whole).then(|| words.collect::<Vec<_>>().join(" "))
}

/// The tools that rules say not to call by themselves, each with the script that takes their commands: one of the same
/// document, named just before or after.
fn ruled(facts: &Facts) -> Vec<(String, String)> {
    let rules: Vec<&Fact> = facts.all.iter().filter(|fact| fact.kind == Kind::Rule).collect();
    let tools = rules.iter().enumerate().filter_map(|(at, rule)| {
        let found = BARE.captures(&rule.text)?;
        let tool = ["never", "calling", "is"].iter().find_map(|name| found.name(name))?.as_str();
        let near = [Some(at), at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| rules.get(at));
        let of_document = near.filter(|near| near.file == rule.file);
        let form = of_document.flat_map(|near| code_spans(&near.text)).find_map(|(_, span)| form(span))?;
        Some((tool.to_owned(), form))
    });
    tools.collect()
}

impl Facts {
    /// Runs a tool by its wrapper, if a document or a workflow does.
    pub fn wrap(&mut self) {
        for tool in WRAPPED {
            if let Some(script) = script(self, tool).map(str::to_owned).filter(|_| !self.runners.contains_key(*tool)) {
                self.runners.insert((*tool).to_owned(), script);
            }
        }
        for (tool, form) in ruled(self) {
            let how = self.runners.entry(tool.clone()).or_insert(form).clone();
            if tool == "manage.py" {
                let by_python = ["python manage.py", "python3 manage.py"].map(str::to_owned);
                self.runners.extend(by_python.map(|tool| (tool, how.clone())));
            }
        }
        for (tool, wrapper) in WRAPPERS {
            if !self.all.iter().any(|fact| fact.text.contains(&format!("`{wrapper} "))) {
                continue;
            }
            self.runners.insert((*tool).to_owned(), (*wrapper).to_owned());
            for fact in &mut self.all {
                let bare = fact.command.as_ref().and_then(|command| command.strip_prefix(&format!("{tool} ")));
                if let Some(command) = bare.map(|arguments| format!("{wrapper} {arguments}")) {
                    fact.text = fact.text.replacen(&format!("`{tool} "), &format!("`{wrapper} "), 1);
                    fact.command = Some(command);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapper_that_a_workflow_runs_is_run() {
        let fact = |command: &str| Fact::new(Kind::TestCommand, format!("`{command}` runs the tests")).command(command);
        let mut facts = Facts { all: vec![fact("mvn test"), fact("./mvnw -B verify")], ..Facts::default() };
        facts.wrap();
        assert_eq!(facts.all[0].text, "`./mvnw test` runs the tests");
        assert_eq!(facts.as_run_here("Run `mvn verify`."), "Run `./mvnw verify`.");
    }

    #[test]
    fn a_script_that_wraps_a_tool_is_run() {
        let of = |text: &str, said: &str| {
            let mut facts = Facts { all: vec![Fact::new(Kind::Rule, text)], ..Facts::default() };
            facts.wrap();
            facts.as_run_here(said)
        };
        let plan = "Save it: `terraform plan`.";
        assert_eq!(of("Plan with `bin/terraform plan live`.", plan), "Save it: `bin/terraform plan`.");
        assert_eq!(of("`./kdbt gate` before the merge.", "`dbt build -s x`"), "`./kdbt build -s x`");
        assert_eq!(of("`bin/release` cuts the tag.", plan), plan);
    }

    #[test]
    fn a_tool_that_is_not_called_by_itself_is_called_by_the_script_beside_the_rule() {
        let of = |texts: &[&str], said: &str| {
            let rule = |text: &&str| Fact::new(Kind::Rule, *text).at("README.md", 5);
            let mut facts = Facts { all: texts.iter().map(rule).collect(), ..Facts::default() };
            facts.wrap();
            facts.as_run_here(said)
        };
        let stack =
            ["`./tf <stack> <command>` picks the role.", "Never call `terraform` itself: it takes your profile."];
        assert_eq!(of(&stack, "Save it: `terraform plan -out=x`."), "Save it: `./tf STACK plan -out=x`.");
        let spec = ["Specs run with `bin/spec`; calling `rspec` directly gives other results than CI."];
        assert_eq!(of(&spec, "`rspec --seed 7`"), "`bin/spec --seed 7`");
        let django = ["O `./q` é o nosso atalho para tudo; não chame `manage.py` direto."];
        assert_eq!(of(&django, "`python manage.py migrate`"), "`./q migrate`");
        let build = ["Build with `./kontor build web`. Don't call docker directly, it needs the proxy."];
        assert_eq!(of(&build, "`docker build .`"), "`docker build .`");
    }
}
