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
