//! The state of a copy compared with what was installed, and what to do about it.

word_enum! {
    CopyState {
        /// Unchanged since it was installed.
        Same = "same",
        /// Changed since.
        Edited = "edited",
        /// Registered, but not on disk.
        Missing = "missing",
        /// On disk, but never installed or registered.
        Foreign = "foreign",
        /// Unchanged, but another copy was installed in a later version.
        Outdated = "outdated",
        /// Changed and invalid, or not readable as a skill.
        Invalid = "invalid",
    }
}

impl CopyState {
    /// What to do about it, in one sentence; none if there is nothing to do.
    pub fn action(self, name: &str, client: &str) -> Option<String> {
        Some(match self {
            Self::Same => return None,
            Self::Edited => {
                format!("`hefesto sync {name}` brings the edit to every copy; `hefesto diff {name}` shows it.")
            }
            Self::Missing => {
                format!("`hefesto sync {name}` brings it back; `hefesto repair` takes it off the registry.")
            }
            Self::Foreign => format!("`hefesto adopt {name}` registers it as it is."),
            Self::Outdated => format!("`hefesto sync {name}` brings the later version here."),
            Self::Invalid => {
                format!("`hefesto validate {name} --cli {client}` says what is wrong; `hefesto edit {name}` opens it.")
            }
        })
    }
}

/// The evidence about a copy.
#[derive(Debug, Clone, Copy, Default)]
pub struct Evidence<'e> {
    pub registered: bool,
    /// The digest of what was installed.
    pub base: Option<&'e str>,
    /// The digest of what is on disk.
    pub found: Option<&'e str>,
    /// Whether something exists that is no readable skill.
    pub unreadable: bool,
    /// Whether no other copy was installed in a later version.
    pub current: bool,
    /// If it is unknown what was installed: whether all copies are equal.
    pub agrees: bool,
}

/// The state of a copy; none if nothing exists or is expected. `sound`: whether an edited copy is valid.
pub fn copy_state(known: &Evidence<'_>, sound: impl FnOnce() -> bool) -> Option<CopyState> {
    Some(match (known.found, known.base) {
        _ if known.unreadable => CopyState::Invalid,
        (None, _) if known.registered => CopyState::Missing,
        (None, _) => return None,
        (Some(_), None) if !known.registered => CopyState::Foreign,
        (Some(_), None) if known.agrees => CopyState::Same,
        (Some(found), Some(base)) if found == base && known.current => CopyState::Same,
        (Some(found), Some(base)) if found == base => CopyState::Outdated,
        (Some(_), _) if sound() => CopyState::Edited,
        (Some(_), _) => CopyState::Invalid,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_its_evidence() {
        use CopyState::{Edited, Foreign, Invalid, Missing, Outdated, Same};
        let (base, found) = (Some("a"), Some("a"));
        let ours = Evidence { registered: true, base, found, current: true, ..Evidence::default() };
        let unknown = Evidence { base: None, ..ours };
        for (known, sound, state) in [
            // What was installed was acceptable.
            (ours, false, Some(Same)),
            (Evidence { current: false, ..ours }, true, Some(Outdated)),
            (Evidence { found: Some("b"), ..ours }, true, Some(Edited)),
            (Evidence { found: Some("b"), ..ours }, false, Some(Invalid)),
            (Evidence { unreadable: true, ..ours }, true, Some(Invalid)),
            (Evidence { found: None, ..ours }, true, Some(Missing)),
            (Evidence { found: None, registered: false, ..ours }, true, None),
            (Evidence { registered: false, ..ours }, true, Some(Same)),
            (unknown, true, Some(Edited)),
            (Evidence { agrees: true, ..unknown }, true, Some(Same)),
            (Evidence { registered: false, ..unknown }, true, Some(Foreign)),
        ] {
            assert_eq!(copy_state(&known, || sound), state, "{known:?}");
        }
        assert!(CopyState::ALL.iter().all(|state| (*state == Same) == state.action("x", "claude").is_none()));
    }
}
