//! What a client's settings on this machine say about a skill. Reads only.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Reach, Scope};
use crate::client::target::{Asked, Said, SettingsFile, Target, decided, record};
use crate::report::Slashed;
use crate::system::rooted;

const MOST: usize = 1 << 20;

pub(super) struct Laid {
    pub(super) path: PathBuf,
    pub(super) shown: String,
    of_user: bool,
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
    ) -> (Option<Said>, Vec<String>) {
        let Some(switches) = record(&target.id).and_then(|record| record.switches.as_ref()) else {
            return (None, Vec::new());
        };
        let root = self.here.root().slashed();
        let folders = [folder.slashed(), real.slashed()];
        let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
        let (in_project, in_plugin) = (scope == Scope::Project, scope == Scope::Plugin);
        let asked = Asked { name, folders: &folders, root: &root, in_project, in_plugin, of_user: false };
        let own = switches.own_file.map(|below| folder.join(below));
        let own = own.map(|path| Laid { shown: self.shown(&path), path, of_user: false });
        let (mut said, mut unread): (Vec<Said>, Vec<String>) = (Vec::new(), Vec::new());
        for Laid { path, shown, of_user } in self.laid(switches.files).into_iter().chain(own) {
            match self.settings(&path) {
                Ok(Some(value)) => {
                    let asked = Asked { of_user, ..asked };
                    said.extend(
                        (switches.says)(&value, &asked).into_iter().map(|one| Said { file: shown.clone(), ..one }),
                    );
                }
                Ok(None) => {}
                Err(why) => unread.push(format!("{shown} cannot be read ({why})")),
            }
        }
        (decided(said), unread)
    }

    /// Where settings files are on this machine, whether they are there or not.
    pub(super) fn laid(&self, files: &[SettingsFile]) -> Vec<Laid> {
        let laid = |path: PathBuf, of_user: bool| Laid { shown: self.shown(&path), path, of_user };
        let mut all = Vec::new();
        for file in files {
            match file {
                SettingsFile::Project(below) => {
                    all.push(Laid { shown: (*below).to_owned(), ..laid(self.here.root().join(below), false) });
                }
                SettingsFile::User(dir) => all.extend(self.user_path(dir).map(|path| laid(path, true))),
                SettingsFile::System(path) => all.extend(self.system_path(path).map(|path| laid(path, false))),
                SettingsFile::SystemFolder(path) => {
                    let Some(path) = self.system_path(path) else { continue };
                    let listed = rooted::anywhere(&path).and_then(|dir| dir.list()).unwrap_or_default();
                    let is_json = |name: &OsString| Path::new(name).extension().is_some_and(|end| end == "json");
                    let mut names: Vec<OsString> = listed.into_iter().map(|(name, _)| name).filter(is_json).collect();
                    names.sort();
                    all.extend(names.into_iter().map(|name| laid(path.join(name), false)));
                }
            }
        }
        all
    }

    pub(super) fn settings(&self, path: &Path) -> Result<Option<Value>, String> {
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
