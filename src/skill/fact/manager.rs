//! Commands in the form of the repository: with its own runners and its own package manager.

use super::{Fact, Facts, Kind, denies};

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
    let named = root.all.iter().filter(of_root).find_map(|fact| {
        let at = MANAGERS.iter().position(|name| fact.id.as_deref() == Some(*name))?;
        MANAGERS.get(at).map(|name| (at, *name))
    });
    let Some((at, name)) = named.filter(|_| below.of(Kind::PackageManager).next().is_none()) else { return };
    for fact in below.all.iter_mut().filter(|fact| fact.file.ends_with("/package.json")) {
        let Some(command) = fact.command.clone() else { continue };
        let form = FORMS.iter().find(|(form, _)| command.contains(&format!("&& {form}")));
        let Some((form, own)) = form.and_then(|(form, all)| Some((form, all.get(at)?))) else { continue };
        fact.text = fact.text.replacen(&format!("`{form}"), &format!("`{own}"), 1);
        fact.command = Some(command.replacen(&format!("&& {form}"), &format!("&& {own}"), 1));
    }
    let runs = if name == "bun" { "bunx ".to_owned() } else { format!("{name} exec ") };
    below.runners.values_mut().for_each(|how| *how = how.replacen(" npx ", &format!(" {runs}"), 1));
}

/// The manager that a rule names in npm's place: "We use yarn, never npm", "a pnpm workspace; never call npm".
fn ruled(rule: &str) -> Option<usize> {
    let lower = rule.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let refused = words.contains(&"npm") && denies(rule);
    MANAGERS.iter().position(|name| words.contains(name)).filter(|_| refused)
}

impl Facts {
    /// Takes the package manager from the rules where neither a manifest nor a lock file names one.
    pub(super) fn take_manager(&mut self) {
        let known = |fact: &Fact| MANAGERS.iter().any(|name| fact.id.as_deref() == Some(*name));
        if self.all.iter().any(known) {
            return;
        }
        let said = self.of(Kind::Rule).find_map(|rule| Some((ruled(&rule.text)?, rule.file.clone(), rule.line)));
        let Some((at, file, line)) = said else { return };
        let name = MANAGERS.get(at).copied().unwrap_or_default();
        for fact in self.all.iter_mut().filter(|fact| fact.file.ends_with("package.json")) {
            let Some(command) = fact.command.as_ref().filter(|command| !command.contains(name)) else { continue };
            let form = FORMS.iter().find(|(form, _)| command.contains(form));
            let Some((form, own)) = form.and_then(|(form, all)| Some((form, all.get(at)?))) else { continue };
            fact.text = fact.text.replacen(form, own, 1);
            fact.command = Some(command.replacen(form, own, 1));
        }
        self.all.push(Fact::new(Kind::PackageManager, format!("package manager `{name}`")).id(name).at(&file, line));
    }

    /// A text with its commands in the form of the repository. A text that names the package manager keeps npm's.
    pub fn as_run_here(&self, text: &str) -> String {
        let runners = self.runners.iter().filter(|(tool, how)| tool != how);
        let text =
            &runners.fold(text.to_owned(), |text, (tool, how)| text.replace(&format!("`{tool} "), &format!("`{how} ")));
        let manager = MANAGERS.iter().enumerate().find(|(_, id)| self.has(id));
        let Some((at, name)) = manager.filter(|(_, name)| !text.contains(**name)) else { return text.to_owned() };
        let mut said = text.to_owned();
        for program in text.split("`npx ").skip(1).filter_map(|rest| rest.split([' ', '`']).next()) {
            // A program of an installed package is not downloaded.
            if self.runner(program).starts_with(name) || self.has(&format!("node.{program}")) {
                let runs = if *name == "bun" { "bunx".to_owned() } else { format!("{name} exec") };
                said = said.replace(&format!("`npx {program}"), &format!("`{runs} {program}"));
            }
        }
        FORMS.iter().fold(said, |said, (form, own)| {
            own.get(at).map_or(said.clone(), |own| said.replace(&format!("`{form}"), &format!("`{own}")))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{Source, read};
    use super::*;

    #[test]
    fn commands_are_those_of_the_repository_s_manager() {
        let mut facts = Facts { all: vec![Fact::new(Kind::PackageManager, "x").id("pnpm")], ..Facts::default() };
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
            let all = vec![script.at("package.json", 3), Fact::new(Kind::Rule, rule).at("README.md", 9)];
            let mut facts = Facts { all, ..Facts::default() };
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
        let of = |path, text| read(&Source { path, text, beside: &BTreeSet::new() });
        let mut facts = of("package.json", r#"{"packageManager": "pnpm@9.6.0"}"#);
        let text = r#"{"scripts": {"test": "npm run unit", "build:profile": "vite build"}}"#;
        facts.add(of("apps/web/package.json", text));
        facts.add(of("apps/old/package.json", r#"{"packageManager": "npm@10.0.0", "scripts": {"test": "mocha"}}"#));
        let commands: Vec<&str> = facts.all.iter().filter_map(|fact| fact.command.as_deref()).collect();
        assert_eq!(
            commands,
            ["(cd apps/web && pnpm test)", "(cd apps/web && pnpm run build:profile)", "(cd apps/old && npm test)"]
        );
        assert!(facts.all.iter().any(|fact| fact.text == "in `apps/web`: `pnpm test`: `npm run unit`"), "{facts:?}");
    }
}
