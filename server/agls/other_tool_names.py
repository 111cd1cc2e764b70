"""Our tools as other products call them: one table, for what models call, files name and hooks see."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from agls.frozen import frozen

_SHELL = ("shell", "shell_task")
_EDITS = ("edit_file", "multi_edit", "apply_patch", "edit_notebook")


@frozen
class OtherNames:
    """The names of one tool elsewhere, in small letters, with blanks between them.

    The arguments of those that are `called` mean the same, once `features/families` has read them; those that
    are `named` stand in files only. A file that names any of them means all of `group`, where there is one.
    `hook` is the name in the hooks reference of Claude Code, and `members` are the arguments that have
    another name there: ours, then theirs.
    """

    called: str = ""
    named: str = ""
    group: Sequence[str] = ()
    hook: str = ""
    members: Mapping[str, str] = field(default_factory=dict[str, str])


OTHER_TOOL_NAMES: Mapping[str, OtherNames] = {
    "shell": OtherNames(
        """bash run_shell_command execute_command run_command run_terminal_cmd run_in_terminal terminal
        exec_command local_shell container.exec""",
        "shell runcommands execute runinterminal runtasks runtests testfailure",
        _SHELL,
        "Bash",
        {"timeout_s": "timeout", "background": "run_in_background"},
    ),
    "shell_task": OtherNames("bashoutput killshell killbash taskoutput taskstop", group=_SHELL),
    "read_file": OtherNames(
        "read readfile view view_file view_image cat open_file",
        "read_many_files notebookread viewfile",
        hook="Read",
        members={"path": "file_path"},
    ),
    "write_file": OtherNames(
        "write writefile write_to_file create_file createfile",
        "create createdirectory new",
        hook="Write",
        members={"path": "file_path"},
    ),
    "edit_file": OtherNames(
        "edit editfile replace str_replace search_replace",
        "patch editfiles replace_in_file apply_diff",
        _EDITS,
        "Edit",
        {"path": "file_path", "old_text": "old_string", "new_text": "new_string"},
    ),
    "multi_edit": OtherNames("multiedit", "", _EDITS, "MultiEdit", {"path": "file_path"}),
    "edit_notebook": OtherNames(
        "notebookedit notebook_edit", "editnotebook", _EDITS, "NotebookEdit", {"path": "notebook_path"}
    ),
    "list_dir": OtherNames("ls list_directory listdirectory listdir list_files", "list", hook="LS"),
    "glob": OtherNames(
        "glob_file_search file_search find_files glob_search", "glob filesearch findtestfiles", hook="Glob"
    ),
    "grep": OtherNames("search_file_content grep_search search_files", "grep textsearch", hook="Grep"),
    "web_fetch": OtherNames("webfetch fetch_url", "fetch web_fetch", hook="WebFetch"),
    "web_search": OtherNames(
        "websearch google_web_search",
        hook="WebSearch",
        members={"domains": "allowed_domains", "exclude_domains": "blocked_domains"},
    ),
    "plan": OtherNames(
        "todowrite todo_write write_todos update_plan", "todoread todo todos", hook="TodoWrite"
    ),
    "present_plan": OtherNames("exitplanmode exit_plan_mode plan_mode_respond", hook="ExitPlanMode"),
    "delegate": OtherNames("task agent delegate_agent", "runsubagent delegate_to_agent", hook="Agent"),
    "skill": OtherNames(
        named="skill activate_skill slashcommand",
        hook="Skill",
        members={"name": "skill", "arguments": "args"},
    ),
    "ask_user": OtherNames(
        """askuserquestion ask_user_question ask_followup_question request_user_input ask_questions
        ask_question vscode_askquestions""",
        "question ask askquestions",
        hook="AskUserQuestion",
    ),
    "find_tools": OtherNames(named="toolsearch tool_search tool_search_tool"),
    "code_intelligence": OtherNames(named="lsp problems geterrors"),
    "remember": OtherNames(named="save_memory memory"),
}
