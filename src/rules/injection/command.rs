//! Commands that run unreviewed code: downloads, decoded text, password-protected archives.
//!
//! Every function takes one line in lower case and answers where in it the command begins.

use crate::rules::words::{Words, words};

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

/// The offset of a command or a call that fetches something.
pub(super) fn fetch(line: &str) -> Option<usize> {
    static FETCHES: Words = Words::of(FETCHERS);
    FETCHES.first_word(line)
}

/// A download that is piped, substituted or handed to something that runs it.
pub(super) fn fetched(line: &str) -> Option<usize> {
    fetched_at(line, fetch(line)?)
}

/// The same, with the offset of the fetch.
pub(super) fn fetched_at(line: &str, at: usize) -> Option<usize> {
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

/// Encoded text that is decoded and run.
pub(super) fn decoded(line: &str) -> Option<usize> {
    static TO_TEXT: Words = Words::of(&[
        "base64 -d", "base64 --decode", "base64 -decode", "xxd -r", "openssl base64 -d", "openssl enc -d", "| rev |",
    ]);
    static IN_CODE: Words = Words::of(&[
        "atob(", "b64decode", "buffer.from(", "fromhex(", "zlib.", "fromcharcode", "frombase64string", "marshal.loads",
    ]);
    const RUN: &[&str] = &[
        "eval(", "exec(", "function(", "os.system(", "subprocess", "iex", "invoke-expression", "__import__(", "spawn(",
    ];
    let text = TO_TEXT.first(line).filter(|at| {
        line.get(*at..).is_some_and(is_piped)
            || (is_literal(line) && line.get(*at..).is_some_and(is_handed_on))
            || ["eval \"$(", "eval $(", "eval `", "bash -c \"$(", "sh -c \"$(", "bash <(", "sh <("]
                .iter()
                .any(|run| line.get(..*at).is_some_and(|before| before.contains(run)))
    });
    let code = IN_CODE.first(line).and_then(|at| {
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

/// Whether the decoded text is passed to a command that acts on it.
fn is_handed_on(rest: &str) -> bool {
    rest.split('|').skip(1).any(|command| {
        let first = command.split_whitespace().next().unwrap_or("");
        matches!(first, "xargs" | "curl" | "wget" | "nc" | "ncat")
    })
}

/// A download that only a password opens.
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
