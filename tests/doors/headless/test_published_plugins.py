"""Plugins in the shapes of published ones, at work: their commands, hooks and skills as one."""

import json
from typing import Any

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_published_files import place
from support.model_server import ModelServer, Reply

pytestmark = pytest.mark.timeout(300)
BEGIN = """#!/bin/bash
words=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --promise) promise="$2"; shift 2 ;;
    *) words+=("$1"); shift ;;
  esac
done
mkdir -p .claude
printf '%s\\n%s\\n' "$promise" "${words[*]}" > .claude/loop.local.md
"""
AGAIN = """#!/bin/bash
said=$(cat)
[[ -f .claude/loop.local.md ]] || exit 0
file=$(echo "$said" | python3 -c 'import json, sys; print(json.load(sys.stdin)["transcript_path"])')
last=$(grep '"role":"assistant"' "$file" | tail -1)
if [[ "$last" == *"<promise>$(head -1 .claude/loop.local.md)</promise>"* ]]; then
  rm .claude/loop.local.md
  exit 0
fi
printf '{"decision": "block", "reason": "Again: %s"}' "$(tail -1 .claude/loop.local.md)"
"""
LOOP = """---
description: "Work until it is done"
argument-hint: "PROMPT [--promise TEXT]"
allowed-tools: ["Bash(${CLAUDE_PLUGIN_ROOT}/scripts/begin.sh:*)"]
hide-from-slash-command-tool: "true"
---
```!
"${CLAUDE_PLUGIN_ROOT}/scripts/begin.sh" $ARGUMENTS
```
"""


@pytest.mark.row(49)
def test_loop_of_a_plugin_goes_on_until_the_model_keeps_its_promise(agls: Agls) -> None:
    hook = {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/again.sh"}
    files: dict[str, str | bytes] = {
        ".claude-plugin/plugin.json": json.dumps({"name": "loop", "author": {"name": "A", "email": "a@b"}}),
        "hooks/hooks.json": json.dumps({"description": "Goes on.", "hooks": {"Stop": [{"hooks": [hook]}]}}),
        "hooks/again.sh": AGAIN,
        "scripts/begin.sh": BEGIN,
        "commands/begin.md": LOOP,
    }
    place(agls.home / "loop", files)
    for name in ("hooks/again.sh", "scripts/begin.sh"):
        (agls.home / "loop" / name).chmod(0o755)
    assert agls.run("plugin", "add", str(agls.home / "loop"), "--yes").code == 0
    said = ("One.", "Two.", "Here it is: <promise>ALL DONE</promise>")
    agls.prompts([{"text": text} for text in said])
    done = agls.run("run", "/begin Build it --promise 'ALL DONE'", "--mode", "allowAll", "--output", "jsonl")
    assert done.code == 0, done.err
    assert done.out.count("Again: Build it") >= 2
    assert not (agls.workspace / ".claude/loop.local.md").exists()


ABOUT = """#!/usr/bin/env bash
if [ -n "${CURSOR_PLUGIN_ROOT:-}" ]; then
  printf '{"additional_context": "For Cursor."}'
elif [ -n "${CLAUDE_PLUGIN_ROOT:-}" ]; then
  printf '{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "For Claude."}}'
else
  printf '{"additionalContext": "For others."}'
fi
"""


RUN: dict[str, Any] = {"type": "command", "command": 'bash "${CLAUDE_PLUGIN_ROOT}/hooks/about"'}
CLAUDE: dict[str, Any] = {"SessionStart": [{"matcher": "startup|clear", "hooks": [RUN]}]}
CURSOR: dict[str, Any] = {"sessionStart": [RUN]}


@pytest.mark.row(50)
@pytest.mark.parametrize(
    ("manifest", "hooks", "told"),
    [(".claude-plugin", CLAUDE, "For Claude."), (".cursor-plugin", CURSOR, "For Cursor.")],
)
def test_hook_that_asks_whose_plugin_it_is_gives_the_model_its_text(
    agls: Agls, manifest: str, hooks: dict[str, Any], told: str
) -> None:
    files: dict[str, str | bytes] = {
        f"{manifest}/plugin.json": json.dumps({"name": "powers"}),
        "hooks/hooks.json": json.dumps({"version": 1, "hooks": hooks}),
        "hooks/about": ABOUT,
    }
    place(agls.home / "powers", files)
    assert agls.run("plugin", "add", str(agls.home / "powers"), "--yes").code == 0
    with ModelServer([Reply("Done.")]) as server:
        done = agls.run("run", "go", "--base-url", server.url, "--model", "m")
        assert done.code == 0, done.err
        assert told in str(server.posts[0].body["messages"])
