"""What is built: the package of Cargo.toml at one commit."""

import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


@dataclass(frozen=True)
class Source:
    name: str
    version: str
    description: str
    license: str
    repository: str | None
    keywords: tuple[str, ...]
    rust: str
    commit: str
    # Seconds since 1970: the time of every file in every archive.
    time: int
    # Where the archives of this version can be downloaded, once they are.
    releases: str | None

    @classmethod
    def read(cls, releases, allow_changes):
        package = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]
        commit = output("git", "rev-parse", "HEAD").strip()
        if output("git", "status", "--porcelain"):
            if not allow_changes:
                raise SystemExit("dist/build: there are changes that are not committed; commit them, or try with --dirty")
            commit += "-dirty"
        repository = package.get("repository")
        if releases is None and repository:
            releases = f"{repository}/releases/download/v{package['version']}"
        return cls(
            package["name"],
            package["version"],
            package["description"],
            package["license"],
            repository,
            tuple(package["keywords"]),
            package["rust-version"],
            commit,
            int(output("git", "show", "-s", "--format=%ct", "HEAD")),
            releases,
        )
