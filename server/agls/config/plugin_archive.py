"""A plugin in an archive, zip or tar, at an address or in the folder of its catalogue."""

import asyncio
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO

from agls.frozen import frozen
from agls.plugin_files import PluginProblem
from agls.web_address import AddressRefused, moved, web_address

MOST_BYTES = 100_000_000  # of the archive, and of what is in it
MOST_FILES = 10_000
OK, REDIRECTS = 200, {301, 302, 303, 307, 308}
SECONDS = 300.0
PIECE = 1_000_000  # bytes
RUNS = 0o111  # the bits of a file that is a program
NO_ARCHIVE = "{} is no archive that is known here: it has to be zip or tar"
TOO_LARGE = f"{{}} has more than {MOST_BYTES:,} bytes or {MOST_FILES:,} files"
LEADS_OUT = "{} has {!r}, which is not a file below its root"
OTHER_CONTENT = "{} has not the content that its catalogue names (sha256 {}): it has {}"
NEEDS_DIGEST = "{} is not encrypted: the catalogue has to name its sha256"
NOT_THERE = "{} cannot be fetched: {}"


@frozen
class _Member:
    """A file in an archive: where it goes, whether it is a program, and its content."""

    name: str
    is_program: bool
    stream: IO[bytes]


async def unpacked(address: str, digest: str, target: Path) -> Path:
    """Fetch an archive into a folder. **Returns** the folder with the plugin. **Raises** `PluginProblem`."""
    data = await _fetched(address, bool(digest))
    return await asyncio.to_thread(unpack, data, address, digest, target)


async def _fetched(address: str, has_digest: bool, redirects: int = 5) -> bytes:
    from agls.room.web_ports import WebError  # noqa: PLC0415 - few plugins are in an archive
    from agls.web.outgoing import Wanted, exchange  # noqa: PLC0415 - as above

    try:
        place = web_address(address)
        if place.scheme != "https" and not has_digest:
            raise PluginProblem(NEEDS_DIGEST.format(address))
        got = await exchange(
            Wanted(url=place.text, name=place.name, admits=lambda _: True, most=MOST_BYTES, seconds=SECONDS)
        )
        if got.status in REDIRECTS and redirects:
            to = moved(place, got.headers.get("location", "")).text
            return await _fetched(to, has_digest, redirects - 1)
    except (WebError, AddressRefused) as problem:
        raise PluginProblem(NOT_THERE.format(address, problem)) from None
    if got.status != OK:
        raise PluginProblem(NOT_THERE.format(address, f"HTTP {got.status}"))
    if got.is_cut:
        raise PluginProblem(TOO_LARGE.format(address))
    return got.body


def unpack(data: bytes, shown: str, digest: str, target: Path) -> Path:
    """Write what is in an archive. **Returns** the folder with the plugin. **Raises** `PluginProblem`."""
    found = sha256(data).hexdigest()
    if digest and digest.strip().casefold().removeprefix("sha256:") != found:
        raise PluginProblem(OTHER_CONTENT.format(shown, digest, found))
    left = MOST_BYTES
    try:
        for number, member in enumerate(_members(data, shown)):
            if number >= MOST_FILES:
                raise PluginProblem(TOO_LARGE.format(shown))
            path = target / _inside(member.name, shown)
            path.parent.mkdir(parents=True, exist_ok=True)
            with closing(member.stream), path.open("xb") as out:
                while piece := member.stream.read(PIECE):
                    left -= len(piece)
                    if left < 0:
                        raise PluginProblem(TOO_LARGE.format(shown))
                    out.write(piece)
            path.chmod(0o755 if member.is_program else 0o644)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, RuntimeError, ValueError, OSError) as problem:
        raise PluginProblem(f"{shown} cannot be unpacked: {problem}") from None
    return _root(target)


def _members(data: bytes, shown: str) -> Iterator[_Member]:
    """Yield the files of an archive. **Raises** `PluginProblem` for links and other things."""
    if zipfile.is_zipfile(BytesIO(data)):
        with zipfile.ZipFile(BytesIO(data)) as archive:
            for info in archive.infolist():
                mode = info.external_attr >> 16
                if mode and mode & 0o170000 not in {0, 0o100000, 0o040000}:
                    raise PluginProblem(LEADS_OUT.format(shown, info.filename))
                if not info.is_dir():
                    yield _Member(info.filename, bool(mode & RUNS), archive.open(info))
        return
    try:
        archive = tarfile.open(fileobj=BytesIO(data))  # noqa: SIM115 - closed below
    except tarfile.TarError:
        raise PluginProblem(NO_ARCHIVE.format(shown)) from None
    with archive:
        for info in archive:
            stream = archive.extractfile(info) if info.isreg() else None
            if stream is not None:
                yield _Member(info.name, bool(info.mode & RUNS), stream)
            elif not info.isdir():
                raise PluginProblem(LEADS_OUT.format(shown, info.name))


def _inside(name: str, shown: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or not path.parts:
        raise PluginProblem(LEADS_OUT.format(shown, name))
    return path


def unpack_below(root: Path, path: str, digest: str, target: Path) -> Path:
    """Unpack an archive in the folder of a catalogue. **Returns** and **raises** as `unpack`."""
    file = (root / path).resolve()
    if not file.is_relative_to(root.resolve()) or not file.is_file():
        raise PluginProblem(f"the catalogue names the archive {path!r}, which is not in it")
    if file.stat().st_size > MOST_BYTES:
        raise PluginProblem(TOO_LARGE.format(path))
    return unpack(file.read_bytes(), path, digest, target)


def _root(folder: Path) -> Path:
    """**Returns** the only folder in it, as archives of repositories have one, else the folder itself."""
    inside = [*folder.iterdir()] if folder.is_dir() else []
    return inside[0] if len(inside) == 1 and inside[0].is_dir() and inside[0].name[0] != "." else folder
