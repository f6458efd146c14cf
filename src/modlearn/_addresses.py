"""Addresses of tables in databases, and how they are shown: without passwords."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["address_of_path", "hide_passwords", "is_address", "table_of", "without_password"]

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
HIDDEN = "***"

USER_AND_PASSWORD = re.compile(r"(:/{1,2}[^:@/?]*):.*@", re.DOTALL)
"""A password may hold any character that somebody forgot to encode: it ends at the last @."""

SECRET_PARAMETER = re.compile(r"([?&][^=&]*(?:password|secret|token)[^=&]*=)[^&]*", re.IGNORECASE)


def is_address(name: str) -> bool:
    """Whether a name is an address such as ``postgresql://localhost/shop::orders``."""
    return ADDRESS.match(name) is not None


def address_of_path(path: str) -> str:
    """Return the address that a ``Path`` was made of, which keeps one of its slashes.

    Examples
    --------
    >>> address_of_path("postgresql:/localhost/shop::orders")
    'postgresql://localhost/shop::orders'
    >>> address_of_path("folder/orders.csv")
    'folder/orders.csv'
    """
    return re.sub(r"\A(postgres|postgresql):/(?!/)", r"\1://", path)


def table_of(address: str) -> str:
    """Return the table that an address names after ``::``; empty if it names none.

    Examples
    --------
    >>> table_of("postgresql://ada:secret@[::1]/shop::sales.orders")
    'sales.orders'
    """
    path = address.partition("://")[2].partition("/")[2]
    return path.partition("::")[2]


def without_password(address: str) -> str:
    """Return an address as it may be shown.

    Examples
    --------
    >>> without_password("postgresql://ada:secret@localhost/shop::orders")
    'postgresql://ada:***@localhost/shop::orders'
    """
    hidden = SECRET_PARAMETER.sub(rf"\1{HIDDEN}", address)
    return USER_AND_PASSWORD.sub(rf"\1:{HIDDEN}@", hidden)


def hide_passwords(text: str, words: Iterable[str]) -> str:
    """Return a text in which those of the words that are addresses have no password."""
    for word in words:
        address = word[word.find("=") + 1 :] if word.startswith("-") else word
        if is_address(address):
            shown = without_password(address)
            text = text.replace(address, shown).replace(repr(address)[1:-1], shown)
    return text
