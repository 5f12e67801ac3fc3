//! Commands that serve only an intruder: erasing logs, mining cryptocurrency, escaping from a container.
//!
//! Every function takes one line in lower case and returns the offset of the command.

use super::shell_line::{self, Piece, pipelines};
use crate::rules::words::words;

pub(super) const WIPERS: &[&str] = &[
    "/var/log", "history -c", "histfile", "_history", "wevtutil", "clear-eventlog", "auditctl -e",
    "journalctl --vacuum",
];
pub(super) const MINERS: &[&str] =
    &["stratum+", "xmrig", "minerd", "cpuminer", "ethminer", "supportxmr", "minexmr", "moneroocean", "minergate"];
pub(super) const ESCAPES: &[&str] = &["--privileged", "nsenter", "-v /:/", "release_agent"];

const MAX_PLACES: usize = 8;

/// Logs and histories that are erased: `rm -rf /var/log/…`, `history -c`, `unset HISTFILE`, `wevtutil cl`.
pub(super) fn wiped(line: &str) -> Option<usize> {
    let removed = |place: &str| {
        line.match_indices(place).take(MAX_PLACES).find_map(|(at, _)| {
            let before = line.get(..at)?;
            let command = before.rsplit(['|', ';', '&', '`']).next().unwrap_or(before);
            let removes = words!["rm -rf ", "rm -fr ", "rm -r ", "rm -f ", "shred "].are_in(command);
            let emptied = command.trim_end().trim_end_matches(['~', '/', '.', '"', '$']).ends_with('>')
                && !command.contains(">>");
            (removes || emptied).then_some(at)
        })
    };
    let whole_logs = removed("/var/log").filter(|at| {
        // Deleting the logs of a single program is legitimate.
        let rest = line.get(at + "/var/log".len()..).unwrap_or("").trim_start_matches('/');
        let name =
            rest.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))).next().unwrap_or("");
        let of_system =
            ["audit", "auth", "syslog", "secure", "wtmp", "btmp", "lastlog", "messages", "journal", "kern", "sessions"];
        name.is_empty() || of_system.iter().any(|log| name.starts_with(log))
    });
    let history = [".bash_history", ".zsh_history"].iter().find_map(|name| {
        let at = line.find(name)?;
        let before = line.get(..at)?;
        let command = before.rsplit(['|', ';', '&', '`']).next().unwrap_or(before);
        let target = command.trim_end_matches(['~', '/', '"']).trim_end_matches("$home").trim_end();
        let emptied = target.ends_with('>') && !target.ends_with(">>");
        (emptied || words!["rm -f ", "rm -rf ", "shred ", "ln -sf /dev/null "].are_in(command)).then_some(at)
    });
    let command = words![
        "unset histfile", "histfile=/dev/null", "wevtutil cl ", "wevtutil clear-log", "clear-eventlog",
        "auditctl -e 0", "auditctl -e0",
    ]
    .first(line);
    let forgotten = || {
        let clears = |piece: &&Piece<'_>| {
            shell_line::command(piece.text) == Some("history") && piece.text.contains("history -c")
        };
        pipelines(line).pieces.iter().find(clears).map(|piece| piece.at)
    };
    whole_logs.or(history).or(command).or_else(forgotten)
}

/// A mining program with a pool: `stratum+tcp://…`, `xmrig -o pool`.
pub(super) fn mined(line: &str) -> Option<usize> {
    let pool = words!["stratum+tcp://", "stratum+ssl://", "stratum+tls://"].first(line);
    pool.or_else(|| {
        let at = words!(MINERS).first(line)?;
        let options = words![" -o ", " --url", " --pool", " --donate-level", " -u 4", " --user 4"];
        line.get(at..).is_some_and(|rest| options.are_in(rest)).then_some(at)
    })
}

/// A way out of a container to the machine around it: `--privileged --pid=host`, `nsenter -t 1 -m`.
pub(super) fn escaped(line: &str) -> Option<usize> {
    let host_root = line.contains("-v /:/") && !line.contains(":ro");
    let privileged =
        line.find("--privileged").filter(|_| host_root || line.contains("--pid=host") || line.contains("--pid host"));
    let entered = words!["nsenter"].first_word(line).filter(|_| {
        words!["-t 1 ", "-t1 ", "--target 1 ", "--target=1 "].are_in(line)
            && ["-m", "--mount", "-a", "--all"].iter().any(|space| line.split_whitespace().any(|word| word == *space))
    });
    let root = line.find("-v /:/").filter(|_| host_root && line.contains("chroot"));
    let agent = line.find("release_agent").filter(|at| line.get(..*at).is_some_and(|before| before.contains('>')));
    privileged.or(entered).or(root).or(agent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_an_intruder_are_seen() {
        for line in [
            "rm -rf /tmp/x /var/log/audit/*",
            "sudo rm -f /var/log/auth.log",
            "> /var/log/syslog",
            "history -c && exit",
            "unset histfile",
            "cat /dev/null > ~/.bash_history",
            "wevtutil cl security",
        ] {
            assert!(wiped(line).is_some(), "{line}");
        }
        for line in ["./m --pool stratum+tcp://x.dev:3333", "xmrig -o x.dev:3333 -u 4abc"] {
            assert!(mined(line).is_some(), "{line}");
        }
        for line in [
            "docker run --privileged --pid=host alpine",
            "docker run --privileged -v /:/host alpine",
            "nsenter -t 1 -m -u sh",
            "docker run -v /:/host alpine chroot /host sh",
        ] {
            assert!(escaped(line).is_some(), "{line}");
        }
    }

    #[test]
    fn what_administrators_do_passes() {
        for line in [
            "tail -f /var/log/syslog",
            "rm -rf /var/log/nginx/*.gz",
            "echo start >> /var/log/auth.log",
            "git history -c",
            "grep ssh ~/.bash_history",
            "export histfile=~/.h",
        ] {
            assert_eq!(wiped(line), None, "{line}");
        }
        for line in ["look for processes such as xmrig or minerd", "stratum 2 time servers"] {
            assert_eq!(mined(line), None, "{line}");
        }
        for line in [
            "docker run --privileged docker:dind",
            "docker run -v /var/run/docker.sock:/var/run/docker.sock trivy",
            "docker run --pid=host -v /:/host:ro node-exporter",
            "nsenter -t 4242 -n ss -l",
        ] {
            assert_eq!(escaped(line), None, "{line}");
        }
    }
}
