"""Tables that stay where they are: what opens them, and their addresses without passwords."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module

__all__ = [
    "DATABASES",
    "Database",
    "address_of_path",
    "database_of",
    "hide_passwords",
    "is_address",
    "table_of",
    "without_password",
]


@dataclass(frozen=True)
class Database:
    """A kind of database or cluster whose tables are counted where they are.

    Parameters
    ----------
    title : str
        What it is called in messages.
    module : str
        The module of its engine. Its `open_engine` takes an address or an object of its library,
        and returns an engine; None if it is another object. Its `DIALECT` is the name of its
        dialect of SQL, a key of ``DIALECTS``.
    schemes : tuple of str, default=()
        What addresses of its tables begin with, before ``://``.
    example : str, default=""
        Such an address.
    library : str, default=""
        The library whose objects are its tables.
    """

    title: str
    module: str
    schemes: tuple[str, ...] = ()
    example: str = ""
    library: str = ""

    @property
    def dialect(self) -> str:
        """The name of its dialect of SQL."""
        return str(import_module(self.module).DIALECT)


DATABASES = (
    Database(
        "PostgreSQL",
        "modlearn._engines.postgresql",
        schemes=("postgresql", "postgres"),
        example="postgresql://localhost/shop::orders",
    ),
    Database("Spark", "modlearn._engines.spark", library="pyspark"),
)
"""The databases and clusters, apart from DuckDB, which reads files."""

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
HIDDEN = "***"

USER_AND_PASSWORD = re.compile(r"(:/{1,2}[^:@/?]*):.*@", re.DOTALL)
"""A password may hold any character that somebody forgot to encode: it ends at the last @."""

SECRET_PARAMETER = re.compile(r"([?&][^=&]*(?:password|secret|token)[^=&]*=)[^&]*", re.IGNORECASE)

SECRET_SETTING = re.compile(r"(\bpassword\s*=\s*).*", re.IGNORECASE | re.DOTALL)
"""Somebody may pass settings of libpq instead of an address: a quoted password may hold spaces."""

WITHOUT_SCHEME = re.compile(r"^([^:@/?=\s]{2,}):(?![:/]).*@(?=[^@]*[:/])", re.DOTALL)
"""Somebody may forget the scheme of an address; one letter is a drive of Windows."""


def is_address(name: str) -> bool:
    """Whether a name is an address such as ``postgresql://localhost/shop::orders``."""
    return ADDRESS.match(name) is not None


def database_of(data: object) -> Database | None:
    """Return the database of an address or of an object of its library; None for anything else.

    Examples
    --------
    >>> database_of("postgresql://localhost/shop::orders").title
    'PostgreSQL'
    """
    scheme = data.partition("://")[0] if isinstance(data, str) and "://" in data else None
    library = type(data).__module__.partition(".")[0]
    found = (one for one in DATABASES if scheme in one.schemes or library == one.library)
    return next(found, None)


def address_of_path(path: str) -> str:
    """Return the address that a ``Path`` was made of, which keeps one of its slashes.

    Examples
    --------
    >>> address_of_path("postgresql:/localhost/shop::orders")
    'postgresql://localhost/shop::orders'
    >>> address_of_path("folder/orders.csv")
    'folder/orders.csv'
    """
    scheme, slash, rest = path.partition(":/")
    is_cut = slash and not rest.startswith("/") and any(scheme in one.schemes for one in DATABASES)
    return f"{scheme}://{rest}" if is_cut else path


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
    if not is_address(address):
        hidden = SECRET_SETTING.sub(rf"\1{HIDDEN}", hidden)
        hidden = WITHOUT_SCHEME.sub(rf"\1:{HIDDEN}@", hidden)
    return USER_AND_PASSWORD.sub(rf"\1:{HIDDEN}@", hidden)


def hide_passwords(text: str, words: Iterable[str]) -> str:
    """Return a text in which those of the words that are addresses have no password."""
    for word in words:
        address = word[word.find("=") + 1 :] if word.startswith("-") else word
        if is_address(address):
            shown = without_password(address)
            text = text.replace(address, shown).replace(repr(address)[1:-1], shown)
    return text
