"""The commands `agls run` and `agls resume`."""

from agls.doors.headless.options.common import MODEL
from agls.doors.headless.options.declaration import Titled, command, lines, option
from agls.doors.headless.options.parser import WORDS
from agls.doors.headless.options.values import schema
from agls.modes import MODES

WORK = (
    *lines("""
        -C --cwd DIR      the folder to work in (or the current one)
        --add-dir DIR...  another folder; may be repeated
        --attach FILE...  a file: the model sees an image or a text, and tools can save any; may be repeated
    """),
    option(
        "--no-expand  take @FILE and /COMMAND as they are written; else @FILE points at the file, and "
        "a command is done",
        dest="expand",
        action="store_false",
    ),
    option("--agent NAME  which of your agents does it: [agents.NAME]", default=None),
)
PERMISSIONS = (
    option(f"--mode MODE  what needs no question: {', '.join(MODES)}"),
    option("--yolo  the same as --mode allowAll", dest="mode", action="store_const", const="allowAll"),
    option("--trust  trust the folder's own settings, for this run"),
)
OUTPUT = (
    *lines("""
        --output {text,json,jsonl}  what is written
        -q --quiet                  write the answer only, not what the agent does
        --input {text,jsonl}        jsonl: requests (steer, cancel, respond) are read from standard input;
                                    needs --output jsonl
    """),
    option("--output-schema FILE  a JSON Schema that the answer has to fit", type=schema, default=None),
    option("--deliver TARGET  where the result goes, too: [delivery.TARGET]", default=None),
)
LIMITS = """
    --max-turns N             model requests at most (50 where nobody is at a terminal)
    --max-seconds SECONDS     seconds at most, questions not counted (1800 where nobody is at a terminal)
    --max-cost-usd USD        US dollars at most
    --max-model-calls N       model calls at most, those of helpers and children included
    --max-tool-calls N        tool calls at most
    --max-delegated-tasks N   tasks given to other agents at most; more are refused, and the run does them
                              itself
    --max-total-tokens N      tokens at most, in and out
    --max-input-tokens N      tokens in at most
    --max-output-tokens N     tokens out at most
    --max-reasoning-tokens N  tokens of reasoning at most
    --max-session-turns N     model requests at most in the whole session
    --caller CALLER           who asks: [budget.callers] may limit them on a day
    --parent-run ID           the run of another program it works for
"""
EFFORT = "--effort EFFORT  how much the model thinks: none, minimal, low, medium, high, …"
BOTH = (
    Titled("what it works with", WORK),
    Titled("model", (*lines(MODEL), option(EFFORT))),
    Titled("permissions", PERMISSIONS),
    Titled("output", OUTPUT),
    Titled("limits", lines(LIMITS), "Where none is given those of [budget] in the configuration hold."),
)
RUN = command(
    "run",
    "run one prompt",
    option(
        f'{WORDS} PROMPT  what to do, in quotes. What is piped goes with it. "-" waits for standard input '
        "however long it takes; alone it means that the prompt is there",
        nargs="*",
        default=None,
    ),
    "--title TITLE  the session's title",
    *BOTH,
    arguments="[OPTIONS] [PROMPT] [-]",
    examples="""
        agls run "why does test_parse fail?"    asks before it changes anything
        agls run --mode acceptEdits "fix it"    edits without asking
        git diff | agls run "review this"       the prompt, and what is piped
        agls run - < prompt.txt                 the prompt from a file
        agls run "find the leak" --output json  for a program
    """,
)
RESUME = command(
    "resume",
    "go on with a session",
    option(
        f"{WORDS}  the session (its id, the beginning of it, or else the folder's latest), and what to do; "
        "without a prompt it goes on where it was cut off or came to a limit, but not after Ctrl-C",
        nargs="*",
        metavar="[SESSION] [PROMPT]",
    ),
    *BOTH,
    "--since SEQ  tell what happened behind this fact first (0: all of it); needs --output jsonl",
    arguments="[OPTIONS] [SESSION] [PROMPT] [-]",
    examples="""
        agls resume                          goes on with what broke off
        agls resume "go on"                  after Ctrl-C
        agls resume "and now the changelog"  in this folder's latest session
        agls resume ses_0123 "and the docs"  in another one
    """,
)
