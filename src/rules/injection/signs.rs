//! Signs of an attack other than commands: suspicious hosts, credential files, persistence, encoded text.

use std::net::Ipv4Addr;

use crate::rules::{Cause, Id, Lines, Severity, Signal, ahead, behind};

use super::{Shape, Suspicion, TextKind};
use crate::rules::words::{Words, words};

pub(super) const DROP_HOSTS: &[&str] = &[
    "webhook.site", "requestbin", "pipedream.net", "burpcollaborator", "interact.sh", "oast.fun", "oast.pro",
    "oast.live", "oast.me", "oastify.com", "ngrok-free.app", "ngrok.io", "trycloudflare.com", "pastebin.com/raw",
    "rentry.co/", "glot.io/snippets", "transfer.sh", "//file.io", "discord.com/api/webhooks",
    "discordapp.com/api/webhooks", "api.telegram.org/bot", "beeceptor.com", "hookbin.com", "dnslog.cn", "0x0.st",
];
pub(super) const SHORTENERS: &[&str] = &[
    "://bit.ly/", "://tinyurl.com/", "://t.co/", "://goo.gl/", "://is.gd/", "://cutt.ly/", "://rebrand.ly/",
    "://ow.ly/", "://shorturl.at/", "://tiny.cc/",
];
pub(super) const GUARDS: &[&str] = &[
    "--dangerously-skip-permissions", "--dangerously-bypass-approvals", "dangerouslyskippermissions",
    "bypasspermissions", "chmod 777", "chmod -r 777", "set-executionpolicy bypass", "-executionpolicy bypass",
    "setenforce 0", "spctl --master-disable", "xattr -d com.apple.quarantine", "csrutil disable",
    "disablerealtimemonitoring", "ufw disable", "stricthostkeychecking=no", "nopasswd:all", "nopasswd: all",
    "chmod u+s /bin",
];
pub(super) const CREDENTIALS: &[&str] = &[
    ".ssh/id_", "'.ssh'", "\".ssh\"", "'id_rsa'", "\"id_rsa\"", "'id_ed25519'", "\"id_ed25519\"", ".aws/credentials",
    ".netrc", ".git-credentials", ".docker/config.json", ".kube/config", ".gnupg/", "wallet.dat", "login data",
    "/etc/shadow", "keychain-db", ".config/gh/hosts", ".config/gcloud", "find-generic-password", "cookies.sqlite",
    ".npmrc", ".pypirc", ".claude/.credentials",
];
pub(super) const SENDERS: &[&str] = &[
    "curl -d", "curl -x post", "curl -f ", "curl -s -x post", "--data-binary", "--data @", "-d @", "--upload-file",
    "requests.post(", "urlopen(", "httpx.post(", "axios.post(", "http.client", "sendbeacon(", "scp ", "smtplib",
    "invoke-restmethod", "| nc ", "net.socket(", "-f file=@", "-f \"file=@", "wget --post", "method: 'post'",
    "method: \"post\"", "method=\"post\"", "method='post'",
];
/// How code walks through all variables of the environment.
pub(super) const ENVIRONMENTS: &[&str] = &[
    "os.environ.items(", "object.entries(process.env", "object.keys(process.env", "in os.environ:", "env.to_h",
    "env.select",
];
pub(super) const PERSISTENT: &[&str] = &[
    ".bashrc", ".zshrc", ".bash_profile", ".zprofile", "~/.profile", "crontab", "/etc/cron", "launchagents",
    "launchdaemons", "authorized_keys", "currentversion\\run", "schtasks", ".git/hooks/", "/etc/rc.local",
    "systemctl enable", "systemctl --user enable", "claude.md", "agents.md", "gemini.md", ".claude/settings",
    "/etc/ld.so.preload",
];
/// Length from which a run of base64 letters is worth a look.
const BLOB: usize = 200;
/// How much before a blob may say what it is, in bytes.
const BEFORE_BLOB: usize = 200;

/// A line that writes to a place whose content runs by itself later.
pub(super) fn persisted(line: &str) -> Option<usize> {
    let at = words!(PERSISTENT).first(line)?;
    let by_itself =
        words!["schtasks /create", "systemctl enable", "systemctl --user enable", "| crontab", "crontab -l |"];
    let written = words![
        ">> ", ">>~", ">>$", ">>/", "tee -a", "tee ~", "tee /", "> ~/", "> /etc", "> $home", "cp ", "append ",
        "reg add",
    ];
    let into = line.get(..at).is_some_and(|before| written.are_in(before));
    (into || by_itself.are_in(line)).then_some(at)
}

pub(super) fn across_lines(text: &str, kind: TextKind, signals: &[Signal], found: &mut Vec<Suspicion>) {
    let of_shape = |shape: Shape| signals.iter().filter(move |signal| signal.cause == Cause::Line(shape));
    let first = |shape: Shape| of_shape(shape).next().map(|signal| signal.at);
    if let (Some(offset), Some(_)) = (first(Shape::Credential), first(Shape::Send)) {
        let private = || of_shape(Shape::Credential).find(|signal| is_opened(text, signal)).map(|signal| signal.at);
        let (offset, severity) = match (kind == TextKind::Script).then(private).flatten() {
            Some(at) => (at, Severity::Error),
            None => (offset, Severity::Warning),
        };
        let message = "reads a credentials file, and the same file sends data out";
        found.push(Suspicion::new(offset, Id::Injection, severity, message));
    }
    if kind == TextKind::Script
        && first(Shape::Send).is_some()
        && let Some(offset) = of_shape(Shape::Environment).map(|signal| signal.at).find(|at| is_harvest(text, *at))
    {
        let message = "reads secrets from the environment, and the same file sends data out";
        found.push(Suspicion::new(offset, Id::Injection, Severity::Error, message));
    }
    let socket = || text.contains("socket.socket(");
    if let Some(offset) = first(Shape::Bind).filter(|_| socket())
        && !found.iter().any(|one| one.message.contains("another machine"))
    {
        let message = "binds a shell to a connection to another machine";
        found.push(Suspicion::new(offset, Id::RemoteExec, Severity::Error, message));
    }
    for signal in signals.iter().filter(|signal| signal.cause == Cause::Scheme && is_raw_address(text, signal.end)) {
        let message = "links to a public host by its IP address";
        found.push(Suspicion::new(signal.at, Id::Injection, Severity::Warning, message));
    }
    blobs(text, found);
}

/// Whether an iteration over the environment collects secrets.
fn is_harvest(text: &str, at: usize) -> bool {
    const NAMED: &[&str] = &[
        "\"token", "'token", "token\"", "token'", "\"secret", "'secret", "secret\"", "secret'", "api_key", "password",
    ];
    let around = [behind(text, at, 60), ahead(text, at, 200)].concat().to_ascii_lowercase();
    NAMED.iter().filter(|name| around.contains(**name)).count() >= 2
        && !words!["redact", "mask", "***", "not in", "pop("].are_in(&around)
}

/// Whether code opens a file that is never meant for a service: a private key, a wallet, browser passwords.
fn is_opened(text: &str, credential: &Signal) -> bool {
    static NEVER_SENT: Words = Words::of(&[
        ".ssh/id_", "'.ssh'", "\".ssh\"", "id_rsa", "id_ed25519", ".aws/credentials", ".gnupg/", "wallet.dat",
        "login data", "/etc/shadow", "keychain-db", "cookies.sqlite", ".claude/.credentials",
    ]);
    let before = behind(text, credential.at, 120).rsplit('\n').next().unwrap_or("").to_ascii_lowercase();
    let after = ahead(text, credential.end, 120).split('\n').next().unwrap_or("").to_ascii_lowercase();
    let name = text.get(credential.at..credential.end).unwrap_or("").to_ascii_lowercase();
    let calls = words![
        "open(", "readfile", "read_text", "read_bytes", "path(", "path.join(", "expanduser", "cat ", "get-content",
    ];
    let is_code = !before.trim_start().starts_with(['#', '*']) && !before.trim_start().starts_with("//");
    is_code && (calls.are_in(&before) || words![".read_", ".open("].are_in(&after)) && NEVER_SENT.are_in(&name)
}

/// `http://8.8.4.4/…`: an address that is public and not set aside for documentation.
fn is_raw_address(text: &str, start: usize) -> bool {
    let rest = ahead(text, start, 16);
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
    let Ok(address) = rest.get(..end).unwrap_or("").parse::<Ipv4Addr>() else { return false };
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_unspecified()
        || address.is_broadcast()
        || matches!(address.octets(), [1, 2, 3, 4] | [1, 1, 1, 1] | [8, 8, 8, 8] | [8, 8, 4, 4] | [224..=255, ..]);
    !special
}

/// Runs of base64 that are no image, checksum or path.
fn blobs(text: &str, found: &mut Vec<Suspicion>) {
    let is_letter = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    for (start, line) in Lines::new(text).iter().filter(|(_, line)| line.len() >= BLOB) {
        let mut at = start;
        for run in line.as_bytes().split(|b| !is_letter(b)) {
            let span = at..at + run.len();
            at = span.end + 1;
            let before = behind(text, span.start, BEFORE_BLOB);
            if run.len() >= BLOB && text.get(span.clone()).is_some_and(|run| is_encoded(run, before)) {
                let message = "contains a long encoded text that nobody can read";
                found.push(Suspicion::new(span.start, Id::Injection, Severity::Warning, message));
            }
        }
    }
}

fn is_encoded(run: &str, before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or("").to_ascii_lowercase();
    let mixed = run.bytes().any(|b| b.is_ascii_uppercase())
        && run.bytes().any(|b| b.is_ascii_lowercase())
        && run.bytes().any(|b| b.is_ascii_digit());
    mixed && !line.contains("data:") && !line.contains("sha") && !run.contains("//")
}
