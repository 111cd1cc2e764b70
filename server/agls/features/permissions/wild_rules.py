"""Rules that ask or deny with a `*` inside, such as `shell(rm -rf /*)`: which commands they are about."""

from agls.features.permissions.commands import Match
from agls.room.command_patterns import any_text, may_fit, words_wanted
from agls.room.shell_programs import programs_within
from agls.room.shell_tree import NotUnderstood
from agls.room.shell_words import LONGEST


def fits(command: str, pattern: str) -> Match:
    """**Returns** whether a program in a command fits, or the command as a whole.

    `unsure` when that is known only when it runs, or when the command is too long to look at.
    """
    if len(command) > LONGEST:
        return "unsure"
    if any_text(pattern).fullmatch(command.strip().casefold()):
        return "yes"
    wanted = words_wanted(pattern)
    try:
        found = [each for each in programs_within(command) if may_fit(wanted, each)]
    except NotUnderstood:
        return "unsure"
    if any(None not in each.words and not each.is_fed for each in found):
        return "yes"
    return "unsure" if found else "no"
