//! Shells opened to another machine.

use super::command::is_piped;
use crate::rules::words::words;

pub(super) const CONNECTORS: &[&str] = &[
    "/dev/tcp/", "/dev/udp/", "nc -", "nc.traditional", "ncat ", "netcat ", "mkfifo", "pty.spawn(", "socat ",
    "fsockopen(", "use socket;", "-rsocket", "sockets.tcpclient", "socket.socket",
];

/// A shell opened to another machine.
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
            let listens = rest
                .split_whitespace()
                .skip(1)
                .any(|flag| flag.starts_with('-') && !flag.starts_with("--") && flag.contains('l') && flag.len() <= 6);
            let flag = line.get(*at..).is_some_and(|rest| {
                words![
                    " -e /", " -e bash", " -e sh", " -e cmd", " -c bash", " -c /bin/", " -c sh", " -c '/bin/",
                    " -c \"/bin/", " -c 'bash", " -c 'sh", " -e '/bin/", " -e \"/bin/", "--exec ", "--sh-exec ",
                ]
                .are_in(rest)
                    || rest.split_whitespace().skip(1).any(|flag| {
                        flag.starts_with('-')
                            && !flag.starts_with("--")
                            && flag.ends_with('e')
                            && rest.contains("/bin/")
                    })
            });
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
