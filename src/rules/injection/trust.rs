//! How trustworthy a download that is run is: whether it is only mentioned, and whether its source is accountable.
//!
//! Every function takes one line in lower case and where in it the fetch begins.

use memchr::memmem;

use super::signs::DROP_HOSTS;
use crate::rules::words::words;

/// Anonymous paste services.
const PASTES: &[&str] = &[
    "//gist.githubusercontent.com", "//gist.github.com", "//pastebin.com", "//paste.", "//hastebin.com", "//ghostbin.",
];

/// Whether the fetch that begins here is only mentioned, in a comment or in printed text.
pub(super) fn is_mentioned(line: &str, at: usize) -> bool {
    let before = line.get(..at).unwrap_or("");
    let start = before.trim_start();
    let comment = start.starts_with(['#', '*']) || start.starts_with("//") || start.starts_with("rem ");
    let printed = words![
        "echo ", "printf ", "print(", "console.log(", "write-host ", "write-output ", "logger.", "log(", "usage:"
    ];
    comment || printed.are_in(before) && !before.contains("$(")
}

/// Whether the source of the fetch that begins here is unaccountable: no encryption, no verification, an IP address;
/// `drops` is whether the line names a host that collects whatever is sent to it.
pub(super) fn is_unsafe(line: &str, at: usize, drops: bool) -> bool {
    let Some(rest) = line.get(at..) else { return false };
    let end = memchr::memchr(b'|', rest.as_bytes()).unwrap_or(rest.len());
    let Some(rest) = rest.get(..end) else { return false };
    let unchecked = words!["--insecure", "--no-check-certificate", "-skipcertificatecheck"].are_in(rest)
        || rest.split_whitespace().any(|word| {
            word.starts_with('-')
                && !word.starts_with("--")
                && word.len() <= 6
                && word.contains('k')
                && rest.starts_with("curl")
        });
    let own = |host: &str| {
        ["localhost", "127.", "10.", "192.168.", "172.", "[::1]", "0.0.0.0", "host.docker"]
            .iter()
            .any(|start| host.starts_with(start))
    };
    let mut hosts = memmem::find_iter(rest.as_bytes(), "://").map(|at| (rest.get(..at), rest.get(at + 3..)));
    let asks_nobody = |(before, host): (Option<&str>, Option<&str>)| {
        let (Some(before), Some(host)) = (before, host) else { return false };
        let open = || host.starts_with(|c: char| c.is_ascii_alphanumeric()) && !host.starts_with("http://");
        let by_number = || {
            let name = host.split(['/', ':', ' ', '"', '\'']).next().unwrap_or("");
            name.parse::<std::net::Ipv4Addr>().is_ok()
        };
        (before.ends_with("http") && open() || before.ends_with("https") && by_number()) && !own(host)
    };
    let dropped = drops && words!(DROP_HOSTS).are_in(rest) || words!(PASTES).are_in(rest);
    unchecked || dropped || hosts.any(asks_nobody)
}
