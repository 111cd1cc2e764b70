"""The commands that set something up, and those for programs."""

from agls.doors.headless.options.common import FOLDER, JSON, MODEL, TRUST
from agls.doors.headless.options.declaration import OneOf, command, lines, option

LOOK = (JSON, "--offline  ask nobody, not even this machine", FOLDER, TRUST, MODEL)
HOST = "host  a host, a provider (such as openai, anthropic, gemini) or a configured model"
DOCTOR = command("doctor", "find out what keeps the agent from working", *LOOK, arguments="[OPTIONS]")
MODELS = command("models", "what models there are, and what is known of them", *LOOK, arguments="[OPTIONS]")
PLACE = option("--in {keyring,file}  where (the keyring, if there is one)", dest="place", default="")
KEY = command(
    "key",
    "keep API keys, each for one host",
    arguments="COMMAND …",
    examples="""
        agls key set anthropic  asks for it
        agls key list           for which hosts one is kept
    """,
    below=(
        command("set", "keep a key: it is asked for, or read from standard input", HOST, PLACE),
        command("remove", "forget a key", HOST),
        command("list", "for which hosts a key is kept"),
    ),
)
CONFIG = command(
    "config",
    "look at the configuration",
    arguments="COMMAND …",
    below=(command("explain", "every setting and where it comes from", JSON, FOLDER, TRUST),),
)
TRUSTING = command(
    "trust",
    "trust a folder's own instructions and settings",
    option("folder DIR  the folder (or the current one)", nargs="?"),
    OneOf(
        lines("""
            --list    which folders are trusted
            --revoke  trust it no more
        """)
    ),
    arguments="[OPTIONS] [DIR]",
    examples="""
        agls trust           this folder
        agls trust --list    all
        agls trust --revoke  not now
    """,
)
EXPLAIN = """
    target                    a command, or with --kind a path
    --kind {shell,edit,read}  what is done with it
    --mode MODE               in this mode (or the configured one)
"""
PERMISSIONS = command(
    "permissions",
    "what runs unasked; take back what you allowed",
    arguments="COMMAND …",
    examples="""
        agls permissions list                      the rules, and what you saved
        agls permissions explain "npm test"        whether it would run unasked
        agls permissions revoke "shell(npm test)"  ask for it again
    """,
    below=(
        command("list", "the rules that hold here, and what was saved", JSON, FOLDER, TRUST),
        command("revoke", "take a saved permission back", "rule  as `list` shows it", FOLDER, TRUST),
        command("explain", "whether a call would run unasked, and why", EXPLAIN, FOLDER, TRUST),
        command("accept", "you looked at the files of agls that changed while a command ran", FOLDER, TRUST),
    ),
)
DAYS = option("--days N  the last N days with runs (7)", default=7)
USAGE = command("usage", "what was spent on each day", DAYS, JSON, arguments="[OPTIONS]")
SERVE = command(
    "serve",
    "serve an editor",
    option("--stdio  over standard input and output", required=True),
    "--wire-dump FILE  append every message both ways to a file, without keys",
    MODEL,
    arguments="--stdio [OPTIONS]",
)
SCHEMA = command(
    "schema",
    "the protocol, for whoever writes a client",
    "--out DIR  a folder for all files (or the schema to standard output)",
    arguments="[OPTIONS]",
)
COMPLETION = command(
    "completion",
    "complete commands and options in a shell",
    "shell {bash,zsh,fish}  for which shell",
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
    --yes      do not ask, allow everything
    --dir DIR  where to make the repository (or a temporary one)
    """,
    arguments="[OPTIONS]",
)
