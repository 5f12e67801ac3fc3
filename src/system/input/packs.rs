//! Domain packs that come with hefesto, of the user and of the project.

use super::{Places, read_text};
use crate::error::{Code, Error, Result};
use crate::report::Slashed;
use crate::skill::pack::Source;
use crate::system::rooted::Rooted;

/// The directory of packs beside the templates.
pub(super) const DOMAINS: &str = "domains";
/// At most so many packs are read from one directory.
const MOST: usize = 64;

/// Every pack; a later one stands in place of an earlier one of the same id, so the project's comes
/// last.
/// Errors: E-IO-001 for a file that cannot be read, E-CONFIG-001 for more than 64 in a directory.
pub fn packs(places: &Places) -> Result<Vec<Source>> {
    let mut packs: Vec<Source> = Source::built_in().collect();
    for (dir, _) in places.iter().rev() {
        let dir = dir.join(DOMAINS);
        let names = dir.list().unwrap_or_default().into_iter().filter_map(|(name, _)| name.into_string().ok());
        let mut ids: Vec<String> = names.filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned())).collect();
        ids.sort();
        if ids.len() > MOST {
            return Err(Error::new(Code::Config, format!("{} holds more than {MOST} packs", dir.path().slashed()))
                .suggest("Keep the packs that are needed there."));
        }
        for id in ids {
            let text = read_text(&dir.join(format!("{id}.toml")))?;
            packs.push(Source::own(id, text));
        }
    }
    Ok(packs)
}

/// The file of a pack; none if it comes with hefesto.
pub fn pack_file(places: &Places, id: &str) -> Option<Rooted> {
    let mut files = places.iter().map(|(dir, _)| dir.join(DOMAINS).join(format!("{id}.toml")));
    files.find(Rooted::is_file)
}
