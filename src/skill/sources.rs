//! URLs a skill may cite: public `http(s)` ones, kept exactly as given and never fetched.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::Language;
use super::body::Phrases;

/// The longest address, in bytes.
const LONGEST: usize = 500;

/// Host names of the machine itself or of private networks (RFC 6761, RFC 6762, RFC 8375).
const PRIVATE: &[&str] = &["localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "arpa"];

/// The text with its sources at its end: those given, unchanged, then those that files link to, with the file. An
/// existing section of sources at the end is extended.
pub fn cited(text: &str, given: &[String], linked: &[(&str, &str)], language: Language) -> String {
    let phrases = Phrases::of(language);
    let mut known: Vec<&str> = Vec::new();
    let mut lines = String::new();
    let given = given.iter().map(|url| (url.as_str(), None));
    for (url, from) in given.chain(linked.iter().map(|(url, from)| (*url, Some(*from)))) {
        if !known.contains(&url) && !text.contains(&format!("- {url}\n")) {
            known.push(url);
            let from = from.map(|from| format!(" ({} {from})", phrases.linked)).unwrap_or_default();
            lines.push_str(&format!("- {url}{from}\n"));
        }
    }
    if lines.is_empty() {
        return text.to_owned();
    }
    let heading = format!("## {}", phrases.sources);
    let text = text.trim_end();
    let last = text.rfind("\n## ").and_then(|at| text.get(at + 1..)?.lines().next());
    let begin = if last == Some(heading.as_str()) { "\n".to_owned() } else { format!("\n\n{heading}\n\n") };
    format!("{text}{begin}{lines}")
}

/// Says why an address cannot be cited.
/// Errors: a clause without a full stop that does not repeat the address.
pub fn check(url: &str) -> Result<(), &'static str> {
    if url.len() > LONGEST {
        return Err("it is longer than 500 bytes");
    }
    if url.chars().any(|c| c.is_whitespace() || c.is_control() || "<>\"`{}|\\^".contains(c)) {
        return Err("it contains a character that must be percent-encoded");
    }
    if url.contains("$ARGUMENTS") {
        return Err("it contains the placeholder for arguments");
    }
    let lower = url.to_ascii_lowercase();
    let scheme = ["https://", "http://"].into_iter().find(|scheme| lower.starts_with(scheme));
    let rest =
        scheme.and_then(|scheme| url.get(scheme.len()..)).ok_or("it begins with neither https:// nor http://")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err("it contains a user name or a password");
    }
    host(authority)
}

fn host(authority: &str) -> Result<(), &'static str> {
    if let Some(bracketed) = authority.strip_prefix('[') {
        let (address, port) = bracketed.split_once(']').ok_or("its host is not an address")?;
        self::port(port.strip_prefix(':').unwrap_or(port))?;
        let address: Ipv6Addr = address.parse().map_err(|_| "its host is not an address")?;
        return if public(IpAddr::V6(address)) { Ok(()) } else { Err("its host is private") };
    }
    let (name, port) = authority.split_once(':').unwrap_or((authority, ""));
    self::port(port)?;
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let labels: Vec<&str> = name.split('.').collect();
    let last = labels.last().copied().unwrap_or_default();
    // A host that ends in a number is an IPv4 address to a browser, in any notation (WHATWG URL).
    if last.starts_with(|c: char| c.is_ascii_digit()) && last.chars().all(|c| c.is_ascii_hexdigit() || c == 'x') {
        let address: Ipv4Addr = name.parse().map_err(|_| "its host is not an address")?;
        return if public(IpAddr::V4(address)) { Ok(()) } else { Err("its host is private") };
    }
    let good = |label: &&str| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
    };
    if !labels.iter().all(good) {
        return Err("its host is not a name");
    }
    if labels.len() < 2 || PRIVATE.contains(&last) {
        return Err("its host is private");
    }
    Ok(())
}

fn port(port: &str) -> Result<(), &'static str> {
    let is_port = port.is_empty() || port.parse::<u16>().is_ok_and(|port| port > 0);
    is_port.then_some(()).ok_or("its port is not a number")
}

/// Whether it is publicly reachable (RFC 6890: the standard library's checks and the missing ones).
fn public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            !(v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_multicast()
                || v4.is_documentation()
                || a == 0
                || a >= 240
                || (a == 100 && (64..128).contains(&b))
                || (a == 198 && (b == 18 || b == 19))
                || (a == 192 && b == 0 && c == 0))
        }
        IpAddr::V6(v6) => {
            let first = v6.segments()[0];
            v6.to_ipv4().is_none_or(|v4| public(IpAddr::V4(v4)))
                && !(v6.is_loopback()
                    || v6.is_unspecified()
                    || v6.is_multicast()
                    || first & 0xfe00 == 0xfc00
                    || first & 0xffc0 == 0xfe80
                    || (first == 0x2001 && v6.segments()[1] == 0x0db8))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_cited_once_and_with_their_file() {
        let given = ["https://b.example".to_owned()];
        let text = cited("# X\n\nText.\n", &given, &[("https://a.example/x", "n.md")], Language::En);
        let section = "## Sources\n\n- https://b.example\n- https://a.example/x (linked in n.md)\n";
        assert_eq!(text, format!("# X\n\nText.\n\n{section}"));
        assert_eq!(cited(&text, &given, &[], Language::En), text);
    }

    #[test]
    fn public_addresses_are_taken_as_they_are() {
        for url in [
            "https://www.rfc-editor.org/rfc/rfc5322",
            "http://example.com",
            "HTTPS://Example.com:8443/a?b=c#d",
            "https://8.8.8.8/x",
            "https://[2606:4700::1111]/",
            "https://münchen.example/ä",
            "https://en.wikipedia.org/wiki/Set_(mathematics)",
        ] {
            assert_eq!(check(url), Ok(()), "{url}");
        }
    }

    #[test]
    fn credentials_private_hosts_and_other_schemes_are_refused() {
        for url in [
            "", "ftp://example.com", "javascript:alert(1)", "https://", "https:///x", "example.com",
            "https://user:pw@example.com", "https://token@example.com/x", "http://localhost", "http://localhost:80/x",
            "http://wiki/page", "http://build.internal", "http://printer.local.", "http://127.0.0.1", "http://127.1",
            "http://0x7f.1", "http://2130706433", "http://10.1.2.3", "http://192.168.0.1", "http://172.20.0.1",
            "http://169.254.169.254/latest", "http://100.64.0.1", "http://0.0.0.0", "http://[::1]/",
            "http://[fd00::1]/", "http://[::ffff:10.0.0.1]/", "http://[fe80::1]", "http://a b.com", "https://a..com",
            "https://-a.com", "https://a.com:99999", "https://a.com/<x>", "https://a.com/{{args}}",
            "https://a.com/$ARGUMENTS",
        ] {
            assert!(check(url).is_err(), "{url}");
        }
    }
}
