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
    /// Whether the registry lists it.
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
    let edited = || if sound() { CopyState::Edited } else { CopyState::Invalid };
    Some(match (known.found, known.base) {
        _ if known.unreadable => CopyState::Invalid,
        (None, _) if known.registered => CopyState::Missing,
        (None, _) => return None,
        (Some(_), None) if !known.registered => CopyState::Foreign,
        (Some(_), None) if known.agrees => CopyState::Same,
        (Some(found), Some(base)) if found == base && known.current => CopyState::Same,
        (Some(found), Some(base)) if found == base => CopyState::Outdated,
        (Some(_), _) => edited(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_its_evidence() {
        use CopyState::{Edited, Foreign, Invalid, Missing, Outdated, Same};
        let ours =
            Evidence { registered: true, base: Some("a"), found: Some("a"), current: true, ..Evidence::default() };
        let state = |known: Evidence<'_>, sound| copy_state(&known, || sound);
        assert_eq!(state(ours, false), Some(Same), "what was installed was acceptable");
        assert_eq!(state(Evidence { current: false, ..ours }, true), Some(Outdated));
        assert_eq!(state(Evidence { found: Some("b"), ..ours }, true), Some(Edited));
        assert_eq!(state(Evidence { found: Some("b"), ..ours }, false), Some(Invalid));
        assert_eq!(state(Evidence { unreadable: true, ..ours }, true), Some(Invalid));
        assert_eq!(state(Evidence { found: None, ..ours }, true), Some(Missing));
        assert_eq!(state(Evidence { found: None, registered: false, ..ours }, true), None);
        assert_eq!(state(Evidence { registered: false, ..ours }, true), Some(Same));
        let unknown = Evidence { base: None, ..ours };
        assert_eq!(state(unknown, true), Some(Edited));
        assert_eq!(state(Evidence { agrees: true, ..unknown }, true), Some(Same));
        assert_eq!(state(Evidence { registered: false, ..unknown }, true), Some(Foreign));
        assert!(CopyState::ALL.iter().all(|state| (*state == Same) == state.action("x", "claude").is_none()));
    }
}
