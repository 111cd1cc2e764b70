"""Kinds of files by name, as ripgrep calls them, each with the names that such files have."""

from agls.regex import regex

NAMES = {
    "c": "*.c *.h",
    "clojure": "*.clj *.cljs *.cljc *.edn",
    "cmake": "*.cmake CMakeLists.txt",
    "cpp": "*.cpp *.cc *.cxx *.c++ *.hpp *.hh *.hxx *.h *.inl",
    "cs": "*.cs *.csx",
    "css": "*.css *.scss *.sass *.less",
    "dart": "*.dart",
    "docker": "Dockerfile Dockerfile.* *.dockerfile",
    "elixir": "*.ex *.exs *.eex *.heex",
    "go": "*.go",
    "haskell": "*.hs *.lhs",
    "html": "*.html *.htm *.xhtml",
    "java": "*.java *.jsp",
    "js": "*.js *.jsx *.mjs *.cjs *.vue",
    "json": "*.json *.jsonc *.jsonl *.json5",
    "kotlin": "*.kt *.kts",
    "lua": "*.lua",
    "make": "Makefile GNUmakefile makefile *.mk *.mak",
    "md": "*.md *.mdx *.markdown *.mkd",
    "ocaml": "*.ml *.mli",
    "perl": "*.pl *.pm *.t",
    "php": "*.php *.phtml *.php3 *.php4 *.php5",
    "protobuf": "*.proto",
    "py": "*.py *.pyi",
    "r": "*.r *.R *.Rmd",
    "ruby": "*.rb *.rake *.gemspec Gemfile Rakefile",
    "rust": "*.rs",
    "scala": "*.scala *.sbt",
    "sh": "*.sh *.bash *.zsh *.ksh *.fish",
    "sql": "*.sql *.psql",
    "swift": "*.swift",
    "tf": "*.tf *.tfvars",
    "toml": "*.toml Cargo.lock",
    "ts": "*.ts *.tsx *.mts *.cts",
    "txt": "*.txt",
    "vim": "*.vim",
    "xml": "*.xml *.xsd *.xsl *.xslt *.svg",
    "yaml": "*.yaml *.yml",
}
_OTHERWISE = """
    c++=cpp csharp=cs dockerfile=docker golang=go javascript=js makefile=make markdown=md proto=protobuf
    python=py rb=ruby rs=rust bash=sh shell=sh terraform=tf text=txt typescript=ts yml=yaml
"""
OTHERWISE = {other: name for other, _, name in (pair.partition("=") for pair in _OTHERWISE.split())}
_EXTENSION = regex(r"[\w+#-]+(\.[\w+#-]+)*")


def names_of(kind: str) -> tuple[str, ...]:
    """Return patterns for the names of files of this kind; what is no kind is taken as an extension.

    **Raises** `ValueError` for what can be neither.
    """
    word = kind.strip().removeprefix("*").removeprefix(".")
    known = OTHERWISE.get(word.lower(), word.lower())
    if known in NAMES:
        return tuple(NAMES[known].split())
    if not _EXTENSION.fullmatch(word):
        raise ValueError(f"{kind!r} is no type of files such as py or ts. Use glob for patterns of names.")
    return (f"*.{word}",)
