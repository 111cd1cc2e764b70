"""Pieces of the syntax tree of a command: what is redirected, repeated, substituted and passed on."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from agls.regex import regex
from agls.room.shell_tree import (
    NotUnderstood,
    Word,
    children_of,
    kind_of,
    short,
    text_of,
    unresolved,
    word_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

COMPOUND = frozenset(
    {
        "list",
        "pipeline",
        "subshell",
        "compound_statement",
        "for_statement",
        "while_statement",
        "if_statement",
        "negated_command",
    }
)
NOWHERE = "/dev/null"  # stands for what is read, and is no file
_DESCRIPTOR = regex(r"\d?>&(?:\d|-)|\d?<&(?:\d|-)")
_NOWHERE = regex(r"(?:\d|&)?>>? *(/dev/(?:null|stdout|stderr))")
_READ = regex(r"(?:IFS= ?)?read (?:-r )?(\w+)")
_SEQUENCE = regex(r"\$\(seq (?:(\d{1,3}) )?(\d{1,3})\)")
_NUMBERS = regex(r"\{(\d{1,3})\.\.(\d{1,3})\}")
_LINES = regex(r"(?:-n ?\+?\d+|-\d+)?")  # of head and tail


def steps_of(node: "Node") -> Iterator[tuple[str, "Node"]]:
    """Yield the operator and the operand of each step of `a && b || c`, from the left."""
    steps: list[tuple[str, Node]] = []
    while node.type == "list":
        node, operator, right = children_of(node, set())
        if kind_of(operator) not in {"&&", "||"}:
            raise NotUnderstood(f"`{text_of(operator)}` is not understood")
        steps.append((kind_of(operator), right))
    yield from (("", node), *reversed(steps))


def parts_of_for(node: "Node") -> tuple[str, Sequence["Node"], "Node"]:
    match children_of(node, {";", "\n"}):
        case [kind, name, said, *words, body] if words and kind_of(kind) == "for" and kind_of(said) == "in":
            return text_of(name), words, body
        case _:
            raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")


def parts_of_while(node: "Node") -> tuple[str, "Node"]:
    """Return the variable and the body of a loop over lines. **Raises** `NotUnderstood` for any other one."""
    match children_of(node, {";", "\n"}):
        case [kind, condition, body] if text_of(kind) == "while" and (
            found := _READ.fullmatch(text_of(condition))
        ):
            return found[1], body
        case _:
            raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")


def numbers_of(node: "Node") -> Sequence[str]:
    """Return the numbers that `{1..3}` or `$(seq 3)` stands for."""
    text = text_of(node)
    if numbers := _NUMBERS.fullmatch(text):
        first, last = sorted(map(int, numbers.groups()))
    elif numbers := _SEQUENCE.fullmatch(text):
        first, last = int(numbers[1] or 1), int(numbers[2])
    else:
        return ()
    return [str(number) for number in range(first, last + 1)]


def without_redirections(node: "Node") -> "Node":
    return children_of(node, set())[0] if node.type == "redirected_statement" else node


def is_redirected_compound(node: "Node") -> bool:
    return node.type == "redirected_statement" and without_redirections(node).type in COMPOUND


def is_substitution(node: "Node") -> bool:
    return node.type == "command_substitution" and text_of(node).lstrip().startswith("$(")


def substitutions_printed(node: "Node") -> Iterator["Node"]:
    """Yield the substitutions between the quotes of what `echo` or `printf` prints."""
    command = without_redirections(node)
    if command.type == "command" and any(_prints(child) for child in command.children):
        for word in command.children:  # `LC_ALL=C echo …`, too
            strings = word.children if word.type == "concatenation" else [word]
            for string in strings:
                if string.type == "string":
                    yield from filter(is_substitution, string.children)


def is_read(node: "Node") -> bool:
    """Return whether this word is `<( … )`: what another program prints, to be read like a file."""
    before, after = node.prev_sibling, node.next_sibling
    is_apart = not (before and before.end_byte == node.start_byte) and not (
        after and after.start_byte == node.end_byte
    )
    return node.type == "process_substitution" and is_apart and text_of(node).startswith("<(")


def substitutions_read(node: "Node") -> Iterator["Node"]:
    """Yield the `<( … )` among the words of a command."""
    command = without_redirections(node)
    yield from filter(is_read, command.children if command.type == "command" else ())


def feeding(redirection: "Node") -> "Node | None":
    """Return the `<( … )` of `< <( … )`."""
    if redirection.type != "file_redirect":
        return None
    match children_of(redirection, set()):
        case [operator, word] if kind_of(operator) == "<" and is_read(word):
            return word
        case _:
            return None


def _prints(node: "Node") -> bool:
    return node.type == "command_name" and text_of(node) in {"echo", "printf"}


def is_quiet(node: "Node") -> bool:
    """Return whether what comes out of it are its lines alone, and no complaints."""
    redirections = children_of(node, set())[1:] if node.type == "redirected_statement" else []
    return all(text_of(each).replace(" ", "") == "2>/dev/null" for each in redirections)


def passes_on(words: Sequence[Word]) -> bool:
    """Return whether it gives each line on as it is, or not at all."""
    name, *rest = (word.text for word in words)
    options = [word for word in rest if word.startswith("-")]
    operands = [word for word in rest if not word.startswith("-")]
    match name:
        case "head" | "tail":
            return bool(_LINES.fullmatch(" ".join(rest)))
        case "sort":
            return not operands and {"-r", "-u"}.issuperset(options)
        case "grep":
            return len(operands) == 1 and {"-v", "-E", "-F", "-i"}.issuperset(options)
        case _:
            return False


def input_of(node: "Node", resolve: Callable[["Node"], str] = unresolved) -> Iterable[str]:
    """Return the file that a redirection reads, if it does. **Raises** `NotUnderstood` when it may write."""
    text = text_of(node)
    if node.type != "file_redirect":
        raise NotUnderstood(f"`{short(node)}` is not understood")
    if _DESCRIPTOR.fullmatch(text) or _NOWHERE.fullmatch(text):
        return ()
    operator, *words = children_of(node, set())
    if kind_of(operator) != "<" or len(words) != 1:
        raise NotUnderstood(f"`{short(node)}` writes, or may write, a file")
    word = word_of(words[0], resolve)
    if word.is_pattern:
        raise NotUnderstood(f"what `{short(node)}` becomes is known only when it runs")
    return (word.text,)
