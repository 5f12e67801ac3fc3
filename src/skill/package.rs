//! Packages for others to install: a skill as one archive, or skills as a plugin or an extension with its manifest. The
//! same skills give the same bytes.

use std::io::{Cursor, Write};

use serde_json::{Value, json};
use zip::result::ZipResult;
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime};

use super::Tree;

/// The schema URL in a manifest of Agent Plugins 1.0.0.
const AGENT_PLUGINS: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";

/// The form of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Agent Plugins 1.0.0: `plugin.json`.
    Plugin,
    /// A plugin of Claude Code with a marketplace that offers it.
    Claude,
    /// A plugin of Codex with a marketplace that offers it.
    Codex,
    /// An extension of Gemini CLI.
    Gemini,
}

/// The data of a manifest.
#[derive(Debug, Clone)]
pub struct About {
    pub name: String,
    pub version: String,
    pub description: String,
    pub author: String,
    pub license: Option<String>,
}

/// A skill by its folder's name.
pub type Named = (String, Tree);

impl Form {
    /// The path of its manifest.
    pub fn manifest(self) -> &'static str {
        match self {
            Self::Plugin => "plugin.json",
            Self::Claude => ".claude-plugin/plugin.json",
            Self::Codex => ".codex-plugin/plugin.json",
            Self::Gemini => "gemini-extension.json",
        }
    }

    /// All files of the plugin or extension.
    pub fn package(self, about: &About, skills: &[Named]) -> Tree {
        let mut package = Tree::new();
        let mut manifest = json!({
            "name": about.name,
            "version": about.version,
            "description": about.description,
        });
        match self {
            Self::Plugin => manifest["$schema"] = json!(AGENT_PLUGINS),
            Self::Codex => manifest["skills"] = json!("./skills/"),
            Self::Claude | Self::Gemini => {}
        }
        if self != Self::Gemini {
            manifest["author"] = json!({ "name": about.author });
            if let Some(license) = &about.license {
                manifest["license"] = json!(license);
            }
        }
        if let Some((path, market)) = self.market(about) {
            package.put(path, pretty(&market));
        }
        package.put(self.manifest(), pretty(&manifest));
        for (name, tree) in skills {
            for (path, blob) in shipped(tree) {
                package.put_blob(format!("skills/{name}/{path}"), blob.clone());
            }
        }
        package
    }

    /// The marketplace with the package as its only offer, where the client installs from nothing else.
    fn market(self, about: &About) -> Option<(&'static str, Value)> {
        let About { name, description, author, .. } = about;
        match self {
            Self::Claude => {
                let offer = json!({ "name": name, "source": "./", "description": description });
                let owner = json!({ "name": author });
                let market = json!({ "name": name, "description": description, "owner": owner, "plugins": [offer] });
                Some((".claude-plugin/marketplace.json", market))
            }
            Self::Codex => {
                let offer = json!({
                    "name": name,
                    "source": { "source": "local", "path": "./" },
                    "policy": { "installation": "AVAILABLE", "authentication": "ON_INSTALL" },
                    "category": "Productivity",
                });
                Some((".agents/plugins/marketplace.json", json!({ "name": name, "plugins": [offer] })))
            }
            Self::Plugin | Self::Gemini => None,
        }
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// The files of a skill that belong in a package: without evals, caches and files of operating systems.
fn shipped(tree: &Tree) -> impl Iterator<Item = (&str, &super::Blob)> {
    let left_out = |path: &str| {
        path.starts_with("evals/")
            || path.split('/').any(|part| matches!(part, "__pycache__" | "node_modules" | ".DS_Store"))
            || path.ends_with(".pyc")
    };
    tree.iter().filter(move |(path, _)| !left_out(path))
}

/// A `.skill` archive: a ZIP file with the skill's folder. Its entries are sorted and have a fixed date.
/// Errors: more than 4 GB, the limit of the format.
pub fn archive((name, tree): &Named) -> ZipResult<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, blob) in shipped(tree) {
        let mode = if blob.executable { 0o755 } else { 0o644 };
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(mode);
        zip.start_file(format!("{name}/{path}"), options)?;
        zip.write_all(&blob.bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn skill() -> Named {
        let mut tree = Tree::new();
        tree.put("SKILL.md", "---\nname: a-b\n---\n");
        tree.put("evals/evals.json", "{}");
        tree.put("scripts/__pycache__/x.pyc", "x");
        tree.put_blob("scripts/run.sh", crate::skill::Blob { bytes: b"#!/bin/sh\n".to_vec(), executable: true });
        ("a-b".to_owned(), tree)
    }

    fn about() -> About {
        About {
            name: "a-b".into(),
            version: "1.0.2".into(),
            description: "Does a and b.".into(),
            author: "ana".into(),
            license: Some("MIT".into()),
        }
    }

    #[test]
    fn an_archive_holds_the_folder_and_is_the_same_every_time() {
        let bytes = archive(&skill()).unwrap();
        assert_eq!(bytes, archive(&skill()).unwrap());
        let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let names: Vec<String> = zip.file_names().map(|name| name.to_owned()).collect();
        assert_eq!(names, ["a-b/SKILL.md", "a-b/scripts/run.sh"]);
        let mut script = zip.by_name("a-b/scripts/run.sh").unwrap();
        assert_eq!(script.unix_mode().map(|mode| mode & 0o777), Some(0o755));
        let mut text = String::new();
        script.read_to_string(&mut text).unwrap();
        assert_eq!(text, "#!/bin/sh\n");
    }

    #[test]
    fn every_form_has_its_manifest_and_the_skills() {
        for form in [Form::Plugin, Form::Claude, Form::Codex, Form::Gemini] {
            let package = form.package(&about(), &[skill()]);
            let manifest: Value = serde_json::from_str(package.text(form.manifest()).unwrap()).unwrap();
            assert_eq!((&manifest["name"], &manifest["version"]), (&json!("a-b"), &json!("1.0.2")), "{form:?}");
            assert!(
                package.get("skills/a-b/SKILL.md").is_some() && package.get("skills/a-b/evals/evals.json").is_none()
            );
            assert!(package.get("skills/a-b/scripts/run.sh").unwrap().executable);
        }
        let plugin = Form::Plugin.package(&about(), &[skill()]);
        let keys: Value = serde_json::from_str(plugin.text("plugin.json").unwrap()).unwrap();
        assert_eq!(keys["$schema"], AGENT_PLUGINS);
        let market = Form::Claude.package(&about(), &[skill()]);
        let market: Value = serde_json::from_str(market.text(".claude-plugin/marketplace.json").unwrap()).unwrap();
        assert_eq!(market["plugins"][0]["source"], "./");
    }
}
