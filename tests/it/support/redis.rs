//! A `redis-server` of the test's own, on a private socket in a directory of its own. It ends with the test.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// After this long it does not start.
const HANG: Duration = Duration::from_secs(30);

pub(crate) struct Server {
    process: Option<(Child, tempfile::TempDir)>,
}

impl Server {
    /// Starts one; none where there is no such program.
    pub(crate) fn start() -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("redis.sock");
        let child = Command::new("redis-server")
            .args(["--port", "0", "--save", "", "--appendonly", "no", "--unixsocketperm", "700", "--unixsocket"])
            .arg(&socket)
            .current_dir(dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let child = match child {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            started => started.unwrap(),
        };
        let server = Self { process: Some((child, dir)) };
        let begun = Instant::now();
        while std::os::unix::net::UnixStream::connect(&socket).is_err() {
            assert!(begun.elapsed() < HANG, "redis-server does not listen");
            std::thread::sleep(Duration::from_millis(5));
        }
        Some(server)
    }

    /// None that is this one's: another one is used.
    pub(crate) fn none() -> Self {
        Self { process: None }
    }

    pub(crate) fn url(&self) -> String {
        let (_, dir) = self.process.as_ref().unwrap();
        format!("unix://{}", dir.path().join("redis.sock").display())
    }

    /// What the server says to a command, as text.
    pub(crate) fn ask(&self, words: &[&str]) -> String {
        let (_, dir) = self.process.as_ref().unwrap();
        let said = Command::new("redis-cli").arg("-s").arg(dir.path().join("redis.sock")).args(words).output().unwrap();
        String::from_utf8(said.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.process {
            let _ended = child.kill();
            let _status = child.wait();
        }
    }
}
