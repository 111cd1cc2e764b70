"""The commands `agls run` and `agls resume`."""

from agls.doors.headless.options.common import MODEL
from agls.doors.headless.options.declaration import Titled, command, lines, option
from agls.doors.headless.options.parser import WORDS
from agls.doors.headless.options.values import answers, schema
from agls.modes import MODES

AGENT = option("--agent NAME  the agent that does the work: [agents.NAME]", default=None)
WORK = (
    *lines("""
        -C --cwd DIR      the folder to work in (default: the current one)
        --add-dir DIR...  another folder to work in; may be repeated
        --attach FILE...  a file: the model sees images and text, tools can save any file; may be repeated
    """),
    option(
        "--no-expand  take @FILE and /COMMAND as plain text, instead of pointing the model at the file and "
        "running the command",
        dest="expand",
        action="store_false",
    ),
    option(
        "--answers FILE  JSON with answers to questions that the model may ask (docs/ask.md)",
        type=answers,
        default=None,
    ),
    AGENT,
)
PROMPTS = lines("""
    --system-prompt TEXT           use TEXT instead of the system prompt of agls
    --append-system-prompt TEXT    add TEXT to the end of the system prompt
    --override-system-prompt TEXT  use TEXT alone, without instruction files
""")
CHOSEN_MODE = (
    option(f"--mode MODE  what runs without a question: {', '.join(MODES)}"),
    option("--yolo  the same as --mode allowAll", dest="mode", action="store_const", const="allowAll"),
)
PERMISSIONS = (
    *CHOSEN_MODE,
    option("--trust  trust the folder's own settings for this run"),
    option(
        "--require-offers  fail when something that the folder offers to run has no consent, and nobody "
        "can give it"
    ),
)
OUTPUT = (
    *lines("""
        --output {text,json,jsonl}  the format of the output
        -q --quiet                  print only the answer, not the activity
        --input {text,jsonl}        jsonl: requests (steer, cancel, respond) are read from standard input;
                                    needs --output jsonl
    """),
    option("--output-schema FILE  a JSON Schema that the answer must match", type=schema, default=None),
    option("--deliver TARGET  where the result is sent as well: [delivery.TARGET]", default=None),
)
LIMITS = """
    --max-turns N             at most N model requests (50 where nobody is at a terminal)
    --max-seconds SECONDS     a time limit in seconds, without the time of questions (1800 where nobody is
                              at a terminal)
    --max-cost-usd USD        a cost limit in US dollars
    --max-model-calls N       at most N model calls, including those of helpers
    --max-tool-calls N        at most N tool calls
    --max-delegated-tasks N   at most N tasks for other agents; the run itself does the rest
    --max-total-tokens N      at most N tokens, in and out
    --max-input-tokens N      at most N tokens in
    --max-output-tokens N     at most N tokens out
    --max-reasoning-tokens N  at most N tokens of reasoning
    --max-session-turns N     at most N model requests in the whole session
    --caller CALLER           who the run is for: [budget.callers] may limit them per day
    --parent-run ID           the run of another program that this one belongs to
"""
EFFORT = "--effort EFFORT  how much the model thinks: none, minimal, low, medium, high, …"
WORKER = (*lines(MODEL), option(EFFORT), AGENT)
BOUNDS = Titled("limits", lines(LIMITS), "The defaults are those of [budget] in the configuration.")
BOTH = (
    Titled("input", WORK),
    Titled("model", (*lines(MODEL), option(EFFORT))),
    Titled("system prompt", PROMPTS, "The defaults are those of [instructions] in the configuration."),
    Titled("permissions", PERMISSIONS),
    Titled("output", OUTPUT),
    BOUNDS,
)
CHAT = command(
    "chat",
    "talk to the agent in the terminal",
    option(f"{WORDS} PROMPT  the first prompt, in quotes", nargs="*", default=None),
    "--title TITLE  the session's title",
    option("-c --continue  go on with the latest session of the folder", dest="goes_on"),
    "--session ID  go on with this session (its id, or the start of it)",
    Titled("input", WORK),
    Titled("model", (*lines(MODEL), option(EFFORT))),
    Titled("system prompt", PROMPTS, "The defaults are those of [instructions] in the configuration."),
    Titled("permissions", PERMISSIONS),
    Titled("output", lines("-q --quiet  print only the answers, not the activity")),
    BOUNDS,
    arguments="[OPTIONS] [PROMPT]",
    examples="""
        agls chat                       begins a session; so does agls alone
        agls chat "why does it fail?"   with its first prompt
        agls chat -c                    goes on with the latest one of this folder
    """,
)
RUN = command(
    "run",
    "run one prompt",
    option(
        f'{WORDS} PROMPT  what to do, in quotes. Piped input is added to it. "-" waits for standard input, '
        "however long it takes; without a prompt, standard input is the prompt",
        nargs="*",
        default=None,
    ),
    "--title TITLE  the session's title",
    *BOTH,
    arguments="[OPTIONS] [PROMPT] [-]",
    examples="""
        agls run "why does test_parse fail?"    asks before it changes anything
        agls run --mode acceptEdits "fix it"    edits without asking
        git diff | agls run "review this"       the prompt and the piped input
        agls run - < prompt.txt                 the prompt from a file
        agls run "find the leak" --output json  for a program
    """,
)
RESUME = command(
    "resume",
    "continue a session",
    option(
        f"{WORDS}  the session (its id, or the start of it; default: the folder's latest), and what to do. "
        "Without a prompt, a run that was interrupted or reached a limit continues; one that was "
        "stopped with Ctrl-C does not",
        nargs="*",
        metavar="[SESSION] [PROMPT]",
    ),
    *BOTH,
    "--since SEQ  first print what happened after this fact (0: everything); needs --output jsonl",
    arguments="[OPTIONS] [SESSION] [PROMPT] [-]",
    examples="""
        agls resume                          continues an interrupted run
        agls resume "go on"                  after Ctrl-C
        agls resume "and now the changelog"  in this folder's latest session
        agls resume ses_0123 "and the docs"  in another one
    """,
)
