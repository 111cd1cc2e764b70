"""Options that several commands have."""

JSON = "--json  as JSON"
TRUST = "--trust  as if the folder were trusted"
FOLDER = "-C --cwd DIR  the folder (or the current one)"
MODEL = """
    -m --model MODEL  a configured model or tier, or a name at --base-url
    --base-url URL    an OpenAI-compatible address: http://host/v1
"""
