//! The three numbers of a semantic version, for comparison.

/// Major, minor and patch of a semantic version; a pre-release or build suffix is allowed.
pub fn semver(text: &str) -> Option<[u64; 3]> {
    let core = text.split(['-', '+']).next()?;
    let mut parts = core.split('.').map(|part| {
        let plain = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        part.parse().ok().filter(|_| plain && (part == "0" || !part.starts_with('0')))
    });
    let version = [parts.next()??, parts.next()??, parts.next()??];
    let rest = text.get(core.len()..)?;
    let tidy = rest.bytes().all(|b| b.is_ascii_alphanumeric() || b"-+.".contains(&b)) && rest.len() != 1;
    (parts.next().is_none() && tidy).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_three_numbers() {
        assert_eq!(semver("1.20.3"), Some([1, 20, 3]));
        assert_eq!(semver("1.0.0-rc.1"), Some([1, 0, 0]));
        for bad in ["1.0", "v1.0.0", "1.0.0.0", "01.0.0", "1.0.x", "", "1.0.0-", "1.0.0-a b"] {
            assert_eq!(semver(bad), None, "{bad:?}");
        }
    }
}
