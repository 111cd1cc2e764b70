"""The commands that need the agent or its configuration."""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from agls.config import Choice, ConfigError, ConfigInputs, PluginRecord, Setup, read, take_over
from agls.config.environment import process_environment
from agls.doors.headless.config_command import CONFIG
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.explain import write_settings
from agls.doors.headless.hooks_command import HOOKS
from agls.doors.headless.keys import key
from agls.doors.headless.mcp_command import MCP
from agls.doors.headless.mcp_entries_command import ENTRIES
from agls.doors.headless.memory_command import MEMORY
from agls.doors.headless.open_session import RunRequest, folder
from agls.doors.headless.permissions_command import PERMISSIONS
from agls.doors.headless.piped_input import piped
from agls.doors.headless.rewinds import REWINDS
from agls.doors.headless.run import refuse, run
from agls.doors.headless.sessions_command import SESSIONS
from agls.doors.headless.settings import limits, prompts, settings
from agls.doors.headless.shutdown import see_through
from agls.doors.headless.skills_command import SKILLS
from agls.doors.headless.streams import write_stderr
from agls.doors.headless.trust_command import trust
from agls.doors.headless.usage import usage
from agls.views.escape import escape_controls
from agls.workspace.redact import harden

SESSION_PREFIX = "ses_"
STANDARD_INPUT = "-"
PLUGIN_COMMANDS = ("add", "list", "show", "diff", "enable", "disable", "remove", "try")
WELCOME = """\
usage: agls [-h] [--version] COMMAND ...

  agls demo                  watch a whole session; needs no model
  agls doctor                find out what is missing, and what to set
  agls chat                  talk to the agent
  agls run "add a test"      work in the current folder; piped input is added to the prompt
  agls resume                continue its latest session
  agls serve --stdio         serve an editor
  agls --help                every command; agls run --help: every option
"""


def welcome(arguments: argparse.Namespace) -> int:
    """Follow `agls` alone: a conversation, or how to begin and what is missing for it."""
    here = folder(".")
    try:
        setup = read(ConfigInputs(), here, lambda _: False)
        asyncio.run(Choice(lambda: setup).find(here))
    except ConfigError as problem:
        write_stderr(f"{WELCOME}\n{escape_controls(str(problem))}\n")
        return Exit.UNUSABLE
    if sys.stdin.isatty() and sys.stdout.isatty():
        return _chat(RunRequest())
    write_stderr(WELCOME)
    return Exit.UNUSABLE


def converse(arguments: argparse.Namespace) -> int:
    """Follow `agls chat`."""
    prompt, *more = [*map(_text, arguments.words or ()), ""]
    if any(more):
        raise CannotBegin('Put the prompt in quotes: agls chat "…"', "usage")
    return _chat(
        replace(
            _request(arguments),
            prompt=prompt,
            resume=arguments.goes_on or bool(arguments.session),
            session_id=arguments.session or "",
        )
    )


def _chat(request: RunRequest) -> int:
    from agls.doors.headless.chat import chat  # noqa: PLC0415 - a run begins without it

    return see_through(chat(request))


def run_prompt(arguments: argparse.Namespace) -> int:
    """Follow `agls run`."""
    return _start(arguments, lambda: _said(arguments, arguments.words, 'agls run "…"'))


def resume(arguments: argparse.Namespace) -> int:
    """Follow `agls resume`."""
    words: list[str] = arguments.words
    named = bool(words) and words[0].startswith(SESSION_PREFIX)
    session_id, rest = (words[0], words[1:]) if named else ("", words)
    usage = f'agls resume [{SESSION_PREFIX}…] "…"'
    return _start(arguments, lambda: _said(arguments, rest, usage), resume=True, session_id=session_id)


def plugin(arguments: argparse.Namespace) -> int:
    """Follow `agls plugin`."""
    from agls.doors.headless.plugin_command import follow_plugin, tried  # noqa: PLC0415 - few need it

    if arguments.command != "plugin try":
        return follow_plugin(arguments)
    record = tried(arguments)
    if record is None:
        return Exit.DONE if sys.stdin.isatty() else Exit.UNUSABLE  # else nobody could be asked
    return _start(
        arguments, lambda: _said(arguments, arguments.words, 'agls plugin try SOURCE "…"'), tried=(record,)
    )


def explain(arguments: argparse.Namespace) -> int:
    """Follow `agls config explain`."""
    setup, cwd = _setup(arguments, ConfigInputs(remembered=True))
    write_settings(setup, cwd, as_json=arguments.json)
    return Exit.DONE


def explain_instructions(arguments: argparse.Namespace) -> int:
    """Follow `agls explain instructions`: the action of this name, in a session that is not kept."""
    request = RunRequest(
        cwd=arguments.cwd or "",
        prompt="/instructions",
        output="json" if arguments.json else "text",
        trust=arguments.trust,
    )
    return see_through(run(request))


def models(arguments: argparse.Namespace) -> int:
    """Follow `agls models`."""
    from agls.doors.headless.models import write_models  # noqa: PLC0415 - it loads the HTTP library

    harden()
    setup, cwd = _setup(arguments, ConfigInputs(arguments=settings(arguments), remembered=True))
    write_models(setup, cwd, as_json=arguments.json, offline=arguments.offline)
    return Exit.DONE


def import_product(arguments: argparse.Namespace) -> int:
    """Follow `agls import`."""
    from agls.doors.headless.import_command import take_over_product  # noqa: PLC0415 - few need it

    return take_over_product(arguments)


def doctor(arguments: argparse.Namespace) -> int:
    """Follow `agls doctor`."""
    from agls.doors.headless.doctor import write_findings  # noqa: PLC0415 - as above

    harden()
    cwd = folder(arguments.cwd or ".")
    environment = dict(process_environment())
    inputs = ConfigInputs(arguments=settings(arguments), remembered=True)
    try:
        setup = read(inputs, cwd, lambda root: arguments.trust and root == Path(cwd))
    except ConfigError as problem:
        setup = problem
    well = write_findings(setup, cwd, environment, offline=arguments.offline, as_json=arguments.json)
    return Exit.DONE if well else Exit.FAILED


def _setup(arguments: argparse.Namespace, inputs: ConfigInputs) -> tuple[Setup, str]:
    """Return the configuration for the folder that was named. **Raises** `CannotBegin` and `ConfigError`."""
    cwd = folder(arguments.cwd or ".")
    return read(inputs, cwd, lambda root: arguments.trust and root == Path(cwd)), cwd


COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "welcome": welcome,
    "chat": converse,
    "run": run_prompt,
    "resume": resume,
    **SESSIONS,
    **REWINDS,
    "doctor": doctor,
    "config explain": explain,
    **CONFIG,
    "explain instructions": explain_instructions,
    **dict.fromkeys(("key set", "key remove", "key list"), key),
    **MEMORY,
    **MCP,
    **ENTRIES,
    "import": import_product,
    **dict.fromkeys((f"plugin {name}" for name in PLUGIN_COMMANDS), plugin),
    "models": models,
    "usage": usage,
    "trust": trust,
    **PERMISSIONS,
    **HOOKS,
    **SKILLS,
}


def follow(command: str, arguments: argparse.Namespace) -> int:
    """Follow a command. The notices of what is taken over from the former name come before anything else.

    **Raises** `CannotBegin`, also for a wrong configuration.
    """
    try:
        for notice in take_over(process_environment()):
            sys.stderr.write(f"agls: {escape_controls(notice)}\n")
        return COMMANDS[command](arguments)
    except ConfigError as problem:
        raise CannotBegin(str(problem), "configInvalid") from problem


def _start(
    arguments: argparse.Namespace,
    say: Callable[[], tuple[str, bytes, bool]],
    *,
    resume: bool = False,
    session_id: str = "",
    tried: tuple[PluginRecord, ...] = (),
) -> int:
    since: int | None = getattr(arguments, "since", None)  # a new session has no past
    try:
        _check_input(arguments, since)
        prompt, beside, typed = say()
    except CannotBegin as problem:
        return asyncio.run(refuse(arguments.output, problem))
    request = replace(
        _request(arguments),
        prompt=prompt,
        piped=beside,
        expand=arguments.expand and typed,
        output=arguments.output,
        control=arguments.input == "jsonl",
        resume=resume,
        session_id=session_id,
        since=since,
        tried=tried,
    )
    return see_through(run(request))


def _request(arguments: argparse.Namespace) -> RunRequest:
    """Return what a run and a conversation have in common."""
    options = {
        "agent": arguments.agent,
        "model": arguments.model or None,
        "effort": arguments.effort or None,
        "mode": arguments.mode,
        "outputSchema": getattr(arguments, "output_schema", None),
        **limits(arguments),
        "deliver": getattr(arguments, "deliver", None),
        "answers": arguments.answers,
    }
    return RunRequest(
        cwd=arguments.cwd or "",
        expand=arguments.expand,
        quiet=arguments.quiet,
        title=_text(getattr(arguments, "title", "")),
        trust=arguments.trust,
        require_offers=arguments.require_offers,
        add_dirs=tuple(arguments.add_dir),
        attach=tuple(arguments.attach),
        options={name: value for name, value in options.items() if value is not None},
        arguments=settings(arguments) | prompts(arguments),
    )


def _check_input(arguments: argparse.Namespace, since: int | None) -> None:
    """Refuse requests, and earlier events, without an output of lines. **Raises** `CannotBegin`."""
    if since is not None and arguments.output != "jsonl":
        raise CannotBegin("--since needs --output jsonl, where events are written.", "usage")
    if arguments.input == "text":
        return
    if arguments.output != "jsonl":
        raise CannotBegin("--input jsonl needs --output jsonl, where its answers are written.", "usage")
    if STANDARD_INPUT in arguments.words:
        message = "With --input jsonl the prompt is an argument: standard input has the requests."
        raise CannotBegin(message, "usage")


def _said(arguments: argparse.Namespace, words: Sequence[str], usage: str) -> tuple[str, bytes, bool]:
    """Return the prompt, what is piped beside it, and whether the prompt was typed.

    Alone, what is piped is the prompt. **Raises** `CannotBegin`.
    """
    waits = STANDARD_INPUT in words
    given = [_text(word) for word in words if word != STANDARD_INPUT]
    if len(given) > 1:
        raise CannotBegin(f"Put the prompt in quotes: {usage}", "usage")
    prompt = given[0] if given else ""
    read = piped(beside=bool(prompt), waits=waits) if arguments.input == "text" else b""
    return (prompt, read, True) if prompt else (read.decode("utf-8", "replace"), b"", False)


def _text(argument: str) -> str:
    """Return an argument of the command line, which may hold bytes that are no text."""
    return os.fsencode(argument).decode("utf-8", "replace")
