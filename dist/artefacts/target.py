"""The platforms there are artefacts for."""

import platform
from dataclasses import dataclass

MACHINES = {"arm64": "aarch64", "AMD64": "x86_64"}


@dataclass(frozen=True)
class Target:
    triple: str
    # As Node.js names them: `process.platform` and `process.arch`.
    npm_os: str
    npm_cpu: str
    # The platform tags of the wheel. A static binary needs no C library, so it has the tags of both.
    wheel_tags: tuple[str, ...]

    @property
    def windows(self):
        return self.npm_os == "win32"

    @property
    def program(self):
        return "hefesto.exe" if self.windows else "hefesto"

    def runs_here(self):
        system = {"windows": "win32"}.get(platform.system().lower(), platform.system().lower())
        machine = MACHINES.get(platform.machine(), platform.machine())
        return (system, machine) == (self.npm_os, self.triple.split("-")[0])


TARGETS = (
    Target("x86_64-unknown-linux-musl", "linux", "x64", ("manylinux2014_x86_64", "musllinux_1_1_x86_64")),
    Target("aarch64-unknown-linux-musl", "linux", "arm64", ("manylinux2014_aarch64", "musllinux_1_1_aarch64")),
    Target("aarch64-apple-darwin", "darwin", "arm64", ("macosx_11_0_arm64",)),
    Target("x86_64-apple-darwin", "darwin", "x64", ("macosx_10_12_x86_64",)),
    Target("x86_64-pc-windows-gnu", "win32", "x64", ("win_amd64",)),
)


def named(triple):
    found = [target for target in TARGETS if target.triple == triple]
    if not found:
        raise SystemExit(f"there is no target {triple}; there are {', '.join(t.triple for t in TARGETS)}")
    return found[0]
