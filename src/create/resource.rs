//! Files a skill brings along in `scripts/`, `references/` or `assets/`.

use serde_json::{Value, json};

use super::{Run, checks, validate};
use crate::error::{Code, Error, Result};
use crate::rules;
use crate::rules::input::{Field, Refusal, refuse};
use crate::skill::{Blob, printable};
use crate::system;

/// A file brought along in `scripts/`, `references/` or `assets/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its path inside the skill, such as `scripts/run.sh`.
    pub path: String,
    /// Its content. Scripts are executable.
    pub blob: Blob,
}

impl Resource {
    /// The form in the working memory: text as text, anything else in hexadecimal.
    pub fn json(&self) -> Value {
        let executable = self.blob.executable;
        match std::str::from_utf8(&self.blob.bytes) {
            Ok(text) => json!({ "path": self.path, "executable": executable, "text": text }),
            Err(_) => {
                let hex: String = self.blob.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                json!({ "path": self.path, "executable": executable, "hex": hex })
            }
        }
    }

    /// Reads back what [`Resource::json`] wrote.
    pub fn from_json(kept: &Value) -> Option<Self> {
        let bytes = match (kept["text"].as_str(), kept["hex"].as_str()) {
            (Some(text), _) => text.as_bytes().to_vec(),
            (None, Some(hex)) => {
                let pairs = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
                pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect::<Option<_>>()?
            }
            (None, None) => return None,
        };
        let blob = Blob { bytes, executable: kept["executable"].as_bool()? };
        Some(Self { path: kept["path"].as_str()?.to_owned(), blob })
    }
}

/// Reads `KIND:PATH`. Errors: E-USAGE-001 for another form, E-IO-001 when the file cannot be read, E-CREATE-009 when
/// its name or place is refused, E-CREATE-005 when it contains what must not be stored.
pub(super) fn read(run: &mut Run<'_>, spec: &str) -> Result<Resource> {
    let wrong = || {
        Error::new(Code::Usage, format!("`{}` is not KIND:PATH, e.g. `scripts:run.sh`", printable(spec)))
            .suggest("KIND is scripts, references or assets.")
            .usage("hefesto create ... --resource KIND:PATH")
    };
    if let Some(refusal) = secret(spec) {
        return Err(checks::refused(run, "resource", spec, &refusal));
    }
    let (kind, path) = spec.split_once(':').ok_or_else(wrong)?;
    let kind = kind_of(kind).ok_or_else(wrong)?;
    let full = run.env.cwd.join(path);
    let bytes = system::input::read_inside(&[&run.env.cwd, run.project.root()], &full)?;
    let name = full.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    make(kind, &name, bytes)
        .and_then(|resource| keepable(run, [(resource.path.as_str(), &resource.blob)]).map(|()| resource))
}

/// Checks files before their content is stored with the run.
/// Errors: E-CREATE-005 with every credential, piece of personal data and private address.
pub(super) fn keepable<'b>(run: &mut Run<'_>, files: impl IntoIterator<Item = (&'b str, &'b Blob)>) -> Result<()> {
    let mut findings = Vec::new();
    for (path, blob) in files {
        let of_file = rules::unkeepable(path, blob);
        if let Some(first) = of_file.first() {
            checks::note_refused(run, path, &String::from_utf8_lossy(&blob.bytes), &first.rule);
        }
        findings.extend(of_file);
    }
    if findings.is_empty() {
        return Ok(());
    }
    Err(validate::invalid(findings))
}

/// Refuses a path or a name that contains a credential.
fn secret(path: &str) -> Option<Refusal> {
    refuse(path, Field::Answer).filter(|refusal| refusal.kind == "T0-HEFESTO-11.secret")
}

/// The directory of a kind of resource, named in full or in the singular.
fn kind_of(word: &str) -> Option<&'static str> {
    match word.trim().to_ascii_lowercase().as_str() {
        "scripts" | "script" => Some("scripts"),
        "references" | "reference" => Some("references"),
        "assets" | "asset" => Some("assets"),
        _ => None,
    }
}

/// Makes a resource of this kind and file name; the name is one plain path component.
/// Errors: E-CREATE-009 when the name is anything else.
pub(super) fn make(kind: &'static str, name: &str, bytes: Vec<u8>) -> Result<Resource> {
    if let Some(refusal) = secret(name) {
        return Err(checks::refusal_error("name of the resource", &refusal));
    }
    let plain = !name.is_empty()
        && name.len() <= 100
        && !name.starts_with(['.', '-'])
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    if !plain {
        let why = "is not a plain file name (T0-HEFESTO-11): no directories, no leading dot or hyphen";
        return Err(Error::new(Code::CreateUnsafeInput, format!("{name:?} {why}"))
            .suggest("Use letters, digits, `.`, `-` and `_`, for example `run.sh`."));
    }
    Ok(Resource { path: format!("{kind}/{name}"), blob: Blob { bytes, executable: kind == "scripts" } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_is_kept_byte_for_byte() {
        for bytes in [b"#!/bin/sh\n".to_vec(), vec![0, 0xff, 0x0a], Vec::new()] {
            let resource = Resource { path: "scripts/a".into(), blob: Blob { bytes, executable: true } };
            assert_eq!(Resource::from_json(&resource.json()), Some(resource));
        }
        assert_eq!(Resource::from_json(&json!({ "path": "a", "executable": false, "hex": "0g" })), None);
    }
}
