"""The manifests that hold: of the administrator, the user, and files in trusted folders. They add up."""

import json
from collections.abc import Iterator, Sequence
from functools import cache

from agls.engine.ports import Effect, WorkspaceError
from agls.engine.vocabulary import Limits
from agls.features.policy.manifest_file import read_manifest
from agls.features.policy.settings import LONGEST, PROJECT_FILES, Manifest, MostSpent, Settings
from agls.frozen import frozen
from agls.instruction_files import FolderReader, plain
from agls.instruction_files.folder_texts import FolderTexts
from agls.short_text import cut

FORBIDS = "the policy of {} forbids the tool {}"
UNREAD = "the policy {} cannot be followed ({}), and until the user corrects it only tools that read may run"
LEFT_OUT = "{}: {}. The rest of the file is followed."
REFUSING = "{}: {}. Until it is corrected, only tools that read may run."
READS = frozenset({Effect.READS})
NO_TRUST = "{}: trusted is not followed: no file makes a folder trusted"
ALL = "*"


@frozen
class NamedManifest:
    """A manifest, where it stands, and what is wrong with it.

    `unclear` is what may forbid or limit something, but cannot be understood ("": all of it can).
    """

    origin: str
    manifest: Manifest
    unclear: str = ""
    problems: Sequence[str] = ()


@frozen
class Policies:
    """The manifests that hold together, and what is wrong with those that do not."""

    manifests: Sequence[NamedManifest] = ()
    problems: Sequence[str] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is said."""
        return not self.problems and all(_says_nothing(each.manifest) for each in self.manifests)

    def denial(self, tool: str, effects: frozenset[Effect]) -> str:
        """**Returns** why a tool may not run, "" when it may.

        With a policy that may forbid what cannot be understood, only tools that read may.
        """
        for each in self.manifests:
            manifest = each.manifest
            if tool in manifest.deny_tools or tool.startswith(manifest.deny_tool_prefixes):
                return FORBIDS.format(each.origin, tool)
        unclear = [] if effects <= READS else [each for each in self.manifests if each.unclear]
        return UNREAD.format(unclear[0].origin, unclear[0].unclear) if unclear else ""

    def before_prompt(self) -> Sequence[str]:
        """**Returns** what the model reads at the beginning of a run."""
        texts: list[str] = []
        for each in self.manifests:
            manifest = each.manifest
            texts += manifest.hooks.before_prompt
            if manifest.managed_settings:
                texts.append(f"Settings that hold here: {json.dumps(dict(manifest.managed_settings))}")
            if manifest.safe_env:
                texts.append(f"Environment variables that you may use: {', '.join(manifest.safe_env)}")
        return _plain(texts)

    def after_turn(self) -> Sequence[str]:
        """**Returns** what the user reads at the end of a run."""
        return _plain([text for each in self.manifests for text in each.manifest.hooks.after_turn])

    def before_tool(self, tool: str) -> Sequence[str]:
        """**Returns** what the model reads of a tool before it calls it."""
        tables = (each.manifest.hooks.before_tool for each in self.manifests)
        return _plain([text for table in tables for name in (ALL, tool) for text in table.get(name, ())])

    def after_tool(self, tool: str) -> Sequence[str]:
        """**Returns** what the model reads behind the result of a tool."""
        tables = (each.manifest.hooks.after_tool for each in self.manifests)
        return _plain([text for table in tables for name in (ALL, tool) for text in table.get(name, ())])

    def limited(self, limits: Limits) -> Limits:
        """**Returns** these limits, none above that of any manifest."""
        lowest = {name: getattr(limits, name) for name in MostSpent.model_fields}
        for each in self.manifests:
            for name, most in each.manifest.budget:
                if most is not None and (lowest[name] is None or most < lowest[name]):
                    lowest[name] = most
        kept = {name: getattr(limits, name) for name in ("max_seconds",)}
        return Limits(**lowest, **kept)


def _says_nothing(manifest: Manifest) -> bool:
    return not manifest.model_fields_set or manifest == _nothing_said()


@cache
def _nothing_said() -> Manifest:
    return Manifest()


def policies(settings: Settings, texts: FolderTexts) -> Policies:
    """**Returns** all that hold here; those of a folder only once it is trusted."""
    named = (
        NamedManifest("the administrator", settings.managed),
        NamedManifest("your config file", settings.own),
    )
    if not settings.enabled:
        return Policies(named)
    manifests = folder_manifests(texts)
    problems = [problem for each in manifests for problem in each.problems]
    return Policies((*named, *manifests), problems)


def folder_manifests(texts: FolderTexts) -> Sequence[NamedManifest]:
    """**Returns** the manifests in files of trusted folders."""
    files = [f"{folder}/{name}" for folder in texts.folders.project for name in PROJECT_FILES]
    return texts.get(("policy",), (), lambda reader: tuple(_read(files, reader)))


def _read(files: Sequence[str], reader: FolderReader) -> Iterator[NamedManifest]:
    for path in files:
        shown = reader.shown(path)
        try:
            if not (read := reader.text(path)):
                continue
            found = read_manifest(read[2])
        except (WorkspaceError, ValueError, RecursionError) as problem:
            why = str(problem).rstrip(".")
            yield NamedManifest(shown, Manifest(), why, (REFUSING.format(shown, why),))
            continue
        told = REFUSING if found.unclear else LEFT_OUT
        problems = [told.format(shown, problem) for problem in found.problems]
        problems += [NO_TRUST.format(shown)] if found.manifest.trusted else []
        yield NamedManifest(shown, found.manifest, found.unclear, problems)


def _plain(texts: Sequence[str]) -> Sequence[str]:
    return [cut(plain(text), LONGEST) for text in texts]
