"""`agls completion`: a script that completes commands, options and their values in a shell."""

from collections.abc import Callable, Iterator, Mapping
from shlex import quote

from agls.doors.headless.options.declaration import OptionSpec
from agls.doors.headless.options.table import Node, nodes

HEAD = "# Completion for agls. {}\n"
BASH = """\
_agls() {{
    local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" path="" word words="" i
    for ((i = 1; i < COMP_CWORD; i++)); do
        word="${{COMP_WORDS[i]}}"
        case "$path $word" in
{paths}
        esac
    done
    case "$path $prev" in
{values}
    esac
    case "$path" in
{words}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    if [ ${{#COMPREPLY[@]}} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$cur")); fi
}}
complete -o filenames -F _agls agls
"""
ZSH = """\
_agls() {{
    local at="" word i
    local -a below options
    for ((i = 2; i < CURRENT; i++)); do
        word="${{words[i]}}"
        case "$at $word" in
{paths}
        esac
    done
    case "$at ${{words[CURRENT-1]}}" in
{values}
    esac
    case "$at" in
{words}
    esac
    if [[ "${{words[CURRENT]}}" == -* ]]; then
        _describe -o option options
    elif (( $#below )); then
        _describe command below
    else
        _files
    fi
}}
if [[ "$funcstack[1]" == _agls ]]; then _agls "$@"; else compdef _agls agls; fi
"""


def bash() -> str:
    """Return the script for bash."""
    all_nodes = list(nodes())
    paths = "\n".join(
        f'            "{path(node)}") path="{path(node)}" ;;' for node in all_nodes if node.words
    )
    values = "\n".join(line for node in all_nodes for line in _bash_values(node))
    words = "\n".join(f'        "{path(node)}") words={quote(_words(node))} ;;' for node in all_nodes)
    hint = 'In ~/.bashrc: eval "$(agls completion bash)"'
    return HEAD.format(hint) + BASH.format(paths=paths, values=values, words=words)


def zsh() -> str:
    """Return the script for zsh."""
    all_nodes = list(nodes())
    paths = "\n".join(
        f'            ("{path(node)}") at="{path(node)}" ;;' for node in all_nodes if node.words
    )
    values = "\n".join(line for node in all_nodes for line in _zsh_values(node))
    words = "\n".join(line for node in all_nodes for line in _zsh_words(node))
    hint = 'In ~/.zshrc, after compinit: eval "$(agls completion zsh)"'
    return "#compdef agls\n" + HEAD.format(hint) + ZSH.format(paths=paths, values=values, words=words)


def fish() -> str:
    """Return the script for fish."""
    hint = "agls completion fish > ~/.config/fish/completions/agls.fish"
    lines = [line for node in nodes() for line in _fish(node)]
    return HEAD.format(hint) + "complete -c agls -f\n" + "\n".join(lines) + "\n"


SHELLS: Mapping[str, Callable[[], str]] = {"bash": bash, "zsh": zsh, "fish": fish}


def path(node: Node) -> str:
    """Return the words of a command as the script joins them."""
    return "".join(f" {word}" for word in node.words)


def _words(node: Node) -> str:
    return " ".join(
        (*(each.name for each in node.command.below), *(n for option in node.options for n in option.names))
    )


def _bash_values(node: Node) -> Iterator[str]:
    for option in node.options:
        if reply := _bash_reply(option):
            names = "|".join(f'"{path(node)} {name}"' for name in option.names)
            yield f"        {names}) COMPREPLY=($(compgen {reply})); return ;;"


def _bash_reply(option: OptionSpec) -> str:
    if option.choices:
        return f'-W "{" ".join(option.choices)}" -- "$cur"'
    return {"folder": '-d -- "$cur"', "file": '-f -- "$cur"'}.get(option.takes, "")


def _zsh_values(node: Node) -> Iterator[str]:
    for option in node.options:
        if option.value:
            names = "|".join(f'"{path(node)} {name}"' for name in option.names)
            reply = f"compadd -- {' '.join(option.choices)}" if option.choices else "_files"
            yield f"        ({names}) {f'{reply} -/' if option.takes == 'folder' else reply}; return ;;"


def _zsh_words(node: Node) -> Iterator[str]:
    below = " ".join(quote(f"{each.name}:{each.summary}") for each in node.command.below)
    options = " ".join(quote(f"{name}:{option.help}") for option in node.options for name in option.names)
    yield f'        ("{path(node)}") below=({below}) options=({options}) ;;'


def _fish(node: Node) -> Iterator[str]:
    seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in node.words)
    names = " ".join(each.name for each in node.command.below)
    none = f"not __fish_seen_subcommand_from {names}" if names else ""
    for each in node.command.below:
        where = "; and ".join(filter(None, (seen, none)))
        yield f"complete -c agls -n {quote(where)} -a {each.name} -d {quote(each.summary)}"
    for option in node.options:
        flags = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names)
        takes = f" -xa {quote(' '.join(option.choices))}" if option.choices else ""
        takes = takes or (" -rF" if option.takes else " -x" if option.value else "")
        where = f" -n {quote(seen)}" if seen else ""
        yield f"complete -c agls{where} {flags}{takes} -d {quote(option.help)}"
