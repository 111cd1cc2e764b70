"""Answers that break the schema which their tool gives for them: shown all the same, with a remark."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

import mcp_types as types
from mcp.client.session import ClientSession

from agls.mcp_servers.failures import words_of

_REMARKS: ContextVar[list[str] | None] = ContextVar("mcp_remarks", default=None)


@contextmanager
def remarks_on_answers() -> Generator[list[str]]:
    """Collect for the block what is wrong with answers."""
    remarks: list[str] = []
    token = _REMARKS.set(remarks)
    try:
        yield remarks
    finally:
        _REMARKS.reset(token)


def let_through(session: ClientSession) -> None:
    """Let answers through that the session would refuse for their schema: what was done is done."""
    examine = session.validate_tool_result

    async def examined(name: str, result: types.CallToolResult) -> None:
        try:
            await examine(name, result)
        except RuntimeError as error:
            if (remarks := _REMARKS.get()) is not None:
                remarks.append(words_of(error))

    session.validate_tool_result = examined
