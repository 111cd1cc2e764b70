"""What an examination found, for people and for programs."""

from collections.abc import Iterable
from dataclasses import replace

from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.redaction import without
from agls.room.findings import Finding

MARKS = {"pass": "ok  ", "warn": "warn", "fail": "FAIL"}

INDENT = " " * 19  # a fix stands below its finding


@frozen
class Report:
    """All findings, in the order of the checks; `unchecked`: what could not be looked at, and why."""

    findings: tuple[Finding, ...]
    unchecked: tuple[tuple[str, str], ...] = ()

    @property
    def is_well(self) -> bool:
        """Whether nothing failed; a warning is no failure."""
        return all(finding.status != "fail" for finding in self.findings)

    def without(self, secrets: Iterable[str]) -> "Report":
        """The same, with no secret in any text."""
        known = tuple(secrets)

        findings = (replace(f, text=without(known, f.text), fix=without(known, f.fix)) for f in self.findings)
        return Report(tuple(findings), tuple((topic, without(known, why)) for topic, why in self.unchecked))

    def data(self) -> JsonObject:
        """For programs."""
        return {
            "ok": self.is_well,
            "checks": [
                {"name": f.topic, "status": f.status, "text": f.text, "fix": f.fix} for f in self.findings
            ],
            "notChecked": [{"name": topic, "reason": why} for topic, why in self.unchecked],
        }

    def text(self) -> str:
        """For people: a line for each finding, its fix below it."""
        lines = [line for finding in self.findings for line in _lines(finding)]
        lines += [f"--    {topic:<12} not checked: {why}" for topic, why in self.unchecked]
        return "".join(f"{line}\n" for line in (*lines, "", self.verdict))

    def markdown(self) -> str:
        """The same where Markdown is shown."""
        rows = [row for finding in self.findings for row in _rows(finding)]
        rows += [f"- not checked: {topic} ({why})" for topic, why in self.unchecked]
        return "\n".join([*rows, "", self.verdict])

    @property
    def verdict(self) -> str:
        """All of it in one sentence."""
        failed = sum(f.status == "fail" for f in self.findings)
        warned = sum(f.status == "warn" for f in self.findings)
        if failed:
            return f"{failed} of {len(self.findings)} checks failed, {warned} gave warnings."
        return (
            f"Nothing failed, {warned} of {len(self.findings)} checks gave warnings."
            if warned
            else "Everything works."
        )


def _rows(finding: Finding) -> list[str]:
    row = f"- **{finding.status}** {finding.topic}: {finding.text}"
    fix, *settings = finding.fix.splitlines() or [""]
    rows = [row, f"  - {fix}"] if fix else [row]
    return [*rows, "", *(f"        {line}" for line in settings), ""] if settings else rows  # as code


def _lines(finding: Finding) -> list[str]:
    text, *others = finding.text.splitlines() or [""]
    line = f"{MARKS[finding.status]}  {finding.topic:<12} {text}"
    first, *more = finding.fix.splitlines() or [""]
    fix = [f"{INDENT}-> {first}", *(f"{INDENT}   {each}" for each in more)] if finding.fix else []
    return [line, *(f"{INDENT}{each}" for each in others), *fix]
