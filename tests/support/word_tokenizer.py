"""A real tokenizer for tests: each word and each mark is a token."""

from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace


def word_tokenizer(file: Path) -> str:
    """Write the file of the tokenizer; gives its path."""
    tokenizer = Tokenizer(WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(file))
    return str(file)
