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
        "case_statement",
    }
)
NOWHERE = "/dev/null"  # stands for what is read, and is no file
_DESCRIPTOR = regex(r"\d?>&(?:\d|-)|\d?<&(?:\d|-)")
_NOWHERE = regex(r"(?:\d|&)?>>? *(/dev/(?:null|stdout|stderr))")
_COMPARED = regex(r"\"\$(?:\w+|\{\w+\})\"|\$(?:\w+|\{\w+\})|[\w./-]+")
_CHOSEN = regex(r"(?:[\w.*?/@:+=-]|'[^'\n]*'|\"[^\"$`\\\n]*\")+")
_DELIMITER = regex(r"\w+|'\w+'|\"\w+\"")
_EXPANDED_IN_TEXT = regex(r"[$`\\]")
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


def parts_of_case(node: "Node") -> Sequence["Node"]:
    """Return the statements of all branches. **Raises** `NotUnderstood` for a value or pattern with code."""
    match children_of(node, {";", "\n"}):
        case [kind, value, said, *items, _] if kind_of(kind) == "case" and kind_of(said) == "in":
            if not _COMPARED.fullmatch(text_of(value)):
                raise NotUnderstood(f"what `{short(value)}` becomes is known only when it runs")
            return [each for item in items for each in _statements_of(item)]
        case _:
            raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")


def _statements_of(item: "Node") -> Sequence["Node"]:
    """Return the statements behind the patterns of a branch of `case`."""
    found = children_of(item, {";", "\n", ";;", "("})
    end = next((at for at, each in enumerate(found) if kind_of(each) == ")"), len(found))
    patterns = [each for each in found[:end] if kind_of(each) != "|"]
    if item.type != "case_item" or not all(_CHOSEN.fullmatch(text_of(each)) for each in patterns):
        raise NotUnderstood(f"`{short(item)}` is not understood")
    return found[end + 1 :]


def parts_of_any_loop(node: "Node") -> tuple["Node", Sequence["Node"]]:
    """Return the condition and the statements of `while` or `until`. **Raises** `NotUnderstood`."""
    match children_of(node, {";", "\n"}):
        case [kind, condition, body] if text_of(kind) in {"while", "until"} and body.type == "do_group":
            return condition, children_of(body, {"do", "done", ";", "\n"})
        case _:
            raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")


def is_over_lines(node: "Node") -> bool:
    """Return whether this is a loop with `read`."""
    return any(_READ.fullmatch(text_of(child)) for child in node.named_children)


def substitutions_given(node: "Node") -> Iterator["Node"]:
    """Yield the `$( … )` that are words of a command, or stand between the quotes of one."""
    command = without_redirections(node)
    if command.type == "test_command":
        yield from substitutions_below(command)
    for word in command.children if command.type == "command" else ():
        for each in (word, *(word.children if word.type in {"string", "concatenation"} else ())):
            if is_substitution(each):
                yield each


def substitutions_below(node: "Node") -> Iterator["Node"]:
    """Yield each `$( … )` in it, but none that is in another."""
    for child in node.children:
        if is_substitution(child):
            yield child
        else:
            yield from substitutions_below(child)


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


def _checked_text(node: "Node") -> Iterable[str]:
    """Return that a here-document is read, which is no file. **Raises** `NotUnderstood`: it may hold code.

    A shell ends its text where the tree does: that is made sure of.
    """
    text = text_of(node)
    first, _, rest = text.partition("\n")
    delimiter = first.removeprefix("<<")
    name = delimiter.strip("'\"")
    *body, end = rest.split("\n")
    may_expand = name == delimiter and any(map(_EXPANDED_IN_TEXT.search, body))
    if not _DELIMITER.fullmatch(delimiter) or end != name or name in body or may_expand:
        raise NotUnderstood(f"`{short(node)}` is not understood")
    return (NOWHERE,)


def input_of(node: "Node", resolve: Callable[["Node"], str] = unresolved) -> Iterable[str]:
    """Return the file that a redirection reads, if it does. **Raises** `NotUnderstood` when it may write."""
    text = text_of(node)
    if node.type == "heredoc_redirect":
        return _checked_text(node)
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
