"""Which files are of which language, and which programs are its language servers."""

from collections.abc import Mapping, Sequence
from posixpath import basename, splitext
from typing import Any

from agls.engine.vocabulary import JsonObject

TYPESCRIPT = "typescript"
_SUFFIXES: Mapping[str, tuple[str, str]] = {
    ".py": ("python", "python"),
    ".pyi": ("python", "python"),
    ".ts": (TYPESCRIPT, "typescript"),
    ".mts": (TYPESCRIPT, "typescript"),
    ".cts": (TYPESCRIPT, "typescript"),
    ".tsx": (TYPESCRIPT, "typescriptreact"),
    ".js": (TYPESCRIPT, "javascript"),
    ".mjs": (TYPESCRIPT, "javascript"),
    ".cjs": (TYPESCRIPT, "javascript"),
    ".jsx": (TYPESCRIPT, "javascriptreact"),
    ".go": ("go", "go"),
    ".rs": ("rust", "rust"),
    ".c": ("c", "c"),
    ".h": ("c", "c"),
    ".cc": ("c", "cpp"),
    ".cpp": ("c", "cpp"),
    ".cxx": ("c", "cpp"),
    ".hpp": ("c", "cpp"),
    ".hh": ("c", "cpp"),
    ".java": ("java", "java"),
}
GRAMMARS: Mapping[str, str] = {
    ".py": "python",
    ".pyi": "python",
    ".ts": TYPESCRIPT,
    ".mts": TYPESCRIPT,
    ".cts": TYPESCRIPT,
    ".tsx": "tsx",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".go": "go",
    ".rs": "rust",
    ".c": "c",
    ".h": "cpp",  # which reads C, too
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cxx": "cpp",
    ".hpp": "cpp",
    ".hh": "cpp",
    ".java": "java",
}
COMMANDS: Mapping[str, Sequence[Sequence[str]]] = {
    "python": (
        ("basedpyright-langserver", "--stdio"),
        ("pyright-langserver", "--stdio"),
        ("pylsp",),
    ),
    TYPESCRIPT: (("typescript-language-server", "--stdio"),),
    "go": (("gopls",),),
    "rust": (("rust-analyzer",),),
    "c": (("clangd",),),
    "java": (("jdtls",),),
}
OPTIONS: Mapping[str, JsonObject] = {
    TYPESCRIPT: {
        "tsserver": {"useSyntaxServer": "never"},  # it answers before it knows other files
        "preferences": {"providePrefixAndSuffixTextForRename": False},
    },
}


def language_of(path: str, configured: Mapping[str, Any]) -> tuple[str, str]:
    """Return the language whose server knows such a file, and the identifier of LSP; "" for none.

    `configured` are the languages of the settings, with the `suffixes` of their files.
    """
    suffix = splitext(basename(path))[1].lower()
    for name, language in configured.items():
        if suffix and suffix in language.suffixes:
            return name, name
    return _SUFFIXES.get(suffix, ("", ""))
