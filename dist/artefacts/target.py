"""The platforms there are artefacts for."""

import platform
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    triple: str
    # As Node.js names them: `process.platform` and `process.arch`.
    npm_os: str
    npm_cpu: str
    # The platform tags of the wheel. A static binary needs no C library, so it has the tags of both.
    wheel_tags: tuple[str, ...]

    def runs_here(self):
        return (platform.system().lower(), platform.machine()) == (self.npm_os, self.triple.split("-")[0])


TARGETS = (
    Target("x86_64-unknown-linux-musl", "linux", "x64", ("manylinux2014_x86_64", "musllinux_1_1_x86_64")),
    Target("aarch64-unknown-linux-musl", "linux", "arm64", ("manylinux2014_aarch64", "musllinux_1_1_aarch64")),
)


def named(triple):
    found = [target for target in TARGETS if target.triple == triple]
    if not found:
        raise SystemExit(f"there is no target {triple}; there are {', '.join(t.triple for t in TARGETS)}")
    return found[0]
