//! What a client's settings on this machine say about a skill. Reads only.

use std::path::Path;

use serde_json::Value;

use super::{Reach, Scope};
use crate::client::target::{Asked, Said, SettingsFile, Switch, Target, decided, record};
use crate::report::slashed::Slashed;
use crate::system::rooted;

/// How many bytes of a settings file are read.
const MOST: usize = 1 << 20;

/// How a client's settings switch a skill off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switched {
    pub switch: Switch,
    /// The setting as written in the file.
    pub setting: String,
    /// The file's path for display.
    pub file: String,
}

impl Reach {
    /// What the settings of a target's client say about a skill with this listed name and folder; with the unreadable
    /// files and the reasons.
    pub fn switched(
        &self,
        target: &Target,
        name: &str,
        (folder, real): (&Path, &Path),
        scope: Scope,
    ) -> (Option<Switched>, Vec<String>) {
        let Some(switches) = record(&target.id).and_then(|record| record.switches.as_ref()) else {
            return (None, Vec::new());
        };
        let root = self.here.root().slashed();
        let folders = [folder.slashed(), real.slashed()];
        let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
        let asked = Asked { name, folders: &folders, root: &root, in_project: scope == Scope::Project };
        let variable = |name: &str| self.variable(name).map(|value| self.cwd.join(value));
        let files = switches.files.iter().filter_map(|file| match file {
            SettingsFile::Project(below) => Some((self.here.root().join(below), (*below).to_owned())),
            SettingsFile::User(dir) => {
                let path = dir.path(variable, self.home.as_deref())?;
                Some((path.clone(), self.shown(&path)))
            }
        });
        let own = switches.own_file.map(|below| (folder.join(below), self.shown(&folder.join(below))));
        let (mut said, mut unread): (Vec<(String, Said)>, Vec<String>) = (Vec::new(), Vec::new());
        for (path, shown) in files.chain(own) {
            match self.settings(&path) {
                Ok(Some(value)) => {
                    said.extend((switches.says)(&value, &asked).into_iter().map(|one| (shown.clone(), one)));
                }
                Ok(None) => {}
                Err(why) => unread.push(format!("{shown} cannot be read ({why})")),
            }
        }
        let holds = decided(said);
        (holds.map(|(file, said)| Switched { switch: said.switch, setting: said.setting, file }), unread)
    }

    /// A settings file; none if it does not exist.
    fn settings(&self, path: &Path) -> Result<Option<Value>, String> {
        let file = self.here.reach(path).or_else(|_| rooted::anywhere(path));
        let bytes = match rooted::found(file.and_then(|file| file.read(MOST))) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_start_matches('\u{feff}');
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => toml::from_str(text).map(Some).map_err(|error| error.message().to_owned()),
            Some("yaml") => serde_yaml::from_str(text).map(Some).map_err(|error| error.to_string()),
            _ if text.trim().is_empty() => Ok(None),
            _ => {
                let options = jsonc_parser::ParseOptions::default();
                jsonc_parser::parse_to_serde_value(text, &options).map_err(|error| error.to_string())
            }
        }
    }
}
