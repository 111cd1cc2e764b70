"""A skill as its file describes it: the folder, and what its front matter says (https://agentskills.io)."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from agls.engine.ports import WorkspaceError
from agls.features.skills.conduct import KEYS, PLAIN, SkillConduct, conduct_in, conduct_remarks
from agls.features.skills.places import SkillFolder
from agls.front_matter import key_remarks, names, split, truth
from agls.frozen import frozen
from agls.instruction_files import FolderReader, plain
from agls.instruction_files.plain import plain_front
from agls.prompt_files.command_file import CUT, LARGEST, one_line, suggested_tools
from agls.prompt_files.model_names import model_in
from agls.prompt_files.template import has_open_block, shell_lines
from agls.regex import regex

FILES = ("SKILL.md", "skill.md", "Skill.md")
DEEPEST = 4  # folders below one of skills
MOST = 1_500  # skills
LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1_024
LONGEST_COMPATIBILITY = 500
LONGEST_CATALOGUED = 1_536  # characters of a description with its `when_to_use`
_NOT_IN_NAMES = regex(r"[^\w]+|_+")
_BLANKS = regex(r"\s+")
_KEYS = """
    name description license compatibility metadata version allowed-tools when_to_use when-to-use
    argument-hint arguments disable-model-invocation user-invocable model effort"""
KNOWN = frozenset(_KEYS.split()) | KEYS
NO_DESCRIPTION = "it has no description, so that the model does not see it: write `description: ...`"
BAD_NAME = "its name {!r} should be up to {} lower-case letters, digits and single hyphens"
# Keys that other programs follow, with what holds here instead.
NOT_FOLLOWED = {
    "shell": "shell is not followed: commands run in bash",
}
OPEN_BLOCK = "a block that begins with ```! is never closed: write a line ``` behind its commands"
MEANT = {"tools": "allowed-tools"}


@frozen
class SkillFile:
    """A skill: `path` is its file, `real` the same without links, `shown` as people read it.

    `catalogued` is what the model reads before it loads the skill. `wishes` are tools that it suggests to use
    unasked, which no file can grant, `lines` commands of the shell that it wants run before it is read.
    `problem` says why it cannot be used ("": it can), `remarks` what is wrong with it all the same.
    """

    name: str
    folder: SkillFolder
    path: str
    real: str
    shown: str
    description: str = ""
    catalogued: str = ""
    hint: str = ""
    arguments: Sequence[str] = ()
    wishes: Sequence[str] = ()
    lines: Sequence[str] = ()
    model: str = ""
    effort: str = ""
    license: str = ""
    compatibility: str = ""
    for_model: bool = False
    for_user: bool = True
    conduct: SkillConduct = PLAIN
    problem: str = ""
    remarks: Sequence[str] = ()

    @property
    def home(self) -> str:
        """The folder of the skill."""
        return self.path.rpartition("/")[0]


def find_skills(folders: Sequence[SkillFolder], reader: FolderReader) -> Sequence[SkillFile]:
    """Return the skills in these folders, in their order; the same file is one skill."""
    found: dict[str, SkillFile] = {}
    for folder in folders:
        for path in _paths(folder, reader):
            skill = _read(path, folder, reader)
            if len(found) < MOST:
                found.setdefault(skill.real, skill)
    return list(found.values())


def _paths(folder: SkillFolder, reader: FolderReader) -> Sequence[str]:
    """Return the files of skills in a folder; a plugin may name the folder of a single skill."""
    own = [f"{folder.path}/{name}" for name in FILES if folder.plugin]
    return [path for path in own if reader.is_file(path)][:1] or reader.holders(folder.path, FILES, DEEPEST)


def body_of(skill: SkillFile, reader: FolderReader) -> str:
    """Return the text behind the front matter as it is now. **Raises** `WorkspaceError`."""
    read = reader.text(skill.path)
    if read is None:
        raise WorkspaceError(f"{skill.shown} is gone.")
    body = split(plain(read[2])).body.strip()
    return body if len(body) <= LARGEST else body[:LARGEST] + CUT.format(len(body), LARGEST)


def _read(path: str, folder: SkillFolder, reader: FolderReader) -> SkillFile:
    base = path.split("/")[-2]
    own = name_of(base)
    name = f"{folder.plugin.name}:{own}" if folder.plugin and own else own
    try:
        read = reader.text(path)
        if read is None:
            raise WorkspaceError("it cannot be read")
        if not name:
            raise WorkspaceError(f"the name of its folder has no letters or digits: {base!r}")
    except WorkspaceError as problem:
        return SkillFile(name, folder, path, path, reader.shown(path), problem=str(problem).rstrip("."))
    shown, real, text = read
    return SkillFile(name=name, folder=folder, path=path, real=real, shown=shown, **_said(text, base))


@lru_cache(maxsize=2_048)  # one changed file makes all be looked at again
def _said(text: str, base: str) -> Mapping[str, Any]:
    """Return what the text of a skill says of itself."""
    values, body, problem = plain_front(text)
    described = _text(values.get("description"))
    when = _text(values.get("when_to_use") or values.get("when-to-use"))
    description = described or when
    if not problem and not body.strip():
        problem = "it has no text behind its front matter"
    for_model = truth(values.get("disable-model-invocation")) is not True
    return {
        "description": description[:LONGEST_CATALOGUED],
        "catalogued": f"{described} {when}".strip()[:LONGEST_CATALOGUED],
        "hint": one_line(values.get("argument-hint")),
        "arguments": names(values.get("arguments")),
        "wishes": suggested_tools(values.get("allowed-tools")),
        "lines": _lines(body),
        "model": model_in(values.get("model")),
        "effort": one_line(values.get("effort")),
        "license": one_line(values.get("license")),
        "compatibility": _text(values.get("compatibility"))[:LONGEST_COMPATIBILITY],
        "for_model": for_model and bool(description) and not problem,
        "for_user": truth(values.get("user-invocable")) is not False,
        "conduct": conduct_in(values),
        "problem": problem,
        "remarks": () if problem else (*_remarks(values, base), *_unclosed(body)),
    }


def name_of(folder: str) -> str:
    """Return the name of the skill in a folder: its letters and digits in lower case, joined by hyphens."""
    folded = unicodedata.normalize("NFKC", folder).lower()
    return _NOT_IN_NAMES.sub("-", folded).strip("-")[:LONGEST_NAME].strip("-")


def _remarks(values: Mapping[str, Any], base: str) -> Iterator[str]:
    """Yield what in the front matter does not follow the specification of skills."""
    said = values.get("name")
    name = unicodedata.normalize("NFKC", str(said)) if said is not None else ""
    if not name:
        yield f"it says no name: write `name: {name_of(base)}`"
    elif name != name_of(name) or len(name) > LONGEST_NAME:
        yield BAD_NAME.format(name[:100], LONGEST_NAME)
    elif name != unicodedata.normalize("NFKC", base):
        yield f"its name {name!r} is not that of its folder {base!r}, which counts"
    if not any(_text(values.get(key)) for key in ("description", "when_to_use", "when-to-use")):
        yield NO_DESCRIPTION
    for key, most in (("description", LONGEST_DESCRIPTION), ("compatibility", LONGEST_COMPATIBILITY)):
        if len(_text(values.get(key))) > most:
            yield f"its {key} should have at most {most:,} characters"
    yield from conduct_remarks(values) if KEYS.intersection(values) else ()
    yield from (reason for key, reason in NOT_FOLLOWED.items() if values.get(key) not in {None, "", "bash"})
    yield from key_remarks(map(plain, values), {*KNOWN, *NOT_FOLLOWED}, MEANT)


def _lines(body: str) -> Sequence[str]:
    """Return the commands that a skill wants run before it is read, as they stand."""
    may_have = "!`" in body or "```!" in body  # few have, and a look for them takes longer than this
    return tuple(shell_lines(body, "skill")) if may_have else ()


def _unclosed(body: str) -> Iterator[str]:
    if "```!" in body and has_open_block(body, "skill"):
        yield OPEN_BLOCK


def _text(value: object) -> str:
    """Return a value as one line of text, whole."""
    return _BLANKS.sub(" ", str(value)).strip() if isinstance(value, str | int | float) else ""
