"""Files that are attached to a prompt, as its content."""

import asyncio
import os
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from mimetypes import guess_type
from pathlib import Path

from agls.config import ConfigError, Setup
from agls.doors.from_wire import GivenFile, Malformed
from agls.engine.ports import JournalError
from agls.engine.vocabulary import Content, Image, Resource
from agls.pictures import damage, media_type, other_image
from agls.room.attachment_links import link
from agls.room.exposed import AttachmentSize
from agls.stores.blobs import BlobError
from agls.stores.storage import Contents

LONGEST_TEXT = 400_000  # bytes of a text that is given to the model itself, not only as a link
NAMED_IMAGE = "{} is named like an image and is text: the model gets it as text."
NO_IMAGE = "The image cannot be attached: its bytes are no PNG, JPEG, GIF or WebP."
BROKEN = (
    "{} cannot be attached: it is an image ({}, {:,} bytes), and {}. Models refuse what they cannot decode: "
    "attach a whole copy of it."
)
STANDARD_INPUT = "stdin:"  # its address


async def attached(
    files: Sequence[str | Path], setup: Setup, folder: str, blobs: Contents
) -> tuple[Content, ...]:
    """Return the content for these files, for work in `folder`: images, or links, and texts of text files.

    **Raises** `ConfigError` for a file that cannot be attached.
    """
    largest = _largest(setup, folder)
    try:
        read = [await asyncio.to_thread(_read, file, largest, Path(folder)) for file in map(Path, files)]
        kept = [(await _kept(file, blobs), *_text(uri, file.data)) for uri, file in read]
        return tuple(part for parts in kept for part in parts)
    except (ValueError, BlobError) as problem:
        raise ConfigError(str(problem)) from None


def piped_in(data: bytes) -> tuple[Content, ...]:
    """Return standard input as content: an image or a text; nothing where it is empty.

    **Raises** `ConfigError` for anything else.
    """
    try:
        if image := _image("Standard input", data):
            return (image,)
    except ValueError as problem:
        raise ConfigError(str(problem)) from None
    if b"\0" in data:
        raise ConfigError("Standard input is neither text nor an image. Attach it as a file: --attach FILE")
    text = data.decode("utf-8", "replace")
    return (Resource(STANDARD_INPUT, text),) if text.strip() else ()


async def taken_in(
    said: Sequence[Content | GivenFile], setup: Setup, folder: str, blobs: Contents
) -> tuple[Content, ...]:
    """Return a client's content, with its files kept, for work in `folder`.

    **Raises** `Malformed` (a file is too large, an image is damaged or none), `JournalError` (it cannot be
    kept) and `ConfigError`.
    """
    try:
        said = [_sent_image(part) if isinstance(part, Image) else part for part in said]
    except ValueError as problem:
        raise Malformed(str(problem)) from None
    if not any(isinstance(part, GivenFile) for part in said):
        return tuple(part for part in said if not isinstance(part, GivenFile))
    largest = _largest(setup, folder)
    for part in said:
        if isinstance(part, GivenFile) and len(part.data) > largest:
            raise Malformed(_too_large(part.name, largest))
    try:
        return tuple([await _kept(part, blobs) if isinstance(part, GivenFile) else part for part in said])
    except BlobError as problem:
        raise JournalError(str(problem)) from None
    except ValueError as problem:
        raise Malformed(str(problem)) from None


def _sent_image(image: Image) -> Image:
    """Return an image that a client sent, with the type that its bytes say. **Raises** `ValueError`."""
    data = b64decode(image.data)
    if found := _image("The image", data):
        return found
    raise ValueError(other_image("The image", data) or NO_IMAGE)


def _image(name: str, data: bytes) -> Image | None:
    """Return the image in these bytes, `None` where they are none. **Raises** `ValueError`: it is damaged."""
    kind = media_type(data)
    if wrong := damage(data):
        raise ValueError(BROKEN.format(name, kind, len(data), wrong))
    return Image(b64encode(data).decode("ascii"), kind) if kind else None


async def _kept(file: GivenFile, blobs: Contents) -> Content:
    """Return an image in the message, anything else as a link to its kept bytes.

    **Raises** `BlobError`, and `ValueError` for a damaged image.
    """
    if image := _image(file.name, file.data):
        return image
    kind = file.media_type or guess_type(file.name)[0] or "application/octet-stream"
    if _only_named_image(kind) and _as_text(file.data):
        kind = "text/plain"
    return link(file.name, kind, len(file.data), await blobs.keep(file.data))


def _text(uri: str, data: bytes) -> tuple[Content, ...]:
    """Return the text of a file that is a text of moderate length; nothing of another."""
    text = "" if len(data) > LONGEST_TEXT else _as_text(data)
    return (Resource(uri, text),) if text.strip() else ()


def _as_text(data: bytes) -> str:
    """Return the bytes as text, "" where they are none."""
    try:
        return "" if b"\0" in data else data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return ""


def _only_named_image(kind: str | None) -> bool:
    """Return whether a name means an image, which an SVG is as a text."""
    return (kind or "").startswith("image/") and kind != "image/svg+xml"


def remark_on(content: Sequence[Content]) -> Iterator[str]:
    """Yield what the user should know of attached files: text that is named like an image."""
    for part in content:
        if isinstance(part, Resource) and _only_named_image(guess_type(part.uri)[0]):
            yield NAMED_IMAGE.format(Path(part.uri).name)


def _read(file: Path, largest: int, folder: Path) -> tuple[str, GivenFile]:
    """Return the address of a file, and the file. **Raises** `ValueError`."""
    try:
        if not file.is_file():
            raise ValueError(f"{file} cannot be attached: {_instead(file)}")
        real = file.resolve(strict=True)
        _check_inside(file, real, folder)
        with os.fdopen(os.open(real, os.O_RDONLY | os.O_NOFOLLOW), "rb") as stream:
            data = stream.read(largest + 1)
    except OSError as problem:
        raise ValueError(f"{file} cannot be attached: {problem.strerror}.") from None
    if len(data) > largest:
        raise ValueError(_too_large(str(file), largest))
    return file.absolute().as_uri(), GivenFile(file.name, "", data)


def _instead(file: Path) -> str:
    if file.is_dir():
        return "it is a folder. Name its files, or the folder in the prompt: @folder/"
    if file.exists():
        return "it is no usual file."
    return f"there is no such file{'' if file.is_absolute() else f' in {Path.cwd()}'}."


def _check_inside(file: Path, real: Path, folder: Path) -> None:
    """Refuse a path that seems to lie in the folder and leads elsewhere.

    Somebody else may have made the link; a user who means the other file can name it.

    **Raises** `ValueError`.
    """
    spelled, home = Path(os.path.normpath(file.absolute())), folder.resolve()
    seems_inside = any(spelled.is_relative_to(root) for root in (folder, home))
    if seems_inside and not real.is_relative_to(home):
        raise ValueError(
            f"{file} cannot be attached: it leads to {real}, outside the folder. Name that file to attach it."
        )


def _largest(setup: Setup, folder: str) -> int:
    return setup.load(folder).config.exposed(AttachmentSize).max_bytes


def _too_large(name: str, largest: int) -> str:
    return f"{name} cannot be attached: it is larger than {largest} bytes ([attachments] max_bytes)."
