//! Commands as the repository runs them: with its own runners and scripts, and its own package manager.

use super::{Fact, Facts, Kind, denies};
use crate::skill::prose::code_spans;

/// The package managers by the ids of their facts.
const MANAGERS: [&str; 3] = ["pnpm", "yarn", "bun"];

/// How a command of npm begins, and its equivalent for each manager.
const FORMS: &[(&str, [&str; 3])] = &[
    ("npm ci", ["pnpm install --frozen-lockfile", "yarn install --immutable", "bun install --frozen-lockfile"]),
    ("npm install --save-dev ", ["pnpm add -D ", "yarn add -D ", "bun add -d "]),
    ("npm install -D ", ["pnpm add -D ", "yarn add -D ", "bun add -d "]),
    ("npm i -D ", ["pnpm add -D ", "yarn add -D ", "bun add -d "]),
    ("npm install ", ["pnpm add ", "yarn add ", "bun add "]),
    ("npm i ", ["pnpm add ", "yarn add ", "bun add "]),
    ("npm uninstall ", ["pnpm remove ", "yarn remove ", "bun remove "]),
    ("npm update", ["pnpm update", "yarn up", "bun update"]),
    ("npm outdated", ["pnpm outdated", "yarn outdated", "bun outdated"]),
    ("npm explain ", ["pnpm why ", "yarn why ", "bun why "]),
    ("npm exec ", ["pnpm exec ", "yarn exec ", "bunx "]),
    ("npm run ", ["pnpm run ", "yarn run ", "bun run "]),
    ("npm test", ["pnpm test", "yarn test", "bun run test"]),
    ("npm start", ["pnpm start", "yarn start", "bun run start"]),
    ("npx ", ["pnpm dlx ", "yarn dlx ", "bunx "]),
];

/// The scripts of a package that names no manager are run with the one that the root names.
pub(super) fn inherit(root: &Facts, below: &mut Facts) {
    let of_root = |fact: &&Fact| fact.kind == Kind::PackageManager && fact.file == "package.json";
    let id = |fact: &Fact| MANAGERS.iter().enumerate().find(|(_, name)| fact.id.as_deref() == Some(**name));
    let named = root.all.iter().filter(of_root).find_map(id);
    let Some((at, name)) = named.filter(|_| below.of(Kind::PackageManager).next().is_none()) else { return };
    for fact in below.all.iter_mut().filter(|fact| fact.file.ends_with("/package.json")) {
        rewrite(fact, at, "`", "&& ");
    }
    let runs = format!(" {} ", executes(name));
    below.runners.values_mut().for_each(|how| *how = how.replacen(" npx ", &runs, 1));
}

/// How a manager runs the program of an installed package.
fn executes(manager: &str) -> String {
    if manager == "bun" { "bunx".to_owned() } else { format!("{manager} exec") }
}

/// Rewrites npm's command of a fact for the manager at this place, where these stand before it in the text and in the command.
fn rewrite(fact: &mut Fact, manager: usize, in_text: &str, in_command: &str) {
    let Some(command) = fact.command.as_mut() else { return };
    let known = FORMS.iter().find(|(form, _)| command.contains(&format!("{in_command}{form}")));
    let Some((form, own)) = known.map(|(form, all)| (form, all[manager])) else { return };
    *command = command.replacen(&format!("{in_command}{form}"), &format!("{in_command}{own}"), 1);
    fact.text = fact.text.replacen(&format!("{in_text}{form}"), &format!("{in_text}{own}"), 1);
}

/// The manager that a rule names in npm's place: "We use yarn, never npm", "a pnpm workspace; never call npm".
fn ruled_manager(rule: &str) -> Option<(usize, &'static str)> {
    let lower = rule.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let refused = words.contains(&"npm") && denies(rule);
    MANAGERS.into_iter().enumerate().find(|(_, name)| refused && words.contains(name))
}

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
    /// Takes the package manager from the rules where neither a manifest nor a lock file names one.
    pub(super) fn take_manager(&mut self) {
        if self.all.iter().any(|fact| fact.id.as_deref().is_some_and(|id| MANAGERS.contains(&id))) {
            return;
        }
        let said =
            self.of(Kind::Rule).find_map(|rule| Some((ruled_manager(&rule.text)?, rule.file.clone(), rule.line)));
        let Some(((at, name), file, line)) = said else { return };
        for fact in self.all.iter_mut().filter(|fact| fact.file.ends_with("package.json")) {
            if fact.command.as_ref().is_some_and(|command| !command.contains(name)) {
                rewrite(fact, at, "", "");
            }
        }
        self.all.push(Fact::new(Kind::PackageManager, format!("package manager `{name}`")).id(name).at(&file, line));
    }

    /// A text with its commands in the form of the repository. A text that names the package manager keeps npm's.
    pub fn as_run_here(&self, text: &str) -> String {
        let mut said = text.to_owned();
        for (tool, how) in self.runners.iter().filter(|(tool, how)| tool != how) {
            said = said.replace(&format!("`{tool} "), &format!("`{how} "));
        }
        let manager = MANAGERS.iter().enumerate().find(|(_, id)| self.has(id));
        let Some((at, name)) = manager.filter(|(_, name)| !said.contains(**name)) else { return said };
        let text = said.clone();
        for program in text.split("`npx ").skip(1).filter_map(|rest| rest.split([' ', '`']).next()) {
            // A program of an installed package is not downloaded.
            if self.runner(program).starts_with(name) || self.has(&format!("node.{program}")) {
                said = said.replace(&format!("`npx {program}"), &format!("`{} {program}", executes(name)));
            }
        }
        for (form, all) in FORMS {
            said = said.replace(&format!("`{form}"), &format!("`{}", all[at]));
        }
        said
    }

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
    use super::super::tests::found;
    use super::*;

    fn facts(all: Vec<Fact>) -> Facts {
        Facts { all, ..Facts::default() }
    }

    /// A text as it is written where these rules stand in one document.
    fn where_ruled(rules: &[&str], said: &str) -> String {
        let rule = |text: &&str| Fact::new(Kind::Rule, *text).at("README.md", 5);
        let mut facts = facts(rules.iter().map(rule).collect());
        facts.wrap();
        facts.as_run_here(said)
    }

    #[test]
    fn commands_are_those_of_the_repository_s_manager() {
        let mut facts = facts(vec![Fact::new(Kind::PackageManager, "x").id("pnpm")]);
        facts.run("playwright", "pnpm exec playwright".to_owned());
        let said = facts.as_run_here("Run `npm ci`, `npx playwright test`, `npx knip` and `npm i -D x`.");
        assert_eq!(
            said,
            "Run `pnpm install --frozen-lockfile`, `pnpm exec playwright test`, `pnpm dlx knip` and `pnpm add -D x`."
        );
        facts.run("pytest", "uv run pytest".to_owned());
        assert_eq!(facts.as_run_here("`pytest -q`, pytest"), "`uv run pytest -q`, pytest");
        assert_eq!(facts.as_run_here("`npm update x`, `npm explain x`"), "`pnpm update x`, `pnpm why x`");
        let named = "`npm ci` or `pnpm install`";
        assert_eq!(facts.as_run_here(named), named);
        assert_eq!(Facts::default().as_run_here("`npm ci`"), "`npm ci`");
    }

    #[test]
    fn where_nothing_else_names_the_manager_a_rule_does() {
        let of = |rule: &str| {
            let script = Fact::new(Kind::TestCommand, "`npm run unit` runs the tests").command("npm run unit");
            let mut facts = facts(vec![script.at("package.json", 3), Fact::new(Kind::Rule, rule).at("README.md", 9)]);
            facts.wrap();
            (facts.all[0].text.clone(), facts.as_run_here("`npm ci`"))
        };
        let yarn = ("`yarn run unit` runs the tests".to_owned(), "`yarn install --immutable`".to_owned());
        assert_eq!(of("Usamos yarn, nunca npm."), yarn);
        let npm = ("`npm run unit` runs the tests".to_owned(), "`npm ci`".to_owned());
        assert_eq!(of("The old site used yarn."), npm);
    }

    #[test]
    fn the_scripts_of_a_package_are_run_with_the_manager_of_the_root() {
        let mut facts = found("package.json", r#"{"packageManager": "pnpm@9.6.0"}"#);
        let text = r#"{"scripts": {"test": "npm run unit", "build:profile": "vite build"}}"#;
        facts.add(found("apps/web/package.json", text));
        facts.add(found("apps/old/package.json", r#"{"packageManager": "npm@10.0.0", "scripts": {"test": "mocha"}}"#));
        let commands: Vec<&str> = facts.all.iter().filter_map(|fact| fact.command.as_deref()).collect();
        assert_eq!(
            commands,
            ["(cd apps/web && pnpm test)", "(cd apps/web && pnpm run build:profile)", "(cd apps/old && npm test)"]
        );
        assert!(facts.all.iter().any(|fact| fact.text == "in `apps/web`: `pnpm test`: `npm run unit`"), "{facts:?}");
    }

    #[test]
    fn a_wrapper_that_a_workflow_runs_is_run() {
        let fact = |command: &str| Fact::new(Kind::TestCommand, format!("`{command}` runs the tests")).command(command);
        let mut facts = facts(vec![fact("mvn test"), fact("./mvnw -B verify")]);
        facts.wrap();
        assert_eq!(facts.all[0].text, "`./mvnw test` runs the tests");
        assert_eq!(facts.as_run_here("Run `mvn verify`."), "Run `./mvnw verify`.");
    }

    #[test]
    fn a_script_that_wraps_a_tool_is_run() {
        let of = |text, said| where_ruled(&[text], said);
        let plan = "Save it: `terraform plan`.";
        assert_eq!(of("Plan with `bin/terraform plan live`.", plan), "Save it: `bin/terraform plan`.");
        assert_eq!(of("`./kdbt gate` before the merge.", "`dbt build -s x`"), "`./kdbt build -s x`");
        assert_eq!(of("`bin/release` cuts the tag.", plan), plan);
    }

    #[test]
    fn a_tool_that_is_not_called_by_itself_is_called_by_the_script_beside_the_rule() {
        let stack =
            ["`./tf <stack> <command>` picks the role.", "Never call `terraform` itself: it takes your profile."];
        assert_eq!(where_ruled(&stack, "Save it: `terraform plan -out=x`."), "Save it: `./tf STACK plan -out=x`.");
        let spec = ["Specs run with `bin/spec`; calling `rspec` directly gives other results than CI."];
        assert_eq!(where_ruled(&spec, "`rspec --seed 7`"), "`bin/spec --seed 7`");
        let django = ["O `./q` é o nosso atalho para tudo; não chame `manage.py` direto."];
        assert_eq!(where_ruled(&django, "`python manage.py migrate`"), "`./q migrate`");
        let mut tox = facts(vec![Fact::new(Kind::Rule, spec[0])]);
        tox.run("rspec", "bundle exec rspec".to_owned());
        tox.wrap();
        assert_eq!(tox.as_run_here("`rspec --seed 7`"), "`bin/spec --seed 7`");
        let build = ["Build with `./kontor build web`. Don't call docker directly, it needs the proxy."];
        assert_eq!(where_ruled(&build, "`docker build .`"), "`docker build .`");
    }
}
