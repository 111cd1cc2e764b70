"""Files that are attached to a prompt, as its content."""

import asyncio
from base64 import b64encode
from collections.abc import Sequence
from mimetypes import guess_type
from pathlib import Path

from aglet.config import ConfigError, Setup
from aglet.engine.vocabulary import Content, Image
from aglet.features.attachments.links import link
from aglet.stores.blobs import BlobError, Blobs

IMAGES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


async def attached(files: Sequence[str | Path], setup: Setup, folder: str) -> tuple[Content, ...]:
    """The content for these files, for work in `folder`. Raises `ConfigError` for what cannot be attached."""
    try:
        return await _attached(
            files, Blobs(setup.state_folder), setup.load(folder).config.attachments.max_bytes
        )
    except (ValueError, BlobError) as problem:
        raise ConfigError(str(problem)) from None


async def _attached(files: Sequence[str | Path], blobs: Blobs, largest: int) -> tuple[Content, ...]:
    parts: list[Content] = []
    for file in map(Path, files):
        data = await asyncio.to_thread(_read, file, largest)
        if kind := _image(data):
            parts.append(Image(b64encode(data).decode("ascii"), kind))
        else:
            kind = guess_type(file.name)[0] or "application/octet-stream"
            parts.append(link(file.name, kind, len(data), await blobs.keep(data)))
    return tuple(parts)


def _image(data: bytes) -> str:
    """The media type of an image that models can see, "" for anything else, whatever its name says."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in IMAGES.items() if data.startswith(magic)), "")


def _read(file: Path, largest: int) -> bytes:
    try:
        if not file.is_file():
            raise ValueError(f"{file} cannot be attached: it is no file.")
        with file.open("rb") as stream:
            data = stream.read(largest + 1)
    except OSError as problem:
        raise ValueError(f"{file} cannot be attached: {problem.strerror}.") from None
    if len(data) > largest:
        raise ValueError(
            f"{file} cannot be attached: it is larger than {largest} bytes ([attachments] max_bytes)."
        )
    return data
