//! The plugins of a client on this machine: where each keeps its skills, and why its client does not use it.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use serde_json::Value;

use super::settings::Laid;
use super::{Dir, Reach, Scope};
use crate::client::target::{Plugins, Target, UserDir, record};
use crate::report::Slashed;
use crate::skill::version::semver;
use crate::system::rooted::{self, Kind};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plugin {
    /// As its client names it: `NAME@MARKETPLACE`, or an extension's name.
    pub id: String,
    /// What stands before the names of its skills, where they do not keep them.
    pub prefix: Option<String>,
    pub off: Option<String>,
}

/// The version of a plugin in Codex's cache that wins over all others.
const LOCAL: &str = "local";

impl Reach {
    /// The directories with skills of a client's plugins, used or not.
    pub(super) fn plugin_dirs(&self, target: &Target, plugins: Plugins) -> Vec<Dir> {
        if let Some((_, known)) = self.plugins.borrow().iter().find(|(id, _)| *id == target.id) {
            return known.clone();
        }
        let dirs = match plugins {
            Plugins::Listed { list, manifest } => self.listed_plugins(target, &list, manifest),
            Plugins::Cached { cache, settings, manifest } => self.cached_plugins(&cache, &settings, manifest),
            Plugins::Extensions { dir, manifest } => self.extensions(&dir, manifest),
        };
        self.plugins.borrow_mut().push((target.id.clone(), dirs.clone()));
        dirs
    }

    fn value(&self, path: &Path) -> Option<Value> {
        self.settings(path).ok().flatten()
    }

    fn listed_plugins(&self, target: &Target, list: &UserDir, manifest: &str) -> Vec<Dir> {
        let Some(list) = self.user_path(list).and_then(|path| self.value(&path)) else { return Vec::new() };
        let files = record(&target.id).and_then(|record| record.switches.as_ref());
        let files = files.map(|switches| self.laid(switches.files)).unwrap_or_default();
        let read = |file: Laid| self.value(&file.path).map(|value| (file, value));
        let settings: Vec<(Laid, Value)> = files.into_iter().filter_map(read).collect();
        let mut dirs = Vec::new();
        for (id, places) in list["plugins"].as_object().into_iter().flatten() {
            let Some(root) = self.place_of(places) else { continue };
            let off = match settings.iter().rev().find(|(_, value)| !value["enabledPlugins"][id].is_null()) {
                None => Some("no settings file has it in `enabledPlugins`".to_owned()),
                Some((file, value)) if value["enabledPlugins"][id] == Value::Bool(false) => {
                    Some(format!("{} holds `\"{id}\": false` in `enabledPlugins`", file.shown))
                }
                Some(_) => None,
            };
            let manifest = self.value(&root.join(manifest)).unwrap_or_default();
            dirs.extend(self.dirs_of(&root, &manifest, plugin(id, &manifest, off)));
        }
        dirs
    }

    /// Where a plugin is that several entries may name: the one of this project before the one of the user.
    fn place_of(&self, places: &Value) -> Option<PathBuf> {
        let all = places.as_array().map_or_else(|| std::slice::from_ref(places), Vec::as_slice);
        let here = |one: &&Value| one["projectPath"].as_str().map(|path| self.here.root().starts_with(path));
        let found = all.iter().find(|one| here(one) == Some(true));
        let found = found.or_else(|| all.iter().find(|one| here(one).is_none()));
        found?["installPath"].as_str().map(|path| self.cwd.join(path))
    }

    fn cached_plugins(&self, cache: &UserDir, settings: &UserDir, manifest: &str) -> Vec<Dir> {
        let (Some(cache), Some(path)) = (self.user_path(cache), self.user_path(settings)) else { return Vec::new() };
        let Some(value) = self.value(&path) else { return Vec::new() };
        let file = self.shown(&path);
        let mut dirs = Vec::new();
        for (id, entry) in value["plugins"].as_object().into_iter().flatten() {
            let Some((name, marketplace)) = id.rsplit_once('@') else { continue };
            let Some(root) = newest(&cache.join(marketplace).join(name)) else { continue };
            let off = match (&entry["enabled"], &value["features"]["plugins"]) {
                (_, Value::Bool(false)) => Some(format!("{file} holds `plugins = false` in `[features]`")),
                (Value::Bool(false), _) => Some(format!("{file} holds `enabled = false` in `[plugins.\"{id}\"]`")),
                _ => None,
            };
            let (off, manifest) = match self.value(&root.join(manifest)) {
                Some(manifest) => (off, manifest),
                None => (Some(format!("it has no {manifest} that can be read")), Value::Null),
            };
            dirs.extend(self.dirs_of(&root, &manifest, plugin(id, &manifest, off)));
        }
        dirs
    }

    fn extensions(&self, dir: &UserDir, manifest: &str) -> Vec<Dir> {
        let Some(dir) = self.user_path(dir) else { return Vec::new() };
        let rules = self.value(&dir.join("extension-enablement.json")).unwrap_or_default();
        let about = format!(".{}-install.json", manifest.trim_end_matches(".json"));
        let mut dirs = Vec::new();
        for folder in folders(&dir) {
            let mut root = dir.join(folder);
            // A linked extension is used where it was linked from.
            let about = self.value(&root.join(&about)).unwrap_or_default();
            if let (Some("link"), Some(source)) = (about["type"].as_str(), about["source"].as_str()) {
                root = self.cwd.join(source);
            }
            let Some(manifest) = self.value(&root.join(manifest)) else { continue };
            let Some(name) = manifest["name"].as_str() else { continue };
            let off = self.left_out(&rules[name]["overrides"]).map(|rule| {
                format!("{} holds `\"{rule}\"` for it", self.shown(&dir.join("extension-enablement.json")))
            });
            let plugin = Plugin { id: name.to_owned(), prefix: None, off };
            dirs.extend(self.dirs_of(&root, &Value::Null, plugin));
        }
        dirs
    }

    /// The rule that leaves this directory out: the last one that means it, if it begins with `!`.
    fn left_out<'r>(&self, rules: &'r Value) -> Option<&'r str> {
        let here = format!("{}/", self.here.root().slashed().trim_end_matches('/'));
        let means = |rule: &&str| {
            let path = rule.trim_start_matches('!');
            match path.strip_suffix('*') {
                Some(above) => here.starts_with(above),
                None => here == path,
            }
        };
        let mut meant = rules.as_array().into_iter().flatten().filter_map(Value::as_str).filter(means);
        meant.next_back().filter(|rule| rule.starts_with('!'))
    }

    fn dirs_of(&self, root: &Path, manifest: &Value, plugin: Plugin) -> Vec<Dir> {
        let named = &manifest["skills"];
        let named = named.as_array().map_or_else(|| std::slice::from_ref(named), Vec::as_slice);
        let mut paths = vec![root.join("skills")];
        for below in named.iter().filter_map(Value::as_str).filter_map(inside) {
            let path = if below.as_os_str().is_empty() { root.to_owned() } else { root.join(below) };
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths.retain(|path| rooted::anywhere(path).is_ok_and(|dir| dir.is_dir()));
        let plugin = Rc::new(plugin);
        let dir = |path| Dir { plugin: Some(Rc::clone(&plugin)), ..self.dir(path, Scope::Plugin) };
        paths.into_iter().map(dir).collect()
    }
}

/// A plugin whose skills go by its name: what its manifest says, else what is before the `@` of its id.
fn plugin(id: &str, manifest: &Value, off: Option<String>) -> Plugin {
    let prefix = manifest["name"].as_str().or_else(|| id.split('@').next()).map(str::to_owned);
    Plugin { id: id.to_owned(), prefix, off }
}

/// A path that a manifest names, if it stays below the manifest's folder.
fn inside(path: &str) -> Option<PathBuf> {
    let parts = Path::new(path).components().filter(|part| *part != Component::CurDir);
    parts.map(|part| if let Component::Normal(name) = part { Some(name) } else { None }).collect()
}

fn folders(dir: &Path) -> Vec<String> {
    let listed = rooted::anywhere(dir).and_then(|dir| dir.list()).unwrap_or_default();
    let folders = listed.into_iter().filter(|(_, kind)| matches!(kind, Kind::Dir | Kind::Link));
    let mut names: Vec<String> = folders.filter_map(|(name, _)| name.into_string().ok()).collect();
    names.sort();
    names
}

/// The version of a plugin that Codex uses: the one that was made here, else the newest.
fn newest(dir: &Path) -> Option<PathBuf> {
    let versions = folders(dir).into_iter().filter(|name| !name.starts_with('.'));
    let best = versions.max_by_key(|name| (name == LOCAL, semver(name), name.clone()));
    best.map(|name| dir.join(OsStr::new(&name)))
}
