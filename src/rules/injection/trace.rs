//! Signs of an attack other than commands: where data goes, what is read, what persists, what readers do not see.

use std::net::Ipv4Addr;
use std::sync::LazyLock;

use crate::rules::finding::Severity;
use crate::rules::seeker::WordFinder;
use crate::rules::signals::{Cause, Signal};
use crate::rules::window::{ahead, behind};

use super::near::Near;
use super::parts::{Parts, parts};
use super::{Shape, Suspicion, TextKind, Threat};

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
    let at = parts!(PERSISTENT).first(line)?;
    let by_itself =
        parts!["schtasks /create", "systemctl enable", "systemctl --user enable", "| crontab", "crontab -l |"];
    let written = parts![
        ">> ", ">>~", ">>$", ">>/", "tee -a", "tee ~", "tee /", "> ~/", "> /etc", "> $home", "cp ", "append ",
        "reg add",
    ];
    let into = line.get(..at).is_some_and(|before| written.are_in(before));
    (into || by_itself.are_in(line)).then_some(at)
}

/// What only shows when more than one line is looked at.
pub(super) fn across_lines(text: &str, place: TextKind, signals: &[Signal], found: &mut Vec<Suspicion>) {
    let first = |wanted: Shape| signals.iter().find(|signal| signal.cause == Cause::Line(wanted)).map(|one| one.at);
    if let (Some(offset), Some(_)) = (first(Shape::Credential), first(Shape::Send)) {
        let private = || {
            let openers = Near::of(text, &OPENS);
            let mut named = signals.iter().filter(|signal| signal.cause == Cause::Line(Shape::Credential));
            named.find(|signal| is_opened(text, &openers, signal)).map(|signal| signal.at)
        };
        let (offset, severity) = match (place == TextKind::Script).then(private).flatten() {
            Some(at) => (at, Severity::Error),
            None => (offset, Severity::Warning),
        };
        let message = "reads a credentials file, and the same file sends data out";
        found.push(Suspicion { offset, kind: Threat::Injection, severity, message });
    }
    let harvest = || {
        let words = Near::of(text, &HARVEST);
        let mut walks = signals.iter().filter(|signal| signal.cause == Cause::Line(Shape::Environment));
        walks.find(|signal| is_harvest(text, &words, signal.at)).map(|signal| signal.at)
    };
    if place == TextKind::Script
        && first(Shape::Send).is_some()
        && first(Shape::Environment).is_some()
        && let Some(offset) = harvest()
    {
        let message = "reads secrets from the environment, and the same file sends data out";
        found.push(Suspicion { offset, kind: Threat::Injection, severity: Severity::Error, message });
    }
    let socket = || text.contains("socket.socket(");
    if let Some(offset) = first(Shape::Bind).filter(|_| socket())
        && !found.iter().any(|one| one.message.contains("another machine"))
    {
        let message = "binds a shell to a connection to another machine";
        found.push(Suspicion { offset, kind: Threat::RemoteExec, severity: Severity::Error, message });
    }
    for signal in signals.iter().filter(|signal| signal.cause == Cause::Scheme && is_raw_address(text, signal.end)) {
        let message = "links to a public host by its IP address";
        found.push(Suspicion { offset: signal.at, kind: Threat::Injection, severity: Severity::Warning, message });
    }
    blobs(text, found);
}

/// Words near an iteration over the environment: those that name a secret, and those that mask one.
const NAMED: [&str; 10] =
    ["\"token", "'token", "token\"", "token'", "\"secret", "'secret", "secret\"", "secret'", "api_key", "password"];
const MASKED: [&str; 5] = ["redact", "mask", "***", "not in", "pop("];
static HARVEST: LazyLock<WordFinder> = LazyLock::new(|| WordFinder::new(NAMED.into_iter().chain(MASKED)));

/// Whether an iteration over the environment collects secrets.
fn is_harvest(text: &str, words: &Near, at: usize) -> bool {
    let part = at - behind(text, at, 60).len()..at + ahead(text, at, 200).len();
    let there = words.within(part).fold(0_u32, |there, word| there | 1 << word);
    let named = there & ((1 << NAMED.len()) - 1);
    there == named && named.count_ones() >= 2
}

/// Calls that open a file, before its name and after it.
const OPENERS: [&str; 9] =
    ["open(", "readfile", "read_text", "read_bytes", "path(", "path.join(", "expanduser", "cat ", "get-content"];
const METHODS: [&str; 2] = [".read_", ".open("];
static OPENS: LazyLock<WordFinder> = LazyLock::new(|| WordFinder::new(OPENERS.into_iter().chain(METHODS)));

/// Whether a line of code opens a file that is never meant for a service: a private key, a wallet, a browser's
/// passwords.
fn is_opened(text: &str, openers: &Near, credential: &Signal) -> bool {
    static NEVER_SENT: Parts = Parts::of(&[
        ".ssh/id_", "'.ssh'", "\".ssh\"", "id_rsa", "id_ed25519", ".aws/credentials", ".gnupg/", "wallet.dat",
        "login data", "/etc/shadow", "keychain-db", "cookies.sqlite", ".claude/.credentials",
    ]);
    let before = behind(text, credential.at, 120);
    let before = memchr::memrchr(b'\n', before.as_bytes()).and_then(|end| before.get(end + 1..)).unwrap_or(before);
    let behind_it = ahead(text, credential.end, 120);
    let behind_it = memchr::memchr(b'\n', behind_it.as_bytes()).map_or(behind_it.len(), |end| end);
    let mut opened = openers.within(credential.at - before.len()..credential.at).any(|word| word < OPENERS.len());
    opened = opened || openers.within(credential.end..credential.end + behind_it).any(|word| word >= OPENERS.len());
    let code = || {
        let start = before.trim_start();
        !start.starts_with(['#', '*']) && !start.starts_with("//")
    };
    let name = || text.get(credential.at..credential.end).unwrap_or("").to_ascii_lowercase();
    opened && code() && NEVER_SENT.are_in(&name())
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

/// Runs of base64 that are no image, checksum or path. Only every `BLOB`-th byte is checked: a run of that length
/// contains one.
fn blobs(text: &str, found: &mut Vec<Suspicion>) {
    let bytes = text.as_bytes();
    let is_letter = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    let mut at = BLOB - 1;
    while let Some(byte) = bytes.get(at) {
        if !is_letter(byte) {
            at += BLOB;
            continue;
        }
        let before = bytes.get(..at).unwrap_or(&[]).iter().rev().take(BLOB).take_while(|b| is_letter(b)).count();
        let behind_it = bytes.get(at..).unwrap_or(&[]).iter().take_while(|b| is_letter(b)).count();
        let (start, end) = (at - before, at + behind_it);
        if end - start >= BLOB
            && text.get(start..end).is_some_and(|run| is_encoded(run, behind(text, start, BEFORE_BLOB)))
        {
            found.push(Suspicion {
                offset: start,
                kind: Threat::Injection,
                severity: Severity::Warning,
                message: "contains a long encoded text that nobody can read",
            });
        }
        at = end + BLOB;
    }
}

fn is_encoded(run: &str, before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or("").to_ascii_lowercase();
    let mixed = run.bytes().any(|b| b.is_ascii_uppercase())
        && run.bytes().any(|b| b.is_ascii_lowercase())
        && run.bytes().any(|b| b.is_ascii_digit());
    mixed && !line.contains("data:") && !line.contains("sha") && !run.contains("//")
}
