"""Builds what is released, and tries it outside of the repository.

    python .ci/release.py build DIR                  sdists, and wheels made from them
    python .ci/release.py pythons DIR [--lowest]     the core on each Python of 3.11 to 3.14 that is here
    python .ci/release.py core DIR [--lowest]        the core on this Python
    python .ci/release.py extras DIR [NAME ...]      each extra in an environment of its own
    python .ci/release.py sizes DIR                  what the core installs, the largest first
    python .ci/release.py notes                      what CHANGELOG.md says of this version
    python .ci/release.py version VERSION            whether every place names this version

DIR has what ``build`` made. With REPOSITORY, the address of the repository, the distributions name it, and the links of
their README lead there. ``--lowest`` takes the smallest version that each requirement allows and that has a wheel.
``hatchling`` and ``uv`` must be there; uv's variables (``UV_FIND_LINKS``, ``UV_CONSTRAINT``) hold. ``smoke.py`` has the
tests. Each line ends with the packages and megabytes of the environment; the exit code is 1 if one failed.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib.metadata import distributions
from pathlib import Path

from supply import FOR_DEVELOPERS, LEFT_OUT, OURS, ROOT, epoch, ours

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SMOKE = Path(__file__).with_name("smoke.py")
_HATCHLING = [sys.executable, "-m", "hatchling", "build"]
_UV = [sys.executable, "-m", "uv"]
# Beginnings of links and pictures in a page whose targets are relative.
_RELATIVE = r"(?![a-z]+:|#|/)"
_PICTURE = re.compile(rf'(!\[[^\]]*\]\(|<img [^>]*src="){_RELATIVE}')
_LINK = re.compile(rf"((?<!\!)\[(?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*\]\(){_RELATIVE}")
_PAGE = "src/hmem/interfaces/explorer/index.html"
# Packages and plugins that are no Python distributions, released with them.
_OTHER_PACKAGES = (
    "clients/typescript/package.json",
    "packages/hmem-agents/src/hmem_agents/hosts/gemini/gemini-extension.json",
    "packages/hmem-agents/src/hmem_agents/hosts/plugin/.claude-plugin/plugin.json",
    "integrations/openclaw/openclaw.plugin.json",
    "integrations/openclaw/package.json",
)
_PYTHON = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")


def build(into: Path) -> None:
    """Build the sdist of each distribution, and its wheel from the unpacked sdist, as an index would."""
    into.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"SOURCE_DATE_EPOCH": epoch()}
    if not (ROOT / _PAGE).exists():
        print("the explorer's page is not built, so these are to be tried, and not to be released - run `make release`")
        environment["HMEM_WITHOUT_EXPLORER"] = "1"
    for name, source in OURS.items():
        with tempfile.TemporaryDirectory() as folder:
            copy, made = Path(folder, "source"), Path(folder, "made")
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
            if repository := os.environ.get("REPOSITORY"):
                address(copy, name, repository.rstrip("/"))
            _run([*_HATCHLING, "--target", "sdist", "--directory", str(made)], copy, environment)
            (sdist,) = made.glob("*.tar.gz")
            with tarfile.open(sdist) as packed:
                packed.extractall(folder, filter="data")
            _run(
                [*_HATCHLING, "--target", "wheel", "--directory", str(made)],
                folder / Path(sdist.name[:-7]),
                environment,
            )
            for each in sorted(made.iterdir()):
                shutil.copy(each, into)
                print(f"{each.stat().st_size / 1e6:8.2f} MB  {each.name}")
        assert name.replace("-", "_") in sdist.name


def address(copy: Path, name: str, repository: str) -> None:
    """Name the repository in the metadata of a copy, and lead the README's links there, which are relative to it."""
    tag = f"v{ours(name)['version']}"
    folder = OURS[name].relative_to(ROOT).as_posix()
    urls = {
        "Source": repository,
        "Documentation": f"{repository}/blob/{tag}/docs/index.md",
        "Changelog": f"{repository}/blob/{tag}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
        "Security": f"{repository}/security/policy",
    }
    told = "".join(f'{label} = "{url}"\n' for label, url in urls.items())
    project, readme = copy / "pyproject.toml", copy / "README.md"
    project.write_text(f"{project.read_text('utf-8')}\n[project.urls]\n{told}", "utf-8")
    if readme.exists():
        there = f"{repository}/blob/{tag}/" if folder == "." else f"{repository}/blob/{tag}/{folder}/"
        shown = f"{repository}/raw/{tag}/" if folder == "." else f"{repository}/raw/{tag}/{folder}/"
        text = _PICTURE.sub(rf"\g<1>{shown}", readme.read_text("utf-8"))
        readme.write_text(_LINK.sub(rf"\g<1>{there}", text), "utf-8")


def pythons(found_in: Path, *, lowest: bool) -> int:
    """Try the core on each Python; return how many failed."""
    failed = 0
    for wanted in PYTHONS:
        interpreter = interpreter_of(wanted)
        if interpreter is None:
            print(f"python {wanted}: not here")
            continue
        failed += not tried(found_in, "core", interpreter, lowest=lowest, label=f"python {wanted}")
    return failed


def core(found_in: Path, *, lowest: bool) -> int:
    """Try the core on this Python; return 1 if it failed."""
    return int(not tried(found_in, "core", sys.executable, lowest=lowest, label=f"python {platform.python_version()}"))


def interpreter_of(wanted: str) -> str | None:
    """Return a Python of this version: on the path, or one of pyenv's."""
    own = [str(each) for each in sorted(Path.home().glob(f".pyenv/versions/{wanted}.*/bin/python"))]
    for each in (*own, shutil.which(f"python{wanted}")):
        if each and subprocess.run([each, "-c", "import ssl, venv"], capture_output=True, check=False).returncode == 0:
            return each
    return None


def extras(found_in: Path, names: list[str]) -> int:
    """Try extras, all of them for no names; return how many failed."""
    known = sorted(ours("hmem")["optional-dependencies"].keys() - FOR_DEVELOPERS)
    return sum(not tried(found_in, name, sys.executable) for name in names or known)


def tried(found_in: Path, what: str, interpreter: str, *, lowest: bool = False, label: str = "") -> bool:
    """Install the core or an extra in a fresh environment, run its smoke test there, and print what came of it."""
    with environment_of(found_in, what, interpreter, lowest=lowest) as (python, fault):
        failed = fault
        if fault is None:
            shutil.copy(SMOKE, python.parents[1])
            command = [python, "-P", "smoke.py", what]
            clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HMEM"))}
            done = subprocess.run(
                command, cwd=python.parents[1], capture_output=True, text=True, check=False, timeout=900, env=clean
            )
            failed = None if done.returncode == 0 else done.stderr[-2_000:]
        print(f"{label or what}: {'ok' if failed is None else f'FAILED: {failed}'}, {_size(python)}", flush=True)
    return failed is None


@contextmanager
def environment_of(
    found_in: Path, what: str, interpreter: str, *, lowest: bool = False
) -> Generator[tuple[Path, str | None]]:
    """Make an environment with the core or an extra; yield its interpreter, and what went wrong as it was made."""
    wanted = [f"hmem{'' if what == 'core' else f'[{what}]'}=={ours('hmem')['version']}"]
    options = ["--find-links", str(found_in)]
    if lowest:
        # The lowest of what is asked for here, so what hmem requires is asked for here: the lowest that has a wheel.
        options += ["--resolution", "lowest-direct", "--only-binary", ":all:"]
        wanted += [
            *ours("hmem")["dependencies"],
            *ours("hmem-encoder")["dependencies"],
            *(each for each in ours("hmem-english")["dependencies"] if not each.startswith("hmem")),
        ]
    with tempfile.TemporaryDirectory() as folder:
        _run([*_UV, "venv", "--quiet", "--python", interpreter, "env"], folder)
        python = Path(folder, "env", *_PYTHON)
        command = [*_UV, "pip", "install", "--quiet", "--python", str(python), *options, *wanted]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=1_800)
        yield python, None if done.returncode == 0 else done.stderr[-2_000:]


def sizes(found_in: Path) -> None:
    """Print the size of each package of the core."""
    with environment_of(found_in, "core", sys.executable) as (python, fault):
        assert fault is None, fault
        for size, name in sorted(_packages(python), reverse=True):
            if size >= 100_000:
                print(f"{size / 1e6:8.1f} MB  {name}")
        print(_size(python))


def _packages(python: Path) -> Iterator[tuple[int, str]]:
    """Yield the size in bytes and the name of each package of an environment, without compiled Python files."""
    (site,) = python.parents[1].glob("[Ll]ib/**/site-packages")
    for each in distributions(path=[str(site)]):
        files = (Path(str(file.locate())) for file in each.files or ())
        yield sum(file.stat().st_size for file in files if file.suffix != ".pyc" and file.is_file()), each.name


def _size(python: Path) -> str:
    told = list(_packages(python))
    return f"{len(told)} packages, {sum(size for size, _ in told) / 1e6:.0f} MB"


def notes() -> str:
    """Return the section of this version in the list of changes."""
    version = ours("hmem")["version"]
    found = re.search(
        rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## \[|\Z)", _changelog(), re.MULTILINE | re.DOTALL
    )
    if found is None:
        raise SystemExit(f"CHANGELOG.md has no section of {version}")
    return found[1].strip()


def wrong_versions(version: str) -> list[str]:
    """Return the places that do not name a version: distributions, plugins, the citation, the list of changes."""
    told = {f"{name}'s pyproject.toml": ours(name)["version"] for name in OURS}
    told["CITATION.cff"] = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)[1]
    told["CHANGELOG.md"] = (re.findall(r"^## \[(\d[^\]]*)\]", _changelog(), re.MULTILINE) or ["none"])[0]
    told |= {place: json.loads((ROOT / place).read_text("utf-8"))["version"] for place in _OTHER_PACKAGES}
    return [f"{place} has {found}, not {version}" for place, found in told.items() if found != version]


def _changelog() -> str:
    return (ROOT / "CHANGELOG.md").read_text("utf-8")


def _run(command: list[str], folder: str | Path, environment: dict[str, str] | None = None) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=environment)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("build", "pythons", "core", "extras", "sizes"):
        commands.add_parser(name).add_argument("folder", type=Path)
    for name in ("pythons", "core"):
        commands.choices[name].add_argument("--lowest", action="store_true")
    commands.choices["extras"].add_argument("names", nargs="*")
    commands.add_parser("notes")
    commands.add_parser("version").add_argument("version")
    asked = parser.parse_args()
    if asked.command == "notes":
        print(notes())
        return 0
    if asked.command == "version":
        print("\n".join(wrong := wrong_versions(asked.version)))
        return min(len(wrong), 1)
    folder: Path = asked.folder.absolute()
    if asked.command in ("pythons", "core"):
        return min((pythons if asked.command == "pythons" else core)(folder, lowest=asked.lowest), 1)
    if asked.command == "extras":
        return min(extras(folder, asked.names), 1)
    (build if asked.command == "build" else sizes)(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
