"""Options that several commands have."""

JSON = "--json  print JSON"
TRUST = "--trust  as if the folder were trusted"
FOLDER = "-C --cwd DIR  the folder (default: the current one)"
MODEL = """
    -m --model MODEL  a configured model or tier, or a model name at --base-url
    --base-url URL    the address of an OpenAI-compatible server: http://host/v1
"""
