//! The settings by which a client is told not to use a skill.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{SystemPath, UserDir};

#[derive(Debug, Clone, Copy)]
pub struct Switches {
    /// Its settings files, JSON or TOML by their names; a later file takes precedence.
    pub files: &'static [SettingsFile],
    /// Variables that, if set, make it leave out these directories of either scope.
    pub variables: &'static [(&'static str, &'static [&'static str])],
    /// A YAML file in the skill's own folder that says the same kind of thing.
    pub own_file: Option<&'static str>,
    pub says: fn(&Value, &Asked<'_>) -> Vec<Said>,
}

#[derive(Debug, Clone, Copy)]
pub enum SettingsFile {
    Project(&'static str),
    User(UserDir),
    /// What whoever looks after the machine has laid down.
    System(SystemPath),
    /// The same in a folder: each JSON file in it, by name.
    SystemFolder(SystemPath),
}

#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub name: &'a str,
    /// Its folder, as found and with links resolved; absolute.
    pub folders: &'a [&'a str],
    pub root: &'a str,
    pub in_project: bool,
    pub in_plugin: bool,
    /// Whether the file that is asked is the user's own.
    pub of_user: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Switch {
    On,
    NameOnly,
    /// A person can invoke it; the model does not see it, or may not invoke it.
    Manual,
    Off,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub switch: Switch,
    /// The setting, as people find it in the file.
    pub setting: String,
    /// Whether no later file can override it.
    pub firm: bool,
    /// What it is about, where a client has several such settings: a later one of the same kind takes it back.
    pub kind: &'static str,
    pub file: String,
}

impl Switches {
    /// Of a client that has neither variables nor a file in the skill's folder.
    pub(super) const fn of(files: &'static [SettingsFile], says: fn(&Value, &Asked<'_>) -> Vec<Said>) -> Self {
        Self { files, variables: &[], own_file: None, says }
    }
}

impl Said {
    /// Applies unless a later file overrides it.
    pub fn new(switch: Switch, setting: impl Into<String>) -> Self {
        Self { switch, setting: setting.into(), firm: false, kind: "", file: String::new() }
    }

    /// Holds until a later file says otherwise of the same kind of thing.
    pub fn about(kind: &'static str, switch: Switch, setting: impl Into<String>) -> Self {
        Self { kind, ..Self::new(switch, setting) }
    }

    /// Applies whatever other files say.
    pub fn firm(switch: Switch, setting: impl Into<String>) -> Self {
        Self { firm: true, ..Self::new(switch, setting) }
    }
}

/// The effective setting, given all in the order of the files.
pub fn decided(said: Vec<Said>) -> Option<Said> {
    let (firm, loose): (Vec<_>, Vec<_>) = said.into_iter().partition(|said| said.firm);
    let last: BTreeMap<&str, Said> = loose.into_iter().map(|one| (one.kind, one)).collect();
    let all = firm.into_iter().chain(last.into_values());
    all.filter(|said| said.switch > Switch::On).max_by_key(|said| said.switch)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::client::target::record;

    /// The effective setting of a client for these files, in order.
    fn switch(client: &str, files: &[Value]) -> Option<Switch> {
        let switches = record(client).unwrap().switches.unwrap();
        let asked = Asked {
            name: "deploy",
            folders: &["/src/shop/.codex/skills/deploy", "/shared/deploy"],
            root: "/src/shop",
            in_project: true,
            in_plugin: false,
            of_user: true,
        };
        decided(files.iter().flat_map(|file| (switches.says)(file, &asked)).collect()).map(|said| said.switch)
    }

    #[test]
    fn each_clients_settings_switch_a_skill_off_in_their_own_way() {
        let overrides = |word: &str| json!({ "skillOverrides": { "deploy": word, "other": "off" } });
        let deny = |rule: &str| json!({ "permissions": { "deny": ["Bash(rm *)", rule] } });
        let off = json!({ "name": "deploy", "enabled": false });
        let codex = |entries: Value| json!({ "skills": { "config": entries } });
        let opencode = |rules: Value| json!({ "permission": { "skill": rules } });
        let cases: &[(&str, Vec<Value>, Option<Switch>)] = &[
            ("claude", vec![overrides("off")], Some(Switch::Off)),
            ("claude", vec![overrides("name-only")], Some(Switch::NameOnly)),
            ("claude", vec![overrides("user-invocable-only")], Some(Switch::Manual)),
            ("claude", vec![overrides("off"), overrides("on")], None),
            ("claude", vec![json!({ "skillOverrides": { "deplo": "off" } })], None),
            ("claude", vec![deny("Skill(deploy)")], Some(Switch::Manual)),
            ("claude", vec![deny("Skill(deploy *)"), overrides("on")], Some(Switch::Manual)),
            ("claude", vec![deny("Skill")], Some(Switch::Manual)),
            ("claude", vec![deny("Skill(dep*)")], Some(Switch::Manual)),
            ("claude", vec![deny("Skill(deploy-all)")], None),
            ("codex", vec![codex(json!([off]))], Some(Switch::Off)),
            ("codex", vec![codex(json!([{ "path": "/shared/deploy/SKILL.md", "enabled": false }]))], Some(Switch::Off)),
            ("codex", vec![codex(json!([off, { "path": "/shared/deploy", "enabled": true }]))], None),
            ("codex", vec![codex(json!([{ "name": "deploy", "path": "/shared/deploy", "enabled": false }]))], None),
            (
                "codex",
                vec![codex(json!([off])), json!({ "skills": { "include_instructions": true } })],
                Some(Switch::Off),
            ),
            ("codex", vec![json!({ "policy": { "allow_implicit_invocation": false } })], Some(Switch::Manual)),
            ("gemini", vec![json!({ "skills": { "disabled": ["Deploy"] } }), json!({})], Some(Switch::Off)),
            ("gemini", vec![json!({ "skills": { "enabled": false } })], Some(Switch::Off)),
            ("gemini", vec![json!({ "skills": { "enabled": false } }), json!({ "skills": { "enabled": true } })], None),
            ("gemini", vec![json!({ "/src": "DO_NOT_TRUST" })], Some(Switch::Off)),
            ("gemini", vec![json!({ "/src": "TRUST_FOLDER", "/src/shop-2": "DO_NOT_TRUST" })], None),
            ("copilot", vec![json!({ "disabledSkills": ["deploy"] })], Some(Switch::Off)),
            ("opencode", vec![opencode(json!({ "*": "deny", "dep*y": "allow" }))], None),
            ("opencode", vec![opencode(json!({ "*": "allow", "dep*": "deny" }))], Some(Switch::Off)),
        ];
        for (client, files, wanted) in cases {
            assert_eq!(switch(client, files), *wanted, "{client} {files:?}");
        }
    }

    #[test]
    fn settings_of_another_shape_say_nothing() {
        for client in ["claude", "codex", "gemini", "copilot", "opencode"] {
            for odd in [json!([1]), json!("x"), json!({ "skills": 1, "permission": [], "skillOverrides": "off" })] {
                assert_eq!(switch(client, &[odd]), None, "{client}");
            }
        }
    }
}
