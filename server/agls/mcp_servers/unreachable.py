"""Why nobody answers at the address of a server, in words: those of Python have numbers and brackets."""

import errno
import os
import socket
import ssl

import httpx2

from agls.regex import regex

MOST = 500  # characters
NUMBER = regex(r"\[Errno (\d+)\]")
REFUSED = "the connection was refused. Is the server running, and is the port right?"
NO_NAME = "no machine has this name. Is the address right, and is there a network?"
NO_CERTIFICATE = "its certificate is not trusted here ({})"
NO_TLS = "it does not answer as HTTPS does. Does its address begin with http://?"


def nobody_at(error: BaseException) -> str:
    """**Returns** that nobody answers at the address that was asked, or nobody whom to trust."""
    try:
        url = error.request.url if isinstance(error, httpx2.RequestError) else None
    except RuntimeError:  # there is none
        url = None
    place = f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}" if url else "its address"
    below = error.__cause__ or error.__context__
    while below and not isinstance(below, ssl.SSLError):
        below = below.__cause__ or below.__context__
    return f"there is no secure connection to {place}" if below else f"nobody answers at {place}"


def reason_of(error: BaseException) -> str:
    """**Returns** what stands at the bottom of an exception, in words."""
    below: BaseException | None = error
    while below is not None:
        if isinstance(below, OSError) and (below.strerror or NUMBER.search(str(below))):
            return words_of_system(below)
        below = below.__cause__ or below.__context__
    said = " ".join(str(error).split())[:MOST]
    return said or "no reason is known"


def words_of_system(error: OSError) -> str:
    """**Returns** what the system says; asyncio writes its own words, with numbers, in their place."""
    if isinstance(error, socket.gaierror):
        return NO_NAME
    if isinstance(error, ssl.SSLCertVerificationError):
        return NO_CERTIFICATE.format(error.verify_message or "no reason is known")
    if isinstance(error, ssl.SSLError):
        return NO_TLS
    found = NUMBER.search(str(error))
    number = error.errno if error.errno and error.errno > 0 else int(found[1]) if found else 0
    if number == errno.ECONNREFUSED:
        return REFUSED
    return os.strerror(number) if number else str(error)
