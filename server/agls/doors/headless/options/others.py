"""The commands that set something up, and those for programs."""

from agls.doors.headless.options.common import FOLDER, JSON, MODEL, TRUST
from agls.doors.headless.options.declaration import OneOf, Titled, command, lines, option
from agls.doors.headless.options.parser import WORDS
from agls.doors.headless.options.runs import BOUNDS, CHOSEN_MODE, WORKER

LOOK = (JSON, "--offline  ask no server, not even on this machine", FOLDER, TRUST, MODEL)
HOST = "host  a host, a provider (such as openai, anthropic, gemini) or a configured model"
DOCTOR = command("doctor", "find out what keeps the agent from working", *LOOK, arguments="[OPTIONS]")
MODELS = command("models", "list the models, and what is known about them", *LOOK, arguments="[OPTIONS]")
PLACE = option(
    "--in {keyring,file}  where to store it (default: the keyring, if there is one)", dest="place", default=""
)
KEY = command(
    "key",
    "store API keys, each for one host",
    arguments="COMMAND …",
    examples="""
        agls key set anthropic  prompts for the key
        agls key list           lists the hosts that have one
    """,
    below=(
        command("set", "store a key: it is prompted for, or read from standard input", HOST, PLACE),
        command("remove", "delete a stored key", HOST),
        command("list", "list the hosts that have a stored key"),
    ),
)
SETTING = "key  the name of a setting, such as budget.max_turns"
VALUE = option('value  as in TOML (40, true, ["a", "b"]); anything else is text', nargs="?")
IN_PROJECT = "--project  in the folder's .agls/config.toml, which can only make things stricter"
CONFIG = command(
    "config",
    "show and change the configuration",
    arguments="COMMAND …",
    examples="""
        agls config get budget.max_turns     its value here, and where that comes from
        agls config set budget.max_turns 40  in your own file
        agls config unset budget.max_turns   back to the default
    """,
    below=(
        command("get", "show a setting, or all of a table", SETTING, JSON, FOLDER, TRUST),
        command("set", "change a setting in your file, or the folder's", SETTING, VALUE, IN_PROJECT, FOLDER),
        command("unset", "remove a setting from your file, or the folder's", SETTING, IN_PROJECT, FOLDER),
        command("list", "list the settings that are set, and where", JSON, FOLDER, TRUST),
        command("explain", "list every setting and where it comes from", JSON, FOLDER, TRUST),
    ),
)
EXPLAINING = command(
    "explain",
    "explain what the model gets to read, and why",
    arguments="[COMMAND] …",
    below=(
        command(
            "instructions",
            "list the instruction files that apply here, and why others do not",
            JSON,
            FOLDER,
            TRUST,
        ),
    ),
)
NOTE = option("text TEXT  one sentence", nargs="+")
LOOKS = (JSON, FOLDER, TRUST)
MEMORY = command(
    "memory",
    "what models remember in every session: see and change it",
    arguments="[COMMAND] …",
    examples="""
        agls memory                                 what there is, and in which files
        agls memory add "Run the tests with make."  for this project
        agls memory add -e "Answer in French."      for everything
        agls memory forget 2                        as `agls memory` numbers them
    """,
    below=(
        command("show", "what there is (what memory alone does)", *LOOKS),
        command("add", "write an entry", NOTE, "-e --everywhere  not for this project only", *LOOKS),
        command("edit", "write another text in the place of an entry", "number  its number", NOTE, *LOOKS),
        command("forget", "take entries out", option("numbers NUMBER  which", nargs="+"), *LOOKS),
    ),
)
INPUT = "name NAME  its name, as `agls mcp inputs` shows it"
SERVER = "server NAME  its name, as `agls mcp list` shows it"
SERVER_THERE = SERVER.replace("server", "name", 1)
SCOPE = "-s --scope {user,project}  whose: yours everywhere, or the folder's in .mcp.json"
TRANSPORT = option(
    "-t --transport {http,sse,stdio}  how it is spoken to (default: http, or stdio for a program)", default=""
)
FROM = option("-s --scope {user,project}  which file (default: the one that has it)", default="")
MCP = command(
    "mcp",
    "MCP servers: see them, log in, switch them on and off; be one",
    arguments="COMMAND …",
    examples="""
        agls mcp add docs https://docs.example/mcp        an address
        agls mcp add notes -e LEVEL=2 -- npx -y my-notes  a program, behind --
        agls mcp list           which there are, how far each is, and what is wrong
        agls mcp tools notes    the tools of one, and what changed in them
        agls mcp login notes    opens a page to log in; agls mcp logout notes forgets that
        agls mcp disable notes  neither start nor offer it until agls mcp enable notes
        agls mcp inputs         what servers of this folder ask of you; agls mcp input NAME gives it
        agls mcp serve          be an MCP server for another agent, in this folder
    """,
    below=(
        command("list", "list the servers", *LOOKS),
        command(
            "add",
            "write a server into your config file, or the folder's .mcp.json",
            "name NAME  a name for it",
            option(
                f"{WORDS} SERVER  its address, its program behind --, or its JSON", nargs="*", default=None
            ),
            "--program LINE  the same as one text",
            SCOPE,
            TRANSPORT,
            "-e --env NAME=VALUE...  a variable for the program; may be repeated",
            "-H --header HEADER...  a header for the address, 'NAME: VALUE'; may be repeated",
            *LOOKS,
            arguments="[OPTIONS] NAME ADDRESS | NAME -- PROGRAM …",
            examples="""
                agls mcp add docs https://docs.example/mcp -H 'Authorization: Bearer ${DOCS_TOKEN}'
                agls mcp add notes -e LEVEL=2 -- npx -y my-notes --quiet
                agls mcp add notes --scope project -- npx -y my-notes  for all who work on the folder
            """,
        ),
        command("remove", "take a server out of the file that it stands in", SERVER_THERE, FROM, *LOOKS),
        command("tools", "list the tools of a server, which is started where that is needed", SERVER, *LOOKS),
        command("accept", "accept the changed tools of a server", SERVER, *LOOKS),
        command("login", "log in at the address of a server", SERVER, *LOOKS),
        command("logout", "forget the login at a server", SERVER, *LOOKS),
        command("restart", "start a server, and ask it anew what it offers", SERVER, *LOOKS),
        command("enable", "use a server again that you switched off", SERVER, *LOOKS),
        command("disable", "switch a server off", SERVER, *LOOKS),
        command("inputs", "list what the servers of this folder's files ask of you", *LOOKS),
        command("input", "give an input of a server: it is asked for, or a line of the input", INPUT, *LOOKS),
        command("forget", "forget what you gave for an input", INPUT, *LOOKS),
        command(
            "serve",
            "be an MCP server on standard input and output: another agent runs this one",
            FOLDER,
            "--trust  trust the folder's own settings",
            Titled("model and permissions", (*WORKER, *CHOSEN_MODE)),
            BOUNDS,
            arguments="[OPTIONS]",
            examples="""
                agls mcp serve -C ~/project                     what would be asked is refused
                agls mcp serve -C ~/project --mode acceptEdits  edits need no question
            """,
        ),
    ),
)
PRODUCT = option(
    "product PRODUCT  claude, codex, cursor, gemini or opencode (default: list those that are here)",
    nargs="?",
    choices=("claude", "codex", "cursor", "gemini", "opencode"),
    default=None,
)
IMPORTING = command(
    "import",
    "take over instructions, commands, memory and rules of another agent",
    PRODUCT,
    """
    -y --yes   write without a question
    --dry-run  only show what would be written
    """,
    *LOOKS,
    arguments="[OPTIONS] [PRODUCT]",
    examples="""
        agls import                   which agents have files here
        agls import claude --dry-run  what would be written, and what could not be taken over
        agls import claude            the same, then it asks
    """,
)
TRUSTING = command(
    "trust",
    "trust a folder's own instructions and settings",
    option("folder DIR  the folder (default: the current one)", nargs="?"),
    OneOf(
        lines("""
            --list            list the trusted folders, and what in them may act
            --revoke          no longer trust it
            --show NAME       show what you consented to, such as "command /fix"
            --withdraw NAME   ask again before this is used
        """)
    ),
    arguments="[OPTIONS] [DIR]",
    examples="""
        agls trust                            this folder
        agls trust --list                     all trusted folders, and what may act
        agls trust --revoke                   no longer this folder
        agls trust --withdraw "command /fix"  ask again before it runs anything
    """,
)
EXPLAIN = """
    target                    a command, or with --kind a path; or both as in a rule: "read(src/a.py)"
    --kind {shell,edit,read}  what would be done with it
    --mode MODE               the permission mode (default: the configured one)
"""
PERMISSIONS = command(
    "permissions",
    "show what runs without a question; revoke what you allowed",
    arguments="COMMAND …",
    examples="""
        agls permissions list                      the rules, and the permissions you saved
        agls permissions explain "npm test"        whether it would run without a question
        agls permissions revoke "shell(npm test)"  ask again from now on
    """,
    below=(
        command("list", "list the rules that apply here, and the saved permissions", JSON, FOLDER, TRUST),
        command("revoke", "revoke a saved permission", "rule  as `list` shows it", FOLDER, TRUST),
        command("explain", "explain whether a call would run without a question", EXPLAIN, FOLDER, TRUST),
        command("accept", "accept changes that a command made to agls's own files", FOLDER, TRUST),
    ),
)
TESTED = (
    option("event EVENT  such as PreToolUse or Stop (default: show recorded calls again)", nargs="?"),
    option("about ABOUT  what matchers see: the tool, or how a session begins …", nargs="?"),
    option("--with JSON  members of what a hook gets, in the place of made-up ones", dest="given"),
    option("--session ID  its id (default: with an event none, else the folder's latest)", default=""),
    option("--last N  only its last N calls (50)"),
)
HOOKS = command(
    "hooks",
    "show your hooks; test them with an event or with recorded calls",
    arguments="COMMAND …",
    examples="""
        agls hooks list                     the hooks, and those that have no consent yet
        agls hooks test Stop                which run at the end, what they say, what would come of it
        agls hooks test PreToolUse Bash --with '{"tool_input": {"command": "git push"}}'
        agls hooks test UserPromptSubmit --with '{"prompt": "hello"}'
        agls hooks test --last 10           what they would decide about the last ten calls
    """,
    below=(
        command("list", "list the hooks of this folder, and where each comes from", JSON, FOLDER, TRUST),
        command(
            "test",
            "let hooks see an event that is made up, or recorded calls again; no tool runs",
            *TESTED,
            JSON,
            FOLDER,
            TRUST,
        ),
    ),
)
TRIED = (
    "name  the skill",
    option(
        "--prompts FILE  what users might write, one prompt on each line (-: standard input)", required=True
    ),
)
SKILLS = command(
    "skills",
    "show your skills; test how often the model chooses one",
    arguments="COMMAND …",
    examples="""
        agls skills list                                which there are, and why one is not used
        agls skills test release --prompts prompts.txt  for how many of these prompts it is chosen
    """,
    below=(
        command("list", "list the skills of this folder, and what is wrong with any", JSON, FOLDER, TRUST),
        command(
            "test",
            "ask the model each prompt, and count how often it chooses a skill; no tool runs",
            *TRIED,
            JSON,
            FOLDER,
            TRUST,
            MODEL,
        ),
    ),
)
DAYS = option("--days N  the last N days with runs (7)", default=7)
USAGE = command("usage", "show what was spent on each day", DAYS, JSON, arguments="[OPTIONS]")
SERVE = command(
    "serve",
    "serve an editor",
    option("--stdio  use standard input and output", required=True),
    "--wire-dump FILE  append all messages in both directions to a file, without keys",
    MODEL,
    arguments="--stdio [OPTIONS]",
)
SCHEMA = command(
    "schema",
    "print the protocol, for authors of clients",
    "--out DIR  write all files into this folder (default: print the schema)",
    arguments="[OPTIONS]",
)
COMPLETION = command(
    "completion",
    "print a script that completes commands in a shell",
    "shell {bash,zsh,fish}  the shell",
    arguments="bash|zsh|fish",
    examples="""
        eval "$(agls completion bash)"  in ~/.bashrc; with zsh in ~/.zshrc
        agls completion fish > ~/.config/fish/completions/agls.fish
    """,
)
DEMO = command(
    "demo",
    "watch a whole session, with a scripted model",
    """
    --yes      allow everything without a question
    --dir DIR  where to create the repository (default: a temporary folder)
    """,
    arguments="[OPTIONS]",
)
