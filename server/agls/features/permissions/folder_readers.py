"""Folders that a program may read as a whole of which that is not known for certain.

A program that nobody knows may read every file in a folder that it is given. Others need no folder: those
that pack, publish, scan or serve the one in which they are started. What reads only names is left out.
"""

from collections.abc import Iterator, Sequence
from itertools import dropwhile
from posixpath import basename, join

from agls.features.permissions.commands import MOST_PATHS, RECURSIVE, known_only_when_run
from agls.features.permissions.readers import SHOW_HELP
from agls.regex import regex
from agls.room.shell_words import LONGEST, folders_of, parts


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Of a folder these look at names, sizes and rights, remove it, or do nothing with it.
_SHOW_NO_TEXT = (SHOW_HELP - RECURSIVE - {"rg"}) | _names(
    "cd chdir pushd popd mkdir rmdir rm touch chmod chown chgrp chattr unlink ls test [ [[ echo printf : true"
    " false pwd export unset set local declare exit return sleep wait kill type source ."
)
# Commands that pack or send the folder in which they are started, whatever the program.
_PACK = _names(
    "archive backup bundle container:push deploy dist distTar distZip export package pack publish sdist "
    "snapshot submit tarball upload bdist bdist_wheel bdist_egg wheel"
)
# Programs that read that folder by themselves: counts, searches, scanners, indexes, packers and servers.
_WALK = _names(
    "aider caddy cloc code2prompt conda-build cscope detect-secrets electron-builder files-to-prompt gem "
    "gitingest gitleaks grype gtags hound http-server jscpd live-server maturin pt repomix scc semgrep serve "
    "sift snapcraft snyk syft tokei trivy trufflehog updog"
)
_BUILDERS = _names(
    "bazel buck conda earthly guix ko nix pack skaffold tilt werf"
)  # with `build` and the like
_BUILD = _names("build dev run up")
_RECURSE = _names("-R --recursive")
_KEEPS = _names(
    "add commit hash-object mv stage update-index"
)  # commands of git that read the files themselves
_ALL = _names("-A --all -a -u --update -am --no-ignore-removal")


# All of it runs in another folder, or not at all.
_INSIDE = regex(r"cd ([\w.-][\w./-]*) && ((?:(?!\b(?:cd|pushd|popd|chdir)\b|\|\||(?<!&)&(?!&))[^;\n()`$])*)")


def folders_given(command: str) -> list[str]:
    """**Returns** the folders that this command may read so, as seen from where it begins."""
    if len(command) > LONGEST:
        return ["."]
    inside = _INSIDE.fullmatch(command)
    of_parts = parts(inside[2] if inside else command)
    found = [path for part in of_parts for path in _given(part)]
    if inside:
        return [join(inside[1], path) for path in found][:MOST_PATHS]
    found += [join(folder, path) for folder in folders_of(of_parts) for path in found]
    return list(dict.fromkeys(found))[:MOST_PATHS]


def _given(part: Sequence[str]) -> Iterator[str]:
    words = list(dropwhile(lambda word: "=" in word and not word.startswith("-"), part))
    name = basename(words[0]) if words else ""
    if not name or name in _SHOW_NO_TEXT:
        return
    said = frozenset(words[1:])
    if name == "git":
        verbs = _KEEPS & said
        if verbs and not _ALL.isdisjoint(said):
            yield "."
        yield from _operands(words) if verbs else ()
        return
    first = {basename(word) for word in words[:3]}
    builds = bool(_BUILDERS & first) and not _BUILD.isdisjoint(said)
    if builds or _WALK & first or not (_PACK | _RECURSE).isdisjoint(said):
        yield "."
    yield from _operands(words)


def _operands(words: Sequence[str]) -> Iterator[str]:
    for word in words[1:]:
        path = word.rpartition("=")[2] if "=" in word else word[2:] if word[:1] == "-" else word
        if path and not known_only_when_run(path):
            yield path
