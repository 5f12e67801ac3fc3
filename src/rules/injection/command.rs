//! Commands that run unreviewed code: downloads, decoded text, password-protected archives, shells opened to another
//! machine.
//!
//! Every function takes one line in lower case and answers where in it the command begins, unless it says otherwise.

use memchr::memmem;

use super::signs::DROP_HOSTS;
use crate::rules::words::words;

const SHELLS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "node", "perl", "ruby", "php", "iex", "pwsh",
    "powershell", "invoke-expression", "deno", "bun", "osascript", "cmd",
];
/// The text before a command substitution: `bash <(…)`, `eval "$(…)"`.
const RUNNERS: &[&str] = &[
    "bash", "sh", "zsh", "source", "eval", "iex", "bash -c", "sh -c", "zsh -c", "python -c", "python3 -c", "python",
    "python3", "exec", "node -e", "perl -e", "ruby -e", "invoke-expression", "perl", "ruby", "node", ".",
];
pub(super) const FETCHERS: &[&str] = &[
    "curl", "wget", "iwr", "irm", "invoke-webrequest", "invoke-restmethod", "downloadstring(", "requests.get(",
    "urlopen(", "fetch(", "bitsadmin", "certutil", "mshta",
];
pub(super) const DECODERS: &[&str] = &[
    "base64", "xxd -r", "atob(", "buffer.from(", "b64decode", "fromhex(", "zlib.", "powershell", "pwsh",
    "fromcharcode", "openssl enc -d", "frombase64string", "marshal.loads", "| rev |",
];

pub(super) fn fetch(line: &str) -> Option<usize> {
    words!(FETCHERS).first_word(line)
}

/// The download that begins here, if it is piped, substituted or handed to something that runs it.
pub(super) fn fetched(line: &str, at: usize) -> Option<usize> {
    let rest = line.get(at..)?;
    let before = line.get(..at)?.trim_end_matches([' ', '"', '\'', '(', '$', '`', '<', '-']);
    let opened = line.get(before.len()..at).is_some_and(|gap| gap.contains(['(', '`']));
    let inner = opened && RUNNERS.iter().any(|shell| ends_in_word(before, shell));
    let object = line.contains("downloadstring") && (line.contains("iex") || line.contains("invoke-expression"));
    let code = ["requests.get(", "urlopen(", "fetch("].iter().any(|call| rest.starts_with(call))
        && words!["exec(", "eval(", "os.system(", "new function("].are_in(line);
    let windows = rest.starts_with("mshta http") || rest.starts_with("certutil") && rest.contains("-urlcache");
    (is_piped(rest) || inner || object || code || windows || is_started(rest)).then_some(at)
}

/// Whether a download is written to a file that the same line then starts: `curl -o x …; sh x`.
fn is_started(rest: &str) -> bool {
    if memchr::memchr3(b'&', b';', b'\n', rest.as_bytes()).is_none() {
        return false;
    }
    let mut steps = rest.split(['&', ';', '\n']).filter(|step| !step.trim().is_empty());
    let Some(fetch) = steps.next() else { return false };
    let words: Vec<&str> = fetch.split_whitespace().collect();
    let target = words.windows(2).find_map(|pair| match pair {
        ["-o" | "-o-" | "--output" | "-outfile" | ">" | "--output-document", file] => Some(*file),
        _ => None,
    });
    let remote = || words.iter().rev().find(|word| word.contains("://")).and_then(|url| url.rsplit('/').next());
    let Some(file) = target.or_else(remote).map(|file| file.trim_matches(['"', '\'', '`', ')'])) else { return false };
    let name = file.rsplit('/').next().unwrap_or(file);
    name.bytes().any(|b| b.is_ascii_alphanumeric())
        && steps.any(|step| {
            let mut words = step.split_whitespace().map(|word| word.trim_matches(['"', '\'', '`', ')']));
            let first = words.find(|word| !matches!(*word, "sudo" | "exec" | "env" | "nohup" | "start")).unwrap_or("");
            let own = |word: &str| word.rsplit('/').next() == Some(name);
            (first.contains('/') && own(first)) || (SHELLS.contains(&first) && words.any(own))
        })
}

pub(super) fn is_piped(rest: &str) -> bool {
    rest.contains('|') && rest.split('|').skip(1).any(starts_a_shell)
}

fn starts_a_shell(command: &str) -> bool {
    // A code span that ends in the middle of a sentence: `` …| sh`. ``
    let ends = ['"', '\'', '`', ')', ';', '.', ',', ':', '!', '?', '*', ']', '}', '\\'];
    let mut words = command
        .split_whitespace()
        .map(|word| word.trim_start_matches(['"', '\'', '`', '(', '{']).trim_end_matches(ends));
    let first = words.find(|word| !matches!(*word, "sudo" | "env" | "-e" | "-s" | "exec" | "command" | "nohup" | ""));
    let Some(first) = first else { return false };
    let name = first.rsplit('/').next().unwrap_or(first);
    let inline = matches!(name, "python" | "python3" | "node" | "perl" | "ruby" | "php")
        && words.next().is_some_and(|word| !word.is_empty() && word != "-" && !word.starts_with('#'));
    SHELLS.contains(&name) && !inline
}

pub(super) fn decoded(line: &str) -> Option<usize> {
    let to_text = words![
        "base64 -d", "base64 --decode", "base64 -decode", "xxd -r", "openssl base64 -d", "openssl enc -d", "| rev |",
    ];
    let in_code = words![
        "atob(", "b64decode", "buffer.from(", "fromhex(", "zlib.", "fromcharcode", "frombase64string", "marshal.loads",
    ];
    const RUN: &[&str] = &[
        "eval(", "exec(", "function(", "os.system(", "subprocess", "iex", "invoke-expression", "__import__(", "spawn(",
    ];
    let text = to_text.first(line).filter(|at| {
        line.get(*at..).is_some_and(is_piped)
            || (is_literal(line) && line.get(*at..).is_some_and(is_handed_on))
            || ["eval \"$(", "eval $(", "eval `", "bash -c \"$(", "sh -c \"$(", "bash <(", "sh <("]
                .iter()
                .any(|run| line.get(..*at).is_some_and(|before| before.contains(run)))
    });
    let code = in_code.first(line).and_then(|at| {
        let before = line.get(at.saturating_sub(120)..at).or_else(|| line.get(..at))?;
        // Most lines contain none of them.
        let run = |run: &&str| before.match_indices(run).any(|(begin, _)| is_run(before, begin, run));
        (words!(RUN).are_in(before) && RUN.iter().any(run)).then_some(at)
    });
    let shell = words!["powershell", "pwsh"].first(line).filter(|at| {
        line.get(*at..).is_some_and(|rest| words![" -enc ", " -encodedcommand ", " -ec ", " -e ja"].are_in(rest))
    });
    let hidden_link = words!["ahr0chm6ly", "ahr0cdovl"].first(line).filter(|at| {
        let begins = line.get(..*at).is_some_and(|before| before.ends_with([' ', '"', '\'', '`', '(', '<', '=']));
        let decodes = words![
            "base64 -d", "base64 --decode", "base64 -decode", "atob(", "b64decode", "frombase64", "buffer.from("
        ];
        begins && decodes.are_in(line)
    });
    text.or(code).or(shell).or(hidden_link)
}

/// Whether a call runs its argument. `function(` also begins ordinary functions in JavaScript, and `.exec(` searches a
/// text: they count only with a literal string.
fn is_run(before: &str, begin: usize, call: &str) -> bool {
    let ahead_of = before.get(..begin).unwrap_or("");
    let ordinary = call == "function(" && !ahead_of.ends_with("new ") || call == "exec(" && ahead_of.ends_with('.');
    let given = before.get(begin + call.len()..).unwrap_or("").trim_start();
    let owner = ["string.", "window.", "globalthis.", "self."].iter().find_map(|owner| given.strip_prefix(owner));
    !ordinary || owner.unwrap_or(given).is_empty() || given.starts_with(['"', '\'', '`'])
}

/// Whether the encoded text is in the line itself: `echo aGk= | base64 -d`, `base64 -d <<< aGk=`.
fn is_literal(line: &str) -> bool {
    ["echo ", "printf ", "<<<"].iter().any(|given| {
        line.split(given).skip(1).any(|rest| {
            let start = rest.trim_start_matches(['-', 'n', 'e', ' ', '"', '\'', '\\', '%', 's']);
            let word = start.split([' ', '"', '\'', '|', '`']).next().unwrap_or("");
            word.len() >= 12 && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
        })
    })
}

fn is_handed_on(rest: &str) -> bool {
    rest.split('|').skip(1).any(|command| {
        let first = command.split_whitespace().next().unwrap_or("");
        matches!(first, "xargs" | "curl" | "wget" | "nc" | "ncat")
    })
}

pub(super) fn password_archive(line: &str) -> Option<usize> {
    let archive = words![".zip", ".rar", ".7z"].first(line)?;
    let fetched = words!["download", "http", "curl ", "wget ", "baix", "descarg"].are_in(line);
    let opened = words!["unzip -p ", "7z x -p", "unrar x -p"].are_in(line)
        || (words!["extract", "unzip", "unpack", "extrai", "extrae", "descompact"].are_in(line)
            && words!["password", "pass:", "pass `", "passphrase", "senha", "contrase"].are_in(line));
    (fetched && opened).then_some(archive)
}

/// A program from the network that is to be started before anything works.
pub(super) fn required_program(line: &str) -> Option<usize> {
    const PROGRAMS: &[&str] = &[".exe", ".dmg", ".msi", ".scr", ".pkg"];
    let program = words!(PROGRAMS).first(line)?;
    let fetched = line.contains("http") && (line.contains("download") || line.contains("install"));
    let started = words!["run it", "run the", "execute", "launch", "open it", "start it"].are_in(line);
    let condition = words!["must", "required", "before", "prerequisite", "will not work", "won't work"];
    (fetched && started && condition.are_in(line)).then_some(program)
}

fn ends_in_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word)
        .is_some_and(|before| before.chars().next_back().is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_'))
}

pub(super) const CONNECTORS: &[&str] = &[
    "/dev/tcp/", "/dev/udp/", "nc -", "nc.traditional", "ncat ", "netcat ", "mkfifo", "pty.spawn(", "socat ",
    "fsockopen(", "use socket;", "-rsocket", "sockets.tcpclient", "socket.socket",
];

pub(super) fn connected(line: &str) -> Option<usize> {
    let device = words!["/dev/tcp/", "/dev/udp/"]
        .first(line)
        .filter(|_| words!["bash -i", "sh -i", "0>&1", ">&", "exec "].are_in(line));
    let netcat = words!["nc", "nc.traditional", "ncat", "netcat"]
        .first_word(line)
        .filter(|_| line.contains("sh") || line.contains("cmd"))
        .filter(|at| {
            let fifo = line.contains("mkfifo");
            let rest = line.get(*at..).unwrap_or("");
            let words = rest.split_whitespace().skip(1);
            let mut flags = words.filter(|flag| flag.starts_with('-') && !flag.starts_with("--"));
            let listens = flags.clone().any(|flag| flag.contains('l') && flag.len() <= 6);
            let runs = words![
                " -e /", " -e bash", " -e sh", " -e cmd", " -c bash", " -c /bin/", " -c sh", " -c '/bin/",
                " -c \"/bin/", " -c 'bash", " -c 'sh", " -e '/bin/", " -e \"/bin/", "--exec ", "--sh-exec ",
            ];
            let flag = runs.are_in(rest) || rest.contains("/bin/") && flags.any(|flag| flag.ends_with('e'));
            fifo || flag || listens && is_piped(rest)
        });
    let socat = line.find("socat ").filter(|_| line.contains("exec:") && line.contains("tcp"));
    let code = words!["pty.spawn(", "fsockopen(", "use socket;", "-rsocket", "sockets.tcpclient", "socket.socket"]
        .first(line)
        .filter(|_| {
            line.contains("socket")
                && words!["pty.spawn(", "dup2(", "subprocess.call(", "exec(", "exec \"/bin", "iex "].are_in(line)
                || line.contains("fsockopen(") && line.contains("/bin/")
        });
    device.or(netcat).or(socat).or(code)
}

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

const MAX_NAMES: usize = 20;

/// The variable a download is assigned to: `NAME=$(curl …)`, `$name = iwr …`, `name = requests.get(…)`.
pub(super) fn variable_name(line: &str, at: usize) -> Option<&str> {
    let (target, _) = line.get(..at)?.split_once('=')?;
    let name = target.trim_end().rsplit(|c: char| !is_of_name(c)).next()?;
    (!name.is_empty()).then_some(name)
}

const RUNS: &[&str] = &[
    "exec(", "eval(", "iex $", "iex ($", "invoke-expression $", "invoke-expression ($", "eval \"$", "eval $",
    "bash -c \"$", "sh -c \"$",
];

/// The offset in the rest of a text where one of these names is run: the first name, and its first form.
pub(super) fn variable_run(rest: &str, names: &[String]) -> Option<usize> {
    let lower = rest.to_ascii_lowercase();
    let names: Vec<&str> = names.iter().take(MAX_NAMES).map(String::as_str).collect();
    // Each form is searched for once for all names.
    let mut best: Option<(usize, usize)> = None;
    for run in RUNS {
        for at in memmem::find_iter(lower.as_bytes(), run) {
            let wanted = best.map_or(names.len(), |(name, _)| name);
            let argument = lower.get(at + run.len()..).unwrap_or("").trim_start_matches('{');
            let end = argument.find(|c: char| !is_of_name(c)).unwrap_or(argument.len());
            let argument = argument.get(..end).unwrap_or("");
            if let Some(name) = names.iter().take(wanted).position(|name| *name == argument) {
                best = Some((name, at));
            }
        }
    }
    best.map(|(_, at)| at)
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(line: &str) -> Option<&str> {
        variable_name(line, fetch(line)?)
    }

    #[test]
    fn what_is_fetched_under_a_name_and_run_is_seen() {
        assert_eq!(named("$payload = iwr https://x.dev/a"), Some("payload"));
        assert_eq!(named("code=$(curl -s https://x.dev/a)"), Some("code"));
        assert_eq!(named("body = requests.get(url).text"), Some("body"));
        assert_eq!(named("curl https://x.dev/?a=b"), None);
        for rest in
            ["Invoke-Expression $payload.Content", "eval \"$payload\"", "exec(payload)", "bash -c \"${payload}\""]
        {
            assert!(variable_run(rest, &["payload".to_owned()]).is_some(), "{rest}");
        }
        for rest in ["echo $payload", "exec(payloads)", "eval(other)"] {
            assert_eq!(variable_run(rest, &["payload".to_owned()]), None, "{rest}");
        }
    }
}
