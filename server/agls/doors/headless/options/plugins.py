"""The commands `agls plugin …`."""

from agls.doors.headless.options.common import JSON
from agls.doors.headless.options.declaration import command, lines, option
from agls.doors.headless.options.parser import WORDS
from agls.doors.headless.options.runs import BOTH

SOURCE = option("source SOURCE  a folder, a repository (ADDRESS#BRANCH), or NAME@CATALOGUE")
NAME = "name  its name"
SET = "--set KEY=VALUE...  the value of an option of the plugin; may be repeated"
YES = "-y --yes   without a question"
PLUGIN = command(
    "plugin",
    "install plugins: skills, commands, agents, hooks and servers in one folder",
    arguments="COMMAND …",
    examples="""
        agls plugin add ./my-plugin                       shows all that it brings, then asks
        agls plugin add https://example.com/p.git#v1      a branch, a tag or a commit
        agls plugin add formatter@https://example.com/c   by its name in a catalogue
        agls plugin diff formatter                        what an update would change
        agls plugin try ./my-plugin "check the changes"   for one run, without installing it
    """,
    below=(
        command("add", "install a plugin, or update it", SOURCE, SET, YES, JSON),
        command("list", "list the installed plugins", JSON),
        command(
            "show", "show everything that a plugin brings", option("name NAME  its name, or a source"), JSON
        ),
        command("diff", "show what an update would change", NAME, JSON),
        command("enable", "switch a plugin on", NAME, SET),
        command("disable", "switch a plugin off", NAME),
        command("remove", "remove a plugin, and what it kept", NAME),
        command(
            "try",
            "use a plugin for one run, without installing it",
            SOURCE,
            option(f"{WORDS} PROMPT  what to do, in quotes", nargs="*", default=None),
            "--title TITLE  the session's title",
            *lines(f"{SET}\n--yes  without a question about the plugin"),
            *BOTH,
            arguments="[OPTIONS] SOURCE [PROMPT]",
        ),
    ),
)
