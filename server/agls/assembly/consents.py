"""Consents for what folders offer: the port `Consents`."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path
from typing import Literal

from agls.assembly.consent_answers import OnceAnswered
from agls.assembly.offered_files import TooMuch, covered_files
from agls.assembly.services import RunServices
from agls.config import ConsentRecord, ConsentStore
from agls.engine.facts import Notice
from agls.engine.vocabulary import JsonObject
from agls.room.offers import ALWAYS, ONCE, Consent, ConsentRow, Offer, question
from agls.workspace.digests import FileDigest

KIND = "session offers"
UNUSABLE = "What this folder offers cannot be used"
CHANGED_PLUGIN = "the files of its plugin changed since you installed it. Install it again: agls plugin add"
MOST_LINES = 200  # of what changed


class FolderConsents:
    """Implements `Consents` for the folder of a run."""

    def __init__(self, run: RunServices) -> None:
        self._seal, self._session = run.process.seal, run.info.session_id
        self._answers, self._settled = run.process.consent_answers, dict[tuple[str, str], str]()
        self._family = run.info.works_for or self._session
        self._run_id = "" if run.info.works_for else run.info.run_id  # a helper has its caller's answers
        self._log = run.session.session.log
        self._store = ConsentStore(run.process.own_files, self._seal)
        self._owner, self._missing = run.session.session, run.process.missing_consents
        self._asker = run.session.session.questions
        self._workspace, self._setup = run.folder, run.setup
        self._plugins = run.setup.plugins
        self._was_trusted = False

    @property
    def _folder(self) -> Path:
        return Path(self._workspace.root)

    def look(self, offer: Offer) -> Consent:
        """**Returns** what the user said of an offer as it is now."""
        self._was_trusted = self._was_trusted or self._setup.trusts_folder(str(self._folder))
        if offer.plugin:
            is_whole = self._plugins.holds(offer.plugin)
            return Consent(offer.plugin, is_whole, problem="" if is_whole else CHANGED_PLUGIN)
        try:
            files = covered_files(offer, self._workspace)
        except TooMuch as problem:
            return Consent("", False, problem=str(problem))
        digest = _digest(offer, files)
        known = self._store.of(self._folder, offer.kind, offer.name)
        if known is None or known.digest == digest:
            return Consent(digest, known is not None)
        return Consent(digest, False, _difference(known, offer.definition, files))

    def holds(self, offer: Offer) -> bool:
        """**Returns** whether an offer is still what the user consented to."""
        held = self.look(offer)
        is_same = held.is_given or held.digest == self._settled.get((offer.kind, offer.name), "nothing")
        return is_same and not self._is_trust_lost(offer)

    def stands(self, offer: Offer) -> bool:
        """**Returns** whether the user withdrew neither consent nor trust for an offer in use."""
        if offer.plugin:
            return True
        is_kept = self._store.of(self._folder, offer.kind, offer.name) is not None
        return (is_kept or (offer.kind, offer.name) in self._settled) and not self._is_trust_lost(offer)

    def _is_trust_lost(self, offer: Offer) -> bool:
        is_of_folder = self._was_trusted and not offer.plugin
        return is_of_folder and not self._setup.trusts_folder(str(self._folder))

    async def settle(self, offer: Offer) -> bool:
        """**Returns** whether an offer may be used now; a consent holds for exactly what was shown."""
        held = await asyncio.to_thread(self.look, offer)
        if held.problem:
            self._log.show(Notice("warning", UNUSABLE, f"{offer.name}: {held.problem}"))
            return self._miss(offer)
        if await asyncio.to_thread(self._is_trust_lost, offer):
            return False
        answered = self._answers.of(self._family, offer, held.digest, self._run_id)
        is_given = held.is_given or bool(answered)
        if not is_given and answered is None:
            is_given = await self._ask(offer, held) if self._asker.available else self._miss(offer)
        if answered is not None:  # for the helpers of a helper
            self._answers.give(self._session, offer, OnceAnswered(held.digest, self._run_id, answered))
        if is_given and not held.is_given:
            await asyncio.to_thread(self._settle_once, offer, held.digest)
        return is_given

    def _settle_once(self, offer: Offer, digest: str) -> None:
        """Let the answer hold for this run, unless a stored consent, which can be withdrawn, covers it."""
        if not self.look(offer).is_given:
            self._settled[offer.kind, offer.name] = digest

    async def _ask(self, offer: Offer, held: Consent) -> bool:
        answer = await self._asker.ask(question(offer, held))
        if answer.outcome != "selected":
            return False
        is_yes = answer.option_id in {ONCE.option_id, ALWAYS.option_id}
        self._answers.give(self._family, offer, OnceAnswered(held.digest, self._run_id, is_yes))
        if not is_yes or (await asyncio.to_thread(self.look, offer)).digest != held.digest:
            return False  # the user said no, or it changed while they were asked
        if answer.option_id == ALWAYS.option_id:
            await asyncio.to_thread(self._give, offer, held.digest)
        return True

    def _miss(self, offer: Offer) -> Literal[False]:
        """Go on without an offer, or end the run where it requires all of them."""
        origin = "" if offer.origin in offer.name else f" of {offer.origin}"  # names of hooks have it
        if stop := self._missing.add(f"The {offer.kind} {offer.name}{origin}"):
            self._owner.cancel(stop=stop)
        return False

    def _give(self, offer: Offer, digest: str) -> None:
        with suppress(OSError, TooMuch):  # then it holds this time only, and the next one asks again
            texts = {name: file.text for name, file in covered_files(offer, self._workspace).items()}
            self._store.give(self._folder, offer.kind, offer.name, digest, offer.definition, texts)

    def all(self) -> list[ConsentRow]:
        """**Returns** the consents of all folders."""
        return [
            ConsentRow(each.kind, each.name, each.folder, each.given_at, each.definition)
            for each in self._store.all()
        ]

    def revoke(self, kind: str, name: str) -> bool:
        """Forget the consent for this folder. **Raises** `OSError`."""
        return self._store.revoke(str(self._folder), kind, name)

    def mark(self, content: JsonObject) -> str:
        """**Returns** the mark of something that agls writes into the journal of this session."""
        return self._seal.sign(KIND, [self._session, content])

    def vouch(self, content: JsonObject, mark: str) -> bool:
        """**Returns** whether agls wrote this for this session."""
        return self._seal.proves(KIND, [self._session, content], mark)


def _digest(offer: Offer, files: Mapping[str, FileDigest]) -> str:
    contents = {name: file.digest for name, file in files.items()}
    return sha256(_canonical({"offer": offer.definition, "files": contents}).encode("utf-8")).hexdigest()


def _canonical(value: JsonObject) -> str:
    return json.dumps(value, sort_keys=True)


def _difference(known: ConsentRecord, definition: JsonObject, files: Mapping[str, FileDigest]) -> str:
    """Return what changed since a consent, as a patch of the definition and of the files it names."""
    lines = [*_patch("definition", _pretty(known.definition), _pretty(definition))]
    for name in dict.fromkeys((*known.files, *files)):
        before, after = known.files.get(name, ""), files[name].text if name in files else ""
        lines += _patch(name, before, after)
    more = len(lines) - MOST_LINES
    shown = [*lines[:MOST_LINES], *([f"… {more} more lines"] if more > 0 else [])]
    return "\n".join(shown) or "A file that it names changed; what is in it is not shown."


def _pretty(definition: JsonObject) -> str:
    return json.dumps(definition, indent=1, sort_keys=True, ensure_ascii=False)


def _patch(name: str, before: str, after: str) -> Iterator[str]:
    return unified_diff(
        before.splitlines(), after.splitlines(), f"{name} (before)", f"{name} (now)", lineterm=""
    )
