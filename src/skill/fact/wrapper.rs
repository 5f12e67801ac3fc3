//! Tools that the repository runs by a script of its own.

use super::{Fact, Facts, Kind, denies};
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

/// The tool that a rule says not to call by itself: "Never call `terraform` itself", "calling `manage.py` directly skips …",
/// "`knex` is never called directly".
fn bare(rule: &str) -> Option<&str> {
    const BY_ITSELF: &[&str] =
        &["itself", "directly", "direto", "direta", "directo", "directa", "diretamente", "directamente"];
    const CALL: &[&str] = &[
        "call", "run", "use", "invoke", "chame", "chamar", "rode", "rodar", "usar", "llame", "llamar", "ejecute",
        "ejecutar",
    ];
    const CALLING: &[&str] = &["calling", "running", "using"];
    const CALLED: &[&str] = &["called", "run", "used"];
    let marks = |c: char| !c.is_alphanumeric();
    let words: Vec<&str> = rule.split_whitespace().collect();
    let ends = words.iter().enumerate().filter(|(_, word)| BY_ITSELF.contains(&word.trim_matches(marks)));
    let named = ends.filter_map(|(at, _)| {
        let word = |back: usize| at.checked_sub(back).and_then(|at| words.get(at)).copied();
        let verb = word(2).unwrap_or_default().trim_matches(marks).to_lowercase();
        let called = word(1).is_some_and(|word| CALLED.contains(&word)) && matches!(verb.as_str(), "never" | "not");
        let forbidden = CALL.contains(&verb.as_str()) && denies(rule) || CALLING.contains(&verb.as_str());
        if called { word(4) } else { word(1).filter(|_| forbidden) }
    });
    let is_program = |name: &&str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
    };
    named.map(|name| name.trim_matches('`')).find(is_program)
}

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
        let tool = bare(&rule.text)?;
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
        self.take_manager();
        for tool in WRAPPED {
            if let Some(script) = script(self, tool).map(str::to_owned).filter(|_| !self.runners.contains_key(*tool)) {
                self.runners.insert((*tool).to_owned(), script);
            }
        }
        for (tool, form) in ruled(self) {
            if tool == "manage.py" {
                let by_python = ["python manage.py", "python3 manage.py"].map(str::to_owned);
                self.runners.extend(by_python.map(|tool| (tool, form.clone())));
            }
            self.runners.insert(tool, form);
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
        let mut tox = Facts { all: vec![Fact::new(Kind::Rule, spec[0])], ..Facts::default() };
        tox.run("rspec", "bundle exec rspec".to_owned());
        tox.wrap();
        assert_eq!(tox.as_run_here("`rspec --seed 7`"), "`bin/spec --seed 7`");
        let build = ["Build with `./kontor build web`. Don't call docker directly, it needs the proxy."];
        assert_eq!(of(&build, "`docker build .`"), "`docker build .`");
    }
}
