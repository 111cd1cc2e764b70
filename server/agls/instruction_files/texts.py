"""What is known of the instruction files of a session."""

from dataclasses import field
from hashlib import sha256
from typing import Literal

from agls.frozen import frozen

Origin = Literal["managed", "user", "project", "local", "rule", "other"]
Moment = Literal["always", "touched", "described"]


@frozen
class InstructionText:
    """A text that says how to work, as the model reads it, before it is cut.

    `path` is the path as people read it, `real` the same without links, `folder` the absolute folder that
    the text is for ("": any). The model sees it `always`, or once a file that fits `globs` (relative to
    `folder`; none: any) is `touched`, or only `described` in a list. `imported_by` is the file that names it.
    """

    path: str
    text: str
    origin: Origin
    real: str = ""
    folder: str = ""
    when: Moment = "always"
    globs: tuple[str, ...] = ()
    description: str = ""
    imported_by: str = ""

    @property
    def digest(self) -> str:
        """A hash of path and text, to compare them by."""
        return sha256(f"{self.path}\0{self.text}".encode("utf-8", "replace")).hexdigest()[:16]


@frozen
class Omitted:
    """A file or import that the model does not see, and why; a `problem` is reported to the user."""

    path: str
    why: str
    problem: bool = False


@frozen
class Survey:
    """All texts that were found, in the order in which the model reads them: a later one counts more."""

    texts: tuple[InstructionText, ...] = ()
    omitted: tuple[Omitted, ...] = field(default=())

    @property
    def always(self) -> tuple[InstructionText, ...]:
        """The texts that the model sees from the beginning."""
        return tuple(text for text in self.texts if text.when == "always")

    @property
    def described(self) -> tuple[InstructionText, ...]:
        """The texts of which the model sees only the description."""
        return tuple(text for text in self.texts if text.when == "described")
