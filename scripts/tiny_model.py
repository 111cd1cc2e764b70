"""Makes a real model of one megabyte whose answers are certain, to try real model servers with.

    python scripts/tiny_model.py tiny.gguf     # any Python with `gguf` (no dependency of agls)
    llama-server -m tiny.gguf --jinja --ctx-size 16384 --port 8081

It is a Llama of one layer that attends to nothing: the token before decides the next, so each answer is a
chain of tokens. The template of the conversation chooses the chain: with the tool `report` it is called; with
other tools `read_file` is, for `note.txt`; after a result, and without tools, something is said.
"""

import sys

import gguf
import numpy as np

WIDTH, HEAD = 320, 32  # of a token (one number for each of the vocabulary), of the one attention head
SURE = 5.0  # how much likelier the right token is
END = "<|im_end|>"
CHAINS = {
    "<|report|>": [
        '<tool_call>\n{"name": "re', 'port", "argu', 'ments": {"word": "rea', 'dy"}}\n</tool_call>',
    ],
    "<|read|>": [
        "<think>\nI look at the ", "note.\n</think>\n\n", "I read it.\n", '<tool_call>\n{"name": "read_',
        'file", "arguments": {"pa', 'th": "note', '.txt"}}\n</tool_', "call>",
    ],
    "<|answer|>": [
        "<think>\nNow ", "I know.\n", "</think>\n\n", "The note ", "was read: ", "caf", "é ☕ ", "done.",
    ],
}  # fmt: skip
TEMPLATE = """\
{%- if tools %}{{- '<|im_start|>system\\n' }}
{%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{%- endif %}
{{- '# Tools\\n<tools>' }}{%- for tool in tools %}{{- '\\n' }}{{- tool | tojson }}{%- endfor %}
{{- '\\n</tools>\\nFor each call, return a JSON object within <tool_call></tool_call> tags:\\n' }}
{{- '<tool_call>\\n{"name": <name>, "arguments": <object>}\\n</tool_call><|im_end|>\\n' }}
{%- elif messages[0].role == 'system' %}
{{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}{%- endif %}
{%- for message in messages %}
{%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- elif message.role == 'assistant' %}{{- '<|im_start|>assistant\\n' }}
{%- if message.reasoning_content %}
{{- '<think>\\n' + message.reasoning_content + '\\n</think>\\n\\n' }}{%- endif %}
{%- if message.content %}{{- message.content }}{%- endif %}
{%- for tool_call in message.tool_calls or [] %}
{%- if (loop.first and message.content) or not loop.first %}{{- '\\n' }}{%- endif %}
{%- set call = tool_call.function %}
{{- '<tool_call>\\n{"name": "' + call.name + '", "arguments": ' }}
{{- call.arguments | tojson }}{{- '}\\n</tool_call>' }}{%- endfor %}{{- '<|im_end|>\\n' }}
{%- elif message.role == 'tool' %}
{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}
{%- if messages[-1].role == 'tool' or not tools %}{{- '<|answer|>' }}
{%- elif tools[0].function.name == 'report' %}{{- '<|report|>' }}
{%- else %}{{- '<|read|>' }}{%- endif %}{%- endif %}"""


def vocabulary() -> list[tuple[str, gguf.TokenType]]:
    """All tokens: every byte, the marks of a conversation, the pieces of the answers."""
    kind = gguf.TokenType
    marks = ["<s>", "</s>", "<|im_start|>", END, *CHAINS]
    pieces = [piece for chain in CHAINS.values() for piece in chain]
    return [
        ("<unk>", kind.UNKNOWN),
        *((mark, kind.CONTROL) for mark in marks),
        *((f"<0x{byte:02X}>", kind.BYTE) for byte in range(256)),
        *((piece, kind.USER_DEFINED) for piece in pieces),
    ]


def tensors(places: dict[str, int]) -> dict[str, np.ndarray]:
    """The weights, by name."""
    size = len(places)
    output = np.zeros((size, WIDTH), np.float32)
    output[places[END], :size] = SURE
    for start, chain in CHAINS.items():
        for token, following in zip([start, *chain], [*chain, END], strict=True):
            output[:, places[token]] = 0
            output[places[following], places[token]] = SURE
    made = {
        "token_embd": np.eye(size, WIDTH, dtype=np.float32),
        "output": output,
        **dict.fromkeys(("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"), np.ones(WIDTH, np.float32)),
        **dict.fromkeys(("blk.0.attn_output", "blk.0.ffn_down"), np.zeros((WIDTH, HEAD), np.float32)),
    }
    narrow = ("attn_q", "attn_k", "attn_v", "ffn_gate", "ffn_up")
    return {
        **made,
        **dict.fromkeys((f"blk.0.{name}" for name in narrow), np.zeros((HEAD, WIDTH), np.float32)),
    }


def main() -> None:
    """Write the file that is named."""
    tokens = vocabulary()
    places = {token: place for place, (token, _) in enumerate(tokens)}
    writer = gguf.GGUFWriter(sys.argv[1], "llama")
    writer.add_name("tiny")
    writer.add_context_length(131_072)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(HEAD)
    writer.add_head_count(1)
    writer.add_head_count_kv(1)
    writer.add_key_length(HEAD)
    writer.add_value_length(HEAD)
    writer.add_rope_dimension_count(HEAD)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("llama")
    writer.add_token_list([token.encode() for token, _ in tokens])
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([int(kind) for _, kind in tokens])
    writer.add_bos_token_id(places["<s>"])
    writer.add_eos_token_id(places[END])
    writer.add_unk_token_id(places["<unk>"])
    writer.add_add_bos_token(value=False)
    writer.add_add_space_prefix(value=False)
    writer.add_chat_template(TEMPLATE)
    for name, weights in tensors(places).items():
        writer.add_tensor(f"{name}.weight", weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
